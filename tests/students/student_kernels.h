/* SPDX-License-Identifier: MIT */
/*
 * Kernels of the five models as students write them, plainly and right, and with mistakes put in:
 * each read of a neighbour goes through a fault that may move it or give another value.
 */
#ifndef CALAB_TESTS_STUDENT_KERNELS_H
#define CALAB_TESTS_STUDENT_KERNELS_H

#include "core/lab/cause/influence.h"

struct student;

/* May change the offset, or return the value that is read; FAULT_NONE: the cell there is read. */
#define FAULT_NONE (-1)
typedef int student_fault(const struct student *student, const int64_t side[3], const int64_t at[3],
                          int offset[3]);

/* One generation, from t on. */
typedef void student_step(const struct student *student, const struct ca_experiment *experiment,
                          const struct ca_lattice *in, struct ca_lattice *out, uint64_t t);

enum student_calls {
    CALLS_RIGHT,
    CALLS_ONE_LESS,
    CALLS_ONE_MORE,
    CALLS_FIRST,
    CALLS_SAME_T,
    CALLS_LOAD_ONCE,
    CALLS_OWN
};

struct student {
    const char *name, *model, *settings;
    student_step *step;
    student_fault *fault;
    int number;  /* of a variant of the step */
    int tile;    /* side of the tiles of the fault or the step */
    bool dead;   /* outside the lattice all is 0 */
    bool inside; /* the step's input and output are one */
    enum student_calls calls;
    enum ca_cause cause; /* that is expected, and what the sentence must say: words by '|' */
    const char *words;
    bool written; /* whether the caller sees that the input changed */
    bool keeps;   /* something between calls, which is what must be said; there is no cause */
};

/* The value of a u8 plane of a neighbour, through the fault and the edges. */
int student_read(const struct student *student, const struct ca_lattice *in, int plane,
                 const int64_t at[3], int x, int y, int z);

student_step student_anneal, student_life3d, student_cloud, student_fhp, student_water;
/* Right ones in other styles. */
student_step right_anneal_ghosts, right_anneal_tiles, right_anneal_columns, right_anneal_scatter,
    right_anneal_bits, right_life3d_ghosts, right_life3d_sums, right_cloud_scatter, right_fhp_push,
    right_water_fused;
/* Wrong in the order of the loop. */
student_step wrong_anneal_tail, wrong_anneal_transposed, wrong_anneal_noise, wrong_anneal_frame,
    wrong_anneal_stride, wrong_anneal_tiles;

/* student_faults.c. Mistakes in reading: at edges of the lattice, and at those of tiles. */
student_fault fault_no_north_east, fault_no_corners, fault_no_centre, fault_no_above, fault_no_west,
    fault_far_east, fault_far_north_west, fault_north_is_south, fault_south_two, fault_upside_down,
    fault_dead_edges, fault_dead_west, fault_dead_south, fault_dead_x, fault_dead_z,
    fault_live_north_edge, fault_dead_lattice_corners, fault_clamped, fault_mirrored, fault_torus,
    fault_halo_left, fault_halo_right, fault_halo_top, fault_halo_bottom, fault_halo_low,
    fault_corner_nw, fault_corner_ne, fault_corner_sw, fault_corner_se, fault_halo_corners,
    fault_halo_none, fault_tile_torus, fault_no_parity, fault_other_parity,
    fault_odd_rows_lack_north, fault_in_tail;

/* End with name NULL. Those that keep or renew something run in a process each (student_keeps.c).
 */
extern const struct student wrong_students[], right_students[], keeping_students[],
    renewing_students[];

#endif
