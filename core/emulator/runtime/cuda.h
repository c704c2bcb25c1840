/* SPDX-License-Identifier: MIT */
/* In place of the driver's header: of the driver's own calls (cu...) the emulator has none. */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_CUDA_H
#define CALAB_CORE_EMULATOR_RUNTIME_CUDA_H
#include <cuda_runtime.h>
#define CUDA_VERSION CUDART_VERSION
#endif
