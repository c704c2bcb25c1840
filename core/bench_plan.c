/* SPDX-License-Identifier: MIT */
/* Owns what a benchmark consists of: lines from specs, and specs from files of cases. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bench.h"
#include "core/config.h"
#include "core/device.h"
#include "core/match.h"
#include "core/tune.h"

#define LINES_MAX 4096

/* --- specs ----------------------------------------------------------------------------------- */

static bool same_values(const struct ca_values *a, const struct ca_values *b)
{
    for (int i = 0; i < a->count; i++)
        if (a->value[i].number != b->value[i].number ||
            strcmp(a->value[i].text, b->value[i].text) != 0)
            return false;
    return true;
}

static bool same_group(const struct ca_experiment *a, const struct ca_experiment *b)
{
    return a->model == b->model && ca_size_equal(a->size, b->size) && a->seed == b->seed &&
           strcmp(a->init, b->init) == 0 && same_values(&a->params, &b->params);
}

static enum ca_status add_line(struct ca_bench *bench, const struct ca_experiment *e,
                               const char *label, struct ca_error *error)
{
    int threads = ca_values_find(&e->options, "threads");
    struct ca_bench_line *lines, *line;

    if (bench->count == LINES_MAX)
        return ca_fail(error, CA_USAGE, "more than %d lines", LINES_MAX);
    lines = realloc(bench->line, (size_t)(bench->count + 1) * sizeof *lines);
    if (!lines)
        return ca_fail(error, CA_NO_DEVICE, "no memory for %d lines", bench->count + 1);
    bench->line = lines;
    line = &lines[bench->count++];
    memset(line, 0, sizeof *line);
    line->experiment = *e;
    line->wrong = -1;
    snprintf(line->label, sizeof line->label, "%s", label);
    line->threads = threads < 0 ? 1 : (int)e->options.value[threads].number;
    if (line->threads == 0)
        line->threads = ca_cpu_cores();
    line->group = bench->groups;
    for (int i = 0; i < bench->count - 1; i++)
        if (same_group(&lines[i].experiment, e))
            line->group = lines[i].group;
    if (line->group == bench->groups)
        bench->groups++;
    return CA_OK;
}

/* Whether any backend of the model has that option. */
static bool is_option(const struct ca_model *model, const char *pair)
{
    size_t length = strcspn(pair, "=");

    for (const struct ca_backend *b = model->backends; b->name; b++)
        for (const struct ca_param *p = b->options; p && p->name; p++)
            if (strlen(p->name) == length && strncmp(p->name, pair, length) == 0)
                return true;
    return false;
}

static bool has_option(const struct ca_experiment *e, const char *pair)
{
    char key[64];

    snprintf(key, sizeof key, "%.*s", (int)strcspn(pair, "="), pair);
    return ca_values_find(&e->options, key) >= 0;
}

/* The experiment of one line. */
static enum ca_status make_experiment(struct ca_experiment *e, const struct ca_bench_spec *spec,
                                      const struct ca_backend *backend, const char *size,
                                      const char *threads, const char *where,
                                      struct ca_error *error)
{
    const char *const rows[][2] = {
        {"size", size}, {"init", spec->init}, {"seed", spec->seed}, {"steps", spec->steps}};

    ca_experiment_default(e, spec->model);
    ca_experiment_backend(e, backend, CA_FROM_COMMAND_LINE);
    e->steps = 0; /* as many as make a call long enough */
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i][1][0])
            CA_TRY(
                ca_experiment_set(e, rows[i][0], rows[i][1], CA_FROM_COMMAND_LINE, where, error));
    if (threads[0] && ca_values_find(&e->options, "threads") >= 0)
        CA_TRY(ca_experiment_set(e, "threads", threads, CA_FROM_COMMAND_LINE, where, error));
    for (int i = 0; i < spec->sets; i++)
        if (has_option(e, spec->set[i]) || !is_option(spec->model, spec->set[i]))
            CA_TRY(ca_experiment_set(e, "set", spec->set[i], CA_FROM_COMMAND_LINE, where, error));
    return CA_OK;
}

static enum ca_status add_backends(struct ca_bench *bench, const struct ca_bench_spec *spec,
                                   const char *size, const char *threads, bool first,
                                   const char *where, struct ca_error *error)
{
    struct ca_experiment *e = malloc(sizeof *e);
    enum ca_status status = CA_OK;

    if (!e)
        return ca_fail(error, CA_NO_DEVICE, "no memory");
    for (const struct ca_backend *b = spec->model->backends; b->name && status == CA_OK; b++) {
        if (spec->backends[0] && !ca_match(spec->backends, b->name))
            continue;
        status = make_experiment(e, spec, b, size, threads, where, error);
        if (status == CA_OK && bench->tuned)
            status = ca_tuned_use(e, error);
        /* One line is enough of a backend that knows no threads. */
        if (status == CA_OK && (first || ca_values_find(&e->options, "threads") >= 0))
            status = add_line(bench, e, spec->label, error);
    }
    free(e);
    return status;
}

enum ca_status ca_bench_add(struct ca_bench *bench, const struct ca_bench_spec *spec,
                            const char *where, struct ca_error *error)
{
    const struct ca_model *const models[] = {spec->model, NULL};
    const char *sizes = spec->sizes[0] ? spec->sizes : NULL;
    char size[CA_TEXT_MAX] = "", thread[CA_TEXT_MAX] = "";

    if (spec->backends[0])
        CA_TRY(ca_match_check(spec->backends, models, where ? where : "backend", error));
    if (sizes)
        sizes = ca_match_next(sizes, size);
    do {
        const char *threads = ca_match_next(spec->threads, thread);
        bool first = true;

        if (!threads)
            thread[0] = '\0';
        do {
            CA_TRY(add_backends(bench, spec, size, thread, first, where, error));
            first = false;
        } while (threads && (threads = ca_match_next(threads, thread)) != NULL);
    } while (sizes && (sizes = ca_match_next(sizes, size)) != NULL);
    return CA_OK;
}

/* --- files ----------------------------------------------------------------------------------- */

static const char *const case_keys[] = {"label", "model", "backend", "size",       "threads",
                                        "seed",  "init",  "steps",   "parameters", "options"};
#define CASE_KEYS ((int)(sizeof case_keys / sizeof case_keys[0]))

static const char *case_key(const void *context, int i)
{
    (void)context;
    return case_keys[i];
}

static enum ca_status check_keys(const config_setting_t *group, const char *path,
                                 struct ca_error *error)
{
    CA_TRY(ca_config_group(group, path, error));
    for (int i = 0; i < config_setting_length(group); i++) {
        const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
        const char *name = config_setting_name(setting), *nearest;
        int key = 0;

        while (key < CASE_KEYS && strcmp(case_keys[key], name) != 0)
            key++;
        if (key < CASE_KEYS)
            continue;
        nearest = ca_nearest(name, CASE_KEYS, case_key, NULL);
        return ca_config_fail(setting, path, error, "it is no key of a case%s%s%s",
                              nearest ? "; did you mean '"
                                      : "; there are: label, model, backend, size, threads, seed, "
                                        "init, steps, parameters, options",
                              nearest ? nearest : "", nearest ? "'?" : "");
    }
    return CA_OK;
}

/* A value, or a list of them with commas in between. */
static enum ca_status read_list(char text[CA_TEXT_MAX], const config_setting_t *group,
                                const char *name, const char *path, struct ca_error *error)
{
    const config_setting_t *setting = config_setting_get_member(group, name);
    size_t used = 0;

    text[0] = '\0';
    if (!setting)
        return CA_OK;
    if (!config_setting_is_array(setting) && !config_setting_is_list(setting))
        return ca_config_text(text, setting, path, error);
    if (config_setting_length(setting) == 0)
        return ca_config_fail(setting, path, error, "an empty list");
    for (int i = 0; i < config_setting_length(setting); i++) {
        char item[CA_TEXT_MAX];

        CA_TRY(ca_config_text(item, config_setting_get_elem(setting, (unsigned)i), path, error));
        if (used + strlen(item) + 2 > CA_TEXT_MAX)
            return ca_config_fail(setting, path, error, "more than %d bytes", CA_TEXT_MAX - 1);
        used += (size_t)snprintf(text + used, CA_TEXT_MAX - used, "%s%s", i ? "," : "", item);
    }
    return CA_OK;
}

static enum ca_status read_short(char *text, size_t size, const config_setting_t *group,
                                 const char *name, const char *path, struct ca_error *error)
{
    const config_setting_t *setting = config_setting_get_member(group, name);
    char whole[CA_TEXT_MAX];

    text[0] = '\0';
    if (!setting)
        return CA_OK;
    CA_TRY(ca_config_text(whole, setting, path, error));
    if (strlen(whole) >= size)
        return ca_config_fail(setting, path, error, "more than %d bytes", (int)size - 1);
    strcpy(text, whole);
    return CA_OK;
}

/* The members of a group of values as "key=value". */
static enum ca_status read_sets(struct ca_bench_spec *spec, const config_setting_t *parent,
                                const char *name, const char *path, struct ca_error *error)
{
    const config_setting_t *group = config_setting_get_member(parent, name);

    if (!group)
        return CA_OK;
    CA_TRY(ca_config_group(group, path, error));
    for (int i = 0; i < config_setting_length(group); i++) {
        const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
        char text[CA_TEXT_MAX];

        if (spec->sets == CA_PARAMS_MAX)
            return ca_config_fail(setting, path, error, "more than %d values", CA_PARAMS_MAX);
        if (config_setting_type(setting) == CONFIG_TYPE_FLOAT)
            snprintf(text, sizeof text, "%.17g", config_setting_get_float(setting));
        else
            CA_TRY(ca_config_text(text, setting, path, error));
        snprintf(spec->set[spec->sets++], CA_TEXT_MAX, "%.63s=%.440s", config_setting_name(setting),
                 text);
    }
    return CA_OK;
}

static enum ca_status read_case(struct ca_bench *bench, struct ca_bench_spec *spec,
                                const config_setting_t *group, const char *path,
                                struct ca_error *error)
{
    const config_setting_t *model = config_setting_get_member(group, "model");
    char name[CA_TEXT_MAX], where[CA_TEXT_MAX];

    memset(spec, 0, sizeof *spec);
    CA_TRY(check_keys(group, path, error));
    if (!model)
        return ca_config_fail(group, path, error, "a case without the key 'model'");
    CA_TRY(ca_config_text(name, model, path, error));
    if (ca_model_find(&spec->model, name, error) != CA_OK) {
        struct ca_error cause = *error;

        return ca_config_fail(model, path, error, "%s", cause.text);
    }
    CA_TRY(read_short(spec->label, sizeof spec->label, group, "label", path, error));
    CA_TRY(read_list(spec->backends, group, "backend", path, error));
    CA_TRY(read_list(spec->sizes, group, "size", path, error));
    CA_TRY(read_list(spec->threads, group, "threads", path, error));
    CA_TRY(read_short(spec->init, sizeof spec->init, group, "init", path, error));
    CA_TRY(read_short(spec->seed, sizeof spec->seed, group, "seed", path, error));
    CA_TRY(read_short(spec->steps, sizeof spec->steps, group, "steps", path, error));
    CA_TRY(read_sets(spec, group, "parameters", path, error));
    CA_TRY(read_sets(spec, group, "options", path, error));
    return ca_config_refused(ca_bench_add(bench, spec, ca_config_where(where, group, path), error),
                             error);
}

static enum ca_status read_cases(struct ca_bench *bench, const config_t *tree, const char *path,
                                 struct ca_error *error)
{
    const config_setting_t *root = config_root_setting(tree);
    const config_setting_t *cases = config_setting_get_member(root, "cases");
    struct ca_bench_spec *spec;
    enum ca_status status = CA_OK;

    for (int i = 0; i < config_setting_length(root); i++) {
        const config_setting_t *setting = config_setting_get_elem(root, (unsigned)i);

        if (setting != cases)
            return ca_config_fail(setting, path, error,
                                  "it is no key of a benchmark; there is: cases");
    }
    if (!cases)
        return ca_fail(error, CA_SETTINGS, "%s: the key 'cases' is missing", path);
    if (!config_setting_is_list(cases) || config_setting_length(cases) == 0)
        return ca_config_fail(cases, path, error, "a list of cases, ( { ... }, ... ), is expected");
    spec = malloc(sizeof *spec);
    if (!spec)
        return ca_fail(error, CA_NO_DEVICE, "no memory");
    for (int i = 0; i < config_setting_length(cases) && status == CA_OK; i++)
        status = read_case(bench, spec, config_setting_get_elem(cases, (unsigned)i), path, error);
    free(spec);
    return status;
}

enum ca_status ca_bench_read(struct ca_bench *bench, const char *path, struct ca_error *error)
{
    config_t tree;
    enum ca_status status = ca_config_read(&tree, path, NULL, error);

    if (status == CA_OK)
        status = read_cases(bench, &tree, path, error);
    config_destroy(&tree);
    return status;
}
