/* SPDX-License-Identifier: MIT */
/*
 * The messages of calab-engine(7) as JSON, written and read by both of its ends: names of events,
 * views, timing, frames, devices, errors. Experiments are in experiment_json.h.
 */
#ifndef CALAB_CORE_ENGINE_WIRE_H
#define CALAB_CORE_ENGINE_WIRE_H

#include <jansson.h>

#include "core/files/json.h"
#include "core/machine/device.h"
#include "core/sim/view.h"

enum ca_event {
    CA_EVENT_HELLO,
    CA_EVENT_FRAME,
    CA_EVENT_STOPPED,
    CA_EVENT_LOG,
    CA_EVENT_PROGRESS,
    CA_EVENT_UNKNOWN
};
extern const char *const ca_event_names[];

#define CA_WIRE_PAYLOAD_MAX (INT64_C(16) << 20) /* bytes that follow a message, either way */

enum ca_event ca_wire_event(const json_t *message);

/* A digest: 16 hexadecimal digits. */
json_t *ca_wire_digest(uint64_t digest);
/* A whole number as a JSON integer, a number that is not finite as null. */
json_t *ca_wire_number(double value);
/* Leaves *generation alone, and is false, where a message has none. */
bool ca_wire_generation(const json_t *json, uint64_t *generation);

/* {"code":…,"message":…}. A NULL reads as CA_OK without a text, an unknown code as CA_IO. */
json_t *ca_wire_error(const struct ca_error *error);
void ca_wire_error_read(struct ca_error *error, const json_t *json);

/* Sets all keys of a view. Reading leaves alone what has no key; CA_USAGE for a wrong value. */
void ca_wire_set_view(json_t *json, const struct ca_view *view);
enum ca_status ca_wire_view_read(struct ca_view *view, const json_t *json, struct ca_error *error);

#define CA_PICTURES_MAX 2

/* The last calls were made by this: requests for steps, a run without limits, one with
 * deadlines. */
enum ca_mode { CA_MODE_STEP, CA_MODE_FREE, CA_MODE_PACED };
extern const char *const ca_mode_names[]; /* "step", "free", "paced", NULL */

/* Seconds and rates of the last calls (core/sim/timing.h), and sums since the simulation opened.
 * NAN: unknown; count = 0: nothing was timed. */
struct ca_wire_timing {
    struct ca_timing_figures figures, able; /* able: of the last free run or undisturbed burst */
    double others, cores, gpu_others; /* cores that others used, of those that there are; their
                                         share of the GPU; NAN: unknown */
    enum ca_mode mode;
    bool emulated; /* by a GPU that is: the rates are NAN */
    uint64_t generations;
    double device_s, wall_s;
    double transfer_s, copy_share, logic_share;
};

/* A picture of a frame: what stands before its codes and levels (core/sim/view.h). */
struct ca_wire_picture {
    struct ca_view view;
    bool sampled;
    double low, high; /* the range of the levels; NAN: unknown */
};

/* The event that goes before the bytes of a frame, those of one picture after the other
 * (ca_view_bytes). */
struct ca_wire_frame {
    struct ca_wire_picture picture[CA_PICTURES_MAX];
    int pictures; /* 1, or 2 with one beside the first */
    uint64_t generation;
    bool running;
    bool timed;
    struct ca_wire_timing timing;
    bool observed;
    uint64_t observed_generation;
    double observe_s; /* seconds that these values took; NAN: unknown */
    bool in_place;    /* computed by the backend where the state is, not on the host from rows */
    int observables;  /* values */
    double observable[CA_OBSERVABLES_MAX];
    int broken; /* the index of an observable that must not have changed, -1: none */
};

json_t *ca_wire_frame(const struct ca_wire_frame *frame);
/* Missing members read as unknown. False where a view is not one of a frame. */
bool ca_wire_frame_read(struct ca_wire_frame *frame, const json_t *json);

json_t *ca_wire_device(const struct ca_device *device);
void ca_wire_device_read(struct ca_device *device, const json_t *json);
/* Members of a description of a device that belong to its simulation. */
#define CA_WIRE_JOULES "joules_per_1e9_updates"
void ca_wire_set_fact(json_t *json, const char *key, struct ca_fact fact);
struct ca_fact ca_wire_fact(const json_t *json, const char *key);

/*
 * Values of a request by key. A missing key leaves *value alone; CA_USAGE for another type or
 * range.
 */
enum ca_status ca_request_int(const json_t *request, const char *key, int64_t min, int64_t max,
                              int64_t *value, struct ca_error *error);
enum ca_status ca_request_real(const json_t *request, const char *key, double min, double max,
                               double *value, struct ca_error *error);
enum ca_status ca_request_bool(const json_t *request, const char *key, bool *value,
                               struct ca_error *error);
enum ca_status ca_request_text(const json_t *request, const char *key, const char **value,
                               struct ca_error *error);
enum ca_status ca_request_choice(const json_t *request, const char *key, const char *const names[],
                                 int *value, struct ca_error *error);
enum ca_status ca_request_required(const json_t *request, const char *key, struct ca_error *error);
enum ca_status ca_request_wrong(const json_t *request, const char *key, const char *allowed,
                                struct ca_error *error);

#endif
