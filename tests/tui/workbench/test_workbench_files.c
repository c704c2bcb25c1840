/* SPDX-License-Identifier: MIT */
/* The files of the workbench: those that the user writes, the state folder, log and settings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/error.h"
#include "tests/support/script.h"
#include "tests/support/support.h"

START_TEST(writes_a_snapshot)
{
    static const char magic[] = "\223NUMPY";
    struct screen *screen = user_starts_default();
    const char *path = test_path("snapshot.npy");
    size_t count;
    char *bytes;

    user_does(screen,
              STEPS(ENTER("s", "64x48"), STATUS("64x48"), ENTER("w", path), SHOWS("wrote ")));
    bytes = test_read(path, &count);
    ck_assert_int_eq(memcmp(bytes, magic, 6), 0);
    ck_assert_uint_eq(count, 128 + 64 * 48);
    ck_assert_contains(bytes + 10, "(48, 64)");
    user_does(screen, STEPS(ENTER("w", "/proc/none/x.npy"), SHOWS("/proc/none"), PRESS("\033"),
                            WAIT_MS(100)));
    user_quits(screen);
}
END_TEST

START_TEST(writes_an_experiment_file)
{
    struct screen *screen = user_starts_default();
    const char *path = test_path("mine.cfg");

    user_does(screen,
              STEPS(ENTER("s", "64x48"), STATUS("64x48"), ENTER("W", path), SHOWS("wrote ")));
    user_quits(screen);
    ck_assert_int_eq(system(test_text("'%s' config check '%s' >/dev/null", test_program(), path)),
                     0);
    ck_assert_int_eq(system(test_text("'%s' run -c '%s' -n 1 -q >/dev/null", test_program(), path)),
                     0);
}
END_TEST

/* Accepts the text of a prompt; `shown` is its end. */
static void accepts(struct screen *screen, const char *shown)
{
    screen_expect_row(screen, 22, shown);
    screen_send(screen, "\r");
}

START_TEST(unused_names_are_proposed)
{
    struct screen *screen;

    ck_assert_int_eq(chdir(test_folder()), 0);
    screen = user_starts_default();
    screen_send(screen, "W");
    accepts(screen, "save: anneal.cfg");
    screen_expect(screen, "wrote anneal.cfg");
    screen_send(screen, "W");
    accepts(screen, "save: anneal-2.cfg");
    user_does(screen, STEPS(SHOWS("wrote anneal-2.cfg"), PRESS("W"), ROW(22, "save: anneal-3.cfg"),
                            PRESS("\033"), HIDES("anneal-3"), PRESS("w")));
    accepts(screen, "write: anneal-g0.h5");
    user_does(screen, STEPS(SHOWS("wrote anneal-g0.h5"), PRESS("w"),
                            ROW(22, "write: anneal-g0-2.h5"), PRESS("\033"), HIDES("g0-2")));
    user_quits(screen);
}
END_TEST

static void expect_file(const char *path, const char *text, bool is)
{
    char *now = test_read(path, NULL);

    ck_assert_msg((strcmp(now, text) == 0) == is, "%s: %s", path, now);
}

/* In either prompt, a second Enter on the same name replaces an existing file. */
START_TEST(a_file_is_replaced_by_a_second_enter)
{
    const char *const key[] = {"W", "w"};
    struct screen *screen;

    ck_assert_int_eq(chdir(test_folder()), 0);
    test_write("mine.npy", "mine", 4);
    test_write("yours.npy", "yours", 5);
    screen = user_starts_default();
    user_does(screen, STEPS(ENTER(key[_i], "mine.npy"),
                            SHOWS("this file exists; press Enter again to replace it"),
                            PRESS("\005\025yours.npy\r"), ROW(22, "yours.npy"),
                            SHOWS("this file exists; press Enter again to replace it"),
                            PRESS("\033"), HIDES("this file exists"),
                            ENTER(key[_i], "yours.npy") /* confirmed for another prompt only */,
                            SHOWS("this file exists; press Enter again to replace it")));
    expect_file("mine.npy", "mine", true);
    expect_file("yours.npy", "yours", true);
    screen_send(screen, "\r");
    screen_expect(screen, "wrote yours.npy");
    expect_file("yours.npy", "yours", false);
    user_quits(screen);
    expect_file("mine.npy", "mine", true);
}
END_TEST

START_TEST(a_command_replaces_no_file)
{
    const char *const verb[] = {"save", "write"};
    struct screen *screen;

    ck_assert_int_eq(chdir(test_folder()), 0);
    test_write("mine.npy", "mine", 4);
    screen = user_starts_default();
    user_types(screen, ":", test_text("%s mine.npy", verb[_i]));
    screen_expect(screen, test_text("mine.npy exists; use :%s! to replace it", verb[_i]));
    screen_listen(screen, 0.1);
    expect_file("mine.npy", "mine", true);
    user_types(screen, ":", test_text("%s! mine.npy", verb[_i]));
    screen_expect(screen, "wrote mine.npy");
    expect_file("mine.npy", "mine", false);
    user_quits(screen);
}
END_TEST

/* --- the next start --------------------------------------------------------------------------- */

static const struct {
    const char *option, *text, *says;
} failures[] = {{"--init", "nope.npy", "nope.npy"}, {"-s", "100000x1000000", "memory"}};

START_TEST(a_failed_start_is_not_saved)
{
    const struct screen_options good = {.arguments = {"anneal", "-s", "64x64"}},
                                bad = {.arguments = {"anneal", failures[_i].option,
                                                     failures[_i].text}};
    struct screen *screen = user_starts(&good);
    char *saved;

    screen_send(screen, ".");
    expect_generation(screen, 1);
    user_quits(screen);
    screen = screen_start(&bad);
    user_does(screen, STEPS(SHOWS(failures[_i].says), PRESS("l"),
                            WAIT_MS(1200) /* longer than the settings wait to be saved */));
    user_quits(screen);
    saved = saved_settings();
    ck_assert_msg(!strstr(saved, failures[_i].text), "%s", saved);
    screen = user_starts_default();
    expect_status(screen, "64x64");
    expect_generation(screen, 1);
    user_quits(screen);
}
END_TEST

/* A saved state also continues when the model is named, and is kept until another run steps. */
START_TEST(a_saved_state_is_kept)
{
    const struct screen_options named = {.arguments = {"life3d"}},
                                other = {.arguments = {"life3d", "--seed", "5"}};
    struct screen *screen = user_starts(&named);

    user_types(screen, "g", "7");
    expect_generation(screen, 7);
    user_quits(screen);
    screen = user_starts(&named);
    expect_generation(screen, 7);
    user_quits(screen);
    screen = user_starts(&other);
    expect_generation(screen, 0);
    screen_listen(screen, 1.2);
    user_quits(screen);
    screen = user_starts_default();
    expect_status(screen, "life3d");
    expect_generation(screen, 7);
    user_quits(screen);
    screen = user_starts(&other);
    screen_send(screen, ".");
    expect_generation(screen, 1);
    user_quits(screen);
    screen = user_starts(&named);
    expect_generation(screen, 1);
    user_quits(screen);
}
END_TEST

/* A save error on quitting is printed after the terminal has been restored. */
static void expect_save_error(struct screen *screen, const char *says)
{
    char *bytes, *at;

    screen_send(screen, "q");
    ck_assert_int_eq(screen_end(screen), CA_IO << 8);
    ck_assert_ptr_nonnull(strstr(screen_bytes(screen, NULL), "\033[?1049l"));
    bytes = strdup(strstr(screen_bytes(screen, NULL), "\033[?1049l"));
    while ((at = strstr(bytes, "\r\n "))) { /* a long line is broken between words */
        size_t cut = 2 + strspn(at + 2, " ");

        *at = ' ';
        memmove(at + 1, at + cut, strlen(at + cut) + 1);
    }
    ck_assert_contains(bytes, says);
    free(bytes);
    screen_close(screen);
}

START_TEST(a_state_that_cannot_be_saved_is_reported)
{
    struct screen *screen;

    ck_assert_int_eq(mkdir(test_path("state"), 0700), 0);
    ck_assert_int_eq(mkdir(test_path("state/calab"), 0700), 0);
    ck_assert_int_eq(mkdir(test_path("state/calab/anneal.h5"), 0700), 0); /* in its place */
    screen = user_starts_default();
    screen_send(screen, ".");
    expect_generation(screen, 1);
    expect_save_error(screen, "calab: the state could not be saved: ");
}
END_TEST

START_TEST(settings_that_cannot_be_saved_are_reported)
{
    struct screen *screen = user_starts_default();

    screen_listen(screen, 1.2); /* saved once */
    ck_assert_int_eq(rename(test_path("config"), test_path("before")), 0);
    test_put("config", "");
    screen_send(screen, "]"); /* a view is saved */
    screen_expect_not(screen, "a char mean of all");
    expect_save_error(screen, "config/calab: Not a directory");
}
END_TEST

START_TEST(unreadable_settings_stay_as_they_are)
{
    static const char broken[] = "version = 1;\nmodel = \"water\";\nworkbench : { fps = ;\n";
    struct screen *screen;
    char *after;

    ck_assert_int_eq(mkdir(test_path("config"), 0700), 0);
    ck_assert_int_eq(mkdir(test_path("config/calab"), 0700), 0);
    test_write(settings_file(), broken, sizeof broken - 1);
    screen = user_starts_default();
    user_does(screen, STEPS(SHOWS("calab.cfg:3"), SHOWS("nothing is saved"), STATUS("anneal"),
                            PRESS("."), GENERATION(1)));
    user_quits(screen);
    after = saved_settings();
    ck_assert_str_eq(after, broken);
}
END_TEST

/* What is right in it counts. */
START_TEST(partly_wrong_settings_stay_as_they_are)
{
    static const char wrong[] = "version = 1;\nmodel = \"water\";\nworkbench : {\n fps = 99;\n};\n"
                                "models : { water : { size = \"40x20\"; }; };\n";
    struct screen *screen;
    char *after;

    ck_assert_int_eq(mkdir(test_path("config"), 0700), 0);
    ck_assert_int_eq(mkdir(test_path("config/calab"), 0700), 0);
    test_write(settings_file(), wrong, sizeof wrong - 1);
    screen = user_starts_default();
    user_does(screen, STEPS(SHOWS("calab.cfg:4: fps = '99'"), STATUS("water  40x20"), PRESS("."),
                            GENERATION(1)));
    user_quits(screen);
    after = saved_settings();
    ck_assert_str_eq(after, wrong);
}
END_TEST

/* Output of libraries on fds 1 and 2 must not appear on the screen. */
START_TEST(streams_go_to_the_log)
{
    struct screen *screen = user_starts_default();
    const pid_t owners[] = {screen_pid(screen), screen_pid(screen), engine_of(screen)};
    const int fds[] = {1, 2, 2};

    for (size_t i = 0; i < COUNT(fds); i++) {
        char link[64], file[256] = "";

        snprintf(link, sizeof link, "/proc/%d/fd/%d", owners[i], fds[i]);
        ck_assert_int_gt(readlink(link, file, sizeof file - 1), 0);
        ck_assert_str_eq(file, test_path("state/calab/workbench.log"));
    }
    user_quits(screen);
}
END_TEST

/* Only the owner may read the state folder, whatever the umask. */
START_TEST(state_folder_is_private)
{
    static const char *const made[] = {"state", "state/calab"};
    struct screen *screen;
    struct stat status;

    umask(0);
    screen = user_starts_default();
    for (size_t i = 0; i < COUNT(made); i++) {
        ck_assert_int_eq(stat(test_path(made[i]), &status), 0);
        ck_assert_msg((status.st_mode & 07777) == 0700, "%s has mode %o", made[i],
                      status.st_mode & 07777);
    }
    user_quits(screen);
}
END_TEST

START_TEST(missing_state_folder_is_reported)
{
    const struct screen_options options = {.rows = 24, .columns = 200};
    struct screen *screen;

    test_put("state", ""); /* a file is in its place */
    screen = user_starts(&options);
    screen_send(screen, ".");
    screen_expect(
        screen, "state/calab: Not a directory; checkpointing is disabled: the state will be lost");
    expect_generation(screen, 1);
    expect_save_error(screen, "state/calab: Not a directory");
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {writes_a_snapshot, writes_an_experiment_file,
                              unused_names_are_proposed, a_saved_state_is_kept,
                              a_state_that_cannot_be_saved_is_reported,
                              settings_that_cannot_be_saved_are_reported,
                              unreadable_settings_stay_as_they_are,
                              partly_wrong_settings_stay_as_they_are, streams_go_to_the_log,
                              state_folder_is_private, missing_state_folder_is_reported},
                     .table = {{a_file_is_replaced_by_a_second_enter, 2},
                               {a_command_replaces_no_file, 2},
                               {a_failed_start_is_not_saved, COUNT(failures)}});
}
