/* SPDX-License-Identifier: MIT */
/* A and B of a split by length of call and by size, in the workbench. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/random_keys.h"
#include "tests/support/support.h"
#include "tests/support/script.h"

static const struct screen_options pair = {
    .arguments = {"anneal", "-s", "32x32", "-b", "bitslice,threads/threads=1"}};

static struct screen *opens(const struct screen_options *options)
{
    struct screen *screen;

    random_keys_folder();
    screen = user_starts(options);
    user_does(screen, STEPS(STATUS("= EQUAL at 0, "), PRESS(".."), STATUS("= EQUAL at 2, "),
                            PRESS("L"), SHOWS("A against B by length of call and by size")));
    return screen;
}

/* Its row `least` or a later one is measured, or all are. */
static bool has_come_to(struct screen *screen, const void *data)
{
    const char *at = strstr(screen_text(screen), " of 12; ctrl-c stops");

    while (at && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return at ? strtol(at, NULL, 10) >= *(const int *)data
              : screen_shows(screen, "disturbed ones left out");
}

static void expect_row(struct screen *screen, int least)
{
    screen_until(screen, has_come_to, &least, "a row of the table");
}

/* Back in the split both stand where they were, and go on. */
static void goes_on(struct screen *screen)
{
    user_does(screen, STEPS(PRESS("q"), HIDES("A against B by length"), STATUS("= EQUAL at 2, "),
                            PRESS("."), STATUS("= EQUAL at 3, ")));
    user_quits(screen);
}

static int count_of(const char *text, const char *part)
{
    int count = 0;

    for (; (text = strstr(text, part)); text++)
        count++;
    return count;
}

/* All of it on a screen of 80x24, in a file, and as a command. */
START_TEST(table_of_a_pair)
{
    struct screen *screen = opens(&pair);
    const char *text;
    char *file;

    for (int row = 2; row <= 12; row += 2)
        expect_row(screen, row);
    screen_expect(screen, "alternating bursts, disturbed ones left out");
    text = screen_text(screen);
    ck_assert(!strstr(text, "more below"));
    ck_assert(!strstr(text, "A: "));
    ck_assert(!strstr(text, "B: "));
    ck_assert_contains(text, "4,096 ", "16x16 ", "64x64 ");
    ck_assert(strstr(text, "A is faster") || strstr(text, "unsure")); /* beside others */
    ck_assert_int_ge(count_of(text, " ups") + count_of(text, "ups "), 20);
    /* As plots, with the row under the cursor. */
    user_does(screen,
              STEPS(PRESS("v"), SHOWS("A bitslice  B threads"), SHOWS("generations a call"),
                    SHOWS("cells"), SHOWS("1 generation: A "), PRESS("\033[C"),
                    SHOWS("4 generations: A "), PRESS("kk"), SHOWS("1 generation: A "),
                    PRESS("jjjjjjjjjjjjjjj"), SHOWS("64x64: A "), PRESS("v"), SHOWS("4,096 ")));
    user_does(screen,
              STEPS(PRESS("y"),
                    SHOWS("calab bench anneal -b bitslice,threads -s 16x16,32x16,32x32,32x64"),
                    PRESS("q"), HIDES("calab bench"), PRESS("w"),
                    SHOWS("write: anneal-lengths.csv"), PRESS("\r"), HIDES("write: anneal")));
    file = test_read("anneal-lengths.csv", NULL);
    ck_assert_contains(file, "by,size,generations,a,b,a_ups,b_ups,ratio,low,high,pairs,verdict\n",
                       "\nlength,32x32,64,bitslice,threads,", "\nsize,64x64,");
    ck_assert_int_ge(count_of(file, "\n"), 10);
    user_types(screen, "w", "lengths.txt");
    screen_expect_not(screen, "write: ");
    file = test_read("lengths.txt", NULL);
    ck_assert_contains(file, "A against B by length of call and by size");
    ck_assert_ptr_null(strstr(file, "write: "));
    goes_on(screen);
}
END_TEST

START_TEST(stops_by_interrupt)
{
    struct screen *screen = opens(&pair);

    expect_row(screen, 2);
    screen_send(screen, "\003");
    screen_expect(screen, "; stopped");
    goes_on(screen);
}
END_TEST

START_TEST(closes_while_it_measures)
{
    struct screen *screen = opens(&pair);

    expect_row(screen, 2);
    goes_on(screen);
}
END_TEST

/* An engine that ends costs a row; the panes have others. */
START_TEST(killed_engine_costs_a_row)
{
    struct screen *screen = opens(&pair);

    expect_row(screen, 2);
    kill(user_newest_engine(screen), SIGKILL);
    screen_expect(screen, ": engine died by signal 9");
    expect_row(screen, 4);
    ck_assert_int_eq(count_of(screen_text(screen), "died"), 1);
    goes_on(screen);
}
END_TEST

/* On the smallest screen there is a hint how to leave; a plot shows the half with the cursor. */
START_TEST(smallest_screen)
{
    const struct screen_options options = {
        .rows = 12,
        .columns = 40,
        .arguments = {"anneal", "-s", "32x32", "-b", "bitslice,threads/threads=1"}};
    struct screen *screen;

    random_keys_folder();
    screen = user_starts(&options);
    user_does(screen, STEPS(SHOWS("= EQUAL at 0, "), PRESS("L"), SHOWS("A against B by length"),
                            ROW(-1, "q back  ctrl-c stop  v plot"), PRESS("v"), SHOWS("ups "),
                            SHOWS("1 generation: "), PRESS("q"), HIDES("A against B by length")));
    user_quits(screen);
}
END_TEST

/* A start that is a file has one size. */
START_TEST(start_from_a_file)
{
    const struct screen_options options = {.arguments = {"anneal", "-s", "32x32", "--init",
                                                         "start.npy", "-b",
                                                         "bitslice,threads/threads=1"}};
    struct screen *screen;

    random_keys_folder();
    ck_assert_int_eq(system("exec \"$CALAB\" run anneal -s 32x32 -n 1 -b bitslice -o start.npy "
                            ">/dev/null"),
                     0);
    screen = opens(&options);
    for (int row = 2; row <= 10; row += 2)
        expect_row(screen, row);
    screen_expect(screen, "A: size is 16x16, but start.npy is 32x32");
    goes_on(screen);
}
END_TEST

START_TEST(random_keys_in_the_table)
{
    struct screen *screen = opens(&pair);

    random_keys(screen, "Lx");
}
END_TEST

static const struct script scripts[] = {
    {"needs a split", OPTIONS(.arguments = {"anneal", "-s", "32x32", "-b", "bitslice"}),
     STEPS(PRESS("L"), SHOWS("L compares A and B of a split, which x opens"))},
};

int main(void)
{
    return RUN_TESTS(.timeout_s = 600, .setup = test_hurry,
                     .test = {table_of_a_pair, stops_by_interrupt, closes_while_it_measures,
                              smallest_screen, killed_engine_costs_a_row, start_from_a_file,
                              random_keys_in_the_table},
                     .table = {{scripts_test(scripts), COUNT(scripts)}});
}
