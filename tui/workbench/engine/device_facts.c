/* SPDX-License-Identifier: MIT */
/* The engine is asked for its device while the panel is shown. */
#include "tui/workbench/engine/device_facts.h"

#include <stdio.h>

#include "tui/workbench/base/log.h"
#include "tui/workbench/base/part.h"
#include "tui/workbench/base/shared.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/session_requests.h"
#include "tui/workbench/terminal/layout.h"

/* What disturbed the measurement of the ceilings that shares are of. */
void device_take_others(struct pane *pane, const json_t *json)
{
    const char *others = ca_wire_text(json, "ceilings_others");

    snprintf(pane->device.ceilings_others, sizeof pane->device.ceilings_others, "%s",
             others ? others : "");
}

static void device_taken(struct pane *pane, struct pending *pending, const struct ca_message *reply,
                         const struct ca_error *refusal)
{
    const json_t *several = json_object_get(reply->json, "devices"), *one;
    struct device *device = &pane->device;
    size_t i;

    (void)pending;
    if (refusal) {
        alarm_say(pane->wb, "%s", refusal->text);
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

/* Asks for the device's state once a second while its panel is shown and the simulation runs, and
 * once when the panel appears. */
static double device_tick(struct pane *pane, double now)
{
    struct session *s = &pane->session;
    bool shown = pane->wb->layout.panel[PANEL_DEVICE].rows > 0;

    if (!shown || !s->open || session_waits_for(pane, device_taken))
        return -1;
    if (!s->device_due && !session_busy(pane))
        return -1;
    if (now - s->device_last < 1)
        return 1 - (now - s->device_last);
    s->device_due = false;
    s->device_last = now;
    session_send(pane, "device", NULL, device_taken);
    return session_busy(pane) ? 1 : -1;
}

void device_renew(struct pane *pane)
{
    session_send(pane, "device", json_pack("{s:b}", "ceilings", 1), device_taken);
}

const struct part device_facts_part = {.name = "device facts", .tick_pane = device_tick};
