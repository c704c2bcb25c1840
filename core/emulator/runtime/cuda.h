/* SPDX-License-Identifier: MIT */
/* This is in place of the driver's header: the emulator has none of the driver's own calls (cu...).
 */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_CUDA_H
#define CALAB_CORE_EMULATOR_RUNTIME_CUDA_H
#include <cuda_runtime.h>
#define CUDA_VERSION CUDART_VERSION
#endif
