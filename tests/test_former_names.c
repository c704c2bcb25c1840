/* SPDX-License-Identifier: MIT */
/*
 * Names of earlier versions, wherever somebody may still give them: backend cuda-blocked is read as
 * cuda, option form is ignored, and each says so once.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/model/backend_glob.h"
#include "core/model/registry.h"
#include "core/settings/settings.h"
#include "tests/program.h"
#include "tests/support.h"
#include "tests/user.h"

#define BACKEND "backend cuda-blocked is now several backends: read as cuda, the fastest"
#define OPTION "option form is ignored: its forms are backends of their own"

static struct ca_error error;

static const char *written(const char *name, const char *text)
{
    const char *path = test_path(name);

    test_write(path, text, strlen(text));
    return path;
}

static void expect_note(const struct ca_experiment *e, const char *backend, const char *note)
{
    ck_assert_str_eq(e->backend->name, backend);
    ck_assert_ptr_nonnull(e->note);
    ck_assert_str_eq(e->note, note);
    ck_assert_int_lt(ca_values_find(&e->options, "form"), 0);
}

/* --- into an experiment ---------------------------------------------------------------------- */

START_TEST(from_a_file)
{
    static struct ca_experiment e;

    ca_experiment_default(&e, &life3d_model);
    ck_assert_int_eq(ca_experiment_read(&e,
                                        written("backend.cfg", "model = \"life3d\";\n"
                                                               "backend = \"cuda-blocked\";\n"),
                                        &error),
                     CA_OK);
    expect_note(&e, "cuda", BACKEND);
    ca_experiment_default(&e, &life3d_model);
    ck_assert_int_eq(ca_experiment_read(&e,
                                        written("form.cfg", "model = \"life3d\";\n"
                                                            "options : { form = \"tile\"; };\n"),
                                        &error),
                     CA_OK);
    expect_note(&e, "auto", OPTION);
}
END_TEST

START_TEST(from_variables)
{
    static struct ca_experiment e;

    ca_experiment_default(&e, &life3d_model);
    setenv("CALAB_BACKEND", "cuda-blocked", 1);
    ck_assert_int_eq(ca_experiment_environment(&e, &error), CA_OK);
    expect_note(&e, "cuda", BACKEND);
    unsetenv("CALAB_BACKEND");
    ca_experiment_default(&e, &life3d_model);
    setenv("CALAB_SET", "form=tile", 1);
    ck_assert_int_eq(ca_experiment_environment(&e, &error), CA_OK);
    expect_note(&e, "auto", OPTION);
    unsetenv("CALAB_SET");
}
END_TEST

/* Settings are read with the note, and written without the former names. */
START_TEST(from_settings)
{
    static struct ca_saved_view view;
    const char *path = written("calab.cfg", "version = 1;\nmodels : {\n"
                                            "life3d : { backend = \"cuda-blocked\"; };\n"
                                            "fhp : { backend = \"bitslice\";\n"
                                            "options : { form = \"tile\"; threads = 1; }; }; };\n");
    struct ca_settings *settings;
    char *text;

    ck_assert_msg(ca_settings_open(&settings, path, &error) == CA_OK, "%s", error.text);
    ca_settings_recall(settings, &life3d_model, &view);
    expect_note(&view.experiment, "cuda", BACKEND);
    ca_settings_remember(settings, &view);
    ca_settings_recall(settings, &fhp_model, &view);
    expect_note(&view.experiment, "bitslice", OPTION);
    ck_assert_int_eq(ca_int(&view.experiment.options, "threads"), 1);
    view.experiment.seed = 5;
    view.experiment.seed_origin = CA_FROM_WORKBENCH;
    ca_settings_remember(settings, &view);
    ck_assert_int_eq(ca_settings_save(settings, &error), CA_OK);
    ca_settings_close(settings);
    text = test_read(path, NULL);
    ck_assert_contains(text, "backend = \"cuda\";");
    ck_assert_contains(text, "threads = 1;");
    ck_assert_contains(text, "seed = 5;");
    ck_assert_ptr_null(strstr(text, "cuda-blocked"));
    ck_assert_ptr_null(strstr(text, "form"));
    free(text);
}
END_TEST

START_TEST(in_lists)
{
    static const struct ca_model *const models[] = {&life3d_model, NULL};

    ck_assert(ca_glob_names("reference,cuda-blocked", "cuda"));
    ck_assert(!ca_glob_names("reference,cuda-blocked", "cpu"));
    ck_assert_int_eq(ca_backend_glob_check("cuda-blocked", models, "-b", &error), CA_OK);
}
END_TEST

/* --- the program ----------------------------------------------------------------------------- */

/* On a machine that has no GPU, the reason names the backend that it was read as. */
static void check_outcome(struct outcome *o, bool backend)
{
    ck_assert_contains(o->err, backend ? "calab: note: " BACKEND : "calab: note: " OPTION);
    ck_assert_ptr_eq(strstr(strstr(o->err, "note: ") + 1, "note: "), NULL);
    if (!backend || o->status == 0)
        ck_assert_int_eq(o->status, 0);
    else
        ck_assert_int_eq(o->status, 7);
    outcome_free(o);
}

static const struct {
    const char *arguments, *variable;
    bool backend;
} given[] = {
    {"run life3d -b cuda-blocked -s 16x16x16 -n 1", NULL, true},
    {"run life3d -s 16x16x16 -n 1", "CALAB_BACKEND=cuda-blocked", true},
    {"run life3d -s 16x16x16 -n 1 --set form=tile -b threads", NULL, false},
    {"run life3d -s 16x16x16 -n 1", "CALAB_SET=form=tile", false},
    {"list life3d -s 16x16x16 --set form=tile", NULL, false},
    {"verify life3d -b cuda-blocked --cases 1 --small", NULL, true},
    {"bench life3d -b cuda-blocked -s 16x16x16 --time 0.01", NULL, true},
    {"bench life3d -b threads -s 16x16x16 --time 0.01 --set form=tile", NULL, false},
};

START_TEST(on_the_command_line)
{
    const char *const variable[] = {given[_i].variable, NULL};
    const struct surroundings s = {.variable = variable};
    struct outcome o = calab_in(&s, "%s", given[_i].arguments);

    check_outcome(&o, given[_i].backend);
}
END_TEST

START_TEST(with_files)
{
    const char *path = written("e.cfg", "model = \"fhp\"; size = \"64x64\"; steps = 1;\n"
                                        "backend = \"cuda-blocked\";\n");
    struct outcome o = calab("run -c %s", path);

    check_outcome(&o, true);
    ck_assert_int_eq(mkdir(test_path("calab"), 0700), 0);
    written("calab/calab.cfg",
            "version = 1; models : { fhp : { size = \"64x64\"; options : { form = \"x\"; }; }; };");
    o = calab("run fhp --remembered -n 1");
    check_outcome(&o, false);
}
END_TEST

/* --- the workbench --------------------------------------------------------------------------- */

/* The note is on the screen, and a message that follows it leaves it in the log. */
START_TEST(on_the_screen)
{
    static const char text[] =
        "version = 1; model = \"fhp\";\n"
        "models : { fhp : { backend = \"bitslice\"; options : { form = \"x\"; }; }; };\n";
    struct screen *screen;

    ck_assert_int_eq(mkdir(test_path("config"), 0700), 0);
    ck_assert_int_eq(mkdir(test_path("config/calab"), 0700), 0);
    test_write(settings_file(), text, sizeof text - 1);
    screen = user_starts_default();
    expect_status(screen, "fhp");
    screen_expect_row(screen, 22, OPTION);
    user_types(screen, ":", "model life3d");
    expect_status(screen, "life3d");
    user_types(screen, ":", "set density=0.25");
    screen_expect_row(screen, 22, "density changed");
    user_types(screen, ":", "set form=tile");
    screen_expect_row(screen, 22, OPTION);
    user_quits(screen);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("former names");
    TCase *tests = tcase_create("former names");

    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, from_a_file);
    tcase_add_test(tests, from_variables);
    tcase_add_test(tests, from_settings);
    tcase_add_test(tests, in_lists);
    tcase_add_loop_test(tests, on_the_command_line, 0, (int)COUNT(given));
    tcase_add_test(tests, with_files);
    tcase_add_test(tests, on_the_screen);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
