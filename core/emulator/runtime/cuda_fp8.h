/* SPDX-License-Identifier: MIT */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_CUDA_FP8_H
#define CALAB_CORE_EMULATOR_RUNTIME_CUDA_FP8_H
#error "calab's emulator has no fp8 (cuda_fp8.h)"
#endif
