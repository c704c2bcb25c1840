/* SPDX-License-Identifier: MIT */
/* Has the limits of compute capabilities, and computes the occupancy that follows from them. */
#include "core/emulator/runtime/occupancy.h"

#include <algorithm>
#include <stdlib.h>
#include <string>

#define KIB 1024
#define WARP 32
#define REGISTER_UNIT 256 /* of a warp */
#define WARP_UNIT 4       /* in which a block's warps get registers */
#define REGISTERS_THREAD 255

static const struct occupancy_limits known[] = {
    /* warps, blocks, registers, shared memory: of it all, of a block, unit, reserved */
    {7, 0, 64, 32, 65536, 96 * KIB, 96 * KIB, 256, 0},
    {7, 2, 64, 32, 65536, 96 * KIB, 96 * KIB, 256, 0},
    {7, 5, 32, 16, 65536, 64 * KIB, 64 * KIB, 256, 0},
    {8, 0, 64, 32, 65536, 164 * KIB, 163 * KIB, 128, KIB},
    {8, 6, 48, 16, 65536, 100 * KIB, 99 * KIB, 128, KIB},
    {8, 7, 48, 16, 65536, 164 * KIB, 163 * KIB, 128, KIB},
    {8, 9, 48, 24, 65536, 100 * KIB, 99 * KIB, 128, KIB},
    {9, 0, 64, 32, 65536, 228 * KIB, 227 * KIB, 128, KIB},
    {10, 0, 64, 32, 65536, 228 * KIB, 227 * KIB, 128, KIB},
    {12, 0, 48, 24, 65536, 100 * KIB, 99 * KIB, 128, KIB},
};

static std::string name_of(const struct occupancy_limits *limits)
{
    return std::to_string(limits->major) + "." + std::to_string(limits->minor);
}

const struct occupancy_limits *occupancy_limits(const char *capability)
{
    for (const auto &limits : known)
        if (name_of(&limits) == capability)
            return &limits;
    return NULL;
}

const char *occupancy_known()
{
    static std::string names;

    if (names.empty())
        for (const auto &limits : known)
            names += (names.empty() ? "" : ", ") + name_of(&limits);
    return names.c_str();
}

static size_t rounded_up(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

/* Blocks by registers: each quarter of the multiprocessor has a quarter of them for its warps. A
 * block of its own is launched only if all it has, in fours of warps, are enough. */
static int by_registers(const struct occupancy_limits *limits, int warps, int registers)
{
    int of_warp = (int)rounded_up((size_t)(registers * WARP), REGISTER_UNIT);
    int resident = limits->registers / WARP_UNIT / of_warp * WARP_UNIT;

    if ((int)rounded_up((size_t)warps, WARP_UNIT) * of_warp > limits->registers)
        return 0;
    return resident / warps;
}

struct occupancy occupancy_of(const struct occupancy_limits *limits, int threads,
                              size_t shared_bytes, int registers)
{
    int warps = (threads + WARP - 1) / WARP;
    size_t shared =
        rounded_up(shared_bytes + (size_t)limits->shared_reserved, (size_t)limits->shared_unit);
    int by_shared = shared ? (int)((size_t)limits->shared_bytes / shared) : limits->blocks;
    struct occupancy result = {limits->warps / warps, 0, 0, "warps", REGISTERS_THREAD};

    if (limits->blocks < result.blocks) {
        result.blocks = limits->blocks;
        result.bound_by = "blocks";
    }
    if (shared_bytes > (size_t)limits->shared_bytes_block)
        by_shared = 0;
    if (by_shared < result.blocks) {
        result.blocks = by_shared;
        result.bound_by = "shared memory";
    }
    if (registers > 0 && by_registers(limits, warps, registers) < result.blocks) {
        result.blocks = by_registers(limits, warps, registers);
        result.bound_by = "registers";
    }
    while (result.registers > 1 && by_registers(limits, warps, result.registers) < result.blocks)
        result.registers--;
    result.warps = result.blocks * warps;
    result.percent = 100 * result.warps / limits->warps;
    return result;
}
