/* SPDX-License-Identifier: MIT */
/* The status line at all widths: what gives way to what. */
#include <string.h>

#include "tests/support/support.h"
#include "tui/workbench/terminal/fit.h"

#define REASON "no NVIDIA driver: libcuda.so.1 cannot be opened, see calab doctor"

static struct status typical(void)
{
    return (struct status){.model = "anneal",
                           .size = "512x512",
                           .backend = "bitslice-avx512",
                           .device = "cpu",
                           .no_cuda = REASON,
                           .generation = 1234567,
                           .rate = "1.91 Gups",
                           .pace = "64/frame",
                           .state = "RUN"};
}

static void check(const struct status *s, int width, const char *want_left, const char *want_right)
{
    char left[STATUS_TEXT], right[STATUS_TEXT];

    status_fit(s, width, left, right);
    ck_assert_str_eq(left, want_left);
    ck_assert_str_eq(right, want_right);
}

START_TEST(what_gives_way)
{
    const struct status s = typical();
    const char *right = "1.91 Gups  64/frame RUN ";

    check(&s, 200, " anneal  512x512  gen 1234567  bitslice-avx512 on cpu, no CUDA: " REASON,
          right);
    check(&s, 90, " anneal  512x512  gen 1234567  bitslice-avx512 on cpu, no CUDA", right);
    check(&s, 80, " anneal  512x512  gen 1234567  bitslice-avx512 on cpu", right);
    check(&s, 67, " anneal  gen 1234567  bitslice-avx512", right);
    check(&s, 60, " anneal  gen 1234567", right);
    check(&s, 40, " anneal  gen 1234567", "1.91 Gups  RUN ");
    check(&s, 34, " anneal  1234567", "1.91 Gups  RUN ");
    check(&s, 32, " 1234567", "1.91 Gups  RUN ");
}
END_TEST

/* Rate, pace and state are there at 80 columns whatever the rest is, and the rate at 40. */
START_TEST(figures_stay)
{
    struct status s = typical();

    s.size = "1048576x1048576x1024";
    s.generation = UINT64_MAX;
    s.rate = "999 Mups";
    s.pace = "1048576/frame";
    s.state = "PAUSE";
    for (int width = 24; width <= 300; width++) {
        char left[STATUS_TEXT], right[STATUS_TEXT];

        status_fit(&s, width, left, right);
        ck_assert_int_le((int)(strlen(left) + 2 + strlen(right)), width);
        ck_assert_ptr_nonnull(strstr(right, "999 Mups"));
        ck_assert_ptr_nonnull(strstr(right, "PAUSE"));
        if (width >= 80)
            ck_assert_ptr_nonnull(strstr(right, "1048576/frame"));
        if (width >= 40)
            ck_assert_ptr_nonnull(strstr(left, "18446744073709551615"));
        if (strstr(left, "no CUDA:"))
            ck_assert_ptr_nonnull(strstr(left, REASON));
    }
}
END_TEST

/* A GPU has no reason; an unknown one leaves the words alone; nothing timed leaves no gap. */
START_TEST(parts_that_are_not_there)
{
    struct status s = typical();

    s.no_cuda = "";
    s.rate = "";
    check(&s, 200, " anneal  512x512  gen 1234567  bitslice-avx512 on cpu, no CUDA",
          "64/frame RUN ");
    s.no_cuda = NULL;
    s.device = "GPU 0";
    check(&s, 200, " anneal  512x512  gen 1234567  bitslice-avx512 on GPU 0", "64/frame RUN ");
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {what_gives_way, figures_stay, parts_that_are_not_there});
}
