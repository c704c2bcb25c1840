/* SPDX-License-Identifier: MIT */
/* These editors change what determines a run: the initial state, the parameters of the model, the
 * options of the backend, size and seed. */
#include "tui/workbench/lists/lists.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "core/base/clock.h"
#include "core/files/formats.h"
#include "core/sim/simulation.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/base/settings.h"
#include "tui/workbench/engine/go.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/session_requests.h"
#include "tui/workbench/engine/split.h"

/* The values among which an item of the list is, and its place there: first the parameters, then
 * the options. NULL: it is the initial state, item 0. */
static struct ca_values *values_at(struct ca_experiment *e, int item, int *index)
{
    *index = item - 1;
    if (*index < e->params.count)
        return item > 0 ? &e->params : NULL;
    *index -= e->params.count;
    return &e->options;
}

/* What 0 stands for, as the help of a number says behind "0: ", up to its next part. */
static void add_meaning(char text[CA_TEXT_MAX], const struct ca_param *param)
{
    const char *zero = strcmp(text, "0") == 0 ? strstr(param->help, " 0: ") : NULL;

    if (zero)
        snprintf(text, CA_TEXT_MAX, "%.*s", (int)strcspn(zero + 1, ";,)"), zero + 1);
}

static void add_values(const struct ca_values *values, int first)
{
    char text[CA_TEXT_MAX], range[CA_TEXT_MAX], standard[CA_TEXT_MAX];

    for (int i = 0; i < values->count; i++) {
        const struct ca_param *param = &values->table[i];
        struct list_row *row;

        ca_value_format(text, param, &values->value[i]);
        add_meaning(text, param);
        ca_param_range(range, param);
        ca_param_default(standard, param);
        row = list_add(first + i, "%-16s %-14.80s %s%s%s%s", param->name, text[0] ? text : "\"\"",
                       param->unit ? param->unit : "", param->unit ? ", " : "",
                       ca_origin_name(values->value[i].origin),
                       param->initial ? ", used at the next reset" : "");
        snprintf(row->detail, sizeof row->detail, "%s\n%s%.400s; default %.100s%s", param->help,
                 range[0] ? "allowed: " : "any text", range, standard[0] ? standard : "\"\"",
                 param->initial ? "; it affects the initial state after the next reset" : "");
    }
}

static void parameters_fill(struct workbench *wb)
{
    const struct ca_experiment *e = &wb->pane->experiment;
    char endings[CA_TEXT_MAX], start[CA_TEXT_MAX + 64];
    struct list_row *row = list_add(0, "%-16s %-14.150s %s", "init", ca_experiment_start(start, e),
                                    ca_origin_name(e->origin[CA_KEY_INIT]));

    snprintf(row->detail, sizeof row->detail,
             "the initial state; a change restarts at generation 0. Allowed:");
    for (const struct ca_start *named = e->model->start->named; named->name; named++)
        ca_text_add(row->detail, sizeof row->detail, " %s |", named->name);
    ca_text_add(row->detail, sizeof row->detail, " a file that ends in %s",
                ca_format_endings(endings, e->model, ca_format_restores));
    list_add(0, "parameters of the model")->heading = true;
    add_values(&e->params, 1);
    if (e->options.count > 0)
        list_add(0, "options of the backend")->heading = true;
    add_values(&e->options, 1 + e->params.count);
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

/* A pattern or a state that is of another size than an experiment brings it, as it does where it is
 * opened. A size that the user has set stays, and the start is refused. */
static void take_size_of_start(struct pane *pane, struct ca_experiment *wanted)
{
    static struct ca_experiment checked;
    struct ca_error ignored; /* it is the engine's to say */
    char size[64];

    checked = *wanted;
    if (wanted->origin[CA_KEY_SIZE] >= CA_FROM_ENVIRONMENT ||
        ca_experiment_check(&checked, &ignored) != CA_USAGE)
        return;
    checked = *wanted;
    checked.size = wanted->model->default_size;
    checked.origin[CA_KEY_SIZE] = CA_BUILT_IN;
    if (ca_experiment_check(&checked, &ignored) != CA_OK ||
        ca_size_equal(checked.size, wanted->size))
        return;
    wanted->size = checked.size;
    message_show(pane->wb, "the size is %s now, as the start says",
                 ca_size_format(size, wanted->size, wanted->model->dimensions));
}

bool experiment_set(struct pane *pane, const char *name, const char *text, struct ca_error *error)
{
    static struct ca_experiment wanted;

    wanted = pane->experiment;
    if (ca_experiment_set(&wanted, name, text, CA_FROM_WORKBENCH, name, error) != CA_OK)
        return false;
    if (strcmp(name, ca_key_rows[CA_KEY_INIT].name) == 0)
        take_size_of_start(pane, &wanted);
    reopen(pane, &wanted);
    return true;
}

static bool value_accept(struct workbench *wb, int item, const char *text, struct ca_error *error)
{
    int index;
    const struct ca_values *values = values_at(&wb->pane->experiment, item, &index);

    return !values || index >= values->count ||
           parameter_set(wb->pane, values->table[index].name, text, error);
}

static bool experiment_accept(struct workbench *wb, int item, const char *text,
                              struct ca_error *error)
{
    return experiment_set(wb->pane, ca_key_rows[item].name, text, error);
}

static void value_words(struct workbench *wb, struct completion *completion)
{
    int index;
    const struct ca_values *values = values_at(&wb->pane->experiment, dialog_top(wb)->item, &index);

    completion->files = true;
    if (values && index < values->count)
        complete_value(completion, &values->table[index]);
}

void start_words(struct workbench *wb, struct completion *completion)
{
    complete_starts(completion, wb->pane->experiment.model);
    complete_files(completion);
}

static const struct prompt_source value_source = {
    .label = "value: ", .accept = value_accept, .offer = value_words};
static const struct prompt_source init_source = {
    .label = "init: ", .accept = experiment_accept, .offer = start_words};

static bool parameters_open(struct workbench *wb, const struct list_row *row)
{
    int index;
    const struct ca_values *values = values_at(&wb->pane->experiment, row->item, &index);
    char text[CA_TEXT_MAX];

    if (!values)
        prompt_open(wb, &init_source, CA_KEY_INIT, wb->pane->experiment.init, row->detail);
    else
        prompt_open(wb, &value_source, row->item,
                    ca_value_format(text, &values->table[index], &values->value[index]),
                    row->detail);
    return false;
}

/* --- back to the defaults --------------------------------------------------------------------- */

/* Sets one value of a table, or with -1 all of them, back to its default. */
static void restore_values(struct ca_values *values, int index)
{
    struct ca_values fresh;

    ca_values_default(&fresh, values->table);
    for (int i = 0; i < values->count; i++)
        if (index < 0 || i == index)
            values->value[i] = fresh.value[i];
}

/* Another start opens the run again, in both panes; anything else goes on. */
static void parameters_restore(struct workbench *wb, int item)
{
    static struct ca_experiment wanted, beside;
    const struct ca_experiment *now = &wb->pane->experiment;
    struct pane *b = &wb->panes[1];
    struct ca_values *values;
    int index;

    wanted = *now;
    values = values_at(&wanted, item, &index);
    if (values)
        restore_values(values, index);
    if (item < 0) {
        restore_values(&wanted.params, -1);
        restore_values(&wanted.options, -1);
    }
    if (item <= 0)
        ca_experiment_begin_with(&wanted, wanted.model->start->named[0].name, CA_BUILT_IN);
    if (ca_experiment_differs(&wanted, now, CA_MAKES_RUN) != CA_KEY_COUNT) {
        reopen(wb->pane, &wanted);
        return;
    }
    if (ca_values_equal(&wanted.params, &now->params) &&
        ca_values_equal(&wanted.options, &now->options))
        message_show(wb, item < 0 ? "everything has its default already"
                                  : "this is the default already");
    else
        session_change(wb->pane, &wanted);
    /* B follows A in its parameters alone, which belong to the run of both. */
    if (split_is_open(wb) && pane_index(wb->pane) == 0 && (item < 0 || values == &wanted.params)) {
        beside = b->experiment;
        restore_values(&beside.params, item < 0 ? -1 : index);
        if (!ca_values_equal(&beside.params, &b->experiment.params))
            session_change(b, &beside);
    }
}

const struct list_source parameters_source = {.title = "parameters",
                                              .fill = parameters_fill,
                                              .open = parameters_open,
                                              .restore = parameters_restore,
                                              .detail = 4};

/* --- size and seed ---------------------------------------------------------------------------- */

static const struct prompt_source size_source = {.label = "size: ", .accept = experiment_accept};
static const struct prompt_source seed_source = {.label = "seed: ", .accept = experiment_accept};

static void size_open(struct workbench *wb)
{
    const struct ca_model *model = wb->pane->experiment.model;
    char text[64], help[256], standard[64];

    ca_size_format(standard, model->default_size, model->dimensions);
    snprintf(help, sizeof help,
             "size of the lattice, %s; default %s. A change restarts at generation 0.",
             model->dimensions == 3 ? "WxHxD" : "WxH", standard);
    prompt_open(wb, &size_source, CA_KEY_SIZE,
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
    prompt_open(wb, &seed_source, CA_KEY_SEED, text, help);
}

const struct part parameters_part = {
    .name = "parameters", .actions = {{REQUEST_RESEED, seed_open}, {REQUEST_SIZE, size_open}}};

/* --- settings --------------------------------------------------------------------------------- */

static void settings_fill(struct workbench *wb)
{
    const struct ca_values *values = ca_settings_values(wb->settings);
    bool golly = strcmp(setting_text(wb, CA_SETTING_KEYS), "golly") == 0;
    char value[CA_TEXT_MAX], range[CA_TEXT_MAX], standard[CA_TEXT_MAX];
    struct list_row *row;

    for (int i = 0; i < values->count; i++) {
        const struct ca_param *param = &values->table[i];

        ca_value_format(value, param, &values->value[i]);
        ca_param_default(standard, param);
        if (i == CA_SETTING_SPEED) /* each model has its own */
            ca_number_format(standard, wb->pane->experiment.model->pace);
        ca_param_range(range, param);
        row = list_add(i, "%-16s %-14.60s %s", param->name, value,
                       ca_origin_name(values->value[i].origin));
        snprintf(row->detail, sizeof row->detail, "%s\n%s%.300s; default %.100s", param->help,
                 range[0] ? "allowed: " : "", range, standard);
    }
    list_add(0, "keys")->heading = true;
    for (const struct key_row *key = keys_table; key->name; key++) {
        row = list_add(values->count + (int)(key - keys_table), "%-16s %-14s %s", key->name,
                       wb->keys.keys[key->request],
                       ca_settings_key(wb->settings, key->name) ? "calab.cfg" : "built-in");
        snprintf(row->detail, sizeof row->detail, "%s\nkeys, separated by spaces; default %s",
                 key->help, golly && key->golly ? key->golly : key->keys);
    }
}

static bool setting_accept(struct workbench *wb, int item, const char *text, struct ca_error *error)
{
    return setting_set(wb, (enum ca_setting)item, text, error);
}

static bool key_accept(struct workbench *wb, int item, const char *text, struct ca_error *error)
{
    const struct key_row *row = &keys_table[item];

    if (!keymap_bind(&wb->keys, row->request, text, error->text, sizeof error->text))
        return false;
    ca_settings_set_key(wb->settings, row->name, text);
    settings_save_soon(wb);
    return true;
}

static const struct prompt_source setting_source = {.label = "value: ", .accept = setting_accept};
static const struct prompt_source key_source = {.label = "keys: ", .accept = key_accept};

static bool settings_choose(struct workbench *wb, const struct list_row *row)
{
    const struct ca_values *values = ca_settings_values(wb->settings);
    int item = row->item, key = item - values->count;
    char text[CA_TEXT_MAX];

    if (key >= 0) {
        prompt_open(wb, &key_source, key, wb->keys.keys[keys_table[key].request], row->detail);
    } else if (values->table[item].kind == CA_CHOICE) {
        setting_cycle(wb, (enum ca_setting)item); /* selects the next choice */
    } else {
        ca_value_format(text, &values->table[item], &values->value[item]);
        prompt_open(wb, &setting_source, item, text, row->detail);
    }
    return false;
}

const struct list_source settings_source = {
    .title = "settings", .fill = settings_fill, .open = settings_choose, .detail = 3};
