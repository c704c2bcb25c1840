/* SPDX-License-Identifier: MIT */
/* What surrounds the compiling of models: processes that want the same, ones that die, files that
 * change, and compilers that hang. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/model/model.h"
#include "kernels/file/file_model.h"
#include "kernels/compile/lock.h"
#include "tests/kernels/file/models.h"
#include "tests/support/support.h"

#define HEAD INCLUDE "CA_MODEL(shared, \"a model\")\n"
#define CELL "CA_CELL cell(CA_NB nb)\n{\n    return AT(0, 0);\n}\n"

#define VARIANTS 3 /* kernels/file/object.c */

static struct ca_error error;
static double hurry = 1; /* how much faster the clock goes than time */

double ca_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return hurry * ((double)now.tv_sec + 1e-9 * (double)now.tv_nsec);
}

static void begin(void)
{
    setenv("XDG_CACHE_HOME", test_folder(), 1);
    hurry = 1;
}

/* A compiler that does something first. */
static void compile_by(const char *first)
{
    const char *path = test_put("compiler", test_text("#!/bin/sh\n%s\nexec cc \"$@\"\n", first));

    ck_assert_int_eq(chmod(path, 0700), 0);
    setenv("CC", path, 1);
}

static int lines_of(const char *path)
{
    int lines = 0;

    for (const char *c = test_keep(test_read(path, NULL)); *c; c++)
        lines += *c == '\n';
    return lines;
}

static void ends_well(pid_t pid)
{
    int status;

    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x", (unsigned)status);
}

/* Each variant is compiled by one process, for all of them. */
START_TEST(one_compiles_for_all)
{
    const char *path = test_put("shared.c", HEAD TWO_STATES CELL);
    const struct ca_model *model;
    pid_t pid[4];

    compile_by(test_text("echo compiles >> %s; sleep 0.2", test_path("log")));
    for (int i = 0; i < 4; i++) {
        pid[i] = fork();
        if (pid[i] == 0)
            test_exit(file_model_open(&model, path, &error) == CA_OK ? 0 : 1);
    }
    for (int i = 0; i < 4; i++)
        ends_well(pid[i]);
    for (int i = 0; i < 4; i++) /* none is compiled again */
        ck_assert_int_eq(file_model_open(&model, path, &error), CA_OK);
    ck_assert_int_eq(lines_of(test_path("log")), VARIANTS);
}
END_TEST

/* A process that is killed while it compiles holds nobody up, and leaves no half of an object. */
START_TEST(a_dead_process_holds_nothing)
{
    const char *path = test_put("shared.c", HEAD TWO_STATES CELL);
    const struct ca_model *model;
    pid_t pid;

    compile_by(test_text("echo > %s; exec sleep 1000", test_path("begun")));
    pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        file_model_open(&model, path, &error);
        _exit(1);
    }
    while (access(test_path("begun"), F_OK) != 0)
        nanosleep(&(struct timespec){0, 5000000}, NULL);
    kill(-pid, SIGKILL);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    compile_by("");
    ck_assert_msg(file_model_open(&model, path, &error) == CA_OK, "%s", error.text);
    ck_assert_str_eq(model->name, "shared");
}
END_TEST

/* Whoever has the lock keeps the others out until it lets go; who waits too long goes without. */
START_TEST(a_lock_is_one_s_own)
{
    const char *path = test_path("a.lock");
    int mine = compile_lock(path, 1), other, pipes[2];
    char got;
    pid_t pid;

    ck_assert_int_ge(mine, 0);
    hurry = 100;
    ck_assert_int_eq(compile_lock(path, 1), -1);
    hurry = 1;
    ck_assert_int_eq(pipe(pipes), 0);
    pid = fork();
    if (pid == 0) {
        close(mine); /* a copy of which would keep the lock */
        other = compile_lock(path, 30);
        if (other < 0 || write(pipes[1], "x", 1) != 1)
            _exit(1);
        compile_unlock(other, path);
        _exit(0);
    }
    compile_unlock(mine, path);
    ck_assert_int_eq(read(pipes[0], &got, 1), 1);
    ends_well(pid);
    ck_assert_int_ne(access(path, F_OK), 0);
    ck_assert_int_eq(compile_lock(test_path("nowhere/a.lock"), 1), -1);
}
END_TEST

START_TEST(a_compiler_that_hangs_is_ended)
{
    const struct ca_model *model;

    compile_by("exec sleep 1000");
    hurry = 200;
    ck_assert_int_eq(file_model_open(&model, test_put("shared.c", HEAD TWO_STATES CELL), &error),
                     CA_COMPILE);
    ck_assert_str_eq(error.text, "shared.c: the compiler was ended after 120 s");
}
END_TEST

/* What was read is compiled, whatever is saved meanwhile; the next opening takes that. */
START_TEST(a_file_may_change_meanwhile)
{
    const char *path = test_put("shared.c", HEAD TWO_STATES CELL);
    const struct ca_model *model, *next;

    compile_by(test_text("echo '/* more */' >> %s", path));
    ck_assert_msg(ca_model_open(&model, path, &error) == CA_OK, "%s", error.text);
    ck_assert_str_eq(model->source->text, HEAD TWO_STATES CELL);
    ck_assert_uint_eq(model->source->digest,
                      file_object_digest(model->source->text, model->source->size));
    compile_by("");
    ck_assert_msg(ca_model_open(&next, path, &error) == CA_OK, "%s", error.text);
    ck_assert(!ca_model_same(model, next));
    ck_assert_ptr_nonnull(strstr(next->source->text, "/* more */"));
    ck_assert_ptr_eq(ca_model_opened(path, model->source->digest), model);
}
END_TEST

START_TEST(what_is_no_text_is_refused)
{
    const char *text = HEAD TWO_STATES CELL, *folder = test_path("folder.c");
    const uint64_t digest = file_object_digest(text, strlen(text));
    const struct ca_model *model;

    ck_assert_int_eq(mkdir(folder, 0700), 0);
    ck_assert_int_eq(ca_model_open(&model, folder, &error), CA_IO);
    ck_assert_contains(error.text, "folder.c");
    ck_assert_int_eq(ca_model_open_text(&model, "/a/b.c", digest + 1, text, strlen(text), &error),
                     CA_USAGE);
    ck_assert_contains(error.text, "/a/b.c: the text that has come has the digest ");
    ck_assert_int_eq(ca_model_open_text(&model, "b.c", digest, text, strlen(text), &error),
                     CA_USAGE);
    ck_assert_contains(error.text, "'b.c' is not the path of a model's file: it begins with /");
}
END_TEST

int main(void)
{
    return RUN_TESTS(.setup = begin,
                     .test = {one_compiles_for_all, a_dead_process_holds_nothing,
                              a_lock_is_one_s_own, a_compiler_that_hangs_is_ended,
                              a_file_may_change_meanwhile, what_is_no_text_is_refused});
}
