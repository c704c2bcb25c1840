/* SPDX-License-Identifier: MIT */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_CUBLASLT_H
#define CALAB_CORE_EMULATOR_RUNTIME_CUBLASLT_H
#error "calab's emulator has no cuBLAS (cublasLt.h)"
#endif
