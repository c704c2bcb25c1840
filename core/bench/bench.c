/* SPDX-License-Identifier: MIT */
/* The benchmark times its lines: it decides the order of the calls, their generations, and when to
 * stop. */
#include "core/bench/bench.h"
#include "core/bench/cost.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bench/cuts.h"
#include "core/bench/group.h"
#include "core/machine/device.h"
#include "core/sim/timing.h"
#include "core/base/clock.h"

/*
 * The place of an instance's memory, in the caches and between the cores, makes a kernel some
 * percent faster or slower, for as long as it lives: 1.6 % of standard deviation with a lattice of
 * 512x512 on two cores. So a line is timed with several instances in turn, each a simulation of its
 * own, where another one takes less than INSTANCE_S to open.
 */
#define INSTANCE_CALLS 5
#define INSTANCE_S 0.02
#define CALL_S 0.02       /* the length of a timed call whose generations are not given, */
#define GPUS_CALL_S 0.2   /* and of one of several GPUs, whose first exchange waits for all */
#define STOPPED_CHECK_S 1 /* of the reference, once the user has stopped */
#define POWER_S 0.5       /* a GPU's energy counter advances about ten times per second */

void ca_bench_default(struct ca_bench *bench)
{
    *bench = (struct ca_bench){.time_s = 2, .error = 0.01, .check_s = CA_BENCH_CHECK_S};
}

bool ca_bench_finished(const struct ca_bench_line *line)
{
    return line->available ? line->wrong >= 0 : line->reason[0] != '\0';
}

void ca_bench_keep_finished(struct ca_bench *bench)
{
    int kept = 0;

    for (int i = 0; i < bench->count; i++)
        if (ca_bench_finished(&bench->line[i]))
            bench->line[kept++] = bench->line[i];
    bench->count = kept;
}

void ca_bench_free(struct ca_bench *bench)
{
    free(bench->line);
    *bench = (struct ca_bench){.line = NULL};
}

enum ca_status bench_progress(const struct bench_group *group, int i, const char *what,
                              struct ca_error *error)
{
    const struct ca_bench_line *line = group->shown ? group->shown : group->line[i];

    if (group->progress && !group->progress(group->context, group->bench, line, what))
        return ca_fail(error, CA_TIMEOUT, "stopped");
    return CA_OK;
}

static struct ca_fact energy_of(const struct ca_bench_line *line)
{
    return ca_energy_of(line->experiment.backend, &line->experiment.options);
}

struct call {
    double seconds, device_s, waited_s;
    struct ca_interference others;
};

static enum ca_status timed_call(struct bench_group *group, int i, uint64_t steps,
                                 struct call *call, struct ca_error *error)
{
    struct ca_bench_line *line = group->line[i];
    const struct ca_timing *timing = ca_simulation_timing(group->simulation[i]);
    struct ca_fact before, after;
    double start, device_s = timing->device_s, transfer_s = timing->transfer_s;

    before = energy_of(line);
    ca_meter_start(&group->meter[i]);
    start = ca_now();
    CA_TRY(ca_simulation_step(group->simulation[i], steps, error));
    call->seconds = ca_now() - start;
    ca_meter_stop(&group->meter[i], &call->others);
    call->device_s = timing->device_s - device_s;
    call->waited_s = line->ranks > 1 ? timing->transfer_s - transfer_s : 0;
    after = energy_of(line);
    if (!before.known || !after.known)
        line->joules = -1;
    else if (line->joules >= 0)
        line->joules += after.value - before.value;
    return CA_OK;
}

/* A GPU's energy counter is too slow for a single call, so that the mean power is measured over
 * a longer time. */
static enum ca_status measure_power(struct bench_group *group, int i, double time_s,
                                    struct ca_error *error)
{
    struct ca_bench_line *line = group->line[i];
    struct ca_fact before = energy_of(line), after;
    double start = ca_now(), window = time_s < POWER_S ? time_s : POWER_S;

    if (line->experiment.backend->device == CA_CPU || !before.known)
        return CA_OK;
    do
        CA_TRY(ca_simulation_step(group->simulation[i], line->experiment.steps, error));
    while (ca_now() - start < window);
    after = energy_of(line);
    if (after.known && after.value > before.value)
        line->watts = (after.value - before.value) / (ca_now() - start);
    return CA_OK;
}

static bool enough(const struct ca_bench *bench, const struct ca_bench_line *line)
{
    struct ca_bench_stats stats = ca_bench_stats(line->sample, line->stats.n);
    bool short_of =
        !line->emulated && stats.n > 0 && stats.n < line->made && stats.n < CA_BENCH_LEAST;
    double patience = short_of ? CA_BENCH_PATIENCE : 1;

    return line->made == CA_BENCH_SAMPLES ||
           (line->made > 0 && line->seconds >= patience * bench->time_s) ||
           (stats.n >= CA_BENCH_LEAST && ca_bench_error(&stats) <= bench->error);
}

enum ca_status bench_open(struct bench_group *group, int i, struct ca_error *error)
{
    struct ca_bench_line *line = group->line[i];
    struct ca_experiment *e = &line->experiment;
    double start = ca_now(), idle_s, wanted_s;
    uint64_t every, steps;
    struct call call;

    CA_TRY(ca_simulation_open(&group->simulation[i], e, error));
    line->open_s = ca_now() - start;
    ca_simulation_report(group->simulation[i], &line->plan);
    ca_simulation_meter(group->simulation[i], &group->meter[i]);
    if (!line->emulated)
        line->predicted_s = ca_cost_step(e, &line->plan);
    /* First calls warm the simulation up, from whatever state. They also tell how many generations
     * fill a call, unless the user has said so. */
    every = line->plan.ranks > 1 ? (uint64_t)line->plan.exchange : 1;
    steps = e->steps ? e->steps : 1;
    wanted_s = e->backend->device == CA_CUDA && ca_bench_ranks(e) > 1 ? GPUS_CALL_S : CALL_S;
    for (;;) {
        CA_TRY(bench_progress(group, i, "warming up", error));
        CA_TRY(timed_call(group, i, steps, &call, error));
        idle_s = ca_interference_idle_s(&call.others, call.seconds);
        if (e->steps || idle_s >= wanted_s || steps > UINT64_MAX / 32)
            break;
        /* Growth is limited to 16, because the first calls are slower than the rest. */
        if (idle_s * 16 < wanted_s)
            steps *= 16;
        else
            steps = (uint64_t)((double)steps * wanted_s / idle_s * 1.1) + 1;
    }
    if (e->steps == 0) /* whole turns of ranks, of which each begins with an exchange */
        steps = (steps + every - 1) / every * every;
    e->steps = steps;
    line->passes = ca_simulation_passes(group->simulation[i], steps);
    line->joules = 0;
    return CA_OK;
}

static void summarize(struct bench_group *group)
{
    for (int i = 0; i < group->count; i++) {
        struct ca_bench_line *line = group->line[i];

        if (line->unsure) /* there are no other figures than those of disturbed calls */
            for (line->stats.n = 0; line->stats.n < line->made; line->stats.n++) {
                line->sample[line->stats.n] = line->call[line->stats.n].seconds;
                line->device[line->stats.n] = line->call[line->stats.n].device_s;
            }
        line->device_stats = ca_bench_stats(line->device, line->stats.n);
        line->stats = ca_bench_stats(line->sample, line->stats.n);
        if (line->experiment.backend->device != CA_CPU)
            line->joules = line->watts > 0 ? line->watts * line->seconds : -1;
    }
}

/* Puts another instance in the place of a line's simulation, as long as that takes little time. Its
 * first call is not counted. */
static enum ca_status next_instance(struct bench_group *group, int i, struct ca_error *error)
{
    struct ca_bench_line *line = group->line[i];
    struct ca_simulation *next;
    enum ca_status status;

    if (line->open_s > INSTANCE_S || ca_bench_ranks(&line->experiment) > 1 || line->made == 0 ||
        line->made % INSTANCE_CALLS != 0)
        return CA_OK;
    status = ca_simulation_open(&next, &line->experiment, error);
    if (status == CA_NO_MEMORY) /* for two at once: the one that there is goes on */
        return CA_OK;
    CA_TRY(status);
    ca_simulation_close(group->simulation[i]);
    group->simulation[i] = next;
    ca_simulation_meter(next, &group->meter[i]);
    return ca_simulation_step(next, line->experiment.steps, error);
}

enum ca_status bench_time(struct bench_group *group, struct ca_error *error)
{
    bool more = true;

    while (more) {
        more = false;
        for (int i = 0; i < group->count; i++) {
            struct ca_bench_line *line = group->line[i];
            struct call call;
            const struct ca_interference *others;
            bool faster;

            if (!line->available || enough(group->bench, line))
                continue;
            CA_TRY(bench_progress(group, i, group->timing, error));
            CA_TRY(next_instance(group, i, error));
            CA_TRY(ca_simulation_reset(group->simulation[i], error));
            CA_TRY(timed_call(group, i, line->experiment.steps, &call, error));
            /* A faster loop than before may show that earlier calls, of any line, were slowed. */
            others = &call.others;
            faster = others->speed > group->best_speed;
            group->best_speed = faster ? others->speed : group->best_speed;
            ca_disturbance_add(&line->disturbance, others, group->best_speed);
            line->call[line->made++] = (struct ca_bench_call){
                call.seconds,   call.device_s,  others->speed,
                others->waited, others->others, ca_interference_judge(others, 0)};
            for (int k = 0; k < group->count; k++)
                if (faster || group->line[k] == line)
                    ca_bench_count_calls(group->line[k], group->best_speed);
            line->seconds += call.seconds;
            line->waited_s += call.waited_s;
            more = true;
        }
    }
    summarize(group);
    return CA_OK;
}

/* Checks the lines of a stopped group that have a median, whether it was timing or checking, so
 * that they are not lost. The others stay without a check. */
static void keep_medians(struct bench_group *group)
{
    struct ca_error ignored;
    int kept = 0;

    bench_progress(group, 0, "stopped: checking what was timed", &ignored);
    for (int i = 0; i < group->count; i++) {
        struct ca_bench_line *line = group->line[i];

        if (!line->available || line->made < CA_BENCH_MEDIAN) {
            ca_simulation_close(group->simulation[i]);
            continue;
        }
        line->partial = !enough(group->bench, line);
        group->line[kept] = line;
        group->meter[kept] = group->meter[i];
        group->simulation[kept++] = group->simulation[i];
        /* A check that was stopped may have stepped it elsewhere. */
        if (ca_simulation_generation(group->simulation[i]) != line->experiment.steps &&
            ca_simulation_reset(group->simulation[i], &ignored) == CA_OK)
            ca_simulation_step(group->simulation[i], line->experiment.steps, &ignored);
    }
    group->count = kept;
    group->progress = NULL;
    group->check_s = group->check_s < STOPPED_CHECK_S ? group->check_s : STOPPED_CHECK_S;
    summarize(group);
    if (kept > 0)
        bench_check(group, &ignored);
}

enum ca_status bench_run(struct bench_group *group, struct ca_error *error)
{
    enum ca_status status;

    /* A backend that cannot run here, or cannot hold the setup, stays in the list with the reason.
     * Any other failure ends the benchmark. */
    for (int i = 0; i < group->count; i++) {
        struct ca_bench_line *line = group->line[i];

        CA_TRY(bench_progress(group, i, "warming up", error));
        CA_TRY(ca_experiment_check(&line->experiment, error));
        status = ca_experiment_plan(&line->experiment, &line->plan, error);
        line->available = status == CA_OK;
        line->emulated = line->available && ca_device_emulated(line->experiment.backend);
        if (status == CA_USAGE || status == CA_NO_DEVICE || status == CA_NO_MEMORY) {
            snprintf(line->reason, sizeof line->reason, "%.255s", error->text);
            continue;
        }
        CA_TRY(status);
        status = bench_open(group, i, error);
        if (status == CA_NO_MEMORY) { /* although the plan fits: something else has taken it */
            ca_simulation_close(group->simulation[i]);
            group->simulation[i] = NULL;
            line->available = false;
            snprintf(line->reason, sizeof line->reason, "%.255s", error->text);
            continue;
        }
        CA_TRY(status);
        CA_TRY(measure_power(group, i, group->bench->time_s, error));
    }
    status = bench_time(group, error);
    if (status == CA_OK && group->count > 0)
        status = bench_progress(group, 0, "checking", error);
    if (status == CA_OK)
        status = bench_check(group, error);
    if (status == CA_TIMEOUT)
        keep_medians(group);
    return status;
}

struct bench_group bench_group(const struct ca_bench *bench, ca_bench_progress *progress,
                               void *context)
{
    return (struct bench_group){.bench = bench,
                                .check_s = bench->check_s,
                                .progress = progress,
                                .context = context,
                                .timing = "timing"};
}

void bench_close(struct bench_group *group)
{
    for (int i = 0; i < group->count; i++)
        ca_simulation_close(group->simulation[i]);
}

static enum ca_status run_group(struct ca_bench *bench, int number, struct bench_group *group,
                                struct ca_error *error)
{
    enum ca_status status;

    group->line = calloc((size_t)bench->count, sizeof *group->line);
    group->simulation = calloc((size_t)bench->count, sizeof *group->simulation);
    group->meter = calloc((size_t)bench->count, sizeof *group->meter);
    if (!group->line || !group->simulation || !group->meter)
        return ca_fail(error, CA_NO_MEMORY, "no memory for %d lines", bench->count);
    for (int i = 0; i < bench->count; i++)
        if (bench->line[i].group == number)
            group->line[group->count++] = &bench->line[i];
    status = bench_run(group, error);
    bench_close(group);
    return status;
}

enum ca_status ca_bench_run(struct ca_bench *bench, ca_bench_progress *progress, void *context,
                            struct ca_error *error)
{
    enum ca_status status = CA_OK;

    for (int number = 0; number < bench->groups && status == CA_OK; number++) {
        struct bench_group group = bench_group(bench, progress, context);

        status = run_group(bench, number, &group, error);
        free(group.line);
        free(group.simulation);
        free(group.meter);
    }
    return status;
}
