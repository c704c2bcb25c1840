/* SPDX-License-Identifier: MIT */
/* Windows sum blocks over the states of a simulation. */
#include "core/sim/fields.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/formats.h"

static int64_t all_sums(const struct ca_window *window)
{
    struct ca_size count = window->blocks.count;

    return ca_cells(count) * ca_block_sums(window->setup->model);
}

enum ca_status ca_window_open(struct ca_window *window, const struct ca_simulation *simulation,
                              struct ca_size block, struct ca_error *error)
{
    *window = (struct ca_window){.setup = ca_simulation_setup(simulation)};
    CA_TRY(ca_blocks_make(&window->blocks, window->setup->size, block, error));
    window->sums = calloc((size_t)all_sums(window), sizeof *window->sums);
    if (!window->sums)
        return ca_fail(error, CA_NO_MEMORY, "no memory for the sums of %lld blocks",
                       (long long)ca_cells(window->blocks.count));
    return CA_OK;
}

static int64_t neighbour_sums(const struct ca_window *window)
{
    return ca_cells(window->blocks.count) * ca_neighbour_sums_count(window->setup->model);
}

enum ca_status ca_window_want(struct ca_window *window, const struct ca_field *field,
                              struct ca_error *error)
{
    if (!field->neighbours || window->neighbours || neighbour_sums(window) == 0)
        return CA_OK;
    window->neighbours = calloc((size_t)neighbour_sums(window), sizeof *window->neighbours);
    return window->neighbours ? CA_OK : ca_fail(error, CA_NO_MEMORY, "no memory for a field");
}

void ca_window_close(struct ca_window *window)
{
    free(window->neighbours);
    free(window->sums);
    *window = (struct ca_window){0};
}

void ca_window_clear(struct ca_window *window)
{
    memset(window->sums, 0, (size_t)all_sums(window) * sizeof *window->sums);
    if (window->neighbours)
        memset(window->neighbours, 0, (size_t)neighbour_sums(window) * sizeof *window->neighbours);
    window->states = 0;
}

enum ca_status ca_window_sample(struct ca_window *window, struct ca_simulation *simulation,
                                struct ca_error *error)
{
    CA_TRY(ca_simulation_blocks(simulation, &window->blocks, window->sums, error));
    if (window->neighbours)
        CA_TRY(ca_simulation_neighbours(simulation, &window->blocks, window->neighbours, error));
    window->last = ca_simulation_generation(simulation);
    if (window->states++ == 0)
        window->first = window->last;
    return CA_OK;
}

struct ca_block_means ca_window_means(const struct ca_window *window)
{
    return (struct ca_block_means){window->setup, window->blocks, window->sums, window->neighbours,
                                   window->states};
}

int64_t ca_window_values(const struct ca_window *window, const struct ca_field *field)
{
    return ca_cells(window->blocks.count) * field->components;
}

enum ca_status ca_window_write(const struct ca_window *window, const struct ca_field *field,
                               const char *path, struct ca_error *error)
{
    struct ca_block_means means = ca_window_means(window);
    int64_t count = ca_window_values(window, field);
    double *values = malloc((size_t)count * sizeof *values);
    struct ca_field_values of = {.model = window->setup->model,
                                 .field = field,
                                 .blocks = &window->blocks,
                                 .map = &window->setup->map,
                                 .values = values,
                                 .states = window->states,
                                 .first = window->first,
                                 .last = window->last};
    enum ca_status status;

    if (!values)
        return ca_fail(error, CA_NO_MEMORY, "no memory for %" PRId64 " values", count);
    ca_field_values(field, &means, values);
    status = ca_field_write(path, &of, error);
    free(values);
    return status;
}
