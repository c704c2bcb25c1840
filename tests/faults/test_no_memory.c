/* SPDX-License-Identifier: MIT */
/* Takes libc's memory away where a process is started and where its report is made: the lab must
 * say that there is none, leave nothing out, and not call the kernel or the program wrong. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/emulator/emulate.h"
#include "core/lab/check/check.h"
#include "core/lab/process/descendants.h"
#include "core/lab/process/process.h"
#include "tests/support/lab_folder.h"
#include "tests/support/support.h"
#include "tests/support/support_lab.h"

static struct ca_error error;

/* --- libc's functions ------------------------------------------------------------------------- */

static const char *without; /* the function that has no memory; NULL: none, as good as always */
static int good, bad;       /* calls of it before that, and those that fail then, 0: all */

static bool fails(const char *name)
{
    if (!without || strcmp(name, without) != 0)
        return false;
    if (good > 0 && good--)
        return false;
    if (bad > 0 && --bad == 0)
        without = NULL;
    errno = ENOMEM;
    return true;
}

#define SAID "hello" /* first, by kernels and programs */
#define REAL(type, name) ((type)(uintptr_t)dlsym(RTLD_NEXT, name))

int setenv(const char *name, const char *value, int replace)
{
    return fails("setenv")
               ? -1
               : REAL(int (*)(const char *, const char *, int), "setenv")(name, value, replace);
}

FILE *open_memstream(char **text, size_t *bytes)
{
    return fails("open_memstream")
               ? NULL
               : REAL(FILE * (*)(char **, size_t *), "open_memstream")(text, bytes);
}

DIR *opendir(const char *folder)
{
    return strncmp(folder, "/proc", 5) == 0 && fails("opendir")
               ? NULL
               : REAL(DIR * (*)(const char *), "opendir")(folder);
}

FILE *fopen(const char *path, const char *how)
{
    return strncmp(path, "/proc", 5) == 0 && fails("fopen")
               ? NULL
               : REAL(FILE * (*)(const char *, const char *), "fopen")(path, how);
}

/* Fails for what a kernel prints alone: other texts, such as the paths of files, are copied. */
char *strdup(const char *text)
{
    return strncmp(text, SAID, strlen(SAID)) == 0 && fails("strdup") ? NULL
                                                                     : strndup(text, strlen(text));
}

/* --- checks ----------------------------------------------------------------------------------- */

#define WRONG "cell[0] ^= 1;"
#define LOUD "cell[0] ^= write(1, \"hello\\n\", 6) == 6;"
#define PROGRAM                                                                                    \
    "version = 1; model = \"anneal\"; sizes = [\"5x3\"]; seeds = [3]; generations = [1];\n"        \
    "output = \"out.npy\"; program = "

static const struct {
    const char *body;    /* of the kernel; NULL: a whole program */
    const char *program; /* its command */
    const char *without;
    const char *says;
} checks[] = {
    {WRONG, NULL, "setenv", "no memory to start '"},
    {WRONG, NULL, "open_memstream", "no memory for a map of the wrong cells"},
    {LOUD, NULL, "strdup", "no memory for what a kernel prints"},
    {NULL, "\"cp {input} out.npy; : {n}\"", "setenv", "no memory to start '/bin/sh'"},
    {NULL, "\"cp {input} out.npy; : {n}\"", "open_memstream",
     "no memory for a map of the wrong cells"},
    {NULL, "\"echo hello; exit 3; : {input} {n}\"", "strdup",
     "no memory for what a program prints"},
};

static const char *folder_of(int i)
{
    const char *folder = checks[i].body ? lab_folder("lab", checks[i].body) : test_path("lab");
    char text[400];

    if (checks[i].body)
        return folder;
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    snprintf(text, sizeof text, PROGRAM "%s;\n", checks[i].program);
    lab_put(folder, "lab.cfg", text);
    return folder;
}

START_TEST(check_accuses_nobody)
{
    struct ca_lab lab;
    struct ca_lab_report *report = calloc(1, sizeof *report);
    enum ca_status status;

    ck_assert_ok(ca_lab_read(&lab, folder_of(_i), &error));
    status = ca_lab_check(&lab, report, NULL, NULL, &error);
    ck_assert_msg(status == CA_OK && report->verdict != CA_LAB_RIGHT &&
                      report->verdict != CA_LAB_BROKEN,
                  "%d: %s%s", status, error.text, report->text);
    ca_lab_report_free(report);
    without = checks[_i].without;
    status = ca_lab_check(&lab, report, NULL, NULL, &error);
    without = NULL;
    ck_assert_msg(status == CA_NO_MEMORY, "%d: %s%s", status, error.text, report->text);
    ck_assert_contains(error.text, checks[_i].says);
    ca_lab_report_free(report);
    free(report);
}
END_TEST

/* --- processes below this one ----------------------------------------------------------------- */

static char other[16]; /* the name of the process in another session */

/* A process of the shell that starts one in another session, of that name. */
static enum ca_status start(struct ca_lab_process *process, struct ca_error *cause)
{
    static const char script[] = "cp /bin/sleep $0 && { setsid ./$0 60 & echo; wait; }";
    const char *const argv[] = {"sh", "-c", script, other, NULL};
    const struct ca_lab_launch launch = {.argv = argv,
                                         .folder = test_folder(),
                                         .give = {-1, -1},
                                         .cpu_s = 60,
                                         .memory_mb = 1024,
                                         .output_mb = 1};

    snprintf(other, sizeof other, "other%d", (int)getpid());
    return ca_lab_process_start(process, &launch, cause);
}

/* Too few threads would be allowed, or children that are another's would be ended. */
START_TEST(no_process_beside_unknown_ones)
{
    struct ca_lab_process process;

    if (_i == 0)
        ck_assert(descendants_adopt());
    else
        ck_assert_int_gt(descendants_threads(), 0);
    without = "opendir";
    ck_assert_int_eq(start(&process, &error), CA_NO_MEMORY);
    without = NULL;
    ck_assert_str_eq(error.text, "no memory for a list of processes");
    ca_lab_process_close(&process);
    ck_assert_ok(start(&process, &error));
    ca_lab_process_close(&process);
}
END_TEST

/* Waits until the process in the other session runs what it is meant to. */
static void wait_for_other(struct ca_lab_process *process)
{
    while (!strchr(process->said, '\n'))
        ck_assert_int_eq(ca_lab_process_wait(process, process->output, 30), CA_LAB_READY);
    while (test_process(other) == 0)
        ck_assert_int_eq(ca_lab_process_wait(process, -1, 0.01), CA_LAB_LATE);
}

/* None that is below is overlooked: neither its memory, nor itself when all are ended. */
START_TEST(list_is_read_again)
{
    struct ca_lab_process process;
    int64_t bytes;

    ck_assert_ok(start(&process, &error));
    wait_for_other(&process);
    bytes = descendants_memory();
    for (int i = 0; i < 2; i++) {
        without = i == 0 ? "opendir" : "fopen";
        good = bad = 1; /* of the shell's threads and of its children, which the other one is */
        ck_assert_int_ge(descendants_memory(), bytes);
        ck_assert_ptr_null(without);
    }
    without = "opendir";
    bad = 3;
    ca_lab_process_close(&process);
    ck_assert_ptr_null(without);
    ck_assert_int_eq(test_process(other), 0);
}
END_TEST

/* --- emulated programs ------------------------------------------------------------------------ */

/* Without its variables it would not end as one in which an error was found. */
START_TEST(program_runs_with_all_it_is_told)
{
    static const char script[] = "#!/bin/sh\nexit ${CALAB_EMULATED_STATUS:-0}\n";
    struct ca_emulation emulation = {.count = 0};

    snprintf(emulation.folder, sizeof emulation.folder, "%s", test_folder());
    ck_assert_int_eq(ca_emulate_run(&emulation, &error), CA_IO);
    ck_assert_contains(error.text, "cannot be started: No such file");
    test_put("program", script);
    ck_assert_int_eq(chmod(test_path("program"), 0700), 0);
    ck_assert_ok(ca_emulate_run(&emulation, &error));
    ck_assert_int_eq(emulation.status, 1);
    without = "setenv";
    ck_assert_int_eq(ca_emulate_run(&emulation, &error), CA_NO_MEMORY);
    ck_assert_contains(error.text, "cannot be started: Cannot allocate memory");
    without = NULL;
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {list_is_read_again, program_runs_with_all_it_is_told},
                     .table = {{check_accuses_nobody, COUNT(checks)},
                               {no_process_beside_unknown_ones, 2}});
}
