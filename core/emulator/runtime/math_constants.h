/* SPDX-License-Identifier: MIT */
/* Constants by CUDA's names. */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_MATH_CONSTANTS_H
#define CALAB_CORE_EMULATOR_RUNTIME_MATH_CONSTANTS_H
#include <cuda_runtime.h>
#define CUDART_INF_F __builtin_inff()
#define CUDART_NAN_F __builtin_nanf("")
#define CUDART_PI_F 3.141592654f
#define CUDART_INF __builtin_inf()
#define CUDART_NAN __builtin_nan("")
#define CUDART_PI 3.1415926535897931
#endif
