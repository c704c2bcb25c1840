/* SPDX-License-Identifier: MIT */
/*
 * Backends bitslice, bitslice-avx2 and bitslice-avx512 of cloud: 64, 256 and 512 cells at a time,
 * from this one source over `word` (kernels/cpu/word.h), over banded bit planes
 * (kernels/cpu/bands.h).
 *
 * Without events all three are bound by loads and stores, 13 for a word, since the rule is a dozen
 * operations on a word. AVX2 and AVX-512 take four and eight bands of a layer for each load; the
 * ternary logic and funnel shifts of AVX-512 leave loads and stores as the only bottleneck. With
 * events the random numbers are the bottleneck, and they are drawn for four and eight rows at once.
 *
 * A cell's own hum and cld suffice for their next values, so these planes are stepped in place;
 * only act, which neighbours read, has two copies. Events are drawn for each row right after the
 * rule, while it is in L1.
 */
#include "kernels/cloud/cloud.h"
#include "kernels/cloud/bitslice.h"
#include "kernels/cloud/rule.h"
#include "kernels/cpu/bands_word.h"
#define DRAW_LANES WORD_LANES /* a lane for each of a vector's rows */
#include "kernels/cpu/philox.h"

/* Row 0 of a layer's planes and of the layers whose act it reads; rows are n words apart. */
struct layer {
    const uint64_t *act, *up, *down, *down2; /* z, z + 1, z - 1, z - 2 */
    uint64_t *hum, *cld, *next;
    int64_t n;
};

ALWAYS void step_word(const struct layer *layer, int64_t at, word here, word sides)
{
    struct cloud_word cell = {load_word(layer->hum + at), here, load_word(layer->cld + at)};
    const uint64_t *act = layer->act + at;
    int64_t n = layer->n;
    word ahead = word_or3(load_word(act + n), load_word(act + 2 * n), load_word(layer->up + at));
    word back = word_or3(load_word(act - n), load_word(act - 2 * n), load_word(layer->down + at));

    cell = cloud_bits_rule(cell, word_or3(ahead, back, sides | load_word(layer->down2 + at)));
    store_word(layer->hum + at, cell.hum);
    store_word(layer->next + at, cell.act);
    store_word(layer->cld + at, cell.cld);
}

/* Any of the cells at distances 1 and 2 on both sides, in rows of several words. */
ALWAYS word sides_of(word before, word here, word after)
{
    return word_or3(word_left_of(before, here, 1), word_left_of(before, here, 2),
                    word_right_of(here, after, 1)) |
           word_right_of(here, after, 2);
}

/*
 * Rows first ... last - 1 of several words each. It is not inlined, because its loop needs all
 * registers.
 */
static __attribute__((noinline)) void step_words(const struct layer *of, uint64_t valid,
                                                 int64_t first, int64_t last)
{
    struct layer layer = *of;
    int64_t at = first * layer.n, end = last * layer.n;

    while (at < end) {
        int64_t stop = at + layer.n - LANES;
        word before = word_of(0), here = load_word(layer.act + at), after;

        for (; at < stop; at += LANES) {
            after = load_word(layer.act + at + LANES);
            if (at + LANES == stop)
                after &= valid;
            step_word(&layer, at, here, sides_of(before, here, after));
            before = here;
            here = after;
        }
        step_word(&layer, at, here, sides_of(before, here, word_of(0)));
        at += LANES;
    }
}

/* The same for rows of one word, or several rows in a word. */
static __attribute__((noinline)) void
step_fields(const struct layer *of, const struct cloud_ends *ends, int64_t first, int64_t last)
{
    struct layer layer = *of;

    for (int64_t at = first * LANES; at < last * LANES; at += LANES) {
        word here = load_word(layer.act + at);

        step_word(&layer, at, here,
                  word_or3(here << 1 & ends->left[0], here << 2 & ends->left[1],
                           here >> 1 & ends->right[0]) |
                      (here >> 2 & ends->right[1]));
    }
}

/* --- events ----------------------------------------------------------------------------------- */

/*
 * Applies the events to two words of a row where `pair` is set, else to one, and there only to the
 * cells in `field`.
 */
ALWAYS void draw_pairs(const struct cloud_context *context, const struct draw_block *block,
                       const struct layer *layer, int64_t at, bool pair, uint64_t field, int shift)
{
    int64_t odd = pair ? at + LANES : at;
    word even_only = word_of(pair ? ~UINT64_C(0) : 0);
    struct draw_pair hum = {load_word(layer->hum + at), load_word(layer->hum + odd)};
    struct draw_pair act = {load_word(layer->next + at), load_word(layer->next + odd)};
    struct draw_pair cld = {load_word(layer->cld + at), load_word(layer->cld + odd)};
    struct draw_pair among, event;

    among.even = cld.even & field, among.odd = cld.odd & even_only;
    event = draw_block_event(block, CLOUD_STREAM_EXTINCTION, context->extinct, among, shift);
    cld.even &= ~event.even, cld.odd &= ~event.odd;
    among.even = ~hum.even & field, among.odd = ~hum.odd & even_only;
    event = draw_block_event(block, CLOUD_STREAM_HUMIDITY, context->humid, among, shift);
    hum.even |= event.even, hum.odd |= event.odd;
    among.even = ~act.even & field, among.odd = ~act.odd & even_only;
    event = draw_block_event(block, CLOUD_STREAM_ACTIVATION, context->active, among, shift);
    act.even |= event.even, act.odd |= event.odd;

    if (pair) {
        store_word(layer->hum + odd, hum.odd);
        store_word(layer->next + odd, act.odd);
        store_word(layer->cld + odd, cld.odd);
    }
    store_word(layer->hum + at, hum.even);
    store_word(layer->next + at, act.even);
    store_word(layer->cld + at, cld.even);
}

static __attribute__((noinline)) void draw_events(const struct bands *bands,
                                                  const struct draw_step *step,
                                                  const struct layer *layer, int64_t z, int64_t i)
{
    const struct cloud_context *context = bands->context;
    int64_t w = bands->size.w, global = slab_global(&bands->setup.slab, z, bands->setup.size.d);
    uint64_t field = bands->fields > 1 ? (UINT64_C(1) << w) - 1 : ~UINT64_C(0);

    for (int64_t f = 0; f < bands->fields; f++) {
        word y = load_word(context->start + f * LANES) + (uint64_t)i;
        struct draw_rows rows = draw_rows(step, y, (uint64_t)global);
        int shift = bands->fields > 1 ? (int)(f * w) : 0;

        for (int64_t k = 0; k < bands->words; k += 2) {
            struct draw_block block = draw_block(&rows, (uint64_t)k / 2);

            if (shift)
                draw_pairs(context, &block, layer, i * LANES, false, field << shift, shift);
            else
                draw_pairs(context, &block, layer, i * layer->n + k * LANES, k + 1 < bands->words,
                           field, 0);
        }
    }
}

/* --- layers ----------------------------------------------------------------------------------- */

static const uint64_t *active_layer(const struct bands *bands, int now, int64_t z, int64_t offset)
{
    return bands_row(bands, CLOUD_ACT, now, slab_layer(&bands->setup.slab, z, offset, false), 0);
}

ALWAYS void step_rows(const struct bands *bands, const struct layer *layer, int64_t first,
                      int64_t last)
{
    const struct cloud_context *context = bands->context;

    if (bands->words > 1)
        step_words(layer, context->ends.valid, first, last);
    else
        step_fields(layer, &context->ends, first, last);
}

static void step_layer(const struct bands *bands, const struct draw_step *step, int now, int64_t z,
                       int64_t first, int64_t last)
{
    const struct cloud_context *context = bands->context;
    struct layer layer = {.act = active_layer(bands, now, z, 0),
                          .up = active_layer(bands, now, z, 1),
                          .down = active_layer(bands, now, z, -1),
                          .down2 = active_layer(bands, now, z, -2),
                          .hum = bands_row(bands, CLOUD_HUM, now, z, 0),
                          .cld = bands_row(bands, CLOUD_CLD, now, z, 0),
                          .next = bands_row(bands, CLOUD_ACT, !now, z, 0),
                          .n = bands->row_words};

    if (!context->extinct && !context->humid && !context->active) {
        step_rows(bands, &layer, first, last);
        return;
    }
    for (int64_t i = first; i < last; i++) {
        step_rows(bands, &layer, i, i + 1);
        draw_events(bands, step, &layer, z, i);
    }
}

static void cloud_bitslice_pass(const struct bands *bands, int worker, int now, int64_t first,
                                int64_t last, uint64_t t)
{
    struct bands_halo halo = bands_halo(bands);
    struct draw_step step = draw_step(bands->setup.seed, t);

    (void)worker;
    while (first < last) {
        int64_t z = first / bands->rows, from = first % bands->rows;
        int64_t to = bands->rows - from < last - first ? bands->rows : from + last - first;

        step_layer(bands, &step, now, z, from, to);
        if (to - from == bands->rows)
            fill_layer_halo(&halo, !now, z);
        first += to - from;
    }
}

const struct bands_ops WORD_NAME(cloud_bitslice) = {
    .lanes = WORD_LANES,
    .halo_rows = 2,
    .in_place = 1U << CLOUD_HUM | 1U << CLOUD_CLD,
    .pass = cloud_bitslice_pass,
    .fill_halo = bands_fill_halo,
    .context_size = sizeof(struct cloud_context),
    .prepare = cloud_bitslice_prepare,
};
