/* SPDX-License-Identifier: MIT */
/* What is said where libc has no memory for a process that is to be started, or for the report of
 * one: that there is none, not that the kernel or the program is wrong, and nothing is left out. */
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/emulate/emulate.h"
#include "core/lab/check.h"
#include "tests/lab_folder.h"
#include "tests/support.h"
#include "tests/support_lab.h"

/* --- libc's functions ------------------------------------------------------------------------- */

static const char *without; /* the function that has no memory; NULL: none, as good as always */

static bool fails(const char *name)
{
    if (!without || strcmp(name, without) != 0)
        return false;
    errno = ENOMEM;
    return true;
}

#define SAID "hello" /* first, by kernels and programs */
#define REAL(type, name) ((type)(uintptr_t)dlsym(RTLD_NEXT, name))

int putenv(char *variable)
{
    return fails("putenv") ? -1 : REAL(int (*)(char *), "putenv")(variable);
}

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

/* Of other texts, such as the paths of files, there are copies. */
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
    {WRONG, NULL, "putenv", "no memory to start '"},
    {WRONG, NULL, "open_memstream", "no memory for a map of the wrong cells"},
    {LOUD, NULL, "strdup", "no memory for what a kernel prints"},
    {NULL, "\"cp {input} out.npy; : {n}\"", "putenv", "no memory to start '/bin/sh'"},
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
    struct ca_error error;
    enum ca_status status;

    ck_assert_msg(ca_lab_read(&lab, folder_of(_i), &error) == CA_OK, "%s", error.text);
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

/* --- emulated programs ------------------------------------------------------------------------ */

/* Without its variables it would not end as one in which an error was found. */
START_TEST(program_runs_with_all_it_is_told)
{
    static const char script[] = "#!/bin/sh\nexit ${CALAB_EMULATED_STATUS:-0}\n";
    struct ca_emulation emulation = {.count = 0};
    struct ca_error error;

    snprintf(emulation.folder, sizeof emulation.folder, "%s", test_folder());
    ck_assert_int_eq(ca_emulate_run(&emulation, &error), CA_IO);
    ck_assert_contains(error.text, "cannot be started: No such file");
    test_write(test_path("program"), script, strlen(script));
    ck_assert_int_eq(chmod(test_path("program"), 0700), 0);
    ck_assert_msg(ca_emulate_run(&emulation, &error) == CA_OK, "%s", error.text);
    ck_assert_int_eq(emulation.status, 1);
    without = "setenv";
    ck_assert_int_eq(ca_emulate_run(&emulation, &error), CA_NO_MEMORY);
    ck_assert_contains(error.text, "cannot be started: Cannot allocate memory");
    without = NULL;
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("no_memory");
    TCase *tests = tcase_create("no_memory");

    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, check_accuses_nobody, 0, COUNT(checks));
    tcase_add_test(tests, program_runs_with_all_it_is_told);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
