/* SPDX-License-Identifier: MIT */
/* This file steps small lattices row by row, each by a call of its own. */
#include "kernels/file/probe.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/isolated.h"

/* SplitMix64 suffices to choose states. */
static uint64_t probe_draw(struct probe *probe)
{
    uint64_t z = probe->random += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

uint64_t probe_below(struct probe *probe, uint64_t n) { return n ? probe_draw(probe) % n : 0; }

static size_t row_bytes(const struct probe *probe)
{
    return (size_t)probe->size.w * ca_type_bytes(probe->file->model.type);
}

size_t probe_plane_bytes(const struct probe *probe)
{
    return row_bytes(probe) * (size_t)(probe->size.h * probe->size.d);
}

size_t probe_bytes(const struct probe *probe)
{
    return probe_plane_bytes(probe) * (size_t)probe->file->model.planes;
}

/* The rows that stand for all beyond an edge: zeros, and what CA_BEYOND says of each plane. */
static void fill_beyond(struct probe *probe)
{
    const struct ca_model_description *d = probe->file->object.fast;

    for (int p = 0; p < d->planes; p++)
        for (int64_t x = 0; x < probe->size.w; x++) {
            int64_t i = (p + 1) * probe->size.w + x;

            float number = (float)file_beyond(probe->file, p);

            if (d->floats)
                memcpy(probe->beyond + (size_t)i * sizeof number, &number, sizeof number);
            else
                probe->beyond[i] = (char)file_beyond(probe->file, p);
        }
}

enum ca_status probe_open(struct probe *probe, const struct ca_model *model, struct ca_size size,
                          uint64_t seed, struct ca_error *error)
{
    *probe = (struct probe){.file = file_model_of(model), .size = size, .random = seed};
    probe->now = calloc(3, probe_bytes(probe));
    probe->beyond = calloc((size_t)model->planes + 1, row_bytes(probe));
    if (!probe->now || !probe->beyond) {
        probe_close(probe);
        return ca_fail(error, CA_NO_MEMORY, "no memory for a lattice of %s", model->name);
    }
    probe->next = probe->now + probe_bytes(probe);
    probe->other = probe->next + probe_bytes(probe);
    fill_beyond(probe);
    probe_parameters(probe, true);
    return CA_OK;
}

void probe_close(struct probe *probe)
{
    free(probe->now);
    free(probe->beyond);
    probe->now = probe->beyond = NULL;
}

void probe_parameters(struct probe *probe, bool defaults)
{
    struct ca_setup setup = {.model = &probe->file->model, .seed = probe_draw(probe)};

    ca_values_default(&setup.params, setup.model->params);
    for (int i = 0; i < setup.params.count && !defaults; i++) {
        const struct ca_param *param = &setup.params.table[i];
        uint64_t kind = probe_below(probe, 4);
        double part = (double)probe_below(probe, 1001) / 1000;

        part = kind == 0 ? 0 : kind == 1 ? 1 : part;
        if (kind == 3)
            continue;
        setup.params.value[i].number = param->min + part * (param->max - param->min);
        if (param->kind == CA_INT)
            setup.params.value[i].number = (double)(int64_t)setup.params.value[i].number;
    }
    file_values(&setup, &probe->values);
}

/* A byte of states that there are. */
static uint8_t probe_byte(struct probe *probe)
{
    return file_byte(probe->file, (int)probe_below(probe, (uint64_t)file_bytes(probe->file)));
}

void probe_cell(struct probe *probe, void *planes, int plane, int64_t i)
{
    const struct file_model *file = probe->file;
    int64_t at = plane * probe->size.w * probe->size.h * probe->size.d + i;

    if (file->states) {
        ((uint8_t *)planes)[at] = probe_byte(probe);
        return;
    }
    for (int r = 0; r < file->rows; r++)
        if (file->row[r]->kind == CA_ROW_PLANE && file->row[r]->code == plane) {
            double low = file->row[r]->low, high = file->row[r]->high;

            ((float *)planes)[at] =
                (float)(low + (high - low) * (double)probe_below(probe, 4097) / 4096);
        }
}

void probe_fill(struct probe *probe, void *planes, bool sparse)
{
    int64_t cells = ca_cells(probe->size);
    uint8_t state = probe->file->states ? probe_byte(probe) : 0;

    for (int p = 0; p < probe->file->model.planes; p++)
        for (int64_t i = 0; i < cells; i++)
            if (sparse && probe->file->states && probe_below(probe, 8))
                ((uint8_t *)planes)[p * cells + i] = state;
            else
                probe_cell(probe, planes, p, i);
}

/* Row y of layer z of a plane, or the one that stands for it beyond an edge. */
static const void *row_at(const struct probe *probe, int plane, int64_t y, int64_t z)
{
    const struct ca_model_description *d = probe->file->object.fast;
    int64_t h = probe->size.h, depth = probe->size.d;
    int edge = CA_TORUS;

    if (y < 0 || y >= h)
        edge = d->edge[1];
    if (z < 0 || z >= depth)
        edge = d->edge[2] == CA_TORUS ? edge : d->edge[2]; /* that of z counts before that of y */
    if (edge != CA_TORUS)
        return probe->beyond + (edge == CA_CONSTANT ? (size_t)plane + 1 : 0) * row_bytes(probe);
    y = (y % h + h) % h;
    z = (z % depth + depth) % depth;
    return probe->now + (size_t)((plane * depth + z) * h + y) * row_bytes(probe);
}

void probe_row(struct probe *probe, const struct ca_model_description *d, int64_t y, int64_t z,
               void *next, struct probe_found *found)
{
    int64_t h = probe->size.h, depth = probe->size.d, layers = d->dimensions == 3 ? d->reach : 0;
    struct ca_model_job job = {.stride = probe->size.w,
                               .count = 1,
                               .width = probe->size.w,
                               .height = h,
                               .depth = depth,
                               .y = y,
                               .z = z,
                               .t = probe->t,
                               .values = &probe->values,
                               .fault = found ? &found->fault : NULL,
                               .reads = found ? found->reads : NULL};
    int k = 0;

    for (int p = 0; p < d->planes; p++) {
        job.out[p] = (char *)next + (size_t)((p * depth + z) * h + y) * row_bytes(probe);
        for (int64_t dz = -layers; dz <= layers; dz++)
            for (int64_t dy = -d->reach; dy <= d->reach; dy++)
                job.in[k++] = row_at(probe, p, y + dy, z + dz);
    }
    d->step(&job);
    ca_isolated_alive();
}

void probe_step(struct probe *probe, const struct ca_model_description *d, enum probe_order order,
                void *next, struct probe_found *found)
{
    int64_t rows = probe->size.h * probe->size.d;
    /* Row i comes as number a * i + b modulo `rows`, where a has no factor in common with it. */
    int64_t a = order == PROBE_BACKWARDS ? rows - 1 : 1,
            b = order == PROBE_BACKWARDS ? rows - 1 : 0;

    if (order == PROBE_SHUFFLED) {
        static const int64_t primes[] = {7, 11, 13, 17};

        for (int i = 0; i < 4 && a == 1; i++)
            a = rows % primes[i] ? primes[i] : 1;
        b = (int64_t)probe_below(probe, (uint64_t)rows);
    }
    for (int64_t i = 0; i < rows; i++) {
        int64_t row = (a * i + b) % rows;

        probe_row(probe, d, row % probe->size.h, row / probe->size.h, next, found);
    }
}
