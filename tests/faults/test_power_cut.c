/* SPDX-License-Identifier: MIT */
/*
 * A power cut after each change that a command makes to files (tests/support/recorded.h), with all
 * that may then be left (tests/support/replayed.h): a file is the old one or a new one whole, and
 * once the command has ended the new one; the command repeated on what is left does what it always
 * does, and removes the rest. CALAB_POWER_CUT=N repeats a failure, with the cut after change N
 * alone; of the states that commands are repeated on a few are drawn by the seed, and all with
 * CALAB_POWER_CUT=all.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/bench/tune.h"
#include "core/files/file.h"
#include "core/model/registry.h"
#include "core/probe/probe.h"
#include "tests/support/power_cuts.h"
#include "tests/support/process.h"
#include "tests/support/support.h"
#include "tests/support/script.h"

static struct ca_error error;

/* --- commands --------------------------------------------------------------------------------- */

#define FFMPEG "#!/bin/sh\nfor last; do :; done\ncat >\"$last\"\n"

static const struct command {
    const char *before; /* whose files are there, NULL: none */
    const char *arguments;
} commands[] = {
    {"run anneal -s 33x20 --seed 1 -n 2 -q -o %s/a.npy -o %s/a.h5 -o %s/a.pbm -o %s/a.plain.pbm -o "
     "%s/a.png -o %s/a.pgm -o %s/a.rle",
     "run anneal -s 33x20 --seed 2 -n 3 -q -o %s/a.npy -o %s/a.h5 -o %s/a.pbm -o %s/a.plain.pbm -o "
     "%s/a.png -o %s/a.pgm -o %s/a.rle"},
    {"run water -s 20x10 -n 2 -q -o depth:%s/w.asc -o %s/w.npy -o depth,block=5x5:%s/d.csv",
     "run water -s 20x10 -n 5 -q -o depth:%s/w.asc -o %s/w.npy -o depth,block=5x5:%s/d.csv"},
    {"run life3d -s 8x8x8 -n 1 -q -o %s/l.rle3", "run life3d -s 8x8x8 -n 2 -q -o %s/l.rle3"},
    {"run cloud -s 9x8x7 -n 2 -q --every 2 -o %s/c%%d.pgm -o observables:%s/o.csv",
     "run cloud -s 9x8x7 -n 6 -q --seed 3 --every 2 -o %s/c%%d.pgm -o observables:%s/o.csv"},
    {"run anneal -s 20x20 -n 2 -q --every 2 -o %s/f.gif",
     "run anneal -s 20x20 -n 4 -q --every 2 -o %s/f.gif"},
    {NULL, "run fhp -s 40x20 -n 6 -b reference --every-s 0 --resume --checkpoint %s/c.h5"},
    {"run fhp -s 40x20 -n 3 -b reference --every-s 0 --checkpoint %s/c.h5",
     "run fhp -s 40x20 -n 9 -b reference --every-s 0 --resume --checkpoint %s/c.h5"},
    {"run anneal -s 33x20 -n 2 -q -o %s/in.npy -o %s/f.rle", "convert anneal %s/in.npy %s/f.rle"},
};

struct execution {
    const char *arguments, *folder, *out;
};

static int execute(const void *data)
{
    const struct execution *e = data;
    char text[1024], variable[FOLDER_VARIABLES][300], *argv[40] = {(char *)"calab"};
    const char *list[FOLDER_VARIABLES + 1];
    int count = 1, null = open("/dev/null", O_RDWR);
    int out = open(e->out, O_WRONLY | O_CREAT | O_TRUNC, 0600);

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, sizeof text, e->arguments, e->folder, e->folder, e->folder, e->folder, e->folder,
             e->folder, e->folder, e->folder, e->folder);
#pragma GCC diagnostic pop
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
        argv[count++] = word;
    argv[count] = NULL;
    set_folder(variable, list, e->folder);
    for (int i = 0; list[i]; i++)
        putenv(variable[i]);
    unsetenv("XDG_CACHE_HOME");
    dup2(null, 0), dup2(out, 1), dup2(out, 2);
    execv(test_program(), argv);
    return 127;
}

/* Whether this system lets the test trace; it has nothing to say otherwise. */
static bool is_refused(const struct recording *recording)
{
    if (recording->refused)
        fprintf(stderr, "test_power_cut: this system allows no ptrace: nothing was tested\n");
    return recording->refused;
}

START_TEST(a_command)
{
    const struct command *c = &commands[_i];
    const char *folder = strdup(fresh_folder());
    struct execution e = {c->arguments, folder, test_path("out")};
    struct story story;
    struct recording *recording;
    struct replay *before;
    char path[4400];
    int status;

    mkdir(test_path("bin"), 0700);
    test_put("bin/ffmpeg", FFMPEG);
    ck_assert_int_eq(chmod(test_path("bin/ffmpeg"), 0700), 0);
    snprintf(path, sizeof path, "%s/bin:%s", test_folder(), getenv("PATH"));
    setenv("PATH", path, 1); /* which calab_in passes on */
    if (c->before) {
        struct outcome o = run_in(folder, c->before);

        ck_assert_msg(o.status == 0, "%s", o.err);
    }
    story = (struct story){.name = c->arguments, .again = c->arguments};
    before = replay_begin(folder);
    recording = recording_of(folder);
    status = record_changes(recording, execute, &e);
    if (!is_refused(recording)) {
        char *said = test_read(test_path("out"), NULL);

        ck_assert_msg(status == 0, "status %x: %s", status, said);
        cut_power(&story, before, recording);
    }
    replay_end(before);
    recording_free(recording);
    free((void *)(uintptr_t)folder);
}
END_TEST

/* --- functions of the library ----------------------------------------------------------------- */

/* What a process leaves that was killed while it wrote. */
static void leave_temporary(const char *folder, const char *below)
{
    char path[400];

    snprintf(path, sizeof path, "%s/%s/.calab-99999999-0.tmp", folder, below);
    close(open(path, O_WRONLY | O_CREAT, 0600));
}

static int write_probe(const void *data)
{
    static const struct ca_probe probe = {.host = "here", .cpu = "a CPU", .date = "today"};
    char path[400];

    snprintf(path, sizeof path, "%s/new/folders/probe.json", (const char *)data);
    if (ca_probe_write(&probe, path, &error) != CA_OK)
        return 1;
    leave_temporary(data, "new/folders");
    return ca_probe_write(&probe, path, &error) != CA_OK;
}

/* What bench --tune keeps, for one lattice after the other. */
static int keep_tuned(const void *data)
{
    struct ca_experiment e;
    int failed = 0;

    setenv("XDG_CACHE_HOME", data, 1);
    ca_experiment_default(&e, &anneal_model);
    for (int i = 1; i <= 3; i++) {
        struct ca_bench_line line = {.experiment = e};

        line.experiment.size.w = 64 * i;
        failed |= ca_tuned_keep(&line, i, NULL, &error) != CA_OK;
        if (i == 2)
            leave_temporary(data, "calab");
    }
    return failed;
}

static int (*const functions[])(const void *folder) = {write_probe, keep_tuned};

/* Into folders that they make. */
START_TEST(a_function)
{
    const char *folder = strdup(fresh_folder());
    struct story story;
    struct replay *before = replay_begin(folder);
    struct recording *recording = recording_of(folder);
    int status = record_changes(recording, functions[_i], folder);

    if (!is_refused(recording)) {
        ck_assert_int_eq(status, 0);
        expect_clean("a function", folder);
        story = (struct story){.name = "a function"};
        cut_power(&story, before, recording);
    }
    replay_end(before);
    recording_free(recording);
    free((void *)(uintptr_t)folder);
}
END_TEST

/* --- the workbench ---------------------------------------------------------------------------- */

static struct recording *of_workbench;

static int execute_workbench(const void *data)
{
    (void)data;
    execl(test_program(), "calab", "anneal", "-s", "40x30", "-b", "reference", (char *)NULL);
    return 127;
}

static struct screen_options options_of(const char *folder, char variable[FOLDER_VARIABLES][300])
{
    struct screen_options options = {.rows = 24, .columns = 120};
    const char *list[FOLDER_VARIABLES + 1];

    set_folder(variable, list, folder);
    memcpy(options.environment, list, sizeof list[0] * FOLDER_VARIABLES);
    return options;
}

/* The next start has the saved state, or begins the run anew where there is none or, as long as the
 * settings are older than that, where it is of another run. */
static void start_again(const char *folder, const struct left *left)
{
    char variable[FOLDER_VARIABLES][300], saved[600];
    struct screen_options options = options_of(folder, variable);
    struct ca_state_run run = {.generation = 0};
    struct screen *screen;

    snprintf(saved, sizeof saved, "%s/state/calab/anneal.h5", folder);
    ck_assert_msg(access(saved, F_OK) != 0 || ca_state_run(saved, &run, &error) == CA_OK, "%s",
                  error.text);
    screen = user_starts(&options);
    ck_assert_msg(!screen_shows(screen, "cannot"), "%s", screen_text(screen));
    if (left->all || shown_generation(screen) != 0)
        expect_generation(screen, (long long)run.generation);
    user_quits(screen);
}

static void await_checkpoint(const char *folder)
{
    double end = seconds_now() + DEADLINE_S;
    char command[400];

    snprintf(command, sizeof command, "ls %s/state/calab/*-checkpoint.h5 >/dev/null 2>&1", folder);
    while (system(command) != 0) {
        ck_assert_msg(seconds_now() < end, "no checkpoint");
        usleep(10000);
    }
}

/* A session with a checkpoint, as far as that. */
static void work(struct screen *screen, const char *folder)
{
    user_does(screen, STEPS(SHOWS("anneal"), GENERATION(0), ENTER("g", "7"), GENERATION(7)));
    await_checkpoint(folder);
}

static void quits(struct screen *screen, const char *folder)
{
    work(screen, folder);
    screen_send(screen, ".");
    expect_generation(screen, 8);
    user_quits(screen);
}

/* The state of an engine that hangs is that of its last checkpoint. */
static void hangs(struct screen *screen, const char *folder)
{
    work(screen, folder);
    ck_assert_int_eq(kill(process_child(engine_of(screen)), SIGSTOP), 0);
    user_does(screen, STEPS(PRESS("."), SHOWS("the engine has not responded"), PRESS("\033q")));
    ck_assert_int_eq(screen_end(screen), CA_IO << 8);
    ck_assert_msg(strstr(screen_bytes(screen, NULL), "kept is that of generation 7"),
                  "it is not kept");
    screen_close(screen);
}

/* After one that was killed. */
static void recovers(struct screen *screen, const char *folder)
{
    (void)folder;
    user_does(screen, STEPS(SHOWS("a calab was killed"), PRESS(":recover\r"), GENERATION(7)));
    user_quits(screen);
}

static const struct {
    void (*act)(struct screen *screen, const char *folder);
    bool after_a_kill;
} sessions[] = {{quits}, {hangs}, {recovers, .after_a_kill = true}};

static int run_workbench(const void *data)
{
    int status = record_changes(of_workbench, execute_workbench, data);

    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

START_TEST(the_workbench)
{
    const char *folder = strdup(fresh_folder());
    char variable[FOLDER_VARIABLES][300];
    struct screen_options options = options_of(folder, variable);
    struct story story;
    struct screen *screen;
    struct replay *before;

    options.body = execute_workbench;
    if (sessions[_i].after_a_kill) {
        screen = screen_start(&options);
        work(screen, folder);
        ck_assert_int_eq(kill(screen_pid(screen), SIGKILL), 0);
        screen_end(screen);
        screen_close(screen);
    }
    before = replay_begin(folder);
    of_workbench = recording_of(folder);
    options.body = run_workbench;
    screen = screen_start(&options);
    while (of_workbench->changes == 0 && !of_workbench->refused && screen_is_alive(screen))
        screen_listen(screen, 0.01);
    if (is_refused(of_workbench)) {
        screen_close(screen);
    } else {
        sessions[_i].act(screen, folder);
        story = (struct story){.name = "the workbench", .repeat = start_again};
        cut_power(&story, before, of_workbench);
    }
    replay_end(before);
    recording_free(of_workbench);
    free((void *)(uintptr_t)folder);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.timeout_s = 3600, .table = {{a_command, COUNT(commands)},
                                                  {a_function, COUNT(functions)},
                                                  {the_workbench, COUNT(sessions)}});
}
