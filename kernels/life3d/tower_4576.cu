/* SPDX-License-Identifier: MIT */
/* Owns the sweeps of two generations for the rule in its name. */
#include "kernels/life3d/tower.cuh"

LIFE3D_TOWERS(life3d_tower_4576, life3d_made_4576)
