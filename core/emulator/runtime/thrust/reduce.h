/* SPDX-License-Identifier: MIT */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_THRUST_REDUCE_H
#define CALAB_CORE_EMULATOR_RUNTIME_THRUST_REDUCE_H
#error "calab's emulator has no Thrust (thrust/reduce.h)"
#endif
