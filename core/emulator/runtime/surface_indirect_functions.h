/* SPDX-License-Identifier: MIT */
/* A part of cuda_runtime.h. */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_SURFACE_INDIRECT_FUNCTIONS_H
#define CALAB_CORE_EMULATOR_RUNTIME_SURFACE_INDIRECT_FUNCTIONS_H
#include <cuda_runtime.h>
#endif
