/* SPDX-License-Identifier: MIT */
/* This file computes the figures of a study of scaling. */
#include "core/bench/scaling.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/quantity.h"
#include "core/machine/device.h"
#include "core/sim/simulation.h"

const char *const ca_scaling_names[] = {"none", "weak", "strong"};

static int64_t scaling_layers_of(const struct ca_bench_line *line)
{
    return ca_layers(line->experiment.model, line->experiment.size);
}

int64_t ca_bench_share_layers(int64_t layers, int base_ranks, int ranks)
{
    int64_t share = (layers * base_ranks + ranks - 1) / ranks;

    return share < layers ? share + share % 2 : layers;
}

static const struct ca_bench_line *base_of(const struct ca_bench *bench, int study)
{
    for (int i = 0; i < bench->count; i++)
        if (bench->line[i].study == study && bench->line[i].cut == 0 && !bench->line[i].share)
            return &bench->line[i];
    return NULL;
}

/* The line that shows what the largest slab of a line takes by itself, NULL: none does. */
static const struct ca_bench_line *slab_of(const struct ca_bench *bench,
                                           const struct ca_bench_line *line,
                                           const struct ca_bench_line *base)
{
    int64_t layers = ca_bench_share_layers(scaling_layers_of(line), base->ranks, line->ranks);

    if (bench->scaling == CA_SCALING_WEAK || line->ranks == base->ranks)
        return base;
    for (int i = 0; i < bench->count; i++)
        if (bench->line[i].study == line->study && bench->line[i].share &&
            scaling_layers_of(&bench->line[i]) == layers)
            return &bench->line[i];
    return NULL;
}

/* Layers of a halo that a generation computes, by the mean over the passes of an exchange
 * period. */
static double halo_layers(const struct ca_model *model, const struct ca_plan *plan)
{
    double spoiled = (double)plan->generations * model->radius;

    return plan->shrinking ? fmax((double)plan->halo - spoiled, 0) / 2 : (double)plan->halo;
}

struct ca_bench_scaling ca_bench_scaling(const struct ca_bench *bench,
                                         const struct ca_bench_line *line)
{
    struct ca_bench_scaling s = {.base = base_of(bench, line->study),
                                 .predicted_s = NAN,
                                 .hidden_s = NAN,
                                 .exposed_s = NAN,
                                 .waited_s = NAN};
    const struct ca_bench_line *slab;
    double slab_s;
    int64_t layers;
    struct ca_setup setup;
    const struct ca_plan *plan;
    bool torus;
    double halos, steps;

    if (!ca_bench_good(line))
        return s;
    if (line->plan.ranks > 1)
        s.waited_s = line->waited_s / (line->made ? line->made : line->stats.n) /
                     (double)line->experiment.steps;
    if (!s.base || !ca_bench_good(s.base))
        return s;
    s.times = ca_bench_factor(line, s.base);
    s.efficiency = s.times.times * s.base->ranks / line->ranks;
    slab = slab_of(bench, line, s.base);
    if (!slab || !ca_bench_good(slab))
        return s;
    slab_s = ca_bench_generation_s(slab);
    if (bench->scaling == CA_SCALING_STRONG)
        s.ceiling_mups = (double)ca_cells(line->experiment.size) / slab_s / 1e6;
    if (line->ranks == s.base->ranks || line->plan.ranks < 2)
        return s;
    /* Predicts the time of halos: the exchanges of a call, one at the begin of each period, and the
     * layers of halos, which take as long as the slab's own. A lattice with ends has a halo less
     * where there are two ranks. */
    setup = ca_setup_of(&line->experiment);
    plan = &line->plan;
    torus = ca_is_torus(&setup);
    halos = (torus || plan->ranks > 2 ? 2 : 1) * halo_layers(setup.model, plan);
    steps = (double)line->experiment.steps;
    layers = scaling_layers_of(slab) / slab->ranks;
    s.predicted_s =
        plan->exchange_s * ceil(steps / plan->exchange) / steps + slab_s * halos / (double)layers;
    s.exposed_s = ca_bench_generation_s(line) - slab_s;
    s.hidden_s = fmax(s.predicted_s - fmax(s.exposed_s, 0), 0);
    return s;
}

char *ca_bench_cut_text(char text[CA_BENCH_CUT_TEXT], const struct ca_bench_line *line)
{
    const struct ca_values *options = &line->experiment.options;
    int several = ca_values_find(options, "devices"), ranks = ca_values_find(options, "ranks");
    char gpus[CA_DEVICE_LABEL];

    if (several < 0 || !options->value[several].text[0])
        snprintf(text, CA_BENCH_CUT_TEXT, "%d rank%s", line->ranks, line->ranks == 1 ? "" : "s");
    else if (ranks < 0 || options->value[ranks].number == 0) /* one each */
        ca_device_label(text, options);
    else
        snprintf(text, CA_BENCH_CUT_TEXT, "%d rank%s on %s", line->ranks,
                 line->ranks == 1 ? "" : "s", ca_device_label(gpus, options));
    return text;
}

/* The line with the most ranks that has an efficiency; counts what is wrong and what was not
 * compared at its own generation or on its lattice. */
static const struct ca_bench_line *widest(const struct ca_bench *bench, int study, int *wrong,
                                          int *partly)
{
    const struct ca_bench_line *found = NULL;

    *wrong = *partly = 0;
    for (int i = 0; i < bench->count; i++) {
        const struct ca_bench_line *line = &bench->line[i];

        if (line->study != study)
            continue;
        *wrong += line->available && line->wrong > 0;
        *partly += strstr(line->checked, ", only ") != NULL;
        if (!line->share && line->cut > 0 && ca_bench_scaling(bench, line).efficiency > 0 &&
            (!found || line->ranks > found->ranks))
            found = line;
    }
    return found;
}

char *ca_bench_scaling_sentence(char *text, size_t size, const struct ca_bench *bench, int study)
{
    int wrong, partly;
    const struct ca_bench_line *line = widest(bench, study, &wrong, &partly);
    char of[CA_BENCH_CUT_TEXT], base[CA_BENCH_CUT_TEXT], times[CA_QUANTITY_TEXT],
        margin[CA_BENCH_MARGIN], right[64];
    struct ca_bench_scaling s =
        line ? ca_bench_scaling(bench, line) : (struct ca_bench_scaling){.base = NULL};

    if (wrong)
        snprintf(right, sizeof right, "%d %s wrong", wrong, wrong == 1 ? "is" : "are");
    else
        snprintf(right, sizeof right, "all equal%s", partly ? " as far as they were checked" : "");
    if (!s.base) {
        snprintf(text, size, "no efficiency is known%s%s", wrong ? "; " : "", wrong ? right : "");
        return text;
    }
    snprintf(text, size, "%s: %s times the rate of %s%s, efficiency %.0f %%; %s",
             ca_bench_cut_text(of, line), ca_three_digits(times, s.times.times),
             ca_bench_cut_text(base, s.base), ca_bench_margin(margin, &s.times, ", "),
             100 * s.efficiency, right);
    return text;
}
