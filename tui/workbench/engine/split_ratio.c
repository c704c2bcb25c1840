/* SPDX-License-Identifier: MIT */
/*
 * Asks both engines for the bursts that give the ratio of two panes. They are idle but for the one
 * whose burst is due, and their states are afterwards as before.
 */
#include "core/engine/interference_json.h"
#include "tui/workbench/base/shared.h"
#include "tui/workbench/engine/figures.h"
#include "tui/workbench/engine/split_inside.h"

void ratio_restart(struct workbench *wb)
{
    struct split *s = split_of(wb);

    s->measured = false;
    s->no_ratio[0] = 0;
    s->samples[0].count = s->samples[1].count = 0;
    s->ratio = (struct ca_ratio){0};
}

/* The sizes are known when the first burst is due. */
static void split_ratio_begin(struct workbench *wb)
{
    const int64_t cells[2] = {ca_cells(wb->panes[0].experiment.size),
                              ca_cells(wb->panes[1].experiment.size)};

    ca_ratio_begin(&split_of(wb)->ratio, cells, 0);
}

bool ratio_ask(struct workbench *wb)
{
    struct split *s = split_of(wb);
    struct ca_error ignored; /* a request is refused by its reply */
    struct ca_ratio_request next;
    struct ca_side side[2];

    if (s->measured)
        return false;
    for (int i = 0; i < 2; i++)
        if (figures_timing(&wb->panes[i])->emulated) {
            snprintf(s->no_ratio, sizeof s->no_ratio, "%c is " CA_NOT_A_SPEED, 'A' + i);
            s->measured = true;
            wb->dirty = true;
            return false;
        }
    if (s->ratio.side[0].calls == 0)
        split_ratio_begin(wb);
    if (!ca_ratio_next(&s->ratio, &next)) {
        s->measured = true;
        wb->dirty = true;
        return false;
    }
    split_sides(wb, side);
    ca_ratio_ask(&s->ratio, side, &ignored);
    return true;
}

void ratio_take(struct workbench *wb)
{
    struct split *s = split_of(wb);
    struct ca_ratio_request next;
    struct split_samples *samples;
    struct ca_interference others;
    const json_t *list, *value;
    struct ca_side side[2];
    struct ca_error error;
    size_t i;

    if (s->measured || !ca_ratio_next(&s->ratio, &next))
        return;
    samples = &s->samples[next.side];
    list = json_object_get(s->answer[next.side], "seconds");
    ca_burst_from_json(&others, s->answer[next.side]);
    if (!next.warm_up && ca_interference_judge(&others, s->ratio.best_speed) != CA_DISTURBED)
        json_array_foreach(list, i, value) samples->step_s[samples->count++ % SPLIT_SAMPLES] =
            json_number_value(value) / (double)next.generations;
    split_sides(wb, side);
    if (ca_ratio_answer(&s->ratio, side, &error) != CA_OK) {
        snprintf(s->no_ratio, sizeof s->no_ratio, "%c: %.400s", 'A' + next.side, error.text);
        s->measured = true;
    }
}
