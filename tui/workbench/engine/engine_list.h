/* SPDX-License-Identifier: MIT */
/* An engine by its own words: its greeting, and the models, backends and devices that it lists. */
#ifndef CALAB_TUI_WORKBENCH_ENGINE_ENGINE_LIST_H
#define CALAB_TUI_WORKBENCH_ENGINE_ENGINE_LIST_H

#include <jansson.h>

#include "tui/workbench/base/part.h"

/* The greeting and the devices, the CPU first; NULL: not received yet. */
const json_t *engine_hello(const struct pane *pane);
const json_t *engine_devices(const struct pane *pane);
const char *engine_no_cuda(const struct pane *pane); /* why there is no GPU, "" if there is one */
void engine_hello_take(struct pane *pane, json_t *hello);
/* Whether it knows a request, or what else its greeting names. */
bool pane_can(const struct pane *pane, const char *request);
/* Asks for the list, or where it is known for a new one; takes it; forgets its models, so that it
 * is asked for again. */
void engine_list_ask(struct pane *pane);
void engine_list_renew(struct pane *pane);
void engine_list_take(struct pane *pane, const json_t *json);
void engine_list_forget(struct pane *pane);
/* Why a backend cannot run where the engine is; NULL: it can, or that is not known yet. */
const char *engine_lacks(const struct pane *pane, const struct ca_backend *backend);
/* Returns the fastest backend on a kind of device, NULL: none is available. */
const struct ca_backend *engine_fastest_on(const struct pane *pane, enum ca_device_kind kind);

/* Its device is asked for while the panel is shown: at once, also where nothing runs. */
void device_wanted(struct pane *pane);
/* The engine reads the ceilings of its device anew. */
void device_renew(struct pane *pane);
/* Takes from a reply what disturbed the measurement of the ceilings; "": nothing. */
void device_take_others(struct pane *pane, const json_t *json);
const char *device_others(const struct pane *pane);

#endif
