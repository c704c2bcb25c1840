/* SPDX-License-Identifier: MIT */
/* Reads and checks lab.cfg, over the values that a lab has without it. */
#include "core/lab/kernel/lab.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/files/config.h"
#include "core/lab/kernel/command.h"
#include "core/lab/kernel/reader.h"

static const char *const keys[] = {
    "version",     "model", "source",  "form",  "ghosts",      "flags",    "tile",   "sizes",
    "generations", "seeds", "repeats", "init",  "parameters",  "against",  "limits", "program",
    "output",      "build", "points",  "speed", "environment", "structure"};
static const char *const limit_keys[] = {"seconds", "watched_seconds", "memory_mb", "output_mb"};
#define CELLS_MAX (1 << 26)

/* Sizes at which kernels break: below a neighbourhood, beside a warp and a tile, and odd ones. */
static const struct ca_size flat[] = {{1, 1, 1},   {2, 2, 1},   {3, 3, 1},     {31, 31, 1},
                                      {32, 32, 1}, {33, 33, 1}, {96, 64, 1},   {255, 33, 1},
                                      {2, 6, 1},   {33, 64, 1}, {500, 500, 1}, {512, 512, 1}};
static const struct ca_size deep[] = {{1, 1, 1},    {2, 2, 2},   {3, 5, 7},
                                      {32, 32, 32}, {33, 31, 9}, {64, 40, 24}};
static const int64_t generations[] = {1, 2, 3, 17};

void ca_lab_default(struct ca_lab *lab, const struct ca_model *model)
{
    const struct ca_size *sizes = model->dimensions == 3 ? deep : flat;

    memset(lab, 0, sizeof *lab);
    lab->model = model;
    lab->sizes = (int)(model->dimensions == 3 ? sizeof deep : sizeof flat) / (int)sizeof *flat;
    memcpy(lab->size, sizes, (size_t)lab->sizes * sizeof *sizes);
    lab->generations = sizeof generations / sizeof *generations;
    memcpy(lab->generation, generations, sizeof generations);
    lab->seed[0] = 1;
    lab->seed[1] = 2;
    lab->seeds = 2;
    lab->repeats = 5;
    snprintf(lab->init, sizeof lab->init, "%s", model->start->named[0].name);
    ca_values_default(&lab->params, model->params);
    lab->against = model->backends;
    ca_lab_points_default(&lab->points);
    lab->seconds = 2;
    lab->watched_seconds = 60;
    lab->memory_mb = 4096;
    lab->output_mb = 16;
}

void ca_lab_by_cells(const struct ca_lab *lab, int order[CA_LAB_CASES_MAX])
{
    for (int i = 0; i < lab->sizes; i++) {
        int at = i;

        for (; at > 0 && ca_cells(lab->size[order[at - 1]]) > ca_cells(lab->size[i]); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

void ca_lab_program_default(struct ca_lab *lab)
{
    lab->form = CA_LAB_PROGRAM;
    snprintf(lab->program, sizeof lab->program, "./program {n} {input}%s",
             ca_may_draw(lab->model) ? " {seed} {t}" : "");
    snprintf(lab->output, sizeof lab->output, "out.npy");
    ca_lab_command_name(lab->source, lab->program);
}

static enum ca_status setting_text(const struct lab_reader *r, const char *key,
                                   char text[CA_TEXT_MAX])
{
    const config_setting_t *setting = config_setting_get_member(r->root, key);

    return setting ? ca_config_text(text, setting, r->path, r->error) : CA_OK;
}

/* A number of a group in low ... high; *value is unchanged where there is none. */
static enum ca_status setting_number(const struct lab_reader *r, const config_setting_t *setting,
                                     double low, double high, bool whole, double *value)
{
    char from[CA_NUMBER_MAX], to[CA_NUMBER_MAX];
    bool is_whole = setting && ca_config_is_whole(setting);
    double got;

    if (!setting)
        return CA_OK;
    got = is_whole ? (double)config_setting_get_int64(setting) : config_setting_get_float(setting);
    if ((!is_whole && (whole || config_setting_type(setting) != CONFIG_TYPE_FLOAT)) ||
        !(got >= low && got <= high))
        return ca_config_fail(setting, r->path, r->error, "allowed is a %s %s ... %s",
                              whole ? "whole number" : "number", ca_number_format(from, low),
                              ca_number_format(to, high));
    *value = got;
    return CA_OK;
}

enum ca_status lab_group_numbers(const struct lab_reader *r, const config_setting_t *group,
                                 const struct lab_number_row *rows, int count)
{
    for (const struct lab_number_row *row = rows; row < rows + count; row++) {
        double value = row->whole ? (double)*row->whole : *row->real;

        CA_TRY(setting_number(r, config_setting_get_member(group, row->key), row->low, row->high,
                              row->whole != NULL, &value));
        if (row->whole)
            *row->whole = (int64_t)value;
        else
            *row->real = value;
    }
    return CA_OK;
}

/* The size that a setting has; messages name the place of `where`. */
enum ca_status lab_setting_size(const struct lab_reader *r, const config_setting_t *setting,
                                const config_setting_t *where, const char *limit,
                                struct ca_size *size)
{
    char text[CA_TEXT_MAX], place[CA_TEXT_MAX];

    CA_TRY(ca_config_text(text, setting, r->path, r->error));
    CA_TRY(ca_config_refused(ca_size_parse(size, text, r->lab->model->dimensions,
                                           ca_config_where(place, where, r->path), r->error),
                             r->error));
    if (ca_cells(*size) > CELLS_MAX)
        return ca_config_fail(where, r->path, r->error, "%s has more cells than %s, %d", text,
                              limit, CELLS_MAX);
    return CA_OK;
}

/* Finds the elements of a list; NULL: there is none. */
static enum ca_status setting_list(const struct lab_reader *r, const char *key, int min, int max,
                                   const config_setting_t **list)
{
    *list = config_setting_get_member(r->root, key);
    if (*list && ((!config_setting_is_array(*list) && !config_setting_is_list(*list)) ||
                  config_setting_length(*list) < min || config_setting_length(*list) > max))
        return ca_config_fail(*list, r->path, r->error, "allowed is a list of %d ... %d values",
                              min, max);
    return CA_OK;
}

static enum ca_status read_sizes(struct lab_reader *r)
{
    const config_setting_t *list;

    CA_TRY(setting_list(r, "sizes", 1, CA_LAB_CASES_MAX, &list));
    for (int i = 0; list && i < config_setting_length(list); i++) {
        CA_TRY(lab_setting_size(r, config_setting_get_elem(list, (unsigned)i), list,
                                "a check takes", &r->lab->size[i]));
        r->lab->sizes = i + 1;
    }
    return CA_OK;
}

static enum ca_status read_numbers(struct lab_reader *r, const char *key, int min, int max,
                                   double high, int64_t *values, int *count)
{
    const config_setting_t *list;

    CA_TRY(setting_list(r, key, min, max, &list));
    for (int i = 0; list && i < config_setting_length(list); i++) {
        double value = 0;

        CA_TRY(
            setting_number(r, config_setting_get_elem(list, (unsigned)i), 1, high, true, &value));
        values[i] = (int64_t)value;
        *count = i + 1;
    }
    return CA_OK;
}

static enum ca_status read_parameters(struct lab_reader *r)
{
    const config_setting_t *group = config_setting_get_member(r->root, "parameters");
    struct ca_values *values = &r->lab->params;
    char hint[CA_TEXT_MAX];

    if (!group)
        return CA_OK;
    CA_TRY(ca_config_group(group, r->path, r->error));
    for (int i = 0; i < config_setting_length(group); i++) {
        const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
        const char *key = config_setting_name(setting);
        int index = ca_values_find(values, key);

        if (index < 0)
            return ca_config_fail(
                setting, r->path, r->error, "is not a parameter of %s%s", r->lab->model->name,
                ca_suggest(hint, key, values->count, ca_param_name, values->table));
        CA_TRY(ca_config_value(values, index, setting, CA_FROM_EXPERIMENT, r->path, r->error));
    }
    return CA_OK;
}

/* The source is a file of the folder itself, so that a copy of the folder is all that is built. */
static enum ca_status read_source(struct lab_reader *r)
{
    const config_setting_t *setting = config_setting_get_member(r->root, "source");
    char plain[CA_TEXT_MAX];
    const char *end;

    if (!setting)
        return ca_fail(r->error, CA_SETTINGS, "%s: the key 'source' is missing", r->path);
    CA_TRY(setting_text(r, "source", r->lab->source));
    snprintf(plain, sizeof plain, "%s", r->lab->source);
    end = strrchr(r->lab->source, '.');
    r->lab->cuda = end && strcmp(end, ".cu") == 0;
    if (strchr(r->lab->source, '/') || !end || end == r->lab->source ||
        (!r->lab->cuda && strcmp(end, ".c") != 0) ||
        strncmp(r->lab->source, "lab_runner", 10) == 0 ||
        strcmp(ca_plain(plain), r->lab->source) != 0)
        return ca_config_fail(
            setting, r->path, r->error,
            "'%.80s' is not allowed: a file of this folder that ends in .c or .cu", r->lab->source);
    return CA_OK;
}

static enum ca_status read_form(struct lab_reader *r)
{
    const config_setting_t *ghosts = config_setting_get_member(r->root, "ghosts");
    char form[CA_TEXT_MAX] = "step";
    int64_t cells = 0;
    const struct lab_number_row row = {"ghosts", 0, 4, .whole = &cells};

    CA_TRY(setting_text(r, "form", form));
    if (strcmp(form, "step") != 0 && strcmp(form, "own") != 0)
        return ca_config_fail(config_setting_get_member(r->root, "form"), r->path, r->error,
                              "'%.80s' is not allowed: step | own", form);
    r->lab->form = strcmp(form, "own") == 0 ? CA_LAB_OWN : CA_LAB_STEP;
    CA_TRY(lab_group_numbers(r, r->root, &row, 1));
    r->lab->ghosts = (int)cells;
    if (r->lab->form == CA_LAB_OWN && cells > 0)
        return ca_config_fail(ghosts, r->path, r->error,
                              "with form \"own\" planes have no border: allowed is 0");
    return CA_OK;
}

/* A whole program: its command and its output, from the file or, over it, the command line. */
static enum ca_status read_program(struct lab_reader *r)
{
    static const char *const others[] = {"source", "form", "ghosts", "flags"};
    const config_setting_t *setting = config_setting_get_member(r->root, "program");
    struct ca_lab *lab = r->lab;

    if (!r->program && !setting)
        return ca_fail(r->error, CA_USAGE,
                       "--output goes with --program, or with 'program' in %.400s", r->path);
    for (size_t i = 0; !r->program && i < sizeof others / sizeof *others; i++)
        if (config_setting_get_member(r->root, others[i]))
            return ca_config_fail(config_setting_get_member(r->root, others[i]), r->path, r->error,
                                  "goes with a kernel, and not with 'program'");
    CA_TRY(setting_text(r, "program", lab->program));
    CA_TRY(setting_text(r, "output", lab->output));
    CA_TRY(setting_text(r, "build", lab->build));
    lab->builds = config_setting_get_member(r->root, "build") != NULL;
    if (r->program)
        snprintf(lab->program, sizeof lab->program, "%s", r->program);
    if (r->output)
        snprintf(lab->output, sizeof lab->output, "%s", r->output);
    while (strncmp(lab->output, "./", 2) == 0)
        memmove(lab->output, lab->output + 2, strlen(lab->output + 2) + 1);
    lab->form = CA_LAB_PROGRAM;
    lab->cuda = false;
    lab->ghosts = 0;
    ca_lab_command_name(lab->source, lab->program);
    return CA_OK;
}

/* Runs once sizes and generations are known. */
static enum ca_status check_program(const struct lab_reader *r)
{
    const config_setting_t *setting = config_setting_get_member(r->root, "program");
    struct ca_error cause;
    unsigned has;

    if (r->lab->form != CA_LAB_PROGRAM || ca_lab_command_check(r->lab, &has, &cause) == CA_OK)
        return CA_OK;
    if (r->program || r->output)
        return ca_fail(r->error, CA_USAGE, "--program, --output: %s", cause.text);
    return ca_config_fail(setting, r->path, r->error, "%s", cause.text);
}

static enum ca_status read_kernel(struct lab_reader *r)
{
    static const char *const others[] = {"output", "build"};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (config_setting_get_member(r->root, others[i]))
            return ca_config_fail(config_setting_get_member(r->root, others[i]), r->path, r->error,
                                  "goes with 'program', which is missing");
    CA_TRY(read_source(r));
    CA_TRY(read_form(r));
    return setting_text(r, "flags", r->lab->flags);
}

static enum ca_status read_limits(struct lab_reader *r)
{
    config_setting_t *group = config_setting_get_member(r->root, "limits");
    struct ca_lab *lab = r->lab;
    const struct lab_number_row rows[] = {
        {"seconds", 0.1, 3600, .real = &lab->seconds},
        {"watched_seconds", 1, 3600, .real = &lab->watched_seconds},
        {"memory_mb", 16, 1 << 20, .whole = &lab->memory_mb},
        {"output_mb", 1, 1 << 20, .whole = &lab->output_mb},
    };

    if (!group)
        return CA_OK;
    CA_TRY(ca_config_group(group, r->path, r->error));
    CA_TRY(ca_config_keys(group, r->path, limit_keys, 4, "limits", r->error));
    return lab_group_numbers(r, group, rows, 4);
}

/* A name of a variable of the environment, or with an underscore at its end the beginning of names.
 */
static bool is_variable(const char *name)
{
    size_t length = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");

    return length > 0 && name[length] == '\0' && strcmp(name, "_") != 0 &&
           !isdigit((unsigned char)name[0]);
}

static enum ca_status read_environment(struct lab_reader *r)
{
    const config_setting_t *list;
    char *names = r->lab->environment, name[CA_TEXT_MAX];

    CA_TRY(setting_list(r, "environment", 0, CA_LAB_CASES_MAX, &list));
    for (int i = 0; list && i < config_setting_length(list); i++) {
        char *end = names + strlen(names);

        CA_TRY(ca_config_text(name, config_setting_get_elem(list, (unsigned)i), r->path, r->error));
        if (!is_variable(name) || strlen(names) + strlen(name) + 2 > CA_TEXT_MAX)
            return ca_config_fail(list, r->path, r->error,
                                  "'%.80s' is not allowed: names of variables, of %d characters "
                                  "together",
                                  name, CA_TEXT_MAX - 2);
        if (end > names)
            *end++ = ' ';
        strcpy(end, name);
    }
    return CA_OK;
}

enum ca_status ca_lab_holds(const struct ca_model *model, struct ca_error *error)
{
    if (model->source && model->type == CA_F32)
        return ca_fail(error, CA_USAGE,
                       "%s has planes of floats: a lab's model that is a file has states",
                       model->name);
    return CA_OK;
}

/* The model of a file of the folder, or, of a submission, of the task's; NULL: r->error says why.
 */
static const struct ca_model *open_file(const struct lab_reader *r, const config_setting_t *setting,
                                        const char *name)
{
    const struct ca_model *model = NULL;
    struct ca_error cause;

    if (strchr(name, '/'))
        ca_config_fail(setting, r->path, r->error,
                       "'%.80s' is not allowed: the file of a model lies in this folder", name);
    else if (r->submission && !(r->task && r->task->model->source))
        ca_config_fail(setting, r->path, r->error,
                       "the model is a file of the folder, which is not compiled here: name the "
                       "task with the file by --task");
    else if (r->submission)
        model = r->task->model;
    else if (ca_model_open_in(&model, r->folder, name, &cause) != CA_OK ||
             ca_lab_holds(model, &cause) != CA_OK) {
        ca_config_fail(setting, r->path, r->error, "%s", cause.text);
        return NULL;
    }
    return model;
}

static enum ca_status read_model(struct lab_reader *r)
{
    const config_setting_t *setting = config_setting_get_member(r->root, "model");
    const config_setting_t *version = config_setting_get_member(r->root, "version");
    const struct ca_model *model;
    char text[CA_TEXT_MAX] = "";
    struct ca_error cause;
    double number = 0;

    if (!version)
        return ca_fail(r->error, CA_SETTINGS, "%s: the key 'version' is missing", r->path);
    CA_TRY(setting_number(r, version, 1, 1000000, true, &number));
    if ((int)number != CA_LAB_VERSION)
        return ca_config_fail(version, r->path, r->error,
                              "this lab has version %d of the interface, and this calab %d: "
                              "make a new folder with `calab lab new` and copy the kernel there",
                              (int)number, CA_LAB_VERSION);
    if (!setting)
        return ca_fail(r->error, CA_SETTINGS, "%s: the key 'model' is missing", r->path);
    CA_TRY(setting_text(r, "model", text));
    if (ca_model_is_path(text)) {
        model = open_file(r, setting, text);
        if (!model)
            return r->error->status;
    } else if (ca_model_find(&model, text, &cause) != CA_OK) {
        return ca_config_fail(setting, r->path, r->error, "%s", cause.text);
    }
    ca_lab_default(r->lab, model);
    return CA_OK;
}

static enum ca_status read_start(struct lab_reader *r)
{
    const config_setting_t *setting = config_setting_get_member(r->root, "init");
    char against[CA_TEXT_MAX];
    struct ca_error cause;

    CA_TRY(setting_text(r, "init", r->lab->init));
    if (setting && ca_start_find(r->lab->model, r->lab->init) < 0) {
        ca_init_check(r->lab->model, r->lab->init, &cause);
        return ca_config_fail(setting, r->path, r->error, "'%.80s' is not a valid start of %s",
                              r->lab->init, r->lab->model->name);
    }
    setting = config_setting_get_member(r->root, "against");
    r->lab->names_against = setting != NULL;
    snprintf(against, sizeof against, "%s", r->lab->against->name);
    CA_TRY(setting_text(r, "against", against));
    if (ca_backend_find(&r->lab->against, r->lab->model, against, &cause) != CA_OK)
        return ca_config_fail(setting, r->path, r->error, "%s", cause.text);
    if (r->lab->against->choice || r->lab->against->tolerance > 0)
        return ca_config_fail(setting, r->path, r->error,
                              "'%s' is not allowed: a backend whose states are the reference's",
                              against);
    return CA_OK;
}

static enum ca_status read_lab(struct lab_reader *r, config_setting_t *root)
{
    struct ca_lab *lab = r->lab;
    int64_t repeats;
    const struct lab_number_row row = {"repeats", 1, 100, .whole = &repeats};
    int axes = 0;

    CA_TRY(ca_config_keys(root, r->path, keys, sizeof keys / sizeof *keys, "a lab", r->error));
    CA_TRY(read_model(r));
    CA_TRY(r->program || r->output || config_setting_get_member(root, "program") ? read_program(r)
                                                                                 : read_kernel(r));
    CA_TRY(read_numbers(r, "tile", lab->model->dimensions, lab->model->dimensions, 4096, lab->tile,
                        &axes));
    CA_TRY(read_sizes(r));
    CA_TRY(read_numbers(r, "generations", 1, CA_LAB_CASES_MAX, 10000, lab->generation,
                        &lab->generations));
    CA_TRY(read_numbers(r, "seeds", 1, CA_LAB_CASES_MAX, 1e15, (int64_t *)lab->seed, &lab->seeds));
    repeats = lab->repeats;
    CA_TRY(lab_group_numbers(r, r->root, &row, 1));
    lab->repeats = (int)repeats;
    CA_TRY(read_parameters(r));
    CA_TRY(read_start(r));
    CA_TRY(lab_read_points(r));
    CA_TRY(read_limits(r));
    CA_TRY(read_environment(r));
    return check_program(r);
}

static enum ca_status read_folder(struct lab_reader *reader, const char *folder)
{
    struct ca_lab *lab = reader->lab;
    struct ca_error *error = reader->error;
    enum ca_status status;
    config_t config;

    CA_TRY(ca_file_resolve(folder, reader->folder, error));
    snprintf(reader->path, sizeof reader->path, "%s/lab.cfg", reader->folder);
    if (!ca_file_exists(reader->path))
        return ca_fail(
            error, CA_IO,
            "%.400s is not the folder of a lab: it has no lab.cfg (`calab lab new` makes "
            "such a folder)",
            folder);
    status = ca_config_read(&config, reader->path, NULL, error);
    reader->root = config_root_setting(&config);
    if (status == CA_OK)
        status = read_lab(reader, config_root_setting(&config));
    if (status == CA_OK) {
        memcpy(lab->folder, reader->folder, sizeof lab->folder);
        memcpy(lab->path, reader->path, sizeof lab->path);
    }
    config_destroy(&config);
    return status;
}

enum ca_status ca_lab_read(struct ca_lab *lab, const char *folder, struct ca_error *error)
{
    struct lab_reader reader = {.lab = lab, .error = error};

    return read_folder(&reader, folder);
}

enum ca_status ca_lab_read_submission(struct ca_lab *lab, const char *folder,
                                      const struct ca_lab *task, struct ca_error *error)
{
    struct lab_reader reader = {.lab = lab, .task = task, .submission = true, .error = error};

    return read_folder(&reader, folder);
}

enum ca_status ca_lab_read_program(struct ca_lab *lab, const char *folder, const char *program,
                                   const char *output, struct ca_error *error)
{
    struct lab_reader reader = {.lab = lab, .program = program, .output = output, .error = error};

    return read_folder(&reader, folder);
}

const struct ca_backend *ca_lab_rung(const struct ca_lab *lab)
{
    enum ca_device_kind device = lab->cuda ? CA_CUDA : CA_CPU;
    const struct ca_backend *rung = lab->against;

    if (rung->device != device)
        for (rung = lab->model->backends; rung->name && rung->device != device; rung++)
            ;
    return rung;
}

struct ca_experiment ca_lab_experiment(const struct ca_lab *lab, struct ca_size size, uint64_t seed)
{
    struct ca_experiment experiment;

    ca_experiment_default(&experiment, lab->model);
    ca_experiment_backend(&experiment, lab->model->backends, CA_FROM_EXPERIMENT);
    experiment.size = size;
    experiment.origin[CA_KEY_SIZE] = CA_FROM_EXPERIMENT;
    experiment.seed = seed;
    snprintf(experiment.init, sizeof experiment.init, "%s", lab->init);
    experiment.params = lab->params;
    return experiment;
}
