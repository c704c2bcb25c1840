/* SPDX-License-Identifier: MIT */
/* Owns whether a timed state is right, and the choice of who is asked. */
#include "core/bench_check.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/timing.h"

#define SMALL_SIDE_2D 256
#define SMALL_SIDE_3D 48
#define SMALL_STEPS 16

/* The reference on its way from one line's generation to the next one's. */
struct oracle {
    struct ca_simulation *simulation;
    struct ca_lattice state; /* at its generation; {0}: not taken out */
    double spent_s, step_s;  /* step_s 0: not known */
};

static void forget(struct oracle *oracle) { ca_lattice_free(&oracle->state); }

/* Whether `to` can be reached in time. Not knowing a step's time, one step is tried. */
static bool affordable(const struct oracle *oracle, double limit_s, uint64_t to)
{
    uint64_t at = ca_simulation_generation(oracle->simulation);

    return to <= at || oracle->spent_s + (double)(to - at) * oracle->step_s <= limit_s;
}

static enum ca_status advance(struct oracle *oracle, uint64_t to, struct ca_error *error)
{
    uint64_t at = ca_simulation_generation(oracle->simulation);
    double start = ca_now();

    if (to > at) {
        forget(oracle);
        CA_TRY(ca_simulation_step(oracle->simulation, to - at, error));
        oracle->spent_s += ca_now() - start;
        oracle->step_s = (ca_now() - start) / (double)(to - at);
    }
    return oracle->state.plane[0] ? CA_OK
                                  : ca_simulation_store(oracle->simulation, &oracle->state, error);
}

static enum ca_status difference(struct ca_simulation *simulation, const struct ca_lattice *truth,
                                 int64_t *wrong, uint64_t *hash, struct ca_error *error)
{
    struct ca_lattice state;

    CA_TRY(ca_simulation_store(simulation, &state, error));
    *wrong = ca_lattice_compare(truth, &state).count;
    if (hash)
        *hash = ca_lattice_hash(&state);
    ca_lattice_free(&state);
    return CA_OK;
}

static bool open_question(const struct ca_bench_line *line)
{
    return line->available && line->wrong < 0;
}

/* The line with the fewest generations that is not decided; -1 none. */
static int next_line(const struct bench_group *group)
{
    int found = -1;

    for (int i = 0; i < group->count; i++)
        if (open_question(group->line[i]) &&
            (found < 0 || group->line[i]->experiment.steps < group->line[found]->experiment.steps))
            found = i;
    return found;
}

static enum ca_status by_reference(struct bench_group *group, struct oracle *oracle,
                                   struct ca_error *error)
{
    for (int i; (i = next_line(group)) >= 0;) {
        struct ca_bench_line *line = group->line[i];
        const struct ca_experiment *e = &line->experiment;

        if (oracle->step_s == 0 && group->check_s > 0)
            CA_TRY(advance(oracle, 1, error));
        if (!affordable(oracle, group->check_s, e->steps))
            break;
        CA_TRY(advance(oracle, e->steps, error));
        CA_TRY(difference(group->simulation[i], &oracle->state, &line->wrong, &line->hash, error));
        snprintf(line->checked, sizeof line->checked, "%s",
                 e->backend == e->model->backends ? "itself" : e->model->backends[0].name);
    }
    return CA_OK;
}

static double step_seconds(const struct ca_bench_line *line)
{
    return line->stats.median / (double)line->experiment.steps;
}

/* The fastest of the lines that were found right and are of another backend; -1 none. */
static int witness(const struct bench_group *group, const struct ca_bench_line *line)
{
    int found = -1;

    for (int i = 0; i < group->count; i++)
        if (ca_bench_good(group->line[i]) &&
            group->line[i]->experiment.backend != line->experiment.backend &&
            (found < 0 || step_seconds(group->line[i]) < step_seconds(group->line[found])))
            found = i;
    return found;
}

/* One line's state by another that stands for the reference. */
static enum ca_status by_witness(struct bench_group *group, int i, int other,
                                 struct ca_error *error)
{
    struct ca_bench_line *line = group->line[i];
    struct ca_simulation *simulation = group->simulation[other];
    struct ca_lattice truth;
    enum ca_status status;

    CA_TRY(ca_simulation_load(simulation, &group->start, 0, error));
    CA_TRY(ca_simulation_step(simulation, line->experiment.steps, error));
    CA_TRY(ca_simulation_store(simulation, &truth, error));
    status = difference(group->simulation[i], &truth, &line->wrong, &line->hash, error);
    ca_lattice_free(&truth);
    snprintf(line->checked, sizeof line->checked, "%s",
             group->line[other]->experiment.backend->name);
    return status;
}

/* The last generation that the reference can reach in time; where it stands already, or later. */
static uint64_t reachable(const struct oracle *oracle, double limit_s, uint64_t most)
{
    uint64_t at = ca_simulation_generation(oracle->simulation);
    double more = (limit_s - oracle->spent_s) / oracle->step_s;

    if (!(more >= 1) || most <= at)
        return at;
    return more < (double)(most - at) ? at + (uint64_t)more : most;
}

/* The same backend and the reference, where the reference can follow: at an early generation. */
static enum ca_status early(struct bench_group *group, int i, struct oracle *oracle,
                            struct ca_error *error)
{
    struct ca_bench_line *line = group->line[i];
    uint64_t at = reachable(oracle, group->check_s, line->experiment.steps);
    int64_t ignored;

    CA_TRY(advance(oracle, at, error));
    CA_TRY(difference(group->simulation[i], &oracle->state, &ignored, &line->hash, error));
    CA_TRY(ca_simulation_load(group->simulation[i], &group->start, 0, error));
    CA_TRY(ca_simulation_step(group->simulation[i], at, error));
    CA_TRY(difference(group->simulation[i], &oracle->state, &line->wrong, NULL, error));
    snprintf(line->checked, sizeof line->checked, "%s, only to generation %" PRIu64,
             line->experiment.model->backends[0].name, at);
    return CA_OK;
}

static int64_t at_most(int64_t side, int64_t limit) { return side < limit ? side : limit; }

/* The same backend on a lattice with sides that keep what the large one's had of parity. */
static struct ca_experiment shrunk(const struct ca_experiment *e)
{
    struct ca_experiment small = *e;
    bool deep = e->model->dimensions == 3;

    small.size.w = at_most(e->size.w, deep ? SMALL_SIDE_3D : SMALL_SIDE_2D);
    small.size.h = at_most(e->size.h, deep ? SMALL_SIDE_3D : SMALL_SIDE_2D);
    small.size.d = at_most(e->size.d, SMALL_SIDE_3D);
    if (ca_start_find(e->model, e->init) < 0) /* a file imposes its size */
        snprintf(small.init, sizeof small.init, "%s", e->model->starts[0].name);
    return small;
}

static struct ca_experiment by_the_reference(const struct ca_experiment *e)
{
    struct ca_experiment reference = *e;

    ca_experiment_backend(&reference, &e->model->backends[0], CA_FROM_COMMAND_LINE);
    return reference;
}

/* Or on a smaller lattice. */
static enum ca_status smaller(struct bench_group *group, int i, struct ca_error *error)
{
    struct ca_bench_line *line = group->line[i];
    struct ca_experiment small = shrunk(&line->experiment), reference = by_the_reference(&small);
    struct ca_simulation *a = NULL, *b = NULL;
    struct ca_lattice truth;
    char size[64];
    enum ca_status status;

    status = ca_simulation_open(&a, &reference, error);
    if (status == CA_OK)
        status = ca_simulation_open(&b, &small, error);
    if (status == CA_OK)
        status = ca_simulation_step(a, SMALL_STEPS, error);
    if (status == CA_OK)
        status = ca_simulation_step(b, SMALL_STEPS, error);
    if (status == CA_OK && (status = ca_simulation_store(a, &truth, error)) == CA_OK) {
        status = difference(b, &truth, &line->wrong, NULL, error);
        ca_lattice_free(&truth);
    }
    ca_simulation_close(a);
    ca_simulation_close(b);
    snprintf(line->checked, sizeof line->checked, "%s, only on %s", small.model->backends[0].name,
             ca_size_format(size, small.size, small.model->dimensions));
    return status;
}

static enum ca_status by_others(struct bench_group *group, struct oracle *oracle,
                                struct ca_error *error)
{
    for (int i; (i = next_line(group)) >= 0;) {
        struct ca_bench_line *line = group->line[i];
        int other = witness(group, line);

        if (other >= 0 &&
            step_seconds(group->line[other]) * (double)line->experiment.steps <= group->check_s)
            CA_TRY(by_witness(group, i, other, error));
        else if (oracle->simulation && ca_simulation_generation(oracle->simulation) > 0)
            CA_TRY(early(group, i, oracle, error));
        else
            CA_TRY(smaller(group, i, error));
    }
    return CA_OK;
}

/* What one of its steps takes on so large a lattice, by the rate that it has on a smaller one,
 * which caches are kinder to; 0: not known. */
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

/*
 * What the reference costs is known where it is a line itself; more than it may: none is made. On
 * a large lattice making one takes long enough for that to be asked before.
 */
static enum ca_status open_oracle(struct oracle *oracle, const struct bench_group *group,
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
    /* Too large for two: what can be said is said on a smaller one. */
    return status == CA_NO_DEVICE || status == CA_USAGE ? CA_OK : status;
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
    if (status == CA_OK && oracle.simulation)
        status = by_reference(group, &oracle, error);
    if (status == CA_OK)
        status = by_others(group, &oracle, error);
    forget(&oracle);
    ca_simulation_close(oracle.simulation);
    return status;
}
