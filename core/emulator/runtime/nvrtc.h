/* SPDX-License-Identifier: MIT */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_NVRTC_H
#define CALAB_CORE_EMULATOR_RUNTIME_NVRTC_H
#error "calab's emulator has no NVRTC (nvrtc.h)"
#endif
