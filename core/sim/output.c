/* SPDX-License-Identifier: MIT */
/* This file parses and writes the text of an output. */
#include "core/sim/output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/file.h"
#include "core/files/film.h"
#include "core/files/formats.h"
#include "core/files/series.h"
#include "core/sim/simulation.h"
#include "core/sim/view.h"

#define OBSERVABLES "observables"
#define PICTURE "picture"
#define BLOCK_DEFAULT 8

/* Whether text begins with a word that ',' or ':' follows. */
static bool begins(const char *text, const char *word)
{
    size_t length = strlen(word);

    return strncmp(text, word, length) == 0 && (text[length] == ',' || text[length] == ':');
}

/* A whole number, at least 1, without blanks; NULL where there is none, else what follows it. */
static const char *take_number(const char *text, uint64_t *number)
{
    char *end;

    if (*text < '1' || *text > '9' || strspn(text, "0123456789") > 15)
        return NULL;
    *number = strtoull(text, &end, 10);
    return end;
}

static enum ca_status take_block(struct ca_output *output, int dimensions, const char **text,
                                 struct ca_error *error)
{
    int64_t *side[] = {&output->block.w, &output->block.h, &output->block.d};
    int sides = dimensions == 3 ? 3 : 2;
    const char *at = *text;
    uint64_t number;

    for (int i = 0; i < sides && at; i++) {
        if (i > 0 && *at++ != 'x')
            break;
        if (*at == "WHD"[i]) {
            *side[i] = 0;
            at++;
        } else {
            at = take_number(at, &number);
            *side[i] = at ? (int64_t)number : 0;
        }
        if (at && i == sides - 1 && (*at == ',' || *at == ':')) {
            *text = at;
            return CA_OK;
        }
    }
    return ca_fail(error, CA_USAGE,
                   "block=%.*s is not allowed: %s, cells along each side or its letter for all of "
                   "it",
                   (int)strcspn(*text, ",:"), *text, dimensions == 3 ? "WxHxD" : "WxH");
}

static enum ca_status take_window(struct ca_output *output, const char **text,
                                  struct ca_error *error)
{
    const char *at = take_number(*text, &output->window);

    if (at && *at == '/')
        at = take_number(at + 1, &output->every);
    if (!at || (*at != ',' && *at != ':') || output->window % output->every)
        return ca_fail(error, CA_USAGE,
                       "window=%.*s is not allowed: T or T/K, generations of at least 1, T a "
                       "multiple of K",
                       (int)strcspn(*text, ",:"), *text);
    *text = at;
    return CA_OK;
}

/* Refuses the option behind the ',' at `text` if it stands among the options from `first` on. */
static enum ca_status refuse_twice(const char *what, const char *first, const char *text,
                                   struct ca_error *error)
{
    size_t key = strcspn(text + 1, "=,:") + 1; /* with the ',' */

    for (const char *at = first; at < text; at += 1 + strcspn(at + 1, ",:"))
        if (strncmp(at, text, key) == 0 && strcspn(at + 1, "=,:") + 1 == key)
            return ca_fail(error, CA_USAGE, "'%.*s': %s has %.*s= once, and it stands there twice",
                           (int)strcspn(text + 1, ",:"), text + 1, what, (int)key - 1, text + 1);
    return CA_OK;
}

/* Reads the options that follow the name of a field, from its ',' or ':' on. */
static enum ca_status take_options(struct ca_output *output, int dimensions, const char *text,
                                   struct ca_error *error)
{
    const char *first = text;

    while (*text == ',') {
        CA_TRY(refuse_twice("a field", first, text++, error));
        if (strncmp(text, "block=", 6) == 0) {
            text += 6;
            CA_TRY(take_block(output, dimensions, &text, error));
        } else if (strncmp(text, "window=", 7) == 0) {
            text += 7;
            CA_TRY(take_window(output, &text, error));
        } else {
            return ca_fail(error, CA_USAGE,
                           "'%.*s' is not allowed: of a field block=BLOCK and window=T/K are",
                           (int)strcspn(text, ",:"), text);
        }
    }
    output->path = text + 1;
    return CA_OK;
}

/* Reads the options that follow "picture", from its ',' or ':' on. */
static enum ca_status take_snapshot(struct ca_output *output, const char *text,
                                    struct ca_error *error)
{
    const char *first = text;

    while (*text == ',') {
        size_t length = strcspn(text + 1, ",:"), name = strcspn(text + 1, "=,:");
        char key[32], value[32];
        uint64_t rate;

        CA_TRY(refuse_twice("a picture", first, text++, error));
        snprintf(key, sizeof key, "%.*s", (int)(name < 31 ? name : 31), text);
        snprintf(value, sizeof value, "%.*s",
                 (int)(name < length ? (length - name - 1 < 31 ? length - name - 1 : 31) : 0),
                 text + name + (name < length));
        if (strcmp(key, "rate") == 0) {
            const char *end = take_number(value, &rate);

            if (!end || *end || rate > CA_FILM_RATE_MAX)
                return ca_fail(error, CA_USAGE,
                               "rate = '%.40s' is not allowed: 1 ... %d pictures of a film a "
                               "second",
                               value, CA_FILM_RATE_MAX);
            output->rate = (int)rate;
        } else {
            CA_TRY(ca_snapshot_set(&output->snapshot, key, value, error));
        }
        text += length;
    }
    if (*text != ':')
        return ca_fail(error, CA_USAGE, "':FILE' is expected after 'picture'");
    output->path = text + 1;
    return CA_OK;
}

/* The length of the name with which a text begins, if it is one of what is written and no part of a
 * path: a letter and more of them, digits, - and _, before a ':', or before a ',' with a ':' behind
 * it. 0: there is none. A letter alone is none, so that C:state.npy is a file. */
static size_t name_length(const char *text)
{
    static const char after[] = "0123456789-_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    size_t length = *text && strchr(after + 12, *text) ? strspn(text, after) : 0;

    return length > 1 &&
                   (text[length] == ':' || (text[length] == ',' && strchr(text + length, ':')))
               ? length
               : 0;
}

/* Refuses a name that nothing of the model has. */
static enum ca_status unknown_name(const struct ca_model *model, const char *text, size_t length,
                                   struct ca_error *error)
{
    const char *names[CA_TABLE_MAX];
    char name[65], hint[CA_TEXT_MAX];
    int count = 0;

    for (const struct ca_field *f = ca_fields(model); f->name && count < CA_TABLE_MAX - 2; f++)
        names[count++] = f->name;
    names[count++] = OBSERVABLES;
    names[count++] = PICTURE;
    snprintf(name, sizeof name, "%.*s", (int)(length < 64 ? length : 64), text);
    return ca_fail(error, CA_USAGE,
                   "'%s' before the ':' is not an output of %s%s; for a file of that name write "
                   "./%.150s",
                   name, model->name, ca_suggest(hint, name, count, ca_name_at, names), text);
}

/* Whether the ending of the path is that of a format for what is to be written. */
static enum ca_status check_format(const struct ca_output *output, const struct ca_model *model,
                                   const char *text, struct ca_error *error)
{
    const struct ca_format *format = ca_format_of(output->path);
    char endings[CA_TEXT_MAX];

    if (output->field && (!format || !ca_format_fits_field(format, model, output->field)))
        return ca_fail(error, CA_USAGE, "%.300s: a field is written to a file %s", output->path,
                       ca_format_field_endings(endings, model, output->field));
    if (output->observables && (!format || !ca_format_tabulates(format)))
        return ca_fail(error, CA_USAGE, "%.300s: observables are written to a file %s",
                       output->path, ca_format_field_endings(endings, model, NULL));
    if (output->picture && (!format || !ca_format_shows(format, model)))
        return ca_fail(error, CA_USAGE, "%.300s: a picture is written to a file %s", output->path,
                       ca_format_endings(endings, model, ca_format_shows));
    if (output->rate && !format->film)
        return ca_fail(error, CA_USAGE,
                       "%.300s: rate belongs to a film, but %s is a single picture", output->path,
                       format->ending);
    if (!output->field && !output->observables && format && format->write_field && !format->write)
        return ca_fail(error, CA_USAGE, "'%.300s': a %s has a field of %s, as in FIELD:FILE%s",
                       text, format->ending, model->name,
                       ca_format_tabulates(format) ? ", or observables:FILE" : "");
    return CA_OK;
}

enum ca_status ca_output_parse(struct ca_output *output, const struct ca_model *model,
                               const char *text, struct ca_error *error)
{
    *output = (struct ca_output){
        .path = text,
        .block = {BLOCK_DEFAULT, BLOCK_DEFAULT, model->dimensions == 3 ? BLOCK_DEFAULT : 1},
        .window = 1,
        .every = 1,
        .snapshot = ca_snapshot_default()};
    for (const struct ca_field *f = ca_fields(model); f->name; f++)
        if (begins(text, f->name)) {
            output->field = f;
            CA_TRY(take_options(output, model->dimensions, text + strlen(f->name), error));
        }
    if (begins(text, OBSERVABLES) && strchr(text, ':')) {
        if (text[strlen(OBSERVABLES)] != ':')
            return ca_fail(error, CA_USAGE, "'%.100s': ':FILE' is expected after 'observables'",
                           text);
        output->observables = true;
        output->path = text + strlen(OBSERVABLES) + 1;
    }
    if (begins(text, PICTURE)) {
        output->picture = true;
        CA_TRY(take_snapshot(output, text + strlen(PICTURE), error));
    }
    if (output->path == text && name_length(text) > 0)
        return unknown_name(model, text, name_length(text), error);
    CA_TRY(check_format(output, model, text, error));
    if (!output->field && !output->observables && ca_format_of(output->path)) {
        output->picture |= ca_format_shows(ca_format_of(output->path), model);
        output->film = ca_format_of(output->path)->film != NULL;
        output->rate = output->rate ? output->rate : CA_FILM_RATE_DEFAULT;
    }
    return CA_OK;
}

/* Whether "picture,..." has that option itself. */
static bool has_option(const char *text, const char *name)
{
    size_t length = strlen(name);

    for (text += strcspn(text, ",:"); *text == ','; text += 1 + strcspn(text + 1, ",:"))
        if (strncmp(text + 1, name, length) == 0 && text[1 + length] == '=')
            return true;
    return false;
}

bool ca_output_with(char longer[CA_TEXT_MAX], const char *text, const char *name, const char *value)
{
    bool begun = begins(text, PICTURE);
    const struct ca_format *format = ca_format_of(text);

    if (!begun && (name_length(text) > 0 || !format || !ca_format_shows(format, NULL)))
        return false;
    if (begun && has_option(text, name))
        return snprintf(longer, CA_TEXT_MAX, "%s", text) < CA_TEXT_MAX;
    return snprintf(longer, CA_TEXT_MAX, PICTURE ",%s=%s%s%s", name, value, begun ? "" : ":",
                    text + (begun ? strlen(PICTURE) : 0)) < CA_TEXT_MAX;
}

enum ca_status ca_output_writable(const struct ca_output *output, const struct ca_model *model,
                                  const char *path, struct ca_error *error)
{
    if (output->film)
        return ca_film_check(path, output->rate, error);
    return output->field || output->observables || output->picture
               ? ca_file_writable(path, error)
               : ca_state_writable(path, model, error);
}

struct ca_size ca_output_block(const struct ca_output *output, struct ca_size lattice)
{
    struct ca_size block = output->block;

    block.w = block.w ? block.w : lattice.w;
    block.h = block.h ? block.h : lattice.h;
    block.d = block.d ? block.d : lattice.d;
    return block;
}

/* --- checks ----------------------------------------------------------------------------------- */

uint64_t ca_output_period(const struct ca_outputs *outputs, bool series, uint64_t goal)
{
    return series ? outputs->every : goal < UINT64_MAX ? goal : 0;
}

/* The windows of an output end with the run or with each file of a series. */
static enum ca_status check_window(const struct ca_outputs *outputs,
                                   const struct ca_experiment *experiment,
                                   const struct ca_output *output, bool series, uint64_t goal,
                                   struct ca_error *error)
{
    uint64_t period = ca_output_period(outputs, series, goal);
    uint64_t first = ca_experiment_first(experiment);

    if (series && output->window > 1 && first % period)
        return ca_fail(error, CA_USAGE,
                       "the run begins with generation %" PRIu64 ", in the middle of a window of "
                       "generations: windows end with each %" PRIu64 " of them",
                       first, period);
    if (output->window == 1 || (period && output->window <= period))
        return CA_OK;
    if (!series && goal == UINT64_MAX)
        return ca_fail(error, CA_USAGE,
                       "a window needs a number of generations (--steps), not of seconds");
    return ca_fail(error, CA_USAGE,
                   "a window of %" PRIu64 " generations is longer than the %" PRIu64 " %s",
                   output->window, period, series ? "from one file to the next" : "of the run");
}

enum ca_status ca_outputs_check(const struct ca_outputs *outputs,
                                const struct ca_experiment *experiment, uint64_t goal,
                                struct ca_error *error)
{
    uint64_t last = ca_experiment_first(experiment) + goal;

    CA_TRY(ca_outputs_check_series(outputs, error));
    for (int i = 0; i < outputs->count; i++) {
        struct ca_output output;
        char path[CA_SERIES_PATH_MAX];
        bool series;

        CA_TRY(ca_output_parse(&output, experiment->model, outputs->text[i], error));
        CA_TRY(ca_series_check(output.path, &series, error));
        if (ca_output_gathers(&output) && series)
            return ca_fail(error, CA_USAGE, "%.300s: %s of all generations go into one file",
                           output.path, output.film ? "pictures" : "observables");
        CA_TRY(ca_output_writable(&output, experiment->model, ca_series_path(path, output.path, 0),
                                  error));
        /* The last name is the longest. */
        if (series && goal < UINT64_MAX)
            CA_TRY(ca_output_writable(
                &output, experiment->model,
                ca_series_path(path, output.path, last - last % outputs->every), error));
        CA_TRY(check_window(outputs, experiment, &output, series, goal, error));
    }
    return CA_OK;
}

struct ca_film_shape ca_output_film(const struct ca_output *output, struct ca_size lattice)
{
    struct ca_film_shape shape = {.scale = output->snapshot.scale, .rate = output->rate};
    int64_t slices;

    ca_view_extent(lattice, output->snapshot.axis, &shape.w, &shape.h, &slices);
    return shape;
}

enum ca_status ca_outputs_check_lattice(const struct ca_outputs *outputs,
                                        const struct ca_experiment *experiment,
                                        struct ca_error *error)
{
    const struct ca_setup setup = ca_setup_of(experiment);

    for (int i = 0; i < outputs->count; i++) {
        const struct ca_format *format;
        struct ca_film_shape film;
        struct ca_output output;

        CA_TRY(ca_output_parse(&output, experiment->model, outputs->text[i], error));
        format = ca_format_of(output.path);
        if (output.picture)
            CA_TRY(ca_snapshot_check(&output.snapshot, setup.model, setup.size, error));
        else if (format && format->check)
            CA_TRY(format->check(&setup, error));
        film = ca_output_film(&output, setup.size);
        if (output.film)
            CA_TRY(ca_film_check_shape(output.path, &film, error));
    }
    return CA_OK;
}
