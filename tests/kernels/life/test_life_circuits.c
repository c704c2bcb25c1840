/* SPDX-License-Identifier: MIT */
/* The logic of life's compiled rules, for all contents of four rows of three cells. */
#include "kernels/life/circuits.h"
#include "kernels/life/life.h"
#include "kernels/life/rule.h"
#include "tests/support/support.h"

typedef struct life_two two_function(struct bit_sum b, struct bit_sum c);
typedef word next_function(struct life_two two, struct bit_sum o, word centre);

#define ROW(name, born, stays, operations, centre)                                                 \
    {#name, born, stays, life_two_##name, life_next_##name},

static const struct {
    const char *name;
    unsigned born, stays;
    two_function *two;
    next_function *next;
} circuits[] = {LIFE_COMPILED(ROW)};

/* The rules by the texts that people know them by, in the order of the circuits. */
static const char *const texts[] = {"B3/S23",  "B36/S23",      "B3678/S34678", "B2/S",
                                    "B34/S34", "B35678/S5678", "B4678/S35678", "B1357/S1357"};

START_TEST(rules)
{
    struct life_rule rule;
    struct ca_error error;

    ck_assert_ok(life_rule_parse(&rule, texts[_i], &error));
    ck_assert_uint_eq(circuits[_i].born, rule.born);
    ck_assert_uint_eq(circuits[_i].stays, rule.stays);
}
END_TEST

/* The cell at the centre of rows r, r + 1 and r + 2 afterwards. */
static int next_of(int circuit, unsigned cells, int r)
{
    unsigned square = cells >> 3 * r & 0x1ff, others = square & ~0x10U;
    unsigned set = square & 0x10 ? circuits[circuit].stays : circuits[circuit].born;

    return (int)(set >> __builtin_popcount(others) & 1);
}

/* Lane j of word k holds contents 64 k + j of the 4096; both middle rows have a result. */
START_TEST(logic)
{
    for (unsigned k = 0; k < 64; k++) {
        word cell[12] = {0}, upper, lower;
        struct bit_sum sum[4];
        struct life_two two;

        for (unsigned j = 0; j < 64; j++)
            for (int i = 0; i < 12; i++)
                cell[i] |= (word)((64 * k + j) >> i & 1) << j;
        for (int r = 0; r < 4; r++)
            sum[r] = word_full_add(cell[3 * r], cell[3 * r + 1], cell[3 * r + 2]);
        two = circuits[_i].two(sum[1], sum[2]);
        upper = circuits[_i].next(two, sum[0], cell[4]);
        lower = circuits[_i].next(two, sum[3], cell[7]);
        for (unsigned j = 0; j < 64; j++) {
            unsigned contents = 64 * k + j;

            ck_assert_msg((int)(upper >> j & 1) == next_of(_i, contents, 0), "%s: upper of %u",
                          circuits[_i].name, contents);
            ck_assert_msg((int)(lower >> j & 1) == next_of(_i, contents, 1), "%s: lower of %u",
                          circuits[_i].name, contents);
        }
    }
}
END_TEST

int main(void) { return RUN_TESTS(.table = {{rules, COUNT(circuits)}, {logic, COUNT(circuits)}}); }
