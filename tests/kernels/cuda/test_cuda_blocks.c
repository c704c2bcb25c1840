/* SPDX-License-Identifier: MIT */
/* Sums of blocks that the CUDA backends make are what the cells add up to. */
#include "tests/support/support.h"
#include "tests/support/support_blocks.h"

static const struct {
    const char *model, *size;
} lattices[] = {
    {"anneal", "301x34"},  {"anneal", "128x40"}, {"life", "301x34"},
    {"life3d", "69x14x5"}, {"life3d", "64x8x6"}, {"cloud", "69x14x5"},
    {"fhp", "301x34"},     {"water", "131x34"},  {"water", "64x9"},
};

START_TEST(sums_are_those_of_the_cells)
{
    const struct ca_model *model = test_model(lattices[_i].model);

    ck_assert_int_ge(blocks_check(model, CA_CUDA, lattices[_i].size), 3);
}
END_TEST

int main(void) { return RUN_TESTS(.table = {{sums_are_those_of_the_cells, COUNT(lattices)}}); }
