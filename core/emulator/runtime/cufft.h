/* SPDX-License-Identifier: MIT */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_CUFFT_H
#define CALAB_CORE_EMULATOR_RUNTIME_CUFFT_H
#error "calab's emulator has no cuFFT (cufft.h)"
#endif
