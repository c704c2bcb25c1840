/* SPDX-License-Identifier: MIT */
/*
 * The costs of the CUDA backends' kernels, and the formulas for what plans compute of them. Rates
 * of the other backends stand in kernels/rates.c.
 *
 * Measured on an NVIDIA H200 (132 multiprocessors, 1980 MHz), driver 580.159.04, on 2026-11-22. On
 * other devices cycles are much alike, and plans take their number of multiprocessors, clock,
 * memory and L2 from the device.
 *
 * To measure anew: calab bench MODEL -s SIZE -b BACKEND prints a generation's time, whose product
 * with the clock is its cycles, and --set takes the shape's options.
 *   pass              the smallest lattice, one generation a pass
 *   issue             a large lattice in L2, where units by far outnumber schedulers; the part that
 *                     grows with generations a pass is issue_generation, with draws issue_draw
 *   wait, step_least  one unit a scheduler
 *   load              twice as many blocks as are resident, of one step each, less twice one
 *   step              the difference of two numbers of generations a pass, less the units' issue
 *   memory            a lattice of many times L2, one generation a pass
 *   together          lattices where logic and memory take equally long
 */
#include "kernels/cuda/cost.h"

#include <math.h>
#include <string.h>

static const struct cuda_cost costs[] = {
    /* A unit is a warp's row; in cuda-temporal and cuda-overlapped, a generation of it. A block of
     * cuda-overlapped moves its edges through shared memory, 256 cycles. */
    {.model = "anneal",
     .kernel = "cuda-bitslice",
     .pass = 4700,
     .issue = 120,
     .memory = 1,
     .l2_part = 1,
     .together = 3},
    {.model = "anneal",
     .kernel = "cuda-temporal",
     .pass = 4700,
     .issue = 66,
     .wait = 8,
     .memory = 1,
     .l2_part = 1,
     .lone = 1,
     .together = 3},
    {.model = "anneal",
     .kernel = "cuda-overlapped",
     .pass = 4700,
     .load = 1500,
     .issue = 58,
     .step_least = 256,
     .step = 100,
     .memory = 2,
     .l2_part = 1,
     .together = INFINITY},

    /* A unit is a word for each of a multiprocessor's 64 logic units; in sweeps, of a layer in all
     * generations of a pass. */
    {.model = "life3d",
     .kernel = "cuda-bitslice words",
     .pass = 5600,
     .issue = 200,
     .memory = 1,
     .l2_part = 1,
     .together = 8},
    {.model = "life3d",
     .kernel = "cuda-bitslice",
     .pass = 4100,
     .load = 1500,
     .issue = 30.5, /* 28, and latencies that are not hidden */
     .issue_rule = 1,
     .wait_share = 0.4,
     .memory = 1,
     .l2_part = 1,
     .halo = 1,
     .together = 8},
    {.model = "life3d",
     .kernel = "cuda-temporal",
     .pass = 4100,
     .load = 1500,
     .issue = 65.5, /* twice 25, and latencies: one block is resident */
     .issue_rule = 1,
     .memory = 1,
     .l2_part = 1,
     .halo = 1,
     .together = 8},
    {.model = "life3d",
     .kernel = "cuda-overlapped",
     .pass = 5600,
     .issue = 45,
     .step = 400,
     .memory = 1,
     .l2_part = 1,
     .together = 8},
    /* Latency, which the lattice's size hardly changes. */
    {.model = "life3d", .kernel = "cuda-persistent block", .step = 460, .together = 1},
    {.model = "life3d", .kernel = "cuda-persistent cluster", .step = 250, .together = 1},

    /* A unit is a warp's groups of 128 cells; growth alone is hidden by memory. */
    {.model = "cloud",
     .kernel = "cuda-bitslice",
     .pass = 4000,
     .issue_draw = 118,
     .wait_share = 0.9,
     .memory = 1 / 0.9,
     .l2_memory = 0.5 / 0.9,
     .l2_part = 1,
     .together = 3},
    /* A unit is a warp's two rows of a plane: some 90 operations a generation and 30 besides, of
     * which a multiprocessor does two at a time. A halo comes a second time, from L2. */
    {.model = "cloud",
     .kernel = "cuda-temporal",
     .pass = 4000,
     .issue = 18,
     .issue_generation = 54,
     .step_least = 400,
     .step = 150,
     .memory = 1 / 0.9,
     .l2_memory = 0.5 / 0.9,
     .l2_part = 1,
     .halo = 0.3,
     .together = 8},
    /* A unit is a warp's two rows of two planes, whose 18 accesses to shared memory and logic take
     * about as long each. */
    {.model = "cloud",
     .kernel = "cuda-overlapped",
     .pass = 4000,
     .load = 600,
     .issue = 130,
     .step = 250,
     .memory = 1 / 0.9,
     .l2_memory = 0.5 / 0.9,
     .l2_part = 1,
     .halo = 1,
     .together = 1},
    /* The same: some 120 instructions of two cycles each. Shared memory gives and takes 18 times
     * 512 bytes for a warp, 128 a cycle, half of it hidden behind logic. */
    {.model = "cloud",
     .kernel = "cuda-persistent block",
     .issue = 250,
     .step = 150,
     .shared = 36,
     .together = 1},
    {.model = "cloud",
     .kernel = "cuda-persistent cluster",
     .issue = 250,
     .step = 300,
     .shared = 36,
     .together = 1},

    /* A unit is a generation of a warp's row of 32 groups of 128 nodes. */
    {.model = "fhp",
     .kernel = "cuda-bitslice",
     .pass = 5600,
     .issue_rule = 1.47,
     .issue_draw = 98.5,
     .wait = 500,
     .wait_share = 0.234,
     .memory = 1,
     .l2_part = 1,
     .together = 3},
    /* Unrolled over the generations of a pass; and not, where draws do not overlap with logic. */
    {.model = "fhp",
     .kernel = "cuda-temporal",
     .pass = 6400,
     .issue_rule = 1,
     .issue_draw = 67,
     .wait_share = 0.31,
     .memory = 1,
     .l2_part = 1,
     .together = 3},
    {.model = "fhp",
     .kernel = "cuda-temporal loop",
     .pass = 6400,
     .issue_rule = 1.05,
     .issue_draw = 70.35,
     .wait = 500,
     .wait_share = 0.3,
     .memory = 1,
     .l2_part = 1,
     .together = 3},
    /* The same, with the loads, stores and addresses of a group. */
    {.model = "fhp",
     .kernel = "cuda-persistent block",
     .pass = 6400,
     .issue = 510,
     .issue_rule = 0.81,
     .issue_draw = 64,
     .step = 400,
     .together = 1},
    {.model = "fhp",
     .kernel = "cuda-persistent cluster",
     .pass = 6400,
     .issue = 510,
     .issue_rule = 0.81,
     .issue_draw = 64,
     .step = 820,
     .together = 1},

    /* A unit is a warp's row. */
    {.model = "water",
     .kernel = "sweep", /* cuda-fused and cuda-temporal */
     .pass = 4000,
     .issue = 90,
     .issue_generation = 265,
     .wait = 530,
     .wait_share = 1.887,
     .memory = 1 / 0.9,
     .l2_part = 0.75,
     .together = 3},
    {.model = "water",
     .kernel = "cuda-overlapped",
     .pass = 4000,
     .load = 1500,
     .issue = 370,
     .step_least = 350,
     .step = 150,
     .memory = 1 / 0.9,
     .l2_part = 0.75,
     .halo = 1,
     .together = INFINITY},
};

/* Cycles of a unit's generation for rules of a model; those for which a kernel is compiled, where
 * it is the rule that is in its issue, take none. */
static const struct {
    const char *model, *variant;
    double cycles;
} rules[] = {
    {"life3d", "intervals", 20}, {"life3d", "table", 50}, {"fhp", "fhp1", 300},
    {"fhp", "fhp2", 430},        {"fhp", "fhp3", 760},
};

#define LENGTH(table) (sizeof(table) / sizeof *(table))

const struct cuda_cost *cuda_cost_of(const char *model, const char *kernel)
{
    size_t i = 0;

    while (i < LENGTH(costs) - 1 &&
           (strcmp(costs[i].model, model) != 0 || strcmp(costs[i].kernel, kernel) != 0))
        i++;
    return &costs[i];
}

double cuda_cost_of_rule(const char *model, const char *variant)
{
    for (size_t i = 0; i < LENGTH(rules); i++)
        if (strcmp(rules[i].model, model) == 0 && strcmp(rules[i].variant, variant) == 0)
            return rules[i].cycles;
    return 0;
}

struct cuda_unit cuda_unit_of(const struct cuda_cost *cost, double generations, double rule,
                              double draws)
{
    struct cuda_unit unit;

    unit.issue = cost->issue + generations * (cost->issue_generation + cost->issue_rule * rule +
                                              cost->issue_draw * draws);
    unit.wait = cost->wait + cost->wait_share * unit.issue;
    return unit;
}

double cuda_cycles_of_units(const struct cuda_cost *cost, struct cuda_unit unit, double units,
                            double share, double resident)
{
    double alone = (unit.issue + unit.wait) / resident;
    double rounds = share > resident ? share / resident : 1;

    return rounds * cost->load +
           units * (share * (unit.issue > alone ? unit.issue : alone) + unit.wait);
}

double cuda_cycles_of_steps(const struct cuda_cost *cost, double rounds, double steps, double issue)
{
    double step = (issue > cost->step_least ? issue : cost->step_least) + cost->step;

    return rounds * (steps * step + cost->load);
}

double cuda_cycles_of_memory(const struct cuda_cost *cost, const struct ca_cuda_device *device,
                             double held, double moved, double again, double resident)
{
    bool in_l2 = held < cost->l2_part * (double)device->l2_bytes;
    double bytes = (moved + cost->halo * again) * (1 + cost->lone / resident);

    return bytes / device->bytes_a_clock * (in_l2 ? cost->l2_memory : cost->memory);
}

double cuda_cycles_of_generation(const struct cuda_cost *cost, double launches, double generations,
                                 double logic, double memory)
{
    double longer = logic > memory ? logic : memory, shorter = logic > memory ? memory : logic;

    if (longer > 0)
        longer *= pow(1 + pow(shorter / longer, cost->together), 1 / cost->together);
    return (launches * cost->pass + longer) / generations;
}
