/* SPDX-License-Identifier: MIT */
/* This file makes the lines of a benchmark from specs, which may come from files of cases. */
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bench/bench.h"
#include "core/base/text.h"
#include "core/bench/scaling.h"
#include "core/files/config.h"
#include "core/machine/device.h"
#include "core/model/backend_glob.h"
#include "core/bench/choose.h"
#include "core/bench/tune.h"
#include "core/sim/simulation.h"

#define LINES_MAX 4096

/* --- lines ----------------------------------------------------------------------------------- */

/* Adds a line, with tuned options where the benchmark wants them. The last of bench->line is it. */
static enum ca_status add_line(struct ca_bench *bench, const struct ca_experiment *experiment,
                               const char *label, struct ca_bench_machine machine,
                               struct ca_error *error)
{
    int threads = ca_values_find(&experiment->options, "threads");
    struct ca_bench_line *lines, *line;
    const struct ca_experiment *e;
    struct ca_error later; /* what is wrong is found again when the line is opened */

    if (bench->count == LINES_MAX)
        return ca_fail(error, CA_USAGE, "more than %d lines", LINES_MAX);
    lines = realloc(bench->line, (size_t)(bench->count + 1) * sizeof *lines);
    if (!lines)
        return ca_fail(error, CA_NO_MEMORY, "no memory for %d lines", bench->count + 1);
    bench->line = lines;
    line = &lines[bench->count++];
    memset(line, 0, sizeof *line);
    line->experiment = *experiment;
    if (bench->tuned) {
        ca_choose_backend(&line->experiment, &later);
        CA_TRY(ca_tuned_use(&line->experiment, error));
    }
    e = &line->experiment;
    line->machine = machine;
    line->wrong = line->base = line->study = -1;
    line->ranks = ca_bench_ranks(e);
    line->first = true;
    snprintf(line->label, sizeof line->label, "%s", label);
    line->threads = threads < 0 ? 1 : (int)e->options.value[threads].number;
    if (line->threads == 0)
        line->threads = ca_cpu_cores();
    line->group = bench->groups;
    for (int i = 0; i < bench->count - 1; i++) {
        if (ca_experiment_differs(&lines[i].experiment, e, CA_MAKES_RUN) == CA_KEY_COUNT &&
            ca_values_equal(&lines[i].experiment.params, &e->params))
            line->group = lines[i].group;
        if (lines[i].experiment.model == e->model)
            line->first = false;
    }
    if (line->group == bench->groups)
        bench->groups++;
    return CA_OK;
}

/* --- cuts: those of a study of weak or strong scaling change the lattice -----------------------
 */

static int64_t *layers_of(struct ca_experiment *e)
{
    return e->model->dimensions == 3 ? &e->size.d : &e->size.h;
}

/* The lattice with so many layers. CA_USAGE where the model or a file does not allow it. */
static enum ca_status set_layers(struct ca_experiment *e, int64_t layers, struct ca_error *error)
{
    int64_t before = *layers_of(e);

    *layers_of(e) = layers;
    if (layers != before)
        e->origin[CA_KEY_SIZE] = CA_FROM_COMMAND_LINE;
    CA_TRY(ca_size_check(e->size, e->model->dimensions, "size", error));
    CA_TRY(ca_experiment_check(e, error));
    if (*layers_of(e) != layers)
        return ca_fail(error, CA_USAGE, "a file of the experiment says how large the lattice is");
    return CA_OK;
}

static struct ca_bench_line *last_line(struct ca_bench *bench)
{
    return &bench->line[bench->count - 1];
}

/* Gives a line of a GPU a group of its own in a study, so that its memory is freed before the next:
 * each of them may fill the GPUs that it is on. */
static void stand_alone(struct ca_bench *bench)
{
    struct ca_bench_line *line = last_line(bench);

    for (int i = 0; i < bench->count - 1; i++)
        if (bench->scaling != CA_SCALING_NONE && line->experiment.backend->device == CA_CUDA &&
            bench->line[i].group == line->group) {
            line->group = bench->groups++;
            return;
        }
}

/* The base's ranks on the largest share that these ranks have of the lattice, which is what they
 * would take if there were no halos. Without one, where the model does not allow that size, no
 * ceiling is known. */
static enum ca_status add_share(struct ca_bench *bench, const struct ca_bench_spec *spec,
                                const struct ca_experiment *base, int ranks, int study,
                                struct ca_error *error)
{
    struct ca_experiment e = *base;
    int64_t whole = *layers_of(&e),
            layers = ca_bench_share_layers(whole, ca_bench_ranks(&e), ranks);
    struct ca_error ignored;

    for (int i = 0; i < bench->count; i++)
        if (bench->line[i].study == study && bench->line[i].share &&
            *layers_of(&bench->line[i].experiment) == layers)
            return CA_OK; /* there is one already */
    if (layers >= whole || set_layers(&e, layers, &ignored) != CA_OK)
        return CA_OK;
    CA_TRY(add_line(bench, &e, spec->label, spec->machine, error));
    last_line(bench)->study = study;
    last_line(bench)->share = true;
    stand_alone(bench);
    return CA_OK;
}

/* Adds the line of cut i; *base becomes the experiment of the first. */
static enum ca_status add_cut(struct ca_bench *bench, const struct ca_bench_spec *spec, int i,
                              int study, struct ca_experiment *e, struct ca_experiment *base,
                              const char *where, struct ca_error *error)
{
    CA_TRY(ca_bench_cut_set(e, &spec->cuts.cut[i], where, error));
    if (bench->scaling == CA_SCALING_WEAK) {
        int ranks = ca_bench_ranks(e);
        int64_t layers = *layers_of(e);
        struct ca_error cause;
        char size[64];

        if (layers > INT64_MAX / ranks || set_layers(e, layers * ranks, &cause) != CA_OK) {
            *layers_of(e) = layers;
            return ca_fail(error, CA_USAGE, "--weak: %d times the layers of %s of %s: %.300s",
                           ranks, ca_size_format(size, e->size, e->model->dimensions),
                           e->model->name,
                           layers > INT64_MAX / ranks ? "there are too many" : cause.text);
        }
    }
    CA_TRY(add_line(bench, e, spec->label, spec->machine, error));
    last_line(bench)->study = study;
    last_line(bench)->cut = i;
    stand_alone(bench);
    if (i == 0)
        *base = *e;
    else if (bench->scaling == CA_SCALING_STRONG)
        CA_TRY(add_share(bench, spec, base, ca_bench_ranks(e), study, error));
    return CA_OK;
}

/*
 * Adds a line of an experiment for each of the spec's cuts, all of one study, or a single one where
 * there is none; nothing where its backend has no such option. Of weak scaling the lattice grows
 * with the ranks; of strong scaling there is also a line for each share, see ca_bench_line.
 */
static enum ca_status add_cuts(struct ca_bench *bench, const struct ca_bench_spec *spec,
                               const struct ca_experiment *experiment, const char *where,
                               struct ca_error *error)
{
    struct ca_experiment base;

    if (spec->cuts.count == 0)
        return add_line(bench, experiment, spec->label, spec->machine, error);
    if (!ca_bench_cuts_fit(&spec->cuts, experiment->backend))
        return CA_OK;
    for (int i = 0; i < spec->cuts.count; i++) {
        struct ca_experiment e = *experiment;

        CA_TRY(add_cut(bench, spec, i, bench->studies, &e, &base, where, error));
    }
    bench->studies++;
    return CA_OK;
}

/* --- specs ----------------------------------------------------------------------------------- */

static enum ca_status make_experiment(struct ca_experiment *e, const struct ca_bench_spec *spec,
                                      const struct ca_backend *backend, const char *size,
                                      const char *threads, const char *where,
                                      struct ca_error *error)
{
    ca_experiment_default(e, spec->model);
    ca_experiment_backend(e, backend, CA_FROM_COMMAND_LINE);
    e->steps = 0; /* enough for a call of the default length */
    if (size[0])
        CA_TRY(ca_experiment_set(e, "size", size, CA_FROM_COMMAND_LINE, where, error));
    for (int i = 0; i < CA_KEY_COUNT; i++)
        if (spec->setting[i][0])
            CA_TRY(ca_experiment_set(e, ca_key_rows[i].name, spec->setting[i], CA_FROM_COMMAND_LINE,
                                     where, error));
    if (spec->setting[CA_KEY_STEPS][0] && e->steps == 0)
        return ca_fail(error, CA_USAGE, "%s%ssteps: '0' is not allowed: at least 1 is timed",
                       where ? where : "", where ? ": " : "");
    if (threads[0] && ca_values_find(&e->options, "threads") >= 0)
        CA_TRY(ca_experiment_set(e, "threads", threads, CA_FROM_COMMAND_LINE, where, error));
    for (int i = 0; i < spec->sets; i++) {
        char key[64];

        snprintf(key, sizeof key, "%.*s", (int)strcspn(spec->set[i], "="), spec->set[i]);
        /* An option that only other backends have is skipped. */
        if (ca_backend_has_option(backend, key) || !ca_model_has_option(spec->model, key))
            CA_TRY(ca_experiment_set(e, "set", spec->set[i], CA_FROM_COMMAND_LINE, where, error));
    }
    return CA_OK;
}

static enum ca_status add_backends(struct ca_bench *bench, const struct ca_bench_spec *spec,
                                   const char *size, const char *threads, bool first,
                                   const char *where, struct ca_error *error)
{
    struct ca_experiment e;

    for (const struct ca_backend *b = spec->model->backends; b;
         b = ca_backend_next(spec->model, b)) {
        if (spec->backends[0] && !ca_backend_glob(spec->backends, b->name))
            continue;
        CA_TRY(make_experiment(&e, spec, b, size, threads, where, error));
        /* A backend without threads gets a single line. */
        if (first || ca_values_find(&e.options, "threads") >= 0)
            CA_TRY(add_cuts(bench, spec, &e, where, error));
    }
    for (const struct ca_backend *c = ca_backend_auto(spec->model); c->choice; c++) {
        if (!ca_glob_names(spec->backends, c->name) || !ca_bench_cuts_fit(&spec->cuts, c))
            continue;
        CA_TRY(make_experiment(&e, spec, c, size, threads, where, error));
        if (spec->cuts.count > 0) /* all cuts have the first one's backend */
            CA_TRY(ca_bench_cut_set(&e, &spec->cuts.cut[0], where, error));
        CA_TRY(ca_choose_backend(&e, error));
        CA_TRY(add_cuts(bench, spec, &e, where, error));
    }
    return CA_OK;
}

enum ca_status ca_bench_add_ladder(struct ca_bench *bench, const struct ca_experiment *experiment,
                                   const char *backends, struct ca_error *error)
{
    for (const struct ca_backend *b = experiment->model->backends; b;
         b = ca_backend_next(experiment->model, b)) {
        struct ca_experiment e = *experiment;

        if (backends[0] && !ca_backend_glob(backends, b->name))
            continue;
        ca_experiment_backend(&e, b, CA_FROM_EXPERIMENT);
        e.steps = 0;
        CA_TRY(add_line(bench, &e, "", (struct ca_bench_machine){0}, error));
    }
    return CA_OK;
}

enum ca_status ca_bench_add(struct ca_bench *bench, const struct ca_bench_spec *spec,
                            const char *where, struct ca_error *error)
{
    const struct ca_model *const models[] = {spec->model, NULL};
    const char *sizes = spec->sizes[0] ? spec->sizes : NULL;
    char size[CA_TEXT_MAX] = "", thread[CA_TEXT_MAX] = "";

    if (spec->backends[0])
        CA_TRY(ca_backend_glob_check(spec->backends, models, where ? where : "backend", error));
    if (sizes)
        sizes = ca_glob_next(sizes, size);
    do {
        const char *threads = ca_glob_next(spec->threads, thread);
        bool first = true;

        if (!threads)
            thread[0] = '\0';
        do {
            CA_TRY(add_backends(bench, spec, size, thread, first, where, error));
            first = false;
        } while (threads && (threads = ca_glob_next(threads, thread)) != NULL);
    } while (sizes && (sizes = ca_glob_next(sizes, size)) != NULL);
    return CA_OK;
}

/* --- files ----------------------------------------------------------------------------------- */

/* Besides the rows of settings. */
static const char *const case_keys[] = {"label", "model", "backend",    "size",    "threads",
                                        "price", "watts", "parameters", "options", "cores"};
#define CASE_KEYS ((int)(sizeof case_keys / sizeof case_keys[0]))
static const char *const file_keys[] = {"cases", "relative"};

/* Reads a value, or a list of values, as text separated by commas. */
static enum ca_status read_list(char text[CA_TEXT_MAX], const config_setting_t *group,
                                const char *name, const char *path, struct ca_error *error)
{
    const config_setting_t *setting = config_setting_get_member(group, name);
    char where[CA_TEXT_MAX];

    text[0] = '\0';
    if (!setting)
        return CA_OK;
    if (!config_setting_is_array(setting) && !config_setting_is_list(setting)) {
        CA_TRY(ca_config_text(text, setting, path, error));
        return ca_config_refused(ca_list_check(text, ca_config_where(where, setting, path), error),
                                 error);
    }
    if (config_setting_length(setting) == 0)
        return ca_config_fail(setting, path, error, "an empty list");
    for (int i = 0; i < config_setting_length(setting); i++) {
        char item[CA_TEXT_MAX];

        CA_TRY(ca_config_text(item, config_setting_get_elem(setting, (unsigned)i), path, error));
        if (strlen(text) + strlen(item) + 2 > CA_TEXT_MAX)
            return ca_config_fail(setting, path, error, "more than %d bytes", CA_TEXT_MAX - 1);
        ca_text_add(text, CA_TEXT_MAX, "%s%s", i ? "," : "", item);
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
    for (const char *c = whole; *c; c++)
        if (iscntrl((unsigned char)*c))
            return ca_config_fail(setting, path, error, "a control character in it");
    strcpy(text, whole);
    return CA_OK;
}

/* Reads a number within low ... high; 0 where there is none. */
static enum ca_status bench_plan_read_number(double *number, const config_setting_t *group,
                                             const char *name, double low, double high,
                                             const char *path, struct ca_error *error)
{
    const config_setting_t *setting = config_setting_get_member(group, name);
    char least[CA_NUMBER_MAX], most[CA_NUMBER_MAX];
    double value = 0;

    *number = 0;
    if (!setting)
        return CA_OK;
    if (config_setting_type(setting) == CONFIG_TYPE_FLOAT)
        value = config_setting_get_float(setting);
    else if (ca_config_is_whole(setting))
        value = (double)config_setting_get_int64(setting);
    if (!(value >= low && value <= high))
        return ca_config_fail(setting, path, error, "a number %s ... %s is expected",
                              ca_number_format(least, low), ca_number_format(most, high));
    *number = value;
    return CA_OK;
}

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

/* The folder of a file, from which those that it names are counted. */
static const char *folder_of(char folder[PATH_MAX], const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash)
        return strcpy(folder, ".");
    snprintf(folder, PATH_MAX, "%.*s", slash > path ? (int)(slash - path) : 1, path);
    return folder;
}

static enum ca_status read_case(struct ca_bench *bench, struct ca_bench_spec *spec,
                                const config_setting_t *group, const char *path,
                                struct ca_error *error)
{
    const config_setting_t *model = config_setting_get_member(group, "model");
    char name[CA_TEXT_MAX], where[CA_TEXT_MAX], folder[PATH_MAX];
    const char *known[CA_KEY_COUNT + CASE_KEYS];
    int count = 0;

    memset(spec, 0, sizeof *spec);
    for (int i = 0; i < CASE_KEYS; i++)
        known[count++] = case_keys[i];
    for (int i = 0; i < CA_KEY_COUNT; i++)
        if (ca_key_rows[i].places & CA_IN_CASE)
            known[count++] = ca_key_rows[i].name;
    CA_TRY(ca_config_keys(group, path, known, count, "a case", error));
    if (!model)
        return ca_config_fail(group, path, error, "a case without the key 'model'");
    CA_TRY(ca_config_text(name, model, path, error));
    if (ca_model_open_in(&spec->model, folder_of(folder, path), name, error) != CA_OK) {
        struct ca_error cause = *error;

        return ca_config_fail(model, path, error, "%s", cause.text);
    }
    CA_TRY(read_short(spec->label, sizeof spec->label, group, "label", path, error));
    CA_TRY(read_list(spec->backends, group, "backend", path, error));
    CA_TRY(read_list(spec->sizes, group, "size", path, error));
    CA_TRY(read_list(spec->threads, group, "threads", path, error));
    for (int i = 0; i < CA_KEY_COUNT; i++)
        if (ca_key_rows[i].places & CA_IN_CASE)
            CA_TRY(read_short(spec->setting[i], sizeof spec->setting[i], group, ca_key_rows[i].name,
                              path, error));
    CA_TRY(
        bench_plan_read_number(&spec->machine.price, group, "price", CA_BENCH_PRICE, path, error));
    CA_TRY(
        bench_plan_read_number(&spec->machine.watts, group, "watts", CA_BENCH_WATTS, path, error));
    CA_TRY(
        bench_plan_read_number(&spec->machine.cores, group, "cores", CA_BENCH_CORES, path, error));
    if (spec->machine.cores != floor(spec->machine.cores))
        return ca_config_fail(config_setting_get_member(group, "cores"), path, error,
                              "a whole number is expected");
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
    struct ca_bench_spec spec;

    CA_TRY(ca_config_keys(root, path, file_keys, sizeof file_keys / sizeof file_keys[0],
                          "a benchmark", error));
    if (!cases)
        return ca_fail(error, CA_SETTINGS, "%s: the key 'cases' is missing", path);
    if (!config_setting_is_list(cases) || config_setting_length(cases) == 0)
        return ca_config_fail(cases, path, error, "a list of cases, ( { ... }, ... ), is expected");
    for (int i = 0; i < config_setting_length(cases); i++)
        CA_TRY(read_case(bench, &spec, config_setting_get_elem(cases, (unsigned)i), path, error));
    return CA_OK;
}

static enum ca_status read_relative(struct ca_bench *bench, const config_t *tree, const char *path,
                                    struct ca_error *error)
{
    const config_setting_t *root = config_root_setting(tree);
    const config_setting_t *setting = config_setting_get_member(root, "relative");
    char name[CA_BENCH_NAME], where[CA_TEXT_MAX];

    if (!setting)
        return CA_OK;
    CA_TRY(read_short(name, sizeof name, root, "relative", path, error));
    strcat(ca_config_where(where, setting, path), ": relative");
    return ca_config_refused(ca_bench_relate(bench, name, where, error), error);
}

enum ca_status ca_bench_read(struct ca_bench *bench, const char *path, struct ca_error *error)
{
    config_t tree;
    enum ca_status status = ca_config_read(&tree, path, NULL, error);

    if (status == CA_OK)
        status = read_cases(bench, &tree, path, error);
    if (status == CA_OK)
        status = read_relative(bench, &tree, path, error);
    config_destroy(&tree);
    return status;
}
