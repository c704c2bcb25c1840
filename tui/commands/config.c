/* SPDX-License-Identifier: MIT */
/* calab config: the path of the settings, their values and origins, and checking files. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "core/lab/kernel/lab.h"
#include "core/sim/shipped.h"
#include "tui/commands/commands.h"
#include "tui/keys.h"

static const char no_home[] =
    "there is no settings file: none of CALAB_CONFIG, XDG_CONFIG_HOME and HOME is set";

static int show_path(const char *file, struct ca_error *error)
{
    (void)file;
    if (!ca_settings_path()[0])
        return ca_fail(error, CA_IO, "%s", no_home);
    printf("%s\n", ca_settings_path());
    return CA_OK;
}

#define WIDTH 20 /* of values; only file names and lists of panels are longer */

static void print_values(const struct ca_values *values)
{
    for (int i = 0; i < values->count; i++) {
        const struct ca_param *param = &values->table[i];
        const struct ca_value *value = &values->value[i];
        char text[CA_TEXT_MAX], range[CA_TEXT_MAX];

        ca_value_format(text, param, value);
        printf("  %-20s %-*s %-13s %s\n", param->name, WIDTH, text[0] ? ca_plain(text) : "(empty)",
               ca_origin_name(value->origin), ca_param_range(range, param));
    }
}

static void print_line(const char *name, const char *text, enum ca_origin origin)
{
    printf("  %-20s %-*s %s\n", name, WIDTH, text, ca_origin_name(origin));
}

static void print_saved_view(const struct ca_settings *settings, const struct ca_model *model)
{
    struct ca_saved_view saved;
    struct ca_experiment *e = &saved.experiment;
    char text[CA_TEXT_MAX];
    bool fitted;

    ca_settings_recall(settings, model, &saved);
    printf("\n%s\n", model->name);
    for (int i = 0; i < CA_KEY_COUNT; i++)
        if ((ca_key_rows[i].places & CA_IN_SAVED) && (ca_key_rows[i].places & CA_IN_RESULT) &&
            ca_experiment_format(text, e, (enum ca_key)i)[0])
            print_line(ca_key_rows[i].name, ca_plain(text), e->origin[i]);
    print_values(&e->params);
    print_values(&e->options);
    /* A view that nobody has set is fitted to the lattice, and has no origin. */
    fitted = e->initial_view.value[CA_INITIAL_ZOOM].origin == CA_BUILT_IN;
    for (int row = 0; row < CA_INITIAL_LOOK_FOR; row++) {
        const struct ca_value *value = &e->initial_view.value[row];
        bool middle = row == CA_INITIAL_SLICE && value->origin == CA_BUILT_IN;

        if (fitted && (row == CA_INITIAL_X || row == CA_INITIAL_Y || row == CA_INITIAL_MAGNIFY))
            continue;
        ca_value_format(text, &ca_initial_view_table[row], value);
        print_line(ca_initial_view_table[row].name,
                   middle                             ? "the middle one"
                   : row == CA_INITIAL_ZOOM && fitted ? "fit"
                                                      : text,
                   value->origin);
    }
}

static int show(const char *file, struct ca_error *error)
{
    struct ca_settings *settings;
    enum ca_status status = ca_settings_open(&settings, ca_settings_path(), error);
    const struct ca_values *values;
    const struct ca_model *model;

    (void)file;
    if (status == CA_NO_MEMORY)
        return (int)status;
    values = ca_settings_values(settings);
    model = ca_settings_model(settings);
    /* CA_USAGE: a variable that is ignored; CA_SETTINGS: values in place of which are defaults. */
    if (status == CA_OK || status == CA_USAGE || ca_settings_is_partial(settings)) {
        printf("%-22s %s\n", "file", ca_settings_path()[0] ? ca_settings_path() : "none");
        printf("%-22s %s\n\nworkbench\n", "model", model ? model->name : "none saved");
        print_values(values);
        for (int i = 0; ca_models[i]; i++)
            print_saved_view(settings, ca_models[i]);
    }
    ca_settings_close(settings);
    return (int)status;
}

/* --- check ----------------------------------------------------------------------------------- */

static struct keymap keys; /* as bound up to now */

static const char *key_request(int i) { return keys_table[i].name; }
static void key_start(const char *preset) { keymap_preset(&keys, preset); }

static bool key_bind(int i, const char *text, char *message, int size)
{
    return keymap_bind(&keys, keys_table[i].request, text, message, size);
}

#define LAB "lab.cfg"

static int config_check_file(const char *file, struct ca_error *error)
{
    char shipped[PATH_MAX];
    const char *path = file ? ca_shipped_path(shipped, file) : ca_settings_path();
    static const struct ca_key_rules rules = {key_request, key_start, key_bind};
    const char *name = strrchr(path, '/');
    char note[CA_TEXT_MAX] = "";
    int unknown = 0;

    name = name ? name + 1 : path;
    if (file && strcmp(name, LAB) == 0) {
        char folder[PATH_MAX];
        struct ca_lab lab;

        /* Only a lab has a file of this name: it is checked with the folder that it lies in. */
        snprintf(folder, sizeof folder, "%.*s.", (int)(name - path), path);
        CA_TRY(ca_lab_read(&lab, folder, error));
        printf("%s: correct, a lab of %s\n", path, lab.model->name);
        return CA_OK;
    }
    if (!path[0])
        return ca_fail(error, CA_IO, "%s", no_home);
    if (!file && access(path, F_OK) != 0 && errno == ENOENT) {
        printf("%s: the file does not exist; all settings are built-in\n", path);
        return CA_OK;
    }
    CA_TRY(ca_settings_check(path, &rules, &unknown, note, error));
    printf("%s: correct\n", path);
    if (unknown > 0)
        printf("%s: %d key%s unknown to this version, kept: %s\n", path, unknown,
               unknown == 1 ? "" : "s", note);
    return CA_OK;
}

static const struct verb {
    const char *name;
    int (*run)(const char *file, struct ca_error *error);
} verbs[] = {{"path", show_path}, {"show", show}, {"check", config_check_file}};

#define VERBS ((int)(sizeof verbs / sizeof verbs[0]))

const char *config_verb(const void *none, int i)
{
    (void)none;
    return i < VERBS ? verbs[i].name : NULL;
}

int command_config(const struct options *options, struct ca_error *error)
{
    const char *word = options->operands > 0 ? options->operand[0] : NULL;
    const char *file = options->operands > 1 ? options->operand[1] : NULL;
    char hint[CA_TEXT_MAX];

    if (!word)
        return ca_fail(error, CA_USAGE, "an argument is missing%s",
                       ca_suggest(hint, "", VERBS, config_verb, NULL));
    for (int i = 0; i < VERBS; i++) {
        if (strcmp(word, verbs[i].name) != 0)
            continue;
        if (file && verbs[i].run != config_check_file)
            return ca_fail(error, CA_USAGE, "unexpected argument '%s': %s takes no file", file,
                           word);
        return verbs[i].run(file, error);
    }
    return ca_fail(error, CA_USAGE, "unknown word '%.80s'%s", word,
                   ca_suggest(hint, word, VERBS, config_verb, NULL));
}
