/* SPDX-License-Identifier: MIT */
/*
 * The state of the engine, shared by its files: engine.c runs the loop, stepping.c the
 * simulation between requests, ops.c carries out
 * requests, open.c those that create a simulation, cells.c those that read its state, put.c the one
 * that changes cells of it, travel.c those that move it to another engine, burst.c times calls,
 * frame.c makes frames, list.c describes models, devices.c describes devices.
 */
#ifndef CALAB_CORE_ENGINE_STATE_H
#define CALAB_CORE_ENGINE_STATE_H

#include "core/engine/channel.h"
#include "core/engine/ops.h"
#include "core/machine/interference.h"
#include "core/engine/wire.h"
#include "core/sim/simulation.h"
#include "core/sim/view.h"

#define CA_FPS_DEFAULT 10
#define CA_FPS_MAX 1000
#define CA_GENERATION_MAX (INT64_MAX / 2) /* leaves every run below the largest JSON integer */

/* The requests that an engine has read and cannot carry out yet, in the order in which they came,
 * and the memory that they take; waiting.c. */
/* 64 MiB: some 100,000 short requests. */
#define CA_WAITING_MAX ((size_t)64 << 20)

struct ca_waiting {
    struct ca_waiting_request *first, *last; /* NULL: none waits */
    size_t bytes;                            /* of memory that all of them take, estimated */
};

/* Appends a request. False, and nothing has changed, where all of them would take more than `most`
 * bytes, or memory lacks. */
bool ca_waiting_add(struct ca_waiting *waiting, json_t *json, size_t most);
/* Removes the first request, which the caller releases; NULL: none waits. */
json_t *ca_waiting_take(struct ca_waiting *waiting);
void ca_waiting_free(struct ca_waiting *waiting);

struct ca_engine {
    struct ca_channel channel;
    struct ca_simulation *simulation; /* NULL: no simulation is open */
    bool quit;
    struct ca_error fault; /* a lost device, with which the engine ends; or CA_OK */

    bool running;
    enum ca_mode mode; /* of the steps since the last request for steps or a run */
    struct ca_pace {
        uint64_t generations; /* of a frame; 0: it runs free */
        double period_s;      /* from frame to frame */
    } pace;
    double due_s;                  /* the next frame's generations */
    bool late;                     /* the last ones were done after that */
    uint64_t call;                 /* generations of a call, 0: to be chosen */
    uint64_t chosen_for;           /* so many generations */
    int misfits;                   /* calls in a row that took another time than they should */
    double generation_s;           /* in the last call, 0: unknown */
    struct ca_timing_figures able; /* of the last free run or undisturbed burst; count 0: unknown */
    struct ca_meter meter;         /* of the simulation that is open */

    /* A step, seek or burst under way, which is answered when it is done, and the requests behind
     * it. */
    bool job;
    bool job_hash, job_frame; /* a step's reply has a hash; a frame goes before it */
    bool trial, halt;         /* a request of trials.c is under way; it shall end */
    struct ca_waiting waiting;
    int stopping; /* so many of them are "stop": those before the last of these do not step */
    json_t *job_id;
    bool unread; /* more requests have been received than were looked at */
    /* Generations of the job or of the present frame, calls of a burst; and all of them. */
    uint64_t left, total;

    /* A state that comes from another engine, of whose rows so many are loaded. */
    struct {
        bool begun; /* and not complete */
        int64_t rows;
        uint64_t generation;
    } taken;

    struct {
        bool active;   /* the job is a burst */
        bool own_mark; /* which it has made, and will free */
        uint64_t n;    /* generations of a call */
        double until_s;
        json_t *seconds, *device_s; /* of the calls so far */
        struct ca_timing timing;
    } burst;

    /* Frames. */
    struct {
        struct ca_viewer *viewer;
        struct ca_view view;
    } picture[CA_PICTURES_MAX];
    int pictures;     /* of a frame */
    double fps;       /* 0: no frames are sent */
    bool outstanding; /* a frame is not acknowledged */
    bool dirty;       /* the next frame would differ from the last */
    double next_frame_s;

    /* Observables: the last values, and what is conserved: now, in the kept state, and in that
     * which a reset has saved for undo. */
    double observed[CA_OBSERVABLES_MAX];
    bool observed_known;
    uint64_t observed_generation;
    struct ca_invariants invariants, kept_invariants, undo_invariants;
    double observe_s; /* seconds that the last values took */
    double next_observe_s;

    /* Energy: a reading at the start of a window in which the engine steps all the time. */
    struct {
        bool begun;
        double since_s, joules, updates;
    } window;
    struct ca_fact joules; /* per 10^9 cell updates, in the last window */

    struct ca_fact copy_gb, logic_gops;        /* per second: measured ceilings of the device */
    char ceilings_others[CA_DISTURBANCE_TEXT]; /* disturbed their measurement; "": nothing did */
};

/* engine.c */
/* In the middle of a request of trials.c: sends an event, stolen, NULL: none, and carries out what
 * may be at once. False: the request shall end. */
bool ca_engine_attend(struct ca_engine *engine, json_t *event);
void ca_engine_log(struct ca_engine *engine, const char *level, const char *message);
void ca_engine_answer(struct ca_engine *engine, const json_t *id, json_t *body);
/* The same with bytes behind it. */
void ca_engine_answer_bytes(struct ca_engine *engine, const json_t *id, json_t *body,
                            const void *bytes, size_t count);
void ca_engine_refuse(struct ca_engine *engine, const json_t *id, const struct ca_error *error);
/* Ends what is under way: a run, a job or a trial. A trial has its reply later. */
void ca_engine_stop(struct ca_engine *engine);
/* Whether a request that is not carried out at once has to wait. */
bool ca_engine_busy(const struct ca_engine *engine);
/* Carries out the first request that waits. False where none does, or it has to wait on. */
bool ca_engine_next_waiting(struct ca_engine *engine);
/* Replaces the simulation, NULL: by none. The engine owns it from then on. */
void ca_engine_take(struct ca_engine *engine, struct ca_simulation *simulation);
/* After a failure that lost the state: sends "stopped" and closes the simulation. */
void ca_engine_lose(struct ca_engine *engine, const struct ca_error *error);
/* After a failed call: if the device is lost, the engine will end. */
void ca_engine_suspect(struct ca_engine *engine, const struct ca_error *error);

/* stepping.c */
/* Starts a step or seek over so many generations, or a burst of calls, which is answered with `id`
 * when it is done. */
void ca_engine_begin(struct ca_engine *engine, const json_t *id, uint64_t count);
void ca_engine_end_job(struct ca_engine *engine, bool stopped);
void ca_engine_run(struct ca_engine *engine, const struct ca_pace *pace);
void ca_engine_end_run(struct ca_engine *engine);
/* When the next call is due: `now`, later, or never (INFINITY); and that call. */
double ca_engine_next_step_s(const struct ca_engine *engine, double now);
void ca_engine_step(struct ca_engine *engine, double now);
/* The simulation or its backend is another one: nothing is known of its speed. */
void ca_engine_forget_pace(struct ca_engine *engine);
/* Takes the figures of a free run for `able`. */
void ca_engine_note_able(struct ca_engine *engine);
struct ca_timing_figures ca_engine_figures(const struct ca_engine *engine,
                                           const struct ca_timing *timing);
static inline bool ca_engine_stepping(const struct ca_engine *engine)
{
    return engine->job || engine->running;
}

/* ops.c: carries out one request or queues it; `late`: it has waited already. */
void ca_engine_request(struct ca_engine *engine, json_t *request, bool late);
json_t *ca_engine_capabilities(void);
void ca_engine_set_generation(const struct ca_engine *engine, json_t *answer);

/* The requests that other files than ops.c answer: frame.c, cells.c, put.c (changes cells),
 * burst.c, trials.c (take long and need no simulation), open.c and travel.c. */
ca_engine_op ca_engine_view, ca_engine_cell, ca_engine_slice, ca_engine_cells, ca_engine_hash,
    ca_engine_digest, ca_engine_put, ca_engine_burst, ca_engine_bench, ca_engine_verify,
    ca_engine_probe, ca_engine_open, ca_engine_compile, ca_engine_change, ca_engine_give,
    ca_engine_take_rows;

/* frame.c */
/* Sends a frame of the present state, whatever the last one's fate. */
enum ca_status ca_engine_send_frame(struct ca_engine *engine, struct ca_error *error);
/* Sends a frame if one is due at `now`. Returns when the next one is due, INFINITY: not known. */
double ca_engine_frame(struct ca_engine *engine, double now);
/* The state has changed other than by steps; begin: a new run starts with it. */
void ca_engine_state_changed(struct ca_engine *engine, bool begin);
/* Updates `observed`. */
enum ca_status ca_engine_observe(struct ca_engine *engine, struct ca_error *error);

/* cells.c */
/* A block begins there: x, y, z of a request, 0 without. */
struct ca_place {
    int64_t x, y, z;
};
enum ca_status ca_engine_place(const struct ca_engine *engine, const json_t *request,
                               struct ca_place *place, struct ca_error *error);
/* The cells of a block inside the lattice; *cells is allocated here. */
enum ca_status ca_engine_read_block(struct ca_simulation *simulation, struct ca_place at,
                                    struct ca_size size, struct ca_lattice *cells,
                                    struct ca_error *error);
/* The size of a block of at most CA_BLOCK_MAX cells: width, height and depth of a request. */
#define CA_BLOCK_MAX 4096
enum ca_status ca_engine_block_size(const struct ca_engine *engine, const json_t *request,
                                    struct ca_place at, struct ca_size *size,
                                    struct ca_error *error);
enum ca_status ca_engine_set_hash(struct ca_engine *engine, json_t *answer, struct ca_error *error);

/* burst.c: the next call of the burst under way, the last one where its time is over;
 * and its end, with the figures for the answer, NULL: which has none. */
enum ca_status ca_engine_burst_call(struct ca_engine *engine, bool *last, struct ca_error *error);
void ca_engine_burst_end(struct ca_engine *engine, json_t *answer);

/* travel.c: whether there is a whole state: CA_USAGE where rows are to come. */
enum ca_status ca_engine_whole(const struct ca_engine *engine, const char *op,
                               struct ca_error *error);

/* list.c */
json_t *ca_engine_list(void);

/* devices.c: CUDA as far as it is known without initialising devices; all devices; the device that
 * the simulation runs on, with the energy per cell update. */
json_t *ca_engine_cuda(void);
void ca_engine_devices(json_t *answer);
json_t *ca_engine_device(struct ca_engine *engine);
/* Looks up the ceilings of the present simulation. */
void ca_engine_ceilings(struct ca_engine *engine);

#endif
