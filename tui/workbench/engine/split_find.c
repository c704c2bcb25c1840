/* SPDX-License-Identifier: MIT */
/* The search for the first difference between two panes asks their engines, one request at a time.
 */
#include <stdlib.h>

#include "core/engine/wire.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/base/shared.h"
#include "tui/workbench/engine/split.h"
#include "tui/workbench/engine/split_inside.h"
#include "tui/workbench/engine/view.h"

void find_begin(struct workbench *wb)
{
    struct split *s = split_of(wb);
    struct ca_differ_case start = {.model = wb->panes[0].experiment.model,
                                   .size = wb->panes[0].experiment.size,
                                   .mark = s->mark,
                                   .generations = s->call,
                                   .calls = s->mark_calls};

    s->find = FIND_IMPOSSIBLE;
    if (!s->marked || s->mark_calls == 0)
        return;
    for (int i = 0; i < 2; i++)
        start.hash[i] = strtoull(ca_wire_text(s->answer[i], "hash"), NULL, 16);
    ca_differ_begin(&s->differ, &start);
    s->find = FIND_UNDER_WAY;
}

/* The message is for screens without the panel that shows it. */
static void show_difference(struct workbench *wb)
{
    char text[CA_TEXT_MAX];

    message_warn(wb, "%s",
                 ca_differ_sentence(text, sizeof text, &split_of(wb)->differ.result,
                                    split_of(wb)->differ.start.model,
                                    wb->panes[0].experiment.backend->name,
                                    wb->panes[1].experiment.backend->name));
}

bool find_ask(struct workbench *wb)
{
    struct split *s = split_of(wb);
    struct ca_error ignored; /* a request is refused by its reply */
    struct ca_side side[2];

    if (s->find != FIND_UNDER_WAY)
        return false;
    if (ca_differ_next(&s->differ).verb == CA_DIFFER_DONE) {
        s->find = FIND_DONE;
        if (s->hidden)
            show_difference(wb);
        view_layout(wb); /* the box grows */
        view_changed(&wb->panes[0]);
        return false;
    }
    split_sides(wb, side);
    ca_differ_ask(&s->differ, side, &ignored);
    return true;
}

void find_take(struct workbench *wb)
{
    struct split *s = split_of(wb);
    struct ca_error no_memory;
    struct ca_side side[2];

    split_sides(wb, side);
    if (ca_differ_answer(&s->differ, side, &no_memory) != CA_OK)
        s->find = FIND_IMPOSSIBLE;
    for (int i = 0; i < 2; i++) {
        free(s->side[i].cells);
        s->side[i].cells = NULL;
    }
}

const struct ca_differ_result *split_placed(const struct workbench *wb)
{
    const struct ca_differ_result *result = &split_of(wb)->differ.result;

    return split_of(wb)->find == FIND_DONE && result->placed ? result : NULL;
}

int split_lines(const struct workbench *wb)
{
    const struct ca_differ_result *result = split_placed(wb);

    return result ? SPLIT_SENTENCE_LINES + 1 + result->rows : SPLIT_LINES;
}
