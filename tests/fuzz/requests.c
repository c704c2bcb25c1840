/* SPDX-License-Identifier: MIT */
/*
 * The engine's side of the protocol: lines and bytes as an engine receives them, each carried out
 * as its loop does, with time to step and to draw between them. It listens to no one and writes to
 * nowhere. Requests keep what they ask for, but for how much: large lattices, long calls and trials
 * are cut short, and files are written into the folder of the process alone.
 */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/engine/state.h"
#include "tests/fuzz/fuzz.h"

static struct ca_error error;

#define REQUESTS_MAX 24
#define STEPS_MAX 3 /* calls of a backend after a request, of a generation each */

static void limit(json_t *request, const char *key, json_int_t most)
{
    const json_t *value = json_object_get(request, key);

    if (json_is_integer(value) && json_integer_value(value) > most)
        json_object_set_new(request, key, json_integer(most));
}

/* Sizes beyond what any machine has are refused, and stay. */
static void limit_size(json_t *request)
{
    json_t *size = json_object_get(request, "size");
    double cells = 1;

    for (size_t i = 0; i < json_array_size(size); i++)
        cells *= (double)json_integer_value(json_array_get(size, i));
    if (!(cells > FUZZ_CELLS_MAX && cells < 1e16))
        return;
    for (size_t i = 0; i < json_array_size(size); i++)
        json_array_set_new(size, i, json_integer(5 + (json_int_t)i));
}

/* The built-in size is large; that of a file may stay away, and so may a text of a few digits. */
static void give_size(json_t *request)
{
    const json_t *size = json_object_get(request, "size");
    const struct ca_model *model;

    if (strcmp(ca_json_member(request, "op"), "open") != 0 ||
        (size
             ? json_string_length(size) < 6
             : json_object_get(request, "state") || strchr(ca_json_member(request, "init"), '.')) ||
        ca_model_find(&model, ca_json_member(request, "model"), &error) != CA_OK)
        return;
    json_object_set_new(request, "size",
                        model->dimensions == 3 ? json_pack("[i, i, i]", 7, 6, 5)
                                               : json_pack("[i, i]", 10, 6));
}

/* Files that are there already, whatever their size, are not read; the folder's own are small. */
static void keep_in_folder(json_t *request, const char *key)
{
    const char *path = json_string_value(json_object_get(request, key)), *slash;
    char inside[512];

    if (!path)
        return;
    slash = strrchr(path, '/');
    snprintf(inside, sizeof inside, "%s/%.200s", fuzz_folder(), slash ? slash + 1 : path);
    if (slash || strcmp(key, "init") != 0)
        json_object_set_new(request, key, json_string(inside));
}

/* A choice times all backends, for milliseconds. */
static void name_backend(json_t *request)
{
    const char *op = ca_json_member(request, "op"), *backend = ca_json_member(request, "backend");

    if ((strcmp(op, "open") == 0 && !json_object_get(request, "backend")) ||
        strcmp(backend, "auto") == 0 || strcmp(backend, "cpu") == 0)
        json_object_set_new(request, "backend", json_string("threads"));
}

static void limit_work(json_t *request)
{
    static const char *const files[] = {"file", "state", "init"};
    json_t *params = json_object_get(request, "parameters"),
           *options = json_object_get(request, "options");

    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        keep_in_folder(request, files[i]);
    keep_in_folder(params, "geometry_file");
    keep_in_folder(params, "terrain_file");
    keep_in_folder(params, "water_file");
    give_size(request);
    limit_size(request);
    name_backend(request);
    limit(request, "n", 9);
    limit(request, "calls", 3);
    limit(options, "threads", 2);
    limit(options, "ranks", 3);
}

/* Trials take their time by design: what they are asked for is read, and the last of it is wrong.
 */
static void refuse_trials(json_t *request)
{
    const char *op = ca_json_member(request, "op");

    if (strcmp(op, "bench") == 0)
        json_object_set_new(request, "check_s", json_integer(-1));
    if (strcmp(op, "verify") == 0)
        json_object_set_new(request, "small", json_integer(1));
    if (strcmp(op, "probe") == 0)
        json_object_set_new(request, "op", json_string("ping"));
}

/* What the loop does between requests. */
static void turn(struct ca_engine *engine)
{
    double now = ca_now();

    for (int i = 0; i < STEPS_MAX && ca_engine_stepping(engine); i++) {
        engine->generation_s = 1; /* so that no call is longer */
        engine->call = 0;
        ca_engine_step(engine, now);
    }
    if (ca_engine_frame(engine, INFINITY) >= 0)
        engine->outstanding = false;
}

static void serve(struct ca_engine *engine)
{
    json_t *request;

    for (int i = 0; i < REQUESTS_MAX && !engine->quit; i++) {
        int got = ca_channel_request(&engine->channel, &request, &error);

        if (got == 0)
            break;
        if (got < 0) {
            ca_engine_refuse(engine, json_object_get(request, "id"), &error);
        } else {
            limit_work(request);
            refuse_trials(request);
            ca_engine_request(engine, request, false);
        }
        json_decref(request);
        turn(engine);
    }
    request = json_pack("{s:s}", "op", "stop");
    ca_engine_request(engine, request, false);
    json_decref(request);
    while (ca_engine_next_waiting(engine))
        ;
}

void fuzz_requests(const uint8_t *data, size_t size)
{
    static int in = -1, out = -1;
    struct ca_engine engine = {.fps = 0};

    fuzz_folder();
    if (in < 0) {
        in = open("/dev/null", O_RDONLY | O_CLOEXEC);
        out = open("/dev/null", O_WRONLY | O_CLOEXEC);
    }
    if (ca_channel_open(&engine.channel, in, out, &error) != CA_OK)
        return;
    engine.picture[0].view = (struct ca_view){.zoom = 1, .columns = 8, .lines = 4};
    engine.pictures = 1;
    for (int i = 0; i < CA_PICTURES_MAX; i++)
        engine.picture[i].viewer = ca_viewer_new();
    if (ca_buffer_append(&engine.channel.received, data, size))
        serve(&engine);
    ca_engine_take(&engine, NULL);
    for (int i = 0; i < CA_PICTURES_MAX; i++)
        ca_viewer_free(engine.picture[i].viewer);
    ca_waiting_free(&engine.waiting);
    json_decref(engine.job_id);
    ca_engine_burst_end(&engine, NULL);
    ca_channel_close(&engine.channel);
}
