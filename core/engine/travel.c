/* SPDX-License-Identifier: MIT */
/* This file answers the requests by which a state goes from one engine to another: give and take,
 * of packed rows at a time. A state that comes replaces the present one row by row; until all of it
 * is there the engine has no state that could be used, and says so. */
#include "core/engine/state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/packed.h"

/* Rows `first` ... of a request; at most as many as one message holds. */
static enum ca_status travel_read_rows(const json_t *request, const struct ca_setup *setup,
                                       int64_t *first, int64_t *rows, struct ca_error *error)
{
    int64_t all = ca_rows(setup->size),
            most = CA_WIRE_PAYLOAD_MAX / ca_packed_row(setup->model, setup->size.w);

    CA_TRY(ca_request_int(request, "first", 0, all - 1, first, error));
    *rows = all - *first < most ? all - *first : most;
    if (*rows < 1)
        return ca_fail(error, CA_USAGE,
                       "a row has %" PRId64 " bytes, and a message at most %" PRId64,
                       ca_packed_row(setup->model, setup->size.w), CA_WIRE_PAYLOAD_MAX);
    return ca_request_int(request, "rows", 1, *rows, rows, error);
}

static enum ca_status rows_alloc(struct ca_lattice *lattice, const struct ca_setup *setup,
                                 int64_t rows, struct ca_error *error)
{
    return ca_lattice_alloc(lattice, (struct ca_size){setup->size.w, rows, 1}, setup->model->type,
                            setup->model->planes, error);
}

static uint64_t digest_of(const struct ca_setup *setup, const struct ca_lattice *lattice,
                          int64_t first)
{
    struct ca_survey survey = ca_survey_none();

    ca_survey_rows(setup, CA_SURVEY_DIGEST, (const void *const *)lattice->plane, first,
                   lattice->size.h, &survey);
    return survey.digest;
}

/* --- giving ----------------------------------------------------------------------------------- */

enum ca_status ca_engine_give(struct ca_engine *engine, const json_t *request, json_t *answer,
                              struct ca_error *error)
{
    const struct ca_setup *setup = ca_simulation_setup(engine->simulation);
    size_t row = (size_t)ca_packed_row(setup->model, setup->size.w);
    struct ca_lattice lattice;
    enum ca_status status;
    int64_t first = 0, rows;
    uint8_t *bytes;

    CA_TRY(ca_packed_check(setup->model, setup->size, error));
    CA_TRY(travel_read_rows(request, setup, &first, &rows, error));
    CA_TRY(rows_alloc(&lattice, setup, rows, error));
    bytes = malloc((size_t)rows * row);
    status = bytes ? ca_simulation_rows(engine->simulation, lattice.plane, first, rows, error)
                   : ca_fail(error, CA_NO_MEMORY, "no memory for %zu bytes", (size_t)rows * row);
    if (status == CA_OK)
        status = ca_rows_pack(bytes, setup->model, setup->size.w,
                              (const void *const *)lattice.plane, rows, error);
    if (status == CA_OK) {
        ca_engine_set_generation(engine, answer);
        json_object_set_new(answer, "first", json_integer(first));
        json_object_set_new(answer, "rows", json_integer(rows));
        json_object_set_new(answer, "digest", ca_wire_digest(digest_of(setup, &lattice, first)));
        ca_engine_answer_bytes(engine, json_object_get(request, "id"), json_incref(answer), bytes,
                               (size_t)rows * row);
    }
    free(bytes);
    ca_lattice_free(&lattice);
    return status;
}

/* --- taking ----------------------------------------------------------------------------------- */

static enum ca_status travel_unpack(const struct ca_setup *setup, const json_t *request,
                                    int64_t first, struct ca_lattice *lattice,
                                    struct ca_error *error)
{
    const uint8_t *bytes = (const uint8_t *)json_string_value(json_object_get(request, "bytes"));
    const char *wanted = NULL;
    struct ca_error cause;
    char got[32];

    CA_TRY(ca_request_text(request, "digest", &wanted, error));
    if (ca_rows_unpack(bytes, setup->model, setup->size.w, lattice->plane, lattice->size.h,
                       &cause) != CA_OK)
        return ca_fail(error, cause.status, "take: from row %" PRId64 " on: %.500s", first,
                       cause.text);
    snprintf(got, sizeof got, "%016" PRIx64, digest_of(setup, lattice, first));
    if (strcmp(got, wanted) != 0)
        return ca_fail(error, CA_USAGE,
                       "take: rows %" PRId64 " ... %" PRId64
                       " have the digest %s, and %.40s was sent with them",
                       first, first + lattice->size.h - 1, got, wanted);
    if (setup->model->check_state)
        return setup->model->check_state(setup, lattice->plane, first, lattice->size.h, error);
    return CA_OK;
}

/* Loads rows that have been checked; after the last ones there is a state. */
static enum ca_status travel_load(struct ca_engine *engine, int64_t first, int64_t generation,
                                  const struct ca_lattice *lattice, struct ca_error *error)
{
    ca_engine_end_run(engine);
    engine->taken.generation = (uint64_t)generation;
    engine->taken.rows = first;
    engine->taken.begun = true;
    CA_TRY(ca_simulation_load_rows(engine->simulation, (const void *const *)lattice->plane, first,
                                   lattice->size.h, error));
    engine->taken.rows += lattice->size.h;
    if (engine->taken.rows < ca_rows(ca_simulation_setup(engine->simulation)->size))
        return CA_OK;
    CA_TRY(ca_simulation_loaded(engine->simulation, (uint64_t)generation, error));
    engine->taken.begun = false;
    ca_engine_state_changed(engine, true);
    return CA_OK;
}

enum ca_status ca_engine_take_rows(struct ca_engine *engine, const json_t *request, json_t *answer,
                                   struct ca_error *error)
{
    const struct ca_setup *setup = ca_simulation_setup(engine->simulation);
    int64_t first = 0, rows, generation = 0;
    struct ca_lattice lattice;
    enum ca_status status;
    const json_t *bytes;
    int64_t wanted;
    char size[64];

    CA_TRY(ca_packed_check(setup->model, setup->size, error));
    CA_TRY(ca_request_required(request, "generation", error));
    CA_TRY(ca_request_required(request, "digest", error));
    CA_TRY(ca_request_int(request, "generation", 0, CA_GENERATION_MAX, &generation, error));
    CA_TRY(travel_read_rows(request, setup, &first, &rows, error));
    bytes = json_object_get(request, "bytes");
    wanted = rows * ca_packed_row(setup->model, setup->size.w);
    if (!bytes || (int64_t)json_string_length(bytes) != wanted)
        return ca_fail(error, CA_USAGE,
                       "take: %zu bytes, but %" PRId64 " rows of %s in %s are %" PRId64,
                       json_string_length(bytes), rows,
                       ca_size_format(size, setup->size, setup->model->dimensions),
                       setup->model->name, wanted);
    if (first > 0 && first != engine->taken.rows)
        return ca_fail(error, CA_USAGE, "take: row %" PRId64 " is next, not %" PRId64,
                       engine->taken.rows, first);
    if (first > 0 && (uint64_t)generation != engine->taken.generation)
        return ca_fail(error, CA_USAGE,
                       "take: the rows before these are of generation %" PRIu64
                       ", these of %" PRId64,
                       engine->taken.generation, generation);
    CA_TRY(rows_alloc(&lattice, setup, rows, error));
    status = travel_unpack(setup, request, first, &lattice, error);
    if (status == CA_OK)
        status = travel_load(engine, first, generation, &lattice, error);
    ca_lattice_free(&lattice);
    if (status != CA_OK)
        return status;
    json_object_set_new(answer, "rows", json_integer(engine->taken.rows));
    if (engine->taken.begun)
        return CA_OK;
    ca_engine_set_generation(engine, answer);
    return ca_engine_set_hash(engine, answer, error);
}

enum ca_status ca_engine_whole(const struct ca_engine *engine, const char *op,
                               struct ca_error *error)
{
    if (!engine->taken.begun)
        return CA_OK;
    return ca_fail(error, CA_USAGE,
                   "%s: only %" PRId64 " of the %" PRId64
                   " rows of a state have come; send the others by \"take\", or \"reset\"",
                   op, engine->taken.rows, ca_rows(ca_simulation_setup(engine->simulation)->size));
}
