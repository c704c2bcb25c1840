/* SPDX-License-Identifier: MIT */
/* The setting engine_command: the workbench with engines behind a command line, which behaves,
 * is missing, ends at once, is killed in the middle, hangs, or is on another host. */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/process.h"
#include "tests/support/support.h"
#include "tests/support/script.h"
#include "tests/support/wrong_engine.h"

/* The command with words of this file replaced: ENGINE, a file's path, and this program. */
static const char *expand(const char *command)
{
    static char text[4096];
    char self[PATH_MAX] = "", engine[PATH_MAX + 16];
    const struct {
        const char *word, *text;
    } words[] = {{"ENGINE", engine}, {"FILE", test_path("file")}, {"SELF", self}};
    size_t used = 0;

    snprintf(engine, sizeof engine, "%s engine", test_program());
    ck_assert_int_gt(readlink("/proc/self/exe", self, sizeof self - 1), 0);
    while (*command) {
        size_t i = 0;

        while (i < COUNT(words) && strncmp(command, words[i].word, strlen(words[i].word)) != 0)
            i++;
        if (i < COUNT(words)) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s", words[i].text);
            command += strlen(words[i].word);
        } else {
            text[used++] = *command++;
        }
    }
    text[used] = '\0';
    return text;
}

/* calab.cfg with the command. */
static void by_command(const char *command)
{
    char text[8192];
    int used = snprintf(text, sizeof text, "version = 1;\nworkbench : { engine_command = \"");

    for (const char *at = expand(command); *at; at++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%c",
                         strchr("\\\"", *at) ? "\\" : "", *at);
    used += snprintf(text + used, sizeof text - (size_t)used, "\"; };\n");
    ck_assert_int_eq(mkdir(test_path("config"), 0700), 0);
    ck_assert_int_eq(mkdir(test_path("config/calab"), 0700), 0);
    test_write(settings_file(), text, (size_t)used);
}

/* Messages are on one line. */
static const struct screen_options anneal = {
    .columns = 240, .rows = 24, .arguments = {"anneal", "-s", "64x64", "-b", "threads"}};
static const struct screen_options again = {.columns = 240, .rows = 24};

/* The number that a command has written to FILE. */
static pid_t in_file(void)
{
    char *text = test_read(test_path("file"), NULL);
    long number = strtol(text, NULL, 10);

    ck_assert_int_gt(number, 1);
    return (pid_t)number;
}

/* --- that behave ------------------------------------------------------------------------------ */

static const char *const wrappers[] = {
    "ENGINE",
    "sh -c 'exec ENGINE'",
    "cat | ENGINE | cat",
    "A=\"a  b\"; [ \"$A\" = 'a  b' ] && exec ENGINE",
};

/* Runs, saves its state, and continues from there at the next start; what is here is watched. */
START_TEST(wrappers_are_as_the_own_engine)
{
    struct screen *screen;

    by_command(wrappers[_i]);
    screen = user_starts(&anneal);
    user_does(screen, STEPS(STATUS("threads on cpu"), PRESS(" "), REACHES(20), PRESS(" "),
                            STATUS("PAUSE"), ENTER("g", "30"), GENERATION(30)));
    user_quits(screen);
    screen = user_starts(&again);
    user_does(screen, STEPS(GENERATION(30), PRESS("."), GENERATION(31)));
    user_quits(screen);
}
END_TEST

/* Both engines of a split, and that of the ladder. */
START_TEST(every_engine_is_the_command_s)
{
    struct screen *screen;
    char *starts;

    by_command("echo started >>FILE; exec ENGINE");
    screen = user_starts(&anneal);
    user_does(screen, STEPS(PRESS("."), GENERATION(1), PRESS("x"), STATUS("= EQUAL at 1, "),
                            PRESS("."), STATUS("= EQUAL at 2, "), PRESS("x"), HIDES("= EQUAL"),
                            PRESS("V"), SHOWS("  case "), PRESS("\003"), SHOWS("anneal  stopped")));
    starts = test_read(test_path("file"), NULL);
    ck_assert_str_eq(starts, "started\nstarted\nstarted\n");
    screen_send(screen, "q");
    user_quits(screen);
}
END_TEST

/* --- that do not start ------------------------------------------------------------------------ */

static const struct {
    const char *command, *texts[3];
} useless[] = {
    {"echo started >>FILE; /nowhere/mpirun -n 4 calab engine",
     {"engine command 'echo started", "ended with status 127 (there is no such program)",
      "press r to start it again"}},
    {"echo started >>FILE; exit 3", {"ended with status 3; press r to start it again"}},
    {"echo started >>FILE", {"ended with status 0; press r to start it again"}},
    {"echo started >>FILE; echo no hosts are left >&2; exit 1",
     {"ended with status 1: 'no hosts are left'", "workbench.log"}},
    {"echo started >>FILE; kill -KILL $$", {"died by signal 9 (Killed)"}},
    {"echo started >>FILE; head -c 70000 /dev/zero; cat", {"does not keep to the protocol"}},
};

/* It is started once, and again when the user says so. */
START_TEST(useless_commands_are_told)
{
    struct screen *screen;
    char *starts;

    by_command(useless[_i].command);
    screen = screen_start(&anneal);
    for (int i = 0; i < 3 && useless[_i].texts[i]; i++)
        screen_expect(screen, useless[_i].texts[i]);
    expect_status(screen, "DEAD");
    screen_listen(screen, 0.5);
    starts = test_read(test_path("file"), NULL);
    ck_assert_str_eq(starts, "started\n");
    user_does(screen, STEPS(PRESS("\033"), HIDES("engine command"), PRESS("r"),
                            SHOWS(useless[_i].texts[0])));
    starts = test_read(test_path("file"), NULL);
    ck_assert_str_eq(starts, "started\nstarted\n");
    user_quits(screen);
}
END_TEST

/* The state to continue from is not lost by a command that fails, and is mended. */
START_TEST(state_outlasts_a_useless_command)
{
    struct screen *screen = user_starts(&anneal);
    struct screen_options options = again;

    user_types(screen, "g", "17");
    expect_generation(screen, 17);
    user_quits(screen);
    options.environment[0] =
        test_text("CALAB_ENGINE_COMMAND=%s", expand("[ -e FILE ] || exit 3; exec ENGINE"));
    screen = screen_start(&options);
    screen_expect(screen, "ended with status 3");
    test_put("file", "");
    user_does(screen, STEPS(PRESS("r"), GENERATION(17), PRESS("."), GENERATION(18)));
    user_quits(screen);
}
END_TEST

/* --- killed, and hung ------------------------------------------------------------------------- */

#define PIPELINE "cat | sh -c 'echo $$ >FILE; exec ENGINE' | cat; exit 9"

/* In a run nobody has to press a key for it to be found out, and the run goes on from the last
 * state that was saved. */
START_TEST(killed_in_the_middle)
{
    struct screen *screen;
    pid_t engine;

    by_command(PIPELINE);
    screen = user_starts(&anneal);
    engine = in_file();
    screen_send(screen, _i ? " " : ".");
    expect_generation_from(screen, 1);
    if (_i == 0)
        screen_listen(screen, 1.5); /* a single step is saved after a second */
    kill(engine, SIGKILL);
    if (_i == 0)
        screen_send(screen, ".");
    screen_expect(screen, "' ended with status 9");
    screen_expect(screen, "restarted at generation ");
    ck_assert_int_ne(in_file(), engine);
    screen_send(screen, "\033");
    screen_expect_not(screen, "restarted at");
    if (_i == 0)
        expect_generation(screen, 1);
    user_types(screen, "g", "40");
    expect_generation(screen, 40);
    user_quits(screen);
}
END_TEST

/* A wrapper that goes on without its engine ends with its input. */
START_TEST(killed_behind_a_wrapper)
{
    struct screen *screen;
    pid_t engine;

    by_command("trap '' PIPE; while IFS= read -r line; do printf '%s\\n' \"$line\"; done | "
               "sh -c 'echo $$ >FILE; exec ENGINE' | cat; exit 9");
    screen = user_starts(&anneal);
    screen_send(screen, ".");
    expect_generation(screen, 1);
    engine = in_file();
    kill(engine, SIGKILL);
    process_expect_end(engine);
    user_does(screen,
              STEPS(PRESS("."), SHOWS("' ended with status 9"), SHOWS("restarted at generation ")));
    user_quits(screen);
}
END_TEST

/* What computes is the engine, whose number the greeting has, and not the shell. */
START_TEST(computing_is_not_hanging)
{
    struct screen_options options = anneal;
    struct screen *screen;

    options.environment[0] = "TEST_WRONG=slow";
    by_command("cat | SELF engine | cat");
    screen = user_starts(&options);
    user_does(screen,
              STEPS(PRESS("."), STATUS("BUSY"),
                    SHOWS("the engine computes and has not answered for 2 s"), GENERATION(1)));
    user_quits(screen);
}
END_TEST

/* What a user can do with one that hangs: kill it, or quit. */
START_TEST(hangs)
{
    struct screen *screen;
    pid_t engine;

    by_command(PIPELINE);
    screen = user_starts(&anneal);
    screen_send(screen, ".");
    expect_generation(screen, 1);
    engine = in_file();
    kill(engine, SIGSTOP);
    screen_send(screen, " ");
    expect_status(screen, "HUNG");
    if (_i == 0) {
        user_does(screen, STEPS(PRESS("\003"), SHOWS("kill the engine and restart it"),
                                PRESS("\033OB\r"), SHOWS("the engine was killed")));
        process_expect_end(engine);
        expect_status(screen, "PAUSE");
        ck_assert_int_ne(in_file(), engine);
        engine = in_file();
    }
    if (_i == 0) {
        user_quits(screen);
    } else {
        screen_send(screen, "q");
        ck_assert_int_eq(WEXITSTATUS(screen_end(screen)), CA_IO); /* the state is not saved */
        screen_close(screen);
    }
    process_expect_end(engine);
}
END_TEST

/* Before its greeting it may be on its way, and can be given up. */
START_TEST(never_greets)
{
    struct screen *screen;
    pid_t process;

    by_command("echo $$ >FILE; exec sleep 60");
    screen = screen_start(&anneal);
    expect_status(screen, "BUSY");
    screen_expect(screen, "the engine command has not answered for 2 s: it is slow, or gone");
    process = in_file();
    if (_i == 0) {
        user_does(screen,
                  STEPS(PRESS("\003"), SHOWS("kill the engine and restart it"), PRESS("\033OB\r"),
                        SHOWS("the engine was killed; press r to start it again"), STATUS("DEAD")));
    }
    user_quits(screen);
    process_expect_end(process);
}
END_TEST

/* It is refused, once, and the message names both versions. */
START_TEST(another_version)
{
    struct screen *screen;

    by_command("ENGINE | LC_ALL=C sed -u '1s/\"version\":\"[^\"]*\"/\"version\":\"0.0.9\"/'");
    screen = screen_start(&anneal);
    screen_expect(screen, "is calab 0.0.9, and this is calab " CALAB_VERSION);
    expect_status(screen, "DEAD");
    user_quits(screen);
}
END_TEST

/* What it cannot do it is not asked for. */
START_TEST(requests_that_it_lacks)
{
    struct screen *screen;

    by_command("ENGINE | LC_ALL=C sed -u '1s/\"put\",//;1s/\"undo\",//'");
    screen = user_starts(&anneal);
    user_does(screen, STEPS(PRESS("."), GENERATION(1), PRESS("r"),
                            SHOWS("computes generation 1 again: the engine has no request 'undo'"),
                            GENERATION(0), PRESS("E"),
                            SHOWS("cells cannot be changed: the engine has no request 'put'")));
    user_quits(screen);
}
END_TEST

/* --- on another host -------------------------------------------------------------------------- */

#define ELSEWHERE                                                                                  \
    "ENGINE | LC_ALL=C sed -u '1s/\"host\":\"[^\"]*\"/\"host\":\"elsewhere\"/'; exit 9"

/* Its files are not those of this machine: nothing is saved there for this one, a crash goes back
 * to generation 0, and whether its process works is not known. */
START_TEST(elsewhere)
{
    struct screen *screen;
    char *saved;

    by_command("cat | sh -c 'echo $$ >FILE; exec ENGINE' | LC_ALL=C sed -u "
               "'1s/\"host\":\"[^\"]*\"/\"host\":\"elsewhere\"/'; exit 9");
    screen = user_starts(&anneal);
    user_does(screen, STEPS(PRESS("."), GENERATION(1), WAIT_MS(1500)));
    kill(in_file(), SIGKILL);
    user_does(screen,
              STEPS(PRESS("."), WAIT_MS(200), PRESS("."), SHOWS("restarted at generation 0"),
                    REACHES(0) /* the second step may be made after the restart */, PRESS("\033"),
                    ENTER("g", "5"), GENERATION(5)));
    kill(in_file(), SIGSTOP);
    screen_send(screen, ".");
    expect_status(screen, "BUSY");
    kill(in_file(), SIGCONT);
    expect_generation(screen, 6);
    user_quits(screen);
    saved = saved_settings();
    ck_assert_ptr_null(strstr(saved, "generation = 6"));
    ck_assert_int_ne(access(test_path("state/calab/anneal.npy"), F_OK), 0);
}
END_TEST

/* The state of A goes to B by the protocol. */
START_TEST(state_travels)
{
    struct screen *screen;

    by_command(ELSEWHERE);
    screen = user_starts(&(struct screen_options){
        .columns = 120, .rows = 24, .arguments = {"cloud", "-s", "32x32x16", "-b", "threads"}});
    user_does(screen, STEPS(ENTER("g", "6"), GENERATION(6), COMMAND("set p_ext=0.25"),
                            SHOWS("p_ext changed"), PRESS(".."), GENERATION(8), PRESS("x"),
                            STATUS("= EQUAL at 8, 1x"), PRESS("."), STATUS("= EQUAL at 9, 2x")));
    user_quits(screen);
}
END_TEST

/* --- the setting ------------------------------------------------------------------------------ */

/* For one run by the environment; blank is as empty. */
START_TEST(environment_names_it)
{
    struct screen_options options = anneal;
    struct screen *screen;

    options.environment[0] = _i ? "CALAB_ENGINE_COMMAND=exit 3" : "CALAB_ENGINE_COMMAND= \t";
    screen = screen_start(&options);
    screen_send(screen, _i ? "" : ".");
    if (_i)
        screen_expect(screen, "engine command 'exit 3' ended with status 3");
    else
        expect_generation(screen, 1);
    user_quits(screen);
}
END_TEST

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "engine") == 0)
        return wrong_engine();
    return RUN_TESTS(.test = {every_engine_is_the_command_s, state_outlasts_a_useless_command,
                              killed_behind_a_wrapper, computing_is_not_hanging, another_version,
                              requests_that_it_lacks, elsewhere, state_travels},
                     .table = {{wrappers_are_as_the_own_engine, COUNT(wrappers)},
                               {useless_commands_are_told, COUNT(useless)},
                               {killed_in_the_middle, 2},
                               {hangs, 2},
                               {never_greets, 2},
                               {environment_names_it, 2}});
}
