/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the engine share: engine.c runs the loop and steps, engine_ops.c carries out
 * requests, engine_open.c those that make a simulation, engine_request.c reads their values,
 * engine_frame.c makes frames, engine_list.c describes models, engine_device.c devices. Private to
 * them.
 */
#ifndef CALAB_CORE_ENGINE_STATE_H
#define CALAB_CORE_ENGINE_STATE_H

#include "core/engine/channel.h"
#include "core/machine/device.h"
#include "core/engine/engine.h"
#include "core/engine/wire.h"
#include "core/sim/simulation.h"
#include "core/sim/view.h"

struct ca_engine {
    struct ca_channel channel;
    struct ca_simulation *simulation; /* NULL: none is open */
    struct ca_simulation *twin;       /* by `reference`, for the difference; NULL without */
    bool quit;
    struct ca_error fault; /* of a device that is lost: what the engine ends with; else CA_OK */

    /* Free running; rate 0 is all it can, else counted from a base. */
    bool running;
    double rate, base_s;
    uint64_t base_generation;
    uint64_t chunk; /* generations that take about CHUNK_S */

    /* step or seek under way, to be answered when done; requests that wait for it. */
    bool job;
    bool stopping; /* what waits is being carried out, but nothing of it steps any more */
    json_t *job_id, *waiting;
    uint64_t left;

    /* Frames. */
    struct ca_viewer *viewer;
    struct ca_view view;
    double fps;       /* 0: none are wanted */
    bool outstanding; /* one is not acknowledged */
    bool dirty;       /* there is something new to see */
    double next_frame_s;

    /* Observables: as gathered last, and as they were when the run began. */
    double observed[CA_OBSERVABLES_MAX], start[CA_OBSERVABLES_MAX];
    bool observed_known, start_known;
    uint64_t observed_generation;
    double next_observe_s;

    /* Energy: a reading at the beginning of a window in which it steps all the time. */
    struct {
        bool begun;
        double since_s, joules, updates;
    } window;
    struct ca_fact joules; /* of 10^9 cell updates, in the last window */

    struct ca_fact copy_gb, logic_gops; /* a second: the ceilings of what it runs on */
};

/* engine.c */
void ca_engine_log(struct ca_engine *engine, const char *level, const char *message);
void ca_engine_answer(struct ca_engine *engine, const json_t *id, json_t *body);
void ca_engine_refuse(struct ca_engine *engine, const json_t *id, const struct ca_error *error);
/* step or seek: `generations` from here, answered with `id` when done. */
void ca_engine_begin(struct ca_engine *engine, const json_t *id, uint64_t generations);
/* Ends step or seek, and what waits of them; running ends too. */
void ca_engine_stop(struct ca_engine *engine);
void ca_engine_run(struct ca_engine *engine, double rate);
/* Takes over a simulation (NULL: none) in place of the present one. */
void ca_engine_take(struct ca_engine *engine, struct ca_simulation *simulation);
/* A failure after which the state is lost: tells, closes. */
void ca_engine_lose(struct ca_engine *engine, const struct ca_error *error);
/* After a failed call: when the device is lost, the engine ends. */
void ca_engine_suspect(struct ca_engine *engine, const struct ca_error *error);
static inline bool ca_engine_stepping(const struct ca_engine *engine)
{
    return engine->job || engine->running;
}

/* engine_ops.c: carries out, or lets wait, one request; `late` is one that has waited. */
void ca_engine_request(struct ca_engine *engine, json_t *request, bool late);
json_t *ca_engine_capabilities(void);
void ca_engine_set_generation(const struct ca_engine *engine, json_t *answer);

/* engine_frame.c */
enum ca_status ca_engine_view(struct ca_engine *engine, const json_t *request, json_t *answer,
                              struct ca_error *error);
/* Sends a frame when one is due at `now`; the time when one will be, INFINITY for no time. */
double ca_engine_frame(struct ca_engine *engine, double now);
/* The state, and not only by steps, is another one: begin = true where a run begins with it. */
void ca_engine_state_changed(struct ca_engine *engine, bool begin);
/* Brings `observed` up to date. */
enum ca_status ca_engine_observe(struct ca_engine *engine, struct ca_error *error);
/* Makes, or without need drops, the twin. */
enum ca_status ca_engine_twin(struct ca_engine *engine, bool wanted, struct ca_error *error);

/* engine_open.c */
enum ca_status ca_engine_open(struct ca_engine *engine, const json_t *request, json_t *answer,
                              struct ca_error *error);
enum ca_status ca_engine_change(struct ca_engine *engine, const json_t *request, json_t *answer,
                                struct ca_error *error);
/* Makes the view one of the present simulation. */
void ca_engine_keep_view(struct ca_engine *engine);

/* engine_list.c */
json_t *ca_engine_list(void);

/* engine_device.c: CUDA as far as it is known without waking devices; all devices; the one that the
 * simulation runs on, with what its energy gives. */
json_t *ca_engine_cuda(void);
void ca_engine_devices(json_t *answer);
json_t *ca_engine_device(struct ca_engine *engine);
/* Finds the ceilings for the present simulation. */
void ca_engine_ceilings(struct ca_engine *engine);

#endif
