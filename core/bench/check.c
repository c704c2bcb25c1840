/* SPDX-License-Identifier: MIT */
/* The benchmark checks the states that it has timed, and chooses what they are compared with. */
#include "core/bench/group.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/compare/lock_step.h"

#define SMALL_SIDE_2D 256
#define SMALL_SIDE_3D 48
#define SMALL_SHARE 4 /* layers of a rank, at least */
#define SMALL_STEPS 16
#define HEAR_S 0.2

/* The reference, which steps from one line's generation to the next line's. */
struct oracle {
    struct ca_simulation *simulation;
    double spent_s, step_s; /* step_s = 0: unknown */
};

/* Steps in chunks, each followed by the progress callback, which may stop it. */
static enum ca_status bench_check_step(const struct bench_group *group, int i,
                                       struct ca_simulation *simulation, uint64_t steps,
                                       double step_s, struct ca_error *error)
{
    double most = HEAR_S / step_s;

    while (steps > 0) {
        uint64_t n = most < 1 ? 1 : most < (double)steps ? (uint64_t)most : steps;

        CA_TRY(ca_simulation_step(simulation, n, error));
        CA_TRY(bench_progress(group, i, "checking", error));
        steps -= n;
    }
    return CA_OK;
}

/* Whether generation `to` can be reached in time. If the time of a step is unknown, one is
 * tried. */
static bool affordable(const struct oracle *oracle, double limit_s, uint64_t to)
{
    uint64_t at = ca_simulation_generation(oracle->simulation);

    return to <= at || oracle->spent_s + (double)(to - at) * oracle->step_s <= limit_s;
}

static enum ca_status bench_check_advance(struct oracle *oracle, const struct bench_group *group,
                                          int i, uint64_t to, struct ca_error *error)
{
    uint64_t at = ca_simulation_generation(oracle->simulation);
    double start = ca_now();

    if (to > at) {
        CA_TRY(bench_check_step(group, i, oracle->simulation, to - at, oracle->step_s, error));
        oracle->spent_s += ca_now() - start;
        oracle->step_s = (ca_now() - start) / (double)(to - at);
    }
    return CA_OK;
}

static enum ca_status bench_check_judge(struct ca_simulation *oracle, struct ca_bench_line *line,
                                        struct ca_simulation *simulation, struct ca_error *error)
{
    struct ca_difference difference;

    CA_TRY(ca_simulation_compare(oracle, simulation, &difference, error));
    CA_TRY(ca_simulation_hash(simulation, &line->hash, error));
    line->wrong = difference.count;
    return CA_OK;
}

static int64_t at_most(int64_t side, int64_t limit) { return side < limit ? side : limit; }

/* Compares the backend with the reference on a smaller lattice, whose sides have the same
 * parity. */
static struct ca_experiment shrunk(const struct ca_experiment *e)
{
    const struct ca_size *sizes = e->backend->small_sizes;
    int64_t shares = (int64_t)SMALL_SHARE * ca_bench_ranks(e);
    struct ca_experiment small = *e;
    bool deep = e->model->dimensions == 3;
    int64_t *layers = deep ? &small.size.d : &small.size.h;
    struct ca_error refusal;
    struct ca_plan plan;

    small.size.w = at_most(e->size.w, deep ? SMALL_SIDE_3D : SMALL_SIDE_2D);
    small.size.h = at_most(e->size.h, deep ? SMALL_SIDE_3D : SMALL_SIDE_2D);
    small.size.d = at_most(e->size.d, SMALL_SIDE_3D);
    if (*layers < shares)
        *layers = at_most(ca_layers(e->model, e->size), shares);
    if (ca_start_find(e->model, e->init) < 0) /* a file imposes its size */
        ca_experiment_begin_with(&small, e->model->start->named[0].name, e->origin[CA_KEY_INIT]);
    /* A kernel that cannot hold these sides names sizes that it can hold. */
    for (; sizes && sizes->w && ca_experiment_plan(&small, &plan, &refusal) == CA_USAGE; sizes++)
        small.size = *sizes;
    return small;
}

static struct ca_experiment by_the_reference(const struct ca_experiment *e)
{
    struct ca_experiment reference = *e;

    ca_experiment_backend(&reference, &e->model->backends[0], CA_FROM_COMMAND_LINE);
    return reference;
}

/* --- a backend with a tolerance --------------------------------------------------------------- */

struct tolerance_watch {
    const struct bench_group *group;
    int line;
    struct ca_error *error;
};

static bool watch_tolerance(void *context, const char *what)
{
    const struct tolerance_watch *watch = context;

    (void)what;
    return bench_progress(watch->group, watch->line, "checking", watch->error) == CA_OK;
}

/* Single generations of the line's backend against the reference, from the start; if they are all
 * that were timed, they end in the timed state. */
static enum ca_status by_generations(struct bench_group *group, int i, struct ca_simulation *oracle,
                                     struct ca_error *error)
{
    struct tolerance_watch watch = {group, i, error};
    struct ca_bench_line *line = group->line[i];
    struct ca_simulation *simulation = group->simulation[i];
    uint64_t steps = line->experiment.steps, hash;
    char part[48] = "";
    struct ca_agreement_result agreement;

    CA_TRY(ca_simulation_hash(simulation, &line->hash, error));
    CA_TRY(ca_simulations_agree(&agreement, oracle, simulation, steps, group->check_s,
                                watch_tolerance, &watch, error));
    CA_TRY(ca_simulation_hash(simulation, &hash, error));
    line->wrong = agreement.difference.count;
    if (agreement.generations == steps && hash != line->hash)
        line->wrong = 1; /* or more: the timed calls were longer */
    if (agreement.generations < steps)
        snprintf(part, sizeof part, ", only to generation %" PRIu64, agreement.generations);
    snprintf(line->checked, sizeof line->checked, "%s within %g%s",
             line->experiment.model->backends[0].name, line->experiment.backend->tolerance, part);
    return CA_OK;
}

/* Otherwise a smaller lattice is compared, of a backend with a tolerance one generation after the
 * other. */
static enum ca_status smaller(struct bench_group *group, int i, struct ca_error *error)
{
    struct tolerance_watch watch = {group, i, error};
    struct ca_bench_line *line = group->line[i];
    struct ca_experiment small = shrunk(&line->experiment), reference = by_the_reference(&small);
    struct ca_simulation *side[2] = {NULL, NULL};
    struct ca_agreement_result agreement = {.generations = 0};
    bool exact = line->experiment.backend->tolerance == 0;
    char size[64], within[32] = "";
    enum ca_status status = CA_OK;

    if (!exact)
        status = ca_simulation_hash(group->simulation[i], &line->hash, error);
    for (int s = 0; s < 2 && status == CA_OK; s++)
        status = ca_simulation_open(&side[s], s == 0 ? &reference : &small, error);
    for (int s = 0; s < 2 && status == CA_OK && exact; s++)
        status = ca_simulation_step(side[s], SMALL_STEPS, error);
    if (status == CA_OK)
        status = exact ? ca_simulation_compare(side[0], side[1], &agreement.difference, error)
                       : ca_simulations_agree(&agreement, side[0], side[1], SMALL_STEPS, INFINITY,
                                              watch_tolerance, &watch, error);
    for (int s = 0; s < 2; s++)
        ca_simulation_close(side[s]);
    line->wrong = status == CA_OK ? agreement.difference.count : -1;
    if (!exact)
        snprintf(within, sizeof within, " within %g", line->experiment.backend->tolerance);
    snprintf(line->checked, sizeof line->checked, "%s%s, only on %s", reference.backend->name,
             within, ca_size_format(size, small.size, small.model->dimensions));
    return status;
}

/* Neither these lines nor what stands in for the reference are compared with each other. */
static enum ca_status within_tolerance(struct bench_group *group, struct oracle *oracle,
                                       struct ca_error *error)
{
    for (int i = 0; i < group->count; i++) {
        const struct ca_bench_line *line = group->line[i];

        if (!line->available || line->wrong >= 0 || line->experiment.backend->tolerance == 0)
            continue;
        CA_TRY(bench_progress(group, i, "checking", error));
        if (!oracle->simulation) {
            CA_TRY(smaller(group, i, error));
            continue;
        }
        CA_TRY(by_generations(group, i, oracle->simulation, error));
        CA_TRY(ca_simulation_reset(oracle->simulation, error));
    }
    return CA_OK;
}

/* The available line with the fewest generations that has not been judged yet, -1: none. */
static int next_line(const struct bench_group *group)
{
    int found = -1;

    for (int i = 0; i < group->count; i++) {
        const struct ca_bench_line *line = group->line[i];

        if (line->available && line->wrong < 0 &&
            (found < 0 || line->experiment.steps < group->line[found]->experiment.steps))
            found = i;
    }
    return found;
}

static enum ca_status by_reference(struct bench_group *group, struct oracle *oracle,
                                   struct ca_error *error)
{
    for (int i; (i = next_line(group)) >= 0;) {
        struct ca_bench_line *line = group->line[i];
        const struct ca_experiment *e = &line->experiment;

        CA_TRY(bench_progress(group, i, "checking", error));
        if (oracle->step_s == 0 && group->check_s > 0)
            CA_TRY(bench_check_advance(oracle, group, i, 1, error));
        if (!affordable(oracle, group->check_s, e->steps))
            break;
        CA_TRY(bench_check_advance(oracle, group, i, e->steps, error));
        CA_TRY(bench_check_judge(oracle->simulation, line, group->simulation[i], error));
        snprintf(line->checked, sizeof line->checked, "%s",
                 e->backend == e->model->backends ? "itself" : e->model->backends[0].name);
    }
    return CA_OK;
}

static double step_seconds(const struct ca_bench_line *line)
{
    return line->stats.median / (double)line->experiment.steps;
}

/* Whether the oracle may step to the line's generation. Only the reference itself is limited to
 * less than the time left. */
static bool can_follow(const struct bench_group *group, const struct ca_bench_line *other,
                       const struct ca_bench_line *line)
{
    bool reference = other->experiment.backend == other->experiment.model->backends;
    double limit_s = reference ? group->check_s : fmax(group->check_s, CA_BENCH_CHECK_S);

    return step_seconds(other) * (double)line->experiment.steps <= limit_s;
}

/* The fastest line of another backend that was found right, -1: none. */
static int witness(const struct bench_group *group, const struct ca_bench_line *line)
{
    int found = -1;

    for (int i = 0; i < group->count; i++)
        if (ca_bench_right(group->line[i]) &&
            group->line[i]->experiment.backend != line->experiment.backend &&
            group->line[i]->experiment.backend->tolerance == 0 &&
            can_follow(group, group->line[i], line) &&
            (found < 0 || step_seconds(group->line[i]) < step_seconds(group->line[found])))
            found = i;
    return found;
}

static enum ca_status by_witness(struct bench_group *group, int i, int other,
                                 struct ca_error *error)
{
    struct ca_bench_line *line = group->line[i];
    struct ca_simulation *simulation = group->simulation[other];

    CA_TRY(ca_simulation_reset(simulation, error));
    CA_TRY(bench_check_step(group, i, simulation, line->experiment.steps,
                            step_seconds(group->line[other]), error));
    CA_TRY(bench_check_judge(simulation, line, group->simulation[i], error));
    snprintf(line->checked, sizeof line->checked, "%s",
             group->line[other]->experiment.backend->name);
    return CA_OK;
}

/* The last generation that the reference can reach in time, at least its present one. */
static uint64_t reachable(const struct oracle *oracle, double limit_s, uint64_t most)
{
    uint64_t at = ca_simulation_generation(oracle->simulation);
    double more = (limit_s - oracle->spent_s) / oracle->step_s;

    if (!(more >= 1) || most <= at)
        return at;
    return more < (double)(most - at) ? at + (uint64_t)more : most;
}

/* Compares the backend with the reference at an early generation that the reference can reach. */
static enum ca_status early(struct bench_group *group, int i, struct oracle *oracle,
                            struct ca_error *error)
{
    struct ca_bench_line *line = group->line[i];
    uint64_t at = reachable(oracle, group->check_s, line->experiment.steps);
    struct ca_difference difference;

    CA_TRY(bench_check_advance(oracle, group, i, at, error));
    CA_TRY(ca_simulation_hash(group->simulation[i], &line->hash, error));
    CA_TRY(ca_simulation_reset(group->simulation[i], error));
    CA_TRY(bench_check_step(group, i, group->simulation[i], at, step_seconds(line), error));
    CA_TRY(ca_simulation_compare(oracle->simulation, group->simulation[i], &difference, error));
    line->wrong = difference.count;
    snprintf(line->checked, sizeof line->checked, "%s, only to generation %" PRIu64,
             line->experiment.model->backends[0].name, at);
    return CA_OK;
}

static enum ca_status by_others(struct bench_group *group, struct oracle *oracle,
                                struct ca_error *error)
{
    for (int i; (i = next_line(group)) >= 0;) {
        struct ca_bench_line *line = group->line[i];
        int other = witness(group, line);

        CA_TRY(bench_progress(group, i, "checking", error));
        if (other >= 0)
            CA_TRY(by_witness(group, i, other, error));
        else if (oracle->simulation && ca_simulation_generation(oracle->simulation) > 0)
            CA_TRY(early(group, i, oracle, error));
        else
            CA_TRY(smaller(group, i, error));
    }
    return CA_OK;
}

/* Estimates the seconds of a reference step from its rate on a smaller lattice, which the caches
 * favour. 0: unknown. */
static double guess(const struct ca_experiment *e)
{
    struct ca_experiment small = shrunk(e), reference = by_the_reference(&small);
    double scale = (double)ca_cells(e->size) / (double)ca_cells(small.size), start, step_s = 0;
    struct ca_simulation *simulation = NULL;
    struct ca_error ignored;

    if (ca_simulation_open(&simulation, &reference, &ignored) != CA_OK)
        return 0;
    start = ca_now();
    if (ca_simulation_step(simulation, SMALL_STEPS, &ignored) == CA_OK)
        step_s = (ca_now() - start) / SMALL_STEPS * scale;
    ca_simulation_close(simulation);
    return step_s;
}

/* If the reference is a line itself, its cost is known. If it exceeds the limit, no reference is
 * created, since on a large lattice creating one takes long, too. */
static enum ca_status open_oracle(struct oracle *oracle, struct bench_group *group,
                                  struct ca_error *error)
{
    const struct ca_experiment *any = &group->line[0]->experiment;
    struct ca_experiment reference = by_the_reference(any);
    double step_s = 0;
    enum ca_status status;

    for (int i = 0; i < group->count; i++)
        if (group->line[i]->stats.n > 0 &&
            group->line[i]->experiment.backend == any->model->backends)
            oracle->step_s = step_s = step_seconds(group->line[i]);
    if (group->check_s <= 0 || (step_s == 0 ? guess(any) : step_s) > group->check_s)
        return CA_OK;
    status = ca_simulation_open(&oracle->simulation, &reference, error);
    /* If there is no memory for a second simulation, a smaller lattice is compared. */
    return status == CA_NO_MEMORY || status == CA_USAGE ? CA_OK : status;
}

enum ca_status bench_check(struct bench_group *group, struct ca_error *error)
{
    struct oracle oracle = {.simulation = NULL};
    enum ca_status status = CA_OK;

    for (int i = 0; i < group->count; i++)
        group->line[i]->wrong = -1;
    if (next_line(group) < 0)
        return CA_OK;
    status = open_oracle(&oracle, group, error);
    if (status == CA_OK)
        status = within_tolerance(group, &oracle, error);
    if (status == CA_OK && oracle.simulation)
        status = by_reference(group, &oracle, error);
    if (status == CA_OK)
        status = by_others(group, &oracle, error);
    ca_simulation_close(oracle.simulation);
    return status;
}
