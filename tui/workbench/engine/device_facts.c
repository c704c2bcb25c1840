/* SPDX-License-Identifier: MIT */
/* The engine is asked for its device while the panel is shown. */
#include "tui/workbench/engine/device_inside.h"

#include <stdio.h>

#include "core/engine/wire.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/base/part.h"
#include "tui/workbench/base/shared.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/session_facts.h"
#include "tui/workbench/engine/session_requests.h"
#include "tui/workbench/terminal/layout.h"

struct device *device_of(const struct pane *pane) { return pane_state(pane, &device_facts_part); }

void device_wanted(struct pane *pane) { device_of(pane)->due = true; }

const char *device_others(const struct pane *pane) { return device_of(pane)->ceilings_others; }

void device_take_others(struct pane *pane, const json_t *json)
{
    const char *others = ca_wire_text(json, "ceilings_others");

    snprintf(device_of(pane)->ceilings_others, CA_DISTURBANCE_TEXT, "%s", others);
}

static void device_taken(struct pane *pane, struct pending *pending, const struct ca_message *reply,
                         const struct ca_error *refusal)
{
    const json_t *several = json_object_get(reply->json, "devices"), *one;
    struct device *device = device_of(pane);
    size_t i;

    (void)pending;
    if (refusal) {
        message_warn(pane->wb, "%s", refusal->text);
        return;
    }
    device->known = true;
    device->joules = ca_wire_fact(reply->json, CA_WIRE_JOULES);
    device_take_others(pane, reply->json);
    device->count = 1;
    ca_wire_device_read(device->facts, reply->json);
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
