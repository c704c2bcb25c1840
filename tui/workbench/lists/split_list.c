/* SPDX-License-Identifier: MIT */
/* The key that opens and closes a split, and the choice of the backend of B. */
#include "tui/workbench/lists/split_list.h"

#include <string.h>

#include "tui/workbench/base/dialog.h"
#include "tui/workbench/base/shared.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/split.h"
#include "tui/workbench/lists/pickers.h"

static int others_count(struct workbench *wb)
{
    int n = 0;

    while (ca_backend_at(wb->panes[0].experiment.model, n))
        n++;
    return n;
}

/* The pane that knows what B can run: itself, or A, as long as there is none. */
static struct pane *others_pane(struct workbench *wb)
{
    return &wb->panes[split_is_open(wb) ? 1 : 0];
}

static void others_row(struct workbench *wb, int index, struct list_row *row)
{
    backend_row(others_pane(wb), index, row);
    row->current = split_is_open(wb) && wb->panes[1].experiment.backend ==
                                            ca_backend_at(wb->panes[0].experiment.model, index);
}

void split_against(struct workbench *wb, const struct ca_backend *backend)
{
    if (split_is_open(wb))
        choose_backend(&wb->panes[1], backend);
    else
        split_beside(wb, backend, "", false);
}

static bool others_choose(struct workbench *wb, int index)
{
    const struct ca_backend *backend = ca_backend_at(wb->panes[0].experiment.model, index);

    if (!backend_is_available(others_pane(wb), backend))
        return false;
    split_against(wb, backend);
    return true;
}

const struct list_source others_source = {.title = "backend of B",
                                          .count = others_count,
                                          .row = others_row,
                                          .open = others_choose,
                                          .filter = true,
                                          .detail = 2};

void split_toggle(struct workbench *wb)
{
    struct pane *a = &wb->panes[0];
    const struct ca_backend *other = a->previous_backend;

    if (split_is_shown(wb)) {
        split_close(wb);
        return;
    }
    if (split_is_open(wb)) {
        split_reveal(wb);
        return;
    }
    if (!session_ready(wb, split_toggle))
        return;
    if (other && (other != a->experiment.backend || strcmp(a->host, a->previous_host) != 0))
        split_beside(wb, other, a->previous_host, false);
    else if (a->experiment.backend != split_reference(wb))
        split_beside(wb, split_reference(wb), "", false);
    else
        list_open(wb, &others_source);
}

static const struct part_action split_list_actions[] = {
    {REQUEST_SPLIT, split_toggle},
    {REQUEST_NONE, NULL},
};

const struct part split_list_part = {.name = "split list", .actions = split_list_actions};
