/* SPDX-License-Identifier: MIT */
/*
 * The compiler of PTX that is part of NVIDIA's driver, for machines without a CUDA Toolkit. It
 * needs a GPU.
 */
#ifndef CALAB_CORE_MACHINE_DRIVER_COMPILER_H
#define CALAB_CORE_MACHINE_DRIVER_COMPILER_H

#include <stddef.h>

#include "core/base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The CUDA version of the driver, 13000 for 13.0. CA_COMPILE where no driver is loaded. */
enum ca_status ca_driver_compiler_find(int *version, struct ca_error *error);
/* Has the driver load its compiler, which it does with the first text: at exit libraries are taken
 * down in the other order, and before handlers that were set earlier than they were loaded. */
void ca_driver_compiler_load(int capability);
/* Compiles PTX, which ends with NUL, to machine code for GPUs of a compute capability, 90 for 9.0:
 * `bytes` at *code, which the caller frees. CA_COMPILE with the first error. */
enum ca_status ca_driver_compile(const char *ptx, int capability, char **code, size_t *bytes,
                                 struct ca_error *error);

#ifdef __cplusplus
}
#endif
#endif
