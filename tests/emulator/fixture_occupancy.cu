/* SPDX-License-Identifier: MIT */
/* Occupancy against what the rules of the CUDA Programming Guide give, worked out by hand. */
#include "tests/emulator/fixture.cuh"

#include "kernels/cuda/on_cpu/occupancy.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *capability;
    int threads;
    size_t shared_bytes;
    int registers, blocks, percent;
    const char *bound_by;
} known[] = {
    /* by warps and blocks */
    {"7.5", 256, 0, 32, 4, 100, "warps"},
    {"7.5", 32, 0, 32, 16, 50, "blocks"},
    {"7.5", 1024, 0, 32, 1, 100, "warps"},
    {"8.0", 128, 0, 32, 16, 100, "warps"},
    {"8.0", 32, 0, 32, 32, 50, "blocks"},
    {"8.6", 1024, 0, 32, 1, 66, "warps"},
    {"8.6", 32, 0, 32, 16, 33, "blocks"},
    {"8.6", 768, 0, 32, 2, 100, "warps"},
    {"9.0", 256, 0, 32, 8, 100, "warps"},
    {"9.0", 33, 0, 32, 32, 100, "warps"},
    {"9.0", 96, 0, 32, 21, 98, "warps"},
    /* by registers: in units of 256 for a warp; 64 of 512 threads fill the register file twice,
     * which is the example of the CUDA C++ Programming Guide, and one register more halves it */
    {"9.0", 512, 0, 64, 2, 50, "registers"},
    {"9.0", 512, 0, 65, 1, 25, "registers"},
    {"8.0", 1024, 0, 64, 1, 50, "registers"},
    {"8.0", 1024, 0, 65, 0, 0, "registers"},
    {"8.6", 256, 0, 40, 6, 100, "warps"},
    {"8.6", 256, 0, 41, 5, 83, "registers"},
    {"7.5", 256, 0, 64, 4, 100, "warps"},
    {"7.5", 256, 0, 72, 3, 75, "registers"},
    {"7.0", 256, 0, 96, 2, 25, "registers"},
    {"9.0", 128, 0, 255, 2, 12, "registers"},
    /* by shared memory: from 8.0 on the system takes 1 KiB of each block */
    {"7.5", 256, 32 << 10, 32, 2, 50, "shared memory"},
    {"7.5", 256, (32 << 10) + 1, 32, 1, 25, "shared memory"},
    {"7.5", 256, 64 << 10, 32, 1, 25, "shared memory"},
    {"7.5", 256, (64 << 10) + 1, 32, 0, 0, "shared memory"},
    {"8.0", 128, 48 << 10, 32, 3, 18, "shared memory"},
    {"8.0", 128, 163 << 10, 32, 1, 6, "shared memory"},
    {"8.0", 128, 164 << 10, 32, 0, 0, "shared memory"},
    {"8.6", 128, 49 << 10, 32, 2, 16, "shared memory"},
    {"8.6", 128, 50 << 10, 32, 1, 8, "shared memory"},
    {"8.6", 128, 99 << 10, 32, 1, 8, "shared memory"},
    {"9.0", 256, 100 << 10, 32, 2, 25, "shared memory"},
    {"9.0", 256, 227 << 10, 32, 1, 12, "shared memory"},
    {"9.0", 1024, 16 << 10, 32, 2, 100, "warps"},
};

static const char *occupancy()
{
    static char told[200];

    for (const auto &one : known) {
        struct occupancy o = occupancy_of(occupancy_limits(one.capability), one.threads,
                                          one.shared_bytes, one.registers);

        snprintf(told, sizeof told, "%s, %d threads, %zu bytes, %d registers: %d blocks, %d %%, %s",
                 one.capability, one.threads, one.shared_bytes, one.registers, o.blocks, o.percent,
                 o.bound_by);
        if (o.blocks != one.blocks || o.percent != one.percent ||
            strcmp(o.bound_by, one.bound_by) != 0)
            return told;
    }
    EXPECT(!occupancy_limits("5.0"));
    EXPECT(strstr(occupancy_known(), "7.5, 8.0, 8.6"));
    return NULL;
}

/* A thread's registers are not known: up to how many it stays so. */
static const char *occupancy_registers()
{
    const struct occupancy_limits *limits = occupancy_limits("9.0");

    EXPECT(occupancy_of(limits, 256, 0, 0).registers == 32);
    EXPECT(occupancy_of(limits, 32, 0, 0).registers == 64);
    EXPECT(occupancy_of(limits, 1024, 200 << 10, 0).registers == 64);
    EXPECT(occupancy_of(limits, 128, 200 << 10, 0).registers == 255);
    return NULL;
}

const struct fixture occupancy_fixtures[] = {
    {"occupancy", occupancy}, {"occupancy-registers", occupancy_registers}, {NULL, NULL}};
