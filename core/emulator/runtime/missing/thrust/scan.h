/* SPDX-License-Identifier: MIT */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_MISSING_THRUST_SCAN_H
#define CALAB_CORE_EMULATOR_RUNTIME_MISSING_THRUST_SCAN_H
#error "calab's emulator has no Thrust of its own: install the CUDA Toolkit or libthrust-dev"
#endif
