/* SPDX-License-Identifier: MIT */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_MMA_H
#define CALAB_CORE_EMULATOR_RUNTIME_MMA_H
#error "calab's emulator has no tensor cores (mma.h)"
#endif
