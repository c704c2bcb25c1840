/* SPDX-License-Identifier: MIT */
/* core/settings: calab.cfg read, changed, and what is remembered of each model. */
#include <pwd.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/support.h"
#include "tests/support/support_experiment.h"
#include "tests/support/support_settings.h"

static struct ca_error error;

START_TEST(paths)
{
    setenv("HOME", "/home/someone", 1);
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("XDG_STATE_HOME");
    ck_assert_str_eq(ca_settings_path(), "/home/someone/.config/calab/calab.cfg");
    ck_assert_str_eq(ca_state_folder(), "/home/someone/.local/state/calab");
    setenv("XDG_CONFIG_HOME", "relative", 1); /* which the XDG specification has ignored */
    ck_assert_str_eq(ca_settings_path(), "/home/someone/.config/calab/calab.cfg");
    setenv("XDG_CONFIG_HOME", "/etc/xdg", 1);
    setenv("XDG_STATE_HOME", "/var/s", 1);
    ck_assert_str_eq(ca_settings_path(), "/etc/xdg/calab/calab.cfg");
    ck_assert_str_eq(ca_state_folder(), "/var/s/calab");
    setenv("CALAB_CONFIG", "my.cfg", 1);
    ck_assert_str_eq(ca_settings_path(), "my.cfg");
    unsetenv("CALAB_CONFIG");
    unsetenv("XDG_CONFIG_HOME");
    for (int i = 0; i < 3; i++) { /* a home without a place is that of the user's account */
        setenv("HOME", (const char *const[]){"./home", "home", ""}[i], 1);
        ck_assert_str_eq(ca_settings_path(),
                         test_text("%s/.config/calab/calab.cfg", getpwuid(getuid())->pw_dir));
    }
}
END_TEST

START_TEST(the_table)
{
    struct ca_values values;

    ca_values_default(&values, ca_settings_table);
    for (int i = 0; i < values.count; i++) {
        struct ca_values copy = values;
        char text[CA_TEXT_MAX];

        ck_assert_ptr_nonnull(ca_settings_table[i].help);
        ca_value_format(text, &ca_settings_table[i], &values.value[i]);
        ck_assert_ok(ca_values_set(&copy, i, text, CA_FROM_WORKBENCH, NULL, &error));
    }
    ck_assert_int_eq(ca_int(&values, "fps"), 10);
    ck_assert_str_eq(ca_text(&values, "reduce"), "mean");
    ck_assert_int_eq(ca_choice(&values, "reduce"), CA_MEAN);
}
END_TEST

/* What calab.cfg(5) says of each. */
static const struct {
    const char *name, *standard, *range;
} promised[] = {
    {"fps", "10", "1 ... 60, whole"},
    {"stride", "10", "1 ... 1000000000, whole"},
    {"speed", "1", "0 ... 1048576"},
    {"glyphs", "auto", "auto | states | ramp10 | half | braille | pixel"},
    {"colours", "default", "default | mono | light | high-contrast"},
    {"borders", "auto", "auto | ascii"},
    {"reduce", "mean", "any | mean | sample"},
    {"drawn", "state", "state | density | change | field | difference"},
    {"second_slice", "on", "off | on | depth | count | maximum"},
    {"keys", "default", "default | golly"},
    {"mouse", "auto", "auto | off | on"},
    {"clipboard", "on", "off | on"},
    {"resume", "on", "off | on"},
    {"panels", "auto", "words of auto | timing | observables | device | log"},
};

START_TEST(what_is_promised)
{
    const struct ca_param *row = ca_settings_table;
    char text[CA_TEXT_MAX];

    while (row->name && strcmp(row->name, promised[_i].name) != 0)
        row++;
    ck_assert_ptr_nonnull(row->name);
    ck_assert_str_eq(ca_param_default(text, row), promised[_i].standard);
    ck_assert_str_eq(ca_param_range(text, row), promised[_i].range);
}
END_TEST

/* What the user has set is saved, also where it is what is built in; what was tuned is not. */
START_TEST(what_was_set_is_saved)
{
    const char *path = test_path("set.cfg");
    struct ca_settings *settings = test_settings_open(path);
    struct ca_saved_view view;
    struct ca_experiment *e = &view.experiment;
    char *text;
    int threads;

    ca_settings_recall(settings, test_model("anneal"), &view);
    ca_experiment_backend(e, e->model->backends + 1, CA_FROM_WORKBENCH);
    threads = ca_values_find(&e->options, "threads");
    ck_assert_int_ge(threads, 0);
    e->options.value[threads] = (struct ca_value){3, "", CA_TUNED};
    e->origin[CA_KEY_SEED] = CA_FROM_WORKBENCH;
    strcpy(e->init, "x.npy");
    e->origin[CA_KEY_INIT] = CA_FROM_WORKBENCH;
    e->at = (struct ca_at){true, 0, 0, 0};
    e->generation = 1;
    e->origin[CA_KEY_GENERATION] = CA_FROM_WORKBENCH;
    ca_settings_remember(settings, &view);
    text = test_settings_end(settings, path);
    ck_assert_contains(text, "seed = 1;", "generation = 1;", "at = \"0,0\";", "init = \"x.npy\";");
    ck_assert_ptr_null(strstr(text, "threads = 3"));
}
END_TEST

/* A run is its keys together: where another calab has changed one of them meanwhile, all become
 * ours. */
static const char *const of_a_run[] = {"size = \"%sx20\"; ", "init = \"%s.npy\"; ",
                                       "at = \"%s,2\"; ", "generation = %s; ",
                                       "parameters : { density = 0.%s; }; "};

static void write_run(const char *path, size_t other)
{
    char text[1024], *end = text;

    end += sprintf(text, "version = 1;\nmodels : { anneal : { seed = 5; ");
    for (size_t i = 0; i < COUNT(of_a_run); i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        end += sprintf(end, of_a_run[i], i == other ? "44" : "33");
#pragma GCC diagnostic pop
    }
    strcpy(end, "}; };\n");
    test_settings_write(path, text);
}

START_TEST(a_run_stays_together)
{
    const char *path = test_path("run.cfg");
    struct ca_settings *settings;
    struct ca_saved_view view;
    char *text;

    write_run(path, COUNT(of_a_run));
    settings = test_settings_open(path);
    write_run(path, (size_t)_i);
    ca_settings_recall(settings, test_model("anneal"), &view);
    view.experiment.seed = 6;
    view.experiment.origin[CA_KEY_SEED] = CA_FROM_WORKBENCH;
    ca_settings_remember(settings, &view);
    text = test_settings_end(settings, path);
    ck_assert_contains(text, "seed = 6;", "33");
    ck_assert_msg(!strstr(text, "44"), "%s", text);
}
END_TEST

START_TEST(nothing_to_save)
{
    const char *path = test_path("none/calab.cfg");
    struct ca_settings *settings = test_settings_open(path);
    struct stat status;

    ck_assert_ptr_null(ca_settings_model(settings));
    ck_assert_ptr_null(ca_settings_key(settings, "run"));
    test_settings_save(settings);
    ck_assert_int_ne(stat(path, &status), 0); /* not even the folder is made */
    test_settings_set(settings, "fps", "20");
    test_settings_save(settings);
    ck_assert_int_eq(stat(test_path("none"), &status), 0);
    ck_assert_int_eq(status.st_mode & 0777, 0700);
    ca_settings_close(settings);
    ca_settings_close(NULL);
    settings = test_settings_open(""); /* a user without a home */
    test_settings_set(settings, "fps", "20");
    test_settings_end(settings, path);
}
END_TEST

/* Some other value that is allowed, of every kind. */
static const char *other(char text[CA_TEXT_MAX], const struct ca_param *param)
{
    if (param->kind == CA_CHOICE)
        return param->choices[param->number == 0 ? 1 : 0];
    if (param->choices)
        return param->choices[3];
    if (param->kind == CA_TEXT || param->kind == CA_FILE)
        return "log \"quoted\" \\ \t é";
    snprintf(text, CA_TEXT_MAX, "%s", param->kind == CA_INT ? "17" : "0.30000000000000004");
    return text;
}

/* Speed and drawn are saved with the model that has them. */
static bool is_saved(int row) { return row != CA_SETTING_SPEED && row != CA_SETTING_DRAWN; }

START_TEST(round_trip_of_all_rows)
{
    const char *path = test_path("rows.cfg");
    struct ca_settings *settings = test_settings_open(path);
    const struct ca_values *values;
    char text[CA_TEXT_MAX], got[CA_TEXT_MAX];

    for (int i = 0; ca_settings_table[i].name; i++)
        if (is_saved(i))
            test_settings_set(settings, ca_settings_table[i].name,
                              other(text, &ca_settings_table[i]));
    ca_settings_set_model(settings, test_model("fhp"));
    ca_settings_set_key(settings, "run", "x");
    ca_settings_set_key(settings, "step-back", "y");
    ca_settings_set_key(settings, "run", NULL);
    test_settings_end(settings, path);

    settings = test_settings_open(path);
    values = ca_settings_values(settings);
    for (int i = 0; i < values->count; i++) {
        if (is_saved(i))
            ck_assert_str_eq(ca_value_format(got, &values->table[i], &values->value[i]),
                             other(text, &values->table[i]));
        ck_assert_int_eq(values->value[i].origin, is_saved(i) ? CA_FROM_SETTINGS : CA_BUILT_IN);
    }
    ck_assert_ptr_eq(ca_settings_model(settings), test_model("fhp"));
    ck_assert_ptr_null(ca_settings_key(settings, "run"));
    ck_assert_str_eq(ca_settings_key(settings, "step-back"), "y");
    /* The same values again: the file holds them already. */
    ck_assert_int_eq(unlink(path), 0);
    for (int i = 0; i < values->count; i++)
        if (is_saved(i))
            test_settings_set(settings, values->table[i].name, other(text, &values->table[i]));
    test_settings_save(settings);
    ck_assert_int_ne(access(path, F_OK), 0);
    test_settings_set(settings, "fps", "5");
    test_settings_save(settings);
    ck_assert_int_eq(access(path, F_OK), 0);
    ca_settings_close(settings);
}
END_TEST

static void disturb(struct ca_values *values)
{
    char text[CA_TEXT_MAX];

    for (int i = 0; i < values->count; i++) {
        const struct ca_param *param = &values->table[i];
        double between = param->min + (param->max - param->min) / 3;

        if (param->kind == CA_INT || param->kind == CA_REAL || param->kind == CA_PROBABILITY)
            ca_values_set_number(values, i, param->kind == CA_INT ? (int64_t)between : between,
                                 CA_FROM_WORKBENCH, NULL, &error);
        else
            ca_values_set(values, i, other(text, param), CA_FROM_WORKBENCH, NULL, &error);
    }
}

/* A view, fitted for every other model, a pace and something drawn. */
static void memory_initial_view(struct ca_values *initial_view, struct ca_size size, int m)
{
    struct ca_view view = {.axis = size.d > 1 ? CA_XZ : CA_XY,
                           .slice = size.d > 1 ? 6 : 0,
                           .x = -5,
                           .y = 3000000,
                           .zoom = 4};

    view.projection = size.d > 1 ? CA_VIEW_DEPTH : CA_VIEW_SLICE;
    ca_initial_view_take(initial_view, &view, 0, m % 2, size.d > 1, CA_FROM_WORKBENCH);
    ca_values_set_number(initial_view, CA_INITIAL_PACE, m / 4.0, CA_FROM_WORKBENCH, NULL, &error);
    ca_values_set(initial_view, CA_INITIAL_DRAWN, m % 2 ? "density" : "change", CA_FROM_WORKBENCH,
                  NULL, &error);
}

START_TEST(round_trip_of_memories)
{
    const char *path = test_path("memory.cfg");
    struct ca_settings *settings = test_settings_open(path);
    struct ca_saved_view memories[8] = {0}, back;

    for (int m = 0; ca_models[m]; m++) {
        struct ca_saved_view *memory = &memories[m];
        struct ca_experiment *experiment = &memory->experiment;

        ca_settings_recall(settings, ca_models[m], memory);
        ck_assert_int_eq(experiment->origin[CA_KEY_SEED], CA_BUILT_IN);
        ca_experiment_backend(experiment, &ca_models[m]->backends[1], CA_FROM_WORKBENCH);
        ck_assert_ok(ca_experiment_set(experiment, "size",
                                       ca_models[m]->dimensions == 3 ? "9x8x7" : "9x8",
                                       CA_FROM_WORKBENCH, NULL, &error));
        ck_assert_ok(ca_experiment_set(experiment, "seed", "0xfedcba9876543210",
                                       CA_FROM_COMMAND_LINE, NULL, &error));
        ck_assert_ok(
            ca_experiment_set(experiment, "init", "a b.npy", CA_FROM_COMMAND_LINE, NULL, &error));
        disturb(&experiment->params);
        disturb(&experiment->options);
        memory_initial_view(&experiment->initial_view, experiment->size, m);
        ca_settings_remember(settings, memory);
    }
    test_settings_end(settings, path);
    settings = test_settings_open(path);
    for (int m = 0; ca_models[m]; m++) {
        const struct ca_experiment *old = &memories[m].experiment, *new = &back.experiment;

        ca_settings_recall(settings, ca_models[m], &back);
        ck_assert_ptr_eq(new->backend, old->backend);
        ck_assert(ca_size_equal(new->size, old->size));
        ck_assert_uint_eq(new->seed, old->seed);
        ck_assert_str_eq(new->init, old->init);
        values_same(&new->params, &old->params);
        values_same(&new->options, &old->options);
        ck_assert_int_eq(new->params.value[0].origin, CA_FROM_SETTINGS);
        values_same(&new->initial_view, &old->initial_view);
        ck_assert_int_eq(new->initial_view.value[CA_INITIAL_ZOOM].origin == CA_BUILT_IN, m % 2);
    }
    ca_settings_close(settings);
}
END_TEST

/* What `workbench` has of speed and drawn is for models that have none of their own; a view that
 * the lattice has not, or a field that the model has not, is nobody's. */
START_TEST(initial_views_of_models)
{
    const char *path = test_path("openings.cfg");
    struct ca_settings *settings;
    static struct ca_saved_view memory;
    const struct ca_value *row = memory.experiment.initial_view.value;

    test_settings_write(path,
                        "version = 1; workbench : { speed = 4; drawn = \"density\"; };\n"
                        "models : { fhp : { pace = 0.5; drawn = \"speed\"; axis = \"xz\"; };\n"
                        "cloud : { drawn = \"spin\"; slice = 7; size = \"4x4x4\"; }; };\n");
    settings = test_settings_open(path);
    ca_settings_recall(settings, test_model("anneal"), &memory);
    ck_assert(row[CA_INITIAL_PACE].number == 4);
    ck_assert_str_eq(row[CA_INITIAL_DRAWN].text, "density");
    ca_settings_recall(settings, test_model("fhp"), &memory);
    ck_assert(row[CA_INITIAL_PACE].number == 0.5);
    ck_assert_str_eq(row[CA_INITIAL_DRAWN].text, "speed");
    ck_assert_int_eq((int)row[CA_INITIAL_AXIS].number, CA_XY);
    ca_settings_recall(settings, test_model("cloud"), &memory);
    ck_assert_str_eq(row[CA_INITIAL_DRAWN].text, "state");
    ca_settings_close(settings);
    for (int i = 0; i < CA_FIELD; i++) { /* whatever is drawn of every model */
        char text[200];

        snprintf(text, sizeof text, "version = 1; workbench : { drawn = \"%s\"; };\n",
                 ca_drawn_names[i]);
        test_settings_write(path, text);
        settings = test_settings_open(path);
        ca_settings_recall(settings, test_model("anneal"), &memory);
        ck_assert_str_eq(row[CA_INITIAL_DRAWN].text, ca_drawn_names[i]);
        ca_settings_close(settings);
    }
    test_settings_write(path,
                        "version = 1; workbench : { speed = 4; drawn = \"density\"; };\n"
                        "models : { fhp : { pace = 0.5; drawn = \"speed\"; axis = \"xz\"; };\n"
                        "cloud : { drawn = \"spin\"; slice = 7; size = \"4x4x4\"; }; };\n");
    settings = test_settings_open(path);
    ca_settings_recall(settings, test_model("cloud"), &memory);
    ck_assert_int_eq(row[CA_INITIAL_SLICE].origin, CA_BUILT_IN);
    test_settings_set(settings, "speed", "9"); /* of the model that is open, nobody else's */
    ca_settings_recall(settings, test_model("anneal"), &memory);
    ck_assert(row[CA_INITIAL_PACE].number == 4);
    ca_settings_close(settings);
}
END_TEST

/* What has gone back to built-in goes out of the file, an option of a former backend too. */
START_TEST(memories_forget)
{
    const char *path = test_path("forget.cfg");
    struct ca_settings *settings;
    struct ca_saved_view memory;
    char *text;

    test_settings_write(
        path, "version = 1;\nmodels : { anneal : { backend = \"threads\"; seed = 5; mine = 1;\n"
              "options : { threads = 2; other = 3; }; parameters : { density = 0.1; }; }; };\n");
    settings = test_settings_open(path);
    ca_settings_recall(settings, test_model("anneal"), &memory);
    ck_assert_int_eq(ca_int(&memory.experiment.options, "threads"), 2);
    ca_experiment_default(&memory.experiment, test_model("anneal"));
    ca_experiment_backend(&memory.experiment, &test_model("anneal")->backends[0],
                          CA_FROM_WORKBENCH);
    ca_settings_remember(settings, &memory);
    test_settings_save(settings);
    text = test_read(path, NULL);
    ck_assert_contains(text, "backend = \"reference\"", "mine = 1", "other = 3");
    ck_assert_ptr_null(strstr(text, "threads"));
    ck_assert_ptr_null(strstr(text, "seed"));
    ck_assert_ptr_null(strstr(text, "density"));
    ca_settings_close(settings);
}
END_TEST

START_TEST(environment_goes_over_the_file)
{
    const char *path = test_path("env.cfg");
    struct ca_settings *settings;
    const struct ca_values *values;
    char *text;

    test_settings_write(path, "version = 1;\nworkbench : { fps = 5; stride = 3; };\n");
    setenv("CALAB_FPS", "7", 1);
    settings = test_settings_open(path);
    values = ca_settings_values(settings);
    ck_assert_int_eq(ca_int(values, "fps"), 7);
    ck_assert_int_eq(values->value[ca_values_find(values, "fps")].origin, CA_FROM_ENVIRONMENT);
    test_settings_set(settings, "stride", "4");
    test_settings_save(settings);
    text = test_read(path, NULL);
    ck_assert_contains(text, "fps = 5"); /* what the environment says is not saved */
    ck_assert_contains(text, "stride = 4");
    ca_settings_close(settings);

    setenv("CALAB_FPS", "seven", 1);
    ck_assert_int_eq(ca_settings_open(&settings, path, &error), CA_USAGE);
    ck_assert_contains(error.text, "CALAB_FPS: fps = 'seven'", "1 ... 60");
    ck_assert_int_eq((int)ca_setting_number(settings, CA_SETTING_FPS), 5);
    test_settings_set(settings, "stride", "6"); /* the rest is well, and saved */
    text = test_settings_end(settings, path);
    ck_assert_contains(text, "stride = 6");
}
END_TEST

START_TEST(command_line_is_not_saved)
{
    const char *path = test_path("line.cfg");
    struct ca_settings *settings = test_settings_open(path);

    ck_assert_ok(ca_settings_set(settings, CA_SETTING_FPS, "30", CA_FROM_COMMAND_LINE, &error));
    ck_assert_int_eq((int)ca_setting_number(settings, CA_SETTING_FPS), 30);
    test_settings_save(settings);
    ck_assert_int_ne(access(path, F_OK), 0);
    ca_settings_close(settings);
}
END_TEST

int main(void)
{
    test_settings_unset();
    return RUN_TESTS(.test = {paths, the_table, what_was_set_is_saved, nothing_to_save,
                              round_trip_of_all_rows, round_trip_of_memories,
                              initial_views_of_models, memories_forget,
                              environment_goes_over_the_file, command_line_is_not_saved},
                     .table = {{what_is_promised, COUNT(promised)},
                               {a_run_stays_together, COUNT(of_a_run)}});
}
