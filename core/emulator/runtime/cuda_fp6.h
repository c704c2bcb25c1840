/* SPDX-License-Identifier: MIT */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_CUDA_FP6_H
#define CALAB_CORE_EMULATOR_RUNTIME_CUDA_FP6_H
#error "calab's emulator has no numbers of 6 bits (cuda_fp6.h)"
#endif
