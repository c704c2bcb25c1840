/* SPDX-License-Identifier: MIT */
/* These editors change what determines a run: the initial state, the parameters of the model, the
 * options of the backend, size and seed. */
#include "tui/workbench/lists/parameters.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "core/base/clock.h"
#include "core/files/formats.h"
#include "tui/workbench/base/dialog.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/base/shared.h"
#include "tui/workbench/engine/go.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/session_facts.h"
#include "tui/workbench/engine/split.h"
#include "tui/workbench/lists/complete.h"

/* The rows are the initial state, a heading, the parameters, a heading, and the options. */
struct row_source {
    const struct ca_values *values; /* NULL: the initial state or a heading */
    int index;
    const char *heading;
};

static struct row_source parameters_row_at(struct pane *pane, int index)
{
    const struct ca_experiment *e = &pane->experiment;

    if (index == 0)
        return (struct row_source){NULL, 0, NULL};
    if (index == 1)
        return (struct row_source){NULL, 0, "parameters of the model"};
    if (index < 2 + e->params.count)
        return (struct row_source){&e->params, index - 2, NULL};
    if (index == 2 + e->params.count)
        return (struct row_source){NULL, 0, "options of the backend"};
    return (struct row_source){&e->options, index - 3 - e->params.count, NULL};
}

static int parameters_count(struct workbench *wb)
{
    const struct ca_experiment *e = &wb->pane->experiment;

    return 2 + e->params.count + (e->options.count > 0 ? 1 + e->options.count : 0);
}

static void start_row(struct pane *pane, struct list_row *row)
{
    const struct ca_model *model = pane->experiment.model;
    char endings[CA_TEXT_MAX], start[CA_TEXT_MAX + 64];
    size_t used;

    snprintf(row->text, sizeof row->text, "%-16s %-14.150s %s", "init",
             ca_experiment_start(start, &pane->experiment),
             ca_origin_name(pane->experiment.origin[CA_KEY_INIT]));
    used = (size_t)snprintf(row->detail, sizeof row->detail,
                            "the initial state; a change restarts at generation 0. Allowed:");
    for (int i = 0; model->start->named[i].name && used < sizeof row->detail; i++)
        used += (size_t)snprintf(row->detail + used, sizeof row->detail - used, " %s |",
                                 model->start->named[i].name);
    if (used < sizeof row->detail)
        snprintf(row->detail + used, sizeof row->detail - used, " a file that ends in %s",
                 ca_format_endings(endings, model, ca_format_restores));
}

static void parameters_row(struct workbench *wb, int index, struct list_row *row)
{
    struct row_source source = parameters_row_at(wb->pane, index);
    const struct ca_param *param;
    const struct ca_value *value;
    char text[CA_TEXT_MAX], range[CA_TEXT_MAX], standard[CA_TEXT_MAX];

    if (index == 0) {
        start_row(wb->pane, row);
        return;
    }
    if (source.heading) {
        row->heading = true;
        snprintf(row->text, sizeof row->text, "%s", source.heading);
        return;
    }
    param = &source.values->table[source.index];
    value = &source.values->value[source.index];
    ca_value_format(text, param, value);
    ca_param_range(range, param);
    ca_param_default(standard, param);
    snprintf(row->text, sizeof row->text, "%-16s %-14.80s %s%s%s%s", param->name,
             text[0] ? text : "\"\"", param->unit ? param->unit : "", param->unit ? ", " : "",
             ca_origin_name(value->origin), param->initial ? ", used at the next reset" : "");
    snprintf(row->detail, sizeof row->detail, "%s\n%s%.400s; default %.100s%s", param->help,
             range[0] ? "allowed: " : "any text", range, standard[0] ? standard : "\"\"",
             param->initial ? "; it affects the initial state after the next reset" : "");
}

bool parameter_set(struct pane *pane, const char *key, const char *text, struct ca_error *error)
{
    static struct ca_experiment wanted;

    wanted = pane->experiment;
    if (ca_experiment_value(&wanted, key, text, CA_FROM_WORKBENCH, NULL, error) != CA_OK)
        return false;
    if (!session_has_run(pane) || session_is_changing(pane) ||
        !ca_values_equal(&wanted.params, &pane->experiment.params) ||
        !ca_values_equal(&wanted.options, &pane->experiment.options))
        session_change(pane, &wanted);
    if (split_is_open(pane->wb) && pane_index(pane) == 0 &&
        ca_values_find(&wanted.params, key) >= 0) /* the run of both; options are A's alone */
        return parameter_set(&pane->wb->panes[1], key, text, error);
    return true;
}

bool experiment_set(struct pane *pane, const char *name, const char *text, struct ca_error *error)
{
    static struct ca_experiment wanted;

    wanted = pane->experiment;
    if (ca_experiment_set(&wanted, name, text, CA_FROM_WORKBENCH, name, error) != CA_OK)
        return false;
    reopen(pane, &wanted);
    return true;
}

static bool value_accept(struct workbench *wb, int item, const char *text, struct ca_error *error)
{
    struct row_source source = parameters_row_at(wb->pane, item);

    return !source.values ||
           parameter_set(wb->pane, source.values->table[source.index].name, text, error);
}

static bool init_accept(struct workbench *wb, int item, const char *text, struct ca_error *error)
{
    (void)item;
    return experiment_set(wb->pane, "init", text, error);
}

static void row_complete(struct workbench *wb, char *text, char *message, int size)
{
    struct row_source source = parameters_row_at(wb->pane, dialog_top(wb)->item);

    if (source.values)
        value_complete(&source.values->table[source.index], text, message, size);
}

static const struct prompt_source value_source = {
    .label = "value: ", .accept = value_accept, .complete = row_complete};
static const struct prompt_source init_source = {
    .label = "init: ", .accept = init_accept, .complete = start_complete};

static bool parameters_open(struct workbench *wb, int index)
{
    struct row_source source = parameters_row_at(wb->pane, index);
    struct list_row row = {0};
    char text[CA_TEXT_MAX];

    parameters_row(wb, index, &row);
    if (index == 0)
        prompt_open(wb, &init_source, 0, wb->pane->experiment.init, row.detail);
    else if (source.values)
        prompt_open(wb, &value_source, index,
                    ca_value_format(text, &source.values->table[source.index],
                                    &source.values->value[source.index]),
                    row.detail);
    return false;
}

/* --- back to the defaults ----------------------------------------------------------------------
 */

static void restore_value(struct ca_values *values, int index)
{
    struct ca_values fresh;

    ca_values_default(&fresh, values->table);
    values->value[index] = fresh.value[index];
}

/* B follows A in its parameters alone, which belong to the run of both. */
static void restore_beside(struct workbench *wb, int index)
{
    static struct ca_experiment wanted;
    struct pane *b = &wb->panes[1];

    wanted = b->experiment;
    for (int i = 0; i < wanted.params.count; i++)
        if (index < 0 || parameters_row_at(b, index).index == i)
            restore_value(&wanted.params, i);
    if (!ca_values_equal(&wanted.params, &b->experiment.params))
        session_change(b, &wanted);
}

/* Another start opens the run again, in both panes; anything else goes on. */
static void parameters_restore(struct workbench *wb, int index)
{
    static struct ca_experiment wanted;
    const struct ca_experiment *now = &wb->pane->experiment;
    struct row_source source;

    wanted = *now;
    for (int i = 0; i < parameters_count(wb); i++) {
        source = parameters_row_at(wb->pane, i);
        if (source.values && (index < 0 || i == index))
            restore_value(source.values == &now->params ? &wanted.params : &wanted.options,
                          source.index);
    }
    if (index <= 0) {
        ca_experiment_begin_with(&wanted, wanted.model->start->named[0].name, CA_BUILT_IN);
    }
    source = parameters_row_at(wb->pane, index < 0 ? 0 : index);
    if (ca_experiment_differs(&wanted, now, CA_MAKES_RUN) != CA_KEY_COUNT) {
        reopen(wb->pane, &wanted);
        return;
    }
    if (ca_values_equal(&wanted.params, &now->params) &&
        ca_values_equal(&wanted.options, &now->options))
        message_show(wb, index < 0 ? "everything has its default already"
                                   : "this is the default already");
    else
        session_change(wb->pane, &wanted);
    if (split_is_open(wb) && pane_index(wb->pane) == 0 &&
        (index < 0 || source.values == &now->params))
        restore_beside(wb, index);
}

const struct list_source parameters_source = {.title = "parameters",
                                              .count = parameters_count,
                                              .row = parameters_row,
                                              .open = parameters_open,
                                              .restore = parameters_restore,
                                              .detail = 4};

/* --- size and seed ---------------------------------------------------------------------------- */

static bool size_accept(struct workbench *wb, int item, const char *text, struct ca_error *error)
{
    (void)item;
    return experiment_set(wb->pane, "size", text, error);
}

static bool seed_accept(struct workbench *wb, int item, const char *text, struct ca_error *error)
{
    (void)item;
    return experiment_set(wb->pane, "seed", text, error);
}

static const struct prompt_source size_source = {.label = "size: ", .accept = size_accept};
static const struct prompt_source seed_source = {.label = "seed: ", .accept = seed_accept};

static void size_open(struct workbench *wb)
{
    const struct ca_model *model = wb->pane->experiment.model;
    char text[64], help[256], standard[64];

    ca_size_format(standard, model->default_size, model->dimensions);
    snprintf(help, sizeof help,
             "size of the lattice, %s; default %s. A change restarts at generation 0.",
             model->dimensions == 3 ? "WxHxD" : "WxH", standard);
    prompt_open(wb, &size_source, 0,
                ca_size_format(text, wb->pane->experiment.size, model->dimensions), help);
}

static void seed_open(struct workbench *wb)
{
    uint32_t fresh = 0;
    char text[32], help[200];

    if (getrandom(&fresh, sizeof fresh, GRND_NONBLOCK) < 0)
        fresh = (uint32_t)(ca_now() * 1e6);
    snprintf(text, sizeof text, "%" PRIu32, fresh);
    snprintf(help, sizeof help,
             "seed of the run, 0 ... 2^64 - 1, decimal or 0x...; present seed %" PRIu64
             ". A change restarts at generation 0.",
             wb->pane->experiment.seed);
    prompt_open(wb, &seed_source, 0, text, help);
}

static const struct part_action parameters_actions[] = {
    {REQUEST_RESEED, seed_open},
    {REQUEST_SIZE, size_open},
    {REQUEST_NONE, NULL},
};

const struct part parameters_part = {.name = "parameters", .actions = parameters_actions};
