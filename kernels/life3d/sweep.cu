/* SPDX-License-Identifier: MIT */
/* Owns the choice among the sweeps of one generation, which stand in a file for each rule. */
#include "kernels/life3d/sweep.cuh"

struct life3d_swept life3d_sweep_of(const struct life3d_planes *own)
{
    static struct life3d_swept (*const sweeps[])(const struct life3d_field &, enum life3d_seam) = {
        life3d_sweep_4576,      life3d_sweep_4555,  life3d_sweep_5766,
        life3d_sweep_intervals, life3d_sweep_table,
    };

    return sweeps[own->made](own->field, life3d_seam_of(&own->field));
}
