/* SPDX-License-Identifier: MIT */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_CURAND_KERNEL_H
#define CALAB_CORE_EMULATOR_RUNTIME_CURAND_KERNEL_H
#error "calab's emulator has no cuRAND (curand_kernel.h)"
#endif
