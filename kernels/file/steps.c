/* SPDX-License-Identifier: MIT */
/*
 * Backends of a model in a file. A call of the file's function steps all rows whose neighbours lie
 * as far from each other as they do, so that what a row costs is its cells; rows near an edge are
 * stepped one by one, with pointers to the rows that they read. `reference` calls the object that
 * checks each cell.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "kernels/cpu/byte_stepper.h"
#include "kernels/file/file_model.h"

struct context {
    struct ca_model_values values;
    pthread_mutex_t lock;
    struct ca_model_fault fault; /* the first that a worker has found */
    uint64_t t;                  /* the generation that its step started from */
    unsigned char beyond[]; /* a row of each plane, as it is beyond edges that are not closed */
};

static size_t row_bytes(const struct ca_setup *setup)
{
    return (size_t)setup->size.w * ca_type_bytes(setup->model->type);
}

static size_t context_bytes(const struct ca_setup *setup)
{
    return sizeof(struct context) + 2 * (size_t)setup->model->planes * row_bytes(setup);
}

static void prepare(const struct ca_setup *setup, void *self)
{
    const struct file_model *file = file_model_of(setup->model);
    const struct ca_model_description *d = file->object.fast;
    struct context *context = self;

    memset(context, 0, context_bytes(setup));
    pthread_mutex_init(&context->lock, NULL);
    file_values(setup, &context->values);
    for (int p = 0; p < d->planes; p++)
        for (int64_t x = 0; x < setup->size.w; x++) {
            int64_t i = (d->planes + p) * setup->size.w + x;

            float number = (float)file_beyond(file, p);

            if (d->floats)
                memcpy(context->beyond + (size_t)i * sizeof number, &number, sizeof number);
            else
                context->beyond[i] = (uint8_t)file_beyond(file, p);
        }
}

/* Row y of layer z of a plane, which may lie beyond the edges of the slab. */
static const void *row_at(const struct byte_stepper *stepper, int plane, int64_t y, int64_t dy,
                          int64_t z, int64_t dz)
{
    const struct ca_setup *setup = &stepper->setup;
    const struct file_model *file = file_model_of(setup->model);
    const struct context *context = stepper->context;
    const char *cells = stepper->now.plane[plane];
    size_t bytes = row_bytes(setup);
    int64_t h = stepper->size.h, row = y + dy, layer = z;
    int edge = file->object.fast->edge[1];

    if (file->model.dimensions == 2) {
        row = slab_layer(&setup->slab, y, dy, edge == CA_TORUS);
    } else {
        layer = slab_layer(&setup->slab, z, dz, file->object.fast->edge[2] == CA_TORUS);
        edge = layer < 0 ? file->object.fast->edge[2] : edge;
        if (edge == CA_TORUS && (row < 0 || row >= h))
            row = (row % h + h) % h;
    }
    if (row >= 0 && row < h && layer >= 0)
        return cells + (size_t)(layer * h + row) * bytes;
    if (edge == CA_CONSTANT)
        plane += stepper->now.planes;
    return context->beyond + (size_t)plane * bytes;
}

/* Whether rows of layer z read beyond the outermost edge, where a row stands for all. */
static bool is_at_end(const struct byte_stepper *stepper, int64_t z,
                      const struct ca_model_description *d)
{
    const struct ca_slab *slab = &stepper->setup.slab;

    for (int dz = -d->reach; dz <= d->reach && d->dimensions == 3; dz++)
        if (slab_layer(slab, z, dz, d->edge[2] == CA_TORUS) < 0)
            return true;
    return false;
}

static void keep_fault(const struct byte_stepper *stepper, const struct ca_model_fault *fault,
                       uint64_t t)
{
    struct context *context = stepper->context;

    pthread_mutex_lock(&context->lock);
    if (context->fault.kind == CA_FOUND_NOTHING) {
        context->fault = *fault;
        context->t = t;
    }
    pthread_mutex_unlock(&context->lock);
}

/* `count` rows from row y of layer z of the slab on. */
static void step_rows(const struct byte_stepper *stepper, int64_t y, int64_t z, int64_t count,
                      uint64_t t, const struct ca_model_description *d)
{
    const struct ca_setup *setup = &stepper->setup;
    const struct context *context = stepper->context;
    const struct ca_slab *slab = &setup->slab;
    bool flat = d->dimensions == 2;
    int64_t layer = flat ? y : z;
    struct ca_model_fault fault = {.kind = CA_FOUND_NOTHING};
    struct ca_model_job job = {.stride = stepper->size.w,
                               .count = count,
                               .width = setup->size.w,
                               .height = setup->size.h,
                               .depth = setup->size.d,
                               .y = flat ? slab_global(slab, y, setup->size.h) : y,
                               .z = flat ? 0 : slab_global(slab, z, setup->size.d),
                               .t = t,
                               .values = &context->values};
    int k = 0;

    /* Ghost layers are spoiled step by step, so that what happens in them is no fault. */
    if (layer >= slab->ghost_low && layer + count <= slab->extent - slab->ghost_high)
        job.fault = &fault;
    for (int p = 0; p < d->planes; p++) {
        job.out[p] =
            (char *)stepper->next.plane[p] + (size_t)(z * stepper->size.h + y) * row_bytes(setup);
        for (int dz = flat ? 0 : -d->reach; dz <= (flat ? 0 : d->reach); dz++)
            for (int dy = -d->reach; dy <= d->reach; dy++)
                job.in[k++] = row_at(stepper, p, y, dy, z, dz);
    }
    d->step(&job);
    if (fault.kind != CA_FOUND_NOTHING && !d->checked) { /* its place is not known yet */
        fault.kind = CA_FOUND_NOTHING;
        file_model_of(setup->model)->object.checked->step(&job);
    }
    if (fault.kind != CA_FOUND_NOTHING)
        keep_fault(stepper, &fault, t);
}

static void step_slab(const struct byte_stepper *stepper, int64_t first, int64_t last, uint64_t t,
                      const struct ca_model_description *d)
{
    const struct ca_slab *slab = &stepper->setup.slab;
    int64_t h = stepper->size.h;
    int64_t low = d->reach, high = h - d->reach;

    /* Rows of a ghost layer are stepped by themselves, so that a fault is told or not of each. */
    if (d->dimensions == 2) {
        low = slab->ghost_low > low ? slab->ghost_low : low;
        high = h - slab->ghost_high < high ? h - slab->ghost_high : high;
    }
    for (int64_t row = first; row < last;) {
        int64_t z = row / h, y = row % h, count = 1;

        if (y >= low && y < high && !is_at_end(stepper, z, d)) {
            count = high - y;
            count = row + count > last ? last - row : count;
        }
        step_rows(stepper, y, z, count, t, d);
        row += count;
    }
}

static void pass_checked(const struct byte_stepper *stepper, int64_t first, int64_t last,
                         uint64_t t)
{
    step_slab(stepper, first, last, t, file_model_of(stepper->setup.model)->object.checked);
}

static void pass_fast(const struct byte_stepper *stepper, int64_t first, int64_t last, uint64_t t)
{
    step_slab(stepper, first, last, t, file_model_of(stepper->setup.model)->object.fast);
}

/* --- faults ----------------------------------------------------------------------------------- */

void file_fault_text(const struct file_model *file, const struct ca_model_fault *fault,
                     char text[300])
{
    const struct ca_model_description *d = file->object.fast;
    char place[96];

    if (d->dimensions == 3)
        snprintf(place, sizeof place, "(%d, %d, %d)", fault->dx, fault->dy, fault->dz);
    else
        snprintf(place, sizeof place, "(%d, %d)", fault->dx, fault->dy);
    switch (fault->kind) {
    case CA_FOUND_READ:
        if (fault->value < 0 || fault->value >= d->parts)
            snprintf(text, 300, "cell() reads plane %g, but the planes are 0 to %d", fault->value,
                     d->parts - 1);
        else
            snprintf(text, 300, "cell() reads the neighbour %s, but CA_RADIUS is %d", place,
                     d->radius);
        break;
    case CA_FOUND_STATE:
        if (d->parts > 1)
            snprintf(text, 300,
                     "cell() returns state %g of plane %s, but the states of that are 0 to %d",
                     fault->value, file->plane[fault->dx].name, file->plane[fault->dx].states - 1);
        else
            snprintf(text, 300, "cell() returns state %g, but the states are 0 to %d", fault->value,
                     file->states - 1);
        break;
    case CA_FOUND_SUM:
        snprintf(text, 300, "a sum of states is %g, more than its type holds: define CA_WIDE_SUMS",
                 fault->value);
        break;
    case CA_FOUND_DRAW:
        snprintf(text, 300, "stream %g is drawn, but CA_DRAWS%s is %d", fault->value,
                 fault->dx == 16 ? "_16" : "", fault->dx == 16 ? d->draws_16 : d->draws);
        break;
    default:
        snprintf(text, 300, "plane %s becomes infinite or no number",
                 file->model.plane_names[(int)fault->value]);
    }
}

enum ca_status file_fault_report(const struct file_model *file, const struct ca_model_fault *fault,
                                 uint64_t t, struct ca_error *error)
{
    char text[300], place[96];

    file_fault_text(file, fault, text);
    if (file->model.dimensions == 3)
        snprintf(place, sizeof place, "(%lld, %lld, %lld)", (long long)fault->x,
                 (long long)fault->y, (long long)fault->z);
    else
        snprintf(place, sizeof place, "(%lld, %lld)", (long long)fault->x, (long long)fault->y);
    return ca_fail(error, CA_WRONG, "%s:%d: %s, at cell %s in the step from generation %llu",
                   file->object.name, fault->line ? fault->line : file->line_of_cell, text, place,
                   (unsigned long long)t);
}

/* What a worker found. It is told once: the next step may find it again. */
static enum ca_status finish_checked(const struct byte_stepper *stepper, uint64_t t,
                                     struct ca_error *error)
{
    struct context *context = stepper->context;
    struct ca_model_fault fault = context->fault;

    (void)t;
    context->fault.kind = CA_FOUND_NOTHING;
    return fault.kind == CA_FOUND_NOTHING
               ? CA_OK
               : file_fault_report(file_model_of(stepper->setup.model), &fault, context->t, error);
}

/* A state that there is not must not reach what looks states up in tables: after the last of some
 * generations all cells are looked at once. Of several planes the steps have reported it. */
static enum ca_status finish_fast(const struct byte_stepper *stepper, uint64_t t,
                                  struct ca_error *error)
{
    const struct ca_setup *setup = &stepper->setup;
    const struct ca_slab *slab = &setup->slab;
    const uint8_t *cells = stepper->now.plane[0];
    int64_t w = stepper->size.w, rows = ca_rows(stepper->size), each = rows / slab->extent;
    int states = file_model_of(setup->model)->states;

    CA_TRY(finish_checked(stepper, t, error));
    for (int64_t r = slab->ghost_low * each; states && r < rows - slab->ghost_high * each; r++) {
        uint8_t most = 0;

        for (int64_t x = 0; x < w; x++)
            most = cells[r * w + x] > most ? cells[r * w + x] : most;
        for (int64_t x = 0; x < w && most >= states; x++)
            if (cells[r * w + x] >= states) {
                int64_t y = r % stepper->size.h, z = r / stepper->size.h;
                bool flat = setup->model->dimensions == 2;
                struct ca_model_fault fault = {.kind = CA_FOUND_STATE,
                                               .x = x,
                                               .y = flat ? slab_global(slab, y, setup->size.h) : y,
                                               .z = flat ? 0 : slab_global(slab, z, setup->size.d),
                                               .value = cells[r * w + x]};

                return file_fault_report(file_model_of(setup->model), &fault, t, error);
            }
    }
    return CA_OK;
}

const struct byte_ops file_reference_ops = {.passes = 1,
                                            .pass = {pass_checked},
                                            .context_bytes = context_bytes,
                                            .prepare = prepare,
                                            .finish = finish_checked};
const struct byte_ops file_threads_ops = {.passes = 1,
                                          .pass = {pass_fast},
                                          .context_bytes = context_bytes,
                                          .prepare = prepare,
                                          .finish = finish_fast};
