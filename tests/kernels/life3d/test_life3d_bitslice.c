/* SPDX-License-Identifier: MIT */
/*
 * The bit-sliced backends of life3d: the logic on words against the rule for all counts, and the
 * layout in bands against reference on sizes that fill words, vectors and bands and that do not.
 */
#include <inttypes.h>
#include <string.h>

#include "core/model/registry.h"
#include "kernels/life3d/bitslice.h"
#include "kernels/life3d/life3d.h"
#include "kernels/life3d/rule.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

/* Of 64 cells with their cubes of random density: counted by logic, and one by one. */
START_TEST(counts)
{
    const struct life3d_rule rule = life3d_rule_of_ranges(4, 5, 7, 6);
    uint64_t state = test_seed() * 2 + 1;

    for (int round = 0; round < 4000; round++) {
        struct life3d_sum9 nine[3];
        uint64_t cells[27];
        struct life3d_partial_sums parts;
        struct life3d_count n;

        word standard;

        for (int i = 0; i < 27; i++) {
            cells[i] = 0;
            for (int bit = 0; bit < 64; bit++) {
                state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
                cells[i] |= (uint64_t)((int)(state >> 33) % 13 < round % 14) << bit;
            }
        }
        for (int k = 0; k < 3; k++)
            nine[k] = life3d_add_columns(
                word_full_add(cells[9 * k], cells[9 * k + 1], cells[9 * k + 2]),
                word_full_add(cells[9 * k + 3], cells[9 * k + 4], cells[9 * k + 5]),
                word_full_add(cells[9 * k + 6], cells[9 * k + 7], cells[9 * k + 8]));
        parts = life3d_add_third(life3d_add_pair(nine[0], nine[1]), nine[2]);
        n = life3d_count(parts);
        standard = life3d_standard(parts, cells[13]);
        for (int bit = 0; bit < 64; bit++) {
            int got = (int)((n.s0 >> bit & 1) | (n.s1 >> bit & 1) << 1 | (n.s2 >> bit & 1) << 2 |
                            (n.s3 >> bit & 1) << 3 | (n.s4 >> bit & 1) << 4);
            int expected = 0, live;

            for (int i = 0; i < 27; i++)
                expected += (int)(cells[i] >> bit & 1);
            live = cells[13] >> bit & 1;
            if (got != expected || /* an assertion that holds is slow too */
                (int)(standard >> bit & 1) != life3d_next(rule, live, expected - live))
                ck_abort_msg("round %d, bit %d: counted %d, there are %d; next %d", round, bit, got,
                             expected, (int)(standard >> bit & 1));
        }
    }
}
END_TEST

/* Bit 2 n of a word: an empty cell that counts n; bit 2 n + 1: a live one. */
static word all_counts(int bit)
{
    word made = 0;

    for (int n = 0; n < 28; n++)
        made |= (word)(n >> bit & 1) * 3 << 2 * n;
    return made;
}

/* A count in parts: 16 is two eights, 24 is two eights and two fours. */
static struct life3d_partial_sums parts_of(struct life3d_count n)
{
    word both = n.s3 & n.s4;

    return (struct life3d_partial_sums){n.s0, n.s1, {n.s2 | both, both}, {n.s3 | n.s4, n.s4}};
}

static word apply(const struct life3d_bits *bits)
{
    struct life3d_count n = {all_counts(0), all_counts(1), all_counts(2), all_counts(3),
                             all_counts(4)};
    const word live = UINT64_C(0xaaaaaaaaaaaaaaaa);

    word limits[4][5];

    memcpy(limits, bits->not_limits, sizeof limits);
    return bits->form == LIFE3D_STANDARD    ? life3d_standard(parts_of(n), live)
           : bits->form == LIFE3D_INTERVALS ? life3d_intervals(n, live, (const word(*)[5])limits)
                                            : life3d_table(n, live, bits);
}

static void check_rule(struct life3d_rule rule, int form)
{
    struct life3d_bits bits;

    word got;

    life3d_bits_make(&bits, rule);
    if (form >= 0)
        ck_assert_int_eq(bits.form, form);
    got = apply(&bits);
    for (int n = 0; n <= 26; n++)
        for (int live = 0; live < 2; live++)
            if ((int)(got >> (2 * (n + live) + live) & 1) != life3d_next(rule, live, n))
                ck_abort_msg("survive %" PRIx32 ", born %" PRIx32 ", %s cell, %d neighbours",
                             rule.survive, rule.born, live ? "live" : "empty", n);
}

START_TEST(rules)
{
    uint32_t all = (UINT32_C(1) << 27) - 1;
    uint64_t state = test_seed();

    for (int low = 0; low <= 27; low++)
        for (int high = 0; high <= 27; high++) {
            struct life3d_rule rule = life3d_rule_of_ranges(low, high, 27 - low, 27 - high);

            check_rule(rule, LIFE3D_INTERVALS);
            check_rule((struct life3d_rule){rule.born, rule.survive}, LIFE3D_INTERVALS);
        }
    check_rule(life3d_rule_of_ranges(4, 5, 7, 6), LIFE3D_STANDARD);
    check_rule((struct life3d_rule){0x15, 0}, LIFE3D_TABLE);
    check_rule((struct life3d_rule){all & 0x5555555, 0}, LIFE3D_TABLE);
    for (int i = 0; i < 20000; i++) {
        struct life3d_rule rule;

        state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
        rule.survive = (uint32_t)(state >> 37) & all;
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
        rule.born = (uint32_t)(state >> 37) & all;
        check_rule(rule, -1);
    }
}
END_TEST

static const char *const settings[] = {
    "",
    "boundary=dead threads=2",
    "threads=3 rule=3D4..9/3..6 density=0.2",
    "threads=2 rule=3D2,4..9/3,5,8 density=0.2 boundary=dead",
    "threads=5 rule=3D0,26/1,7..9,12",
};
#define SETTINGS ((int)(sizeof settings / sizeof settings[0]))

START_TEST(same_as_reference)
{
    static const uint64_t calls[] = {1, 1, 2, 5, 0};

    for (int s = 0; s < SETTINGS; s++)
        kernel_check_backends("life3d", "bitslice", kernel_band_shapes[_i],
                              test_seed() + (uint64_t)s, settings[s], calls);
}
END_TEST

static const char *const slab_shapes[] = {"32x16x12", "65x8x12", "20x13x14", "128x3x16"};

START_TEST(slabs)
{
    for (const struct ca_backend *b = life3d_model.backends; b->name; b++)
        for (int dead = 0; dead < 2; dead++) {
            struct ca_experiment experiment;
            struct ca_error error;

            if (strncmp(b->name, "bitslice", 8) != 0 || ca_backend_available(b, &error) != CA_OK)
                continue;
            experiment = kernel_experiment("life3d", b->name, slab_shapes[_i], NULL, test_seed(),
                                           dead ? "threads=2 boundary=dead" : "threads=3");
            kernel_check_slabs(&experiment, 1 + _i, !dead, 3);
        }
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {counts, rules}, .table = {{same_as_reference, KERNEL_BAND_SHAPES},
                                                        {slabs, COUNT(slab_shapes)}});
}
