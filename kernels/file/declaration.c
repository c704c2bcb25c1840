/* SPDX-License-Identifier: MIT */
/* This file reads the rows of a file's declaration into the tables of a model, and says by file and
 * line what contradicts itself. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/file/file_model.h"

#define PACE_MAX 1048576

/* Texts of the file go to the screen: a copy, which stays. "" where there is no memory. */
const char *file_text(struct file_model *file, const char *text)
{
    struct file_text *copy = malloc(sizeof *copy + strlen(text ? text : "") + 1);

    if (!copy)
        return "";
    copy->next = file->texts;
    file->texts = copy;
    return ca_plain(strcpy(copy->text, text ? text : ""));
}

static int by_line(const void *a, const void *b)
{
    const struct ca_model_row *left = *(const struct ca_model_row *const *)a;
    const struct ca_model_row *right = *(const struct ca_model_row *const *)b;

    if (left->line != right->line)
        return left->line < right->line ? -1 : 1;
    return (left->code > right->code) - (left->code < right->code);
}

static enum ca_status sort_rows(struct file_model *file, struct ca_error *error)
{
    const struct ca_model_description *d = file->object.fast;

    if (d->rows_end - d->rows > FILE_ROWS_MAX)
        return ca_fail(error, CA_COMPILE, "%s declares %lld things, more than %d",
                       file->object.name, (long long)(d->rows_end - d->rows), FILE_ROWS_MAX);
    for (const struct ca_model_row *const *r = d->rows; r < d->rows_end; r++)
        file->row[file->rows++] = *r;
    qsort(file->row, (size_t)file->rows, sizeof *file->row, by_line);
    return CA_OK;
}

#define WRONG(row, ...) row_is_wrong(file, row, error, __VA_ARGS__)

__attribute__((format(printf, 4, 5))) static enum ca_status
row_is_wrong(const struct file_model *file, const struct ca_model_row *row, struct ca_error *error,
             const char *format, ...)
{
    char text[600];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return ca_fail(error, CA_COMPILE, "%s:%d: %s", file->object.name, row->line, ca_plain(text));
}

/* --- states and planes ------------------------------------------------------------------------ */

static enum ca_status read_state(struct file_model *file, const struct ca_model_row *row,
                                 struct ca_error *error)
{
    const char *name = file_text(file, row->help && row->help[0] ? row->help : row->name);
    bool several = file->object.fast->parts > 1;
    int p = file_plane_of_row(file, row);
    struct file_plane *plane = &file->plane[p < 0 ? 0 : p];

    if (file->object.fast->floats)
        return WRONG(row, "a model of floats has no states: use CA_PLANE");
    if (p < 0)
        return WRONG(row, "state %s is of no plane: it stands behind the CA_PLANE of its own",
                     row->name);
    if (row->code != plane->named)
        return WRONG(row, "state %s has the code %d, where %d comes next: codes go from 0 on",
                     row->name, row->code, plane->named);
    if (several && row->code >= plane->states)
        return WRONG(row, "state %s has the code %d, but plane %s has %d states: 0 to %d",
                     row->name, row->code, plane->name, plane->states, plane->states - 1);
    if (file->states == CA_STATES_MAX - 1)
        return WRONG(row, "there may be %d states", CA_STATES_MAX - 1);
    if (row->glyph < ' ' || row->glyph > '~')
        return WRONG(row, "the glyph of state %s is not a printable character of ASCII", row->name);
    if (row->colour < 0 || row->colour >= CA_COLOUR_COUNT)
        return WRONG(row, "state %s has no colour of CA_QUIET ... CA_SOLID", row->name);
    file->look[plane->first + row->code] =
        (struct ca_state_appearance){(char)row->glyph, (enum ca_colour)row->colour, name};
    plane->named++;
    if (several)
        return CA_OK;
    file->brushes[row->code] =
        (struct ca_brush){.name = name, .planes = 1, .value = {(float)row->code}};
    file->states++;
    return CA_OK;
}

/* A plane of states that shares a byte with others. */
static enum ca_status read_shared_plane(struct file_model *file, const struct ca_model_row *row,
                                        struct ca_error *error)
{
    int parts = file->object.fast->parts, bits = 0;
    struct file_plane *plane;

    if (row->code < 0 || row->code >= parts || file->plane[row->code].name)
        return WRONG(row, "plane %s has the number %d: each from 0 to %d is that of one plane",
                     row->name, row->code, parts - 1);
    plane = &file->plane[row->code];
    if (plane->states < 2)
        return WRONG(row, "plane %s has %d states by CA_STATE_PLANES: at least 2 are needed",
                     row->name, plane->states);
    while (plane->states > 1 << bits)
        bits++;
    if (plane->shift + bits > CA_BIT_PLANES_MAX)
        return WRONG(row,
                     "plane %s: its %d states take %d bits, of which %d are left: planes have %d "
                     "together",
                     row->name, plane->states, bits, CA_BIT_PLANES_MAX - plane->shift,
                     CA_BIT_PLANES_MAX);
    plane->name = row->name;
    plane->help = file_text(file, row->help && row->help[0] ? row->help : row->name);
    return CA_OK;
}

static enum ca_status read_plane(struct file_model *file, const struct ca_model_row *row,
                                 struct ca_error *error)
{
    int planes = file->object.fast->planes;

    if (file->object.fast->parts > planes)
        return read_shared_plane(file, row, error);
    if (!file->object.fast->floats)
        return WRONG(row, "a model of states has no planes of floats: define CA_FLOATS before the "
                          "header is included");
    if (row->code < 0 || row->code >= planes || file->model.plane_names[row->code])
        return WRONG(row, "plane %s has the number %d: each from 0 to %d is that of one plane",
                     row->name, row->code, planes - 1);
    if (!(row->low < row->high) || !isfinite(row->low) || !isfinite(row->high))
        return WRONG(row, "the range of plane %s is empty", row->name);
    file->model.plane_names[row->code] = row->name;
    if (row->code == 0) {
        file->look[0] = (struct ca_state_appearance){'.', CA_COLOUR_QUIET, "low"};
        file->look[1] = (struct ca_state_appearance){'O', CA_COLOUR_STRONG, "high"};
        file->brushes[0] = (struct ca_brush){"low", 1, {(float)row->low}, false};
        file->brushes[1] = (struct ca_brush){"high", 1, {(float)row->high}, false};
        file->draw.level_unit = file_text(file, row->unit && row->unit[0] ? row->unit : row->name);
        file->draw.level_full = (float)row->high;
    }
    return CA_OK;
}

/* --- parameters ------------------------------------------------------------------------------- */

static int param_count(const struct file_model *file)
{
    int count = 0;

    while (file->params[count].name)
        count++;
    return count;
}

static enum ca_status read_param(struct file_model *file, const struct ca_model_row *row,
                                 struct ca_error *error)
{
    int count = param_count(file);

    if (row->code < 1 || row->code >= CA_MODEL_SLOTS)
        return WRONG(row, "parameter %s stands too far from CA_MODEL: at most %d lines below it",
                     row->name, CA_MODEL_SLOTS - 1);
    if (count == CA_PARAMS_MAX)
        return WRONG(row, "there may be %d parameters", CA_PARAMS_MAX);
    for (int i = 0; i < file->rows && file->row[i] != row; i++)
        if (file_is_param(file->row[i]) && file->row[i]->code == row->code)
            return WRONG(row, "parameter %s stands on the line of another", row->name);
    if (!(row->low <= row->value && row->value <= row->high))
        return WRONG(row, "the default of parameter %s, %g, is not in its range, %g to %g",
                     row->name, row->value, row->low, row->high);
    if (row->kind == CA_ROW_WHOLE &&
        (row->value != floor(row->value) || row->low < INT32_MIN || row->high > INT32_MAX))
        return WRONG(row, "parameter %s is not a whole number of 32 bits", row->name);
    if (row->kind == CA_ROW_PARAM_16 &&
        row->value * FILE_STEPS_16 != floor(row->value * FILE_STEPS_16))
        return WRONG(row, "the default of parameter %s, %.10g, is not a multiple of 1/65536",
                     row->name, row->value);
    if (row->kind == CA_ROW_PARAM_16 && (row->low < 0 || row->high > 1))
        return WRONG(row, "parameter %s is a chance: its range is within 0 to 1", row->name);
    file->params[count] = (struct ca_param){.name = row->name,
                                            .kind = row->kind == CA_ROW_WHOLE ? CA_INT : CA_REAL,
                                            .number = row->value,
                                            .min = row->low,
                                            .max = row->high,
                                            .help = file_text(file, row->help)};
    return CA_OK;
}

/* --- what is observed ------------------------------------------------------------------------- */

static int observable_find(const struct file_model *file, const char *name)
{
    int i = 0;

    while (file->observables[i].name && strcmp(file->observables[i].name, name) != 0)
        i++;
    return i;
}

static bool always(const struct ca_setup *setup, const double before[])
{
    (void)setup, (void)before;
    return true;
}

static enum ca_status read_observable(struct file_model *file, const struct ca_model_row *row,
                                      struct ca_error *error)
{
    const struct ca_model_description *d = file->object.fast;
    int i = observable_find(file, row->name), plane = row->code;

    if (row->kind == CA_ROW_COUNT)
        plane = file_plane_of_state(file, row->unit);
    if (i == CA_OBSERVABLES_MAX)
        return WRONG(row, "there may be %d counts and sums", CA_OBSERVABLES_MAX);
    if (row->kind == CA_ROW_COUNT && plane < 0)
        return WRONG(row, "count %s: '%s' is the name of no state", row->name, row->unit);
    if (row->kind == CA_ROW_COUNT && (d->floats || row->code < 0 || row->code >= file->states))
        return WRONG(row, "count %s is of no state", row->name);
    if (row->kind == CA_ROW_SUM && (row->code < 0 || row->code >= d->parts))
        return WRONG(row, "sum %s is of no plane: 0 to %d", row->name, d->parts - 1);
    file->observed[i] = row;
    file->observed_plane[i] = plane;
    file->observables[i] =
        (struct ca_observable){.name = row->name, .help = file_text(file, row->help)};
    return CA_OK;
}

static enum ca_status read_conserved(struct file_model *file, const struct ca_model_row *row,
                                     struct ca_error *error)
{
    int i = observable_find(file, row->name);

    if (!file->observables[i].name)
        return WRONG(row, "'%s' is conserved, but is neither a count nor a sum", row->name);
    if (!(row->value >= 0 && row->value < 1))
        return WRONG(row, "the tolerance of %s is not in 0 ... 1", row->name);
    file->observables[i].tolerance = row->value;
    file->observables[i].conserved = always;
    return CA_OK;
}

/* --- starts ----------------------------------------------------------------------------------- */

static enum ca_status check_shares(struct file_model *file, const struct ca_model_row *row,
                                   struct ca_error *error)
{
    double sum = 0;
    int last = 0, before = 0;

    if (file->object.fast->floats)
        return WRONG(row, "start %s draws states, but the model has floats: use CA_START",
                     row->name);
    for (const struct ca_model_share *s = row->shares; s->state >= 0; s++) {
        int i = 0, plane = file_plane_of_state(file, s->name);

        if (plane < 0)
            return WRONG(row, "start %s: '%s' is the name of no state", row->name, s->name);
        if (plane > before) /* the shares of the next plane begin */
            before = plane, last = 0, sum = 0;
        if (plane < before || s->state <= last || s->state >= file->states)
            return WRONG(row, "start %s: shares are of states above 0, in rising order%s",
                         row->name, file->object.fast->parts > 1 ? ", plane by plane" : "");
        last = s->state;
        sum += s->param ? 0 : s->share;
        if (!s->param && !(s->share >= 0))
            return WRONG(row, "start %s has a share below 0", row->name);
        while (s->param && file->params[i].name && strcmp(file->params[i].name, s->param) != 0)
            i++;
        if (s->param && (!file->params[i].name || file->params[i].min < 0))
            return WRONG(row, "start %s: '%s' is not a parameter that is at least 0", row->name,
                         s->param);
        if (s->param)
            file->params[i].initial = true;
        if (sum > 1)
            return WRONG(row, "the shares of start %s are more than 1 together", row->name);
    }
    return CA_OK;
}

static enum ca_status read_start(struct file_model *file, const struct ca_model_row *row,
                                 struct ca_error *error)
{
    int count = 0;

    while (file->starts[count].name)
        count++;
    if (count == CA_PARAMS_MAX)
        return WRONG(row, "there may be %d starts", CA_PARAMS_MAX);
    if (row->kind == CA_ROW_RANDOM)
        CA_TRY(check_shares(file, row, error));
    file->start_row[count] = row;
    file->starts[count] = (struct ca_start){row->name, file_text(file, row->help)};
    return CA_OK;
}

/* --- the rest --------------------------------------------------------------------------------- */

static enum ca_status read_about(struct file_model *file, const struct ca_model_row *row,
                                 struct ca_error *error)
{
    (void)error;
    file->model.summary = file_text(file, row->help);
    return CA_OK;
}

static enum ca_status read_size(struct file_model *file, const struct ca_model_row *row,
                                struct ca_error *error)
{
    int dimensions = file->object.fast->dimensions;

    if (row->code < 1 || row->glyph < 1 || row->colour < 1 || (dimensions == 2 && row->colour != 1))
        return WRONG(row, "CA_SIZE has three sides from 1 on%s",
                     dimensions == 2 ? ", in 2D a depth of 1" : "");
    file->model.default_size = (struct ca_size){row->code, row->glyph, row->colour};
    return CA_OK;
}

static enum ca_status read_pace(struct file_model *file, const struct ca_model_row *row,
                                struct ca_error *error)
{
    if (!(row->value > 0 && row->value <= PACE_MAX))
        return WRONG(row, "CA_PACE is %g: above 0, and at most %d, generations a frame", row->value,
                     PACE_MAX);
    file->model.pace = row->value;
    return CA_OK;
}

static enum ca_status read_area(struct file_model *file, const struct ca_model_row *row,
                                struct ca_error *error)
{
    int reach = file->object.fast->reach;

    if (row->glyph < 1 || row->glyph > reach)
        return WRONG(row,
                     "area %s has the radius %d, but areas reach 1 to %d: CA_REACH says how far",
                     row->name, row->glyph, reach);
    if (row->code < 0 || row->code >= file->states)
        return WRONG(row, "area %s is of no state", row->name);
    return CA_OK;
}

static enum ca_status read_cell(struct file_model *file, const struct ca_model_row *row,
                                struct ca_error *error)
{
    (void)error;
    file->line_of_cell = row->line;
    return CA_OK;
}

/* Rows refer to those of kinds that are read before theirs. */
static const struct reader {
    unsigned kinds; /* bits */
    enum ca_status (*read)(struct file_model *file, const struct ca_model_row *row,
                           struct ca_error *error);
} readers[] = {
    {1 << CA_ROW_CELL, read_cell},
    {1 << CA_ROW_ABOUT, read_about},
    {1 << CA_ROW_PACE, read_pace},
    {1 << CA_ROW_SIZE, read_size},
    {1 << CA_ROW_PLANE, read_plane},
    {1 << CA_ROW_STATE, read_state},
    {1 << CA_ROW_AREA, read_area},
    {1 << CA_ROW_PARAM | 1 << CA_ROW_WHOLE | 1 << CA_ROW_PARAM_16, read_param},
    {1 << CA_ROW_COUNT | 1 << CA_ROW_SUM, read_observable},
    {1 << CA_ROW_CONSERVED, read_conserved},
    {1 << CA_ROW_RANDOM | 1 << CA_ROW_START, read_start},
};

/* All states of a plane have names, or none. */
static enum ca_status check_names(struct file_model *file, struct ca_error *error)
{
    for (int i = 0; i < file->rows; i++) {
        const struct ca_model_row *row = file->row[i];
        const struct file_plane *plane = row->kind == CA_ROW_PLANE ? &file->plane[row->code] : NULL;

        if (plane && plane->named && plane->named < plane->states)
            return WRONG(row, "plane %s has %d states, but %d CA_STATE: all of them or none",
                         row->name, plane->states, plane->named);
    }
    return CA_OK;
}

enum ca_status file_declaration_read(struct file_model *file, struct ca_error *error)
{
    const struct ca_model_description *d = file->object.fast;

    CA_TRY(sort_rows(file, error));
    file_planes_make(file);
    for (size_t k = 0; k < sizeof readers / sizeof readers[0]; k++)
        for (int i = 0; i < file->rows; i++)
            if (readers[k].kinds >> file->row[i]->kind & 1)
                CA_TRY(readers[k].read(file, file->row[i], error));
    if (!d->floats && file->states < 2)
        return ca_fail(error, CA_COMPILE, "%s declares %d states; there are at least two CA_STATE",
                       file->object.name, file->states);
    for (int p = 0; p < d->parts; p++)
        if (!(d->floats ? file->model.plane_names[p] : file->plane[p].name))
            return ca_fail(error, CA_COMPILE, "%s has %d planes, but no CA_PLANE of number %d",
                           file->object.name, d->parts, p);
    if (d->parts > d->planes)
        CA_TRY(check_names(file, error));
    file_planes_complete(file);
    if (!(d->tolerance >= 0 && d->tolerance <= 0.1) || (d->tolerance > 0 && !d->floats))
        return ca_fail(error, CA_COMPILE,
                       "%s: CA_TOLERANCE is %g; it is 0 to 0.1, of models of floats",
                       file->object.name, d->tolerance);
    if (!file->starts[0].name && d->floats)
        return ca_fail(error, CA_COMPILE, "%s has no CA_START, which a model of floats needs",
                       file->object.name);
    if (!file->starts[0].name)
        file->starts[0] = (struct ca_start){"random", "all states alike"};
    return CA_OK;
}
