/* SPDX-License-Identifier: MIT */
/* The observables panel: the whole run, its plots, and its table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/support.h"
#include "tests/support/script.h"
#include "tui/workbench/panels/panels.h"
#include "tui/workbench/base/part.h"
#include "tui/workbench/engine/pane.h"

static char *table_of(const char *path)
{
    size_t count;

    return test_read(path, &count);
}

/* Whether the axis below the plots has a generation as its last label. */
static bool axis_ends(struct screen *screen, const void *data)
{
    for (int row = 2; row + 1 < screen_rows(screen); row++) {
        const char *text = screen_row(screen, row), *at;
        bool axis = strstr(text, "-generation-") || strstr(text, "\x80"
                                                                 "generation\xe2");

        if (!axis)
            continue;
        text = screen_row(screen, row + 1);
        for (at = text + strlen(text); at > text && !(at[-1] >= '0' && at[-1] <= '9'); at--)
            continue;
        while (at > text && at[-1] >= '0' && at[-1] <= '9')
            at--;
        return *at >= '0' && *at <= '9' && strtol(at, NULL, 10) == *(const int *)data;
    }
    return false;
}

/* Shows the panel alone and steps from generation 0 to 3, each of which is awaited there. */
static void three_steps(struct screen *screen)
{
    user_does(screen, STEPS(PRESS("\t\tz"), SHOWS("3 observables]"), HIDES("2 timing")));
    for (int g = 0; g <= 3; g++) {
        if (g > 0)
            screen_send(screen, ".");
        screen_until(screen, axis_ends, &g, "the end of the axis");
    }
}

static void user_writes(struct screen *screen, const char *path)
{
    user_types(screen, ":", test_text("write! %s", path));
}

START_TEST(table)
{
    const struct screen_options options = {
        .rows = 40, .columns = 80, .arguments = {"fhp", "-s", "64x32"}};
    struct screen *screen = user_starts(&options);
    char *path = strdup(test_path("x.csv")), *text, *row;
    double value[2 + 3 * 6];
    int count = 0, used;

    three_steps(screen);
    user_types(screen, "w", path); /* replaces the name that is offered */
    screen_expect(screen, "generations 0 to 3");
    text = table_of(path);
    ck_assert_int_eq(strncmp(text, "# calab run fhp ", 16), 0);
    ck_assert_ptr_nonnull(strstr(text, " -n 3"));
    ck_assert_ptr_nonnull(strstr(text, "observed in 1 generation\n"));
    row = strstr(text, "\ngeneration,last,particles,particles min,particles max,"
                       "momentum_x (half cells/step),");
    ck_assert_ptr_nonnull(row);
    ck_assert_ptr_nonnull(strstr(text, ",lift max (cells/step^2)\n"));
    for (row = strchr(row + 1, '\n') + 1; *row; row = strchr(row, '\n') + 1, count++) {
        char *at = row;

        for (int i = 0; i < 5; i++, at += used + 1)
            ck_assert_int_eq(sscanf(at, "%lf%n", &value[i], &used), 1);
        ck_assert_double_eq(value[0], count);
        ck_assert_double_eq(value[1], count);
        ck_assert_double_gt(value[2], 0); /* particles are conserved */
        ck_assert(value[2] == value[3] && value[3] == value[4]);
    }
    ck_assert_int_eq(count, 4);
    free(path);
    screen_send(screen, "z");
    user_quits(screen);
}
END_TEST

/* After a reset and a seek the table has only what belongs to this run. */
START_TEST(going_back)
{
    const struct screen_options options = {.arguments = {"anneal", "-s", "64x64"}};
    struct screen *screen = user_starts(&options);
    char *path = strdup(test_path("back.csv")), *text;

    three_steps(screen);
    user_types(screen, "g", "1");
    expect_generation(screen, 1);
    user_writes(screen, path);
    screen_expect(screen, "generations 0 to 1");
    text = table_of(path);
    ck_assert_ptr_nonnull(strstr(text, "\n1,1,"));
    ck_assert_ptr_null(strstr(text, "\n2,2,"));
    screen_send(screen, "r");
    screen_until(screen, axis_ends, &(int){0}, "an axis of generation 0");
    user_writes(screen, path);
    screen_expect(screen, "generations 0 to 0");
    text = table_of(path);
    ck_assert_ptr_null(strstr(text, "\n1,1,"));
    free(path);
    screen_send(screen, "z");
    user_quits(screen);
}
END_TEST

START_TEST(tables_that_cannot_be_written)
{
    struct screen *screen = user_starts_default();
    char *path = strdup(test_path("there.csv")), *text;
    static struct workbench wb;
    struct ca_error error;

    user_types(screen, ":", "write /nowhere/at/all/x.csv");
    screen_expect(screen, "/nowhere/at/all");
    test_write(path, "mine", 4);
    user_does(screen, STEPS(PRESS(":write "), PRESS(path), PRESS("\r"),
                            SHOWS("use :write! to replace it")));
    text = table_of(path);
    ck_assert_str_eq(text, "mine");
    ck_assert_ok(parts_begin(&wb, workbench_parts, &error));
    wb.panes[0].wb = &wb;
    wb.panes[0].experiment.model = test_model("anneal");
    ck_assert_int_eq(observables_write(&wb.panes[0], path, &error), CA_USAGE);
    parts_end(&wb);
    ck_assert_ptr_nonnull(strstr(error.text, "step or run first"));
    free(path);
    user_quits(screen);
}
END_TEST

/* Alone, the panel draws each observable over the run, with the values and generations of the axes;
 * on a small screen it has their range. */
START_TEST(plots)
{
    const struct screen_options utf8 = {.arguments = {"cloud", "-s", "32x32x8"}};
    const struct screen_options ascii = {
        .arguments = {"cloud", "-s", "32x32x8"}, .term = "vt100", .lang = "C"};
    struct screen *screen = user_starts(_i ? &utf8 : &ascii);

    three_steps(screen);
    user_does(screen, STEPS(SHOWS("A humid "), SHOWS("B active "), SHOWS("min "),
                            SHOWS(_i ? "0\u2524*\u28c0\u28c0" : "0+***"),
                            SHOWS("left and right show values"), PRESS("\033[D\033[D"),
                            SHOWS("generation 2 humid="), PRESS("\033[C"),
                            SHOWS("generation 3 humid="), PRESS("\r"),
                            SHOWS("left and right show values"), PRESS("z"), SHOWS("2 timing")));
    user_quits(screen);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {table, going_back, tables_that_cannot_be_written},
                     .table = {{plots, 2}});
}
