/* SPDX-License-Identifier: MIT */
/*
 * CUDA on the CPU: what .cu files find instead of the CUDA Toolkit's header of this name when g++
 * compiles them, so that kernels run where no GPU is, under AddressSanitizer and
 * UndefinedBehaviorSanitizer. Every CUDA thread is a fiber; threads of a block run one after the
 * other until they wait for each other, blocks one after the other, but for those of a cluster.
 *
 * shared.sed rewrites `__shared__` declarations after preprocessing; everything else is here.
 *
 * The environment steers it:
 *
 *     SHIM_ORDER=forward|reverse|random:SEED   of blocks and of threads between two waits
 *     SHIM_DEVICES=N                           GPUs that there are (1)
 *     SHIM_DRIVER=VERSION                      of CUDA that the driver knows (13000); 0: no driver
 *     SHIM_MEMORY=BYTES                        of each GPU (2 GiB)
 *     SHIM_SHARED=BYTES                        of shared memory that a block may ask for (227 KiB)
 *     SHIM_CLUSTER=BLOCKS                      that a cluster can have (16)
 *     SHIM_FAIL=CALL:N[:ERROR],...             the N-th such call fails with that error's number
 *                                              (variants of a call count as it: cudaMallocAsync
 *                                              as cudaMalloc, cudaHostAlloc as cudaMallocHost,
 *                                              cudaStreamCreateWithFlags as cudaStreamCreate)
 *     SHIM_LOST=N                              the N-th launch loses the device: all calls after
 *                                              it fail with cudaErrorIllegalAddress
 */
#ifndef CALAB_TESTS_SHIM_RUNTIME_H
#define CALAB_TESTS_SHIM_RUNTIME_H

#define CUDA_ON_CPU

#include <stddef.h>
#include <stdint.h>

#include "tests/shim/vectors.h"
#include "tests/shim/errors.h"
#include "tests/shim/api.h"
#include "tests/shim/launch.h"
#include "tests/shim/threads.h"
#include "tests/shim/intrinsics.h"

#endif
