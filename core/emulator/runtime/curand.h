/* SPDX-License-Identifier: MIT */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_CURAND_H
#define CALAB_CORE_EMULATOR_RUNTIME_CURAND_H
#error "calab's emulator has no cuRAND (curand.h)"
#endif
