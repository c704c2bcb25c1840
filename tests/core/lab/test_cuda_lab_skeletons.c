/* SPDX-License-Identifier: MIT */
/* Skeletons in CUDA, without a GPU: the rule of each model as in C, with LAB_AT as it stands, in
 * the marked place of each form. */
#include <stdio.h>

#include "tests/core/lab/skeletons.h"

static const char *const forms[] = {"--cuda", "--cuda --own"};

START_TEST(a_rule_is_right)
{
    const char *folder = skeleton_filled(_i, forms[_i % 2], "kernel.cu", skeletons[_i].body, NULL);
    struct outcome o = calab("lab check -q %s", folder);

    ck_assert_msg(o.status == 0, "%s%s", o.out, o.err);
}
END_TEST

START_TEST(ghosts_are_filled)
{
    const char *folder =
        skeleton_filled(0, "--cuda --ghosts 2", "kernel.cu",
                        "int n = 0;\nfor (int j = -1; j <= 1; j++)\nfor (int i = -1; i <= 1; i++)\n"
                        "n += in[LAB_CELL][LAB_AT(lab, x + i, y + j, 0)];\n"
                        "out[LAB_CELL][LAB_AT(lab, x, y, 0)] = n == 4 || n >= 6;\n",
                        SKELETON_GHOST);
    struct outcome o = calab("lab check -q %s", folder);

    ck_assert_msg(o.status == 0, "%s%s", o.out, o.err);
}
END_TEST

/* The emulator has blocks of 32x8 threads, and says that it has no multiprocessors. */
START_TEST(who_ran_where)
{
    const char *folder = skeleton_filled(0, "--cuda", "kernel.cu", skeletons[0].body, NULL);
    struct outcome o = calab_good("lab who -s 34x12 %s", folder);

    ck_assert_contains(o.out, "by 4 blocks; the emulator has no multiprocessors",
                       "\n0000000000000000000000000000000011\n2222222222222222222222222222222233\n",
                       "0 block 0: 256 cells\n", "3 block 3: 8 cells\n");
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {ghosts_are_filled, who_ran_where},
                     .table = {{a_rule_is_right, (int)COUNT(skeletons)}});
}
