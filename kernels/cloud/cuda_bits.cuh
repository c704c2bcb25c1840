/* SPDX-License-Identifier: MIT */
/*
 * State and one-generation step of cloud's bit-sliced CUDA backends: hum and act as groups of 128
 * bits (kernels/cuda/bit_groups.cuh), each in two copies, one to read and one to write. Each row is
 * a whole number of groups. Bits beyond its end stay 0: without vapour nothing becomes active
 * there, and events are masked.
 *
 * Without events cld need not be moved: a cell becomes cloud when it has been active, and a cell
 * that has been active has lost its vapour. The state keeps from when the cells were loaded
 *
 *     cld     cld as loaded          loaded  hum | act as loaded
 *     current cld = cld | (loaded & ~hum & ~act)
 *
 * At once after loading, a cell that is not cloud and is in `loaded` still has hum or act, so that
 * cld is as it was loaded. Later on act is a subset of hum, and a cell in `loaded` without hum has
 * been active. So a pass reads and writes hum and act alone, half a byte a cell instead of three
 * quarters.
 */
#ifndef CALAB_KERNELS_CLOUD_CUDA_BITS_CUH
#define CALAB_KERNELS_CLOUD_CUDA_BITS_CUH

#include "kernels/cloud/cuda_logic.cuh"
#include "kernels/cloud/cuda_params.cuh"

struct cloud_cuda_bits {
    uint4 *hum, *act;
    uint4 *cld;    /* current with events, as loaded without */
    uint4 *loaded; /* NULL with events */
    uint4 *hum_next, *act_next;
    struct ca_size size; /* in groups: of a row, rows, planes */
    struct cloud_params params;
    bool events;
    int planes; /* that a thread of cloud_cuda_bits_generation goes up */
};

/* In the plan of a backend whose state begins with struct cloud_cuda_bits: reserves its memory, and
 * fills the plan for a step of one generation. */
enum ca_status cloud_cuda_bits_plan(struct cuda *cuda, struct ca_error *error);
/* The same for growth alone: CA_USAGE with events. */
enum ca_status cloud_cuda_bits_plan_growth(struct cuda *cuda, struct ca_error *error);
extern const struct cuda_access cloud_bits_access;
/* A pass of one generation, from hum and act to hum_next and act_next. */
enum ca_status cloud_cuda_bits_generation(struct cuda *cuda, uint64_t t, int n,
                                          struct ca_error *error);

/*
 * For kernels whose threads have a group in two rows of two planes: the lanes that a row of groups
 * takes, a power of two, and the pairs of planes, so that `threads` of a block hold two rows of all
 * planes. CA_USAGE where they cannot.
 */
enum ca_status cloud_fit_two_rows(const struct cuda *cuda, int threads, int *lanes,
                                  int *plane_pairs, struct ca_error *error);

void cloud_cuda_bits_swap(struct cuda *cuda);

/* Followed by `.bands = ...` of a backend that has them. */
#define CLOUD_BITS_OPS(state, plan_function, pass_function, ...)                                   \
    {                                                                                              \
        .state_size = sizeof(struct state), .plan = (plan_function), .access = &cloud_bits_access, \
        .pass = (pass_function), .swap = cloud_cuda_bits_swap, __VA_ARGS__                         \
    }

static __device__ __forceinline__ struct cuda_group cloud_group_if(bool in_lattice,
                                                                   const uint4 *from)
{
    struct cuda_group group = {};

    return in_lattice ? cuda_group_of(*from) : group;
}

/* --- bounds ---------------------------------------------------------------------------------- */

/* The least seconds of a generation of a pass, whose launch and memory it adds to the shape. */
double cloud_bound(const struct cuda *cuda, struct cuda_shape shape);

static inline double cloud_plane_bytes(struct ca_size size) /* of one copy of hum or act */
{
    return (double)ca_cells(size) * sizeof(uint4);
}

#endif
