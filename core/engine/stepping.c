/* SPDX-License-Identifier: MIT */
/* The simulation does this between requests: steps, seeks and bursts, which are answered when they
 * are done, and runs, free or paced. It decides when the next call of the backend is due and how
 * many generations it takes.
 *
 * A paced run has a deadline for each frame. The generations of a frame go in the fewest equal
 * calls of at most CALL_S; frames that are late are dropped, and never caught up. Calls keep their
 * length while their time allows, because figures are those of calls of one length. */
#include "core/engine/state.h"

#include <math.h>

#include "core/base/clock.h"
#include "core/machine/device.h"

#define CHUNK_S 0.010 /* of a call of a free run or a step, so that requests need not wait */
#define CALL_S 0.100  /* the most of a call between two frames */
#define CALL_MAX ((uint64_t)1 << 40)
#define MISFITS 2 /* calls in a row of another duration than wanted change the length */

/* --- modes ------------------------------------------------------------------------------------ */

struct ca_timing_figures ca_engine_figures(const struct ca_engine *engine,
                                           const struct ca_timing *timing)
{
    const struct ca_experiment *experiment = ca_simulation_experiment(engine->simulation);

    return ca_timing_figures(
        timing, ca_device_emulated(experiment->backend) ? NAN : (double)ca_cells(experiment->size),
        experiment->backend->bytes_per_cell_step);
}

static bool runs_free(const struct ca_engine *engine)
{
    return engine->running && engine->mode == CA_MODE_FREE;
}

void ca_engine_note_able(struct ca_engine *engine)
{
    const struct ca_timing *timing = ca_simulation_timing(engine->simulation);

    if (runs_free(engine) && timing->count > 0)
        engine->able = ca_engine_figures(engine, timing);
}

void ca_engine_end_run(struct ca_engine *engine)
{
    if (engine->running)
        ca_engine_note_able(engine);
    engine->running = false;
    engine->window.begun = false;
}

/* Figures of one mode are not mixed with those of another. */
static void set_mode(struct ca_engine *engine, enum ca_mode mode)
{
    if (mode != engine->mode)
        ca_timing_restart(ca_simulation_timing(engine->simulation));
    engine->mode = mode;
    engine->call = 0;
}

void ca_engine_forget_pace(struct ca_engine *engine)
{
    engine->call = 0;
    engine->generation_s = 0;
    engine->able = (struct ca_timing_figures){0};
}

void ca_engine_run(struct ca_engine *engine, const struct ca_pace *pace)
{
    ca_engine_end_run(engine);
    engine->dirty = true;
    if (engine->stopping)
        return;
    set_mode(engine, pace->generations ? CA_MODE_PACED : CA_MODE_FREE);
    engine->running = true;
    engine->pace = *pace;
    engine->due_s = ca_now();
    engine->left = 0;
    engine->late = false;
}

/* --- jobs ------------------------------------------------------------------------------------- */

void ca_engine_end_job(struct ca_engine *engine, bool stopped)
{
    json_t *answer =
        json_pack("{s:I, s:b}", "generation",
                  (json_int_t)ca_simulation_generation(engine->simulation), "stopped", stopped);
    enum ca_status status = CA_OK;
    struct ca_error error;

    engine->job = false;
    engine->left = 0;
    engine->window.begun = false;
    engine->dirty = true;
    if (engine->burst.active)
        ca_engine_burst_end(engine, answer);
    if (engine->job_hash)
        status = ca_engine_set_hash(engine, answer, &error);
    if (engine->job_frame && status == CA_OK)
        status = ca_engine_send_frame(engine, &error);
    engine->job_hash = engine->job_frame = false;
    if (status == CA_OK) {
        ca_engine_answer(engine, engine->job_id, answer);
    } else {
        json_decref(answer);
        ca_engine_refuse(engine, engine->job_id, &error);
        ca_engine_suspect(engine, &error);
    }
    json_decref(engine->job_id);
    engine->job_id = NULL;
}

void ca_engine_begin(struct ca_engine *engine, const json_t *id, uint64_t count)
{
    ca_engine_end_run(engine);
    if (count > 0 && !engine->burst.active)
        set_mode(engine, CA_MODE_STEP);
    engine->job = true;
    engine->job_id = json_incref(id ? (json_t *)id : json_null());
    engine->left = engine->total = count;
    if (count == 0 || engine->stopping)
        ca_engine_end_job(engine, engine->stopping);
}

/* --- calls ------------------------------------------------------------------------------------ */

double ca_engine_next_step_s(const struct ca_engine *engine, double now)
{
    if (engine->job || runs_free(engine) || (engine->running && engine->left > 0))
        return now;
    return engine->running ? engine->due_s : INFINITY;
}

/* The most that a call should take. */
static double limit_s(const struct ca_engine *engine)
{
    bool between_frames = engine->running ? engine->mode == CA_MODE_PACED : engine->job_frame;

    return between_frames ? CALL_S : CHUNK_S;
}

/* The length of the calls from now on, by what a generation took last; 1 while that is unknown. A
 * free run takes powers of two, so that small changes of speed do not change it. */
static uint64_t choose_call(const struct ca_engine *engine)
{
    double fits = engine->generation_s > 0 ? floor(limit_s(engine) / engine->generation_s) : 1;
    uint64_t most = fits < 1 ? 1 : fits > (double)CALL_MAX ? CALL_MAX : (uint64_t)fits, calls;

    if (runs_free(engine))
        return (uint64_t)1 << (63 - __builtin_clzll(most));
    calls = engine->left / most + (engine->left % most > 0);
    return engine->left / calls + (engine->left % calls > 0);
}

/* After a call of n generations: one that took too long, or was so short that it could have had
 * more of them, is a misfit. */
static void judge_call(struct ca_engine *engine, uint64_t n, double took_s)
{
    bool all = !runs_free(engine) && n >= engine->total;
    bool misfit = (took_s > 2 * limit_s(engine) && n > 1) ||
                  (took_s < limit_s(engine) / 4 && !all && n < CALL_MAX);
    bool unknown = engine->generation_s <= 0;

    engine->generation_s = (took_s > 1e-9 ? took_s : 1e-9) / (double)n;
    if (n < engine->call) /* the rest of a frame or step */
        return;
    engine->misfits = misfit ? engine->misfits + 1 : 0;
    if (unknown || engine->misfits >= MISFITS)
        engine->call = 0;
}

static void step_generations(struct ca_engine *engine, double now)
{
    struct ca_error error;
    enum ca_status status;
    uint64_t n;

    if (engine->running && engine->mode == CA_MODE_PACED && engine->left == 0) {
        /* The next frame of a paced run begins. Where whole deadlines have passed, their frames are
         * dropped: the next one is due a period from now. */
        engine->left = engine->total = engine->pace.generations;
        engine->due_s += engine->pace.period_s;
        if (engine->due_s <= now)
            engine->due_s = now + engine->pace.period_s;
        if (engine->left != engine->chosen_for)
            engine->call = 0;
    }
    if (engine->call == 0) {
        engine->call = choose_call(engine);
        engine->chosen_for = engine->left;
        engine->misfits = 0;
    }
    n = !runs_free(engine) && engine->call > engine->left ? engine->left : engine->call;
    if (engine->job_hash) /* a state that is compared comes from a call of the length asked for */
        n = engine->left;
    status = ca_simulation_step(engine->simulation, n, &error);
    if (status != CA_OK) {
        ca_engine_lose(engine, &error);
        return;
    }
    judge_call(engine, n, ca_now() - now);
    if (runs_free(engine)) {
        engine->dirty = true;
        return;
    }
    engine->dirty |= engine->job;
    engine->left -= n;
    if (engine->left == 0 && engine->job)
        ca_engine_end_job(engine, false);
    else if (engine->left == 0) {
        engine->dirty = true;
        engine->late = ca_now() > engine->due_s;
        if (engine->pace.period_s * engine->fps > 0.999) /* no more frames than are asked for */
            engine->next_frame_s = 0;
    }
}

void ca_engine_step(struct ca_engine *engine, double now)
{
    struct ca_error error;
    bool last = false;

    if (!engine->burst.active)
        step_generations(engine, now);
    else if (ca_engine_burst_call(engine, &last, &error) != CA_OK)
        ca_engine_lose(engine, &error);
    else if (--engine->left == 0 || last)
        ca_engine_end_job(engine, false);
}
