/* SPDX-License-Identifier: MIT */
/* A burst is a series of timed calls that all start from one kept state, to which the simulation
 * returns after each. A burst is a job of the loop, which makes one call each time round, so that
 * it can be stopped. Its calls do not count in the simulation's timing. */
#include "core/engine/state.h"

#include <inttypes.h>
#include <math.h>

#include "core/base/clock.h"
#include "core/engine/interference_json.h"

#define CALLS_MAX 10000

/* A kept state is used if it is the present one. */
static enum ca_status mark_here(struct ca_engine *engine, struct ca_error *error)
{
    uint64_t here = ca_simulation_generation(engine->simulation), kept;

    engine->burst.own_mark = !ca_simulation_marked(engine->simulation, &kept);
    if (engine->burst.own_mark)
        return ca_simulation_mark(engine->simulation, error);
    if (kept != here)
        return ca_fail(error, CA_USAGE,
                       "burst: the state of generation %" PRIu64 " is kept, and this is %" PRIu64
                       "; send \"back\", \"mark\" or \"unmark\" first",
                       kept, here);
    return ca_simulation_back(engine->simulation, error);
}

enum ca_status ca_engine_burst(struct ca_engine *engine, const json_t *request, json_t *answer,
                               struct ca_error *error)
{
    int64_t n = 1, calls = 1;
    double limit_s = INFINITY;

    (void)answer;
    CA_TRY(ca_request_int(request, "n", 1, INT64_MAX / 2, &n, error));
    CA_TRY(ca_request_int(request, "calls", 1, CALLS_MAX, &calls, error));
    CA_TRY(ca_request_real(request, "seconds", 0, 1e9, &limit_s, error));
    if (!engine->stopping)
        CA_TRY(mark_here(engine, error));
    engine->burst.seconds = json_array();
    engine->burst.device_s = json_array();
    engine->burst.n = (uint64_t)n;
    ca_timing_clear(&engine->burst.timing);
    engine->burst.until_s = ca_now() + limit_s;
    engine->burst.active = true;
    ca_meter_start(&engine->meter);
    engine->window.begun = false;
    ca_engine_begin(engine, json_object_get(request, "id"), (uint64_t)calls);
    return CA_OK;
}

enum ca_status ca_engine_burst_call(struct ca_engine *engine, bool *last, struct ca_error *error)
{
    double wall_s, device_s;

    CA_TRY(ca_simulation_time(engine->simulation, engine->burst.n, &wall_s, &device_s, error));
    CA_TRY(ca_simulation_back(engine->simulation, error));
    json_array_append_new(engine->burst.seconds, json_real(wall_s));
    json_array_append_new(engine->burst.device_s, json_real(device_s));
    ca_timing_add(&engine->burst.timing, engine->burst.n,
                  ca_simulation_passes(engine->simulation, engine->burst.n), device_s, wall_s);
    *last = ca_now() >= engine->burst.until_s;
    return CA_OK;
}

void ca_engine_burst_end(struct ca_engine *engine, json_t *answer)
{
    struct ca_interference others;

    if (answer) {
        ca_meter_stop(&engine->meter, &others);
        json_object_set_new(answer, "interference", ca_interference_to_json(&others));
    }
    if (engine->simulation && engine->burst.own_mark)
        ca_simulation_unmark(engine->simulation);
    if (answer) {
        if (engine->burst.timing.count > 0 && ca_interference_judge(&others, 0) != CA_DISTURBED)
            engine->able = ca_engine_figures(engine, &engine->burst.timing);
        json_object_set(answer, "seconds", engine->burst.seconds);
        json_object_set(answer, "device_s", engine->burst.device_s);
    }
    json_decref(engine->burst.seconds);
    json_decref(engine->burst.device_s);
    engine->burst.seconds = engine->burst.device_s = NULL;
    engine->burst.active = engine->burst.own_mark = false;
}
