/* SPDX-License-Identifier: MIT */
/* Two simulations in lock step carry out what the search for the first difference asks for. */
#include "core/compare/lock_step.h"

#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/quantity.h"

static enum ca_status step(struct ca_simulation *simulation,
                           const struct ca_differ_request *request, struct ca_error *error)
{
    for (uint64_t i = 0; i < request->calls; i++)
        CA_TRY(ca_simulation_step(simulation, request->generations, error));
    return CA_OK;
}

/* The block of cells, plane after plane, out of the rows that hold it. */
static void cut(struct ca_lattice *rows, const struct ca_differ_request *request, uint8_t *to)
{
    size_t bytes = ca_type_bytes(rows->type), line = (size_t)request->columns * bytes;

    for (int p = 0; p < rows->planes; p++)
        for (int64_t y = 0; y < request->rows; y++) {
            const uint8_t *from = rows->plane[p];

            memcpy(to, from + (size_t)(y * rows->size.w + request->x) * bytes, line);
            to += line;
        }
}

static enum ca_status fetch_cells(struct ca_simulation *simulation,
                                  const struct ca_differ_request *request, struct ca_lattice *cells,
                                  struct ca_error *error)
{
    const struct ca_setup *setup = ca_simulation_setup(simulation);
    struct ca_size size = {setup->size.w, request->rows, 1};
    struct ca_lattice rows;
    enum ca_status status;

    ca_lattice_free(cells);
    CA_TRY(ca_lattice_alloc(&rows, size, setup->model->type, setup->model->planes, error));
    status = ca_simulation_rows(simulation, rows.plane, request->first, request->rows, error);
    size = (struct ca_size){request->columns, request->rows * rows.planes, 1};
    if (status == CA_OK)
        status = ca_lattice_alloc(cells, size, rows.type, 1, error);
    if (status == CA_OK)
        cut(&rows, request, cells->plane[0]);
    ca_lattice_free(&rows);
    return status;
}

/* --- within a tolerance ---------------------------------------------------------------------- */

static enum ca_status compare(struct ca_simulation *const pair[2], double tolerance,
                              struct ca_differ_reply *reply, struct ca_error *error)
{
    struct ca_lattice state[2] = {{.planes = 0}, {.planes = 0}};
    struct ca_difference difference;
    enum ca_status status = ca_simulation_store(pair[0], &state[0], error);

    if (status == CA_OK)
        status = ca_simulation_store(pair[1], &state[1], error);
    if (status == CA_OK) {
        difference = ca_lattice_compare_within(&state[0], &state[1], tolerance,
                                               ca_simulation_setup(pair[0])->model->radius);
        reply->equal = difference.count == 0;
        reply->x = difference.x;
        reply->row = difference.z * state[0].size.h + difference.y;
        reply->plane = difference.plane;
    }
    for (int i = 0; i < 2; i++)
        ca_lattice_free(&state[i]);
    return status;
}

/* --------------------------------------------------------------------------------------------- */

static enum ca_status answer(struct ca_simulation *const pair[2], const struct ca_differ *differ,
                             struct ca_lattice *cells, struct ca_differ_reply *reply,
                             struct ca_error *error)
{
    struct ca_differ_request request = ca_differ_next(differ);
    struct ca_simulation *simulation = pair[request.side];
    struct ca_survey survey;
    uint64_t kept;

    switch (request.verb) {
    case CA_DIFFER_BACK:
        return ca_simulation_marked(simulation, &kept) ? ca_simulation_back(simulation, error)
                                                       : ca_simulation_reset(simulation, error);
    case CA_DIFFER_STEP:
        return step(simulation, &request, error);
    case CA_DIFFER_DIGEST:
        CA_TRY(ca_simulation_survey(simulation, CA_SURVEY_DIGEST, request.first, request.rows,
                                    &survey, error));
        reply->digest = survey.digest;
        return CA_OK;
    case CA_DIFFER_CELLS:
        CA_TRY(fetch_cells(simulation, &request, cells, error));
        reply->cells = cells->plane[0];
        return CA_OK;
    case CA_DIFFER_SHARE:
        return ca_simulation_copy(pair[1], pair[0], error);
    case CA_DIFFER_COMPARE:
        return compare(pair, differ->start.tolerance, reply, error);
    case CA_DIFFER_DONE:
        break;
    }
    return CA_OK;
}

enum ca_status ca_differ_run(struct ca_differ *differ, struct ca_simulation *const pair[2],
                             ca_watch *watch, void *context, struct ca_error *error)
{
    struct ca_lattice cells = {.planes = 0};
    enum ca_status status = CA_OK;

    while (status == CA_OK && ca_differ_next(differ).verb != CA_DIFFER_DONE) {
        struct ca_differ_reply reply = {.seconds = 0};
        double start = ca_now();
        char text[64];

        if (watch && !watch(context, ca_differ_progress(text, differ))) {
            status = ca_fail(error, CA_TIMEOUT, "stopped");
            break;
        }
        status = answer(pair, differ, &cells, &reply, error);
        reply.seconds = ca_now() - start;
        if (status == CA_OK)
            ca_differ_take(differ, &reply);
    }
    ca_lattice_free(&cells);
    return status;
}

static enum ca_status mark(struct ca_simulation *const pair[2], struct ca_error *error)
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
        CA_TRY(mark(pair, error));
        CA_TRY(step_both(pair, found->generations, found->hash, error));
        *differ = found->hash[0] != found->hash[1];
        if (*differ)
            return CA_OK;
    }
    return CA_OK;
}

/* --- within a tolerance ----------------------------------------------------------------------- */

static enum ca_status agreement_progress(const struct ca_agreement *agreement, uint64_t end,
                                         ca_watch *watch, void *context, struct ca_error *error)
{
    char what[96], at[CA_QUANTITY_TEXT], of[CA_QUANTITY_TEXT];

    snprintf(what, sizeof what, "one generation at a time, %s of %s",
             ca_thousands(at, agreement->generations), ca_thousands(of, end));
    return !watch || watch(context, what) ? CA_OK : ca_fail(error, CA_TIMEOUT, "stopped");
}

enum ca_status ca_agreement_run(struct ca_agreement *agreement, struct ca_simulation *expected,
                                struct ca_simulation *tested, uint64_t end, double limit_s,
                                ca_watch *watch, void *context, struct ca_error *error)
{
    double start = ca_now();

    *agreement = (struct ca_agreement){.generations = 0};
    CA_TRY(ca_simulation_reset(tested, error));
    while (agreement->generations < end &&
           (agreement->generations == 0 || ca_now() - start < limit_s)) {
        CA_TRY(agreement_progress(agreement, end, watch, context, error));
        CA_TRY(ca_simulation_copy(expected, tested, error));
        CA_TRY(ca_simulation_step(expected, 1, error));
        CA_TRY(ca_simulation_step(tested, 1, error));
        CA_TRY(ca_simulation_compare(expected, tested, &agreement->difference, error));
        if (agreement->difference.count > 0)
            break;
        agreement->generations++;
    }
    return CA_OK;
}
