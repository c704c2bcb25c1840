/* SPDX-License-Identifier: MIT */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_CUBLAS_H
#define CALAB_CORE_EMULATOR_RUNTIME_CUBLAS_H
#error "calab's emulator has no cuBLAS (cublas.h)"
#endif
