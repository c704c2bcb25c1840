/* SPDX-License-Identifier: MIT */
/* Without -rdc each file that includes it has a counter of its own. */
#pragma once

__device__ int counter;
static __global__ void count(int *out) { *out = atomicAdd(&counter, 1) + 1; }
