/* SPDX-License-Identifier: MIT */
/*
 * Series of files: their names, and what calab run writes, leaves and tells.
 */
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/files/file.h"
#include "core/files/series.h"
#include "tests/support/process.h"
#include "tests/support/program.h"
#include "tests/support/support.h"

START_TEST(names)
{
    static const struct {
        const char *name;
        uint64_t generation;
        const char *path;
        bool series;
    } rows[] = {
        {"a.npy", 7, "a.npy", false},
        {"a%d.npy", 0, "a0.npy", true},
        {"a%06d.pbm", 64, "a000064.pbm", true},
        {"f/%01d", 123, "f/123", true},
        {"%020d", UINT64_MAX, "18446744073709551615", true},
        {"%03d", 1000, "1000", true}, /* no digit is cut off */
        {"100%%/a%%%02d%%.npy", 5, "100%/a%05%.npy", true},
        {"50%%.npy", 5, "50%.npy", false},
        {"%%d", 5, "%d", false},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        char path[CA_SERIES_PATH_MAX];
        struct ca_error error;
        bool series = !rows[i].series;

        ck_assert_ok(ca_series_check(rows[i].name, &series, &error));
        ck_assert_int_eq(series, rows[i].series);
        ck_assert_str_eq(ca_series_path(path, rows[i].name, rows[i].generation), rows[i].path);
    }
}
END_TEST

static const struct {
    const char *name, *part;
} wrong[] = {
    {"a%s.npy", "'%s.npy' is not allowed: %d or %06d"},
    {"a%.npy", "%% for a percent sign"},
    {"a%", "'%' is not allowed"},
    {"a%6d.npy", "'%6d.np' is not allowed"},
    {"a%-6d.npy", "is not allowed"},
    {"a%0d.npy", "is not allowed"},
    {"a%00d.npy", "is not allowed"},
    {"a%006d.npy", "is not allowed"},
    {"a%021d.npy", "of at most 20 digits"},
    {"a%0100d.npy", "of at most 20 digits"},
    {"a%04294967302d.npy", "of at most 20 digits"},
    {"a%06ld.npy", "is not allowed"},
    {"a%06u.npy", "is not allowed"},
    {"a%06", "is not allowed"},
    {"a%n%d", "'%n%d' is not allowed"},
    {"a%d-%d.npy", "twice; it is allowed once"},
    {"f%d/a.npy", "name of a folder"},
    {"f%d/a%d.npy", "name of a folder"},
};

START_TEST(wrong_names)
{
    struct ca_error error;
    bool series;

    ck_assert_msg(ca_series_check(wrong[_i].name, &series, &error) == CA_USAGE, "%s",
                  wrong[_i].name);
    ck_assert_contains(error.text, wrong[_i].part, wrong[_i].name);
}
END_TEST

/* The hash of generation n. */
static void expect_generation(const char *name, int n)
{
    struct outcome file = calab_done("run anneal --init %s -n 0", test_path(name)),
                   run = calab_done("run anneal -s 33x20 -b reference -n %d", n);

    ck_assert_str_eq(outcome_value(&file, "hash"), outcome_value(&run, "hash"));
}

/* Generation 0, every third one, and the last state; of fast backends too, which step many at once.
 */
START_TEST(files_and_result)
{
    static const char *const backends[] = {"reference", "bitslice"};
    struct outcome o = calab_done(
        "run anneal -s 33x20 -n 10 -b %s --every 3 -o %s -o %s -o %s --json", backends[_i],
        test_path("a%03d.pbm"), test_path("last.npy"), test_path("%d.plain.pbm"));
    json_t *json, *files;

    ck_assert_int_eq(test_files(), 9);
    for (int n = 0; n < 10; n += 3) {
        char name[32];

        snprintf(name, sizeof name, "a%03d.pbm", n);
        expect_generation(name, n);
        snprintf(name, sizeof name, "%d.plain.pbm", n);
        expect_generation(name, n);
    }
    expect_generation("last.npy", 10);
    json = outcome_json(&o);
    files = json_object_get(json, "files");
    ck_assert_uint_eq(json_array_size(files), 3);
    for (size_t i = 0; i < 3; i++) {
        static const char *const first[] = {"a000.pbm", "last.npy", "0.plain.pbm"},
                                 *const last[] = {"a009.pbm", "last.npy", "9.plain.pbm"};
        json_t *file = json_array_get(files, i);

        ck_assert_str_eq(json_text(file, "first"), test_path(first[i]));
        ck_assert_str_eq(json_text(file, "last"), test_path(last[i]));
        ck_assert_int_eq(json_whole(file, "count"), i == 1 ? 1 : 4);
    }
    ck_assert_str_eq(json_text(files, "0.name"), test_path("a%03d.pbm"));
}
END_TEST

START_TEST(text_of_the_result)
{
    struct outcome o = calab_done("run anneal -s 8x8 -n 4 --every 2 -o %s -o %s",
                                  test_path("s%d.npy"), test_path("last.npy"));

    ck_assert_contains(
        o.out, test_text("\nfiles: %s ... %s, 3\n", test_path("s0.npy"), test_path("s4.npy")));
    ck_assert_contains(o.out, test_text("\nfile: %s\n", test_path("last.npy")));
    /* A series of a run of no generation is its start. */
    o = calab_done("run anneal -s 8x8 -n 0 --every 2 -o %s", test_path("none%d.npy"));
    ck_assert_int_eq(access(test_path("none0.npy"), F_OK), 0);
}
END_TEST

/* A run by time does not know its last generation. */
START_TEST(by_time)
{
    struct outcome o =
        calab_done("run anneal -s 64x64 -b reference --seconds 0.2 --every 10 -o %s --json",
                   test_path("t%d.npy"));
    json_t *json, *file;
    int64_t steps, count;

    json = outcome_json(&o);
    steps = json_whole(json, "steps");
    file = json_at(json, "files.0");
    count = json_whole(file, "count");
    ck_assert_int_eq(count, steps / 10 + 1);
    ck_assert_int_eq(test_files(), count);
}
END_TEST

/* An experiment file has the same keys; the command line goes over them. */
START_TEST(experiment_file)
{
    const char *cfg = test_path("s.cfg");
    char text[1024];

    snprintf(text, sizeof text,
             "model = \"anneal\"; backend = \"reference\"; size = \"8x8\"; steps = 4;\noutput = "
             "\"%s\"; every = 2;\n",
             test_path("f%d.npy"));
    test_write(cfg, text, strlen(text));
    calab_done("config check %s", cfg);
    calab_done("run -c %s", cfg);
    ck_assert_int_eq(test_files(), 1 + 3);
    calab_done("run -c %s --every 1", cfg);
    ck_assert_int_eq(test_files(), 1 + 5);
    /* Files of the command line take the place of the file's; a series keeps its `every`. */
    calab_done("run -c %s -o %s", cfg, test_path("g%d.npy"));
    ck_assert_int_eq(test_files(), 1 + 5 + 3);
    calab_done("run -c %s -o %s", cfg, test_path("last.npy"));
    ck_assert_int_eq(test_files(), 1 + 5 + 3 + 1);
}
END_TEST

static const struct refusal refusals[] = {
    {"run anneal --every 3", CA_USAGE, "--every", "state%06d.npy"},
    {"run anneal --every 3 -o a.npy", CA_USAGE, "--every", "no output"},
    {"run anneal -o a%d.npy", CA_USAGE, "--every N", "from one file to the next"},
    {"run anneal --every 0 -o a%d.npy", CA_USAGE, "--every: '0'", "1 ..."},
    {"run anneal --every -1 -o a%d.npy", CA_USAGE, "--every: '-1'", "1 ..."},
    {"run anneal --every 1.5 -o a%d.npy", CA_USAGE, "--every: '1.5'", "whole number"},
    {"run anneal --every", CA_USAGE, "--every needs an argument", "N"},
    {"run anneal --every 3 -o a%d%d.npy", CA_USAGE, "--output: 'a%d%d.npy'", "twice"},
    {"run anneal --every 3 -o a%x.npy", CA_USAGE, "--output: 'a%x.npy'", "%06d"},
    {"run anneal --every 3 -o %d/a.npy", CA_USAGE, "--output: '%d/a.npy'", "folder"},
    {"run anneal --every 3 -o a%d.xyz", CA_USAGE, "a0.xyz", ".npy, .h5, .plain.pbm"},
    {"run life3d --every 3 -o a%d.pbm", CA_USAGE, "a0.pbm", "ends in .npy"},
    {"run anneal --every 3 -o /no/such/a%d.npy", CA_IO, "/no/such/a0.npy", "No such file"},
    {"run anneal -b reference,threads --every 3", CA_USAGE, "--every", "one backend"},
    {"bench anneal --every 3", CA_USAGE, "--every", "not an option"},
};

/* The last name is the longest; it is checked before the first file is written. */
START_TEST(too_long)
{
    char name[256];

    memset(name, 'a', sizeof name);
    strcpy(name + 248, "%d.npy");
    calab_fails(CA_IO, "1000.npy: File name too long",
                "run anneal -b reference -s 8x8 -n 1000 --every 1 -o %s", test_path(name));
    ck_assert_int_eq(test_files(), 0);
    calab_done("run anneal -b reference -s 8x8 -n 99 --every 1 -o %s", test_path(name));
    ck_assert_int_eq(test_files(), 100);
}
END_TEST

/* Where the third picture finds the disk full, the first two are whole and nothing else is left. */
START_TEST(full_disk)
{
    const char *third = test_path("d2.pbm");
    struct outcome o;

    ck_assert_int_eq(symlink("/dev/full", third), 0);
    o = calab_fails(CA_IO, ": No space left on device",
                    "run anneal -b reference -s 33x20 --every 1 -n 10 -o %s -o %s",
                    test_path("d%d.pbm"), test_path("last.npy"));
    ck_assert_contains(o.err, "the files written before it are whole: 2");
    ck_assert_str_eq(o.out, "");
    ck_assert_int_eq(test_files(), 3);
    expect_generation("d0.pbm", 0);
    expect_generation("d1.pbm", 1);
}
END_TEST

/* The first failure is told alone, and what stood there before stays. */
START_TEST(first_file_fails)
{
    static const struct surroundings s = {.file_limit = 100};
    const char *old = test_path("d0.npy");
    struct outcome o;
    char *after;

    test_write(old, "before", 6);
    o = calab_in(&s, "run anneal -b reference -s 64x64 --every 1 -o %s", test_path("d%d.npy"));
    ck_assert_int_eq(o.status, CA_IO);
    ck_assert_contains(o.err, "d0.npy: File too large");
    ck_assert_ptr_null(strstr(o.err, "written before"));
    after = test_read(old, NULL);
    ck_assert_str_eq(after, "before");
    ck_assert_int_eq(test_files(), 1);
}
END_TEST

/* A run that is stopped keeps what it has written, all of it whole. */
START_TEST(interrupted)
{
    static const struct surroundings s = {.interrupt_after = "generation"};
    struct outcome o =
        calab_in(&s, "run anneal -s 33x20 -b reference --seconds 1000 --every 1 -o %s -o %s",
                 test_path("i%d.pbm"), test_path("last.npy"));
    const char *count = strstr(o.err, "the files written so far are whole: ");
    int files = test_files();

    ck_assert_msg(o.status == 130, "exit status %d: %s", o.status, o.err);
    ck_assert_contains(o.err, "calab run: stopped by signal 2");
    ck_assert_ptr_nonnull(count);
    ck_assert_int_eq(atoi(strrchr(count, ':') + 1), files);
    ck_assert_int_gt(files, 0);
    ck_assert_int_ne(access(test_path("last.npy"), F_OK), 0);
    for (int n = 0; n < files; n++) {
        struct ca_error error;
        struct ca_size size;
        uint8_t *cells;

        ck_assert_ok(test_pbm_read(test_path(test_text("i%d.pbm", n)), &cells, &size, &error));
        free(cells);
    }
}
END_TEST

/* Reads a pipe to its end, once another file is there. */
static void drain(pid_t pid, void *context)
{
    const double deadline = seconds_now() + DEADLINE_S;
    char bytes[4096];
    FILE *pipe;

    (void)pid, (void)context;
    while (access(test_path("b1.npy"), F_OK) != 0) {
        ck_assert_msg(seconds_now() < deadline, "the run waits for its first file");
        usleep(1000);
    }
    pipe = fopen(test_path("a0.npy"), "rb");
    ck_assert_ptr_nonnull(pipe);
    while (fread(bytes, 1, sizeof bytes, pipe) > 0)
        continue;
    fclose(pipe);
}

/* The simulation steps on while a file is written, here to a pipe that nobody reads until the next
 * generation's other file is there; what is written is the state of then. */
START_TEST(steps_on)
{
    static const struct surroundings s = {.meanwhile = drain};

    ck_assert_int_eq(mkfifo(test_path("a0.npy"), 0600), 0);
    calab_done_in(&s, "run anneal -b reference -s 33x20 -n 3 --every 1 -o %s -o %s",
                  test_path("b%d.npy"), test_path("a%d.npy"));
    ck_assert_int_eq(test_files(), 8);
    expect_generation("a1.npy", 1);
    expect_generation("b0.npy", 0);
    expect_generation("b3.npy", 3);
}
END_TEST

static void wait_for(const char *file)
{
    const double deadline = seconds_now() + DEADLINE_S;

    while (access(test_path(file), F_OK) != 0) {
        ck_assert_msg(seconds_now() < deadline, "there is no %s", file);
        usleep(1000);
    }
}

/* Ends a run, once it is at the output behind this file. */
static void stop_behind(pid_t pid, void *context)
{
    wait_for(context);
    ck_assert_int_eq(kill(pid, SIGTERM), 0);
}

/* Opens the pipe of a run, and waits until it is full. */
static int full_pipe(void)
{
    const double deadline = seconds_now() + DEADLINE_S;
    int pipe = open(test_path("pipe.npy"), O_RDONLY | O_CLOEXEC), bytes = 0;

    while (bytes < fcntl(pipe, F_GETPIPE_SZ)) {
        ck_assert_msg(seconds_now() < deadline, "the pipe has %d bytes", bytes);
        ck_assert_int_eq(ioctl(pipe, FIONREAD, &bytes), 0);
        usleep(1000);
    }
    return pipe;
}

/* Ends a run, once its pipe is full. */
static void stop_when_full(pid_t pid, void *context)
{
    int *pipe = context;

    *pipe = full_pipe();
    ck_assert_int_eq(kill(pid, SIGTERM), 0);
}

/* Reads the pipe of a run, once it is full. */
static void read_when_full(pid_t pid, void *context)
{
    FILE *pipe = fdopen(full_pipe(), "rb"), *file = fopen(test_path("read.npy"), "wb");
    char bytes[4096];
    size_t count;

    (void)pid, (void)context;
    while ((count = fread(bytes, 1, sizeof bytes, pipe)) > 0)
        ck_assert_uint_eq(fwrite(bytes, 1, count, file), count);
    fclose(pipe);
    fclose(file);
}

/* What the pipe cannot take waits for its reader. */
START_TEST(a_slow_reader_gets_all)
{
    static const struct surroundings s = {.meanwhile = read_when_full};

    ck_assert_int_eq(mkfifo(test_path("pipe.npy"), 0600), 0);
    calab_done_in(&s, "run anneal -b reference -s 500x400 -n 3 -o %s -o %s", test_path("pipe.npy"),
                  test_path("file.npy"));
    test_same_files(test_path("read.npy"), test_path("file.npy"));
}
END_TEST

static void expect_stopped(struct outcome *o)
{
    ck_assert_msg(o->status == 128 + SIGTERM, "exit status %d: %s", o->status, o->err);
    ck_assert_contains(o->err, "calab run: stopped by signal 15");
}

/* One signal is enough where nobody reads a pipe: a state's, a table's, and one that is full. */
START_TEST(a_signal_ends_the_wait_for_a_reader)
{
    struct surroundings s = {.meanwhile = stop_behind, .context = "before.npy"};
    struct outcome o;
    int pipe = -1;

    ck_assert_int_eq(mkfifo(test_path("pipe.npy"), 0600), 0);
    o = calab_in(&s, "run anneal -b reference -s 500x400 -n 3 -o %s -o %s", test_path("before.npy"),
                 test_path("pipe.npy"));
    expect_stopped(&o);

    ck_assert_int_eq(mkfifo(test_path("pipe.csv"), 0600), 0);
    s.context = "a0.npy";
    o = calab_in(&s, "run anneal -b reference -s 33x20 -n 3 --every 1 -o %s -o observables:%s",
                 test_path("a%d.npy"), test_path("pipe.csv"));
    expect_stopped(&o);

    s = (struct surroundings){.meanwhile = stop_when_full, .context = &pipe};
    o = calab_in(&s, "run anneal -b reference -s 500x400 -n 3 -o %s", test_path("pipe.npy"));
    expect_stopped(&o);
    close(pipe);
}
END_TEST

/* What has to seek is refused before anything is run or waited for. */
START_TEST(pipes_that_cannot_seek)
{
    const char *const commands[] = {
        "run anneal -o", "run anneal -o picture:", "run anneal --checkpoint", "convert anneal"};
    const char *const files[] = {"p.h5", "p.gif"};

    test_put("s.plain.pbm", "P1\n2 2\n1 0 0 1\n");
    for (size_t f = 0; f < COUNT(files); f++)
        ck_assert_int_eq(mkfifo(test_path(files[f]), 0600), 0);
    for (size_t i = 0; i < COUNT(commands); i++) {
        bool film = strstr(commands[i], "picture"),
             convert = strncmp(commands[i], "convert", 7) == 0;

        calab_fails(CA_IO, "cannot go to a pipe or a device", "%s%s%s%s%s", commands[i],
                    film ? "" : " ", convert ? test_path("s.plain.pbm") : "", convert ? " " : "",
                    film ? test_path("p.gif --every 1") : test_path("p.h5"));
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {names, text_of_the_result, by_time, experiment_file, too_long,
                              full_disk, first_file_fails, interrupted, steps_on,
                              a_slow_reader_gets_all, a_signal_ends_the_wait_for_a_reader,
                              pipes_that_cannot_seek},
                     .table = {{wrong_names, COUNT(wrong)},
                               {files_and_result, 2},
                               {refusals_test(refusals), COUNT(refusals)}});
}
