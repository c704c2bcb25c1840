/* SPDX-License-Identifier: MIT */
/* core/settings: a file of settings whose keys or values are wrong or unknown, and what is said of
 * it. */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/support.h"
#include "tests/support/support_settings.h"

static struct ca_error error;

static char preset_in_use[16];

/* A screen of three requests, which takes any key but "bad", over this preset alone. */
static const char *request(int i)
{
    static const char *const names[] = {"run", "step", "quit", NULL};

    return names[i];
}

static void start(const char *preset)
{
    snprintf(preset_in_use, sizeof preset_in_use, "%s", preset);
}

static bool bind(int i, const char *keys, char *message, int size)
{
    ck_assert_str_eq(preset_in_use, "golly");
    snprintf(message, (size_t)size, "no key %d %s", i, keys);
    return strcmp(keys, "bad") != 0;
}

static const struct ca_key_rules rules = {request, start, bind};

START_TEST(unknown_keys_are_kept)
{
    static const char *const kept[] = {
        "future = [1, 2, 3]",
        "wide = 5000000000L",
        "tenth = 0.1",
        "list = (1, \"two\", (), ",
        "deep : {\n    a = 0.30000000000000004;",
        "big = 1e999",
        "flag = true",
        "later : {",
        "text = \"line\\x0a\\\"end\\\"\"",
    };
    const char *path = test_path("unknown.cfg");
    struct ca_settings *settings;
    char *text, note[CA_TEXT_MAX];
    int unknown;

    test_settings_write(
        path, "future = [1, 2, 3]; tenth = 0.1; wide = 5000000000L; flag = true; big = 1e400;\n"
              "list = (1, \"two\", (), { x = 1; }); deep : { a = 0.30000000000000004; };\n"
              "text = \"line\\n\\\"end\\\"\"; workbench : { fps = 5; later = 2; };\n"
              "models : { later : { a = 1; }; anneal : { new = 1; }; };\n");
    settings = test_settings_open(path);
    ck_assert_int_eq((int)ca_setting_number(settings, CA_SETTING_FPS), 5);
    test_settings_set(settings, "fps", "6");
    text = test_settings_end(settings, path);
    for (size_t i = 0; i < COUNT(kept); i++)
        ck_assert_contains(text, kept[i]);
    ck_assert_contains(text, "fps = 6", "version = 1");
    free(text);
    ck_assert_ok(ca_settings_check(path, &rules, &unknown, note, &error));
    ck_assert_int_eq(unknown, 11);
    ck_assert_contains(note, "future, tenth",
                       "workbench.later, models.later (did you mean 'water'?), anneal.new");
}
END_TEST

/* Keys that nothing is made of: those that no calab knows, and a generation that no file is at. */
START_TEST(useless_keys_of_a_model_are_kept)
{
    static const char *const kept[] = {"changed = true;", "generation = 7;", "weave = \"tight\";"};
    static struct ca_saved_view view;
    const char *path = test_path("useless.cfg");
    struct ca_settings *settings;
    char *text, note[CA_TEXT_MAX];
    int unknown;

    test_settings_write(path, "models : { anneal : { seed = 3; changed = true; generation = 7;\n"
                              "options : { weave = \"tight\"; }; }; };\n");
    settings = test_settings_open(path);
    ca_settings_recall(settings, test_model("anneal"), &view);
    ck_assert_uint_eq(view.experiment.seed, 3);
    ck_assert_uint_eq(view.experiment.generation, 0);
    view.experiment.seed = 5;
    ca_settings_remember(settings, &view);
    text = test_settings_end(settings, path);
    ck_assert_contains(text, "seed = 5;");
    for (size_t i = 0; i < COUNT(kept); i++)
        ck_assert_contains(text, kept[i]);
    ck_assert_ok(ca_settings_check(path, &rules, &unknown, note, &error));
    ck_assert_int_eq(unknown, 3);
    ck_assert_str_eq(note, "options.weave, anneal.changed, "
                           "anneal.generation (init is not a file)");
}
END_TEST

START_TEST(wrong_sets)
{
    struct ca_settings *settings = test_settings_open("");
    enum ca_setting setting;

    ck_assert_int_eq(ca_settings_set(settings, CA_SETTING_FPS, "0", CA_FROM_WORKBENCH, &error),
                     CA_USAGE);
    ck_assert_contains(error.text, "fps = '0'", "1 ... 60");
    ck_assert_int_eq(
        ca_settings_set(settings, CA_SETTING_PANELS, "log foo", CA_FROM_WORKBENCH, &error),
        CA_USAGE);
    ck_assert_contains(error.text, "words of auto | timing | observables | device | log");
    ck_assert_int_eq(ca_setting_find(&setting, "colors", &error), CA_USAGE);
    ck_assert_contains(error.text, "did you mean 'colours'?");
    ck_assert_int_eq((int)ca_setting_number(settings, CA_SETTING_FPS), 10);
    ca_settings_close(settings);
}
END_TEST

/* Each is told with its line, and the file is left alone. */
START_TEST(all_errors_at_once)
{
    const char *path = test_path("calab.cfg");
    const char *text = "version = 1;\nworkbench : {\n fps = 0;\n glyphs = \"none\";\n};\n"
                       "models : { anneal : {\n size = \"axb\";\n parameters : { density = 7; };\n"
                       "}; };\nkeys : { quit = 5; };\nmodel = \"nothing\";\n";
    static const char *const parts[] = {"calab.cfg: 6 errors: line 3: fps = '0'",
                                        "; line 4: glyphs = 'none'",
                                        "; line 7: size",
                                        "; line 8: density = '7'",
                                        "; line 10: quit",
                                        "; line 11: model"};
    struct ca_settings *settings;
    size_t size;
    char *left;

    test_write(path, text, strlen(text));
    ck_assert_int_eq(ca_settings_open(&settings, path, &error), CA_SETTINGS);
    for (size_t i = 0; i < COUNT(parts); i++)
        ck_assert_contains(error.text, parts[i]);
    ck_assert_int_eq((int)ca_setting_number(settings, CA_SETTING_FPS), 10);
    ck_assert_ok(ca_settings_set(settings, CA_SETTING_FPS, "20", CA_FROM_WORKBENCH, &error));
    ck_assert_ok(ca_settings_save(settings, &error));
    ca_settings_close(settings);
    left = test_read(path, &size);
    ck_assert_str_eq(left, text);
}
END_TEST

/* What is right beside it counts, in every group, and the file stays as it is. */
START_TEST(the_right_values_of_a_wrong_file)
{
    const char *path = test_path("calab.cfg");
    const char *text = "version = 1;\nmodel = \"water\";\n"
                       "workbench : {\n fps = 99;\n stride = 33;\n glyphs = \"ramp10\";\n};\n"
                       "keys : { quit = 5; run = \"x\"; };\n"
                       "models : { anneal : {\n size = \"axb\";\n seed = 77;\n"
                       " parameters : { density = 7; };\n backend = \"threads\";\n"
                       " options : { threads = 3; };\n drawn = \"density\"; };\n"
                       " fhp : 5;\n cloud : { seed = 78; }; };\n";
    struct ca_settings *settings;
    struct ca_saved_view view;
    char *left;

    test_write(path, text, strlen(text));
    ck_assert_int_eq(ca_settings_open(&settings, path, &error), CA_SETTINGS);
    ck_assert_contains(error.text, "calab.cfg: 5 errors: line 4: fps = '99' is out of range, "
                                   "allowed: 1 ... 60");
    ck_assert(ca_settings_is_partial(settings));
    ck_assert_str_eq(ca_settings_instead(settings), "in place of what is wrong defaults are used");
    ck_assert_str_eq(ca_settings_model(settings)->name, "water");
    ck_assert_int_eq((int)ca_setting_number(settings, CA_SETTING_FPS), 10);
    ck_assert_int_eq((int)ca_setting_number(settings, CA_SETTING_STRIDE), 33);
    ck_assert_str_eq(ca_setting_text(settings, CA_SETTING_GLYPHS), "ramp10");
    ck_assert_ptr_null(ca_settings_key(settings, "quit"));
    ck_assert_str_eq(ca_settings_key(settings, "run"), "x");
    ca_settings_recall(settings, test_model("anneal"), &view);
    ck_assert(ca_size_equal(view.experiment.size, test_model("anneal")->default_size));
    ck_assert_uint_eq(view.experiment.seed, 77);
    ck_assert(ca_real(&view.experiment.params, "density") == 0.5);
    ck_assert_str_eq(view.experiment.backend->name, "threads");
    ck_assert_int_eq(ca_int(&view.experiment.options, "threads"), 3);
    ck_assert_str_eq(ca_text(&view.experiment.initial_view, "drawn"), "density");
    ca_settings_recall(settings, test_model("fhp"), &view);
    ck_assert_uint_eq(view.experiment.seed, 1);
    ca_settings_recall(settings, test_model("cloud"), &view);
    ck_assert_uint_eq(view.experiment.seed, 78);
    test_settings_set(settings, "stride", "44");
    test_settings_end(settings, path);
    left = test_read(path, NULL);
    ck_assert_str_eq(left, text);

    test_settings_write(path, "version = 1;\nworkbench : { stride = 33; fps = };\n");
    ck_assert_int_eq(ca_settings_open(&settings, path, &error), CA_SETTINGS);
    ck_assert(!ca_settings_is_partial(settings));
    ck_assert_str_eq(ca_settings_instead(settings), "defaults are used");
    ck_assert_int_eq((int)ca_setting_number(settings, CA_SETTING_STRIDE), 10);
    ca_settings_close(settings);
}
END_TEST

#define GOLLY "workbench : { keys = \"golly\"; };\n"

static const struct {
    const char *text;
    bool ours; /* it lies where calab.cfg does */
    enum ca_status status;
    int unknown;
    const char *says;
} checked[] = {
    {"keys : { foo = \"x\"; run = \"y\"; };\n" GOLLY, false, CA_OK, 1, "keys.foo"},
    {GOLLY "keys : { run = \"y\";\nstep = \"bad\"; };\n", false, CA_SETTINGS, 0,
     "c.cfg:3: step: no key 1 bad"},
    {"keys : {\n run = 5; };\n" GOLLY, false, CA_SETTINGS, 0, "c.cfg:2: run: the names of keys"},
    {"model = \"anneal\"; later = 1;\n", true, CA_OK, 1, "later"},
    {"version = \"1x\";\n" GOLLY, false, CA_SETTINGS, 0, "version: '1x' is not allowed"},
    {"models : { later : { a = 1; }; };\n", false, CA_OK, 1, "models.later"},
    {"keys : { foo = \"x\"; };\n", false, CA_OK, 1, "keys.foo"},
    {"version = 1; workbench : { fsp = 5; };\n", false, CA_OK, 1,
     "workbench.fsp (did you mean 'fps'?)"},
    {"version = 1; workbnech : { fps = 5; };\n", false, CA_OK, 1,
     "workbnech (did you mean 'workbench'?)"},
    {"keys : { qiut = \"x\"; };\n", false, CA_OK, 1, "keys.qiut (did you mean 'quit'?)"},
    {"models : { aneal : { seed = 1; }; };\n", false, CA_OK, 1,
     "models.aneal (did you mean 'anneal'?)"},
    {"models : { anneal : { sede = 1; }; };\n", false, CA_OK, 1,
     "anneal.sede (did you mean 'seed'?)"},
    {"models : { anneal : { zom = 1; }; };\n", false, CA_OK, 1,
     "anneal.zom (did you mean 'zoom'?)"},
    {"models : { anneal : { option : { }; }; };\n", false, CA_OK, 1,
     "anneal.option (did you mean 'options'?)"},
    {"models : { anneal : { parameters : { densty = 1; }; }; };\n", false, CA_OK, 1,
     "parameters.densty (did you mean 'density'?)"},
    {"models : { anneal : { backend = \"threads\"; options : { thread = 1; }; }; };\n", false,
     CA_OK, 1, "options.thread (did you mean 'threads'?)"},
    {"models : { anneal : { view : { zom = 1; }; }; };\n", false, CA_OK, 1, "anneal.view"},
    {"model = \"anneal\"; sede = 1;\n", false, CA_SETTINGS, 0, "did you mean 'seed'?"},
    {"model = \"anneal\"; view : { zom = 1; };\n", false, CA_SETTINGS, 0, "did you mean 'zoom'?"},
    {"cases = ( { model = \"anneal\"; thread = 1; } );\n", false, CA_SETTINGS, 0,
     "did you mean 'threads'?"},
    {"cases = ( { model = \"anneal\"; } ); relativ = \"x\";\n", false, CA_SETTINGS, 0,
     "did you mean 'relative'?"},
    {"model = \"anneal\"; later = 1;\n", false, CA_SETTINGS, 0, "c.cfg:1: later: is not a key"},
};

START_TEST(checks_all_kinds)
{
    const char *path = test_path("c.cfg");
    char note[CA_TEXT_MAX];
    int unknown;

    if (checked[_i].ours)
        setenv("CALAB_CONFIG", path, 1);
    test_settings_write(path, checked[_i].text);
    ck_assert_int_eq(ca_settings_check(path, &rules, &unknown, note, &error), checked[_i].status);
    ck_assert_int_eq(unknown, checked[_i].unknown);
    ck_assert_contains(checked[_i].status == CA_OK ? note : error.text, checked[_i].says);
}
END_TEST

START_TEST(checks)
{
    char note[CA_TEXT_MAX];
    int unknown;

    test_settings_write(test_path("e.cfg"), "model = \"anneal\"; steps = 5;\n");
    ck_assert_ok(ca_settings_check(test_path("e.cfg"), &rules, &unknown, note, &error));
    ck_assert_int_eq(unknown, 0);
    test_settings_write(test_path("e.cfg"), "model = \"anneal\"; step = 5;\n");
    ck_assert_int_eq(ca_settings_check(test_path("e.cfg"), &rules, &unknown, note, &error),
                     CA_SETTINGS);
    ck_assert_contains(error.text, "e.cfg:1: step: is not a key");
    test_settings_write(test_path("e.cfg"), "");
    ck_assert_ok(ca_settings_check(test_path("e.cfg"), &rules, &unknown, note, &error));
    ck_assert_int_eq(ca_settings_check(test_path("none.cfg"), &rules, &unknown, note, &error),
                     CA_IO);
    ck_assert_contains(error.text, "none.cfg");
}
END_TEST

int main(void)
{
    test_settings_unset();
    return RUN_TESTS(.test = {unknown_keys_are_kept, useless_keys_of_a_model_are_kept, wrong_sets,
                              all_errors_at_once, the_right_values_of_a_wrong_file, checks},
                     .table = {{checks_all_kinds, COUNT(checked)}});
}
