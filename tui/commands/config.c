/* SPDX-License-Identifier: MIT */
/* calab config: where the settings are, what they are and where each came from, file checks. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "tui/commands/commands.h"

static const char no_home[] =
    "no settings file: none of CALAB_CONFIG, XDG_CONFIG_HOME and HOME is set";

static int show_path(const char *file, struct ca_error *error)
{
    (void)file;
    if (!ca_settings_path()[0])
        return ca_fail(error, CA_IO, "%s", no_home);
    printf("%s\n", ca_settings_path());
    return CA_OK;
}

static void print_row(const char *name, const struct ca_param *param, const struct ca_value *value)
{
    char text[CA_TEXT_MAX], range[CA_TEXT_MAX];

    ca_value_format(text, param, value);
    printf("%-22s %-14s %-13s %s\n", name, text[0] ? text : "(empty)",
           ca_origin_name(value->origin), ca_param_range(range, param));
}

static void print_memory(const struct ca_settings *settings, const struct ca_model *model)
{
    struct ca_memory memory;
    const struct ca_experiment *e = &memory.experiment;
    char size[64], name[128];

    ca_settings_recall(settings, model, &memory);
    printf("\n%s\n", model->name);
    printf("%-22s %-14s %s\n", "  backend", e->backend->name, ca_origin_name(e->backend_origin));
    printf("%-22s %-14s %s\n", "  size", ca_size_format(size, e->size, model->dimensions),
           ca_origin_name(e->size_origin));
    printf("%-22s %-14llu %s\n", "  seed", (unsigned long long)e->seed,
           ca_origin_name(e->seed_origin));
    printf("%-22s %-14s %s\n", "  init", e->init, ca_origin_name(e->init_origin));
    for (int i = 0; i < e->params.count; i++) {
        snprintf(name, sizeof name, "  %s", e->params.table[i].name);
        print_row(name, &e->params.table[i], &e->params.value[i]);
    }
    for (int i = 0; i < e->options.count; i++) {
        snprintf(name, sizeof name, "  %s", e->options.table[i].name);
        print_row(name, &e->options.table[i], &e->options.value[i]);
    }
}

static int show(const char *file, struct ca_error *error)
{
    struct ca_settings *settings;
    enum ca_status status = ca_settings_open(&settings, ca_settings_path(), error);
    const struct ca_values *values = ca_settings_values(settings);
    const struct ca_model *model = ca_settings_model(settings);

    (void)file;
    if (status == CA_OK) {
        printf("%-22s %s\n", "file", ca_settings_path()[0] ? ca_settings_path() : "none");
        printf("%-22s %s\n\nworkbench\n", "model", model ? model->name : "none remembered");
        for (int i = 0; i < values->count; i++) {
            char name[128];

            snprintf(name, sizeof name, "  %s", values->table[i].name);
            print_row(name, &values->table[i], &values->value[i]);
        }
        for (int i = 0; ca_models[i]; i++)
            print_memory(settings, ca_models[i]);
    }
    ca_settings_close(settings);
    return (int)status;
}

static int check(const char *file, struct ca_error *error)
{
    const char *path = file ? file : ca_settings_path();
    char note[CA_TEXT_MAX] = "";
    int unknown = 0;

    if (!path[0])
        return ca_fail(error, CA_IO, "%s", no_home);
    if (!file && access(path, F_OK) != 0 && errno == ENOENT) {
        printf("%s: not there, so everything is built-in\n", path);
        return CA_OK;
    }
    CA_TRY(ca_settings_check(path, &unknown, note, error));
    printf("%s: right\n", path);
    if (unknown > 0)
        printf("%s: %d key%s that this version does not know, kept: %s\n", path, unknown,
               unknown == 1 ? "" : "s", note);
    return CA_OK;
}

static const struct verb {
    const char *name;
    int (*run)(const char *file, struct ca_error *error);
} verbs[] = {{"path", show_path}, {"show", show}, {"check", check}};

#define VERBS ((int)(sizeof verbs / sizeof verbs[0]))

static const char *verb_name(const void *context, int i)
{
    (void)context;
    return verbs[i].name;
}

int command_config(const struct options *options, struct ca_error *error)
{
    const char *word = options->operands > 0 ? options->operand[0] : NULL;
    const char *file = options->operands > 1 ? options->operand[1] : NULL;
    const char *nearest;

    if (!word)
        return ca_fail(error, CA_USAGE, "say which: path, show or check [FILE]");
    for (int i = 0; i < VERBS; i++) {
        if (strcmp(word, verbs[i].name) != 0)
            continue;
        if (file && verbs[i].run != check)
            return ca_fail(error, CA_USAGE, "'%s' is one word too many: %s takes no file", file,
                           word);
        return verbs[i].run(file, error);
    }
    nearest = ca_nearest(word, VERBS, verb_name, NULL);
    return ca_fail(error, CA_USAGE, "'%s' is not known; %s%s%s", word,
                   nearest ? "did you mean '" : "there are: path, show, check",
                   nearest ? nearest : "", nearest ? "'?" : "");
}
