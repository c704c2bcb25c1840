/* SPDX-License-Identifier: MIT */
/* A trial makes checked calls of an instance: it guards buffers, compares, and records a fault. */
#include "core/verify/trial.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/compare/drive.h"
#include "core/model/lattice.h"
#include "core/ranks/ranks.h"
#include "core/sim/simulation.h"

/* --- guard bands ------------------------------------------------------------------------------ */

struct verify_buffer {
    uint8_t *block;             /* guard, rows, guard for each plane */
    void *plane[CA_PLANES_MAX]; /* the planes that a backend gets */
    int planes;
    size_t guard, bytes; /* of one plane */
};

#define POISON 0xa5
#define GUARD_MIN 256 /* four vectors of AVX-512 */

/* Allocates `rows` rows of such a lattice. CA_NO_MEMORY. */
static enum ca_status verify_buffer_open(struct verify_buffer *buffer,
                                         const struct ca_lattice *like, int64_t rows,
                                         struct ca_error *error)
{
    size_t row = (size_t)like->size.w * ca_type_bytes(like->type), each;

    *buffer = (struct verify_buffer){.planes = like->planes, .bytes = (size_t)rows * row};
    /* A guard is at least a row long, and a multiple of malloc's alignment, so that rows have no
     * better alignment than malloc guarantees. */
    buffer->guard = ((row > GUARD_MIN ? row : GUARD_MIN) + 15) & ~(size_t)15;
    each = buffer->bytes + 2 * buffer->guard;
    buffer->block = malloc((size_t)like->planes * each);
    if (!buffer->block)
        return ca_fail(error, CA_NO_MEMORY, "no memory for %zu bytes of rows", buffer->bytes);
    memset(buffer->block, POISON, (size_t)like->planes * each);
    for (int p = 0; p < like->planes; p++)
        buffer->plane[p] = buffer->block + (size_t)p * each + buffer->guard;
    return CA_OK;
}

static void verify_buffer_close(struct verify_buffer *buffer)
{
    free(buffer->block);
    *buffer = (struct verify_buffer){.planes = 0};
}

/* Fills the buffer with rows of a state from `row` on, or copies it `out` to them. */
static void verify_buffer_copy(struct verify_buffer *buffer, const struct ca_lattice *state,
                               int64_t row, bool out)
{
    void *planes[CA_PLANES_MAX];

    ca_lattice_at(state, row, planes);
    for (int p = 0; p < buffer->planes; p++)
        memcpy(out ? planes[p] : buffer->plane[p], out ? buffer->plane[p] : planes[p],
               buffer->bytes);
}

static bool verify_buffer_equals(const struct verify_buffer *buffer, const struct ca_lattice *state,
                                 int64_t row)
{
    void *planes[CA_PLANES_MAX];

    ca_lattice_at(state, row, planes);
    for (int p = 0; p < buffer->planes; p++)
        if (memcmp(planes[p], buffer->plane[p], buffer->bytes) != 0)
            return false;
    return true;
}

static bool is_poison(const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != POISON)
            return false;
    return true;
}

/* Whether the guard bands are intact. */
static bool verify_buffer_kept(const struct verify_buffer *buffer)
{
    for (int p = 0; p < buffer->planes; p++) {
        const uint8_t *rows = buffer->plane[p];

        if (!is_poison(rows - buffer->guard, buffer->guard) ||
            !is_poison(rows + buffer->bytes, buffer->guard))
            return false;
    }
    return true;
}

enum ca_status trial_open(struct instance *instance, const struct ca_experiment *e,
                          const struct ca_slab *slab, struct ca_error *error)
{
    *instance = (struct instance){.backend = e->backend, .setup = ca_setup_of(e)};
    if (slab)
        instance->setup.slab = *slab;
    instance->stepper = ca_stepper_of(&instance->setup);
    return instance->stepper->create(&instance->self, &instance->setup, error);
}

enum ca_status trial_step(struct instance *instance, uint64_t n, struct ca_error *error)
{
    CA_TRY(instance->stepper->step(instance->self, instance->generation, n, error));
    instance->generation += n;
    return CA_OK;
}

void trial_close(struct instance *instance)
{
    if (instance->self)
        instance->stepper->destroy(instance->self);
}

enum ca_status trial_found(struct trial *trial, enum ca_fault fault, uint64_t generation,
                           const char *format, ...)
{
    va_list list;

    trial->fault->fault = fault;
    trial->fault->experiment = trial->experiment;
    trial->fault->generation = generation;
    va_start(list, format);
    vsnprintf(trial->fault->text, sizeof trial->fault->text, format, list);
    va_end(list);
    return CA_WRONG;
}

enum ca_status trial_must(struct trial *trial, const char *what, uint64_t generation,
                          enum ca_status status)
{
    return status == CA_OK ? CA_OK
                           : trial_found(trial, CA_FAULT_FAILED, generation, "%s failed: %.600s",
                                         what, trial->error->text);
}

enum ca_status trial_must_step(struct trial *trial, struct instance *instance, uint64_t n)
{
    const struct ca_slab *slab = &instance->setup.slab;

    return trial_must(trial, slab->ghost_low || slab->ghost_high ? "step of a slab" : "step",
                      instance->generation, trial_step(instance, n, trial->error));
}

static enum ca_status trial_judge(struct trial *trial, enum ca_fault fault, uint64_t generation,
                                  struct ca_difference difference, const char *how)
{
    if (difference.count == 0)
        return CA_OK;
    trial->fault->difference = difference;
    return trial_found(trial, fault, generation,
                       "generation %" PRIu64 ": %" PRId64 " cell%s wrong%s, the first at x %" PRId64
                       ", y %" PRId64 ", z %" PRId64 ", plane %s: expected %.9g, got %.9g",
                       generation, difference.count, difference.count == 1 ? "" : "s", how,
                       difference.x, difference.y, difference.z,
                       trial->experiment.model->plane_names[difference.plane], difference.expected,
                       difference.got);
}

enum ca_status trial_compare(struct trial *trial, enum ca_fault fault, uint64_t generation,
                             const struct ca_lattice *expected, const struct ca_lattice *got)
{
    const char *how = fault == CA_FAULT_ROWS    ? " when moved in pieces of rows"
                      : fault == CA_FAULT_SLAB  ? " when cut in two slabs"
                      : fault == CA_FAULT_START ? " when made in place"
                      : fault == CA_FAULT_MARK  ? " when a kept state is back"
                      : trial->backend->tolerance > 0
                          ? " against single generations of the same backend"
                          : "";

    *trial->cells += ca_cells(expected->size);
    return trial_judge(trial, fault, generation, ca_lattice_compare(expected, got), how);
}

enum ca_status trial_judge_within(struct trial *trial, uint64_t generation,
                                  const struct ca_agreement *agreement)
{
    char how[64];

    *trial->cells += ca_cells(agreement->state.size);
    snprintf(how, sizeof how, " by more than %g in one generation", agreement->tolerance);
    return trial_judge(trial, CA_FAULT_CELL, generation, agreement->difference, how);
}

/* --- rows through guarded buffers ------------------------------------------------------------ */

enum ca_status trial_load(struct trial *trial, struct instance *instance,
                          const struct ca_lattice *state, int64_t from, int64_t first, int64_t rows)
{
    struct verify_buffer buffer;
    enum ca_status status;
    bool kept;

    CA_TRY(verify_buffer_open(&buffer, state, rows, trial->error));
    verify_buffer_copy(&buffer, state, from, false);
    status = trial_must(trial, "load", instance->generation,
                        instance->stepper->load(instance->self, (const void *const *)buffer.plane,
                                                first, rows, trial->error));
    kept = verify_buffer_kept(&buffer) && verify_buffer_equals(&buffer, state, from);
    verify_buffer_close(&buffer);
    if (status == CA_OK && !kept)
        return trial_found(trial, CA_FAULT_OUTSIDE, instance->generation,
                           "loading rows %" PRId64 " ... %" PRId64 " wrote to the caller's memory",
                           first, first + rows - 1);
    return status;
}

enum ca_status trial_store(struct trial *trial, struct instance *instance, struct ca_lattice *state,
                           int64_t to, int64_t first, int64_t rows)
{
    struct verify_buffer buffer;
    enum ca_status status;
    bool kept;

    CA_TRY(verify_buffer_open(&buffer, state, rows, trial->error));
    status = trial_must(
        trial, "store", instance->generation,
        instance->stepper->store(instance->self, buffer.plane, first, rows, trial->error));
    kept = verify_buffer_kept(&buffer);
    if (status == CA_OK)
        verify_buffer_copy(&buffer, state, to, true);
    verify_buffer_close(&buffer);
    if (status == CA_OK && !kept)
        return trial_found(trial, CA_FAULT_OUTSIDE, instance->generation,
                           "generation %" PRIu64 ": storing rows %" PRId64 " ... %" PRId64
                           " wrote outside the buffer",
                           instance->generation, first, first + rows - 1);
    return status;
}

enum ca_status trial_lattice(struct trial *trial, struct ca_lattice *lattice)
{
    const struct ca_experiment *e = &trial->experiment;

    return ca_lattice_alloc(lattice, e->size, e->model->type, e->model->planes, trial->error);
}

enum ca_status trial_copy(struct trial *trial, struct ca_lattice *copy,
                          const struct ca_lattice *state)
{
    CA_TRY(trial_lattice(trial, copy));
    ca_lattice_copy(copy, state);
    return CA_OK;
}
