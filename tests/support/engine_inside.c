/* SPDX-License-Identifier: MIT */
/* Owns an engine without a process, and the pipe that it writes to. */
#include "tests/support/engine_inside.h"

#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/model/registry.h"
#include "tests/support/support.h"

void inside_open(struct inside *inside, const struct ca_stepper *stepper)
{
    struct ca_experiment experiment;
    struct ca_error error;

    *inside = (struct inside){.model = anneal_model};
    inside->backends[0] = anneal_model.backends[0];
    inside->backends[0].stepper = stepper;
    inside->model.backends = inside->backends;
    inside->in = open("/dev/null", O_RDONLY);
    ck_assert_int_eq(pipe(inside->out), 0);
    inside->peer.from = inside->out[0];
    ck_assert_ok(ca_channel_open(&inside->engine.channel, inside->in, inside->out[1], &error));
    ca_experiment_default(&experiment, &inside->model);
    ca_experiment_backend(&experiment, inside->backends, CA_FROM_COMMAND_LINE);
    experiment.size = (struct ca_size){32, 32, 1};
    ck_assert_ok(ca_simulation_open(&inside->engine.simulation, &experiment, &error));
    inside->engine.pictures = 1;
    inside->engine.picture[0].viewer = ca_viewer_new();
    inside->engine.picture[0].view = (struct ca_view){.zoom = 1, .columns = 4, .lines = 2};
}

void inside_ask(struct inside *inside, const char *request)
{
    json_t *json = json_loads(request, 0, NULL);

    ck_assert_ptr_nonnull(json);
    ca_engine_request(&inside->engine, json, false);
    json_decref(json);
}

void inside_close(struct inside *inside)
{
    ca_engine_take(&inside->engine, NULL);
    ca_viewer_free(inside->engine.picture[0].viewer);
    ca_channel_close(&inside->engine.channel);
    ca_waiting_free(&inside->engine.waiting);
    free(inside->peer.text);
    close(inside->in);
    close(inside->out[0]);
    close(inside->out[1]);
}
