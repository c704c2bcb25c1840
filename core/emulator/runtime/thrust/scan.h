/* SPDX-License-Identifier: MIT */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_THRUST_SCAN_H
#define CALAB_CORE_EMULATOR_RUNTIME_THRUST_SCAN_H
#error "calab's emulator has no Thrust (thrust/scan.h)"
#endif
