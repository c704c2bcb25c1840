/* SPDX-License-Identifier: MIT */
/*
 * Owns the engine's loop: one thread that takes requests, steps in chunks of about 10 ms, sends
 * frames, and sleeps in poll otherwise. It never waits for the reader.
 */
#include "core/engine/engine.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "core/machine/cuda.h"
#include "core/engine/state.h"
#include "core/base/clock.h"

#define CHUNK_S 0.010
#define CHUNK_MAX ((uint64_t)1 << 40)
#define LAG_S 0.25                   /* the most that a throttled run catches up */
#define NAP_S 0.005                  /* the shortest sleep of a throttled run */
#define BATCH 64                     /* requests between two chunks */
#define WAITING_MAX 1024             /* requests queued behind a step or seek */
#define UNSENT_MAX ((size_t)8 << 20) /* bytes; above it no requests are taken */

static void send_event(struct ca_engine *engine, json_t *event)
{
    ca_channel_send(&engine->channel, NULL, event, NULL, 0);
}

void ca_engine_log(struct ca_engine *engine, const char *level, const char *message)
{
    send_event(engine, json_pack("{s:s, s:s, s:o}", "event", ca_event_names[CA_EVENT_LOG], "level",
                                 level, "message", ca_json_text(message)));
}

void ca_engine_answer(struct ca_engine *engine, const json_t *id, json_t *body)
{
    json_t *answer = json_object();

    json_object_set(answer, "id", id ? (json_t *)id : json_null());
    json_object_set_new(answer, "ok", json_true());
    if (body)
        json_object_update_missing(answer, body);
    json_decref(body);
    ca_channel_send(&engine->channel, NULL, answer, NULL, 0);
}

void ca_engine_refuse(struct ca_engine *engine, const json_t *id, const struct ca_error *error)
{
    ca_channel_send(&engine->channel, NULL,
                    json_pack("{s:O, s:b, s:o}", "id", id ? id : json_null(), "ok", 0, "error",
                              ca_wire_error(error)),
                    NULL, 0);
}

/* --- what the simulation does ---------------------------------------------------------------- */

static void end_job(struct ca_engine *engine, bool stopped)
{
    json_t *answer =
        json_pack("{s:I, s:b}", "generation",
                  (json_int_t)ca_simulation_generation(engine->simulation), "stopped", stopped);
    enum ca_status status = CA_OK;
    struct ca_error error;

    engine->job = false;
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
    engine->running = false;
    engine->job = true;
    engine->job_id = json_incref(id ? (json_t *)id : json_null());
    engine->left = count;
    if (count == 0 || engine->stopping)
        end_job(engine, engine->stopping);
}

void ca_engine_run(struct ca_engine *engine, double rate)
{
    engine->running = !engine->stopping;
    engine->rate = rate;
    engine->base_s = ca_now();
    engine->base_generation = ca_simulation_generation(engine->simulation);
    engine->dirty = true;
}

/* Carries out the first waiting request. */
static void next_waiting(struct ca_engine *engine)
{
    json_t *request = json_incref(json_array_get(engine->waiting, 0));

    json_array_remove(engine->waiting, 0);
    ca_engine_request(engine, request, true);
    json_decref(request);
}

void ca_engine_stop(struct ca_engine *engine)
{
    engine->dirty = true;
    engine->running = false;
    engine->window.begun = false;
    if (engine->job)
        end_job(engine, true);
    engine->stopping = true;
    while (json_array_size(engine->waiting) > 0)
        next_waiting(engine);
    engine->stopping = false;
}

void ca_engine_take(struct ca_engine *engine, struct ca_simulation *simulation)
{
    ca_simulation_close(engine->shadow);
    ca_simulation_close(engine->simulation);
    engine->shadow = NULL;
    engine->simulation = simulation;
    engine->running = false;
    engine->chunk = 1;
}

void ca_engine_lose(struct ca_engine *engine, const struct ca_error *error)
{
    json_int_t generation = (json_int_t)ca_simulation_generation(engine->simulation);

    ca_engine_take(engine, NULL);
    send_event(engine, json_pack("{s:s, s:I, s:o}", "event", ca_event_names[CA_EVENT_STOPPED],
                                 "generation", generation, "error", ca_wire_error(error)));
    if (error->status == CA_CUDA_FAILED)
        engine->fault = *error;
    if (!engine->job)
        return;
    engine->job = engine->job_hash = engine->job_frame = false;
    ca_engine_burst_end(engine, NULL);
    ca_engine_refuse(engine, engine->job_id, error);
    json_decref(engine->job_id);
    engine->job_id = NULL;
}

void ca_engine_suspect(struct ca_engine *engine, const struct ca_error *error)
{
    if (error->status == CA_CUDA_FAILED && ca_cuda_lost())
        engine->fault = *error;
}

/* The generations that a throttled run is behind its clock. */
static double due(struct ca_engine *engine, double now)
{
    uint64_t done = ca_simulation_generation(engine->simulation) - engine->base_generation;
    double behind = (now - engine->base_s) * engine->rate - (double)done;

    if (behind > 1 + LAG_S * engine->rate) {
        engine->base_generation += done;
        engine->base_s = now - LAG_S;
        behind = LAG_S * engine->rate;
    }
    return floor(behind);
}

/* When the next chunk is due: `now`, later, or never (INFINITY). */
static double next_step_s(struct ca_engine *engine, double now)
{
    uint64_t done;
    double next;

    if (engine->job)
        return now;
    if (!engine->running)
        return INFINITY;
    if (engine->rate <= 0 || due(engine, now) >= 1)
        return now;
    done = ca_simulation_generation(engine->simulation) - engine->base_generation;
    next = engine->base_s + (double)(done + 1) / engine->rate;
    return next > now + NAP_S ? next : now + NAP_S;
}

/* Steps one chunk. Its length aims at CHUNK_S: it at most doubles, and shrinks at once. */
static void step_chunk(struct ca_engine *engine, double now)
{
    uint64_t n = engine->chunk;
    struct ca_error error;
    enum ca_status status;
    double ratio;

    if (engine->job && n > engine->left)
        n = engine->left;
    if (!engine->job && engine->rate > 0 && due(engine, now) < (double)n)
        n = (uint64_t)due(engine, now);
    if (n == 0)
        return;
    status = ca_simulation_step(engine->simulation, n, &error);
    if (status == CA_OK && engine->shadow)
        status = ca_simulation_step(engine->shadow, n, &error);
    if (status != CA_OK) {
        ca_engine_lose(engine, &error);
        return;
    }
    ratio = CHUNK_S / (ca_now() - now + 1e-9);
    if (ratio < 1 || n == engine->chunk) {
        double chunk = (double)n * (ratio < 2 ? ratio : 2);

        engine->chunk = chunk < 1 ? 1 : chunk > (double)CHUNK_MAX ? CHUNK_MAX : (uint64_t)chunk;
    }
    engine->dirty = true;
    if (engine->job && (engine->left -= n) == 0)
        end_job(engine, false);
}

static void step(struct ca_engine *engine, double now)
{
    struct ca_error error;
    bool last = false;

    if (!engine->burst.active)
        step_chunk(engine, now);
    else if (ca_engine_burst_call(engine, &last, &error) != CA_OK)
        ca_engine_lose(engine, &error);
    else if (--engine->left == 0 || last)
        end_job(engine, false);
}

/* --- the loop -------------------------------------------------------------------------------- */

/* Whether requests are accepted now. */
static bool open_for_requests(const struct ca_engine *engine)
{
    return json_array_size(engine->waiting) < WAITING_MAX &&
           ca_buffer_count(&engine->channel.sent) < UNSENT_MAX;
}

static bool ended(const struct ca_engine *engine)
{
    return engine->quit || engine->fault.status != CA_OK;
}

/* Carries out at most BATCH requests. False if none is left for now. */
static bool take_requests(struct ca_engine *engine)
{
    for (int i = 0; i < BATCH && !ended(engine); i++) {
        struct ca_error error;
        json_t *request;
        int got;

        if (!engine->job && json_array_size(engine->waiting) > 0) {
            next_waiting(engine);
            continue;
        }
        if (!open_for_requests(engine))
            return false;
        got = ca_channel_request(&engine->channel, &request, &error);
        if (got == 0)
            return false;
        if (got < 0) {
            ca_engine_refuse(engine, NULL, &error);
            continue;
        }
        ca_engine_request(engine, request, false);
        json_decref(request);
    }
    return !ended(engine);
}

/* Sleeps until a descriptor is ready, or until `until`, and reads and writes what is ready. */
static void wait_for_peer(struct ca_engine *engine, double until, double now)
{
    struct ca_channel *channel = &engine->channel;
    bool unsent = ca_buffer_count(&channel->sent) > 0;
    struct pollfd peer[2] = {
        {.fd = channel->ended || !open_for_requests(engine) ? -1 : channel->in, .events = POLLIN},
        {.fd = channel->out, .events = unsent ? POLLOUT : 0},
    };
    double seconds = until > now ? until - now : 0;
    struct timespec time;

    seconds = seconds < 3600 ? seconds : 3600;
    time.tv_sec = (time_t)seconds;
    time.tv_nsec = (long)((seconds - (double)time.tv_sec) * 1e9);
    if (ppoll(peer, 2, isinf(until) ? NULL : &time, NULL) <= 0)
        return;
    if (peer[0].revents)
        ca_channel_receive(channel);
    if (unsent && peer[1].revents)
        ca_channel_flush(channel);
    else if (peer[1].revents && !channel->broken) {
        channel->broken = true;
        ca_error_set(&channel->error, CA_IO, "engine: writing answers: the reader is gone");
    }
}

static void loop(struct ca_engine *engine)
{
    struct ca_channel *channel = &engine->channel;

    while (!channel->broken) {
        bool more = take_requests(engine);
        bool idle = !more && !engine->job && json_array_size(engine->waiting) == 0;
        double now = ca_now(), frame_s, step_s;

        if (ended(engine) || (channel->ended && idle && open_for_requests(engine)))
            break;
        frame_s = ca_engine_frame(engine, now);
        if (ended(engine))
            break;
        step_s = next_step_s(engine, now);
        wait_for_peer(engine, more ? now : frame_s < step_s ? frame_s : step_s, now);
        now = ca_now();
        if (ca_engine_stepping(engine) && next_step_s(engine, now) <= now)
            step(engine, now);
    }
    engine->running = false;
    if (engine->fault.status != CA_OK && engine->simulation) /* otherwise "stopped" has been sent */
        ca_engine_lose(engine, &engine->fault);
    if (!ended(engine) && !channel->broken)
        ca_engine_frame(engine, INFINITY); /* the final state */
    while (!channel->broken && ca_buffer_count(&channel->sent) > 0) {
        struct pollfd out = {.fd = channel->out, .events = POLLOUT};

        if (poll(&out, 1, -1) > 0)
            ca_channel_flush(channel);
    }
}

static void greet(struct ca_engine *engine)
{
    char host[256] = "";

    gethostname(host, sizeof host - 1);
    ca_channel_send(&engine->channel, "CALAB1 ",
                    json_pack("{s:s, s:i, s:s, s:o, s:o}", "version", CALAB_VERSION, "pid",
                              (int)getpid(), "host", host, "capabilities", ca_engine_capabilities(),
                              "cuda", ca_engine_cuda()),
                    NULL, 0);
}

enum ca_status ca_engine_serve(int in, int out, struct ca_error *error)
{
    struct ca_engine engine = {.fps = 0, .chunk = 1};
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;

    CA_TRY(ca_channel_open(&engine.channel, in, out, error));
    sigaction(SIGPIPE, &ignore, &before);
    engine.view = (struct ca_view){.zoom = 1, .columns = 80, .lines = 24};
    engine.viewer = ca_viewer_new();
    engine.waiting = json_array();
    if (engine.viewer && engine.waiting) {
        greet(&engine);
        loop(&engine);
    } else {
        engine.channel.broken = true;
        ca_error_set(&engine.channel.error, CA_NO_MEMORY, "engine: no memory");
    }
    ca_engine_take(&engine, NULL);
    ca_viewer_free(engine.viewer);
    json_decref(engine.waiting);
    json_decref(engine.job_id);
    ca_engine_burst_end(&engine, NULL);
    ca_channel_close(&engine.channel);
    sigaction(SIGPIPE, &before, NULL);
    *error = engine.channel.broken ? engine.channel.error : engine.fault;
    return error->status;
}
