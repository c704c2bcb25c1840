/* SPDX-License-Identifier: MIT */
/* core/compare/crossover: which lengths and sizes, and in words where the winner changes. */
#include <string.h>

#include "core/compare/crossover.h"
#include "tests/support/support.h"

static const char *labels(const struct ca_crossover *c, int from, int to)
{
    static char text[512];
    char label[64];

    text[0] = '\0';
    for (int i = from; i < to; i++)
        strcat(strcat(text, i > from ? " " : ""), ca_crossover_label(label, c, i));
    return text;
}

START_TEST(lengths_to_the_present_one)
{
    struct ca_crossover c;

    ca_crossover_plan(&c, (struct ca_size){512, 512, 1}, 2, 64);
    ck_assert_int_eq(c.lengths, 7);
    ck_assert_str_eq(labels(&c, 0, 3), "1 generation 4 generations 16 generations");
    ck_assert_str_eq(labels(&c, 6, 7), "4,096 generations");
    for (int i = 0; i < c.lengths; i++)
        ck_assert(ca_size_equal(c.row[i].size, (struct ca_size){512, 512, 1}));
    ca_crossover_plan(&c, (struct ca_size){512, 512, 1}, 2, 13828);
    ck_assert_int_eq(c.lengths, 8);
    ck_assert_uint_eq(c.row[7].generations, 13828);
}
END_TEST

START_TEST(sizes_around_the_present_one)
{
    static const struct {
        struct ca_size size;
        int dimensions;
        const char *expected;
    } rows[] = {
        {{512, 512, 1}, 2, "256x256 512x256 512x512 512x1024 1024x1024"},
        {{64, 1024, 1}, 2, "64x256 64x512 64x1024 128x1024 256x1024"},
        {{32, 32, 32}, 3, "32x16x16 32x32x16 32x32x32 32x32x64 32x64x64"},
        {{7, 6, 1}, 2, "7x6 7x12 14x12"},
        {{6, 10, 1}, 2, "3x5 6x5 6x10 12x10 12x20"},
        {{1, 1, 1}, 2, "1x1 1x2 2x2"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ca_crossover c;

        ca_crossover_plan(&c, rows[i].size, rows[i].dimensions, 1);
        ck_assert_int_le(c.count, CA_CROSSOVER_ROWS);
        ck_assert_str_eq(labels(&c, c.lengths, c.count), rows[i].expected);
    }
}
END_TEST

/* The winner of each row: A, B, = for the same, - for a row without a result. */
static const char *said(const char *lengths, const char *sizes, bool by_size)
{
    static char text[256];
    struct ca_crossover c;

    ca_crossover_plan(&c, (struct ca_size){512, 512, 1}, 2, 1);
    ck_assert_int_eq((int)strlen(lengths), c.lengths);
    ck_assert_int_eq((int)strlen(sizes), c.count - c.lengths);
    for (int i = 0; i < c.count; i++) {
        char who = i < c.lengths ? lengths[i] : sizes[i - c.lengths];

        c.row[i].result = (struct ca_ratio_result){.pairs = who == '-' ? 0 : 6,
                                                   .made = 6,
                                                   .median = who == 'B' ? 0.5 : 2,
                                                   .same = who == '='};
    }
    return ca_crossover_sentence(text, sizeof text, &c, by_size);
}

START_TEST(sentences)
{
    ck_assert_str_eq(said("-------", "AAAAA", false), "");
    ck_assert_str_eq(said("AAAAAAA", "BBBBB", false), "A is faster at each length");
    ck_assert_str_eq(said("AAAAAAA", "BBBBB", true), "B is faster at each size");
    ck_assert_str_eq(said("A======", "-----", false), "A is faster or the same at each length");
    ck_assert_str_eq(said("=======", "-----", false), "A and B are the same at each length");
    ck_assert_str_eq(said("AAAA---", "-----", false), "A is faster at each length measured");
    ck_assert_str_eq(said("BBBAAAA", "-----", false),
                     "B is faster up to 16 generations a call, A from 64 generations on");
    ck_assert_str_eq(said("B==AAAA", "-----", false),
                     "B is faster up to 1 generation a call, A from 64 generations on");
    ck_assert_str_eq(said("=A-AABB", "-----", false),
                     "A is faster up to 256 generations a call, B from 1,024 generations on");
    ck_assert_str_eq(said("BAABAAA", "-----", false),
                     "B is faster up to 1 generation a call, A from 4 generations on, B from 64 "
                     "generations on, A from 256 generations on");
    ck_assert_str_eq(said("-------", "AABBB", true),
                     "A is faster up to 512x256, B from 512x512 on");
    ck_assert_str_eq(said("-------", "BBBBA", true),
                     "B is faster up to 512x1024, A from 1024x1024 on");
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {lengths_to_the_present_one, sizes_around_the_present_one, sentences});
}
