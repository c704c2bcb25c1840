/* SPDX-License-Identifier: MIT */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_CUFFTXT_H
#define CALAB_CORE_EMULATOR_RUNTIME_CUFFTXT_H
#error "calab's emulator has no cuFFT (cufftXt.h)"
#endif
