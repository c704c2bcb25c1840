/* SPDX-License-Identifier: MIT */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_CUDA_BF16_H
#define CALAB_CORE_EMULATOR_RUNTIME_CUDA_BF16_H
#error "calab's emulator has no bfloat16 (cuda_bf16.h)"
#endif
