/* SPDX-License-Identifier: MIT */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_CUB_BLOCK_BLOCK_RADIX_SORT_CUH
#define CALAB_CORE_EMULATOR_RUNTIME_CUB_BLOCK_BLOCK_RADIX_SORT_CUH
#error "calab's emulator has no CUB (cub/block/block_radix_sort.cuh)"
#endif
