/* SPDX-License-Identifier: MIT */
/* calab lab grade on a class: what each submission gets, that a bad one stops nobody, the forms of
 * the result, the reports for students, and a grade that is made again. */
#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/lab/time/time.h"
#include "core/machine/device.h"
#include "core/probe/probe.h"
#include "tests/support/lab_folder.h"
#include "tests/support/program.h"
#include "tests/students/student_cheats.h"
#include "tests/support/support.h"

static const char config_format[] =
    "version = 1; model = \"anneal\"; source = \"kernel.c\"; seeds = [3]; repeats = 1;\n"
    "sizes = [\"5x3\", \"32x32\", \"16x32\", \"64x64\"]; tile = [16, 16]; generations = [1, 3];\n"
    "limits : { seconds = %d.0; output_mb = 1; };\n"
    "points : { square = 40; uneven = 30; oblong = 20; speed = 10; };\n"
    "speed : { size = \"32x32\"; goal = 0.001; others = 100000.0; };\n";

static const char *config;

/* The clock of calab is hurried, and so is its limit of seconds. */
static void setup(void) { config = test_text(config_format, test_hurry_by(4)); }

/* Of each: its kernel, its points of the groups, and its causes. */
static const struct {
    const char *name, *body;
    double points; /* -1: some, but not all */
    const char *cause;
} class[] = {
    {"right", "STEP { GOOD; }", 100, "[]"},
    /* Right but at the edge of a lattice whose sides differ. */
    {"oblong", "STEP { GOOD; if (lab->w % 16 == 0 && lab->w != lab->h) out[0][3] ^= 1; }", 70,
     "cell"},
    {"square", "STEP { if (lab->w == lab->h && lab->w % 16 == 0) GOOD; else (void)out; }", 40,
     "unwritten"},
    {"broken", "STEP { int a = ; }", 0, "broken"},
    {"endless", "STEP { for (volatile int i = 1; i;) ; (void)good, (void)in, (void)out; }", 0,
     "slow"},
    {"crash", "STEP { GOOD; raise(SIGSEGV); }", 0, "crashed"},
    {"loud", "STEP { GOOD; for (;;) puts(\"and so on and so on and so on and so on\"); }", 0,
     "loud"},
    /* Wrong where memory holds what it does in a second run of a case alone. */
    {"second", "STEP { int before = out[0][0]; GOOD; if (before == 0x5a) out[0][0] ^= 1; }", 0,
     "known cases only"},
    /* Where it is timed, generations are drawn, too: none is 0. */
    {"late", "STEP { GOOD; if (MANY && lab->t == 0) out[0][0] ^= 1; }", 100, "[]"},
    /* A table of the first size. */
    {"table",
     "STEP { static int64_t w; if (!w) w = lab->w; GOOD; if (w != lab->w) out[0][0] ^= 1; }", -1,
     "static"},
    {"gone", NULL, 0, "not graded"},
};

static char folder[400], names[3000];

static void submission_put(const char *name, const char *body)
{
    const char *path = test_text("%s/%s", folder, name);

    mkdir(path, 0700);
    lab_put(path, "lab.cfg", config);
    lab_put(path, "kernel.c", test_text("%s%s\n", student_good, body));
}

static void make_class(void)
{
    size_t used = 0;

    snprintf(folder, sizeof folder, "%s", test_path("class"));
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    test_put("secret", "nobody knows 17");
    for (size_t i = 0; i < COUNT(class); i++) {
        if (class[i].body)
            submission_put(class[i].name, class[i].body);
        used +=
            (size_t)snprintf(names + used, sizeof names - used, " %s/%s", folder, class[i].name);
    }
}

static char *get(const char *path)
{
    size_t count;

    return test_read(path, &count);
}

static json_t *parse(const char *text)
{
    json_t *root = json_loads(text, 0, NULL);

    ck_assert_msg(root != NULL, "%s", text);
    return root;
}

static json_t *row_of(const json_t *root, const char *name)
{
    json_t *row;
    size_t i;

    json_array_foreach(json_object_get(root, "submissions"), i,
                       row) if (strcmp(json_text(row, "name"), name) == 0) return row;
    ck_abort_msg("%s is not graded", name);
    return NULL;
}

static json_int_t count_of(const json_t *root, const char *cause)
{
    const json_t *row;
    size_t i;

    json_array_foreach(json_object_get(root, "causes"), i,
                       row) if (strcmp(json_text(row, "cause"), cause) ==
                                0) return json_whole(row, "count");
    return 0;
}

static int commas(const char *line)
{
    int count = 0;

    for (; *line && *line != '\n'; line++)
        count += *line == ',';
    return count;
}

/* The secret and the sizes that only its cases have stand in nothing that is for students. */
static void check_reports(const json_t *root)
{
    for (size_t i = 0; i < COUNT(class); i++) {
        char *report;

        report = get(test_text("%s/reports/%s.md", folder, class[i].name));
        ck_assert_msg(!strstr(report, "nobody knows") && !strstr(report, "seed 1") &&
                          !strstr(report, "seed 2") && !strstr(report, "secret"),
                      "%s", report);
        ck_assert_contains(report, "points");
    }
    (void)root;
}

/* From the whole class on, with one of them mended. */
static void grade_again(const char *json)
{
    char path[500];
    const char *kept = test_path("class.json");
    struct outcome o;
    char *line;
    json_t *root;

    test_write(kept, json, strlen(json));
    snprintf(path, sizeof path, "%s/crash", folder);
    submission_put("crash", "STEP { GOOD; }");
    o = calab_good("lab grade -q --json --again %s --secret-seed %s %s", kept, test_path("secret"),
                   path);
    root = parse(o.out);
    ck_assert_uint_eq(json_array_size(json_object_get(root, "submissions")), COUNT(class));
    ck_assert(json_number(row_of(root, "crash"), "points") == 100);
    ck_assert_int_eq(count_of(root, "crashed"), 0);
    ck_assert_int_eq(count_of(root, "slow"), 1);
    ck_assert_int_eq(json_whole(root, "right"), 3);
    json_decref(root);

    submission_put("crash", "STEP { int a = ; }");
    o = calab("lab grade -q --csv --again %s --secret-seed %s %s", kept, test_path("secret"), path);
    line = o.out;
    for (size_t i = 0; i <= COUNT(class); i++) {
        ck_assert_msg(line && commas(line) >= 12, "%s", o.out);
        line = strchr(line, '\n');
        line += line != NULL;
    }
    ck_assert_msg(strncmp(o.out, "name,square,uneven,oblong,speed,points,of,ratio,low,high,", 56) ==
                      0,
                  "%s", o.out);
    ck_assert_contains(o.out, "\nbroken,0,0,0,0,0,100,,,,,broken,broken\n");

    o = calab("lab grade -q --markdown --again %s --secret-seed %s %s", kept, test_path("secret"),
              path);
    ck_assert_contains(o.out, "| name | square | uneven |", "\n- 2 does not compile\n");
    o = calab("lab grade -q --again %s --secret-seed %s %s", kept, test_path("secret"), path);
    ck_assert_contains(o.out, "right        40      30      20");
}

START_TEST(a_class)
{
    struct outcome o;
    json_t *root;

    make_class();
    o = calab("lab grade -q --json --reports %s/reports --secret-seed %s%s", folder,
              test_path("secret"), names);
    ck_assert_msg(o.status == 8, "%d: %s", o.status, o.err); /* "gone" is none */
    root = parse(o.out);
    for (size_t i = 0; i < COUNT(class); i++) {
        const json_t *row = row_of(root, class[i].name);
        char *causes = json_dumps(json_object_get(row, "causes"), 0), *text = json_dumps(row, 0);

        double points = json_number(row, "points");

        ck_assert_msg((class[i].points < 0 ? points < 60 : points == class[i].points) &&
                          json_number(row, "of") == 100 && strstr(causes, class[i].cause),
                      "%s: %g points, %s: %s", class[i].name, class[i].points, class[i].cause,
                      text);
        free(causes);
        free(text);
    }
    ck_assert_int_eq(count_of(root, "slow"), 1);
    ck_assert_int_eq(json_whole(root, "right"), 2);
    ck_assert(!strstr(o.out, "nobody knows"));
    check_reports(root);
    json_decref(root);
    grade_again(o.out);
}
END_TEST

/* The same secret asks for the same, and another one for something else; see test_lab_points. */
static const struct refusal refusals[] = {
    {"lab grade", 2, "needs the folders of submissions", ""},
    {"lab grade .", 2, "--secret-seed FILE", "standard input"},
    {"lab grade . --secret-seed /no/such/file", 8, "/no/such/file", "No such file"},
    {"lab grade . --secret-seed /dev/null", 2, "has 0 bytes", "/dev/urandom"},
    {"lab grade . --secret-seed Makefile --task ship", 2, "--task", "ship"},
    {"lab grade . --secret-seed Makefile --csv --json", 2, "exclude each other", ""},
    {"lab grade core ./core --secret-seed Makefile", 2, "both called core", ""},
    {"lab grade core tui --secret-seed Makefile --gradescope", 2, "one submission", "there are 2"},
    {"lab grade core --secret-seed Makefile --gradescope --junit", 2, "exclude each other", ""},
    {"lab grade core --secret-seed Makefile --secret-until due", 2, "--gradescope or --junit", ""},
    {"lab grade core --secret-seed Makefile --junit --secret-until soon", 2, "'soon'", "published"},
    {"lab calibrate nothing", 2, "no task 'nothing'", ""},
    {"lab check a b c", 2, "unexpected argument 'c'", ""},
};

/* Without a task the files lab.cfg have to agree: a student could change one's own. */
START_TEST(files_that_differ)
{
    static const char easy[] = "version = 1; model = \"anneal\"; source = \"kernel.c\";\n"
                               "sizes = [\"1x1\"];\n";
    struct outcome o;

    snprintf(folder, sizeof folder, "%s", test_path("class"));
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    test_put("secret", "nobody knows 17");
    submission_put("one", "STEP { GOOD; }");
    submission_put("other", "STEP { memset(out[0], 0, lab->w * lab->h); (void)good, (void)in; }");
    test_put("class/other/lab.cfg", easy);
    o = calab_fails(2, "ask for different things", "lab grade -q --secret-seed %s %s/one %s/other",
                    test_path("secret"), folder, folder);
    o = calab_good("lab grade -q --json --secret-seed %s --task %s/one %s/other",
                   test_path("secret"), folder, folder);
    ck_assert_contains(o.out, "\"cases\": 2", "\"right\": false");
}
END_TEST

/* The secret comes from standard input, and --again wants what --json has printed. */
START_TEST(from_standard_input)
{
    const struct surroundings given = {.stdin_text = "long enough"},
                              short_one = {.stdin_text = "x"};
    struct outcome o;

    snprintf(folder, sizeof folder, "%s", test_path("class"));
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    submission_put("broken", "STEP { int a = ; }");
    o = calab_good_in(&given, "lab grade -q --csv --secret-seed - %s/broken", folder);
    ck_assert_contains(o.out, "broken,0,");
    o = calab_in(&given, "lab grade -q --csv --secret-seed - %s/broken/.", folder);
    ck_assert_contains(o.out, "\nbroken,0,");
    o = calab_in(&short_one, "lab grade -q --secret-seed - %s/broken", folder);
    ck_assert_int_eq(o.status, 2);
    o = calab_in(&given, "lab grade -q --again %s/broken/kernel.c --secret-seed - %s/broken",
                 folder, folder);
    ck_assert_int_eq(o.status, 8);
    ck_assert_contains(o.err, "--again:");
    test_put("other.json", "{\"schema\": \"another\"}");
    o = calab_in(&given, "lab grade -q --again %s --secret-seed - %s/broken",
                 test_path("other.json"), folder);
    ck_assert_int_eq(o.status, 8);
    ck_assert_contains(o.err, "lab grade --json");
}
END_TEST

/* A lab with a right kernel that is timed beside the reference. */
static const char *timed_lab(const char *others)
{
    const char *made = test_path("timed");

    snprintf(folder, sizeof folder, "%s", test_folder());
    submission_put("timed", "STEP { GOOD; }");
    test_put(
        "timed/lab.cfg",
        test_text(
            "version = 1; model = \"anneal\"; source = \"kernel.c\"; sizes = [\"5x3\"];\n"
            "repeats = 1; against = \"reference\"; speed : { size = \"40x30\"; others = %s; };\n",
            others));
    return made;
}

START_TEST(a_check_tells_the_time)
{
    struct outcome o = calab("lab check -q %s", timed_lab("100000.0"));

    ck_assert_msg(o.status == 0, "%s%s", o.out, o.err);
    ck_assert_contains(o.out, "40x30: ", " a generation, reference ", " pairs of bursts ");
}
END_TEST

/* A process that is none of calab's computes meanwhile. */
START_TEST(others_use_the_machine)
{
    const char *made = timed_lab("0.0");
    struct outcome o;
    pid_t pid;

    unsetenv("LD_PRELOAD"); /* which would make of it a fraction of a core */
    pid = fork();
    if (pid == 0)
        for (volatile int i = 1; i;)
            ;
    ck_assert_int_gt(pid, 0);
    o = calab("lab check -q --json %s", made);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    ck_assert_msg(o.status == 0, "%s%s", o.out, o.err);
    ck_assert_contains(o.out, "\"state\": \"shared\"", "others used");
}
END_TEST

#define CPU_LOCK "/tmp/calab-lab-cpu.lock"

struct holder {
    int lock;
    bool asked; /* for it, by the program */
};

static bool always(void *context)
{
    (void)context;
    return true;
}

/* Gives the lock back once the program has opened it, or has ended without. */
static void hold_until_asked(pid_t pid, void *context)
{
    struct holder *holder = context;
    char path[64];
    int open = 1;

    snprintf(path, sizeof path, "/proc/%d/fd", pid);
    while (!holder->asked && open > 0) {
        DIR *fds = opendir(path);
        const struct dirent *entry;

        for (open = 0; fds && (entry = readdir(fds)) != NULL;) {
            char file[sizeof CPU_LOCK + 1] = "";

            open += entry->d_name[0] != '.';
            if (readlinkat(dirfd(fds), entry->d_name, file, sizeof file - 1) > 0)
                holder->asked |= strcmp(file, CPU_LOCK) == 0;
        }
        if (fds)
            closedir(fds);
        usleep(1000);
    }
    close(holder->lock);
}

/* Who times on the CPU asks for its lock, and goes on when it has it. That it waits for it is
 * tested in test_lab_points. */
START_TEST(another_grader_times)
{
    struct holder holder = {.lock = lab_use_lock("cpu", always, NULL)};
    const struct surroundings s = {.meanwhile = hold_until_asked, .context = &holder};
    struct outcome o;

    ck_assert_int_ge(holder.lock, 0);
    fcntl(holder.lock, F_SETFD, FD_CLOEXEC);
    o = calab_in(&s, "lab check -q --json %s", timed_lab("100000.0"));
    ck_assert_msg(o.status == 0, "%s%s", o.out, o.err);
    ck_assert(holder.asked);
    ck_assert_contains(o.out, "\"state\": \"timed\"");
}
END_TEST

/* By ceilings that somebody has measured on a machine a million times as slow. */
START_TEST(above_the_roofline)
{
    char cache[500];
    const char *const variables[] = {cache, NULL};
    const struct surroundings s = {.variable = variables};
    struct ca_probe probe = {.isa = ca_cpu_isa(), .logic_gops = {1e-6, 1e-6}};
    struct ca_device device;
    struct ca_error error;
    struct outcome o;

    ca_device_cpu(&device);
    snprintf(probe.cpu, sizeof probe.cpu, "%s", device.name);
    snprintf(probe.host, sizeof probe.host, "here");
    probe.threads = device.cores;
    for (int i = 0; i < CA_LEVELS; i++)
        for (int all = 0; all < 2; all++)
            probe.level[i].copy_gb[all] = probe.level[i].stream_gb[all] = 1e-6;
    setenv("XDG_CACHE_HOME", test_path("cache"), 1);
    snprintf(cache, sizeof cache, "XDG_CACHE_HOME=%s", test_path("cache"));
    ck_assert_msg(ca_file_parents(ca_probe_path(), &error) == CA_OK &&
                      ca_probe_write(&probe, ca_probe_path(), &error) == CA_OK,
                  "%s", error.text);
    o = calab_in(&s, "lab check -q --json %s", timed_lab("100000.0"));
    ck_assert_msg(o.status == 0, "%s%s", o.out, o.err);
    ck_assert_contains(o.out, "\"state\": \"above\"", "the figure is refused");
}
END_TEST

int main(void)
{
    return RUN_TESTS(.setup = setup,
                     .test = {a_class, files_that_differ, from_standard_input,
                              a_check_tells_the_time, others_use_the_machine, another_grader_times,
                              above_the_roofline},
                     .table = {{refusals_test(refusals), COUNT(refusals)}});
}
