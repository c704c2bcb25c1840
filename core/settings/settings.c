/* SPDX-License-Identifier: MIT */
/* This file keeps calab.cfg while calab runs: the tree of the file with the changes of this run in
 * it, which keeps unknown keys, and when and how it is saved. */
#include "core/settings/settings.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/files/lock.h"
#include "core/settings/remembered.h"

#define HEADING "# calab saves this file by itself; calab.cfg(5) describes it.\n"

static const char *const off_on[] = {"off", "on", NULL};
static const char *const mouse_names[] = {"auto", "off", "on", NULL};
static const char *const glyph_names[] = {"auto",    "states", "ramp10", "half",
                                          "braille", "pixel",  NULL};
/* A second slice, or a projection in its place, by enum ca_view_projection. */
static const char *const second_names[] = {"off", "on", "depth", "count", "maximum", NULL};
static const char *const colour_names[] = {"default", "mono", "light", "high-contrast", NULL};
static const char *const drawn_names[] = {[CA_STATE] = "state",
                                          [CA_DENSITY] = "density",
                                          [CA_CHANGE] = "change",
                                          [CA_FIELD] = "field",
                                          [CA_SETTING_DIFFERENCE] = "difference",
                                          NULL};
static const char *const border_names[] = {"auto", "ascii", NULL};
static const char *const key_names[] = {"default", "golly", NULL};

const struct ca_param ca_settings_table[CA_SETTING_COUNT + 1] = {
    [CA_SETTING_FPS] = {"fps", CA_INT, 10, .min = 1, .max = 60, .unit = "1/s",
                        .help = "frames per second at most"},
    [CA_SETTING_STRIDE] = {"stride", CA_INT, 10, .min = 1, .max = 1e9, .unit = "generations",
                           .help = "generations per stride"},
    [CA_SETTING_SPEED] = {"speed", CA_REAL, 1, .max = CA_PACE_MAX, .unit = "generations/frame",
                          .help = "generations per frame of a run; below 1: frames are repeated, "
                                  "0: unlimited; kept for each model"},
    [CA_SETTING_GLYPHS] = {"glyphs", CA_CHOICE, .choices = glyph_names,
                           .help =
                               "auto: pixels where the terminal shows them, half blocks where it "
                               "has 256 colours and UTF-8, else states; a character per state, a "
                               "ramp of ten levels, half blocks, braille dots, pixels"},
    [CA_SETTING_COLOURS] = {"colours", CA_CHOICE, .choices = colour_names, .help = "colour scheme"},
    [CA_SETTING_BORDERS] = {"borders", CA_CHOICE, .choices = border_names,
                            .help = "lines if the terminal has them, or always ASCII"},
    [CA_SETTING_REDUCE] = {"reduce", CA_CHOICE, CA_MEAN, .choices = ca_reduce_names,
                           .help = "how many cells become one glyph: the highest state, the mean, "
                                   "or the first"},
    [CA_SETTING_DRAWN] = {"drawn", CA_CHOICE, .choices = drawn_names,
                          .help = "quantity that is drawn for each cell; kept for each model"},
    [CA_SETTING_BESIDE] = {"second_slice", CA_CHOICE, 1, .choices = second_names,
                           .help = "whether a second slice of a 3D lattice, or a projection, is "
                                   "shown beside the first where there is room"},
    [CA_SETTING_KEYS] = {"keys", CA_CHOICE, .choices = key_names, .help = "key preset"},
    [CA_SETTING_MOUSE] = {"mouse", CA_CHOICE, .choices = mouse_names,
                          .help = "whether the mouse is used; auto: where the terminal has one; "
                                  "text is then selected with Shift held"},
    [CA_SETTING_CLIPBOARD] = {"clipboard", CA_CHOICE, 1, .choices = off_on,
                              .help = "whether texts are copied to the clipboard of the terminal "
                                      "(OSC 52)"},
    [CA_SETTING_RESUME] = {"resume", CA_CHOICE, 1, .choices = off_on,
                           .help = "whether the state is saved on quitting and continued at the "
                                   "next start"},
    [CA_SETTING_PANELS] = {"panels", CA_TEXT, .text = "auto", .choices = ca_panel_names,
                           .help = "panels shown besides the lattice; auto: those that a screen "
                                   "of its size has room for"},
    [CA_SETTING_REMOTE] = {"remote", CA_TEXT,
                           .text = "ssh -T -o BatchMode=yes -o ConnectTimeout=10 HOST calab engine",
                           .help = "command that starts the engine of a backend on another host"},
    [CA_SETTING_ENGINE_COMMAND] = {"engine_command", CA_TEXT, .text = "",
                                   .help = "command line that starts the engine from now on, run "
                                           "by /bin/sh, such as mpirun -n 4 calab engine; empty: "
                                           "this program starts its own"},
    [CA_SETTING_COUNT] = {.name = NULL},
};

struct ca_settings {
    char path[PATH_MAX];
    config_t tree;
    char *base; /* the tree as text when the file was last read or saved */
    char *file; /* the text of the file then, NULL: there was no file */
    struct ca_values values;
    bool parsed;                    /* the tree is the file's */
    const struct ca_model *claimed; /* whose run goes over that of the file; NULL: none */
    bool locked;
};

const char *ca_settings_path(void)
{
    static char path[PATH_MAX];
    const char *given = getenv("CALAB_CONFIG");

    if (!given || !given[0])
        return ca_file_place(path, "XDG_CONFIG_HOME", "/.config", "/calab/calab.cfg");
    snprintf(path, sizeof path, "%s", given);
    return path;
}

const char *ca_state_folder(void)
{
    static char path[PATH_MAX];

    return ca_file_place(path, "XDG_STATE_HOME", "/.local/state", "/calab");
}

enum ca_status ca_settings_open(struct ca_settings **settings, const char *path,
                                struct ca_error *error)
{
    struct ca_settings *new = calloc(1, sizeof *new);
    enum ca_status status = CA_OK;
    struct ca_error cause;

    *settings = new;
    if (!new)
        return ca_fail(error, CA_NO_MEMORY, "no memory for the settings");
    snprintf(new->path, sizeof new->path, "%s", path);
    ca_values_default(&new->values, ca_settings_table);
    if (path[0] && (access(path, F_OK) == 0 || errno != ENOENT)) {
        status = ca_config_read(&new->tree, path, &new->file, error);
        new->parsed = status == CA_OK;
        if (status == CA_OK)
            status = ca_settings_check_tree(&new->tree, &new->values, path, NULL, error);
        if (status == CA_NO_MEMORY) {
            ca_settings_close(new);
            *settings = NULL;
            return status;
        }
        if (!new->parsed)
            config_destroy(&new->tree);
        new->locked = status != CA_OK; /* wrong values stay in the tree, and are not read from it */
    }
    if (!new->parsed) {
        config_init(&new->tree);
        ca_config_set_whole(config_root_setting(&new->tree), "version", CA_SETTINGS_VERSION);
    }
    new->base = ca_config_format(&new->tree, HEADING);
    /* CALAB_FPS and so on go over the file. The first that is not allowed is reported, and the
     * others are applied. */
    for (int i = 0; i < new->values.count; i++) {
        char variable[64] = "CALAB_";
        const char *name = new->values.table[i].name, *text;

        for (size_t c = 0; c <= strlen(name); c++)
            variable[6 + c] = (char)toupper((unsigned char)name[c]);
        text = getenv(variable);
        if (text && text[0] &&
            ca_values_set(&new->values, i, text, CA_FROM_ENVIRONMENT, variable, &cause) != CA_OK &&
            status == CA_OK) {
            status = cause.status;
            *error = cause;
        }
    }
    return status;
}

bool ca_settings_is_partial(const struct ca_settings *settings)
{
    return settings->parsed && settings->locked;
}

const char *ca_settings_instead(const struct ca_settings *settings)
{
    return settings->parsed ? "in place of what is wrong defaults are used" : "defaults are used";
}

void ca_settings_close(struct ca_settings *settings)
{
    if (!settings)
        return;
    config_destroy(&settings->tree);
    free(settings->base);
    free(settings->file);
    free(settings);
}

/*
 * Merges the changes of this run into the file on disk, which an editor or another calab has
 * changed since it was last read or saved. A file that is wrong is not touched.
 */
static enum ca_status merge_from_disk(struct ca_settings *settings, struct ca_error *error)
{
    struct ca_values values;
    config_t disk, base;
    char *text;
    enum ca_status status = ca_config_read(&disk, settings->path, &text, error);

    ca_values_default(&values, ca_settings_table);
    if (status == CA_OK)
        status = ca_settings_check_tree(&disk, &values, settings->path, NULL, error);
    if (status != CA_OK) {
        settings->locked = true;
        config_destroy(&disk);
        free(text);
        return status;
    }
    config_init(&base);
    if (settings->base)
        config_read_string(&base, settings->base);
    ca_saved_runs_keep(&base, &settings->tree, &disk,
                       settings->claimed ? settings->claimed->name : "");
    ca_config_merge(config_root_setting(&base), config_root_setting(&settings->tree),
                    config_root_setting(&disk));
    config_destroy(&base);
    config_destroy(&settings->tree);
    settings->tree = disk;
    free(settings->file);
    settings->file = text;
    return CA_OK;
}

/* Whether the file has changed since it was last read or saved. */
static bool has_changed(const struct ca_settings *settings)
{
    struct ca_error ignored;
    bool changed;
    size_t size;
    char *text;

    if (access(settings->path, F_OK) != 0)
        return false; /* a removed file is written again */
    if (ca_file_read_text(settings->path, CA_CONFIG_BYTES_MAX, &text, &size, &ignored) != CA_OK)
        return true;
    changed = !settings->file || strcmp(settings->file, text) != 0;
    free(text);
    return changed;
}

enum ca_status ca_settings_save(struct ca_settings *settings, struct ca_error *error)
{
    enum ca_status status = CA_OK;
    char *text;
    bool same;
    int lock;

    if (settings->locked || !settings->path[0])
        return CA_OK;
    /* Whether anything differs from what the file held when it was last read or saved. */
    text = ca_config_format(&settings->tree, HEADING);
    same = text && settings->base && strcmp(text, settings->base) == 0;
    free(text);
    text = NULL;
    if (same && !(settings->claimed && has_changed(settings))) {
        settings->claimed = NULL;
        return CA_OK;
    }
    CA_TRY(ca_file_parents(settings->path, error));
    CA_TRY(ca_lock_begin(&lock, settings->path, error));
    if (has_changed(settings))
        status = merge_from_disk(settings, error);
    if (status == CA_OK) {
        ca_config_set_whole(config_root_setting(&settings->tree), "version", CA_SETTINGS_VERSION);
        text = ca_config_format(&settings->tree, HEADING);
        status = text ? ca_config_write(text, settings->path, error)
                      : ca_fail(error, CA_NO_MEMORY, "no memory to save %s", settings->path);
    }
    if (status == CA_OK) {
        free(settings->base);
        free(settings->file);
        settings->base = text;
        settings->file = strdup(text);
        settings->claimed = NULL;
    } else {
        free(text);
    }
    ca_lock_end(lock);
    return status;
}

const struct ca_values *ca_settings_values(const struct ca_settings *settings)
{
    return &settings->values;
}

double ca_setting_number(const struct ca_settings *settings, enum ca_setting setting)
{
    return settings->values.value[setting].number;
}

const char *ca_setting_text(const struct ca_settings *settings, enum ca_setting setting)
{
    return settings->values.value[setting].text;
}

enum ca_status ca_setting_find(enum ca_setting *setting, const char *name, struct ca_error *error)
{
    char hint[CA_TEXT_MAX];

    for (int i = 0; i < CA_SETTING_COUNT; i++)
        if (strcmp(ca_settings_table[i].name, name) == 0) {
            *setting = (enum ca_setting)i;
            return CA_OK;
        }
    return ca_fail(error, CA_USAGE, "'%.80s' is not a setting of the workbench%s", name,
                   ca_suggest(hint, name, CA_SETTING_COUNT, ca_param_name, ca_settings_table));
}

enum ca_status ca_settings_set(struct ca_settings *settings, enum ca_setting setting,
                               const char *text, enum ca_origin origin, struct ca_error *error)
{
    config_setting_t *root = config_root_setting(&settings->tree);
    struct ca_values *values = &settings->values;

    CA_TRY(ca_values_set(values, (int)setting, text, origin, NULL, error));
    if (setting != CA_SETTING_SPEED && setting != CA_SETTING_DRAWN &&
        (origin == CA_FROM_WORKBENCH || origin == CA_FROM_SETTINGS))
        ca_config_set_value(ca_config_subgroup(root, "workbench"), &values->table[setting],
                            &values->value[setting]);
    return CA_OK;
}

const struct ca_model *ca_settings_model(const struct ca_settings *settings)
{
    const struct ca_model *model = NULL;
    struct ca_error ignored;
    const char *name;

    if (config_lookup_string(&settings->tree, "model", &name) &&
        ca_model_open(&model, name, &ignored) == CA_OK)
        return model;
    return NULL;
}

void ca_settings_set_model(struct ca_settings *settings, const struct ca_model *model)
{
    ca_config_set_string(config_root_setting(&settings->tree), "model", ca_model_word(model));
}

void ca_settings_recall(const struct ca_settings *settings, const struct ca_model *model,
                        struct ca_saved_view *memory)
{
    const config_setting_t *models = config_lookup(&settings->tree, "models");
    const config_setting_t *group = models ? config_setting_get_member(models, model->name) : NULL;
    const config_setting_t *workbench = config_lookup(&settings->tree, "workbench");
    const config_setting_t *pace = workbench ? config_setting_get_member(workbench, "speed") : NULL;
    const config_setting_t *drawn =
        workbench ? config_setting_get_member(workbench, "drawn") : NULL;
    const char *text = drawn ? config_setting_get_string(drawn) : NULL;
    struct ca_values *initial_view = &memory->experiment.initial_view;
    struct ca_findings findings = {0}; /* there are none: the tree was checked when it was read */
    struct ca_error ignored;

    ca_experiment_default(&memory->experiment, model);
    /* The values of `workbench` are for models that have no pace of their own, or nothing drawn; a
     * field, or a difference, is not for every model. */
    if (pace)
        ca_config_value(initial_view, CA_INITIAL_PACE, pace, CA_FROM_SETTINGS, settings->path,
                        &ignored);
    for (int i = 0; text && i < CA_FIELD; i++)
        if (strcmp(text, ca_drawn_names[i]) == 0)
            ca_values_set(initial_view, CA_INITIAL_DRAWN, text, CA_FROM_SETTINGS, NULL, &ignored);
    if (group && ca_saved_view_read(memory, group, settings->path, &findings, &ignored) != CA_OK)
        ca_experiment_default(&memory->experiment, model);
}

bool ca_settings_knows(const struct ca_settings *settings, const struct ca_model *model)
{
    const config_setting_t *models = config_lookup(&settings->tree, "models");

    return models && config_setting_get_member(models, model->name);
}

void ca_settings_remember(struct ca_settings *settings, const struct ca_saved_view *memory)
{
    config_setting_t *models = ca_config_subgroup(config_root_setting(&settings->tree), "models");
    const struct ca_model *model = memory->experiment.model;
    /* The parameters of a file's model change with the file: they are not remembered. */
    config_setting_t *group = model->source ? NULL : ca_config_subgroup(models, model->name);

    if (group)
        ca_saved_view_write(memory, group);
}

void ca_settings_claim_run(struct ca_settings *settings, const struct ca_model *model)
{
    settings->claimed = model;
}

const char *ca_settings_key(const struct ca_settings *settings, const char *request)
{
    const config_setting_t *keys = config_lookup(&settings->tree, "keys");
    const config_setting_t *key = keys ? config_setting_get_member(keys, request) : NULL;

    return key ? config_setting_get_string(key) : NULL;
}

void ca_settings_set_key(struct ca_settings *settings, const char *request, const char *key)
{
    config_setting_t *keys = config_lookup(&settings->tree, "keys");

    if (key)
        ca_config_set_string(ca_config_subgroup(config_root_setting(&settings->tree), "keys"),
                             request, key);
    else if (keys && config_setting_get_member(keys, request))
        config_setting_remove(keys, request);
}
