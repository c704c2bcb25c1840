/* SPDX-License-Identifier: MIT */
/* The experiments and patterns that come with calab, and what lists say of each. */
#include "core/sim/shipped.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/files/config.h"
#include "core/files/embedded.h"
#include "core/sim/experiment_group.h"

/* --- lists of patterns ------------------------------------------------------------------------ */

/* Opens a list, and finds its folder from the root: what it names is found wherever the experiment
 * goes. *config must be destroyed in any case. */
static enum ca_status open_list(config_t *config, config_setting_t **patterns, const char *path,
                                char folder[PATH_MAX], struct ca_error *error)
{
    char copy[PATH_MAX];

    CA_TRY(ca_config_read(config, path, NULL, error));
    strcpy(copy, path); /* which has been opened */
    *patterns = config_lookup(config, "patterns");
    if (!*patterns || !config_setting_is_list(*patterns))
        return ca_fail(error, CA_SETTINGS, "%s: the list 'patterns' is missing", path);
    return ca_file_resolve(dirname(copy), folder, error);
}

static const char *pattern_text_of(const config_setting_t *group, const char *key)
{
    const char *text = "";

    if (config_setting_is_group(group))
        config_setting_lookup_string(group, key, &text);
    return text;
}

/* Reads a pattern, and the facts about it that the list has beside its experiment. */
static enum ca_status pattern_list_describe(struct ca_shipped *shipped,
                                            const config_setting_t *group, const char *folder)
{
    static const char *const wanted[] = {"name", "title", "origin"};
    static struct ca_experiment experiment;
    const char *moves = pattern_text_of(group, "moves");
    char where[CA_TEXT_MAX], place[CA_TEXT_MAX];
    struct ca_error *error = &shipped->error;

    ca_experiment_default(&experiment, ca_models[0]);
    snprintf(shipped->title, sizeof shipped->title, "%s", pattern_text_of(group, "title"));
    snprintf(shipped->origin, sizeof shipped->origin, "%s", pattern_text_of(group, "origin"));
    ca_plain(shipped->title);
    ca_plain(shipped->origin);
    CA_TRY(ca_experiment_read_group(&experiment, NULL, group, shipped->path, folder, error));
    for (int i = 0; i < 3; i++)
        if (!pattern_text_of(group, wanted[i])[0])
            return ca_config_fail(group, shipped->path, error, "the text '%s' is missing",
                                  wanted[i]);
    config_setting_lookup_int(group, "period", &shipped->period);
    snprintf(where, sizeof where, "%.400s: moves", ca_config_where(place, group, shipped->path));
    if (moves[0] &&
        ca_at_parse(&shipped->moves, moves, experiment.model->dimensions, where, error) != CA_OK)
        return error->status = CA_SETTINGS;
    shipped->model = experiment.model;
    snprintf(shipped->look_for, sizeof shipped->look_for, "%s",
             experiment.initial_view.value[CA_INITIAL_LOOK_FOR].text);
    ca_plain(shipped->look_for);
    return CA_OK;
}

/* One more entry, of a file or of a pattern in one by its name; NULL without memory. */
static struct ca_shipped *shipped_add(struct ca_shipped **list, int *count, const char *path,
                                      const char *pattern)
{
    struct ca_shipped *longer = realloc(*list, (size_t)(*count + 1) * sizeof **list), *last;

    if (!longer)
        return NULL;
    *list = longer;
    last = &longer[(*count)++];
    *last = (struct ca_shipped){.is_pattern = pattern, .path = strdup(path)};
    last->name = last->pattern = pattern ? strdup(pattern) : NULL;
    if (!last->path || (pattern && !last->pattern))
        return NULL;
    if (pattern)
        ca_plain(last->pattern);
    return last;
}

enum ca_status ca_pattern_list_add(struct ca_shipped **list, int *count, const char *path,
                                   struct ca_error *error)
{
    struct ca_shipped *shipped;
    config_setting_t *patterns;
    struct ca_error cause;
    char folder[PATH_MAX];
    config_t config;
    bool complete = true;

    if (!ca_file_exists(path))
        return CA_OK;
    if (open_list(&config, &patterns, path, folder, &cause) != CA_OK) {
        shipped = shipped_add(list, count, path, "patterns");
        complete = shipped != NULL;
        if (shipped)
            shipped->error = cause;
        patterns = NULL;
    }
    for (int i = 0; patterns && complete && i < config_setting_length(patterns); i++) {
        const config_setting_t *group = config_setting_get_elem(patterns, (unsigned)i);

        shipped = shipped_add(list, count, path, pattern_text_of(group, "name"));
        complete = shipped != NULL;
        if (shipped)
            pattern_list_describe(shipped, group, folder);
    }
    config_destroy(&config);
    return complete ? CA_OK : ca_fail(error, CA_NO_MEMORY, "no memory for the list of patterns");
}

enum ca_status ca_pattern_list_read(struct ca_experiment *experiment, struct ca_outputs *outputs,
                                    const char *path, const char *name, struct ca_error *error)
{
    config_setting_t *patterns, *found = NULL;
    char folder[PATH_MAX];
    config_t config;
    enum ca_status status = open_list(&config, &patterns, path, folder, error);

    for (int i = 0; status == CA_OK && !found && i < config_setting_length(patterns); i++)
        if (strcmp(pattern_text_of(config_setting_get_elem(patterns, (unsigned)i), "name"), name) ==
            0)
            found = config_setting_get_elem(patterns, (unsigned)i);
    if (status == CA_OK)
        status = found ? ca_experiment_read_group(experiment, outputs, found, path, folder, error)
                       : ca_fail(error, CA_SETTINGS, "%s: there is no pattern '%.80s'", path, name);
    config_destroy(&config);
    return status;
}

#define SUGGESTED_MAX 256 /* names that a wrong one is compared with */

const char *ca_shipped_folder(int i)
{
    static char path[PATH_MAX + 32];
    ssize_t length;
    char *slash;

    if (i == 0)
        return "configs";
    if (i == 2)
        return CA_EMBEDDED;
    length = i == 1 ? readlink("/proc/self/exe", path, PATH_MAX) : -1;
    if (length < 0)
        return NULL;
    path[length] = '\0';
    for (int up = 0; up < 2 && (slash = strrchr(path, '/')) != NULL; up++)
        *slash = '\0';
    strcat(path, "/share/calab/configs");
    return path;
}

static bool is_config_name(const char *name)
{
    size_t length = strlen(name);

    return length > 4 && strcmp(name + length - 4, ".cfg") == 0;
}

/* The text of the first comment line, without the comment marks. */
static void first_comment(char title[CA_TITLE_MAX], const char *path)
{
    struct ca_error ignored;
    char line[CA_TITLE_MAX];
    FILE *file = NULL;
    int64_t size;

    title[0] = '\0';
    if (ca_file_open(path, &size, &file, &ignored) != CA_OK)
        return;
    ca_file_skip_mark(file);
    while (!title[0] && fgets(line, sizeof line, file)) {
        char *start = line + strspn(line, "#/* \t\n");

        if (start != line && strcspn(line, "#/") == 0)
            snprintf(title, CA_TITLE_MAX, "%.*s", (int)strcspn(start, "\n"), start);
    }
    ca_plain(title);
    fclose(file);
}

/* What is said of an experiment of a model in a file, which would have to be compiled to be read.
 */
static void describe_file(struct ca_shipped *shipped, const config_t *config)
{
    const char *text = "";

    config_lookup_string(config, "model", &text);
    if (!ca_model_is_path(text))
        return;
    snprintf(shipped->file, sizeof shipped->file, "%s", text);
    text = "";
    config_lookup_string(config, "look_for", &text);
    snprintf(shipped->look_for, sizeof shipped->look_for, "%s", text);
    ca_plain(shipped->file);
    ca_plain(shipped->look_for);
}

static void shipped_describe(struct ca_shipped *shipped)
{
    static struct ca_experiment experiment;
    config_t config;

    first_comment(shipped->title, shipped->path);
    shipped->name = strrchr(shipped->path, '/') + 1;
    if (ca_config_read(&config, shipped->path, NULL, &shipped->error) == CA_OK) {
        shipped->is_benchmark = config_lookup(&config, "cases") != NULL;
        describe_file(shipped, &config);
    }
    config_destroy(&config);
    if (shipped->error.text[0] || shipped->is_benchmark || shipped->file[0])
        return;
    ca_experiment_default(&experiment, ca_models[0]);
    if (ca_experiment_read(&experiment, NULL, shipped->path, &shipped->error) != CA_OK)
        return;
    shipped->model = experiment.model;
    snprintf(shipped->look_for, sizeof shipped->look_for, "%s",
             experiment.initial_view.value[CA_INITIAL_LOOK_FOR].text);
    ca_plain(shipped->look_for);
}

static void shipped_drop(const struct ca_shipped *shipped)
{
    free(shipped->path);
    free(shipped->pattern);
}

/* Whether one of its name and kind is among the first `count`. */
static bool is_in(const struct ca_shipped *list, int count, const struct ca_shipped *shipped)
{
    for (int i = 0; i < count; i++)
        if (list[i].is_pattern == shipped->is_pattern && strcmp(list[i].name, shipped->name) == 0)
            return true;
    return false;
}

static enum ca_status shipped_find(struct ca_shipped **list, int *count, bool experiments,
                                   struct ca_error *error)
{
    enum ca_status status = CA_OK;
    char path[2 * PATH_MAX];
    const char *folder;
    int all;

    *list = NULL;
    *count = 0;
    for (int i = 0; experiments && status == CA_OK && (folder = ca_shipped_folder(i)) != NULL;
         i++) {
        struct ca_listing names = {NULL, 0};

        status = ca_listing_read(&names, folder, error);
        for (int n = 0; n < names.count && status == CA_OK; n++) {
            struct ca_shipped *last;

            if (!is_config_name(names.name[n]))
                continue;
            snprintf(path, sizeof path, "%s/%s", folder, names.name[n]);
            last = shipped_add(list, count, path, NULL);
            if (last)
                shipped_describe(last);
            else
                status = ca_fail(error, CA_NO_MEMORY, "no memory for the list of experiments");
        }
        ca_listing_free(&names);
    }
    for (int i = 0; status == CA_OK && (folder = ca_shipped_folder(i)) != NULL; i++) {
        snprintf(path, sizeof path, "%s/patterns/patterns.cfg", folder);
        status = ca_pattern_list_add(list, count, path, error);
    }
    /* What is in the program and stands in a folder by the same name is taken away. */
    all = *count;
    *count = 0;
    for (int i = 0; i < all; i++)
        if (status == CA_OK && ca_embedded_is_path((*list)[i].path) &&
            is_in(*list, *count, &(*list)[i]))
            shipped_drop(&(*list)[i]);
        else
            (*list)[(*count)++] = (*list)[i];
    if (status == CA_OK)
        return CA_OK;
    ca_shipped_free(*list, *count);
    *list = NULL;
    *count = 0;
    return status;
}

enum ca_status ca_shipped_find(struct ca_shipped **list, int *count, struct ca_error *error)
{
    return shipped_find(list, count, true, error);
}

enum ca_status ca_shipped_patterns(struct ca_shipped **list, int *count, struct ca_error *error)
{
    return shipped_find(list, count, false, error);
}

void ca_shipped_free(struct ca_shipped *list, int count)
{
    for (int i = 0; i < count; i++)
        shipped_drop(&list[i]);
    free(list);
}

bool ca_shipped_is_right(const struct ca_shipped *shipped)
{
    return shipped->model || (shipped->file[0] && !shipped->error.text[0]);
}

bool ca_shipped_is_first(const struct ca_shipped *list, const struct ca_shipped *shipped)
{
    return !is_in(list, (int)(shipped - list), shipped);
}

/* --- initial view
 * ---------------------------------------------------------------------------------- */

enum ca_status ca_shipped_read(struct ca_experiment *experiment, struct ca_outputs *outputs,
                               const struct ca_shipped *shipped, struct ca_error *error)
{
    return shipped->is_pattern
               ? ca_pattern_list_read(experiment, outputs, shipped->path, shipped->name, error)
               : ca_experiment_read(experiment, outputs, shipped->path, error);
}

char *ca_shipped_path(char path[PATH_MAX], const char *text)
{
    static const char *const endings[] = {"", ".cfg"};
    const char *name = strncmp(text, "configs/", 8) == 0 ? text + 8 : text, *folder;

    if (!ca_file_exists(text) && !strchr(name, '/'))
        for (int i = 0; (folder = ca_shipped_folder(i)) != NULL; i++)
            for (int e = 0; e < 2; e++) {
                int length = snprintf(path, PATH_MAX, "%s/%s%s", folder, name, endings[e]);

                if (length < PATH_MAX && is_config_name(path) && ca_file_exists(path))
                    return path;
            }
    snprintf(path, PATH_MAX, "%s", text);
    return path;
}

void ca_shipped_prefer_folders(char path[PATH_MAX])
{
    char other[2 * PATH_MAX], resolved[PATH_MAX];
    struct ca_error ignored;
    const char *folder;

    for (int i = 0; ca_embedded_is_path(path) && (folder = ca_shipped_folder(i)) != NULL; i++) {
        snprintf(other, sizeof other, "%s/%s", folder, path + strlen(CA_EMBEDDED "/"));
        if (access(other, F_OK) == 0 && ca_file_resolve(other, resolved, &ignored) == CA_OK)
            strcpy(path, resolved);
    }
}

/* The pattern of a name, and of a model unless that is NULL; NULL where there is none. */
static const struct ca_shipped *pattern_of(const struct ca_shipped *list, int count,
                                           const char *name, const struct ca_model *model)
{
    for (int i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0 && (!model || list[i].model == model))
            return &list[i];
    return NULL;
}

enum ca_status ca_shipped_open(struct ca_experiment *experiment, struct ca_outputs *outputs,
                               const char *text, struct ca_error *error)
{
    const struct ca_shipped *pattern = NULL;
    struct ca_shipped *list = NULL;
    char path[PATH_MAX];
    enum ca_status status;
    int count = 0;

    if (!ca_file_exists(ca_shipped_path(path, text)) && !strchr(text, '/')) {
        CA_TRY(ca_shipped_patterns(&list, &count, error));
        pattern = pattern_of(list, count, text, NULL);
    }
    status = pattern ? ca_shipped_read(experiment, outputs, pattern, error)
                     : ca_experiment_read(experiment, outputs, path, error);
    ca_shipped_free(list, count);
    return status;
}

static enum ca_status take_start(struct ca_experiment *experiment, const struct ca_shipped *pattern,
                                 enum ca_origin origin, struct ca_error *error)
{
    struct ca_experiment from;

    ca_experiment_default(&from, experiment->model);
    CA_TRY(ca_shipped_read(&from, NULL, pattern, error));
    for (int i = 0; i < experiment->params.count; i++) {
        const struct ca_param *param = &experiment->params.table[i];
        struct ca_value *value = &experiment->params.value[i];

        if (!(param->initial || strcmp(param->name, "rule") == 0) || value->origin > origin ||
            from.params.value[i].origin == CA_BUILT_IN)
            continue;
        *value = from.params.value[i];
        value->origin = origin;
    }
    memcpy(experiment->init, from.init, sizeof experiment->init);
    return CA_OK;
}

/* The refusal of a start, with the pattern that may have been meant. */
static enum ca_status shipped_refuse(const struct ca_shipped *list, int count, const char *text,
                                     const struct ca_model *model, const struct ca_error *refusal,
                                     struct ca_error *error)
{
    const struct ca_shipped *other = pattern_of(list, count, text, NULL);
    const char *name[SUGGESTED_MAX] = {0}, *nearest;
    int names = 0;

    if (other && !other->model)
        return ca_fail(error, CA_USAGE, "%s", other->error.text);
    if (other)
        return ca_fail(error, refusal->status, "'%.80s' is a pattern of %s, not of %s", text,
                       other->model->name, model->name);
    for (int i = 0; i < count && names < SUGGESTED_MAX; i++)
        if (list[i].model == model)
            name[names++] = list[i].name;
    nearest = ca_nearest(text, names, ca_name_at, name);
    if (nearest && !strstr(refusal->text, "did you mean"))
        return ca_fail(error, refusal->status, "%s; did you mean the pattern '%s'?", refusal->text,
                       nearest);
    return ca_fail(error, refusal->status, "%s%s", refusal->text,
                   names > 0 ? "; calab list patterns has patterns" : "");
}

enum ca_status ca_shipped_start(struct ca_experiment *experiment, const char *name,
                                enum ca_origin origin, const struct ca_error *refusal,
                                struct ca_error *error)
{
    const struct ca_shipped *pattern;
    struct ca_shipped *list;
    enum ca_status status;
    int count;

    CA_TRY(ca_shipped_patterns(&list, &count, error));
    pattern = pattern_of(list, count, name, experiment->model);
    status = pattern ? take_start(experiment, pattern, origin, error)
                     : shipped_refuse(list, count, name, experiment->model, refusal, error);
    ca_shipped_free(list, count);
    return status;
}
