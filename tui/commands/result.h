/* SPDX-License-Identifier: MIT */
/* The result of a run: figures, observables, hash and a frame in characters; as text or JSON. */
#ifndef CALAB_TUI_RESULT_H
#define CALAB_TUI_RESULT_H

#include <jansson.h>

#include "core/base/quantity.h"
#include "core/sim/simulation.h"
#include "core/sim/view.h"
#include "tui/commands/outputs.h"

#define RESULT_COLUMNS 78
#define RESULT_LINES 24

struct result {
    const struct ca_experiment *experiment;
    uint64_t steps, generation; /* of this run; of the state */
    double observables[CA_OBSERVABLES_MAX];
    double wall_s, device_s;
    bool transfer_known; /* the backend's clock measures transfers separately */
    double transfer_s;
    bool emulated; /* by a GPU that is: it has no rate */
    double mups;   /* 0: unknown, because nothing was stepped */
    uint64_t hash;
    struct ca_disturbance disturbance; /* while it was stepped; no samples: not watched */
    const struct outputs *outputs;     /* the files that were written; NULL: none */
    enum ca_device_kind kind;
    int index;
    char device[192];
    struct ca_plan plan; /* what the backend ran */
    int lines;           /* of the frame, 0: no frame */
    char caption[160];
    char frame[RESULT_LINES][RESULT_COLUMNS + 1];
};

/* Fills the result from a simulation, whose experiment it points to. */
enum ca_status result_take(struct result *result, struct ca_simulation *simulation, bool frame,
                           struct ca_error *error);
/* "1.2 Gups", or that it is no speed. Returns text. */
char *result_rate(char text[CA_QUANTITY_TEXT], const struct result *result, double cells_per_s);
void result_print_text(const struct result *result);
/* The settings of an experiment that go to all of `places`, a line each. */
void result_print_run(FILE *out, const struct ca_experiment *experiment, unsigned places);
/* The object that --json prints; NULL without memory. */
json_t *result_json(const struct result *result);
enum ca_status result_print_json(const struct result *result, struct ca_error *error);

#endif
