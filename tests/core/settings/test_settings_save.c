/* SPDX-License-Identifier: MIT */
/* core/settings: files that are wrong and left alone, and saves that are disturbed. */
#include <fcntl.h>
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/files/lock.h"
#include "tests/support/support.h"
#include "tests/support/support_settings.h"

static struct ca_error error;

/* libconfig forgets the string it was reading where a file ends or breaks in the middle of one. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libconfig\n"; }
const char *__lsan_default_options(void);
const char *__lsan_default_options(void) { return "print_suppressions=0"; }

static void expect_text(const char *path, const char *text)
{
    char *bytes = test_read(path, NULL);

    ck_assert_str_eq(bytes, text);
}

static const struct {
    const char *text;
    const char *parts[3];
} bad_files[] = {
    {"version = 1;\nworkbench : { fps = ; };\n", {"bad.cfg:2: syntax error"}},
    {"version = 1;\nworkbench : { fps = 10\n", {"bad.cfg:", "syntax error"}},
    {"version = 2;\n", {"bad.cfg:1: version: '2'", "knows 1"}},
    {"version = \"one\";\n", {"bad.cfg:1: version"}},
    {"model = \"fph\";\n", {"bad.cfg:1: model: 'fph'", "'fhp'?"}},
    {"workbench = 5;\n", {"bad.cfg:1: workbench: a number where a group"}},
    {"workbench : {\n fps = 61;\n};\n", {"bad.cfg:2: fps = '61'", "1 ... 60"}},
    {"workbench : {\n fps = \"10\";\n};\n",
     {"bad.cfg:2: fps: a string where a number", "1 ... 60"}},
    {"workbench : {\n fps = 2.5;\n};\n", {"bad.cfg:2: fps = '2.5'", "1 ... 60"}},
    {"workbench : {\n speed = NaN;\n};\n", {"bad.cfg:2: syntax error"}},
    {"workbench : {\n speed = 1e999;\n};\n", {"bad.cfg:2: speed = 'inf'", "0 ... "}},
    {"workbench : {\n mouse = true;\n};\n", {"bad.cfg:2: mouse: true or false", "auto | off | on"}},
    {"workbench : {\n colours = \"dark\";\n};\n", {"bad.cfg:2: colours = 'dark'", "high-contrast"}},
    {"workbench : {\n panels = \"timing foo\";\n};\n",
     {"bad.cfg:2: panels = 'timing foo'", "observables | device | log"}},
    {"workbench : {\n stride = 99999999999;\n};\n", {"bad.cfg:2: 99999999999", "32 bits"}},
    {"keys = [];\n", {"bad.cfg:1: keys: a list where a group"}},
    {"keys : {\n run = { };\n};\n", {"bad.cfg:2: run: the names of keys"}},
    {"models = 1;\n", {"bad.cfg:1: models: a number where a group"}},
    {"models : {\n anneal = 1;\n};\n", {"bad.cfg:2: anneal: a number where a group"}},
    {"models : { anneal : {\n backend = \"no\"; }; };\n",
     {"bad.cfg:2: backend: 'no'", "reference"}},
    {"models : { anneal : {\n size = \"0x1\"; }; };\n", {"bad.cfg:2: size", "1 ..."}},
    {"models : { anneal : {\n seed = \"x\"; }; };\n", {"bad.cfg:2: seed: 'x'"}},
    {"models : { anneal : {\n init = \"x\"; }; };\n", {"bad.cfg:2: init: 'x'", "crand"}},
    {"models : { anneal : {\n axis = \"zz\"; }; };\n", {"bad.cfg:2: axis = 'zz'", "xy | xz | yz"}},
    {"models : { anneal : {\n zoom = 0; }; };\n", {"bad.cfg:2: zoom = '0'", "1 ..."}},
    {"models : { anneal : {\n generation = -1; }; };\n", {"bad.cfg:2: generation: '-1'", "0 ..."}},
    {"models : { anneal : { parameters : {\n density = -0.5; }; }; };\n",
     {"bad.cfg:2: density = '-0.5'", "0 ... 1"}},
    {"models : { anneal : { backend = \"threads\"; options : {\n threads = 5000; }; }; };\n",
     {"bad.cfg:2: threads = '5000'", "0 ... 1024"}},
};

START_TEST(bad_files_are_left_alone)
{
    const char *path = test_path("bad.cfg");
    struct ca_settings *settings;
    struct ca_saved_view memory;
    char note[CA_TEXT_MAX];
    int unknown;

    test_settings_write(path, bad_files[_i].text);
    ck_assert_int_eq(ca_settings_open(&settings, path, &error), CA_SETTINGS);
    for (int p = 0; p < 3 && bad_files[_i].parts[p]; p++)
        ck_assert_contains(error.text, bad_files[_i].parts[p]);
    ck_assert_int_eq((int)ca_setting_number(settings, CA_SETTING_FPS), 10);
    test_settings_set(settings, "fps", "20"); /* counts for this run */
    ck_assert_int_eq((int)ca_setting_number(settings, CA_SETTING_FPS), 20);
    ca_settings_recall(settings, test_model("anneal"), &memory);
    ca_settings_remember(settings, &memory);
    test_settings_end(settings, path);
    expect_text(path, bad_files[_i].text);
    if (!strstr(bad_files[_i].text, "model = ")) {
        ck_assert_int_eq(ca_settings_check(path, NULL, &unknown, note, &error), CA_SETTINGS);
        ck_assert_contains(error.text, "bad.cfg:");
    }
}
END_TEST

START_TEST(files_that_cannot_be_read)
{
    struct ca_settings *settings;

    ck_assert_int_eq(ca_settings_open(&settings, test_folder(), &error), CA_IO);
    ck_assert_contains(error.text, "not a regular file");
    test_settings_set(settings, "fps", "20");
    test_settings_save(settings);
    ca_settings_close(settings);
}
END_TEST

/* Two of us, or somebody with an editor: only what we changed goes into what is there now. */
START_TEST(edited_meanwhile)
{
    const char *path = test_path("both.cfg");
    struct ca_settings *one, *two;
    char *text;

    test_settings_write(path, "version = 1;\nworkbench : { fps = 5; };\n");
    one = test_settings_open(path);
    two = test_settings_open(path);
    test_settings_set(one, "stride", "3");
    ca_settings_set_model(one, test_model("fhp"));
    test_settings_save(one);
    test_settings_set(two, "fps", "6");
    test_settings_save(two);
    text = test_read(path, NULL);
    ck_assert_contains(text, "fps = 6", "stride = 3", "model = \"fhp\"");

    test_settings_write(path, "oops = ;\n");
    test_settings_set(one, "fps", "9");
    ck_assert_int_eq(ca_settings_save(one, &error), CA_SETTINGS);
    ck_assert_contains(error.text, "both.cfg:1: syntax error");
    test_settings_save(one);
    expect_text(path, "oops = ;\n");
    ca_settings_close(one);
    ca_settings_close(two);
}
END_TEST

START_TEST(mode_and_links_are_kept)
{
    const char *path = test_path("real.cfg");
    struct ca_settings *settings;
    struct stat status;

    test_settings_write(path, "version = 1;\n");
    ck_assert_int_eq(chmod(path, 0604), 0);
    ck_assert_int_eq(symlink("real.cfg", test_path("link.cfg")), 0);
    settings = test_settings_open(test_path("link.cfg"));
    test_settings_set(settings, "fps", "20");
    test_settings_end(settings, path);
    ck_assert_int_eq(lstat(test_path("link.cfg"), &status), 0);
    ck_assert(S_ISLNK(status.st_mode));
    ck_assert_int_eq(stat(path, &status), 0);
    ck_assert_int_eq(status.st_mode & 0777, 0604);
    settings = test_settings_open(path);
    ck_assert_int_eq((int)ca_setting_number(settings, CA_SETTING_FPS), 20);
    ca_settings_close(settings);
}
END_TEST

static int temporaries(void)
{
    DIR *folder = opendir(test_folder());
    struct dirent *entry;
    int count = 0;

    while ((entry = readdir(folder)) != NULL)
        count += strstr(entry->d_name, ".tmp") != NULL;
    closedir(folder);
    return count;
}

START_TEST(a_save_that_is_cut_off)
{
    static const char text[] = "version = 1;\nworkbench : { fps = 5; };\n";
    struct rlimit limit, tight = {20, RLIM_INFINITY};
    const char *path = test_path("cut.cfg");
    struct ca_settings *settings;

    test_settings_write(path, text);
    settings = test_settings_open(path);
    test_settings_set(settings, "fps", "20");
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit);
    tight.rlim_max = limit.rlim_max;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &tight), 0);
    ck_assert_int_eq(ca_settings_save(settings, &error), CA_IO);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ck_assert_contains(error.text, "cut.cfg: File too large");
    expect_text(path, text);
    ck_assert_int_eq(temporaries(), 0);
    test_settings_save(settings); /* room again: what was not saved then is now */
    ca_settings_close(settings);
    settings = test_settings_open(path);
    ck_assert_int_eq((int)ca_setting_number(settings, CA_SETTING_FPS), 20);
    ca_settings_close(settings);
}
END_TEST

/* The run of a model is that of the one who saved last, other settings are those of both. */
START_TEST(runs_are_not_mixed)
{
    const char *path = test_path("runs.cfg");
    struct ca_settings *one, *two;
    struct ca_saved_view view;
    char *text;

    test_settings_write(path, "version = 1;\nmodels : { fhp : { seed = 7; future = 1; "
                              "parameters : { density = 0.5; }; }; };\n");
    one = test_settings_open(path);
    two = test_settings_open(path);
    ca_settings_recall(one, test_model("fhp"), &view);
    ca_experiment_set(&view.experiment, "seed", "8", CA_FROM_WORKBENCH, NULL, &error);
    ca_experiment_set(&view.experiment, "set", "p_force=0.25", CA_FROM_WORKBENCH, NULL, &error);
    ca_values_set(&view.experiment.initial_view, CA_INITIAL_PACE, "3", CA_FROM_WORKBENCH, NULL,
                  &error);
    ca_settings_remember(one, &view);
    test_settings_set(one, "stride", "3");
    test_settings_save(one);
    ca_settings_recall(two, test_model("fhp"), &view);
    ca_experiment_set(&view.experiment, "size", "64x32", CA_FROM_WORKBENCH, NULL, &error);
    ca_settings_remember(two, &view);
    test_settings_set(two, "fps", "6");
    test_settings_save(two);
    ca_settings_close(one);
    ca_settings_close(two);

    one = test_settings_open(path);
    ca_settings_recall(one, test_model("fhp"), &view);
    ck_assert_uint_eq(view.experiment.seed, 7);
    ck_assert_int_eq(view.experiment.size.w, 64);
    ck_assert(ca_real(&view.experiment.params, "p_force") == 0);
    ck_assert(ca_real(&view.experiment.params, "density") == 0.5);
    ck_assert(view.experiment.initial_view.value[CA_INITIAL_PACE].number == 3);
    ck_assert(ca_setting_number(one, CA_SETTING_FPS) == 6);
    ck_assert(ca_setting_number(one, CA_SETTING_STRIDE) == 3);
    ca_settings_close(one);
    text = test_read(path, NULL);
    ck_assert_contains(text, "future = 1");
}
END_TEST

/* A run whose state is saved goes over that of another calab, though nothing of it has changed. */
START_TEST(a_run_is_claimed)
{
    const char *path = test_path("claimed.cfg");
    struct ca_settings *one, *two;
    struct ca_saved_view view;

    test_settings_write(path, "version = 1;\nmodels : { fhp : { seed = 7; }; };\n");
    one = test_settings_open(path);
    two = test_settings_open(path);
    ca_settings_recall(two, test_model("fhp"), &view);
    ca_experiment_set(&view.experiment, "seed", "8", CA_FROM_WORKBENCH, NULL, &error);
    ca_settings_remember(two, &view);
    test_settings_set(two, "fps", "6");
    test_settings_save(two);
    if (_i)
        ca_settings_claim_run(one, test_model("fhp"));
    test_settings_save(one);
    ca_settings_close(one);
    ca_settings_close(two);

    one = test_settings_open(path);
    ca_settings_recall(one, test_model("fhp"), &view);
    ck_assert_uint_eq(view.experiment.seed, _i ? 7 : 8);
    ck_assert(ca_setting_number(one, CA_SETTING_FPS) == 6);
    ca_settings_close(one);
}
END_TEST

#define WRITERS 4
#define SAVES 60

/* On a busy machine the others may have the lock for longer than a save waits, which it says; the
 * workbench then saves again, as here. */
static void save_patiently(struct ca_settings *settings)
{
    while (ca_settings_save(settings, &error) != CA_OK)
        ck_assert_msg(strstr(error.text, "another calab is writing it") != NULL, "%s", error.text);
}

/* Each sets a key of its own again and again; none of the last ones may be missing. */
START_TEST(no_change_of_several_writers_is_lost)
{
    const char *path = test_path("shared.cfg");
    pid_t child[WRITERS];
    char *text;

    for (int w = 0; w < WRITERS; w++) {
        child[w] = fork();
        ck_assert_int_ge(child[w], 0);
        if (child[w] == 0) {
            struct ca_settings *settings = test_settings_open(path);

            for (int i = 0; i < SAVES; i++) {
                char name[32], value[32];

                snprintf(name, sizeof name, "writer%d_%d", w, i);
                snprintf(value, sizeof value, "v%d", i);
                ca_settings_set_key(settings, name, value);
                save_patiently(settings);
            }
            _exit(0);
        }
    }
    for (int w = 0; w < WRITERS; w++) {
        int status;

        ck_assert_int_eq(waitpid(child[w], &status, 0), child[w]);
        ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    text = test_read(path, NULL);
    for (int w = 0; w < WRITERS; w++)
        for (int i = 0; i < SAVES; i++) {
            char line[64];

            snprintf(line, sizeof line, "writer%d_%d = \"v%d\"", w, i, i);
            ck_assert_msg(strstr(text, line) != NULL, "%s is lost", line);
        }
}
END_TEST

/* Nor is one lost to a writer that does not come to its end: it is tried again. */
START_TEST(a_lock_that_is_held)
{
    const char *path = test_path("held.cfg");
    struct ca_settings *settings = test_settings_open(path);
    char *text;
    int fd;

    test_settings_set(settings, "fps", "5");
    test_settings_save(settings);
    fd = open(test_path("held.cfg.lock"), O_RDWR);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(ca_lock_try(fd), CA_LOCK_GOT);
    test_settings_set(settings, "fps", "6");
    ck_assert_int_eq(ca_settings_save(settings, &error), CA_IO);
    ck_assert_contains(error.text, "held.cfg: another calab is writing it");
    close(fd);
    test_settings_save(settings);
    text = test_read(path, NULL);
    ck_assert_contains(text, "fps = 6");
    ca_settings_close(settings);
}
END_TEST

/* Killed at a random moment while it saves again and again: the file is always a whole one. */
START_TEST(killed_while_saving)
{
    const char *path = test_path("killed.cfg");
    uint64_t random = test_seed();

    test_settings_write(path, "version = 1;\nworkbench : { fps = 1; };\nfuture = \"kept\";\n");
    for (int round = 0; round < 20; round++) {
        pid_t child = fork();
        struct ca_settings *settings;
        char *text;
        int status;

        ck_assert_int_ge(child, 0);
        if (child == 0) {
            settings = test_settings_open(path);
            for (int i = 0;; i++) {
                test_settings_set(settings, "fps", i % 2 ? "30" : "31");
                test_settings_save(settings);
            }
        }
        random = random * 6364136223846793005u + 1442695040888963407u;
        usleep((useconds_t)(random >> 33) % 5000);
        kill(child, SIGKILL);
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        settings = test_settings_open(path);
        ca_settings_close(settings);
        text = test_read(path, NULL);
        ck_assert_contains(text, "future = \"kept\"");
    }
}
END_TEST

START_TEST(damaged_files)
{
    static const char text[] =
        "version = 1;\nworkbench : { fps = 5; speed = 0.5; mouse = \"on\"; };\n"
        "model = \"fhp\"; keys : { run = \"x\"; };\n# c\n/* d */ // e\n"
        "models : { anneal : { seed = 0x5L; parameters : { density = 1e-1; }; a = [1, 2]; }; };\n"
        "future = ( \"a\\x41\", 5000000000L, { b = true; } );\n";
    const char *path = test_path("damaged.cfg");
    uint64_t random = test_seed();

    for (int round = 0; round < 1000; round++) {
        size_t count = sizeof text - 1;
        char bytes[sizeof text], *after;
        struct ca_settings *settings;
        enum ca_status status;
        size_t left;

        memcpy(bytes, text, sizeof text);
        random = random * 6364136223846793005u + 1442695040888963407u;
        if (random >> 63)
            count = (random >> 33) % count + 1;
        for (uint64_t flips = random >> 61 & 3; flips > 0; flips--) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            bytes[(random >> 33) % count] ^= (char)(1u << (random >> 60 & 7));
        }
        test_write(path, bytes, count);
        status = ca_settings_open(&settings, path, &error);
        ck_assert(status == CA_OK || status == CA_SETTINGS);
        test_settings_set(settings, "fps", "33");
        test_settings_end(settings, path);
        if (status == CA_OK) { /* what was read can be read again */
            settings = test_settings_open(path);
            ck_assert_int_eq((int)ca_setting_number(settings, CA_SETTING_FPS), 33);
            ca_settings_close(settings);
        } else {
            after = test_read(path, &left);
            ck_assert_uint_eq(left, count);
            ck_assert_mem_eq(after, bytes, count);
        }
    }
}
END_TEST

int main(void)
{
    test_settings_unset();
    return RUN_TESTS(.test = {files_that_cannot_be_read, edited_meanwhile, mode_and_links_are_kept,
                              a_save_that_is_cut_off, runs_are_not_mixed,
                              no_change_of_several_writers_is_lost, a_lock_that_is_held,
                              killed_while_saving, damaged_files},
                     .table = {{bad_files_are_left_alone, COUNT(bad_files)},
                               {a_run_is_claimed, 2}});
}
