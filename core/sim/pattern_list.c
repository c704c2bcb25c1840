/* SPDX-License-Identifier: MIT */
/* Lists of patterns: what each pattern is, and its experiment. */
#include "core/sim/pattern_list.h"

#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/sim/experiment_group.h"

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

/* Reads the facts about a pattern that the list has beside its experiment. */
static enum ca_status read_facts(struct ca_shipped *shipped, const config_setting_t *group,
                                 struct ca_error *error)
{
    static const char *const wanted[] = {"name", "title", "origin"};
    const char *moves = pattern_text_of(group, "moves");
    char where[CA_TEXT_MAX], place[CA_TEXT_MAX];

    for (int i = 0; i < 3; i++)
        if (!pattern_text_of(group, wanted[i])[0])
            return ca_config_fail(group, shipped->path, error, "the text '%s' is missing",
                                  wanted[i]);
    config_setting_lookup_int(group, "period", &shipped->period);
    snprintf(where, sizeof where, "%.400s: moves", ca_config_where(place, group, shipped->path));
    if (moves[0] && ca_at_parse(&shipped->moves, moves, shipped->model->dimensions, where, error))
        return error->status = CA_SETTINGS;
    return CA_OK;
}

static enum ca_status pattern_list_describe(struct ca_shipped *shipped,
                                            const config_setting_t *group, const char *folder)
{
    static struct ca_experiment experiment;

    ca_experiment_default(&experiment, ca_models[0]);
    snprintf(shipped->title, sizeof shipped->title, "%s", pattern_text_of(group, "title"));
    snprintf(shipped->origin, sizeof shipped->origin, "%s", pattern_text_of(group, "origin"));
    ca_plain(shipped->title);
    ca_plain(shipped->origin);
    CA_TRY(
        ca_experiment_read_group(&experiment, NULL, group, shipped->path, folder, &shipped->error));
    shipped->model = experiment.model;
    if (read_facts(shipped, group, &shipped->error) != CA_OK) {
        shipped->model = NULL;
        return shipped->error.status;
    }
    snprintf(shipped->look_for, sizeof shipped->look_for, "%s",
             experiment.initial_view.value[CA_INITIAL_LOOK_FOR].text);
    ca_plain(shipped->look_for);
    return CA_OK;
}

/* A further entry, of a pattern by its name; NULL without memory. */
static struct ca_shipped *pattern_list_add(struct ca_shipped **list, int *count, const char *path,
                                           const char *name)
{
    struct ca_shipped *longer = realloc(*list, (size_t)(*count + 1) * sizeof **list), *last;

    if (!longer)
        return NULL;
    *list = longer;
    last = &longer[*count];
    *last = (struct ca_shipped){.is_pattern = true, .path = strdup(path), .pattern = strdup(name)};
    last->name = last->pattern;
    ++*count;
    if (!last->path || !last->pattern)
        return NULL;
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
        shipped = pattern_list_add(list, count, path, "patterns");
        complete = shipped != NULL;
        if (shipped)
            shipped->error = cause;
        patterns = NULL;
    }
    for (int i = 0; patterns && complete && i < config_setting_length(patterns); i++) {
        const config_setting_t *group = config_setting_get_elem(patterns, (unsigned)i);

        shipped = pattern_list_add(list, count, path, pattern_text_of(group, "name"));
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
