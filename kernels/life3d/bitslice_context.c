/* SPDX-License-Identifier: MIT */
/* This file computes the context of life3d's bit-sliced backends: the rule and the ends of rows as
 * bits. */
#include "kernels/cpu/bands.h"
#include "kernels/life3d/bitslice.h"
#include "kernels/life3d/life3d.h"
#include "kernels/life3d/rule.h"

/* Whether the set bits are one interval (or none): the lowest run's carry clears them all. */
static bool is_interval(uint32_t mask) { return (mask & (mask + (mask & -mask))) == 0; }

static void invert_bits(uint64_t inverted[5], int number)
{
    for (int i = 0; i < 5; i++)
        inverted[i] = number >> i & 1 ? 0 : ~UINT64_C(0);
}

/* The limits of a mask over 0 ... 27 that is one interval: its start, and the first number after.
 */
static void find_limits(uint32_t mask, uint64_t not_start[5], uint64_t not_end[5])
{
    int start = 28, end = 28;

    if (mask) {
        start = __builtin_ctz(mask);
        end = 32 - __builtin_clz(mask);
    }
    invert_bits(not_start, start);
    invert_bits(not_end, end);
}

void life3d_bits_make(struct life3d_bits *bits, struct life3d_rule rule)
{
    uint32_t survive = rule.survive << 1; /* a live cell is among the 27 */

    *bits = (struct life3d_bits){.form = LIFE3D_TABLE};
    for (int i = 0; i < 14; i++) {
        bits->survive[i] = survive >> 2 * i & 3;
        bits->born[i] = rule.born >> 2 * i & 3;
    }
    if (is_interval(survive) && is_interval(rule.born))
        bits->form = LIFE3D_INTERVALS;
    find_limits(survive, bits->not_limits[0], bits->not_limits[1]);
    find_limits(rule.born, bits->not_limits[2], bits->not_limits[3]);
    if (survive == 0x180 && rule.born == 0x30)
        bits->form = LIFE3D_STANDARD;
}

static struct life3d_ends row_ends(const struct bands *bands)
{
    struct life3d_ends ends = {.end = (int)(bands->size.w % 64), .side = (int)(bands->size.w - 1)};
    uint64_t torus = bands->torus ? ~UINT64_C(0) : 0, first = 0, last = 0, all = ~UINT64_C(0);

    if (bands->words > 1) {
        ends.valid = ends.end ? ~(all << ends.end) : all;
        ends.wrap_inside = ends.end ? torus : 0;
        ends.wrap_beyond = ends.end ? 0 : torus;
        return ends;
    }
    for (int64_t field = 0; field < bands->fields; field++) {
        first |= UINT64_C(1) << field * bands->size.w;
        last |= UINT64_C(1) << ((field + 1) * bands->size.w - 1);
    }
    ends.keep_left = ~first;
    ends.wrap_left = first & torus;
    ends.keep_right = ~last;
    ends.wrap_right = last & torus;
    ends.halves = bands->torus && bands->size.w == 32;
    return ends;
}

void life3d_bits_prepare(const struct bands *bands, void *context)
{
    struct life3d_rule rule = {0, 0};
    struct life3d_bits *bits = context;
    struct ca_error error; /* the model's check has refused a rule that cannot be read */

    (void)life3d_rule_of_setup(&rule, &bands->setup, &error);
    life3d_bits_make(bits, rule);
    bits->ends = row_ends(bands);
}
