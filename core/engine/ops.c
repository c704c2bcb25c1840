/* SPDX-License-Identifier: MIT */
/*
 * The table of requests. A handler fills the answer, or fails and changes nothing. Stepping is only
 * started here; the loop carries it out.
 */
#include "core/engine/ops.h"

#include "core/engine/state.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/files/file.h"
#include "core/files/formats.h"
#include "core/sim/snapshot.h"

#define PER_FRAME_MIN 1e-6
#define PER_FRAME_MAX 1e12
#define FPS_MIN 1e-3

void ca_engine_set_generation(const struct ca_engine *engine, json_t *answer)
{
    uint64_t generation = engine->simulation ? ca_simulation_generation(engine->simulation) : 0;

    json_object_set_new(answer, "generation", json_integer((json_int_t)generation));
}

/* --- stepping --------------------------------------------------------------------------------- */

static enum ca_status back_to_start(struct ca_engine *engine, bool undoable, struct ca_error *error)
{
    ca_engine_note_able(engine);
    CA_TRY(undoable ? ca_simulation_reset_undoable(engine->simulation, error)
                    : ca_simulation_reset(engine->simulation, error));
    if (undoable)
        engine->undo_invariants = engine->invariants;
    engine->taken.begun = false;
    ca_engine_end_run(engine);
    ca_engine_state_changed(engine, true);
    return CA_OK;
}

static enum ca_status op_reset(struct ca_engine *engine, const json_t *request, json_t *answer,
                               struct ca_error *error)
{
    bool undo = false;

    (void)answer;
    CA_TRY(ca_request_bool(request, "undo", &undo, error));
    if (undo)
        CA_TRY(ca_engine_whole(engine, "reset", error));
    CA_TRY(back_to_start(engine, undo, error));
    return CA_OK;
}

static enum ca_status op_undo(struct ca_engine *engine, const json_t *request, json_t *answer,
                              struct ca_error *error)
{
    (void)request, (void)answer;
    CA_TRY(ca_simulation_undo(engine->simulation, error));
    engine->taken.begun = false;
    ca_engine_end_run(engine);
    ca_engine_state_changed(engine, false);
    engine->invariants = engine->undo_invariants;
    return CA_OK;
}

static enum ca_status op_step(struct ca_engine *engine, const json_t *request, json_t *answer,
                              struct ca_error *error)
{
    bool hash = false, frame = false;
    int64_t n = 1;

    (void)answer;
    CA_TRY(ca_request_int(request, "n", 0, INT64_MAX, &n, error));
    CA_TRY(ca_request_bool(request, "hash", &hash, error));
    CA_TRY(ca_request_bool(request, "frame", &frame, error));
    engine->job_hash = hash;
    engine->job_frame = frame;
    ca_engine_begin(engine, json_object_get(request, "id"), (uint64_t)n);
    return CA_OK;
}

static enum ca_status op_seek(struct ca_engine *engine, const json_t *request, json_t *answer,
                              struct ca_error *error)
{
    int64_t generation = 0;

    (void)answer;
    CA_TRY(ca_request_required(request, "generation", error));
    CA_TRY(ca_request_int(request, "generation", 0, INT64_MAX, &generation, error));
    if ((uint64_t)generation < ca_simulation_experiment(engine->simulation)->generation)
        return ca_fail(error, CA_USAGE,
                       "seek: the run begins with generation %" PRIu64 " of a state file",
                       ca_simulation_experiment(engine->simulation)->generation);
    if (!engine->stopping && (uint64_t)generation < ca_simulation_generation(engine->simulation))
        CA_TRY(back_to_start(engine, false, error));
    ca_engine_begin(engine, json_object_get(request, "id"),
                    (uint64_t)generation - ca_simulation_generation(engine->simulation));
    return CA_OK;
}

static enum ca_status op_run(struct ca_engine *engine, const json_t *request, json_t *answer,
                             struct ca_error *error)
{
    double per_frame = 0, fps = engine->fps > 0 ? engine->fps : CA_FPS_DEFAULT;
    struct ca_pace pace = {0};

    (void)answer;
    CA_TRY(ca_request_real(request, "per_frame", PER_FRAME_MIN, PER_FRAME_MAX, &per_frame, error));
    CA_TRY(ca_request_real(request, "fps", FPS_MIN, CA_FPS_MAX, &fps, error));
    if (per_frame > 1 && per_frame != floor(per_frame))
        return ca_request_wrong(request, "per_frame", "a whole number, or one below 1,", error);
    if (per_frame > 0) {
        pace.generations = per_frame > 1 ? (uint64_t)per_frame : 1;
        pace.period_s = 1 / (per_frame < 1 ? per_frame * fps : fps);
    }
    ca_engine_run(engine, &pace);
    return CA_OK;
}

static enum ca_status op_mark(struct ca_engine *engine, const json_t *request, json_t *answer,
                              struct ca_error *error)
{
    (void)request, (void)answer;
    CA_TRY(ca_simulation_mark(engine->simulation, error));
    engine->kept_invariants = engine->invariants;
    return CA_OK;
}

static enum ca_status op_back(struct ca_engine *engine, const json_t *request, json_t *answer,
                              struct ca_error *error)
{
    (void)request, (void)answer;
    CA_TRY(ca_simulation_back(engine->simulation, error));
    ca_engine_end_run(engine);
    ca_engine_state_changed(engine, false);
    engine->invariants = engine->kept_invariants;
    return CA_OK;
}

static enum ca_status op_unmark(struct ca_engine *engine, const json_t *request, json_t *answer,
                                struct ca_error *error)
{
    (void)request, (void)answer, (void)error;
    ca_simulation_unmark(engine->simulation);
    return CA_OK;
}

/* --- looking ---------------------------------------------------------------------------------- */

static enum ca_status op_ack(struct ca_engine *engine, const json_t *request, json_t *answer,
                             struct ca_error *error)
{
    (void)request, (void)answer, (void)error;
    engine->outstanding = false;
    return CA_OK;
}

static enum ca_status op_observe(struct ca_engine *engine, const json_t *request, json_t *answer,
                                 struct ca_error *error)
{
    const struct ca_observable *observables =
        ca_observables(ca_simulation_setup(engine->simulation)->model);
    json_t *values;

    (void)request;
    CA_TRY(ca_engine_observe(engine, error));
    values = json_object();
    for (int i = 0; observables[i].name; i++)
        json_object_set_new(values, observables[i].name, ca_wire_number(engine->observed[i]));
    json_object_set_new(answer, "observables", values);
    return CA_OK;
}

static enum ca_status op_save(struct ca_engine *engine, const json_t *request, json_t *answer,
                              struct ca_error *error)
{
    const struct ca_model *model = ca_simulation_setup(engine->simulation)->model;
    struct ca_row_source source = ca_simulation_source(engine->simulation);
    const struct ca_format *format;
    const char *path = NULL;
    enum ca_status status;

    CA_TRY(ca_request_required(request, "file", error));
    CA_TRY(ca_request_text(request, "file", &path, error));
    format = ca_format_of(path);
    if (format && ca_format_draws(format, model)) {
        struct ca_snapshot snapshot = ca_snapshot_default();

        /* The picture is of the slice that the first view shows. */
        snapshot.axis = engine->picture[0].view.axis;
        snapshot.slice = engine->picture[0].view.slice;
        status = ca_snapshot_write(path, &snapshot, engine->simulation, error);
    } else {
        CA_TRY(ca_state_writable(path, model, error));
        status = ca_state_write(path, model, &source, error);
    }
    json_object_set_new(answer, "file", json_string(path));
    return status;
}

/* --- the rest --------------------------------------------------------------------------------- */

static enum ca_status op_list(struct ca_engine *engine, const json_t *request, json_t *answer,
                              struct ca_error *error)
{
    (void)engine, (void)request, (void)error;
    json_object_set_new(answer, "models", ca_engine_list());
    ca_engine_devices(answer);
    return CA_OK;
}

static enum ca_status op_device(struct ca_engine *engine, const json_t *request, json_t *answer,
                                struct ca_error *error)
{
    bool ceilings = false;
    json_t *facts;

    CA_TRY(ca_request_bool(request, "ceilings", &ceilings, error));
    if (ceilings && engine->simulation)
        ca_engine_ceilings(engine);
    facts = ca_engine_device(engine);
    json_object_update(answer, facts);
    json_decref(facts);
    return CA_OK;
}

static enum ca_status op_quit(struct ca_engine *engine, const json_t *request, json_t *answer,
                              struct ca_error *error)
{
    json_t *waits;
    struct ca_error ends;

    (void)request, (void)answer, (void)error;
    engine->quit = true;
    /* The requests behind "quit" have replies, too, before it has its own. */
    ca_error_set(&ends, CA_USAGE, "the engine ends: \"quit\" came before this request");
    while ((waits = ca_waiting_take(&engine->waiting))) {
        if (strcmp(ca_json_member(waits, "op"), "stop") == 0)
            ca_engine_request(engine, waits, true);
        else
            ca_engine_refuse(engine, json_object_get(waits, "id"), &ends);
        json_decref(waits);
    }
    return CA_OK;
}

/* In the order in which the greeting names them. */
static const struct ca_op ops[] = {
    {"list", CA_OP_AT_ONCE | CA_OP_QUICK, op_list},
    {"open", CA_OP_STATE | CA_OP_RULE | CA_OP_GENERATION, ca_engine_open},
    {"compile", 0, ca_engine_compile},
    {"step", CA_OP_NEEDS_SIMULATION | CA_OP_ANSWERED_LATER | CA_OP_STATE, op_step},
    {"run", CA_OP_NEEDS_SIMULATION | CA_OP_STATE | CA_OP_GENERATION, op_run},
    {"stop", CA_OP_STOPS | CA_OP_GENERATION, NULL},
    {"change", CA_OP_NEEDS_SIMULATION | CA_OP_IN_PART | CA_OP_RULE | CA_OP_GENERATION,
     ca_engine_change},
    {"reset", CA_OP_NEEDS_SIMULATION | CA_OP_IN_PART | CA_OP_STATE | CA_OP_GENERATION, op_reset},
    {"seek", CA_OP_NEEDS_SIMULATION | CA_OP_ANSWERED_LATER | CA_OP_STATE, op_seek},
    {"view", CA_OP_NEEDS_SIMULATION | CA_OP_AT_ONCE_ALONE | CA_OP_IN_PART | CA_OP_QUICK,
     ca_engine_view},
    {"ack", CA_OP_AT_ONCE | CA_OP_NO_ANSWER, op_ack},
    {"cell", CA_OP_NEEDS_SIMULATION | CA_OP_QUICK | CA_OP_GENERATION, ca_engine_cell},
    {"slice", CA_OP_NEEDS_SIMULATION | CA_OP_GENERATION, ca_engine_slice},
    {"cells", CA_OP_NEEDS_SIMULATION | CA_OP_GENERATION, ca_engine_cells},
    {"observe", CA_OP_NEEDS_SIMULATION | CA_OP_GENERATION, op_observe},
    {"put", CA_OP_NEEDS_SIMULATION | CA_OP_STATE | CA_OP_GENERATION, ca_engine_put},
    {"undo", CA_OP_NEEDS_SIMULATION | CA_OP_IN_PART | CA_OP_STATE | CA_OP_GENERATION, op_undo},
    {"hash", CA_OP_NEEDS_SIMULATION | CA_OP_GENERATION, ca_engine_hash},
    {"digest", CA_OP_NEEDS_SIMULATION | CA_OP_GENERATION, ca_engine_digest},
    {"mark", CA_OP_NEEDS_SIMULATION | CA_OP_GENERATION, op_mark},
    {"back", CA_OP_NEEDS_SIMULATION | CA_OP_STATE | CA_OP_GENERATION, op_back},
    {"unmark", CA_OP_NEEDS_SIMULATION | CA_OP_GENERATION, op_unmark},
    {"burst", CA_OP_NEEDS_SIMULATION | CA_OP_ANSWERED_LATER, ca_engine_burst},
    {"save", CA_OP_NEEDS_SIMULATION | CA_OP_GENERATION, op_save},
    {"give", CA_OP_NEEDS_SIMULATION | CA_OP_ANSWERED_LATER, ca_engine_give},
    {"take", CA_OP_NEEDS_SIMULATION | CA_OP_IN_PART | CA_OP_STATE, ca_engine_take_rows},
    {"bench", 0, ca_engine_bench},
    {"verify", 0, ca_engine_verify},
    {"probe", 0, ca_engine_probe},
    {"device", CA_OP_AT_ONCE | CA_OP_QUICK, op_device},
    {"ping", CA_OP_AT_ONCE | CA_OP_QUICK, NULL},
    {"quit", 0, op_quit},
};

enum { OPS = sizeof ops / sizeof ops[0] };

static const char *op_name_at(const void *of, int index)
{
    (void)of;
    return index < OPS ? ops[index].name : NULL;
}

const struct ca_op *ca_op_find(const char *name)
{
    for (int i = 0; i < OPS; i++)
        if (strcmp(ops[i].name, name) == 0)
            return &ops[i];
    return NULL;
}

json_t *ca_engine_capabilities(void)
{
    json_t *names = json_array();

    for (int i = 0; i < OPS; i++)
        json_array_append_new(names, json_string(ops[i].name));
    return names;
}

static const struct ca_op *requested_op(const json_t *request, struct ca_error *error)
{
    const char *name = json_string_value(json_object_get(request, "op"));
    const struct ca_op *op = name ? ca_op_find(name) : NULL;
    char hint[CA_TEXT_MAX];

    if (!name)
        ca_error_set(error, CA_USAGE, "a request needs an \"op\" that is a text");
    else if (!op)
        ca_error_set(error, CA_USAGE, "'%.60s' is not an op%s", name,
                     ca_suggest(hint, name, OPS, op_name_at, NULL));
    return op;
}

/* For requests that need a simulation: there is one, and its state is whole. */
static enum ca_status check_state(const struct ca_engine *engine, const struct ca_op *op,
                                  struct ca_error *error)
{
    if (!engine->simulation)
        return ca_fail(error, CA_USAGE, "%s: no simulation is open; send \"open\" first", op->name);
    return op->flags & CA_OP_IN_PART ? CA_OK : ca_engine_whole(engine, op->name, error);
}

static bool has_to_wait(const struct ca_engine *engine, const struct ca_op *op)
{
    return ca_engine_busy(engine) && !(op->flags & CA_OP_AT_ONCE) &&
           !(op->flags & CA_OP_AT_ONCE_ALONE && !engine->waiting.first);
}

void ca_engine_request(struct ca_engine *engine, json_t *request, bool late)
{
    const json_t *id = json_object_get(request, "id");
    struct ca_error error;
    const struct ca_op *op = requested_op(request, &error);
    json_t *answer;

    if (!op) {
        ca_engine_refuse(engine, id, &error);
        return;
    }
    if (op->flags & CA_OP_STOPS && late)
        engine->stopping--;
    else if (op->flags & CA_OP_STOPS)
        ca_engine_stop(engine);
    if (!late && has_to_wait(engine, op)) {
        bool stops = op->flags & CA_OP_STOPS;
        struct ca_error full;

        /* Requests that stop have twice the memory, so that one of them is heard whatever waits. */
        if (ca_waiting_add(&engine->waiting, request,
                           stops ? 2 * CA_WAITING_MAX : CA_WAITING_MAX)) {
            engine->stopping += stops;
            return;
        }
        ca_error_set(
            &full, CA_NO_MEMORY,
            "%s: this request would have to wait, and those that wait take at most %zu MiB of "
            "memory: send it again when some of them have replies, or send \"stop\"",
            op->name, CA_WAITING_MAX >> 20);
        ca_engine_refuse(engine, json_object_get(request, "id"), &full);
        return;
    }
    if (op->flags & CA_OP_NEEDS_SIMULATION && check_state(engine, op, &error) != CA_OK) {
        ca_engine_refuse(engine, id, &error);
        return;
    }
    answer = json_object();
    if (op->run && op->run(engine, request, answer, &error) != CA_OK) {
        ca_engine_refuse(engine, id, &error);
        ca_engine_suspect(engine, &error);
    } else if (op->flags & CA_OP_GENERATION) {
        json_t *body = json_object();

        ca_engine_set_generation(engine, body);
        json_object_update(body, answer);
        ca_engine_answer(engine, id, body);
    } else if (!(op->flags & (CA_OP_ANSWERED_LATER | CA_OP_NO_ANSWER))) {
        ca_engine_answer(engine, id, json_incref(answer));
    }
    json_decref(answer);
}
