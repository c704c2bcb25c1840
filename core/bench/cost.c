/* SPDX-License-Identifier: MIT */
/*
 * The bound of a plan that names none: the longer of logic and memory by the operations and bytes
 * of the backend's row, and a start for each pass. What a GPU does at most are its facts; a core of
 * a CPU is taken for a fast one.
 */
#include "core/bench/cost.h"

#include <math.h>

#include "core/machine/cuda.h"
#include "core/machine/device.h"
#include "core/model/registry.h"

/* A core's clocks a second; its operations on 64-bit words and vectors in a clock; what one and all
 * of them move, out of caches of so many bytes; and a pass and a barrier of threads. */
#define CPU_HZ 4e9
#define CPU_SCALARS 4
#define CPU_VECTORS 3
#define CPU_VECTORS_512 2
#define CPU_BYTES 20e9
#define CPU_BYTES_ALL 400e9
#define CPU_CACHE 32e6
#define CPU_PASS_S 0.05e-6
#define CPU_BARRIER_S 0.3e-6

/* Of 32 bits, for the draws of 128 cells: ten rounds of two products, which are logic too. */
#define DRAW_OPS 60

struct machine {
    double ops_per_s, bytes_per_s; /* operations as the backend's row counts them */
    double pass_s;
};

static struct machine cpu_of(const struct ca_plan *plan)
{
    int threads = plan->threads > 1 ? plan->threads : 1, bits = plan->vector_bits;
    double words = bits > 256  ? bits / 64.0 * CPU_VECTORS_512
                   : bits > 64 ? bits / 64.0 * CPU_VECTORS
                               : CPU_SCALARS;

    return (struct machine){
        .ops_per_s = CPU_HZ * words * threads,
        .bytes_per_s = (double)plan->memory_bytes < CPU_CACHE
                           ? INFINITY
                           : fmin(CPU_BYTES * threads, CPU_BYTES_ALL),
        .pass_s = CPU_PASS_S + (threads > 1 ? CPU_BARRIER_S : 0),
    };
}

/* Several GPUs have a slab each. */
static struct machine gpu_of(const struct ca_experiment *experiment, const struct ca_plan *plan)
{
    int ranks = plan->ranks > 1 ? plan->ranks : 1;
    struct ca_cuda_device device;
    struct ca_error ignored;
    double hz;

    if (ca_cuda_device(ca_device_index(&experiment->options), &device, &ignored) != CA_OK)
        return (struct machine){INFINITY, INFINITY, 0};
    hz = ranks * device.clock_mhz * 1e6;
    return (struct machine){
        .ops_per_s = hz * device.multiprocessors * CA_CUDA_LOGIC,
        .bytes_per_s = hz * (plan->memory_bytes < ranks * device.l2_bytes ? device.l2_bytes_a_clock
                                                                          : device.bytes_a_clock),
        .pass_s = device.launch_s,
    };
}

double ca_cost_step(const struct ca_experiment *experiment, const struct ca_plan *plan)
{
    bool cpu = experiment->backend->device == CA_CPU;
    double cells = (double)ca_cells(experiment->size), ops = plan->ops_per_cell_step;
    struct machine machine;

    if (plan->step_s > 0)
        return plan->step_s;
    machine = cpu ? cpu_of(plan) : gpu_of(experiment, plan);
    ops += ca_event_draws(&experiment->params) * DRAW_OPS / 128.0 / (cpu ? 2 : 1);
    return machine.pass_s / plan->generations +
           fmax(cells * ops / machine.ops_per_s,
                cells * plan->bytes_per_cell_step / machine.bytes_per_s);
}
