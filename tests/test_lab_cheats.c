/* SPDX-License-Identifier: MIT */
/* calab lab grade on kernels that cheat: none gets points for it, and honest ones beside them get
 * theirs. */
#include <jansson.h>
#include <linux/landlock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/program.h"
#include "tests/student_cheats.h"
#include "tests/support.h"

/* A rate that any right kernel reaches, unless it sleeps; and others may use what they like. */
static const char config[] =
    "version = 1; model = \"anneal\"; source = \"kernel.c\"; seeds = [3, 4]; repeats = 2;\n"
    "sizes = [\"5x3\", \"33x20\", \"64x64\", \"32x64\"]; tile = [8, 8];\n"
    "flags = \"-pthread\"; limits : { seconds = 2.0; };\n"
    "speed : { size = \"64x64\"; goal = 0.01; others = 100000.0; };\n";

static char secret[400];

/* A kernel in a folder of the class, in which FILE is the secret's path. */
static void put(const char *folder, const char *name, const char *body)
{
    char path[600], *mark;
    const char *rest = body;
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/%s/lab.cfg", folder, name);
    test_write(path, config, strlen(config));
    snprintf(path, sizeof path, "%s/%s/kernel.c", folder, name);
    file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(student_good, file);
    while ((mark = strstr(rest, "FILE")) != NULL &&
           strncmp(mark, "FILE *", 6) != 0) { /* the type of streams stays */
        fprintf(file, "%.*s%s", (int)(mark - rest), rest, secret);
        rest = mark + 4;
    }
    fprintf(file, "%s\n", rest);
    fclose(file);
}

static const json_t *row_of(const json_t *root, const char *name)
{
    const json_t *row;
    size_t i;

    json_array_foreach(json_object_get(root, "submissions"), i,
                       row) if (strcmp(json_string_value(json_object_get(row, "name")), name) ==
                                0) return row;
    ck_abort_msg("%s is not graded", name);
    return NULL;
}

/* Without Landlock a file cannot be hidden: calab-lab(7). */
static bool can_hide(void)
{
    return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) >= 1;
}

static void expect(const json_t *root, const struct student_cheat *cheat)
{
    const json_t *row = row_of(root, cheat->name);
    char *text = json_dumps(row, 0), *causes = json_dumps(json_object_get(row, "causes"), 0);
    double points = json_number_value(json_object_get(row, "points"));

    if (!(points <= cheat->points) || !strstr(causes, cheat->cause) || !strstr(text, cheat->text))
        ck_abort_msg("%s: at most %g points, %s, %s: %s", cheat->name, cheat->points, cheat->cause,
                     cheat->text, text);
    free(text);
    free(causes);
}

/* Right, if its processes are stopped while it is not its turn: then its child's stop is told it.
 */
static const char stopped[] =
    "static volatile int stops;\n"
    "static void told(int signal, siginfo_t *how, void *none) { (void)signal, (void)none;\n"
    "stops += how->si_code == CLD_STOPPED; }\n"
    "STEP { static pid_t child; struct sigaction action = {.sa_sigaction = told,\n"
    ".sa_flags = SA_SIGINFO | SA_RESTART}; if (!child) { sigaction(SIGCHLD, &action, NULL);\n"
    "child = fork(); if (child == 0) for (;;) pause(); }\n"
    "GOOD; if (MANY && stops == 0) out[0][0] ^= 1; }";

static json_t *grade(const char *folders)
{
    struct outcome o;
    json_t *root;

    o = calab("lab grade -q --json --secret-seed %s%s", secret, folders);
    root = json_loads(o.out, 0, NULL);
    ck_assert_msg(root != NULL, "%s", o.err);
    outcome_free(&o);
    return root;
}

static const char *make_class(void)
{
    const char *folder = test_path("class");

    snprintf(secret, sizeof secret, "%s", test_path("secret"));
    test_write(secret, "0123456789abcdef", 16);
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    return folder;
}

/* Some at a time, as a test of a program must not be silent for long. */
#define AT_ONCE 3
START_TEST(no_cheat_has_points)
{
    const char *folder = make_class();
    char folders[2000] = "";
    size_t used = 0;
    json_t *root;

    for (int i = 0; i < AT_ONCE && student_cheats[AT_ONCE * _i + i].name; i++) {
        const struct student_cheat *c = &student_cheats[AT_ONCE * _i + i];

        put(folder, c->name, c->body);
        used += (size_t)snprintf(folders + used, sizeof folders - used, " %s/%s", folder, c->name);
    }
    root = grade(folders);
    for (int i = 0; i < AT_ONCE && student_cheats[AT_ONCE * _i + i].name; i++) {
        const struct student_cheat *c = &student_cheats[AT_ONCE * _i + i];

        if (can_hide() || (strcmp(c->name, "secret") != 0 && strcmp(c->name, "include") != 0))
            expect(root, c);
    }
    json_decref(root);
}
END_TEST

START_TEST(honest_ones_have_theirs)
{
    const char *folder = make_class();
    char folders[2000];
    json_t *root;

    put(folder, "honest", "STEP { GOOD; }");
    put(folder, "stopped", stopped);
    snprintf(folders, sizeof folders, " %s/honest %s/stopped", folder, folder);
    root = grade(folders);
    for (int i = 0; i < 2; i++) {
        const json_t *row = row_of(root, i ? "stopped" : "honest");
        char *text = json_dumps(row, 0);

        ck_assert_msg(json_number_value(json_object_get(row, "points")) == 100, "%s", text);
        free(text);
    }
    json_decref(root);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lab_cheats");
    TCase *group = tcase_create("lab_cheats");

    tcase_set_timeout(group, 240);
    tcase_add_loop_test(group, no_cheat_has_points, 0, 5);
    tcase_add_test(group, honest_ones_have_theirs);
    suite_add_tcase(suite, group);
    return run_suite(suite);
}
