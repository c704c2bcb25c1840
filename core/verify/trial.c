/* SPDX-License-Identifier: MIT */
/* A trial makes checked calls of an instance: it guards buffers, compares, and records a fault. */
#include "core/verify/trial.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/ranks/ranks.h"
#include "core/sim/simulation.h"
#include "core/verify/guarded_buffer.h"

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

enum ca_status trial_compare_within(struct trial *trial, uint64_t generation,
                                    const struct ca_lattice *expected, const struct ca_lattice *got)
{
    double tolerance = trial->backend->tolerance;
    char how[64];

    *trial->cells += ca_cells(expected->size);
    snprintf(how, sizeof how, " by more than %g in one generation", tolerance);
    return trial_judge(
        trial, CA_FAULT_CELL, generation,
        ca_lattice_compare_within(expected, got, tolerance, trial->experiment.model->radius), how);
}

/* --- rows through guarded buffers ------------------------------------------------------------ */

enum ca_status trial_load(struct trial *trial, struct instance *instance,
                          const struct ca_lattice *state, int64_t from, int64_t first, int64_t rows)
{
    struct verify_buffer buffer;
    enum ca_status status;
    bool kept;

    CA_TRY(verify_buffer_open(&buffer, state, rows, trial->error));
    verify_buffer_fill(&buffer, state, from);
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
        verify_buffer_take(&buffer, state, to);
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
    size_t bytes = (size_t)ca_cells(state->size) * ca_type_bytes(state->type);

    CA_TRY(trial_lattice(trial, copy));
    for (int p = 0; p < state->planes; p++)
        memcpy(copy->plane[p], state->plane[p], bytes);
    return CA_OK;
}
