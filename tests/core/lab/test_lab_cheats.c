/* SPDX-License-Identifier: MIT */
/* calab lab grade on kernels that cheat: none gets points for it, and honest ones beside them get
 * theirs. */
#include <errno.h>
#include <ftw.h>
#include <grp.h>
#include <jansson.h>
#include <linux/landlock.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/lab_folder.h"
#include "tests/support/program.h"
#include "tests/students/student_cheats.h"
#include "tests/support/support.h"

/* A rate that any right kernel reaches, unless it sleeps; and others may use what they like. */
static const char config_format[] =
    "version = 1; model = \"anneal\"; source = \"kernel.c\"; seeds = [3, 4]; repeats = 2;\n"
    "sizes = [\"5x3\", \"33x20\", \"64x64\", \"32x64\"]; tile = [8, 8];\n"
    "flags = \"-pthread\"; limits : { seconds = %d.0; };\n"
    "speed : { size = \"64x64\"; goal = 0.02; others = 100000.0; };\n";

static char secret[400];
static const char *config;

/* A kernel has so many seconds. The clock of calab is hurried, and so is its limit. */
static void limit_to(int seconds) { config = test_text(config_format, seconds * test_hurry_by(4)); }
static void setup(void) { limit_to(2); }

/* Writes a text in which FILE is the secret's path, and PROGRAM calab's. */
static void put_body(FILE *file, const char *text)
{
    while (*text) {
        /* The type of streams stays. */
        bool is_secret = strncmp(text, "FILE", 4) == 0 && strncmp(text, "FILE *", 6) != 0;
        bool is_program = strncmp(text, "PROGRAM", 7) == 0;

        if (is_secret || is_program)
            fputs(is_secret ? secret : test_program(), file);
        else
            fputc(*text, file);
        text += is_secret ? 4 : is_program ? 7 : 1;
    }
}

/* A kernel in a folder of the class. */
static void cheat_put(const char *folder, const char *name, const char *body)
{
    FILE *file;

    ck_assert_int_eq(mkdir(test_text("%s/%s", folder, name), 0700), 0);
    test_write(test_text("%s/%s/lab.cfg", folder, name), config, strlen(config));
    file = fopen(test_text("%s/%s/kernel.c", folder, name), "w");
    ck_assert_ptr_nonnull(file);
    fputs(student_good, file);
    put_body(file, body);
    fputc('\n', file);
    fclose(file);
}

static const json_t *row_of(const json_t *root, const char *name)
{
    const json_t *row;
    size_t i;

    json_array_foreach(json_object_get(root, "submissions"), i,
                       row) if (strcmp(json_text(row, "name"), name) == 0) return row;
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
    double points = json_number(row, "points");

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
    static const char *const variable[] = {"TEACHER=me", NULL};
    const struct surroundings surroundings = {.variable = variable};
    struct outcome o;
    json_t *root;

    o = calab_in(&surroundings, "lab grade -q --json --secret-seed %s%s", secret, folders);
    root = outcome_json(&o);
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

        cheat_put(folder, c->name, c->body);
        used += (size_t)snprintf(folders + used, sizeof folders - used, " %s/%s", folder, c->name);
    }
    root = grade(folders);
    for (int i = 0; i < AT_ONCE && student_cheats[AT_ONCE * _i + i].name; i++) {
        const struct student_cheat *c = &student_cheats[AT_ONCE * _i + i];

        if (can_hide() || (strcmp(c->name, "secret") != 0 && strcmp(c->name, "include") != 0))
            expect(root, c);
    }
}
END_TEST

/* --- systems that allow less ------------------------------------------------------------------ */

/* From now on no process here gets namespaces. */
static void refuse_namespaces(void)
{
    static const int flags[] = {CLONE_NEWNS,  CLONE_NEWUSER, CLONE_NEWPID,   CLONE_NEWIPC,
                                CLONE_NEWNET, CLONE_NEWUTS,  CLONE_NEWCGROUP};

    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);

    ck_assert_ptr_nonnull(filter);
    seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS));
    seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(unshare), 0);
    seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
    for (size_t i = 0; i < COUNT(flags); i++)
        seccomp_rule_add(
            filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
            SCMP_A0(SCMP_CMP_MASKED_EQ, (scmp_datum_t)flags[i], (scmp_datum_t)flags[i]));
    ck_assert_int_eq(seccomp_load(filter), 0);
    seccomp_release(filter);
}

#define ANYBODY 61184

static int give_one(const char *path, const struct stat *facts, int kind, struct FTW *at)
{
    (void)facts, (void)kind, (void)at;
    return lchown(path, ANYBODY, ANYBODY);
}

/* Root becomes somebody else, who gets the test's folder; others are somebody else already. */
static void become_anybody(void)
{
    if (geteuid() != 0)
        return;
    ck_assert_int_eq(nftw(test_folder(), give_one, 16, FTW_PHYS), 0);
    ck_assert_int_eq(setgroups(0, NULL), 0);
    ck_assert_int_eq(setresgid(ANYBODY, ANYBODY, ANYBODY), 0);
    ck_assert_int_eq(setresuid(ANYBODY, ANYBODY, ANYBODY), 0);
}

/* Whether the grade says that a wall is in force. */
static bool holds(const json_t *root, const char *wall)
{
    const json_t *said = json_object_get(json_object_get(root, "walls"), wall);

    ck_assert_msg(json_is_boolean(said), "%s", wall);
    return json_is_true(said);
}

static const struct {
    bool refused, anybody; /* namespaces; not root */
} systems[] = {{false, true}, {true, false}, {true, true}};

START_TEST(walls_hold_on_every_system)
{
    const char *folder = make_class();
    char folders[2000] = "";
    bool root_here = geteuid() == 0 && !systems[_i].anybody;
    size_t used = 0;
    json_t *root;

    limit_to(20); /* all of them end, and some start programs */
    for (const struct student_cheat *c = student_cheats; c->name; c++)
        if (c->walls) {
            cheat_put(folder, c->name, c->body);
            used +=
                (size_t)snprintf(folders + used, sizeof folders - used, " %s/%s", folder, c->name);
        }
    cheat_put(folder, "honest", "STEP { GOOD; }");
    snprintf(folders + used, sizeof folders - used, " %s/honest", folder);
    if (systems[_i].anybody)
        become_anybody();
    if (systems[_i].refused)
        refuse_namespaces();
    root = grade(folders);
    for (const struct student_cheat *c = student_cheats; c->name; c++)
        if (c->walls && (can_hide() || strcmp(c->name, "parent") != 0))
            expect(root, c);
    ck_assert_double_eq(json_number(row_of(root, "honest"), "points"), 100);
    ck_assert(holds(root, "seccomp"));
    ck_assert(holds(root, "landlock") == can_hide());
    ck_assert(!systems[_i].refused || (!holds(root, "mounts") && !holds(root, "processes")));
    ck_assert(!holds(root, "uid") || root_here);
}
END_TEST

/* What lab.cfg names is inherited, and nothing else of the kind. */
START_TEST(variables_that_are_named)
{
    static const char *const variable[] = {"NAMED=1",  "GROUP_OF=1", "GROUP=1",
                                           "OMP_OF=1", "OTHER=1",    NULL};
    const struct surroundings surroundings = {.variable = variable};
    const char *folder = make_class();
    char keys[1000], path[600];
    struct outcome o;

    cheat_put(folder, "named",
              "STEP { if (getenv(\"NAMED\") && getenv(\"GROUP_OF\") && getenv(\"OMP_OF\") &&\n"
              "!getenv(\"GROUP\") && !getenv(\"OTHER\") && getenv(\"HOME\")) GOOD;\n"
              "else memset(out[0], 7, lab->w * lab->h); }");
    snprintf(keys, sizeof keys, "%s environment = [\"NAMED\", \"GROUP_\"];\n", config);
    snprintf(path, sizeof path, "%s/named", folder);
    lab_put(path, "lab.cfg", keys);
    o = calab_good_in(&surroundings, "lab grade -q --json --secret-seed %s %s", secret, path);
    ck_assert_contains(o.out, "\"right\": true");
}
END_TEST

/* What is handed in may be calab, since it cannot be read from where it lies. */
static void calab_copy(const char *folder)
{
    size_t size;
    char *bytes = test_read(test_program(), &size);
    const char *to = test_text("%s/other", folder);

    test_write(to, bytes, size);
    ck_assert_int_eq(chmod(to, 0755), 0);
}

/* A Makefile that asks calab, when a whole program is built. */
START_TEST(build_asks_calab)
{
    const char *folder = make_class();
    struct outcome o;

    calab_copy(folder);
    lab_put(folder, "Makefile", "all:\n\tcp other solver && ./solver --version\n");
    lab_put(folder, "lab.cfg",
            "version = 1; model = \"anneal\"; program = \"./solver {n} {input}\";\n"
            "output = \"out.npy\";\n");
    o = calab("lab check %s", folder);
    ck_assert_int_eq(o.status, 4);
    ck_assert_contains(o.out, "it does not start within a submission");
}
END_TEST

/* --- what is left of a grade that is ended ---------------------------------------------------- */

struct ending {
    char name[16]; /* of the process that goes on and on */
    int signal;
};

static void send_once_it_runs(pid_t pid, void *context)
{
    const struct ending *ending = context;
    const struct timespec pause = {0, 5000000};

    while (test_process(ending->name) == 0 && kill(pid, 0) == 0)
        nanosleep(&pause, NULL);
    kill(pid, ending->signal);
}

/* Whether it ends. The kernel of Linux ends it after its parent, which is not waited for. */
static bool has_ended(const char *name)
{
    const struct timespec pause = {0, 5000000};

    for (int look = 0; look < 6000; look++) {
        if (test_process(name) == 0)
            return true;
        nanosleep(&pause, NULL);
    }
    return false;
}

static const int endings[] = {SIGTERM, SIGINT, SIGHUP, SIGKILL};

static void end_while_it_runs(struct ending *ending, const char *cc, const char *folder)
{
    char temporary[500];
    const char *const variable[] = {temporary, cc, NULL};
    const struct surroundings surroundings = {
        .variable = variable, .meanwhile = send_once_it_runs, .context = ending};
    struct outcome o;

    snprintf(temporary, sizeof temporary, "TMPDIR=%s", test_path("tmp"));
    ck_assert(mkdir(test_path("tmp"), 0711) == 0);
    ck_assert(chmod(test_folder(), 0711) == 0);
    signal(ending->signal, SIG_DFL); /* below nohup it is ignored, and stays so */
    o = calab_in(&surroundings, "lab grade -q --json --secret-seed %s %s/hangs", secret, folder);
    ck_assert_msg(o.status == 128 + ending->signal, "%d: %s%s", o.status, o.out, o.err);
    ck_assert(has_ended(ending->name));
    if (ending->signal != SIGKILL) /* after which nobody is there to remove it */
        ck_assert_msg(rmdir(test_path("tmp")) == 0, "the temporary folder is not empty");
}

/* A compiler that does not end. */
START_TEST(no_compiler_is_left)
{
    const char *folder = make_class();
    struct ending ending = {.signal = endings[_i]};
    char cc[500];

    snprintf(ending.name, sizeof ending.name, "cc%d", (int)getpid());
    lab_put(folder, ending.name, test_text("#!/bin/sh\nwhile :; do sleep 100; done\n"));
    snprintf(cc, sizeof cc, "CC=%s/%s", folder, ending.name);
    ck_assert_int_eq(chmod(cc + 3, 0755), 0);
    ck_assert_int_eq(chmod(folder, 0711), 0);
    cheat_put(folder, "hangs", "STEP { GOOD; }");
    end_while_it_runs(&ending, cc, folder);
}
END_TEST

/* Whether what a killed calab leaves can be ended by the end of its namespace. */
static bool has_namespaces(void)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0)
        _exit(unshare((geteuid() == 0 ? 0 : CLONE_NEWUSER) | CLONE_NEWPID) != 0);
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

/* A kernel that does not end, and what it has started. */
START_TEST(no_kernel_is_left)
{
    const char *folder = make_class();
    struct ending ending = {.signal = endings[_i]};
    char body[300];

    if (ending.signal == SIGKILL && !has_namespaces())
        return;
    snprintf(ending.name, sizeof ending.name, "kernel%d", (int)getpid());
    snprintf(body, sizeof body,
             "STEP { GOOD; if (fork() == 0) { setsid(); prctl(PR_SET_NAME, \"%s\");\n"
             "for (;;) pause(); } for (;;) sleep(1); }",
             ending.name);
    cheat_put(folder, "hangs", body);
    end_while_it_runs(&ending, "LANG=C", folder);
}
END_TEST

/* --- reports ---------------------------------------------------------------------------------- */

/* One that cannot be written costs nothing but itself. */
START_TEST(report_that_cannot_be_written)
{
    const char *folder = make_class();
    struct outcome o;
    json_t *root;

    cheat_put(folder, "first", "STEP { GOOD; }");
    cheat_put(folder, "second", "STEP { GOOD; }");
    ck_assert_int_eq(mkdir(test_text("%s/reports", folder), 0700), 0);
    ck_assert_int_eq(mkdir(test_text("%s/reports/first.md", folder), 0700), 0);
    o = calab_fails(8, "1 of 2 reports could not be written",
                    "lab grade -q --json --secret-seed %s --reports %s/reports %s", secret, folder,
                    test_text("%s/first %s/second", folder, folder));
    ck_assert_contains(o.err, "first.md");
    root = outcome_json(&o);
    ck_assert_ptr_nonnull(json_object_get(row_of(root, "first"), "no_report"));
    ck_assert_ptr_null(json_object_get(row_of(root, "second"), "no_report"));
    ck_assert_double_eq(json_number(row_of(root, "first"), "points"), 100);
    ck_assert_int_eq(access(test_text("%s/reports/second.md", folder), R_OK), 0);
}
END_TEST

START_TEST(honest_ones_have_theirs)
{
    const char *folder = make_class();
    json_t *root;

    cheat_put(folder, "honest", "STEP { GOOD; }");
    cheat_put(folder, "stopped", stopped);
    root = grade(test_text(" %s/honest %s/stopped", folder, folder));
    for (int i = 0; i < 2; i++) {
        const json_t *row = row_of(root, i ? "stopped" : "honest");
        char *text = json_dumps(row, 0);

        ck_assert_msg(json_number(row, "points") == 100, "%s", text);
        free(text);
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS(.setup = setup,
                     .test = {build_asks_calab, variables_that_are_named,
                              report_that_cannot_be_written, honest_ones_have_theirs},
                     .table = {{no_cheat_has_points, 7},
                               {walls_hold_on_every_system, COUNT(systems)},
                               {no_compiler_is_left, COUNT(endings)},
                               {no_kernel_is_left, COUNT(endings)}});
}
