/* SPDX-License-Identifier: MIT */
/*
 * CUDA on the CPU: what .cu files find instead of the CUDA Toolkit's header of this name when g++
 * compiles them, so that kernels run where no GPU is. Every CUDA thread is a fiber; threads of a
 * block run one after the other until they wait for each other, blocks one after the other, but for
 * those of a cluster.
 *
 * core/emulator/rewrite.c rewrites CUDA's own syntax after preprocessing; everything else is here.
 *
 * The environment steers it, by variables that start with CALAB_EMULATED_:
 *
 *     ORDER=forward|reverse|random:SEED   of blocks and of threads between two waits
 *     CC=X.Y                              compute capability (9.0)
 *     LIMIT=SECONDS                       after which the program ends and says where it is
 *     DEVICES=N                           GPUs that there are (1)
 *     CLOCK=KHZ                           that a GPU says it has (1980000); what is predicted of
 *                                         kernels is longer the slower it is
 *     DRIVER=VERSION                      of CUDA that the driver knows (13000); 0: no driver
 *     MEMORY=BYTES                        of each GPU (2 GiB)
 *     SHARED=BYTES                        of shared memory that a block may ask for (227 KiB)
 *     CLUSTER=BLOCKS                      that a cluster can have (16)
 *     FAIL=CALL:N[:ERROR],...             the N-th such call fails with that error's number
 *                                         (variants of a call count as it: cudaMallocAsync as
 *                                         cudaMalloc, cudaHostAlloc as cudaMallocHost,
 *                                         cudaStreamCreateWithFlags and ...WithPriority as
 *                                         cudaStreamCreate)
 *     LOST=N                              the N-th launch loses the device: all calls after it
 *                                         fail with cudaErrorIllegalAddress
 */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_RUNTIME_H
#define CALAB_CORE_EMULATOR_RUNTIME_RUNTIME_H

#define CUDA_ON_CPU
/* Programs test these macros to see that nvcc compiles them and that CUDA's headers are there. */
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__

/* nvcc includes these by itself. */
#include <cmath>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/emulator/runtime/vectors.h"
#include "core/emulator/runtime/errors.h"
#include "core/emulator/runtime/api.h"
#include "core/emulator/runtime/launch.h"
#include "core/emulator/runtime/threads.h"
#include "core/emulator/runtime/intrinsics.h"
#include "core/emulator/runtime/language.h"
#include "core/emulator/runtime/volumes.h"
#include "core/emulator/runtime/settings.h"
#include "core/emulator/runtime/mapped.h"
#include "core/emulator/runtime/pools.h"
#include "core/emulator/runtime/textures.h"
#include "core/emulator/runtime/graphs.h"
#include "core/emulator/runtime/library.h"
#include "core/emulator/runtime/ptx.h"

#endif
