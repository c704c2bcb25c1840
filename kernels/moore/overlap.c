/* SPDX-License-Identifier: MIT */
/*
 * This file bounds the kernels of a rule's own as they were measured: on an H200 passes of 2, 3 and
 * 4 generations of B3/S238 step 27.0, 33.8 and 36.3 T cells/s of 65536x65536, where this has 25, 33
 * and 36, and the longer of memory and logic 34, 46 and 45.
 */
#include "kernels/moore/overlap.h"

#include <math.h>

double moore_overlap_s(const struct ca_cuda_device *device, const struct cuda_shape *shape)
{
    struct cuda_shape logic = *shape, memory = *shape, neither = *shape;
    double beside;

    logic.moved = memory.ops = neither.moved = neither.ops = 0;
    beside = cuda_bound_s(device, &neither);
    return beside +
           hypot(cuda_bound_s(device, &logic) - beside, cuda_bound_s(device, &memory) - beside);
}
