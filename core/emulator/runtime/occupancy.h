/* SPDX-License-Identifier: MIT */
/*
 * How many blocks of a kernel a multiprocessor holds at once, by the limits of its compute
 * capability.
 *
 * The limits are those of the CUDA C++ Programming Guide, "Compute Capabilities", table "Technical
 * Specifications per Compute Capability"; how registers and shared memory are handed out is as
 * cuda_occupancy.h of the CUDA Toolkit has it: registers in units of 256 for each warp, warps in
 * fours, shared memory in units, with the bytes that the system takes of each block.
 */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_OCCUPANCY_H
#define CALAB_CORE_EMULATOR_RUNTIME_OCCUPANCY_H

#include <stddef.h>

struct occupancy_limits {
    int major, minor;
    int warps, blocks;      /* that a multiprocessor holds */
    int registers;          /* of a multiprocessor, and of a block */
    int shared_bytes;       /* of a multiprocessor */
    int shared_bytes_block; /* that a block may have by the attribute */
    int shared_unit;        /* in which it is handed out */
    int shared_reserved;    /* by the system, for each block */
};

struct occupancy {
    int blocks;           /* resident in a multiprocessor */
    int warps;            /* the same in warps */
    int percent;          /* of the warps that could be */
    const char *bound_by; /* "warps", "blocks", "shared memory" or "registers" */
    int registers;        /* of a thread, up to which it stays so */
};

/* The limits of a compute capability as text, such as "9.0"; NULL: it is not known. */
const struct occupancy_limits *occupancy_limits(const char *capability);
/* "7.0, 7.5, ...", of those that are known. */
const char *occupancy_known();

/* A block's threads and bytes of shared memory, and the registers of a thread, 0: not known. */
struct occupancy occupancy_of(const struct occupancy_limits *limits, int threads,
                              size_t shared_bytes, int registers);

#endif
