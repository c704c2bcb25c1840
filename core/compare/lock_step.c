/* SPDX-License-Identifier: MIT */
/* Simulations carry out what a comparison asks of its sides. */
#include "core/compare/lock_step.h"

#include <string.h>

#include "core/base/clock.h"
#include "core/base/quantity.h"

#define POISON 0xa5

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

/* Rows are read into a buffer that is overwritten first, so that one that the backend leaves out is
 * not right by chance; of these the lines of the block move together. */
static enum ca_status side_cells(void *self, const struct ca_block_of_cells *block,
                                 struct ca_error *error)
{
    struct ca_simulation_side *side = self;
    const struct ca_setup *setup = ca_simulation_setup(side->simulation);
    const struct ca_model *model = setup->model;
    int64_t lines = block->rows * model->planes;
    size_t bytes = ca_type_bytes(model->type), line = (size_t)block->columns * bytes;
    void *plane[CA_PLANES_MAX];
    uint8_t *cells;

    ca_lattice_free(&side->cells);
    CA_TRY(ca_lattice_alloc(&side->cells, (struct ca_size){setup->size.w, lines, 1}, model->type, 1,
                            error));
    side->result.cells = cells = side->cells.plane[0];
    memset(cells, POISON, ca_lattice_plane_bytes(&side->cells));
    for (int p = 0; p < model->planes; p++)
        plane[p] = cells + (size_t)(p * block->rows * setup->size.w) * bytes;
    CA_TRY(ca_simulation_rows(side->simulation, plane, block->first, block->rows, error));
    for (int64_t i = 0; i < lines; i++)
        memmove(cells + (size_t)i * line, cells + (size_t)(i * setup->size.w + block->x) * bytes,
                line);
    return CA_OK;
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

/* --- two states ------------------------------------------------------------------------------ */

double ca_tolerance(const struct ca_backend *a, const struct ca_backend *b)
{
    return a == b ? 0 : a->tolerance + b->tolerance;
}

double ca_simulation_tolerance(const struct ca_simulation *a, const struct ca_simulation *b)
{
    return ca_tolerance(ca_simulation_experiment(a)->backend, ca_simulation_experiment(b)->backend);
}

enum ca_status ca_simulation_compare(struct ca_simulation *expected, struct ca_simulation *got,
                                     struct ca_difference *difference, struct ca_error *error)
{
    struct ca_simulation_side self[2];
    const struct ca_side side[2] = {ca_simulation_side(&self[0], expected),
                                    ca_simulation_side(&self[1], got)};
    enum ca_status status =
        ca_states_compare(side, ca_simulation_setup(expected),
                          ca_simulation_tolerance(expected, got), difference, error);

    ca_simulation_side_end(&self[0]);
    ca_simulation_side_end(&self[1]);
    return status;
}

/* --- lock step ------------------------------------------------------------------------------- */

enum ca_status ca_differ_lock_step(struct ca_differ_case *found, bool *differ,
                                   struct ca_simulation *const pair[2], uint64_t call, uint64_t end,
                                   ca_watch *watch, void *context, struct ca_error *error)
{
    const struct ca_setup *setup = ca_simulation_setup(pair[0]);
    char at[CA_QUANTITY_TEXT], of[CA_QUANTITY_TEXT];

    *differ = false;
    *found = (struct ca_differ_case){.model = setup->model, .size = setup->size, .calls = 1};
    while (!*differ && ca_simulation_generation(pair[0]) < end) {
        found->mark = ca_simulation_generation(pair[0]);
        found->generations = end - found->mark < call ? end - found->mark : call;
        CA_TRY(ca_watch_call(watch, context, error, "lock step, generation %s of %s",
                             ca_thousands(at, found->mark), ca_thousands(of, end)));
        for (int i = 0; i < 2; i++)
            CA_TRY(ca_simulation_mark(pair[i], error));
        for (int i = 0; i < 2; i++) {
            CA_TRY(ca_simulation_step(pair[i], found->generations, error));
            CA_TRY(ca_simulation_hash(pair[i], &found->hash[i], error));
        }
        *differ = found->hash[0] != found->hash[1];
    }
    return CA_OK;
}

/* --- within a tolerance ----------------------------------------------------------------------- */

enum ca_status ca_simulations_agree(struct ca_agreement_result *found,
                                    struct ca_simulation *expected, struct ca_simulation *tested,
                                    uint64_t end, double limit_s, ca_watch *watch, void *context,
                                    struct ca_error *error)
{
    struct ca_simulation_side self[2];
    const struct ca_side side[2] = {ca_simulation_side(&self[0], expected),
                                    ca_simulation_side(&self[1], tested)};
    char at[CA_QUANTITY_TEXT], of[CA_QUANTITY_TEXT];
    struct ca_agreement agreement;
    struct ca_lattice start;
    enum ca_status status;
    double begin;

    CA_TRY(ca_simulation_reset(tested, error));
    CA_TRY(ca_simulation_store(tested, &start, error));
    status = ca_agreement_begin(&agreement, &start, ca_simulation_generation(tested),
                                ca_simulation_tolerance(expected, tested),
                                ca_simulation_setup(tested)->model->radius, error);
    begin = ca_now();
    while (status == CA_OK && agreement.generations < end && agreement.difference.count == 0 &&
           (agreement.generations == 0 || ca_now() - begin < limit_s)) {
        status = ca_watch_call(watch, context, error, "one generation at a time, %s of %s",
                               ca_thousands(at, agreement.generations), ca_thousands(of, end));
        if (status == CA_OK)
            status = ca_agreement_next(&agreement, side, error);
    }
    *found = (struct ca_agreement_result){agreement.generations, agreement.difference};
    ca_agreement_end(&agreement);
    return status;
}
