/* SPDX-License-Identifier: MIT */
/*
 * run --checkpoint: killed at random moments its file is whole, and the run that goes on from it
 * comes to the same states; what signals do, what is refused, and what is left over.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/files/file.h"
#include "core/files/lock.h"
#include "core/sim/simulation.h"
#include "tests/support/process.h"
#include "tests/support/program.h"
#include "tests/support/support.h"
#include "tui/commands/progress.h"
#include "tui/commands/run_checkpoint.h"

static struct ca_error error;

#define KILLS 40 /* CALAB_KILLS has others */

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* Starts `calab run fhp ...` without output. */
static pid_t start(const char *path, const char *every, const char *steps)
{
    pid_t child = fork();

    ck_assert_int_ge(child, 0);
    if (child == 0) {
        int null = open("/dev/null", O_RDWR);

        dup2(null, 0), dup2(null, 1), dup2(null, 2);
        execl(test_program(), "calab", "run", "fhp", "-s", "200x100", "--seed", "5", "-b",
              "reference", "--checkpoint", path, "--every-s", every, "--resume", "-n", steps,
              (char *)NULL);
        _exit(127);
    }
    return child;
}

static int end_of(pid_t child)
{
    int status;

    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

/* Waits until the file is another one than that, or the process has ended. */
static ino_t await_another(const char *path, ino_t before, pid_t child)
{
    double end = seconds_now() + DEADLINE_S;
    struct stat status;

    siginfo_t ended = {.si_pid = 0};

    while (seconds_now() < end) {
        if (stat(path, &status) == 0 && status.st_ino != before)
            return status.st_ino;
        waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT);
        ck_assert_int_eq(ended.si_pid, 0);
        usleep(1000);
    }
    ck_abort_msg("no new checkpoint");
}

/* Waits until a process has a handler for a signal. */
static void expect_catches(pid_t pid, int number)
{
    double end = seconds_now() + DEADLINE_S;

    while (seconds_now() < end) {
        unsigned long long caught = 0;
        char line[256];
        FILE *file;

        file = fopen(test_text("/proc/%d/status", (int)pid), "r");
        ck_assert_ptr_nonnull(file);
        while (fgets(line, sizeof line, file))
            if (sscanf(line, "SigCgt: %llx", &caught) == 1)
                break;
        fclose(file);
        if (caught >> (number - 1) & 1)
            return;
        usleep(1000);
    }
    ck_abort_msg("signal %d is not caught", number);
}

/* The generation and the hash of a file that must be whole, all chunks read. */
static uint64_t check_whole(const char *path, char hash[17])
{
    struct ca_state_run run;
    struct ca_setup setup;
    uint64_t generation;

    ck_assert_ok(ca_state_run(path, &run, &error));
    setup = (struct ca_setup){.model = run.model, .size = run.size, .params = run.params};
    ck_assert_ok(ca_state_read(path, &setup, NULL, &generation, &error));
    ck_assert_uint_eq(generation, run.generation);
    snprintf(hash, 17, "%016llx", (unsigned long long)run.hash);
    return generation;
}

START_TEST(killed_at_any_moment)
{
    const char *path = test_path("c.h5"), *wanted = getenv("CALAB_KILLS");
    int kills = wanted ? atoi(wanted) : KILLS;
    uint64_t random = test_seed(), generation = 0, first;
    char hash[17];
    struct outcome o;

    for (int i = 0; i < kills; i++) {
        pid_t child = start(path, "0", "1000000000");

        if (i == 0) /* from then on there is one */
            await_another(path, 0, child);
        usleep((useconds_t)(next_random(&random) % 60000));
        ck_assert_int_eq(kill(child, SIGKILL), 0);
        ck_assert(WIFSIGNALED(end_of(child)));
        first = generation;
        generation = check_whole(path, hash);
        ck_assert_uint_ge(generation, first);
    }
    ck_assert_uint_gt(generation, 0);
    o = calab("run fhp -s 200x100 --seed 5 -b bitslice -n %llu", (unsigned long long)generation);
    ck_assert_str_eq(outcome_value(&o, "hash"), hash);
    /* The next run cleans up what the killed ones have left. */
    o = calab_good("run fhp -s 200x100 --seed 5 --checkpoint %s --resume -n %llu", path,
                   (unsigned long long)generation + 10);
    ck_assert_str_eq(outcome_value(&o, "steps"), "10");
    ck_assert_uint_eq(check_whole(path, hash), generation + 10);
    ck_assert_int_eq(test_files(), 1);
}
END_TEST

START_TEST(signals_write_one_more)
{
    const char *path = test_path("c.h5");
    pid_t child = start(path, "0", "1000000000");

    ino_t file = await_another(path, 0, child);
    uint64_t before, after;
    char hash[17];
    int status;

    kill(child, SIGTERM);
    status = end_of(child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGTERM);
    before = check_whole(path, hash);

    /* No other one is due. */
    file = await_another(path, 0, getpid());
    child = start(path, "1000000", "1000000000");
    expect_catches(child, SIGUSR1);
    kill(child, SIGUSR1);
    file = await_another(path, file, child);
    after = check_whole(path, hash);
    ck_assert_uint_gt(after, before);
    kill(child, SIGTERM);
    status = end_of(child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGTERM);
    ck_assert_uint_ge(check_whole(path, hash), after);
    await_another(path, file, getpid());
}
END_TEST

/* The command of a job's script: whole, or in parts, it ends alike. */
START_TEST(resume_is_idempotent)
{
    const char *path = test_path("c.h5"), *command = "run cloud -s 20x20x20 --set p_act=0.01";
    struct outcome whole = calab("%s -n 40", command), o;

    o = calab_good("%s -n 15 --checkpoint %s --resume", command, path);
    for (int i = 0; i < 2; i++) {
        o = calab_good("%s -n 40 --checkpoint %s --resume -b threads", command, path);
        ck_assert_str_eq(outcome_value(&o, "generation"), "40");
        ck_assert_str_eq(outcome_value(&o, "steps"), i ? "0" : "25");
        ck_assert_str_eq(outcome_value(&o, "hash"), outcome_value(&whole, "hash"));
    }
}
END_TEST

/* A run that ends by time has no generation that a checkpoint could be beyond. */
START_TEST(resume_by_time)
{
    const char *path = test_path("c.h5");
    struct outcome o = calab("run fhp -s 40x20 -n 300 --checkpoint %s", path);

    o = calab_good("run fhp -s 40x20 --seconds 0.01 --checkpoint %s --resume", path);
    ck_assert_int_gt(atoi(outcome_value(&o, "generation")), 300);
}
END_TEST

/* From a state, too: the steps count from that. */
START_TEST(resume_from_a_state)
{
    const char *path = test_path("c.h5"), *half = test_path("half.h5");
    struct outcome whole = calab("run fhp -s 40x20 -n 30"), o;

    o = calab("run fhp -s 40x20 -n 10 -o %s", half);
    o = calab("run -c %s -n 5 --checkpoint %s --resume", half, path);
    o = calab_good("run -c %s -n 20 --checkpoint %s --resume", half, path);
    ck_assert_str_eq(outcome_value(&o, "steps"), "15");
    ck_assert_str_eq(outcome_value(&o, "hash"), outcome_value(&whole, "hash"));
    o = calab_fails(CA_USAGE,
                    "c.h5 is at generation 30, and with --steps 19 the run ends at 29; "
                    "allowed: --steps 20 or more\n",
                    "run -c %s -n 19 --checkpoint %s --resume", half, path);
}
END_TEST

/* A checkpoint may be of the generation that the run begins with, and of none before. */
START_TEST(resume_at_the_beginning)
{
    const char *half = test_path("half.h5"), *path = test_path("c.h5");
    struct outcome whole = calab("run fhp -s 40x20 -n 30"), o;

    o = calab("run fhp -s 40x20 -n 10 -o %s", half);
    o = calab_good("run -c %s -n 0 --checkpoint %s", half, path);
    o = calab_good("run -c %s -n 20 --checkpoint %s --resume", half, path);
    ck_assert_str_eq(outcome_value(&o, "steps"), "20");
    ck_assert_str_eq(outcome_value(&o, "hash"), outcome_value(&whole, "hash"));
    o = calab("run fhp -s 40x20 -n 9 -o %s", half);
    o = calab("run -c %s -n 3 --checkpoint %s", half, test_path("early.h5"));
    o = calab("run fhp -s 40x20 -n 13 -o %s", half);
    o = calab_fails(CA_USAGE, "is of generation 12, and the run begins with 13",
                    "run -c %s -n 20 --checkpoint %s --resume", half, test_path("early.h5"));
}
END_TEST

/* In arguments: %s is a checkpoint of fhp 40x20 seed 5 at generation 10. */
static const struct refusal refusals[] = {
    {"run fhp --every-s 3", CA_USAGE, "--every-s: goes with --checkpoint FILE.h5", ""},
    {"run fhp --resume", CA_USAGE, "--resume: goes with --checkpoint FILE.h5", ""},
    {"run fhp --checkpoint x.npy", CA_USAGE, "'x.npy' is not allowed", "ends in .h5"},
    {"run fhp --checkpoint x.h5 --every-s -1", CA_USAGE, "--every-s: '-1' is not allowed", ""},
    {"run fhp --checkpoint /no/x.h5", CA_IO, "/no/x.h5", "No such file"},
    {"run fhp --checkpoint /no/x.h5 -s 5000x5000 -n 999999999", CA_IO, "/no/x.h5", "No such"},
    {"run fhp --checkpoint x.h5 -o observables:x.csv --every 2", CA_USAGE,
     "'observables:x.csv' needs all generations", "checkpoint"},
    {"run fhp --checkpoint x.h5 -o speed,window=10:x.csv", CA_USAGE, "needs all generations", ""},
    {"run fhp --checkpoint x.h5 -o speed,window=2:x.csv", CA_USAGE, "needs all generations", ""},
    {"run fhp -b reference,threads --checkpoint x.h5", CA_USAGE,
     "--checkpoint: only allowed with one backend", ""},
    {"run fhp -s 40x20 --seed 5 --checkpoint %s", CA_USAGE, "c.h5 is there already",
     "--resume goes on from it"},
    {"run fhp -s 40x20 --checkpoint %s --resume", CA_USAGE, "of another experiment: its seed", ""},
    {"run fhp --seed 5 -s 20x20 --checkpoint %s --resume", CA_USAGE,
     "of another experiment: its size", ""},
    {"run fhp --seed 5 -s 40x20 --set p_force=0.5 --checkpoint %s --resume", CA_USAGE,
     "of another experiment: its p_force", ""},
    {"run fhp --seed 5 -s 40x20 --init shear --checkpoint %s --resume", CA_USAGE,
     "of another experiment: its start", ""},
    {"run anneal --checkpoint %s --resume", CA_USAGE, "of another experiment: of fhp", ""},
    {"run fhp -s 40x20 --seed 5 -n 9 --checkpoint %s --resume", CA_USAGE,
     "c.h5 is at generation 10, and with --steps 9 the run ends at 9", "--steps 10 or more"},
    {"run fhp --checkpoint README.md --resume", CA_USAGE, "ends in .h5", ""},
};

START_TEST(what_is_refused)
{
    const char *path = test_path("c.h5");
    struct outcome o = calab("run fhp -s 40x20 --seed 5 -n 10 --checkpoint %s", path);
    char hash[17];

    ck_assert_msg(o.status == 0, "%s", o.err);
    calab_refuses_with(&refusals[_i], path);
    ck_assert_uint_eq(check_whole(path, hash), 10);
}
END_TEST

/* It is written once when its time has come and once for each signal, and not before. */
START_TEST(written_when_due)
{
    const char *path = test_path("c.h5");
    char *argv[] = {"run", "fhp", "-s", "40x20", "--checkpoint", (char *)path, NULL};
    struct ca_experiment experiment;
    struct ca_simulation *simulation;
    struct run_checkpoint checkpoint;
    struct options options;

    ck_assert_ok(options_parse(&options, FOR_RUN, 1, 6, argv, &error));
    ca_experiment_default(&experiment, test_model("fhp"));
    experiment.size = (struct ca_size){40, 20, 1};
    ca_experiment_backend(&experiment, &experiment.model->backends[0], CA_FROM_COMMAND_LINE);
    ck_assert_ok(ca_simulation_open(&simulation, &experiment, &error));
    ck_assert_ok(
        run_checkpoint_open(&checkpoint, &options, &(struct ca_outputs){0}, &experiment, &error));
    run_checkpoint_tick(&checkpoint, simulation); /* after ten minutes, where nothing is said */
    ck_assert_int_ne(access(path, F_OK), 0);
    checkpoint.last_s = ca_now() - 500;
    run_checkpoint_tick(&checkpoint, simulation);
    ck_assert_int_ne(access(path, F_OK), 0);
    checkpoint.last_s = ca_now() - 700;
    for (int i = 0; i < 2; i++) {
        run_checkpoint_tick(&checkpoint, simulation);
        ck_assert_int_eq(unlink(path), 0);
        run_checkpoint_tick(&checkpoint, simulation);
        ck_assert_int_ne(access(path, F_OK), 0);
        checkpoint_asked = 1;
    }
    ca_simulation_close(simulation);
}
END_TEST

START_TEST(a_damaged_checkpoint_is_kept)
{
    const char *path = test_path("c.h5");
    char *text;

    test_write(path, "no state", 8);
    calab_fails(CA_IO, "c.h5: this is not a whole HDF5 file",
                "run fhp -s 40x20 -n 10 --checkpoint %s --resume", path);
    text = test_read(path, NULL);
    ck_assert_str_eq(text, "no state");
}
END_TEST

/* A disk that fills up in the middle: each failure is told, and the run ends as one. */
START_TEST(a_full_disk)
{
    const char *path = test_path("c.h5");
    const struct surroundings s = {.file_limit = 1000};
    struct outcome o =
        calab_in(&s, "run fhp -s 40x20 -n 1000 -b reference --checkpoint %s --every-s 0", path);

    ck_assert_int_eq(o.status, CA_IO);
    ck_assert_contains(o.err, "c.h5: File too large; the run goes on at generation ");
    ck_assert_int_ne(access(path, F_OK), 0);
    ck_assert_int_eq(test_files(), 0);
}
END_TEST

/* --- temporary files -------------------------------------------------------------------------- */

START_TEST(what_nobody_writes_is_cleaned)
{
    const char *path = test_path("x.h5"), *other = test_path(".calab-notes.tmp");
    char *mine, *of_child;
    int fd = ca_temporary_open(path, 0600, &mine), status, ready[2];
    pid_t child;
    char byte;

    ck_assert_int_ge(fd, 0);
    test_put(".calab-99999999-0.tmp", "old");
    test_put(".calab-1-1.tmp2", "kept");
    test_write(other, "kept", 4);
    ck_assert_int_eq(pipe(ready), 0);
    child = fork();
    if (child == 0) {
        int own = ca_temporary_open(path, 0600, &of_child);

        if (own < 0 || write(ready[1], "x", 1) != 1)
            _exit(1);
        pause();
    }
    ck_assert_int_eq(read(ready[0], &byte, 1), 1);
    ck_assert_int_eq(test_files(), 5);
    ca_temporary_clean(path);
    ck_assert_int_eq(test_files(), 4); /* this process's, the child's, and two other names */
    ck_assert_int_eq(access(mine, F_OK), 0);
    kill(child, SIGKILL);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ca_temporary_clean(path);
    ck_assert_int_eq(test_files(), 3);
    close(fd);
    ca_temporary_clean(path);
    ck_assert_int_eq(test_files(), 2);
    ck_assert_int_eq(access(other, F_OK), 0);
    ca_temporary_clean("/no/such/folder/x");
    free(mine);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.timeout_s = getenv("CALAB_KILLS") ? 600 : 60,
                     .test = {killed_at_any_moment, signals_write_one_more, resume_is_idempotent,
                              resume_by_time, resume_from_a_state, resume_at_the_beginning,
                              written_when_due, a_damaged_checkpoint_is_kept, a_full_disk,
                              what_nobody_writes_is_cleaned},
                     .table = {{what_is_refused, COUNT(refusals)}});
}
