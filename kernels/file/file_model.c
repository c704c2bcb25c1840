/* SPDX-License-Identifier: MIT */
/* The record of a model that a file describes: its functions find the file's tables by the record.
 */
#include "kernels/file/file_model.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/random.h"
#include "core/files/file.h"
#include "core/machine/cpu.h"
#include "kernels/cpu/byte_stepper.h"
#include "kernels/cpu/initial_state.h"
#include "kernels/cpu/model_common.h"
#include "kernels/file/properties.h"
#include "kernels/file/show.h"

bool file_is_torus(const struct ca_model *model, int axis)
{
    return file_model_of(model)->object.fast->edge[axis] == CA_TORUS;
}

static bool outermost_is_torus(const struct ca_setup *setup)
{
    return file_is_torus(setup->model, setup->model->dimensions - 1);
}

static bool file_draws(const struct ca_setup *setup)
{
    const struct ca_model_description *d = file_model_of(setup->model)->object.fast;

    return d->draws + d->draws_16 > 0;
}

void file_values(const struct ca_setup *setup, struct ca_model_values *values)
{
    const struct file_model *file = file_model_of(setup->model);

    memset(values, 0, sizeof *values);
    values->seed = setup->seed;
    values->states = file->states;
    for (int i = 0; i < file->rows; i++) {
        const struct ca_model_row *row = file->row[i];
        int one = row->kind == CA_ROW_PARAM_16 ? FILE_STEPS_16 : 1 << 30;
        double number;

        if (!file_is_param(row))
            continue;
        number = setup->params.value[ca_values_find(&setup->params, row->name)].number;
        values->real[row->code] = (float)number;
        values->whole[row->code] = fabs(number) < 2147483647.0 ? (int32_t)number : INT32_MAX;
        values->below[row->code] = number >= 1 ? one : number > 0 ? (int32_t)(number * one) : 0;
    }
}

/* --- starts ----------------------------------------------------------------------------------- */

/* The shares of states 1, 2, ... of a plane; returns their sum. */
static double shares_of(const struct ca_setup *setup, int start, int plane,
                        double share[CA_STATES_MAX])
{
    const struct file_model *file = file_model_of(setup->model);
    const struct ca_model_row *row = file->start_row[start];
    int states = file->plane[plane].states;
    double sum = 0;

    for (int s = 1; s < states; s++)
        share[s - 1] = row ? 0 : 1.0 / states;
    for (const struct ca_model_share *s = row ? row->shares : NULL; s && s->state >= 0; s++)
        if (file_plane_of_state(file, s->name) == plane)
            share[s->state - 1] = s->param ? ca_real(&setup->params, s->param) : s->share;
    for (int s = 1; s < states; s++)
        sum += share[s - 1];
    return sum;
}

static enum ca_status report_start(const struct file_model *file, const struct ca_model_row *row,
                                   const struct ca_model_fault *fault, struct ca_error *error)
{
    char of[64] = "";

    if (file->object.fast->parts > 1)
        snprintf(of, sizeof of, " of plane %.40s", file->plane[fault->dx].name);
    return ca_fail(error, CA_WRONG,
                   "%s:%d: start %s gives state %g%s at cell (%lld, %lld, %lld); states are 0 "
                   "to %d",
                   file->object.name, row->line, row->name, fault->value, of, (long long)fault->x,
                   (long long)fault->y, (long long)fault->z, file->plane[fault->dx].states - 1);
}

/* The same start as the object has it that finds the place of a wrong state. */
static const struct ca_model_row *checked_start(const struct file_model *file,
                                                const struct ca_model_row *row)
{
    const struct ca_model_description *d = file->object.checked;

    for (const struct ca_model_row *const *r = d->rows; r < d->rows_end; r++)
        if ((*r)->kind == CA_ROW_START && strcmp((*r)->name, row->name) == 0)
            return *r;
    return row;
}

/* Function starts fill whole layers of the lattice. */
static enum ca_status fill_by_function(const struct ca_setup *setup, const struct ca_model_row *row,
                                       struct ca_lattice *lattice, struct ca_error *error)
{
    const struct file_model *file = file_model_of(setup->model);
    struct ca_size size = setup->size;
    struct ca_model_values values;
    struct ca_model_fault fault = {.kind = CA_FOUND_NOTHING};
    struct ca_model_job job = {.stride = size.w,
                               .count = size.h,
                               .width = size.w,
                               .height = size.h,
                               .depth = size.d,
                               .values = &values,
                               .fault = &fault};
    const uint8_t *cells = lattice->plane[0];

    file_values(setup, &values);
    for (job.z = 0; job.z < size.d; job.z++) {
        void *at[CA_PLANES_MAX];

        ca_lattice_at(lattice, job.z * size.h, at);
        for (int p = 0; p < lattice->planes; p++)
            job.out[p] = at[p];
        row->start(&job);
        if (fault.kind == CA_FOUND_STATE) {
            fault.kind = CA_FOUND_NOTHING;
            checked_start(file, row)->start(&job);
            return report_start(file, row, &fault, error);
        }
    }
    for (int64_t i = 0; i < ca_cells(size) && file->states; i++)
        if (cells[i] >= file->states) {
            fault = (struct ca_model_fault){.x = i % size.w,
                                            .y = i / size.w % size.h,
                                            .z = i / size.w / size.h,
                                            .value = cells[i]};
            return report_start(file, row, &fault, error);
        }
    return CA_OK;
}

static enum ca_status file_init(const struct ca_setup *setup, int start, struct ca_lattice *lattice,
                                struct ca_error *error)
{
    const struct file_model *file = file_model_of(setup->model);
    const struct ca_model_row *row = file->start_row[start];
    double share[CA_STATES_MAX];

    if (row && row->kind == CA_ROW_START)
        return fill_by_function(setup, row, lattice, error);
    for (int p = 0; p < file->object.fast->parts; p++) {
        shares_of(setup, start, p, share);
        CA_TRY(initial_states(setup, share, file->plane[p].states - 1, (uint32_t)p,
                              lattice->plane[0], file->plane[p].shift, error));
    }
    return CA_OK;
}

/* Of two states one is drawn, as a bit is. */
static bool random_bit(const struct ca_setup *setup, struct ca_random_start *random)
{
    const struct file_model *file = file_model_of(setup->model);
    const struct ca_model_row *row = setup->start >= 0 ? file->start_row[setup->start] : NULL;
    double share[CA_STATES_MAX];

    if (setup->start < 0 || (row && row->kind == CA_ROW_START))
        return false;
    random->below[0] = ca_threshold(shares_of(setup, setup->start, 0, share));
    return true;
}

/* --- checks ----------------------------------------------------------------------------------- */

/* Probabilities of CHANCE_16 that are no multiples would be others than the user has set. */
static enum ca_status check_params(const struct ca_setup *setup, struct ca_error *error)
{
    const struct file_model *file = file_model_of(setup->model);

    for (int i = 0; i < file->rows; i++) {
        const struct ca_model_row *row = file->row[i];
        double number, steps;

        if (row->kind != CA_ROW_PARAM_16)
            continue;
        number = ca_real(&setup->params, row->name), steps = floor(number * FILE_STEPS_16);
        if (steps != number * FILE_STEPS_16)
            return ca_fail(error, CA_USAGE,
                           "%s: %s is %.10g, but is drawn from 16 bits: it has to be a multiple of "
                           "1/65536, of which %.10g and %.10g are the nearest",
                           file->model.name, row->name, number, steps / FILE_STEPS_16,
                           (steps + 1) / FILE_STEPS_16);
    }
    return CA_OK;
}

static enum ca_status file_check(const struct ca_setup *setup, struct ca_error *error)
{
    const struct file_model *file = file_model_of(setup->model);
    const struct ca_model_row *row = setup->start >= 0 ? file->start_row[setup->start] : NULL;
    struct ca_size size = setup->size;
    double share[CA_STATES_MAX];

    CA_TRY(check_params(setup, error));
    if (size.w > INT32_MAX || size.h > INT32_MAX || size.d > INT32_MAX)
        return ca_fail(error, CA_USAGE, "%s: a side of the lattice is above %d", file->model.name,
                       INT32_MAX);
    if (file->model.rows_alternate && file_is_torus(setup->model, 1) && size.h % 2)
        return ca_fail(error, CA_USAGE,
                       "%s: a hexagonal lattice that closes needs an even number of rows, not %lld",
                       file->model.name, (long long)size.h);
    for (int p = 0; row && row->kind == CA_ROW_RANDOM && p < file->object.fast->parts; p++)
        if (shares_of(setup, setup->start, p, share) > 1)
            return ca_fail(
                error, CA_USAGE,
                "%s: the shares of start %s are more than 1 together with these parameters",
                file->model.name, row->name);
    return CA_OK;
}

/* Each plane of a byte has a state of its own. */
static enum ca_status file_check_bytes(const struct ca_setup *setup, void *const planes[],
                                       int64_t first, int64_t rows, struct ca_error *error)
{
    const struct file_model *file = file_model_of(setup->model);
    const uint8_t *cells = planes[0];

    for (int64_t i = 0; i < rows * setup->size.w; i++) {
        int p = file_plane_wrong(file, cells[i]);

        if (p >= 0)
            return ca_fail(
                error, CA_IO, "cell %lld of row %lld has %d in plane %s, whose states are 0 to %d",
                (long long)(i % setup->size.w), (long long)(first + i / setup->size.w),
                file_state_of(file, p, cells[i]), file->plane[p].name, file->plane[p].states - 1);
    }
    return CA_OK;
}

/* Floats of a state file are finite. */
static enum ca_status file_check_floats(const struct ca_setup *setup, void *const planes[],
                                        int64_t first, int64_t rows, struct ca_error *error)
{
    for (int p = 0; p < setup->model->planes; p++)
        for (int64_t i = 0; i < rows * setup->size.w; i++)
            if (!isfinite(((const float *)planes[p])[i]))
                return ca_fail(error, CA_IO, "cell %lld of row %lld is not a finite number",
                               (long long)(i % setup->size.w),
                               (long long)(first + i / setup->size.w));
    return CA_OK;
}

/* --- what is seen ----------------------------------------------------------------------------- */

/* Planes cover each other: the last one is seen whose state is not quiet. */
static void state_appearance(const struct ca_model *model, const void *const planes[], int64_t i,
                             float low, float high, struct ca_appearance *look)
{
    const struct file_model *file = file_model_of(model);
    uint8_t byte = ((const uint8_t *)planes[0])[i];
    int code = 0;

    (void)low, (void)high;
    for (int p = 0; p < file->object.fast->parts; p++) {
        const struct file_plane *plane = &file->plane[p];
        int state = file_state_of(file, p, byte);
        int own = plane->first + (state < plane->states ? state : plane->states - 1);

        if (p == 0 || file->look[own].colour != CA_COLOUR_QUIET)
            code = own;
    }
    *look = (struct ca_appearance){.code = (uint8_t)code,
                                   .level = file->look[code].colour != CA_COLOUR_QUIET};
}

static void float_appearance(const struct ca_model *model, const void *const planes[], int64_t i,
                             float low, float high, struct ca_appearance *look)
{
    const struct file_model *file = file_model_of(model);
    float value = ((const float *)planes[0])[i], from = file->brushes[0].value[0];
    float level = (value - from) / (file->brushes[1].value[0] - from);

    (void)low, (void)high;
    level = level > 0 ? level < 1 ? level : 1 : 0; /* 0 for NaN */
    *look = (struct ca_appearance){.code = level >= 0.5f, .level = level};
}

static void observe_states(const struct ca_setup *setup, const int64_t cells[CA_STATES_MAX],
                           double values[CA_OBSERVABLES_MAX])
{
    const struct file_model *file = file_model_of(setup->model);

    for (int i = 0; file->observables[i].name; i++) {
        values[i] = 0;
        for (int byte = 0; byte < file->states; byte++) {
            int s = file_state_of(file, file->observed_plane[i], (uint8_t)byte);

            values[i] += file->observed[i]->kind == CA_ROW_SUM
                             ? (double)s * (double)cells[byte]
                             : (s == file->observed[i]->code) * (double)cells[byte];
        }
    }
}

/* Of two states one is counted, which bits need not be unpacked for. */
static void observe_two_states(const struct ca_setup *setup, const int64_t ones[CA_BIT_PLANES_MAX],
                               const int64_t on_obstacle[CA_BIT_PLANES_MAX],
                               double values[CA_OBSERVABLES_MAX])
{
    const int64_t cells[CA_STATES_MAX] = {ca_cells(setup->size) - ones[0], ones[0]};

    (void)on_obstacle;
    observe_states(setup, cells, values);
}

/* Each row is summed by itself, so that the order does not depend on how many come at once. */
static void observe_floats(const struct ca_setup *setup, const void *const planes[], int64_t rows,
                           double sums[CA_OBSERVABLES_MAX])
{
    const struct file_model *file = file_model_of(setup->model);
    int64_t w = setup->size.w;

    for (int i = 0; file->observables[i].name; i++)
        for (int64_t r = 0; r < rows; r++) {
            const float *cells = (const float *)planes[file->observed[i]->code] + r * w;
            double sum = 0;

            for (int64_t x = 0; x < w; x++)
                sum += (double)cells[x];
            sums[i] += sum;
        }
}

/* --- the record ------------------------------------------------------------------------------- */

/* The least operations of a cell step, whatever cell() computes: a load of each cell that shares a
 * side and one more operation with it, in vectors of this CPU's width, and the draws. The checks
 * load all cells within the radius, one by one. A GPU loads four cells at once, and makes no draws
 * that no thread of a warp asks for. */
static void make_costs(struct file_model *file)
{
    const struct ca_model_description *d = file->object.fast;
    enum ca_isa isa = ca_cpu_isa();
    double lanes = (isa == CA_AVX512 ? 64.0
                    : isa == CA_AVX2 ? 32.0
                                     : 16.0) /
                   (double)ca_type_bytes(file->model.type);
    double side = 2 * d->radius + 1, beside = 2 * d->dimensions + 1;
    double cells = side * side * (d->dimensions == 3 ? side : 1);
    double draws = d->draws + d->draws_16 / 2.0, least = 2 * d->planes * beside;

    file->backends[0].ops_per_cell_step = 2 * d->planes * cells + least + 20 * draws;
    file->backends[1].ops_per_cell_step = least / lanes + 5 * draws;
    for (struct ca_backend *b = file->backends; b->name; b++)
        if (b->device == CA_CUDA && b->ops_per_cell_step == 0) /* bits have theirs */
            b->ops_per_cell_step = least / 2;
}

static void make_backends(struct file_model *file)
{
    double bytes = 2.0 * file->model.planes * (double)ca_type_bytes(file->model.type);
    struct ca_backend common = {.device = CA_CPU,
                                .memory_bytes_per_cell = bytes,
                                .bytes_per_cell_step = bytes,
                                .stepper = &byte_stepper};
    struct ca_backend *next = file->backends + 2;

    file->backends[0] = file->backends[1] = common;
    file->backends[0].name = "reference";
    file->backends[0].title = "the file's function, cell by cell, with checks of what it does";
    file->backends[0].options = options_ranks;
    file->backends[0].ops = &file_reference_ops;
    file->backends[1].name = "threads";
    file->backends[1].title = "the file's function in rows, which the compiler vectorizes";
    file->backends[1].options = options_threads;
    file->backends[1].ops = &file_threads_ops;
    next += file_bit_backends(file, next);
    file_cuda_rungs(next, file->model.dimensions, file->model.planes,
                    file->states ? ca_plane_bits(&file->model) : 0);
    file_cuda_bit_backends(file, next + FILE_CUDA_RUNGS);
    make_costs(file);
    for (struct ca_backend *b = file->backends; b->name; b++) /* a CPU has one library for all */
        if (b->device == CA_CUDA && file->object.inexact)
            b->tolerance = file->object.fast->tolerance;
}

static void make_record(struct file_model *file)
{
    const struct ca_model_description *d = file->object.fast;
    struct ca_model *model = &file->model;

    file->source = (struct ca_model_source){
        .path = file->object.path,
        .digest = file->object.digest,
        .text = file->object.source,
        .size = file->object.size,
        .properties = file_properties,
        .place = file_place,
        .show = file_show,
        .inexact = d->floats && d->tolerance <= 0 ? file->object.inexact : NULL};
    file->start =
        (struct ca_model_start){.named = file->starts,
                                .init = file_init,
                                .random = !d->floats && file->states == 2 ? random_bit : NULL};
    file->rule = (struct ca_model_rule){.torus = outermost_is_torus,
                                        .draws = d->draws + d->draws_16 ? file_draws : NULL};
    file->observe = (struct ca_model_observe){.observables = file->observables};
    file_fields_make(file);
    if (d->floats)
        file->observe.rows = observe_floats;
    else if (file->states == 2)
        file->observe.counts = observe_two_states;
    else
        file->observe.states = observe_states;
    file->draw.states = file->look;
    file->draw.cell = d->floats ? float_appearance : state_appearance;
    if (!d->floats) {
        file->draw.level_unit = "not quiet";
        file->draw.level_full = 1;
        file->draw.picture_mask = file->states == 2;
    }
    model->dimensions = d->dimensions;
    model->radius = d->reach;
    model->type = d->floats ? CA_F32 : CA_U8;
    model->planes = d->planes;
    if (!d->floats)
        model->plane_names[0] = "cell";
    model->max_value = (uint8_t)(file->states ? file->states - 1 : 0);
    model->rows_alternate = d->hexagonal;
    model->params = file->params;
    model->brushes = file->brushes;
    model->backends = file->backends;
    model->check = file_check;
    if (d->floats || d->parts > 1)
        model->check_state = d->floats ? file_check_floats : file_check_bytes;
    model->start = &file->start;
    model->rule = &file->rule;
    model->observe = &file->observe;
    model->draw = &file->draw;
    model->source = &file->source;
    make_backends(file);
}

/* All models that have been opened, which stay until the process ends. */
static struct file_model *_Atomic kept;

enum ca_status file_model_open_text(const struct ca_model **model, const char *path,
                                    const char *text, size_t size, struct ca_error *error)
{
    struct file_model *file = calloc(1, sizeof *file);
    const struct ca_model_description *d;
    enum ca_status status;

    if (!file)
        return ca_fail(error, CA_NO_MEMORY, "no memory for the model of %.300s", path);
    status = file_object_open(&file->object, path, text, size, error);
    if (status != CA_OK)
        goto fail;
    d = file->object.fast;
    file->model.name = d->name;
    file->model.title = file_text(file, d->title);
    file->model.summary = file->model.title;
    file->model.default_size =
        d->dimensions == 3 ? (struct ca_size){64, 64, 64} : (struct ca_size){256, 256, 1};
    file->model.pace = 1;
    for (int i = 0; ca_models[i]; i++)
        if (!ca_models[i]->source && strcmp(ca_models[i]->name, d->name) == 0) {
            status = ca_fail(error, CA_COMPILE,
                             "%s: the model is called %s, which is the name of a built-in one: "
                             "CA_MODEL needs another",
                             file->object.name, d->name);
            goto fail;
        }
    status = file_declaration_read(file, error);
    if (status != CA_OK)
        goto fail;
    make_record(file);
    file->next = kept;
    while (!atomic_compare_exchange_weak(&kept, &file->next, file))
        ;
    *model = &file->model;
    return CA_OK;
fail:
    file_object_close(&file->object);
    for (struct file_text *at = file->texts, *next; at; at = next) {
        next = at->next;
        free(at);
    }
    free(file);
    return status;
}

enum ca_status file_model_open(const struct ca_model **model, const char *path,
                               struct ca_error *error)
{
    char resolved[PATH_MAX], *text;
    enum ca_status status;
    size_t size;

    CA_TRY(ca_file_resolve(path, resolved, error));
    CA_TRY(file_object_read(resolved, &text, &size, error));
    status = file_model_open_text(model, resolved, text, size, error);
    free(text);
    return status;
}
