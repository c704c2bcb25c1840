/* SPDX-License-Identifier: MIT */
/*
 * The file of tuned options: what its entries give way to, what is wrong with one, and how their
 * values go from process to process, up to the workbench's screen.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/machine/device.h"
#include "core/files/file.h"
#include "core/model/registry.h"
#include "core/bench/tune.h"
#include "tests/support/script.h"
#include "tests/support/support.h"
#include "core/engine/experiment_json.h"

static struct ca_error error;

static void setup(void)
{
    setenv("XDG_CACHE_HOME", test_folder(), 1);
    unsetenv("CALAB_TUNED");
    remove(ca_tuned_path());
}

/* An experiment that has been set, and what becomes of its generations. */
static int64_t generations_of(struct ca_experiment *e)
{
    enum ca_status status = ca_tuned_use(e, &error);

    ck_assert_msg(status == CA_OK, "%s", error.text);
    return ca_int(&e->options, "generations");
}

static void set(struct ca_experiment *e, const char *name, const char *text)
{
    enum ca_status status = ca_experiment_set(e, name, text, CA_FROM_COMMAND_LINE, "--set", &error);

    ck_assert_msg(status == CA_OK, "%s", error.text);
}

/* An entry of bitslice on 64x64 with so many generations. */
static void entry(const char *options_group, const char *version)
{
    char text[2048];
    struct ca_device device;

    ca_device_cpu(&device);
    snprintf(text, sizeof text,
             "version = 1; colour = \"red\";\ntuned = ({ device = \"%s\"; model = \"anneal\";\n"
             "backend = \"bitslice\"; size = \"64x64\"; setup = \"threads=1\"; mood = 7;\n"
             "calab = \"%s\"; options : {\n%s }; });\n",
             device.name, version, options_group);
    test_write(ca_tuned_path(), text, strlen(text));
}

static struct ca_experiment bits;

static void start_bits(void)
{
    const struct ca_backend *backend;

    ck_assert_ok(ca_file_parents(ca_tuned_path(), &error));
    ck_assert_ok(ca_backend_find(&backend, &anneal_model, "bitslice", &error));
    ca_experiment_default(&bits, &anneal_model);
    ca_experiment_backend(&bits, backend, CA_FROM_COMMAND_LINE);
    set(&bits, "size", "64x64");
    set(&bits, "threads", "1");
}

/* Command line over file over tuned over built-in. */
START_TEST(gives_way)
{
    static const char file[] = "model = \"anneal\"; options : { generations = 3; };";
    const char *path = test_path("e.cfg");

    start_bits();
    ck_assert_int_eq(generations_of(&bits), 0);
    entry("generations = 2;", CALAB_VERSION);
    ck_assert_int_eq(generations_of(&bits), 2);
    ck_assert_str_eq(ca_origin_name(bits.options.value[1].origin), "tuned");
    set(&bits, "size", "64x65"); /* what was tuned is so no more */
    ck_assert_int_eq(generations_of(&bits), 0);
    ck_assert_int_eq(bits.options.value[1].origin, CA_BUILT_IN);
    set(&bits, "size", "64x64");
    setenv("CALAB_TUNED", "off", 1);
    ck_assert_int_eq(generations_of(&bits), 0);
    unsetenv("CALAB_TUNED");
    test_write(path, file, strlen(file));
    ck_assert_ok(ca_experiment_read(&bits, NULL, path, &error));
    ck_assert_int_eq(generations_of(&bits), 3);
    set(&bits, "set", "generations=0"); /* to be chosen by the backend, says a person */
    ck_assert_int_eq(generations_of(&bits), 0);
    ck_assert_int_eq(bits.options.value[1].origin, CA_FROM_COMMAND_LINE);
}
END_TEST

/* Kernels change from version to version. */
START_TEST(other_versions)
{
    start_bits();
    entry("generations = 2;", "0.0.1");
    ck_assert_int_eq(generations_of(&bits), 0);
}
END_TEST

static const char *const wrong[][2] = {
    {"tuned = ((", "tuned.cfg:1: syntax error"},
    {"\nversion = 2;", "tuned.cfg:2: version: only 1"},
    {"tuned = 3;", "tuned.cfg:1: tuned: a list"},
    {"tuned = (\n3);", "tuned.cfg:2: a number where a group"},
    {"tuned = ({});", "without the key 'device'"},
    {"tuned = ({ device = 3; });", "device: a string is expected"},
    {"tuned = ({ device = \"\"; model = \"\"; backend = \"\"; size = \"\"; setup = \"\"; });",
     "without the key 'calab'"},
    {"tuned = ({ device = \"\"; model = \"\"; backend = \"\"; size = \"\"; setup = \"\";\n"
     "calab = \"\"; });",
     "without the group 'options'"},
};

/* Told with the line, and left as it is by who would write into it. */
START_TEST(broken_files)
{
    static struct ca_bench_line line;
    char *text;

    start_bits();
    line.experiment = bits;
    test_write(ca_tuned_path(), wrong[_i][0], strlen(wrong[_i][0]));
    ck_assert_int_eq(ca_tuned_use(&bits, &error), CA_SETTINGS);
    ck_assert_contains(error.text, wrong[_i][1]);
    ck_assert_int_eq(ca_tuned_keep(&line, 1, NULL, &error), CA_SETTINGS);
    ck_assert_contains(error.text, wrong[_i][1]);
    text = test_read(ca_tuned_path(), NULL);
    ck_assert_str_eq(text, wrong[_i][0]);
}
END_TEST

static const char *const wrong_options[][2] = {
    {"generations = 99;", "tuned.cfg:5: generations = '99' is out of range, allowed: 0 ... 64"},
    {"generations = \"x\";", "tuned.cfg:5: generations: a string where a number"},
    {"rows = 5;", "tuned.cfg:5: rows: backend bitslice of anneal has no such option"},
    {"threads = 2;", "tuned.cfg:5: threads: backend bitslice of anneal has no such option"},
};

START_TEST(broken_entries)
{
    start_bits();
    entry(wrong_options[_i][0], CALAB_VERSION);
    ck_assert_int_eq(ca_tuned_use(&bits, &error), CA_SETTINGS);
    ck_assert_contains(error.text, wrong_options[_i][1]);
    ck_assert_int_eq(ca_int(&bits.options, "generations"), 0);
}
END_TEST

/* A file with what this version does not know, and one that cannot be written. */
START_TEST(keeps_what_it_does_not_know)
{
    static struct ca_bench_line line;
    char *text;

    start_bits();
    entry("generations = 2;", CALAB_VERSION);
    line.experiment = bits;
    set(&line.experiment, "size", "32x32");
    ck_assert_ok(ca_tuned_keep(&line, 1, NULL, &error));
    text = test_read(ca_tuned_path(), NULL);
    ck_assert_contains(text, "colour = \"red\";", "mood = 7;", "size = \"32x32\";");
    ck_assert_int_eq(generations_of(&bits), 2);
    setenv("XDG_CACHE_HOME", "/proc/none", 1);
    ck_assert_int_eq(ca_tuned_keep(&line, 1, NULL, &error), CA_IO);
    ck_assert_contains(error.text, "/proc/none");
}
END_TEST

/* --- how well a rate is known ----------------------------------------------------------------- */

static struct ca_kept rate_now(double mups, enum ca_quiet quiet)
{
    return ca_kept_now(mups, CA_BY_BENCH, quiet, bits.backend);
}

/* Entries of versions that did not say how they measured are taken, as of unknown quality, and
 * their options stay where a better rate comes. */
START_TEST(entries_of_the_old_form)
{
    struct ca_kept rate;
    char *text;

    start_bits();
    entry("}; mups = 5.0; untuned_mups = 4.0; more : { ", CALAB_VERSION);
    rate = ca_tuned_rate(&bits);
    ck_assert_double_eq(rate.mups, 5);
    ck_assert_int_eq(rate.by, CA_BY_UNKNOWN);
    ck_assert_int_eq(rate.quiet, CA_QUIET_UNKNOWN);
    ck_assert_str_eq(rate.date, "");
    entry("generations = 2; }; mups = 5.0; others = \"quiet\"; date = \"2999-01-01\";\n"
          "measured = \"bench\"; more : { ",
          CALAB_VERSION);
    generations_of(&bits);
    rate = rate_now(7, CA_QUIET);
    ck_assert_ok(ca_tuned_keep_rate(&bits, &rate, 0, &error));
    ck_assert_double_eq(ca_tuned_rate(&bits).mups, 7);
    rate = rate_now(9, CA_DISTURBED);
    ck_assert_ok(ca_tuned_keep_rate(&bits, &rate, 0, &error));
    ck_assert_double_eq(ca_tuned_rate(&bits).mups, 7);
    ck_assert_int_eq(generations_of(&bits), 2);
    text = test_read(ca_tuned_path(), NULL);
    ck_assert_contains(text, "mood = 7;", "others = \"quiet\";");
}
END_TEST

static const struct {
    bool wrong, emulated, partial, unsure;
    int calls, unknown;
    bool kept;
    enum ca_quiet quiet;
} benches[] = {
    {.calls = 5, .kept = true, .quiet = CA_QUIET},
    {.calls = 5, .unknown = 1, .kept = true, .quiet = CA_QUIET_UNKNOWN},
    {.calls = 4},
    {.calls = 5, .wrong = true},
    {.calls = 5, .emulated = true},
    {.calls = 5, .partial = true},
    {.calls = 5, .unsure = true},
};

/* Lines of a bench count where they are right and undisturbed. */
START_TEST(lines_of_a_bench)
{
    static struct ca_bench_line line;
    struct ca_bench bench = {.line = &line, .count = 1};

    start_bits();
    line = (struct ca_bench_line){.available = true, .experiment = bits};
    line.experiment.steps = 10;
    line.wrong = benches[_i].wrong;
    line.emulated = benches[_i].emulated;
    line.partial = benches[_i].partial;
    line.unsure = benches[_i].unsure;
    line.stats = (struct ca_bench_stats){.n = benches[_i].calls, .median = 64 * 64 * 1e-5};
    line.disturbance =
        (struct ca_disturbance){.samples = benches[_i].calls, .unknown = benches[_i].unknown};
    ca_tuned_keep_lines(&bench);
    ck_assert_double_eq_tol(ca_tuned_rate(&bits).mups, benches[_i].kept ? 1 : 0, 1e-9);
    if (benches[_i].kept)
        ck_assert_int_eq(ca_tuned_rate(&bits).quiet, benches[_i].quiet);
}
END_TEST

/* Options that were found stay where others were found on a busy machine, and give way to those of
 * an undisturbed one. */
START_TEST(better_options)
{
    static struct ca_bench_line line;

    start_bits();
    line = (struct ca_bench_line){.available = true, .experiment = bits};
    line.experiment.steps = 10;
    line.stats = (struct ca_bench_stats){.n = 9, .median = 1};
    for (int generations = 1; generations <= 3; generations++) {
        bool kept;

        ck_assert_ok(ca_values_set(&line.experiment.options, 1, test_text("%d", generations),
                                   CA_TUNED, NULL, &error));
        line.unsure = generations == 2;
        line.disturbance.samples = 9;
        ck_assert_ok(ca_tuned_keep(&line, 1, &kept, &error));
        ck_assert_int_eq(kept, generations != 2);
        ck_assert_int_eq(generations_of(&bits), generations == 2 ? 1 : generations);
    }
}
END_TEST

/* Options with which a benchmark is slower than a trial was without them are forgotten; noise and
 * disturbed rates do not refute them. */
static const struct {
    double mups;
    enum ca_quiet quiet;
    bool stay;
} refutals[] = {{1.5, CA_QUIET, true},
                {0.98, CA_QUIET, true},
                {0.9, CA_DISTURBED, true},
                {0.9, CA_QUIET, false}};

START_TEST(refuted_options)
{
    struct ca_kept rate;

    start_bits();
    ck_assert_ok(ca_values_set(&bits.options, 1, "2", CA_TUNED, NULL, &error));
    rate = ca_kept_now(1.2, CA_BY_TRIAL, CA_QUIET, bits.backend);
    ck_assert_ok(ca_tuned_keep_rate(&bits, &rate, 1, &error));
    ck_assert_int_eq(generations_of(&bits), 2);
    rate = ca_kept_now(refutals[_i].mups, CA_BY_BENCH, refutals[_i].quiet, bits.backend);
    ck_assert_ok(ca_tuned_keep_rate(&bits, &rate, 0, &error));
    ck_assert_int_eq(generations_of(&bits), refutals[_i].stay ? 2 : 0);
    ck_assert_double_eq_tol(ca_tuned_rate(&bits).mups,
                            !refutals[_i].stay                   ? 0
                            : refutals[_i].quiet == CA_DISTURBED ? 1.2
                                                                 : refutals[_i].mups,
                            1e-9);
}
END_TEST

/* Nor are options forgotten of which nobody knows what they gained. */
START_TEST(options_of_unknown_gain)
{
    struct ca_kept rate;

    start_bits();
    entry("generations = 2;", CALAB_VERSION);
    ck_assert_int_eq(generations_of(&bits), 2);
    rate = ca_kept_now(0.5, CA_BY_BENCH, CA_QUIET, bits.backend);
    ck_assert_ok(ca_tuned_keep_rate(&bits, &rate, 0, &error));
    ck_assert_int_eq(generations_of(&bits), 2);
}
END_TEST

/* Nothing is kept of a benchmark that takes nothing either. */
START_TEST(a_bench_without_tuning)
{
    static struct ca_bench_line line;
    struct ca_bench bench = {.line = &line, .count = 1};

    start_bits();
    line = (struct ca_bench_line){.available = true, .experiment = bits};
    line.experiment.steps = 10;
    line.stats = (struct ca_bench_stats){.n = 9, .median = 64 * 64 * 1e-5};
    line.disturbance.samples = 9;
    setenv("CALAB_TUNED", "off", 1);
    ca_tuned_keep_lines(&bench);
    unsetenv("CALAB_TUNED");
    ck_assert_double_eq(ca_tuned_rate(&bits).mups, 0);
    ca_tuned_keep_lines(&bench);
    ck_assert_double_gt(ca_tuned_rate(&bits).mups, 0);
}
END_TEST

/* Rates with the vectors that a mask leaves are of their own. */
START_TEST(masked_vectors)
{
    struct ca_kept rate;

    start_bits();
    rate = rate_now(7, CA_QUIET);
    ck_assert_ok(ca_tuned_keep_rate(&bits, &rate, 0, &error));
    setenv("CALAB_CPU", "baseline", 1);
    ck_assert_double_eq(ca_tuned_rate(&bits).mups, 0);
    setenv("CALAB_CPU", "", 1);
    ck_assert_double_eq(ca_tuned_rate(&bits).mups, 7);
    unsetenv("CALAB_CPU");
    ck_assert_double_eq(ca_tuned_rate(&bits).mups, 7);
}
END_TEST

/* A way back: what another version has found stays in the file until options are found anew. */
START_TEST(options_of_another_version)
{
    static struct ca_bench_line line;
    struct ca_kept rate;
    char *text;

    start_bits();
    entry("generations = 2;", "0.0.1");
    rate = rate_now(7, CA_QUIET);
    ck_assert_ok(ca_tuned_keep_rate(&bits, &rate, 0, &error));
    ck_assert_double_eq(ca_tuned_rate(&bits).mups, 7);
    text = test_read(ca_tuned_path(), NULL);
    ck_assert_contains(text, "generations = 2;");
    line.experiment = bits;
    line.disturbance.samples = 9;
    ck_assert_ok(ca_tuned_keep(&line, 1, NULL, &error));
    text = test_read(ca_tuned_path(), NULL);
    ck_assert_ptr_null(strstr(text, "generations = 2;"));
}
END_TEST

/* --- between processes ----------------------------------------------------------------------- */

#define WRITERS 8
#define ENTRIES 4 /* of each */

static void write_entries(int writer)
{
    for (int i = 0; i < ENTRIES; i++) {
        struct ca_experiment e = bits;
        struct ca_kept rate = rate_now(1, CA_QUIET);
        char size[32];

        snprintf(size, sizeof size, "%dx%d", 8 * (writer + 1), 8 * (i + 1));
        if (ca_experiment_set(&e, "size", size, CA_FROM_COMMAND_LINE, NULL, &error) != CA_OK ||
            ca_tuned_keep_rate(&e, &rate, 0, &error) != CA_OK)
            _exit(1);
    }
    _exit(0);
}

/* All entries of eight processes that write at once are there. */
START_TEST(eight_at_once)
{
    const int all = WRITERS * ENTRIES;
    int start[2], entries = 0, status;
    char *text, byte;

    start_bits();
    ck_assert_int_eq(pipe(start), 0);
    for (int i = 0; i < WRITERS; i++) {
        pid_t pid = fork();

        ck_assert_int_ge(pid, 0);
        if (pid == 0) {
            close(start[1]);
            if (read(start[0], &byte, 1) == 0) /* its end is the sign to begin */
                write_entries(i);
            _exit(2);
        }
    }
    close(start[0]);
    close(start[1]);
    for (int i = 0; i < WRITERS; i++) {
        ck_assert_int_gt(wait(&status), 0);
        ck_assert_int_eq(status, 0);
    }
    text = test_read(ca_tuned_path(), NULL);
    for (const char *at = text; (at = strstr(at, "size = ")) != NULL; at++)
        entries++;
    ck_assert_int_eq(entries, all);
}
END_TEST

/* An engine is asked for what was chosen alone, and tells what it was tuned to. */
START_TEST(in_requests)
{
    struct ca_experiment there;
    json_t *json;

    start_bits();
    entry("generations = 2;", CALAB_VERSION);
    ck_assert_int_eq(generations_of(&bits), 2);
    json = ca_experiment_request(&bits);
    ck_assert_ptr_null(json_at(json, "options.generations"));
    ck_assert_ptr_nonnull(json_at(json, "options.threads"));
    ck_assert_ok(ca_experiment_from_json(&there, json, &error));
    ck_assert_int_eq(generations_of(&there), 2);
    json_decref(json);
    json = ca_experiment_to_json(&there);
    ck_assert_uint_eq(json_array_size(json_object_get(json, "tuned")), 1);
    start_bits();
    ca_experiment_take_reply(&bits, json);
    ck_assert_int_eq(ca_int(&bits.options, "generations"), 2);
    ck_assert_int_eq(bits.options.value[1].origin, CA_TUNED);
    json_object_del(json, "tuned");
    ca_experiment_take_reply(&bits, json);
    ck_assert_int_eq(ca_int(&bits.options, "generations"), 0);
    json_decref(json);
}
END_TEST

/* What was tuned is left behind by another backend, and not saved; the command names it, and a
 * default that somebody chose. */
START_TEST(belongs_to_nobody)
{
    const char *path = test_path("saved.cfg");
    struct ca_experiment e;
    char *text;

    start_bits();
    entry("generations = 2;", CALAB_VERSION);
    generations_of(&bits);
    text = ca_experiment_command(&bits, NULL, 1);
    ck_assert_contains(text, "--set generations=2");
    free(text);
    ck_assert_ok(ca_experiment_write(&bits, NULL, path, &error));
    text = test_read(path, NULL);
    ck_assert_ptr_null(strstr(text, "generations"));
    ck_assert_contains(text, "threads = 1");
    free(text);
    e = bits;
    ca_experiment_backend(&e, e.backend, CA_FROM_COMMAND_LINE);
    ck_assert_int_eq(ca_int(&e.options, "generations"), 0);
    ck_assert_int_eq(ca_int(&e.options, "threads"), 1);
    set(&e, "set", "generations=0");
    text = ca_experiment_command(&e, NULL, 1);
    ck_assert_contains(text, "--set generations=0");
    free(text);
}
END_TEST

/* The engine's values, as the workbench shows them; what is set by hand goes before. */
START_TEST(on_the_screen)
{
    static char cache[4200];
    const struct screen_options options = {
        .arguments = {"anneal", "-b", "bitslice", "-s", "64x64", "--threads", "1"},
        .environment = {cache, "CALAB_TUNED=on"}};
    struct screen *screen;
    char *saved;

    start_bits();
    entry("generations = 2;", CALAB_VERSION);
    snprintf(cache, sizeof cache, "XDG_CACHE_HOME=%s", test_folder());
    screen = user_starts(&options);
    user_does(screen, STEPS(PRESS("e"), SHOWS("generations      2              tuned"), PRESS("q"),
                            HIDES("generations  "), ENTER("s", "64x32"), STATUS("64x32"),
                            PRESS("e"), SHOWS("generations      0: chosen by its size built-in"),
                            PRESS("q"), HIDES("generations  "), ENTER("s", "64x64"),
                            STATUS("64x64"), COMMAND("set generations=3"), PRESS("e"),
                            SHOWS("generations      3              workbench"), PRESS("q"),
                            HIDES("generations  ")));
    user_quits(screen);
    saved = saved_settings();
    ck_assert_contains(saved, "generations = 3");
}
END_TEST

int main(void)
{
    return RUN_TESTS(.setup = setup,
                     .test = {options_of_unknown_gain, gives_way, other_versions,
                              keeps_what_it_does_not_know, entries_of_the_old_form, better_options,
                              a_bench_without_tuning, masked_vectors, options_of_another_version,
                              eight_at_once, in_requests, belongs_to_nobody, on_the_screen},
                     .table = {{broken_files, COUNT(wrong)},
                               {broken_entries, COUNT(wrong_options)},
                               {lines_of_a_bench, COUNT(benches)},
                               {refuted_options, COUNT(refutals)}});
}
