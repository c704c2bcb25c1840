/* SPDX-License-Identifier: MIT */
/* calab list MODEL: the plan of every backend for one lattice, and the choice among them. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/quantity.h"
#include "core/bench/choose.h"
#include "core/engine/experiment_json.h"
#include "core/machine/device.h"
#include "core/sim/plan_text.h"
#include "tui/commands/commands.h"
#include "tui/commands/json.h"

/* 0: unknown, or no speed. */
static double mups(const struct ca_experiment *experiment, const struct ca_candidate *candidate)
{
    return candidate->step_s > 0 && !ca_device_emulated(candidate->backend)
               ? (double)ca_cells(experiment->size) / candidate->step_s / 1e6
               : 0;
}

static json_t *to_json(const struct ca_experiment *experiment,
                       const struct ca_candidate candidates[], int count)
{
    json_t *list = json_array(), *root;

    for (int i = 0; i < count; i++) {
        const struct ca_candidate *c = &candidates[i];
        json_t *row = json_pack("{s:s, s:b, s:b}", "name", c->backend->name, "fits", c->fits,
                                "chosen", c->backend == experiment->backend);

        if (c->fits)
            json_object_set_new(row, "report", ca_plan_to_json(&c->plan));
        else
            json_object_set_new(row, "reason", json_string(c->reason));
        if (ca_device_emulated(c->backend)) {
            json_object_set_new(row, "emulated", json_true());
        } else if (c->step_s > 0) {
            json_object_set_new(row, "mups", json_real(mups(experiment, c)));
            json_object_set_new(row, "estimate", json_string(ca_estimate_names[c->estimate]));
        }
        if (c->predicted_s > 0 && !ca_device_emulated(c->backend))
            json_object_set_new(row, "predicted_s", json_real(c->predicted_s));
        json_array_append_new(list, row);
    }
    root = ca_experiment_to_json(experiment);
    json_object_set_new(root, "schema", json_string("calab-list/1"));
    json_object_set_new(root, "backends", list);
    return root;
}

enum ca_status list_model(const struct options *options, struct ca_error *error)
{
    static struct ca_experiment experiment;
    static struct ca_outputs outputs;
    struct ca_candidate candidates[CA_CANDIDATES_MAX];
    const struct ca_backend *choice;
    int count;

    CA_TRY(choose_experiment(&experiment, &outputs, options, NULL, error));
    choice = experiment.backend->choice ? experiment.backend : ca_backend_auto(experiment.model);
    ca_experiment_backend(&experiment, choice, experiment.origin[CA_KEY_BACKEND]);
    CA_TRY(ca_choose_backend(&experiment, error));
    count = ca_candidates(&experiment, choice, candidates);
    if (options_has(options, OPTION_JSON))
        return json_print(to_json(&experiment, candidates, count), error);
    char size[64], text[CA_TEXT_MAX], rate[CA_QUANTITY_TEXT];

    printf("# %s %s; * marks what %s chooses%s%s\n", experiment.model->name,
           ca_size_format(size, experiment.size, experiment.model->dimensions),
           experiment.choice->name, experiment.why[0] ? ": " : "", experiment.why);
    printf("  %-20s %10s  %-15s %s\n", "backend", "rate", "estimate", "how it runs, or why not");
    for (int i = 0; i < count; i++) {
        const struct ca_candidate *c = &candidates[i];

        printf("%c %-20s %10s  %-15s %s\n", c->backend == experiment.backend ? '*' : ' ',
               c->backend->name, ca_rate(rate, mups(&experiment, c) * 1e6),
               c->fits && ca_device_emulated(c->backend) ? "emulated"
               : c->fits                                 ? ca_estimate_names[c->estimate]
               : c->status == CA_NO_DEVICE               ? "not here"
                                                         : "does not fit",
               c->fits ? ca_plan_text(text, &c->plan) : c->reason);
    }
    return CA_OK;
}
