/* SPDX-License-Identifier: MIT */
/*
 * What the workbench keeps of its state: that of two at once never mixes, one that was killed is
 * offered, one whose engine hangs is kept, and nothing is left over.
 */
#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/files/file.h"
#include "tests/support/process.h"
#include "tests/support/program.h"
#include "tests/support/screen.h"
#include "tests/support/support.h"
#include "tests/support/script.h"

static struct ca_error error;

/* The files of the state folder whose names end so; the path of the last one in `path`. */
static int state_files(const char *ending, char path[512])
{
    DIR *folder = opendir(test_path("state/calab"));
    struct dirent *entry;
    int count = 0;

    while (folder && (entry = readdir(folder)) != NULL) {
        size_t length = strlen(entry->d_name), end = strlen(ending);

        if (entry->d_name[0] == '.' || length < end ||
            strcmp(entry->d_name + length - end, ending) != 0)
            continue;
        snprintf(path, 512, "%s/%s", test_path("state/calab"), entry->d_name);
        count++;
    }
    if (folder)
        closedir(folder);
    return count;
}

/* Waits until the workbench has a checkpoint of that generation. */
static void await_checkpoint(uint64_t generation)
{
    double end = seconds_now() + DEADLINE_S;
    struct ca_state_run run;
    char path[512];

    while (seconds_now() < end) {
        if (state_files("-checkpoint.h5", path) == 1 && ca_state_run(path, &run, &error) == CA_OK &&
            run.generation == generation)
            return;
        usleep(10000);
    }
    ck_abort_msg("no checkpoint of generation %" PRIu64, generation);
}

/* The saved state of a model is one that its seed and generation lead to. */
static struct ca_state_run expect_true(const char *model, const char *arguments)
{
    char hash[17];
    struct ca_state_run run;
    struct outcome o;

    ck_assert_ok(
        ca_state_run(test_text("%s/%s.h5", test_path("state/calab"), model), &run, &error));
    ck_assert(!run.modified);
    o = calab("run %s %s --seed %" PRIu64 " -n %" PRIu64, model, arguments, run.seed,
              run.generation);
    snprintf(hash, sizeof hash, "%016" PRIx64, run.hash);
    ck_assert_str_eq(outcome_value(&o, "hash"), hash);
    return run;
}

/* Waits until the workbench has saved its settings. */
static void await_settings(const char *text)
{
    double end = seconds_now() + DEADLINE_S;

    while (!strstr(saved_settings(), text)) {
        ck_assert_msg(seconds_now() < end, "no '%s' is saved", text);
        usleep(10000);
    }
}

/* Both were open at once; the next start has one of them, whole. */
START_TEST(two_at_once_never_mix)
{
    const struct screen_options one = {.arguments = {"fhp", "-s", "40x20", "--seed", "1"}},
                                other = {.arguments = {"fhp", "-s", "40x20", "--seed", "2"}};
    struct screen *a = user_starts(&one), *b, *next;
    struct ca_state_run run;

    user_types(a, "g", "9");
    expect_generation(a, 9);
    await_settings("seed = 1"); /* a has nothing to save any more, but its state */
    b = user_starts(&other);
    user_types(b, "g", "5");
    expect_generation(b, 5);
    user_quits(_i ? b : a);
    run = expect_true("fhp", "-s 40x20");
    ck_assert_uint_eq(run.seed, _i ? 2 : 1);
    user_quits(_i ? a : b);
    run = expect_true("fhp", "-s 40x20");
    ck_assert_uint_eq(run.seed, _i ? 1 : 2);
    next = user_starts_default();
    expect_generation(next, (long long)run.generation);
    screen_send(next, "y");
    screen_expect(next, test_text("--seed %" PRIu64 " -n %" PRIu64, run.seed, run.generation));
    screen_send(next, "q.");
    expect_generation(next, (long long)run.generation + 1);
    user_quits(next);
    expect_true("fhp", "-s 40x20"); /* the draws have gone on */
}
END_TEST

/* A seed in calab.cfg that is not the saved state's: a run of its own, and the state stays. */
START_TEST(a_state_of_another_run_is_named)
{
    const struct screen_options one = {
        .arguments = {"fhp", "-s", "40x20", "--seed", "1"}, .columns = 200, .rows = 24};
    const struct screen_options wide = {.columns = 200, .rows = 24};
    struct screen *screen = user_starts(&one);
    char *settings, *at;

    user_types(screen, "g", "9");
    expect_generation(screen, 9);
    user_quits(screen);
    settings = saved_settings();
    ck_assert_ptr_null(strstr(settings, "generation"));
    at = strstr(settings, "seed = 1");
    ck_assert_ptr_nonnull(at);
    at[strlen("seed = ")] = '3';
    test_write(settings_file(), settings, strlen(settings));
    screen = user_starts(&wide);
    screen_expect(screen, "the saved state is of another run: :open ");
    expect_generation(screen, 0);
    user_quits(screen);
    ck_assert_uint_eq(expect_true("fhp", "-s 40x20").generation, 9);
}
END_TEST

START_TEST(one_that_was_killed_is_offered)
{
    const struct screen_options options = {
        .arguments = {"fhp", "-s", "40x20"}, .columns = 120, .rows = 24};
    const struct screen_options wide = {.columns = 120, .rows = 24};
    struct screen *screen = user_starts(&options);
    char path[512];

    user_types(screen, "g", "7");
    expect_generation(screen, 7);
    await_checkpoint(7);
    ck_assert_int_eq(kill(screen_pid(screen), SIGKILL), 0);
    screen_end(screen);
    screen_close(screen);
    ck_assert_int_eq(state_files(".lock", path), 1);

    screen = user_starts(&wide);
    screen_expect(screen, "a calab was killed at fhp 40x20: :recover goes on from generation 7");
    expect_generation(screen, 0);
    ck_assert_int_eq(state_files("-checkpoint.h5", path), 0);
    user_does(screen, STEPS(PRESS(":recover\r"), GENERATION(7), PRESS("..."), GENERATION(10)));
    user_quits(screen);
    ck_assert_uint_eq(expect_true("fhp", "-s 40x20").generation, 10);
    /* Nothing is left but the saved state and the log. */
    ck_assert_int_eq(state_files("", path), 2);

    screen = user_starts(&wide);
    user_does(screen,
              STEPS(GENERATION(10), PRESS(":recover\r"), SHOWS("there is nothing to recover")));
    user_quits(screen);
}
END_TEST

/* A calab that lives keeps its files, whoever starts beside it. */
START_TEST(one_that_lives_is_left_alone)
{
    const struct screen_options options = {
        .arguments = {"fhp", "-s", "40x20"}, .columns = 120, .rows = 24};
    struct screen *screen = user_starts(&options), *other;
    char path[512];

    user_types(screen, "g", "7");
    expect_generation(screen, 7);
    await_checkpoint(7);
    other = user_starts(&options);
    ck_assert(!screen_shows(other, "killed"));
    user_quits(other);
    await_checkpoint(7);
    ck_assert_int_eq(kill(engine_of(screen), SIGKILL), 0); /* it restarts from there */
    screen_expect(screen, "restarted at generation 7");
    user_quits(screen);
    ck_assert_int_eq(state_files(".lock", path), 0);
    ck_assert_int_eq(state_files("-checkpoint.h5", path), 0);
}
END_TEST

START_TEST(a_hanging_engine_costs_no_checkpoint)
{
    const struct screen_options options = {
        .arguments = {"fhp", "-s", "40x20"}, .columns = 120, .rows = 24};
    struct screen *screen = user_starts(&options);
    char path[512];

    user_types(screen, "g", "7");
    expect_generation(screen, 7);
    await_checkpoint(7);
    ck_assert_int_eq(kill(engine_of(screen), SIGSTOP), 0);
    user_does(screen, STEPS(PRESS("."), SHOWS("the engine has not responded"), PRESS("\033q")));
    ck_assert_int_eq(screen_end(screen), CA_IO << 8);
    ck_assert_msg(strstr(screen_bytes(screen, NULL), "kept is that of generation 7") != NULL,
                  "it is not kept");
    screen_close(screen);
    ck_assert_uint_eq(expect_true("fhp", "-s 40x20").generation, 7);
    ck_assert_int_eq(state_files("", path), 2);
    screen = user_starts_default();
    expect_generation(screen, 7);
    user_quits(screen);
}
END_TEST

START_TEST(a_damaged_state_is_told)
{
    const struct screen_options options = {
        .arguments = {"fhp", "-s", "40x20"}, .columns = 120, .rows = 24};
    const struct screen_options wide = {.columns = 120, .rows = 24};
    struct screen *screen = user_starts(&options);

    user_types(screen, "g", "7");
    expect_generation(screen, 7);
    user_quits(screen);
    test_put("state/calab/fhp.h5", "no state");
    screen = user_starts(&wide);
    screen_expect(screen, "the saved state cannot be opened: ");
    expect_generation(screen, 0);
    user_quits(screen);
}
END_TEST

/* What a reset has given up is not there at the next start. */
START_TEST(a_reset_is_kept_too)
{
    const struct screen_options options = {.arguments = {"fhp", "-s", "40x20"}};
    struct screen *screen = user_starts(&options);

    user_types(screen, "g", "7");
    expect_generation(screen, 7);
    user_quits(screen);
    screen = user_starts_default();
    user_does(screen, STEPS(GENERATION(7), PRESS("r"), GENERATION(0)));
    user_quits(screen);
    screen = user_starts_default();
    expect_generation(screen, 0);
    user_quits(screen);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {a_state_of_another_run_is_named, one_that_was_killed_is_offered,
                              one_that_lives_is_left_alone, a_hanging_engine_costs_no_checkpoint,
                              a_damaged_state_is_told, a_reset_is_kept_too},
                     .table = {{two_at_once_never_mix, 2}});
}
