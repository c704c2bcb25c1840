/* SPDX-License-Identifier: MIT */
/* Simulations carry out what a comparison asks of its sides. */
#include "core/compare/lock_step.h"

#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/quantity.h"

/* --- a simulation as a side ------------------------------------------------------------------ */

static struct ca_simulation *simulation_of(void *self)
{
    return ((struct ca_simulation_side *)self)->simulation;
}

static enum ca_status side_step(void *self, uint64_t generations, struct ca_error *error)
{
    return ca_simulation_step(simulation_of(self), generations, error);
}

static enum ca_status side_back(void *self, struct ca_error *error)
{
    struct ca_simulation *simulation = simulation_of(self);
    uint64_t kept;

    return ca_simulation_marked(simulation, &kept) ? ca_simulation_back(simulation, error)
                                                   : ca_simulation_reset(simulation, error);
}

static enum ca_status lock_step_side_burst(void *self, uint64_t generations, uint64_t calls,
                                           struct ca_error *error)
{
    struct ca_simulation_side *side = self;
    double start;

    CA_TRY(side_back(self, error));
    ca_meter_start(&side->meter);
    start = ca_now();
    for (uint64_t i = 0; i < calls; i++)
        CA_TRY(ca_simulation_step(side->simulation, generations, error));
    side->result.seconds = ca_now() - start;
    ca_meter_stop(&side->meter, &side->result.others);
    return CA_OK;
}

static enum ca_status side_digest(void *self, int64_t first, int64_t rows, struct ca_error *error)
{
    struct ca_simulation_side *side = self;
    struct ca_survey survey;

    CA_TRY(ca_simulation_survey(side->simulation, CA_SURVEY_DIGEST, first, rows, &survey, error));
    side->result.digest = survey.digest;
    return CA_OK;
}

/* The block of cells, plane after plane, out of the rows that hold it. */
static void cut(struct ca_lattice *rows, const struct ca_block_of_cells *block, uint8_t *to)
{
    size_t bytes = ca_type_bytes(rows->type), line = (size_t)block->columns * bytes;

    for (int p = 0; p < rows->planes; p++)
        for (int64_t y = 0; y < block->rows; y++) {
            const uint8_t *from = rows->plane[p];

            memcpy(to, from + (size_t)(y * rows->size.w + block->x) * bytes, line);
            to += line;
        }
}

static enum ca_status side_cells(void *self, const struct ca_block_of_cells *block,
                                 struct ca_error *error)
{
    struct ca_simulation_side *side = self;
    const struct ca_setup *setup = ca_simulation_setup(side->simulation);
    struct ca_size size = {setup->size.w, block->rows, 1};
    struct ca_lattice rows;
    enum ca_status status;

    ca_lattice_free(&side->cells);
    CA_TRY(ca_lattice_alloc(&rows, size, setup->model->type, setup->model->planes, error));
    status = ca_simulation_rows(side->simulation, rows.plane, block->first, block->rows, error);
    size = (struct ca_size){block->columns, block->rows * rows.planes, 1};
    if (status == CA_OK)
        status = ca_lattice_alloc(&side->cells, size, rows.type, 1, error);
    if (status == CA_OK)
        cut(&rows, block, side->cells.plane[0]);
    ca_lattice_free(&rows);
    side->result.cells = side->cells.plane[0];
    return status;
}

static enum ca_status side_load(void *self, const struct ca_lattice *state, uint64_t generation,
                                struct ca_error *error)
{
    return ca_simulation_load(simulation_of(self), state, generation, error);
}

static enum ca_status side_store(void *self, struct ca_lattice *state, struct ca_error *error)
{
    return ca_simulation_rows(simulation_of(self), state->plane, 0, ca_rows(state->size), error);
}

static enum ca_status lock_step_side_result(void *self, struct ca_side_result *result,
                                            struct ca_error *error)
{
    (void)error;
    *result = ((struct ca_simulation_side *)self)->result;
    return CA_OK;
}

struct ca_side ca_simulation_side(struct ca_simulation_side *self, struct ca_simulation *simulation)
{
    *self = (struct ca_simulation_side){.simulation = simulation};
    ca_simulation_meter(simulation, &self->meter);
    return (struct ca_side){.self = self,
                            .step = side_step,
                            .burst = lock_step_side_burst,
                            .back = side_back,
                            .digest = side_digest,
                            .cells = side_cells,
                            .load = side_load,
                            .store = side_store,
                            .result = lock_step_side_result};
}

void ca_simulation_side_end(struct ca_simulation_side *self) { ca_lattice_free(&self->cells); }

/* --- lock step ------------------------------------------------------------------------------- */

static enum ca_status lock_step_mark(struct ca_simulation *const pair[2], struct ca_error *error)
{
    for (int i = 0; i < 2; i++)
        CA_TRY(ca_simulation_mark(pair[i], error));
    return CA_OK;
}

static enum ca_status step_both(struct ca_simulation *const pair[2], uint64_t n, uint64_t hash[2],
                                struct ca_error *error)
{
    for (int i = 0; i < 2; i++) {
        CA_TRY(ca_simulation_step(pair[i], n, error));
        CA_TRY(ca_simulation_hash(pair[i], &hash[i], error));
    }
    return CA_OK;
}

enum ca_status ca_differ_lock_step(struct ca_differ_case *found, bool *differ,
                                   struct ca_simulation *const pair[2], uint64_t call, uint64_t end,
                                   ca_watch *watch, void *context, struct ca_error *error)
{
    const struct ca_setup *setup = ca_simulation_setup(pair[0]);
    char what[80], at[CA_QUANTITY_TEXT], of[CA_QUANTITY_TEXT];

    *differ = false;
    *found = (struct ca_differ_case){.model = setup->model, .size = setup->size, .calls = 1};
    while (ca_simulation_generation(pair[0]) < end) {
        found->mark = ca_simulation_generation(pair[0]);
        found->generations = end - found->mark < call ? end - found->mark : call;
        snprintf(what, sizeof what, "lock step, generation %s of %s", ca_thousands(at, found->mark),
                 ca_thousands(of, end));
        if (watch && !watch(context, what))
            return ca_fail(error, CA_TIMEOUT, "stopped");
        CA_TRY(lock_step_mark(pair, error));
        CA_TRY(step_both(pair, found->generations, found->hash, error));
        *differ = found->hash[0] != found->hash[1];
        if (*differ)
            return CA_OK;
    }
    return CA_OK;
}

/* --- within a tolerance ----------------------------------------------------------------------- */

static enum ca_status agreement_progress(uint64_t generation, uint64_t end, ca_watch *watch,
                                         void *context, struct ca_error *error)
{
    char what[96], at[CA_QUANTITY_TEXT], of[CA_QUANTITY_TEXT];

    snprintf(what, sizeof what, "one generation at a time, %s of %s", ca_thousands(at, generation),
             ca_thousands(of, end));
    return !watch || watch(context, what) ? CA_OK : ca_fail(error, CA_TIMEOUT, "stopped");
}

/* The comparison of a generation after the other; `tested` is at the start. */
static enum ca_status agree_until(struct ca_agreement *agreement, const struct ca_side side[2],
                                  uint64_t end, double limit_s, ca_watch *watch, void *context,
                                  struct ca_error *error)
{
    double start = ca_now();

    while (agreement->generations < end && agreement->difference.count == 0 &&
           (agreement->generations == 0 || ca_now() - start < limit_s)) {
        CA_TRY(agreement_progress(agreement->generations, end, watch, context, error));
        CA_TRY(ca_agreement_next(agreement, side, error));
    }
    return CA_OK;
}

enum ca_status ca_simulations_agree(struct ca_agreement_result *found,
                                    struct ca_simulation *expected, struct ca_simulation *tested,
                                    uint64_t end, double limit_s, ca_watch *watch, void *context,
                                    struct ca_error *error)
{
    struct ca_simulation_side self[2];
    const struct ca_side side[2] = {ca_simulation_side(&self[0], expected),
                                    ca_simulation_side(&self[1], tested)};
    struct ca_agreement agreement;
    struct ca_lattice start;
    enum ca_status status;

    CA_TRY(ca_simulation_reset(tested, error));
    CA_TRY(ca_simulation_store(tested, &start, error));
    status = ca_agreement_begin(&agreement, &start, ca_simulation_generation(tested),
                                ca_simulation_tolerance(expected, tested),
                                ca_simulation_setup(tested)->model->radius, error);
    if (status == CA_OK)
        status = agree_until(&agreement, side, end, limit_s, watch, context, error);
    *found = (struct ca_agreement_result){agreement.generations, agreement.difference};
    ca_agreement_end(&agreement);
    return status;
}
