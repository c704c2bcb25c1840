/* SPDX-License-Identifier: MIT */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_CUBLAS_V2_H
#define CALAB_CORE_EMULATOR_RUNTIME_CUBLAS_V2_H
#error "calab's emulator has no cuBLAS (cublas_v2.h)"
#endif
