/* SPDX-License-Identifier: MIT */
/* The engine's loop is one thread that takes requests, lets the simulation step, sends frames, and
 * sleeps in poll otherwise. It never waits for the reader. */
#include "core/engine/engine.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "core/engine/experiment_json.h"
#include "core/machine/cuda.h"
#include "core/engine/state.h"
#include "core/base/clock.h"

#define BATCH 64                     /* requests between two calls */
#define BATCH_S 0.010                /* for requests that have waited, likewise */
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

void ca_engine_answer_bytes(struct ca_engine *engine, const json_t *id, json_t *body,
                            const void *bytes, size_t count)
{
    json_t *answer = json_object();

    json_object_set(answer, "id", id ? (json_t *)id : json_null());
    json_object_set_new(answer, "ok", json_true());
    if (body)
        json_object_update_missing(answer, body);
    json_decref(body);
    if (count > 0)
        json_object_set_new(answer, "bytes", json_integer((json_int_t)count));
    ca_channel_send(&engine->channel, NULL, answer, &(struct iovec){(void *)bytes, count}, 1);
}

void ca_engine_answer(struct ca_engine *engine, const json_t *id, json_t *body)
{
    ca_engine_answer_bytes(engine, id, body, NULL, 0);
}

void ca_engine_refuse(struct ca_engine *engine, const json_t *id, const struct ca_error *error)
{
    ca_channel_send(&engine->channel, NULL,
                    json_pack("{s:O, s:b, s:o}", "id", id ? id : json_null(), "ok", 0, "error",
                              ca_wire_error(error)),
                    NULL, 0);
}

/* --- what the simulation does ---------------------------------------------------------------- */

bool ca_engine_busy(const struct ca_engine *engine)
{
    return engine->job || engine->trial || engine->waiting.first;
}

bool ca_engine_next_waiting(struct ca_engine *engine)
{
    json_t *request = engine->job || engine->trial ? NULL : ca_waiting_take(&engine->waiting);

    if (!request)
        return false;
    ca_engine_request(engine, request, true);
    json_decref(request);
    return true;
}

void ca_engine_stop(struct ca_engine *engine)
{
    engine->dirty = true;
    engine->halt = engine->trial;
    ca_engine_end_run(engine);
    if (engine->job)
        ca_engine_end_job(engine, true);
}

void ca_engine_take(struct ca_engine *engine, struct ca_simulation *simulation)
{
    ca_simulation_close(engine->simulation);
    engine->simulation = simulation;
    if (simulation)
        ca_simulation_meter(simulation, &engine->meter);
    engine->taken.begun = false;
    engine->running = false;
    ca_engine_forget_pace(engine);
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

/* --- the loop -------------------------------------------------------------------------------- */

/* Requests are taken as long as their replies are read, however many of them wait. */
static bool replies_are_read(const struct ca_engine *engine)
{
    return ca_buffer_count(&engine->channel.sent) < UNSENT_MAX;
}

static bool engine_ended(const struct ca_engine *engine)
{
    return engine->quit || engine->fault.status != CA_OK;
}

/* Takes one request that has been received: carries it out, or has it wait. False: there is none.
 */
static bool take_request(struct ca_engine *engine)
{
    struct ca_error error;
    json_t *request;
    int got;

    if (engine_ended(engine) || !replies_are_read(engine))
        return false;
    got = ca_channel_request(&engine->channel, &request, &error);
    if (got < 0)
        ca_engine_refuse(engine, json_object_get(request, "id"), &error);
    else if (got > 0)
        ca_engine_request(engine, request, false);
    json_decref(request);
    return got != 0;
}

/* Takes at most BATCH requests. False once there is nothing left to do at once. */
static bool take_requests(struct ca_engine *engine)
{
    int taken = 0;
    double until = ca_now() + BATCH_S;

    /* Carries out requests that have waited, for a short time only, because "stop" and others that
     * do not wait may come meanwhile. */
    while (!engine_ended(engine) && replies_are_read(engine) && ca_engine_next_waiting(engine))
        if (ca_now() >= until)
            break;
    while (taken < BATCH && take_request(engine))
        taken++;
    engine->unread = taken == BATCH;
    return !engine_ended(engine) && replies_are_read(engine) &&
           (engine->unread || (engine->waiting.first && !engine->job && !engine->trial));
}

/* Sleeps until a descriptor is ready, or until `until`, and reads and writes what is ready. What
 * was received is looked at before more is, so that it does not pile up. */
static void wait_for_peer(struct ca_engine *engine, double until, double now)
{
    struct ca_channel *channel = &engine->channel;
    bool unsent = ca_buffer_count(&channel->sent) > 0;
    bool deaf = channel->ended || engine->unread || !replies_are_read(engine);
    struct pollfd peer[2] = {
        {.fd = deaf ? -1 : channel->in, .events = POLLIN},
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

bool ca_engine_attend(struct ca_engine *engine, json_t *event)
{
    if (event)
        send_event(engine, event);
    wait_for_peer(engine, 0, 0);
    take_requests(engine);
    return !engine->halt && !engine->channel.broken && !engine_ended(engine);
}

static void loop(struct ca_engine *engine)
{
    struct ca_channel *channel = &engine->channel;

    while (!channel->broken) {
        bool more = take_requests(engine);
        bool idle = !more && !ca_engine_busy(engine) && replies_are_read(engine);
        double now = ca_now(), frame_s, step_s;

        if (engine_ended(engine) || (channel->ended && idle))
            break;
        frame_s = ca_engine_frame(engine, now);
        if (engine_ended(engine))
            break;
        step_s = ca_engine_next_step_s(engine, now);
        wait_for_peer(engine, more ? now : frame_s < step_s ? frame_s : step_s, now);
        now = ca_now();
        if (ca_engine_stepping(engine) && ca_engine_next_step_s(engine, now) <= now)
            ca_engine_step(engine, now);
    }
    engine->running = false;
    if (engine->fault.status != CA_OK && engine->simulation) /* otherwise "stopped" has been sent */
        ca_engine_lose(engine, &engine->fault);
    if (!engine_ended(engine) && !channel->broken)
        ca_engine_frame(engine, INFINITY); /* the final state */
    while (!channel->broken && ca_buffer_count(&channel->sent) > 0) {
        struct pollfd out = {.fd = channel->out, .events = POLLOUT};

        if (poll(&out, 1, -1) > 0)
            ca_channel_flush(channel);
    }
}

enum ca_status ca_engine_serve(int in, int out, struct ca_error *error)
{
    struct ca_engine engine = {.fps = 0};
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;

    CA_TRY(ca_channel_open(&engine.channel, in, out, error));
    sigaction(SIGPIPE, &ignore, &before);
    engine.picture[0].view = (struct ca_view){.zoom = 1, .columns = 80, .lines = 24};
    engine.pictures = 1;
    for (int i = 0; i < CA_PICTURES_MAX; i++)
        engine.picture[i].viewer = ca_viewer_new();
    if (engine.picture[0].viewer && engine.picture[1].viewer) {
        char host[256] = "";

        gethostname(host, sizeof host - 1);
        ca_channel_send(&engine.channel, "CALAB1 ",
                        json_pack("{s:s, s:i, s:s, s:o, s:o}", "version", CALAB_VERSION, "pid",
                                  (int)getpid(), "host", host, "capabilities",
                                  ca_engine_capabilities(), "cuda", ca_engine_cuda()),
                        NULL, 0);
        loop(&engine);
    } else {
        engine.channel.broken = true;
        ca_error_set(&engine.channel.error, CA_NO_MEMORY, "engine: no memory");
    }
    ca_engine_take(&engine, NULL);
    for (int i = 0; i < CA_PICTURES_MAX; i++)
        ca_viewer_free(engine.picture[i].viewer);
    ca_waiting_free(&engine.waiting);
    json_decref(engine.job_id);
    ca_engine_burst_end(&engine, NULL);
    ca_channel_close(&engine.channel);
    sigaction(SIGPIPE, &before, NULL);
    *error = engine.channel.broken ? engine.channel.error : engine.fault;
    return error->status;
}
