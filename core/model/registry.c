/* SPDX-License-Identifier: MIT */
/* This file lists the models, finds them by name and opens those of files. Only it refers to
 * kernels/. */
#include "core/model/registry.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct ca_model *const ca_models[] = {
    &anneal_model, &life_model, &life3d_model, &cloud_model, &fhp_model, &water_model, NULL,
};

int ca_event_draws(const struct ca_values *params)
{
    int draws = 0;

    for (int i = 0; i < params->count; i++) {
        uint32_t k;

        if (params->table[i].kind != CA_PROBABILITY)
            continue;
        k = ca_probability(params, params->table[i].name);
        for (; k % 65536 != 0; k = k << 1 & 0xffff)
            draws++;
    }
    return draws;
}

int ca_model_count(void) { return (int)(sizeof ca_models / sizeof ca_models[0]) - 1; }

const char *ca_model_name(const void *none, int i)
{
    (void)none;
    return ca_models[i]->name;
}

static const char *backend_name(const void *context, int i)
{
    return ca_backend_at(context, i)->name;
}

enum ca_status ca_model_find(const struct ca_model **model, const char *name,
                             struct ca_error *error)
{
    char hint[CA_TEXT_MAX];

    for (int i = 0; ca_models[i]; i++)
        if (strcmp(ca_models[i]->name, name) == 0) {
            *model = ca_models[i];
            return CA_OK;
        }
    return ca_fail(error, CA_USAGE, "'%.80s' is not a model%s", name,
                   ca_suggest(hint, name, ca_model_count(), ca_model_name, NULL));
}

/* --- auto, cpu, cuda ------------------------------------------------------------------------- */

enum { AUTO, CPU, CUDA, CHOICES };

static enum ca_status never_runs(struct ca_error *error)
{
    return ca_fail(error, CA_NO_DEVICE,
                   "stands for the fastest backend, which is to be chosen first");
}

static const struct ca_backend choice_rows[CHOICES] = {
    [AUTO] = {.name = "auto", .title = "the fastest backend for this lattice on this machine"},
    [CPU] = {.name = "cpu", .title = "the fastest backend on the CPU", .device = CA_CPU},
    [CUDA] = {.name = "cuda", .title = "the fastest backend on the GPU", .device = CA_CUDA},
};

#define MODELS_MAX 8

static struct choices {
    struct ca_backend row[CHOICES + 1];
    struct ca_param option[CHOICES][CA_PARAMS_MAX + 1];
} choices[MODELS_MAX];

bool ca_backend_chooses(const struct ca_backend *choice, const struct ca_backend *backend)
{
    return !backend->only_named &&
           (strcmp(choice->name, choice_rows[AUTO].name) == 0 || choice->device == backend->device);
}

static void make_choices(struct choices *of, const struct ca_model *model)
{
    for (int c = 0; c < CHOICES; c++) {
        struct ca_backend *row = &of->row[c];

        *row = choice_rows[c];
        row->choice = true;
        row->available = never_runs;
        row->options = of->option[c];
        for (const struct ca_backend *b = model->backends; b; b = ca_backend_next(model, b))
            for (const struct ca_param *p = b->options; p && p->name; p++)
                if (ca_backend_chooses(row, b)) {
                    struct ca_param *option = of->option[c];
                    int used = 0;

                    /* An option that several backends have allows what any of them allows. */
                    for (; option->name && strcmp(option->name, p->name) != 0; option++)
                        used++;
                    if (!option->name && used < CA_PARAMS_MAX)
                        *option = *p;
                    option->min = p->min < option->min ? p->min : option->min;
                    option->max = p->max > option->max ? p->max : option->max;
                }
    }
}

static void make_all_choices(void)
{
    for (int i = 0; ca_models[i]; i++)
        make_choices(&choices[i], ca_models[i]);
}

static pthread_once_t made = PTHREAD_ONCE_INIT;

/* --- models of files -------------------------------------------------------------------------- */

/* A file's model stays, in the order of opening, so that a list may be gone through while another
 * is opened. */
static struct opened {
    const struct ca_model *model;
    struct choices choices;
    struct opened *_Atomic next;
} * _Atomic first_opened;
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

const struct ca_backend *ca_backend_auto(const struct ca_model *model)
{
    int i = 0;

    pthread_once(&made, make_all_choices);
    for (struct opened *o = model->source ? first_opened : NULL; o; o = o->next)
        if (o->model == model)
            return o->choices.row;
    while (ca_models[i] && (model->source || strcmp(ca_models[i]->name, model->name) != 0))
        i++;
    return ca_models[i] ? choices[i].row : model->backends;
}

bool ca_model_is_path(const char *word)
{
    size_t length = strlen(word);

    return length > 2 && strcmp(word + length - 2, ".c") == 0;
}

const char *ca_model_word(const struct ca_model *model)
{
    return model->source ? model->source->path : model->name;
}

/* The end of a path from the first of so many last parts on. */
static const char *path_end(const char *path, int parts)
{
    const char *at = path + strlen(path);

    while (at > path && parts > 0)
        parts -= *--at == '/';
    return *at == '/' && parts == 0 ? at + 1 : at;
}

char *ca_model_label(char text[CA_MODEL_LABEL], const struct ca_model *model)
{
    const char *path = model->source ? model->source->path : "", *end;
    int parts = 0;

    for (struct opened *o = model->source ? first_opened : NULL; o; o = o->next) {
        const char *other = o->model->source->path;

        if (strcmp(o->model->name, model->name) != 0 || strcmp(other, path) == 0)
            continue;
        while (strcmp(path_end(path, parts), path_end(other, parts)) == 0)
            parts++;
    }
    if (parts == 0) {
        snprintf(text, CA_MODEL_LABEL, "%s", model->name);
        return text;
    }
    end = path_end(path, parts);
    snprintf(text, CA_MODEL_LABEL, "%.60s (%s%s)", model->name, strlen(end) > 80 ? "..." : "",
             strlen(end) > 80 ? end + strlen(end) - 80 : end);
    return ca_plain(text);
}

bool ca_model_same(const struct ca_model *a, const struct ca_model *b)
{
    return a == b || (a->source && b->source && a->source->digest == b->source->digest &&
                      strcmp(a->name, b->name) == 0);
}

const struct ca_model *ca_model_at(int i)
{
    struct opened *o = first_opened;

    if (i < ca_model_count())
        return ca_models[i];
    for (i -= ca_model_count(); i > 0 && o; i--)
        o = o->next;
    return o ? o->model : NULL;
}

/* The opened model of the file with these bytes: at this path or, where that is NULL, of this name.
 */
static const struct ca_model *find_opened(const char *path, const char *name, uint64_t digest)
{
    for (struct opened *o = first_opened; o; o = o->next)
        if (o->model->source->digest == digest &&
            (path ? strcmp(o->model->source->path, path) == 0 : strcmp(o->model->name, name) == 0))
            return o->model;
    return NULL;
}

/* Takes `opening`. */
static enum ca_status open_text(const struct ca_model **model, const char *path, const char *text,
                                size_t size, struct ca_error *error)
{
    struct opened *new, *_Atomic *end = &first_opened;

    *model = find_opened(path, "", file_object_digest(text, size));
    if (*model)
        return CA_OK;
    new = calloc(1, sizeof *new);
    if (!new)
        return ca_fail(error, CA_NO_MEMORY, "no memory for the model of %.300s", path);
    if (file_model_open_text(&new->model, path, text, size, error) != CA_OK) {
        free(new);
        return error->status;
    }
    *model = new->model;
    make_choices(&new->choices, new->model);
    while (*end)
        end = &(*end)->next;
    *end = new;
    return CA_OK;
}

enum ca_status ca_model_read(const char *path, char **text, size_t *size, uint64_t *digest,
                             struct ca_error *error)
{
    CA_TRY(file_object_read(path, text, size, error));
    *digest = file_object_digest(*text, *size);
    return CA_OK;
}

const struct ca_model *ca_model_opened(const char *path, uint64_t digest)
{
    return find_opened(path, "", digest);
}

enum ca_status ca_model_open_text(const struct ca_model **model, const char *path, uint64_t digest,
                                  const char *text, size_t size, struct ca_error *error)
{
    enum ca_status status;

    if ((path[0] != '/' && !file_object_is_inside(path)) || strlen(path) >= CA_TEXT_MAX ||
        !ca_model_is_path(path))
        return ca_fail(error, CA_USAGE,
                       "'%.300s' is not the path of a model's file: it begins with /, ends with "
                       ".c, and has at most %d bytes",
                       path, CA_TEXT_MAX - 1);
    if (file_object_digest(text, size) != digest)
        return ca_fail(error, CA_USAGE,
                       "%.300s: the text that has come has the digest %016" PRIx64
                       ", not %016" PRIx64,
                       path, file_object_digest(text, size), digest);
    pthread_mutex_lock(&opening);
    status = open_text(model, path, text, size, error);
    pthread_mutex_unlock(&opening);
    return status;
}

/* The path from the root, or in the program. */
static enum ca_status path_of(char path[PATH_MAX], const char *word, struct ca_error *error)
{
    if (file_object_is_inside(word)) {
        snprintf(path, PATH_MAX, "%s", word);
        return CA_OK;
    }
    if (!realpath(word, path))
        return ca_fail(error, CA_USAGE, "%.300s: the file of a model cannot be read: %s", word,
                       strerror(errno));
    if (strlen(path) >= CA_TEXT_MAX)
        return ca_fail(error, CA_USAGE, "%.300s: the path of a model's file has at most %d bytes",
                       word, CA_TEXT_MAX - 1);
    return CA_OK;
}

enum ca_status ca_model_open(const struct ca_model **model, const char *word,
                             struct ca_error *error)
{
    enum ca_status status;
    char path[PATH_MAX], *text;
    size_t size;

    if (!ca_model_is_path(word))
        return ca_model_find(model, word, error);
    CA_TRY(path_of(path, word, error));
    CA_TRY(file_object_read(path, &text, &size, error));
    pthread_mutex_lock(&opening);
    status = open_text(model, path, text, size, error);
    pthread_mutex_unlock(&opening);
    free(text);
    return status;
}

enum ca_status ca_model_open_in(const struct ca_model **model, const char *folder, const char *word,
                                struct ca_error *error)
{
    char path[PATH_MAX];

    if (!ca_model_is_path(word) || word[0] == '/' || file_object_is_inside(word))
        return ca_model_open(model, word, error);
    if (snprintf(path, sizeof path, "%s/%s", folder, word) >= (int)sizeof path)
        return ca_fail(error, CA_USAGE, "%.300s: the path is longer than %d bytes", word,
                       PATH_MAX - 1);
    return ca_model_open(model, path, error);
}

static bool trusted;

void ca_models_trust(void) { trusted = true; }
bool ca_models_trusted(void) { return trusted; }

enum ca_status ca_model_known(const struct ca_model **model, const char *name,
                              const uint64_t *digest, struct ca_error *error)
{
    if (!digest)
        return ca_model_find(model, name, error);
    *model = find_opened(NULL, name, *digest);
    if (*model)
        return CA_OK;
    return ca_fail(error, CA_USAGE,
                   "it is of the model %.80s that a file describes (digest %016" PRIx64
                   "): name the file with these bytes as the model",
                   name, *digest);
}

/* --------------------------------------------------------------------------------------------- */

enum ca_status ca_backend_find(const struct ca_backend **backend, const struct ca_model *model,
                               const char *name, struct ca_error *error)
{
    char hint[CA_TEXT_MAX];
    int count = 0;

    for (const struct ca_backend *c = ca_backend_auto(model); c->choice; c++)
        if (strcmp(c->name, name) == 0) {
            *backend = c;
            return CA_OK;
        }
    for (const struct ca_backend *b = model->backends; b; b = ca_backend_next(model, b), count++)
        if (strcmp(b->name, name) == 0) {
            *backend = b;
            return CA_OK;
        }
    return ca_fail(error, CA_USAGE, "'%.80s' is not a backend of %s%s", name, model->name,
                   ca_suggest(hint, name, count, backend_name, model));
}

static struct {
    const struct ca_model *model;
    const struct ca_backend *backend; /* NULL: there is none */
} added;

const struct ca_backend *ca_backend_next(const struct ca_model *model,
                                         const struct ca_backend *backend)
{
    if (backend == added.backend)
        return NULL;
    return backend[1].name ? backend + 1 : model == added.model ? added.backend : NULL;
}

const struct ca_backend *ca_backend_at(const struct ca_model *model, int i)
{
    const struct ca_backend *backend = model->backends;

    while (i-- > 0 && backend)
        backend = ca_backend_next(model, backend);
    return backend;
}

enum ca_status ca_backend_add(const struct ca_model *model, const struct ca_backend *backend,
                              struct ca_error *error)
{
    if (added.backend)
        return ca_fail(error, CA_USAGE, "backend %s has been added already: only one can be",
                       added.backend->name);
    for (const struct ca_backend *b = model->backends; b->name; b++)
        if (strcmp(b->name, backend->name) == 0)
            return ca_fail(error, CA_USAGE, "%s has a backend %s already", model->name,
                           backend->name);
    added.model = model;
    added.backend = backend;
    return CA_OK;
}

#define EMULATED "calab-emulated"

static bool runs_in(const char *folder, int length)
{
    char path[PATH_MAX];

    return length > 0 &&
           snprintf(path, sizeof path, "%.*s/" EMULATED, length, folder) < (int)sizeof path &&
           access(path, X_OK) == 0;
}

/* Whether the program that has all CUDA backends on this CPU is beside this one or on PATH; false
 * for that program itself. */
static bool has_emulated(void)
{
    const char *folder = getenv("PATH");
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

    self[length > 0 ? length : 0] = '\0';
    if (strrchr(self, '/') && strcmp(strrchr(self, '/') + 1, EMULATED) == 0)
        return false;
    if (strrchr(self, '/') && runs_in(self, (int)(strrchr(self, '/') - self)))
        return true;
    for (; folder && *folder; folder += strcspn(folder, ":"), folder += *folder == ':')
        if (runs_in(folder, (int)strcspn(folder, ":")))
            return true;
    return false;
}

enum ca_status ca_backend_available(const struct ca_backend *backend, struct ca_error *error)
{
    enum ca_status status = backend->available ? backend->available(error) : CA_OK;
    size_t length;

    if (status != CA_NO_DEVICE || backend->device != CA_CUDA || !has_emulated())
        return status;
    length = strlen(error->text);
    snprintf(error->text + length, sizeof error->text - length, "; %s runs in " EMULATED,
             backend->name);
    return status;
}

int ca_start_find(const struct ca_model *model, const char *name)
{
    for (int i = 0; model->start->named[i].name; i++)
        if (strcmp(model->start->named[i].name, name) == 0)
            return i;
    return -1;
}

bool ca_backend_has_option(const struct ca_backend *backend, const char *name)
{
    for (const struct ca_param *p = backend->options; p && p->name; p++)
        if (strcmp(p->name, name) == 0)
            return true;
    return false;
}

bool ca_model_has_option(const struct ca_model *model, const char *name)
{
    for (const struct ca_backend *b = model->backends; b; b = ca_backend_next(model, b))
        if (ca_backend_has_option(b, name))
            return true;
    return false;
}
