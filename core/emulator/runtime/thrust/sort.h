/* SPDX-License-Identifier: MIT */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_THRUST_SORT_H
#define CALAB_CORE_EMULATOR_RUNTIME_THRUST_SORT_H
#error "calab's emulator has no Thrust (thrust/sort.h)"
#endif
