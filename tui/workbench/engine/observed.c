/* SPDX-License-Identifier: MIT */
/* The observables of a run: the last values, their history, and an alarm where one is broken. */
#include "tui/workbench/engine/observed_inside.h"

#include <math.h>
#include <string.h>

#include "tui/workbench/base/log.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/session_facts.h"

const struct part observed_part = {.name = "observed", .pane_bytes = sizeof(struct observed)};

struct observed *observed_of(const struct pane *pane) { return pane_state(pane, &observed_part); }

void observed_rewind(struct pane *pane, bool anew)
{
    struct timeline *timeline = &observed_of(pane)->timeline;

    if (anew)
        memset(timeline, 0, sizeof *timeline);
    timeline_rewind(timeline, session_generation(pane));
}

void observed_begin(struct pane *pane, bool goes_on)
{
    struct observed *o = observed_of(pane);

    observed_rewind(pane, !goes_on);
    o->known = false;
    o->broken = -1;
}

bool observed_is_broken(const struct pane *pane)
{
    return observed_of(pane)->known && observed_of(pane)->broken >= 0;
}

static int observables_count(const struct pane *pane)
{
    int count = 0;

    while (ca_observables(pane->experiment.model)[count].name)
        count++;
    return count;
}

void observed_take(struct pane *pane, const struct ca_wire_frame *wire)
{
    struct observed *o = observed_of(pane);
    /* An engine that is out of order may say one that the model does not have. */
    int broken = wire->broken < observables_count(pane) ? wire->broken : -1;
    bool alarm = broken >= 0 && o->broken != broken;
    double was = o->known && alarm ? o->value[broken] : NAN;
    uint64_t then = o->generation;

    if (wire->observables == 0)
        return;
    o->known = true;
    o->generation = wire->observed_generation;
    o->seconds = wire->observe_s;
    o->in_place = wire->in_place;
    for (int i = 0; i < wire->observables; i++)
        o->value[i] = wire->observable[i];
    timeline_add(&o->timeline, o->generation, o->value, wire->observables);
    if (alarm)
        alarm_raise(pane->wb, "invariant violated at generation %llu: %s is %.12g, %.12g at %llu",
                    (unsigned long long)o->generation,
                    ca_observables(pane->experiment.model)[broken].name, o->value[broken], was,
                    (unsigned long long)then);
    o->broken = broken;
}
