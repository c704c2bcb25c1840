/* SPDX-License-Identifier: MIT */
/* The drivers ask sides for what a comparison needs next, and hand it the results. */
#include "core/compare/drive.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"

/* In place of a state that a side has yet to store: as a float it is not a number, and no state of
 * u8. */
#define POISON 0xff
#define PIECE_CELLS                                                                                \
    (1 << 18) /* of rows whose digests are compared, and which are asked for if they differ */

enum ca_status ca_watch_call(ca_watch *watch, void *context, struct ca_error *error,
                             const char *format, ...)
{
    char what[CA_TEXT_MAX + 96];
    va_list list;

    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    return !watch || watch(context, what) ? CA_OK : ca_fail(error, CA_TIMEOUT, "stopped");
}

/* --- the ratio ------------------------------------------------------------------------------- */

enum ca_status ca_ratio_ask(const struct ca_ratio *ratio, const struct ca_side side[2],
                            struct ca_error *error)
{
    struct ca_ratio_request turn;

    if (!ca_ratio_next(ratio, &turn))
        return CA_OK;
    return side[turn.side].burst(side[turn.side].self, turn.generations, turn.calls, error);
}

enum ca_status ca_ratio_answer(struct ca_ratio *ratio, const struct ca_side side[2],
                               struct ca_error *error)
{
    struct ca_side_result result = {.seconds = 0};
    struct ca_ratio_request turn;

    if (!ca_ratio_next(ratio, &turn))
        return CA_OK;
    CA_TRY(side[turn.side].result(side[turn.side].self, &result, error));
    if (!(result.seconds > 0))
        return ca_fail(error, CA_IO, "a burst took no time");
    ca_ratio_take(ratio, result.seconds, &result.others);
    return CA_OK;
}

enum ca_status ca_ratio_run(struct ca_ratio *ratio, const struct ca_side side[2], ca_watch *watch,
                            void *context, struct ca_error *error)
{
    struct ca_ratio_request turn;

    while (ca_ratio_next(ratio, &turn)) {
        CA_TRY(ca_watch_call(watch, context, error, "ratio: %s %d, %d disturbed",
                             turn.warm_up ? "before pair" : "pair", ratio->bursts / 2 + 1,
                             ratio->disturbance.disturbed));
        CA_TRY(ca_ratio_ask(ratio, side, error));
        CA_TRY(ca_ratio_answer(ratio, side, error));
    }
    return CA_OK;
}

/* --- the first difference -------------------------------------------------------------------- */

enum ca_status ca_differ_ask(struct ca_differ *differ, const struct ca_side side[2],
                             struct ca_error *error)
{
    struct ca_differ_request request = ca_differ_next(differ);
    const struct ca_side *asked = &side[request.side];

    differ->asked = ca_now();
    switch (request.verb) {
    case CA_DIFFER_BACK:
        return asked->back(asked->self, error);
    case CA_DIFFER_STEP:
        return asked->step(asked->self, request.generations, error);
    case CA_DIFFER_DIGEST:
        return asked->digest(asked->self, request.block.first, request.block.rows, error);
    case CA_DIFFER_CELLS:
        return asked->cells(asked->self, &request.block, error);
    case CA_DIFFER_DONE:
        break;
    }
    return CA_OK;
}

enum ca_status ca_differ_answer(struct ca_differ *differ, const struct ca_side side[2],
                                struct ca_error *error)
{
    struct ca_differ_request request = ca_differ_next(differ);
    struct ca_side_result result = {.seconds = 0};
    struct ca_differ_reply reply;

    if (request.verb == CA_DIFFER_DONE)
        return CA_OK;
    CA_TRY(side[request.side].result(side[request.side].self, &result, error));
    differ->request_s += ca_now() - differ->asked;
    if (request.verb == CA_DIFFER_STEP && ++differ->calls_made < request.calls)
        return CA_OK;
    reply = (struct ca_differ_reply){
        .seconds = differ->request_s, .digest = result.digest, .cells = result.cells};
    differ->calls_made = 0;
    differ->request_s = 0;
    ca_differ_take(differ, &reply);
    return CA_OK;
}

enum ca_status ca_differ_run(struct ca_differ *differ, const struct ca_side side[2],
                             ca_watch *watch, void *context, struct ca_error *error)
{
    while (ca_differ_next(differ).verb != CA_DIFFER_DONE) {
        char text[64];

        CA_TRY(ca_watch_call(watch, context, error, "%s", ca_differ_progress(text, differ)));
        CA_TRY(ca_differ_ask(differ, side, error));
        CA_TRY(ca_differ_answer(differ, side, error));
    }
    return CA_OK;
}

/* --- two states ------------------------------------------------------------------------------ */

static enum ca_status digests_differ(const struct ca_side side[2], int64_t first, int64_t rows,
                                     bool *differ, struct ca_error *error)
{
    struct ca_side_result result[2];

    for (int i = 0; i < 2; i++) {
        CA_TRY(side[i].digest(side[i].self, first, rows, error));
        CA_TRY(side[i].result(side[i].self, &result[i], error));
    }
    *differ = result[0].digest != result[1].digest;
    return CA_OK;
}

/* Adds the differences of some rows to those of the rows before. */
static enum ca_status compare_rows(const struct ca_side side[2], const struct ca_setup *setup,
                                   double tolerance, int64_t first, int64_t count,
                                   struct ca_difference *total, struct ca_error *error)
{
    const struct ca_model *model = setup->model;
    const struct ca_block_of_cells block = {first, count, 0, setup->size.w};
    size_t bytes = (size_t)(count * setup->size.w) * ca_type_bytes(model->type);
    struct ca_difference difference;
    struct ca_lattice rows[2];

    for (int i = 0; i < 2; i++) {
        struct ca_side_result result;

        CA_TRY(side[i].cells(side[i].self, &block, error));
        CA_TRY(side[i].result(side[i].self, &result, error));
        rows[i] = (struct ca_lattice){{setup->size.w, count, 1}, model->type, model->planes, {0}};
        for (int p = 0; p < model->planes; p++)
            rows[i].plane[p] = (char *)result.cells + (size_t)p * bytes;
    }
    difference = ca_lattice_compare_within(&rows[0], &rows[1], tolerance, model->radius);
    if (total->count > 0 || difference.count == 0) {
        total->count += difference.count;
        return CA_OK;
    }
    *total = difference;
    total->y = (first + difference.y) % setup->size.h;
    total->z = (first + difference.y) / setup->size.h;
    return CA_OK;
}

enum ca_status ca_states_compare(const struct ca_side side[2], const struct ca_setup *setup,
                                 double tolerance, struct ca_difference *difference,
                                 struct ca_error *error)
{
    int64_t all = ca_rows(setup->size), piece = PIECE_CELLS / setup->size.w;
    bool differ;

    memset(difference, 0, sizeof *difference);
    if (tolerance > 0) /* which looks at the cells around, too */
        return compare_rows(side, setup, tolerance, 0, all, difference, error);
    CA_TRY(digests_differ(side, 0, all, &differ, error));
    piece = piece < 1 ? 1 : piece;
    for (int64_t first = 0; differ && first < all; first += piece) {
        int64_t count = all - first < piece ? all - first : piece;
        bool here;

        CA_TRY(digests_differ(side, first, count, &here, error));
        if (here)
            CA_TRY(compare_rows(side, setup, 0, first, count, difference, error));
    }
    return CA_OK;
}

/* --- within a tolerance ---------------------------------------------------------------------- */

enum ca_status ca_agreement_begin(struct ca_agreement *agreement, struct ca_lattice *start,
                                  uint64_t first, double tolerance, int radius,
                                  struct ca_error *error)
{
    *agreement = (struct ca_agreement){
        .tolerance = tolerance, .radius = radius, .first = first, .state = *start};
    *start = (struct ca_lattice){.planes = 0};
    CA_TRY(ca_lattice_alloc(&agreement->expected, agreement->state.size, agreement->state.type,
                            agreement->state.planes, error));
    return ca_lattice_alloc(&agreement->got, agreement->state.size, agreement->state.type,
                            agreement->state.planes, error);
}

/* A generation of a side, so that a row that it leaves out is not right by chance. */
static enum ca_status generation_of(const struct ca_side *side, struct ca_lattice *state,
                                    struct ca_error *error)
{
    CA_TRY(side->step(side->self, 1, error));
    for (int p = 0; p < state->planes; p++)
        memset(state->plane[p], POISON, (size_t)ca_cells(state->size) * ca_type_bytes(state->type));
    return side->store(side->self, state, error);
}

enum ca_status ca_agreement_next(struct ca_agreement *agreement, const struct ca_side side[2],
                                 struct ca_error *error)
{
    struct ca_lattice before = agreement->state;

    CA_TRY(side[0].load(side[0].self, &before, agreement->first + agreement->generations, error));
    CA_TRY(generation_of(&side[0], &agreement->expected, error));
    CA_TRY(generation_of(&side[1], &agreement->got, error));
    agreement->difference = ca_lattice_compare_within(&agreement->expected, &agreement->got,
                                                      agreement->tolerance, agreement->radius);
    if (agreement->difference.count > 0)
        return CA_OK;
    agreement->state = agreement->got;
    agreement->got = before;
    agreement->generations++;
    return CA_OK;
}

void ca_agreement_end(struct ca_agreement *agreement)
{
    ca_lattice_free(&agreement->state);
    ca_lattice_free(&agreement->expected);
    ca_lattice_free(&agreement->got);
}
