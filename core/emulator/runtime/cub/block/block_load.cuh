/* SPDX-License-Identifier: MIT */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_CUB_BLOCK_BLOCK_LOAD_CUH
#define CALAB_CORE_EMULATOR_RUNTIME_CUB_BLOCK_BLOCK_LOAD_CUH
#error "calab's emulator has no CUB (cub/block/block_load.cuh)"
#endif
