/* SPDX-License-Identifier: MIT */
/* Owns the sweeps of one generation for the rule in its name. */
#include "kernels/life3d/sweep.cuh"

LIFE3D_SWEEPS(life3d_sweep_intervals, life3d_made_intervals)
