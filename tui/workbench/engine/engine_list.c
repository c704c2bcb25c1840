/* SPDX-License-Identifier: MIT */
/* An engine by its own words: its greeting, and the models, backends and devices that it lists. */
#include "tui/workbench/engine/engine_list.h"

#include <stdio.h>
#include <string.h>

#include "tui/workbench/engine/figures_inside.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/session_requests.h"

extern const struct part engine_list_part, device_facts_part;

struct engine_list {
    json_t *hello, *models, *devices; /* NULL: not received yet */
    char no_cuda[CA_TEXT_MAX];
};

static struct engine_list *list_of(const struct pane *pane)
{
    return pane_state(pane, &engine_list_part);
}

const json_t *engine_hello(const struct pane *pane) { return list_of(pane)->hello; }
const json_t *engine_devices(const struct pane *pane) { return list_of(pane)->devices; }
const char *engine_no_cuda(const struct pane *pane) { return list_of(pane)->no_cuda; }

void engine_hello_take(struct pane *pane, json_t *hello)
{
    json_decref(list_of(pane)->hello);
    list_of(pane)->hello = json_incref(hello);
}

bool pane_can(const struct pane *pane, const char *request)
{
    const json_t *list = json_object_get(engine_hello(pane), "capabilities"), *name;
    size_t i;

    json_array_foreach(list, i, name)
    {
        if (json_is_string(name) && strcmp(json_string_value(name), request) == 0)
            return true;
    }
    return false;
}

void engine_list_forget(struct pane *pane)
{
    struct engine_list *list = list_of(pane);

    json_decref(list->models);
    list->models = NULL;
}

void engine_list_take(struct pane *pane, const json_t *json)
{
    struct engine_list *list = list_of(pane);

    engine_list_forget(pane);
    json_decref(list->devices);
    list->models = json_incref(json_object_get(json, "models"));
    list->devices = json_incref(json_object_get(json, "devices"));
    snprintf(list->no_cuda, sizeof list->no_cuda, "%s",
             ca_json_member(json_object_get(json, "cuda"), "reason"));
}

static void list_taken(struct pane *pane, struct pending *pending, const json_t *json)
{
    (void)pending;
    if (json)
        engine_list_take(pane, json);
}

void engine_list_ask(struct pane *pane) { session_try(pane, "list", NULL, NULL, 0, list_taken); }

void engine_list_renew(struct pane *pane)
{
    if (session_has_run(pane) && list_of(pane)->models)
        engine_list_ask(pane);
}

/* Asks for models, backends and devices after the first frame: for the list the engine asks CUDA's
 * driver, which takes some 0.15 s. */
static double list_tick(struct pane *pane, double now)
{
    bool seen = frame_of(pane)->known || layout_inner(&pane->wb->layout, PANEL_MAIN).rows == 0;

    (void)now;
    if (session_has_run(pane) && seen && !list_of(pane)->models &&
        !session_waits_for(pane, list_taken))
        engine_list_ask(pane);
    return -1;
}

const char *engine_lacks(const struct pane *pane, const struct ca_backend *backend)
{
    const json_t *model, *row;
    size_t i, j;

    json_array_foreach(list_of(pane)->models, i, model)
    {
        const char *name = json_string_value(json_object_get(model, "name"));

        if (!name || strcmp(name, pane->experiment.model->name) != 0)
            continue;
        json_array_foreach(json_object_get(model, "backends"), j, row)
        {
            name = json_string_value(json_object_get(row, "name"));
            if (name && strcmp(name, backend->name) == 0)
                return json_string_value(json_object_get(row, "reason"));
        }
        return "the engine there does not have it";
    }
    return NULL;
}

const struct ca_backend *engine_fastest_on(const struct pane *pane, enum ca_device_kind kind)
{
    const struct ca_model *model = pane->experiment.model;

    for (const struct ca_backend *b = model->backends; b; b = ca_backend_next(model, b))
        if (b->device == kind && !engine_lacks(pane, b))
            return ca_backend_auto(model) + (kind == CA_CUDA ? 2 : 1); /* cuda, cpu */
    return NULL;
}

static void engine_list_end(struct pane *pane)
{
    engine_list_forget(pane);
    json_decref(list_of(pane)->devices);
    list_of(pane)->devices = NULL;
    engine_hello_take(pane, NULL);
}

const struct part engine_list_part = {.name = "engine_list",
                                      .pane_bytes = sizeof(struct engine_list),
                                      .tick_pane = list_tick,
                                      .end_pane = engine_list_end};

/* --- its device ------------------------------------------------------------------------------- */

struct device *device_of(const struct pane *pane) { return pane_state(pane, &device_facts_part); }
void device_wanted(struct pane *pane) { device_of(pane)->due = true; }
const char *device_others(const struct pane *pane) { return device_of(pane)->ceilings_others; }

void device_take_others(struct pane *pane, const json_t *json)
{
    const char *others = ca_json_member(json, "ceilings_others");

    snprintf(device_of(pane)->ceilings_others, CA_DISTURBANCE_TEXT, "%s", others);
}

static void device_taken(struct pane *pane, struct pending *pending, const json_t *json)
{
    const json_t *several = json_object_get(json, "devices"), *one;
    struct device *device = device_of(pane);
    size_t i;

    (void)pending;
    device->known = true;
    device->joules = ca_wire_fact(json, CA_WIRE_JOULES);
    device_take_others(pane, json);
    device->count = 1;
    ca_wire_device_read(device->facts, json);
    json_array_foreach(several, i, one)
    {
        if (i < CA_RANKS_MAX) {
            ca_wire_device_read(&device->facts[i], one);
            device->count = (int)i + 1;
        }
    }
}

double device_tick(struct pane *pane, double now)
{
    struct device *device = device_of(pane);

    if (!session_has_run(pane) || session_waits_for(pane, device_taken))
        return -1;
    if (!device->due && !session_busy(pane))
        return -1;
    if (now - device->asked < 1)
        return 1 - (now - device->asked);
    device->due = false;
    device->asked = now;
    session_send(pane, "device", NULL, device_taken);
    return session_busy(pane) ? 1 : -1;
}

void device_renew(struct pane *pane)
{
    session_send(pane, "device", json_pack("{s:b}", "ceilings", 1), device_taken);
}

const struct part device_facts_part = {.name = "device facts", .pane_bytes = sizeof(struct device)};
