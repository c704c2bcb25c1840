/* SPDX-License-Identifier: MIT */
/*
 * The program as a job of several processes, which mpirun starts: the lattice is the same, process
 * 0 alone speaks, a failure of one is that of all, and a job with a dead process ends.
 * Built and run by make MPI=1.
 */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/model/model.h"
#include "core/model/registry.h"
#include "core/ranks/processes.h"
#include "tests/support/process.h"
#include "tests/support/program.h"
#include "tests/support/support.h"

static const struct surroundings three = {.processes = "-n 3"};

/* Life, by a name of its own. */
#define LIVING                                                                                     \
    "#include \"calab_model.h\"\n"                                                                 \
    "CA_MODEL(living, \"the game of life\")\n"                                                     \
    "CA_STATE(DEAD, 0, ' ', CA_QUIET, \"dead\")\n"                                                 \
    "CA_STATE(LIVE, 1, 'O', CA_STRONG, \"live\")\n"                                                \
    "CA_RANDOM_START(random, \"live cells at random\", SHARE(LIVE, 0.3))\n"                        \
    "CA_CELL cell(CA_NB nb)\n"                                                                     \
    "{\n"                                                                                          \
    "    int n = COUNT8(LIVE);\n"                                                                  \
    "    return n == 3 || (n == 2 && AT(0, 0) == LIVE) ? LIVE : DEAD;\n"                           \
    "}\n"

static int times_in(const char *text, const char *part)
{
    int times = 0;

    for (const char *at = text; (at = strstr(at, part)); at++)
        times++;
    return times;
}

/* --- the same lattice ------------------------------------------------------------------------ */

/* Uneven shares, torus and walls, states of bits and of floats, observables, a frame, draws. */
static const char *const runs[] = {
    "run anneal -s 96x81 -n 40 --frame -q",
    "run anneal -s 96x81 -n 40 --set exchange=3 --ranks 7 -q",
    "run life3d -s 40x24x33 -n 9 --frame -q",
    "run cloud -s 40x24x20 -n 9 -q",
    "run fhp -s 128x90 -n 17 --frame -q",
    "run water -s 64x62 -n 11 --frame -q",
    "run water -b reference -s 64x62 -n 11 -q",
    "run anneal -s 16x4 -n 5 -q", /* layers for two processes */
    "run anneal -s 96x90 -n 40 --ranks 2 -q",
};

START_TEST(is_the_same_lattice)
{
    struct outcome one = calab("%s", runs[_i]), job = calab_in(&three, "%s", runs[_i]);

    ck_assert_msg(job.status == 0, "%s: exit status %d: %s", runs[_i], job.status, job.err);
    ck_assert_str_eq(strstr(job.out, "observables."), strstr(one.out, "observables."));
    ck_assert_int_eq(times_in(job.out, "hash: "), 1);
    ck_assert(!strstr(runs[_i], "96x81") || strstr(job.out, " in 3 processes that exchange "));
}
END_TEST

/* The text of a model's file goes from process 0 to the others: there is no such file anywhere. */
START_TEST(file_is_sent)
{
    const char *requests = test_text(
        "{\"op\":\"open\",\"model\":\"/nowhere/living.c\",\"model_digest\":\"%016llx\","
        "\"backend\":\"threads\",\"size\":\"70x50\",\"bytes\":%zu}\n%s"
        "{\"op\":\"step\",\"n\":20}\n{\"op\":\"hash\"}\n{\"op\":\"quit\"}\n",
        (unsigned long long)file_object_digest(LIVING, strlen(LIVING)), strlen(LIVING), LIVING);
    const struct surroundings of_three = {.processes = "-n 3", .stdin_text = requests};
    struct outcome one = calab_good("run life -s 70x50 -n 20 --set density=0.3"), job;

    job = calab_in(&of_three, "engine");
    ck_assert_msg(job.status == 0, "exit status %d: %s", job.status, job.err);
    ck_assert_contains(job.out, test_text("\"hash\":\"%s\"", outcome_value(&one, "hash")));
    ck_assert_contains(job.out, " in 3 processes that exchange ");
}
END_TEST

/* Large halos of GPUs that are copied as they are, from the state and by way of a slot. */
START_TEST(large_halos)
{
    static const char run[] = "run cloud -b cuda-temporal -s 2048x1152x24 -n 6 -q --set "
                              "generations=4";
    const struct surroundings two = {.processes = "-n 2"};
    struct outcome devices = calab("list devices"), one, job;
    bool has_gpu = strstr(devices.out, "emulated") != NULL;

    if (!has_gpu)
        return;
    one = calab("%s", run);
    for (int exchange = 4; exchange <= 5; exchange++) {
        job = calab_in(&two, "%s --set exchange=%d", run, exchange);
        ck_assert_msg(job.status == 0, "exit status %d: %s", job.status, job.err);
        ck_assert_str_eq(strstr(job.out, "observables."), strstr(one.out, "observables."));
    }
}
END_TEST

/* All backends of a model, with as many ranks as processes and with others. */
START_TEST(all_backends_are_right)
{
    const char *model = ca_models[_i]->name;
    struct outcome job = calab_in(&three, "verify %s --small --cases 6 -q", model);

    ck_assert_msg(job.status == 0, "%s%s", job.out, job.err);
    job = calab_in(&three, "verify %s --small --cases 2 -q --ranks 1,2,7", model);
    ck_assert_msg(job.status == 0, "%s%s", job.out, job.err);
    ck_assert_int_eq(times_in(job.out, "verify, seed 1"), 1);
}
END_TEST

/* A state comes from a file and goes to one by process 0; sums of blocks are those of all. */
START_TEST(files_are_of_the_whole)
{
    const char *arguments = "run fhp -s 128x90 -n 8 -q --init %s -o %s -o velocity,block=16x16:%s";
    const char *field = test_path("u.npy");
    const char *state = test_path("state.npy");
    const char *start = test_path("start.npy");
    char *one[2] = {NULL}, *job[2] = {NULL};
    size_t sizes[4];

    calab_good("run fhp -s 128x90 -n 3 -q -o %s", start);
    for (int processes = 0; processes < 2; processes++) {
        const struct surroundings here = {.processes = processes ? "-n 3" : NULL};
        char **files = processes ? job : one;

        calab_good_in(&here, arguments, start, state, field);
        files[0] = test_read(state, &sizes[2 * processes]);
        files[1] = test_read(field, &sizes[2 * processes + 1]);
    }
    for (int i = 0; i < 2; i++) {
        ck_assert_uint_eq(sizes[i], sizes[2 + i]);
        ck_assert(memcmp(one[i], job[i], sizes[i]) == 0);
    }
}
END_TEST

/* --- what is refused ------------------------------------------------------------------------- */

START_TEST(an_error_is_told_once)
{
    struct outcome job = calab_in(&three, "run anneal -s 96x81 --init nothing");

    ck_assert_int_eq(job.status, CA_USAGE);
    ck_assert_str_eq(job.out, "");
    ck_assert_int_eq(times_in(job.err, "calab run: "), 1);
    ck_assert_contains(job.err, "'nothing'");
    job = calab_in(&three, "%s", "");
    ck_assert_int_eq(job.status, CA_USAGE);
    ck_assert_contains(job.err, "the workbench cannot run as 3 processes");
    job = calab_in(&(struct surroundings){.processes = "-n 65"}, "run anneal");
    ck_assert_int_eq(job.status, CA_USAGE);
    ck_assert_int_eq(times_in(job.err, "65 processes are too many: at most 64 are allowed"), 1);
}
END_TEST

/* A script in front of the program, which only process 2 takes notice of. */
static const char *only_in_process_2(const char *name, const char *command)
{
    static char arguments[4200];

    test_put(name,
             test_text("if [ $OMPI_COMM_WORLD_RANK = 2 ]; then %s; fi; exec \"$@\"", command));
    snprintf(arguments, sizeof arguments, "-n 3 sh %s", test_path(name));
    return arguments;
}

/* Memory is short, or, with emulated GPUs, one of them is not there or gets lost on the way, in one
 * process alone. */
START_TEST(a_failure_of_one_is_that_of_all)
{
    struct surroundings here = {.processes = NULL};
    struct outcome job;

    if (!SANITIZED) {
        here.processes = only_in_process_2("short.sh", "ulimit -v 700000");
        job = calab_in(&here, "run water -b threads -s 8192x8190 -n 1");
        ck_assert_int_eq(job.status, CA_NO_MEMORY);
        ck_assert_int_eq(times_in(job.err, "rank 2 of 3: "), 1);
    }
    job = calab("list devices");
    if (strstr(job.out, "emulated")) {
        const char *const variables[] = {"CALAB_EMULATED_DEVICES=3", NULL};

        here.variable = variables;
        here.processes = only_in_process_2("gone.sh", "export CALAB_EMULATED_DEVICES=2");
        job = calab_in(&here, "run anneal -b cuda-naive -s 64x60 -n 1 --devices 0,1,2");
        ck_assert_int_eq(job.status, CA_NO_DEVICE);
        ck_assert_int_eq(times_in(job.err, "rank 2 of 3: "), 1);
        here.processes = only_in_process_2("lost.sh", "export CALAB_EMULATED_LOST=60");
        job = calab_in(&here, "run anneal -b cuda-naive -s 64x60 -n 1000");
        ck_assert_int_eq(job.status, CA_CUDA_FAILED);
        ck_assert_int_eq(times_in(job.err, "rank 2 of 3: "), 1);
        ck_assert_contains(job.err, " is lost to this process");
    }
}
END_TEST

/* --- a process dies -------------------------------------------------------------------------- */

/* The process of this test's job that has a number in it, 0: there is none yet. */
static pid_t process_of_job(const char *number)
{
    char rank[64], home[4200];
    DIR *processes = opendir("/proc");
    struct dirent *entry;
    pid_t found = 0;

    snprintf(rank, sizeof rank, "OMPI_COMM_WORLD_RANK=%s", number);
    snprintf(home, sizeof home, "HOME=%s", test_folder());
    while ((entry = readdir(processes))) {
        static char variables[65536];
        bool has_rank = false, has_home = false;
        FILE *file;
        size_t size;

        file = entry->d_name[0] >= '1' && entry->d_name[0] <= '9'
                   ? fopen(test_text("/proc/%s/environ", entry->d_name), "r")
                   : NULL;
        if (!file)
            continue;
        size = fread(variables, 1, sizeof variables - 1, file);
        fclose(file);
        variables[size] = '\0';
        for (const char *v = variables; v < variables + size; v += strlen(v) + 1) {
            has_rank |= strcmp(v, rank) == 0;
            has_home |= strcmp(v, home) == 0;
        }
        if (has_rank && has_home)
            found = atoi(entry->d_name);
    }
    closedir(processes);
    return found;
}

/* Kills a process once it has worked for a while, that is, in the middle of its steps. */
static void kill_in_the_middle(pid_t mpirun, void *number)
{
    double end = seconds_now() + DEADLINE_S;
    pid_t pid = 0;

    (void)mpirun;
    while (seconds_now() < end && (pid == 0 || process_ticks(pid) < 60)) {
        pid = process_of_job(number);
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    ck_assert_int_gt(pid, 0);
    ck_assert_int_eq(kill(pid, SIGKILL), 0);
}

static const char *const dead[] = {"0", "1", "2"};

START_TEST(a_dead_process_ends_the_job)
{
    struct surroundings here = {
        .processes = "-n 3", .meanwhile = kill_in_the_middle, .context = (void *)dead[_i]};
    const char *state = test_path("state.npy");
    struct outcome job;
    size_t size;
    char *old;

    test_write(state, "old", 3);
    job = calab_in(&here, "run anneal -b threads -s 512x512 -n 1000000000 -q -o %s", state);
    ck_assert_int_ne(job.status, 0);
    ck_assert_contains(job.err, "signal 9");
    ck_assert_str_eq(job.out, "");
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(process_of_job(dead[i]), 0);
    old = test_read(state, &size);
    ck_assert_uint_eq(size, 3);
    ck_assert(memcmp(old, "old", 3) == 0);
}
END_TEST

/* --- start ----------------------------------------------------------------------------------- */

START_TEST(the_version_names_the_library)
{
    struct outcome o = calab("--version");

    ck_assert_contains(o.out, ca_processes_library());
    ck_assert_str_ne(ca_processes_library(), "");
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {file_is_sent, large_halos, files_are_of_the_whole,
                              an_error_is_told_once, a_failure_of_one_is_that_of_all,
                              the_version_names_the_library},
                     .table = {{is_the_same_lattice, COUNT(runs)},
                               {all_backends_are_right, test_models()},
                               {a_dead_process_ends_the_job, COUNT(dead)}});
}
