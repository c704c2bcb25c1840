/* SPDX-License-Identifier: MIT */
/* The loops over the parts of the workbench, and the memory of their states. */
#include "tui/workbench/base/dialog.h"

#include <stdlib.h>

static void states_free(struct workbench *wb)
{
    for (int i = 0; i < PARTS_MAX; i++) {
        free(wb->states[i]);
        wb->states[i] = NULL;
    }
}

enum ca_status parts_begin(struct workbench *wb, const struct part *const parts[],
                           struct ca_error *error)
{
    enum ca_status status = CA_OK;

    wb->parts = parts;
    for (int i = 0; parts[i] && status == CA_OK; i++) {
        wb->states[i] = parts[i]->state_bytes ? calloc(1, parts[i]->state_bytes) : NULL;
        if (parts[i]->state_bytes && !wb->states[i])
            status = ca_fail(error, CA_NO_MEMORY, "workbench: no memory");
    }
    for (int i = 0; parts[i] && status == CA_OK; i++)
        if (parts[i]->begin)
            status = parts[i]->begin(wb, error);
    if (status != CA_OK)
        states_free(wb);
    return status;
}

void parts_end(struct workbench *wb)
{
    int count = 0;

    while (wb->parts[count])
        count++;
    for (int i = count; i-- > 0;)
        if (wb->parts[i]->end)
            wb->parts[i]->end(wb);
    states_free(wb);
}

void *part_state(const struct workbench *wb, const struct part *part)
{
    int i = 0;

    while (wb->parts[i] != part)
        i++;
    return wb->states[i];
}

double sooner(double a, double b) { return a < 0 || (b >= 0 && b < a) ? b : a; }

bool parts_perform(struct workbench *wb, enum request request)
{
    for (int i = 0; wb->parts[i]; i++)
        for (const struct part_action *a = wb->parts[i]->actions; a->request != REQUEST_NONE; a++)
            if (a->request == request) {
                if (a->perform)
                    a->perform(wb);
                else
                    list_open(wb, a->list);
                return true;
            }
    return false;
}

void parts_apply(struct workbench *wb)
{
    for (int i = 0; wb->parts[i]; i++)
        if (wb->parts[i]->apply)
            wb->parts[i]->apply(wb);
}
