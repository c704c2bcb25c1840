/* SPDX-License-Identifier: MIT */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_CUB_CUB_H
#define CALAB_CORE_EMULATOR_RUNTIME_CUB_CUB_H
#error "calab's emulator has no CUB (cub/cub.cuh)"
#endif
