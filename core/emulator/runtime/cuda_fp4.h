/* SPDX-License-Identifier: MIT */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_CUDA_FP4_H
#define CALAB_CORE_EMULATOR_RUNTIME_CUDA_FP4_H
#error "calab's emulator has no numbers of 4 bits (cuda_fp4.h)"
#endif
