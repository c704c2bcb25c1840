/* SPDX-License-Identifier: MIT */
/*
 * Whether CUDA on the CPU names the faults that it is there to name, at their lines, and nothing
 * where there is none. Each fixture of tests/core/emulator/races/fixtures.cu runs in a process of
 * its own.
 */
#include "tests/core/emulator/races/fixtures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/support.h"

#define SOURCE "tests/core/emulator/races/fixtures.cu"

struct outcome {
    int status;
    char text[16384]; /* of its standard error */
};

static const struct outcome *race_run(const char *fixture, const char *setting)
{
    static struct outcome outcome;
    size_t count = 0;
    ssize_t more;
    int ends[2], status;
    pid_t pid;

    ck_assert_int_eq(pipe(ends), 0);
    pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        char copy[256];

        snprintf(copy, sizeof copy, "%s", setting);
        if (*setting)
            putenv(copy);
        dup2(ends[1], STDERR_FILENO);
        exit(races_fixture(fixture) ? 0 : 99);
    }
    close(ends[1]);
    while ((more = read(ends[0], outcome.text + count, sizeof outcome.text - 1 - count)) > 0)
        count += (size_t)more;
    close(ends[0]);
    outcome.text[count] = '\0';
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return &outcome;
}

/* The line of the fixtures that has "@name" in its comment. */
static int line_of(const char *name, size_t length)
{
    char path[4096], line[256];
    FILE *file;

    snprintf(path, sizeof path, "%s/" SOURCE, getenv("CALAB_SOURCE"));
    file = fopen(path, "r");
    ck_assert_msg(file, "%s cannot be read", path);
    for (int i = 1; fgets(line, sizeof line, file); i++) {
        const char *at = strchr(line, '@');

        if (at && strncmp(at + 1, name, length) == 0 && at[1 + length] == ' ') {
            fclose(file);
            return i;
        }
    }
    ck_abort_msg("no line of %s is named %.*s", path, (int)length, name);
}

/* "@name" as "FILE:LINE". */
static void expand(const char *from, char *to, size_t room)
{
    size_t length = 0;

    while (*from && length + 1 < room)
        if (*from == '@') {
            size_t name = strspn(from + 1, "abcdefghijklmnopqrstuvwxyz_");

            length +=
                (size_t)snprintf(to + length, room - length, SOURCE ":%d", line_of(from + 1, name));
            from += 1 + name;
        } else {
            to[length++] = *from++;
        }
    to[length] = '\0';
}

/* --- what is right ---------------------------------------------------------------------------- */

static const char *const right[] = {
    "barrier",      "one-block",     "bytes-of-word", "atomics",    "warp-syncwarp",
    "warp-shuffle", "constant-read", "half-warps",    "last-block", "lock",
    "copied",       "lanes-ended",   "waited",
};

static const char *const orders[] = {"", "CALAB_EMULATED_ORDER=reverse",
                                     "CALAB_EMULATED_ORDER=random:3"};

START_TEST(nothing_is_found)
{
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        const struct outcome *outcome = race_run(right[_i], orders[i]);

        ck_assert_msg(outcome->status == 0 && *outcome->text == '\0',
                      "%s ended with %d and said %s", right[_i], outcome->status, outcome->text);
    }
}
END_TEST

/* --- what is wrong ---------------------------------------------------------------------------- */

static const struct {
    const char *fixture;
    const char *says[3]; /* all of them */
} wrong[] = {
    {"no-barrier",
     {"@shift_writes: race: block (0,0,0) thread (1,0,0) writes what block (0,0,0) thread (0,0,0) "
      "read at @shift_reads: byte 4 of 256 of shared memory declared at ",
      "@shift_reads: unwritten: block (0,0,0) thread (0,0,0) reads 4 bytes that nobody wrote",
      "calab: 2 errors, 0 warnings, 0 hints\n"}},
    {"between-blocks",
     {"@in_place_reads: race: block (1,0,0) thread (31,0,0) reads what block (0,0,0) thread "
      "(0,0,0) wrote at @in_place_writes: byte 0 of 256 of device memory that cudaMalloc gave at "
      "@numbers, in kernel in_place\n",
      "calab: 1 error, 0 warnings, 0 hints\n"}},
    {"two-values",
     {"@all_write: race: block (0,0,0) thread (1,0,0) writes what block (0,0,0) thread (0,0,0) "
      "wrote at @all_write: byte 0 of 4",
      "1 error, 0 warnings, 0 hints"}},
    {"same-value",
     {"@all_write: hint: same value: block (0,0,0) thread (1,0,0) writes what",
      "0 errors, 0 warnings, 1 hint\n"}},
    {"byte-twice", {"race: block (0,0,0) thread (1,0,0) writes what", "byte 0 of 32"}},
    {"variable",
     {"@counter: race: block (0,0,0) thread (1,0,0) reads what block (0,0,0) thread (0,0,0) wrote",
      "a variable"}},
    {"atomic-and-plain",
     {"@atomic_adds: race: block (0,0,0) thread (1,0,0) atomically changes what block (0,0,0) "
      "thread (0,0,0) read at @atomic_reads"}},
    {"warp-without", {"@warp_writes: race:", "read at @warp_reads"}},
    {"half-warps-apart", {"@halves_write: race:", "read at @halves_read"}},
    {"last-block-unfenced", {"@last_reads: race:", "wrote at @last_writes"}},
    {"read-unwritten",
     {"@move: unwritten: block (0,0,0) thread (0,0,0) reads 4 bytes that nobody wrote: byte 12 of "
      "40 of device memory that cudaMalloc gave at @numbers, in kernel move_from\n"}},
    {"shared-unwritten",
     {"@half_written: unwritten: block (0,0,0) thread (31,0,0) reads 4 bytes",
      "byte 128 of 256 of shared memory", "1 error, 0 warnings, 0 hints"}},
    {"copied-unwritten",
     {"@copied_unwritten: warning: unwritten: cudaMemcpy gives the host 40 bytes that nobody wrote",
      "0 errors, 1 warning"}},
    {"over",
     {"@move: bounds: block (0,0,0) thread (0,0,0) reads 4 bytes outside of its memory: byte 40 of "
      "40 of device memory that cudaMalloc gave at @numbers"}},
    {"under", {"@move: bounds:", "byte -4 of 40 of device memory"}},
    {"freed", {"@move: bounds:", "reads 4 bytes of memory that is freed: byte 0 of 40"}},
    {"shared-over", {"@beyond: bounds:", "writes 4 bytes outside", "byte 32 of 32 of shared"}},
    {"misaligned", {"@wide: alignment: block (0,0,0) thread (0,0,0)", "a multiple of 16, and 0x"}},
    {"null", {"@move: address:", "reads 4 bytes at (nil), which is no memory"}},
    {"of-host", {"@move: address:", "which is memory of the host"}},
    {"host-reads", {"@host_reads: host: the host reads 4 bytes of device memory: byte 12 of 40"}},
    {"copy-too-much",
     {"@copies_much: copy: cudaMemcpy of 80 bytes is refused: they do not fit, or not in this "
      "direction, from memory of the host, to byte 0 of 40 of device memory"}},
    {"fill-too-much",
     {"@fills_much: copy: cudaMemset of 80 bytes is refused: they do not fit in byte 0 of 40"}},
    {"leak",
     {"@leak: warning: leak: 40 bytes of device memory that cudaMalloc gave here are never freed",
      "0 errors, 1 warning"}},
    {"free-twice", {"@free_twice: free: cudaFree of 40 bytes that were freed before"}},
    {"free-inside", {"@free_inside: free: cudaFree of byte 4 of 40 of device memory"}},
    {"too-many",
     {"@run: launch: kernel all_write<0> is not launched: 1x1x1 blocks of 1025x1x1 threads, where "
      "a "
      "block has 1 to 1024 threads"}},
    {"row-over", {"@row: bounds: block (0,0,0) thread (0,0,0) has index 8 of an array of type"}},
    {"constant",
     {"@constant: constant: block (0,0,0) thread (0,0,0) writes 4 bytes of constant memory"}},
    {"ended",
     {"@ends_early: warning: barrier: 27 of 64 threads of block (0,0,0) have ended without "
      "__syncthreads, in kernel ends_early\n",
      "0 errors, 1 warning, 0 hints"}},
    {"stall",
     {"@first_barrier: stall: the threads of block (0,0,0) wait for each other for ever; 32 wait "
      "in __syncthreads at @first_barrier, the first is thread (0,0,0); 32 wait in __syncthreads "
      "at @second_barrier, the first is thread (32,0,0), in kernel parts\n"}},
    {"too-early",
     {"@pinned_reads: synchronization: the host reads what a kernel at @fill writes, and has not "
      "waited for it"}},
    {"copy-too-early",
     {"@copy_reads: synchronization: the host reads what an asynchronous copy at @copies writes"}},
};

START_TEST(fault_is_named)
{
    const struct outcome *outcome = race_run(wrong[_i].fixture, "");

    ck_assert_msg(outcome->status == 0, "%s ended with %d and said %s", wrong[_i].fixture,
                  outcome->status, outcome->text);
    for (int i = 0; i < 3 && wrong[_i].says[i]; i++) {
        char text[1024];

        expand(wrong[_i].says[i], text, sizeof text);
        ck_assert_contains(outcome->text, text);
    }
}
END_TEST

/* --- how it is told --------------------------------------------------------------------------- */

START_TEST(errors_are_a_status)
{
    ck_assert_int_eq(race_run("two-values", "CALAB_EMULATED_STATUS=7")->status, 7);
    ck_assert_int_eq(race_run("same-value", "CALAB_EMULATED_STATUS=7")->status, 0);
    ck_assert_int_eq(race_run("barrier", "CALAB_EMULATED_STATUS=7")->status, 0);
}
END_TEST

START_TEST(findings_are_json)
{
    char path[] = "/tmp/calab-races-XXXXXX", setting[128], text[2048] = "", expected[512];
    int fd = mkstemp(path);
    ssize_t length;

    ck_assert_int_ge(fd, 0);
    snprintf(setting, sizeof setting, "CALAB_EMULATED_JSON=%s", path);
    race_run("two-values", setting);
    length = read(fd, text, sizeof text - 1);
    close(fd);
    unlink(path);
    ck_assert_int_gt(length, 0);
    snprintf(expected, sizeof expected,
             "{\"kind\":\"race\",\"severity\":\"error\",\"file\":\"" SOURCE
             "\",\"line\":%d,\"function\":\"all_write<1>\",\"other_file\":\"" SOURCE
             "\",\"other_line\":%d,\"text\":\"block (0,0,0) thread (1,0,0) writes",
             line_of("all_write", 9), line_of("all_write", 9));
    ck_assert_contains(text, expected, "\"}\n{\"errors\":1,\"warnings\":0,\"hints\":0}\n");
    race_run("two-values", "CALAB_EMULATED_JSON=/nowhere/findings");
    ck_assert_contains(race_run("two-values", "CALAB_EMULATED_JSON=/nowhere/findings")->text,
                       "/nowhere/findings cannot be written");
}
END_TEST

int main(void)
{
    const char *source = getenv("CALAB_SOURCE");

    unsetenv("CALAB_EMULATED_ORDER");
    unsetenv("CALAB_EMULATED_JSON");
    unsetenv("CALAB_EMULATED_STATUS");
    if (!source || chdir(source) != 0) {
        fprintf(stderr, "CALAB_SOURCE has to name the source's folder\n");
        return 1;
    }
    return RUN_TESTS(.test = {errors_are_a_status, findings_are_json},
                     .table = {{nothing_is_found, COUNT(right)}, {fault_is_named, COUNT(wrong)}});
}
