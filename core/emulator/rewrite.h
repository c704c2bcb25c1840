/* SPDX-License-Identifier: MIT */
/*
 * Rewrites the syntax of CUDA C++ that a C++ compiler does not know: launches (`<<<...>>>`) and
 * declarations with __shared__. A preprocessed source becomes plain C++ for the emulator's headers
 * (core/emulator/runtime/cuda_runtime.h). Comments, strings and line markers stay as they are, and
 * no line is added, so that a compiler names the lines of the user's file. calab's own kernels are
 * rewritten as well, by a program for the machine that builds (host_rewrite.c).
 *
 *     kernel<<<grid, block, bytes, stream>>>(a, b)   ->  kernel % emulated_dims(grid, ...)(a, b)
 *     __shared__ float a[8], b;                      ->  references to memory of the running block
 *     extern __shared__ float a[];                   ->  a pointer to the launch's dynamic memory
 */
#ifndef CALAB_CORE_EMULATOR_REWRITE_H
#define CALAB_CORE_EMULATOR_REWRITE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/error.h"

/*
 * Rewrites `length` bytes of source, behind which a NUL stands; relocatable: its files share the
 * __device__ and __constant__ variables that are not static, as by -rdc=true. *result is malloc'd
 * and ends with NUL. CA_WRONG with "FILE:LINE: error: ..." for what CUDA does not allow or this
 * cannot rewrite, CA_NO_MEMORY.
 */
enum ca_status ca_rewrite_cuda(const char *source, size_t length, bool relocatable, char **result,
                               struct ca_error *error);
/* Whether the source declares device variables of another file, which needs -rdc=true. */
enum ca_status ca_rewrite_shares(const char *source, size_t length, bool *shares,
                                 struct ca_error *error);

#endif
