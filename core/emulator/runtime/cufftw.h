/* SPDX-License-Identifier: MIT */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_CUFFTW_H
#define CALAB_CORE_EMULATOR_RUNTIME_CUFFTW_H
#error "calab's emulator has no cuFFT (cufftw.h)"
#endif
