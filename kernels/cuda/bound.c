/* SPDX-License-Identifier: MIT */
/* The bound of a pass: the longer of memory and logic, with launches and barriers. */
#include "kernels/cuda/bound.h"

#include <math.h>

/* In clocks, much the same from compute capability 8.0 to 10.0: what passes from a load to its
 * value, a barrier of a block, and one of a cluster with an exchange through its shared memory. */
#define LOAD 700
#define BARRIER 60
#define CLUSTER 240

#define SCHEDULERS 4 /* of a multiprocessor, each of which issues an instruction of a warp */
/* A warp whose instructions wait for each other leaves its scheduler idle for a third of the time,
 * which other warps use. */
#define WAITS 0.5

/* The share of its time in which a multiprocessor with so many warps works. */
static double busy(double warps)
{
    double each = warps / SCHEDULERS;

    return (each < 1 ? each : 1) / (1 + WAITS / (each < 1 ? 1 : each));
}

double cuda_bound_s(const struct ca_cuda_device *device, const struct cuda_shape *shape)
{
    double share = ceil((double)shape->blocks / device->multiprocessors);
    bool cluster = shape->clusters > 0; /* runs at once */
    double resident = cluster ? share : fmax(shape->resident, 1);
    double rounds = ceil(share / resident);
    double at_once = share < resident ? share : resident;
    bool in_l2 = shape->held < (double)device->l2_bytes;
    double memory = shape->moved / (in_l2 ? device->l2_bytes_a_clock : device->bytes_a_clock);
    double logic = share * shape->ops / CA_CUDA_LOGIC;
    double clock_mhz = device->clock_mhz > 0 ? device->clock_mhz : 1000;
    double clocks = fmax(logic, memory) / busy(at_once * shape->warps);

    clocks += rounds * (shape->barriers * BARRIER + shape->clusters * CLUSTER);
    if (shape->launches > 0)
        clocks += rounds * LOAD;
    return (shape->launches * device->launch_s + clocks / (clock_mhz * 1e6)) / shape->generations;
}
