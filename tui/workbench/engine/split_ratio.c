/* SPDX-License-Identifier: MIT */
/*
 * Asks both engines for the bursts that give the ratio of two panes. They are idle but for the one
 * whose burst is due, and their states are afterwards as before.
 */
#include <math.h>

#include "core/engine/interference_json.h"
#include "tui/workbench/base/shared.h"
#include "tui/workbench/engine/split.h"
#include "tui/workbench/engine/split_inside.h"

#define GENERATIONS 64 /* of a call, fewer where these take longer than a burst */

void ratio_restart(struct workbench *wb)
{
    struct split *s = split_of(wb);

    s->probes = 0;
    s->measured = false;
    s->no_ratio[0] = 0;
    s->samples[0].count = s->samples[1].count = 0;
    s->ratio = (struct ca_ratio){0};
}

uint64_t ratio_generations(double slower_s)
{
    uint64_t generations = GENERATIONS;

    while (generations > 1 && (double)generations * slower_s > CA_RATIO_BURST_S)
        generations /= 2;
    return generations;
}

/* One generation of each side has been timed. */
static void begin(struct workbench *wb)
{
    struct split *s = split_of(wb);
    const int64_t cells[2] = {ca_cells(wb->panes[0].experiment.size),
                              ca_cells(wb->panes[1].experiment.size)};

    ca_ratio_begin(&s->ratio, cells, ratio_generations(fmax(s->probe_s[0], s->probe_s[1])));
}

/* The burst that is due; false: none. */
static bool next(const struct split *s, struct ca_ratio_turn *turn)
{
    *turn = (struct ca_ratio_turn){s->probes, 1, 1, true};
    return s->probes < 2 || (!s->measured && ca_ratio_next(&s->ratio, turn));
}

bool ratio_ask(struct workbench *wb)
{
    struct split *s = split_of(wb);
    struct ca_ratio_turn turn;

    if (s->measured)
        return false;
    for (int i = 0; i < 2; i++)
        if (wb->panes[i].figures.timing.emulated) {
            snprintf(s->no_ratio, sizeof s->no_ratio, "%c is " CA_NOT_A_SPEED, 'A' + i);
            s->measured = true;
            wb->dirty = true;
            return false;
        }
    if (!next(s, &turn)) {
        s->measured = true;
        wb->dirty = true;
        return false;
    }
    split_round(wb, SPLIT_BURST);
    split_ask(
        wb, turn.side, "burst",
        json_pack("{s:I,s:I}", "n", (json_int_t)turn.generations, "calls", (json_int_t)turn.calls));
    return true;
}

void ratio_take(struct workbench *wb)
{
    struct split *s = split_of(wb);
    struct ca_ratio_turn turn;
    struct split_samples *samples;
    struct ca_interference others;
    const json_t *list, *value;
    double sum;
    size_t i;

    if (!next(s, &turn))
        return;
    samples = &s->samples[turn.side];
    list = json_object_get(s->answer[turn.side], "seconds");
    sum = ca_burst_from_json(&others, s->answer[turn.side]);
    if (!turn.warm_up && ca_interference_judge(&others, s->ratio.best_speed) != CA_DISTURBED)
        json_array_foreach(list, i, value) samples->step_s[samples->count++ % SPLIT_SAMPLES] =
            json_number_value(value) / (double)turn.generations;
    if (sum <= 0) {
        snprintf(s->no_ratio, sizeof s->no_ratio, "%c: a burst took no time", 'A' + turn.side);
        s->measured = true;
    } else if (s->probes < 2) {
        s->probe_s[s->probes++] = sum;
        if (s->probes == 2)
            begin(wb);
    } else {
        ca_ratio_take(&s->ratio, sum, &others);
    }
}
