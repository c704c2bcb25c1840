/* SPDX-License-Identifier: MIT */
/* calab list: models, backends, devices, experiments, patterns and formats, as tables or JSON. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/formats.h"
#include "core/machine/cuda.h"
#include "core/machine/device.h"
#include "core/model/field.h"
#include "core/sim/shipped.h"
#include "tui/commands/commands.h"
#include "tui/commands/json.h"
#include "tui/wrapped.h"

/* --- models and backends --------------------------------------------------------------------- */

static json_t *json_params(const struct ca_param *params)
{
    json_t *list = json_array();

    for (const struct ca_param *p = params; p && p->name; p++) {
        char range[CA_TEXT_MAX], text[CA_TEXT_MAX];
        bool named = p->kind == CA_TEXT || p->kind == CA_FILE || p->kind == CA_CHOICE;

        json_array_append_new(
            list, json_pack("{s:s, s:s, s:o, s:s, s:s?, s:s}", "name", p->name, "kind",
                            ca_kind_name(p->kind), "default",
                            named ? json_string(ca_param_default(text, p)) : json_real(p->number),
                            "allowed", ca_param_range(range, p), "unit", p->unit, "help", p->help));
    }
    return list;
}

static json_t *json_backend(const struct ca_model *model, const struct ca_backend *backend)
{
    struct ca_error error;
    bool runs = ca_backend_available(backend, &error) == CA_OK;

    return json_pack("{s:s, s:s, s:s, s:s, s:b, s:s?, s:o}", "model", model->name, "name",
                     backend->name, "title", backend->title, "device",
                     backend->device == CA_CUDA ? "cuda" : "cpu", "available", runs, "reason",
                     runs ? NULL : error.text, "options", json_params(backend->options));
}

static json_t *json_backends(struct ca_error *error)
{
    json_t *list = json_array();

    (void)error;
    for (int i = 0; ca_models[i]; i++)
        for (const struct ca_backend *b = ca_models[i]->backends; b;
             b = ca_backend_next(ca_models[i], b))
            json_array_append_new(list, json_backend(ca_models[i], b));
    return list;
}

static json_t *json_model(const struct ca_model *model)
{
    json_t *starts = json_array(), *observables = json_array(), *backends = json_array();
    json_t *fields = json_array();
    json_t *size =
        json_pack("[I, I]", (json_int_t)model->default_size.w, (json_int_t)model->default_size.h);

    if (model->dimensions == 3)
        json_array_append_new(size, json_integer(model->default_size.d));
    for (const struct ca_start *s = model->start->named; s->name; s++)
        json_array_append_new(starts, json_string(s->name));
    for (const struct ca_observable *o = ca_observables(model); o->name; o++)
        json_array_append_new(observables, json_string(o->name));
    for (const struct ca_field *f = ca_fields(model); f->name; f++)
        json_array_append_new(fields, json_string(f->name));
    for (const struct ca_backend *b = model->backends; b; b = ca_backend_next(model, b))
        json_array_append_new(backends, json_string(b->name));
    return json_pack("{s:s, s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "name", model->name, "title",
                     model->title, "dimensions", model->dimensions, "size", size, "backends",
                     backends, "starts", starts, "observables", observables, "fields", fields,
                     "parameters", json_params(model->params));
}

static json_t *json_models(struct ca_error *error)
{
    json_t *list = json_array();

    (void)error;
    for (int i = 0; ca_models[i]; i++)
        json_array_append_new(list, json_model(ca_models[i]));
    return list;
}

static void list_models(struct ca_error *error)
{
    (void)error;
    for (int i = 0; ca_models[i]; i++) {
        const struct ca_model *model = ca_models[i];
        char size[64];

        printf("%-8s %dD  %-12s %s\n", model->name, model->dimensions,
               ca_size_format(size, model->default_size, model->dimensions), model->title);
    }
}

/* Why no CUDA backend can run, if none can. Asking the driver takes some 0.15 s, therefore what is
 * known without it is on the screen before. */
static void print_cuda(void)
{
    struct ca_error error;

    fflush(stdout);
    for (const struct ca_backend *b = ca_models[0]->backends; b;
         b = ca_backend_next(ca_models[0], b))
        if (b->device == CA_CUDA) {
            if (ca_backend_available(b, &error) != CA_OK)
                printf("cuda     %s\n", error.text);
            return;
        }
}

static void list_backends(struct ca_error *unused)
{
    (void)unused;
    for (int i = 0; ca_models[i]; i++)
        for (const struct ca_backend *b = ca_models[i]->backends; b;
             b = ca_backend_next(ca_models[i], b)) {
            struct ca_error error;
            bool runs = b->device == CA_CUDA || ca_backend_available(b, &error) == CA_OK;

            printf("%-8s %-20s %-5s %s%s%s\n", ca_models[i]->name, b->name,
                   b->device == CA_CUDA ? "cuda" : "cpu", b->title,
                   runs ? "" : "; cannot run here: ", runs ? "" : error.text);
        }
    print_cuda();
}

/* --- devices --------------------------------------------------------------------------------- */

static void each_device(void (*each)(const struct ca_device *device, json_t *list), json_t *list)
{
    struct ca_device device;
    struct ca_error error;

    ca_device_cpu(&device);
    each(&device, list);
    fflush(stdout);
    for (int i = 0; i < ca_cuda_devices(); i++) {
        if (ca_device_gpu(i, &device, &error) != CA_OK)
            snprintf(device.name, sizeof device.name, "unusable: %.100s", error.text);
        each(&device, list);
    }
}

static json_t *bytes_or_null(struct ca_fact fact)
{
    return fact.known ? json_integer((json_int_t)fact.value) : json_null();
}

static void add_device(const struct ca_device *device, json_t *list)
{
    bool gpu = device->kind == CA_CUDA;
    json_t *json = json_pack("{s:s, s:i, s:s, s:i, s:o}", "kind", gpu ? "cuda" : "cpu", "index",
                             device->index, "name", device->name, gpu ? "multiprocessors" : "cores",
                             device->cores, "memory_bytes", bytes_or_null(device->memory_bytes));

    if (gpu) {
        json_object_set_new(json, "memory_free_bytes", bytes_or_null(device->memory_free_bytes));
        json_object_set_new(json, "ecc",
                            device->ecc.known ? json_boolean(device->ecc.value > 0) : json_null());
        json_object_set_new(json, "compute",
                            json_sprintf("%d.%d", device->compute_major, device->compute_minor));
    }
    json_array_append_new(list, json);
}

static json_t *json_devices(struct ca_error *error)
{
    json_t *list = json_array();

    (void)error;
    each_device(add_device, list);
    return list;
}

/* Whether CUDA backends are available, and if not, why. */
static json_t *json_cuda(void)
{
    struct ca_error error;
    bool runs = ca_needs_cuda(&error) == CA_OK;
    char driver[16], runtime[16];

    return json_pack("{s:b, s:s?, s:s?, s:s?}", "available", runs, "reason",
                     runs ? NULL : error.text, "driver",
                     ca_cuda_driver() ? ca_cuda_version(driver, ca_cuda_driver()) : NULL, "runtime",
                     ca_cuda_runtime() ? ca_cuda_version(runtime, ca_cuda_runtime()) : NULL);
}

static void print_device(const struct ca_device *device, json_t *list)
{
    (void)list;
    if (device->kind == CA_CPU)
        printf("cpu %-4d %s, %d core%s", device->index, device->name, device->cores,
               device->cores == 1 ? "" : "s");
    else
        printf("cuda %-3d %s, %d multiprocessors, compute %d.%d", device->index, device->name,
               device->cores, device->compute_major, device->compute_minor);
    if (device->memory_bytes.known)
        printf(", %.1f GiB of memory", device->memory_bytes.value / 0x1p30);
    if (device->kind == CA_CUDA && device->memory_free_bytes.known)
        printf(", %.1f free", device->memory_free_bytes.value / 0x1p30);
    printf("%s\n", ca_device_ecc(device));
}

static void list_devices(struct ca_error *error)
{
    (void)error;
    each_device(print_device, NULL);
    print_cuda();
}

/* --- experiment files ------------------------------------------------------------------------ */

static json_t *json_configs(struct ca_error *error)
{
    json_t *list = json_array();
    struct ca_shipped *files;
    int count;

    ca_shipped_find(&files, &count, error);
    for (int i = 0; i < count && !files[i].is_pattern; i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s?, s:s}", "path", files[i].path,
                                              "comment", files[i].title, "model",
                                              files[i].model     ? files[i].model->name
                                              : files[i].file[0] ? files[i].file
                                                                 : NULL,
                                              "look_for", files[i].look_for));
    ca_shipped_free(files, count);
    return list;
}

#define LIST_COLUMNS 100 /* at most */

/* Below a line: what follows `what`, by words. */
static void print_words(const char *what, const char *text)
{
    int indent = 4 + (int)strlen(what), column = printf("    %s", what);
    int most = wrapped_columns(LIST_COLUMNS);

    most = most < LIST_COLUMNS ? most : LIST_COLUMNS;
    while (*text) {
        int length = (int)strcspn(text, " ");

        if (column + 1 + length > most)
            column = printf("\n%*s", indent, "") - 1;
        column += printf(" %.*s", length, text);
        text += length + (int)strspn(text + length, " ");
    }
    printf("\n");
}

static void list_configs(struct ca_error *error)
{
    struct ca_shipped *files;
    int count;

    if (ca_shipped_find(&files, &count, error) != CA_OK)
        return;
    for (int n = 0; n < count && !files[n].is_pattern; n++) {
        printf("%-32s %s\n", files[n].path, files[n].title);
        if (files[n].look_for[0])
            print_words("look for:", files[n].look_for);
    }
    ca_shipped_free(files, count);
}

/* --- patterns -------------------------------------------------------------------------------- */

static json_t *json_patterns(struct ca_error *error)
{
    json_t *list = json_array();
    struct ca_shipped *patterns;
    int count;

    ca_shipped_patterns(&patterns, &count, error);
    for (int i = 0; i < count; i++) {
        json_t *json;
        char text[64];

        json = json_pack(
            "{s:s, s:s, s:s?, s:s, s:s, s:s}", "name", patterns[i].name, "list", patterns[i].path,
            "model", patterns[i].model ? patterns[i].model->name : NULL, "title", patterns[i].title,
            "origin", patterns[i].origin, "look_for", patterns[i].look_for);
        if (!patterns[i].model)
            json_object_set_new(json, "error", json_string(patterns[i].error.text));
        if (patterns[i].period > 0)
            json_object_set_new(json, "period", json_integer(patterns[i].period));
        if (patterns[i].model && patterns[i].moves.given)
            json_object_set_new(
                json, "moves",
                json_string(ca_at_format(text, patterns[i].moves, patterns[i].model->dimensions)));
        json_array_append_new(list, json);
    }
    ca_shipped_free(patterns, count);
    return list;
}

static void list_patterns(struct ca_error *error)
{
    struct ca_shipped *patterns;
    int count;

    if (ca_shipped_patterns(&patterns, &count, error) != CA_OK)
        return;
    for (int i = 0; i < count; i++) {
        const struct ca_shipped *pattern = &patterns[i];

        printf("%-14s %-8s %s\n", pattern->name, pattern->model ? pattern->model->name : "wrong",
               pattern->model ? pattern->title : pattern->error.text);
        if (pattern->origin[0])
            print_words("from:", pattern->origin);
    }
    ca_shipped_free(patterns, count);
}

/* --- formats --------------------------------------------------------------------------------- */

static json_t *json_allowed(const struct ca_format *format,
                            bool (*allowed)(const struct ca_format *, const struct ca_model *))
{
    json_t *list = json_array();

    for (int i = 0; ca_models[i]; i++)
        if (allowed(format, ca_models[i]))
            json_array_append_new(list, json_string(ca_models[i]->name));
    return list;
}

static bool has_field(const struct ca_format *format, const struct ca_model *model)
{
    bool any = false;

    for (const struct ca_field *f = ca_fields(model); f->name; f++)
        any |= ca_format_fits_field(format, model, f);
    return any;
}

static json_t *json_formats(struct ca_error *error)
{
    json_t *list = json_array();

    (void)error;
    for (const struct ca_format *f = ca_formats; f->ending; f++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:o, s:o, s:b, s:s?}", "ending",
                                              f->ending, "holds", f->holds, "writes_states",
                                              json_allowed(f, ca_format_fits), "reads_states",
                                              json_allowed(f, ca_format_restores), "writes_fields",
                                              json_allowed(f, has_field), "writes_observables",
                                              ca_format_tabulates(f), "parameters", f->parameters));
    return list;
}

/* "; WHAT of all models", or of those that it names; nothing of none. */
static void print_allowed(const struct ca_format *format, const char *what,
                          bool (*allowed)(const struct ca_format *, const struct ca_model *))
{
    int models = 0, some = 0;

    for (; ca_models[models]; models++)
        some += allowed(format, ca_models[models]);
    if (some == 0)
        return;
    printf("; %s of", what);
    if (some == models)
        printf(" all models");
    for (int i = 0, n = 0; i < models && some < models; i++)
        if (allowed(format, ca_models[i]))
            printf("%s %s", n++ ? "," : "", ca_models[i]->name);
}

static void list_formats(struct ca_error *error)
{
    (void)error;
    for (const struct ca_format *f = ca_formats; f->ending; f++) {
        printf("%-10s %s", f->ending, f->holds);
        print_allowed(f, "writes states", ca_format_fits);
        print_allowed(f, "reads states", ca_format_restores);
        print_allowed(f, "writes fields", has_field);
        printf("%s%s\n", f->parameters ? "; read as " : "", f->parameters ? f->parameters : "");
    }
}

/* --------------------------------------------------------------------------------------------- */

static const struct topic {
    const char *name;
    const char *key; /* in JSON; it may be typed, too */
    /* Functions that fail leave the reason in `error`. */
    void (*print)(struct ca_error *error);
    json_t *(*json)(struct ca_error *error);
} topics[] = {
    {"models", "models", list_models, json_models},
    {"experiments", "configs", list_configs, json_configs},
    {"patterns", "patterns", list_patterns, json_patterns},
    {"formats", "formats", list_formats, json_formats},
    {"backends", "backends", list_backends, json_backends}, /* from here on the driver is asked */
    {"devices", "devices", list_devices, json_devices},
};

#define TOPICS ((int)(sizeof topics / sizeof topics[0]))

const char *list_topic(const void *none, int i)
{
    (void)none;
    return i < TOPICS ? topics[i].name : NULL;
}

int command_list(const struct options *options, struct ca_error *error)
{
    const struct topic *only = NULL;
    const char *word = options->operands > 0 ? options->operand[0] : NULL;
    char hint[CA_TEXT_MAX];

    for (int i = 0; word && i < TOPICS; i++)
        if (strcmp(word, topics[i].name) == 0 || strcmp(word, topics[i].key) == 0)
            only = &topics[i];
    for (int i = 0; word && !only && ca_models[i]; i++)
        if (strcmp(word, ca_models[i]->name) == 0)
            return (int)list_model(options, error);
    if (word && !only && ca_model_is_path(word))
        return (int)list_model(options, error);
    for (int i = 0; i < options->count; i++)
        if (options->given[i].id != OPTION_JSON)
            return ca_fail(error, CA_USAGE, "--%s goes with `calab list MODEL` only",
                           option_rows[options->given[i].id].name);
    if (word && !only)
        return ca_fail(error, CA_USAGE, "'%.80s' cannot be listed%s", word,
                       ca_suggest(hint, word, TOPICS, list_topic, NULL));
    if (options_has(options, OPTION_JSON)) {
        json_t *root = json_pack("{s:s}", "schema", "calab-list/1");

        error->status = CA_OK;
        for (int i = 0; i < TOPICS && error->status == CA_OK; i++)
            if (!only || only == &topics[i])
                json_object_set_new(root, topics[i].key, topics[i].json(error));
        if (error->status != CA_OK) {
            json_decref(root);
            return error->status;
        }
        if (json_object_get(root, "devices"))
            json_object_set_new(root, "cuda", json_cuda());
        return json_print(root, error);
    }
    error->status = CA_OK;
    for (int i = 0; i < TOPICS && error->status == CA_OK; i++) {
        if (only && only != &topics[i])
            continue;
        if (!only)
            printf("%s%s\n", i ? "\n" : "", topics[i].name);
        topics[i].print(error);
    }
    return error->status;
}
