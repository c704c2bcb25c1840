/* SPDX-License-Identifier: MIT */
/*
 * Backends bitslice, bitslice-avx2 and bitslice-avx512 of life: the pass of
 * kernels/moore/bit_pass.h with one of five kinds of logic, by the rule (enum life_form).
 *
 * Life's own rule takes 7 operations for a word beside the 17 of the sums, or three ternary ones,
 * and the twisted majority vote of anneal 6, or two.
 * Others that people use are compiled from the masks of their counts, and take up to twenty. Any
 * other that goes by counts takes 46 operations, with masks of the same words, which come from L1.
 *
 * A rule that does not go by counts is a program of functions of three cells or results
 * (program.h), which is interpreted: each function is done for all words of a row segment, so that
 * which function comes next costs little. The segment's words, those of the nine cells and of the
 * results that are needed further, stay in L1, and three words are loaded and one is stored for
 * each function.
 */
#include "kernels/moore/bit_pass.h"

#include "kernels/life/bitslice.h"

/* --- rules that go by counts ------------------------------------------------------------------ */

static inline word life_conway_result(struct bit_sum l, struct bit_sum h, word cells,
                                      const void *context)
{
    (void)context;
    return life_conway(l, h, cells);
}

static void life_step_conway(const struct row_range *rows, int64_t words,
                             const struct kept_rows *kept, const void *context)
{
    moore_step_rows(rows, words, kept, life_conway_result, true, context);
}

static inline word life_vote_result(struct bit_sum l, struct bit_sum h, word cells,
                                    const void *context)
{
    (void)cells, (void)context;
    return moore_vote(l, h);
}

static void life_step_vote(const struct row_range *rows, int64_t words,
                           const struct kept_rows *kept, const void *context)
{
    moore_step_rows(rows, words, kept, life_vote_result, false, context);
}

/* Any rule by its masks. */
static inline word life_counted_result(struct bit_sum l, struct bit_sum h, word cells,
                                       const void *context)
{
    const struct life_bits *bits = context;
    word leaf[5];

    for (int m = 0; m < 5; m++) {
        word empty = load_word(bits->mask[m][0]) ^ (load_word(bits->mask[m][1]) & l.low);
        word live = load_word(bits->mask[m][2]) ^ (load_word(bits->mask[m][3]) & l.low);

        leaf[m] = empty ^ (cells & live);
    }
    return life_choose(l, h, leaf);
}

static void life_step_counted(const struct row_range *rows, int64_t words,
                              const struct kept_rows *kept, const void *context)
{
    moore_step_rows(rows, words, kept, life_counted_result, true, context);
}

#define LIFE_COMMON_STEP(name, born, stays)                                                        \
    static inline word life_##name##_result(struct bit_sum l, struct bit_sum h, word cells,        \
                                            const void *context)                                   \
    {                                                                                              \
        (void)context;                                                                             \
        return life_by_counts(l, h, cells, born, stays);                                           \
    }                                                                                              \
    static void life_step_##name(const struct row_range *rows, int64_t words,                      \
                                 const struct kept_rows *kept, const void *context)                \
    {                                                                                              \
        moore_step_rows(rows, words, kept, life_##name##_result, true, context);                   \
    }
LIFE_COMMON_RULES(LIFE_COMMON_STEP)

/* --- rules that are programs ------------------------------------------------------------------ */

/* Words of a row that a function is done for at once: with so many slots they stay in L1. */
#define SEGMENT_MAX 128
#define SLOT_BYTES (24 * 1024)
#define SLOTS (LIFE_CELLS + LIFE_FUNCTIONS_MAX)

/* A function of three words that is constant: bit 4 a + 2 b + c. */
#ifdef WORD_TERNARY
#define FUNCTION(table, a, b, c) WORD_TERNARY(a, b, c, table)
#else
MOORE_INLINE word function_of_three(unsigned table, word a, word b, word c)
{
    unsigned yes = table >> 4, no = table & 15;

    if (yes == no)
        return life_leaf(no, c, b);
    if (no == 0)
        return a & life_leaf(yes, c, b);
    if (yes == 0)
        return ~a & life_leaf(no, c, b);
    if (yes == 15)
        return a | life_leaf(no, c, b);
    return life_leaf(no, c, b) ^ (a & life_leaf(yes ^ no, c, b));
}
#define FUNCTION(table, a, b, c) function_of_three(table, a, b, c)
#endif

#define FUNCTION_CASE(TABLE)                                                                       \
    case TABLE:                                                                                    \
        MOORE_INDEPENDENT for (int64_t i = 0; i < n; i += LANES) store_word(                       \
            to + i, FUNCTION(TABLE, load_word(a + i), load_word(b + i), load_word(c + i)));        \
        break;

/* Words 0 ... n - 1 of one function. It may be written where it is read from. */
static void run_function(unsigned table, const uint64_t *a, const uint64_t *b, const uint64_t *c,
                         uint64_t *to, int64_t n)
{
    switch (table) {
        LIFE_FUNCTION_TABLES(FUNCTION_CASE)
    default:
        break;
    }
}

/* The rows of a segment: the words of their cells, and of each cell's neighbours left and right. */
struct life_row {
    const uint64_t *cells;
    uint64_t left[SEGMENT_MAX], right[SEGMENT_MAX];
};

static void life_row_at(struct life_row *row, const uint64_t *at, int64_t n)
{
    row->cells = at;
    MOORE_INDEPENDENT
    for (int64_t i = 0; i < n; i += LANES) {
        word here = load_word(at + i);

        store_word(row->left + i, word_left(at + i, here));
        store_word(row->right + i, word_right(at + i, here));
    }
}

/* The result of words 0 ... n - 1 of the middle one of three rows. */
static void run_program(const struct life_program *program, const struct life_row *const rows[3],
                        uint64_t *slots, uint64_t *out, int64_t n)
{
    const uint64_t *at[SLOTS];
    uint64_t inverted = program->inverted ? ~UINT64_C(0) : 0;

    for (int r = 0; r < 3; r++) { /* the last cell of the last row counts 1 */
        at[8 - 3 * r] = rows[r]->left;
        at[7 - 3 * r] = rows[r]->cells;
        at[6 - 3 * r] = rows[r]->right;
    }
    for (int i = LIFE_CELLS; i < program->slots; i++)
        at[i] = slots + (i - LIFE_CELLS) * SEGMENT_MAX;
    for (int i = 0; i < program->count; i++) {
        const struct life_function *f = &program->function[i];

        run_function(f->table, at[f->a], at[f->b], at[f->c],
                     slots + (f->to - LIFE_CELLS) * SEGMENT_MAX, n);
    }
    for (int64_t i = 0; i < n; i++)
        out[i] = (program->result < 0 ? 0 : at[program->result][i]) ^ inverted;
}

/* The kept rows are the cells of the last two, with those beyond their ends. */
static uint64_t *kept_above(const struct kept_rows *kept)
{
    return kept->above_low + BIT_ROWS_VECTOR;
}

static uint64_t *kept_here(const struct kept_rows *kept)
{
    return kept->here_low + BIT_ROWS_VECTOR;
}

static void copy_row(uint64_t *to, const uint64_t *from, int64_t n)
{
    memcpy(to - 1, from - 1, (size_t)(n + 2) * sizeof *to);
}

static void life_keep_cells(const uint64_t *in, int64_t stride, int64_t rows, int64_t n,
                            const struct kept_rows *kept)
{
    for (; rows > 0; rows--, in += stride) {
        copy_row(kept_above(kept), kept_here(kept), n);
        copy_row(kept_here(kept), in, n);
    }
}

static void life_step_program(const struct row_range *rows, int64_t words,
                              const struct kept_rows *kept, const void *context)
{
    const struct life_program *program = &((const struct life_bits *)context)->program;
    _Alignas(64) uint64_t slots[LIFE_FUNCTIONS_MAX * SEGMENT_MAX];
    struct life_row buffer[3], *row[3] = {&buffer[0], &buffer[1], &buffer[2]};
    int64_t segment = SLOT_BYTES / (8 * (program->slots + 1)) / 8 * 8;

    segment = segment > SEGMENT_MAX ? SEGMENT_MAX : segment < 16 ? 16 : segment;
    for (int64_t at = 0; at < words; at += segment) {
        int64_t n = words - at < segment ? words - at : segment;

        life_row_at(row[0], kept_above(kept) + at, n);
        life_row_at(row[1], kept_here(kept) + at, n);
        for (int64_t r = 0; r < rows->count; r++) {
            struct life_row *first = row[0];

            life_row_at(row[2], rows->in + r * rows->in_stride + at, n);
            run_program(program, (const struct life_row *const *)row, slots,
                        rows->out + r * rows->out_stride + at, n);
            row[0] = row[1], row[1] = row[2], row[2] = first;
        }
    }
    life_keep_cells(rows->in + (rows->count > 1 ? rows->count - 2 : 0) * rows->in_stride,
                    rows->in_stride, rows->count > 1 ? 2 : 1, words, kept);
}

/* --------------------------------------------------------------------------------------------- */

static void life_bit_rows_pass(const struct bit_stepper *stepper, int64_t first, int64_t last,
                               uint64_t t, int n, void *scratch)
{
    static void (*const common[])(const struct row_range *, int64_t, const struct kept_rows *,
                                  const void *) = {
#define LIFE_STEP(name, born, stays) life_step_##name,
        LIFE_COMMON_RULES(LIFE_STEP)
#undef LIFE_STEP
    };
    const struct life_bits *bits = stepper->context;
    struct moore_steps steps = {moore_keep_sums, life_step_conway};

    (void)t; /* the same rule in every generation */
    if (bits->form == LIFE_VOTE)
        steps.step = life_step_vote;
    if (bits->form == LIFE_COMMON)
        steps.step = common[bits->common];
    if (bits->form == LIFE_COUNTED)
        steps.step = life_step_counted;
    if (bits->form == LIFE_PROGRAM)
        steps = (struct moore_steps){life_keep_cells, life_step_program};
    moore_bit_rows_pass(stepper, &steps, first, last, n, scratch);
}

const struct bit_ops WORD_NAME(life_bitslice) = {.lanes = WORD_LANES,
                                                 .pass = life_bit_rows_pass,
                                                 .plan = moore_bitslice_plan,
                                                 .work = life_bits_work,
                                                 .torus = life_torus,
                                                 .context_size = sizeof(struct life_bits),
                                                 .prepare = life_bits_prepare};
