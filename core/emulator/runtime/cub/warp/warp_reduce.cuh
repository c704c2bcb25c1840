/* SPDX-License-Identifier: MIT */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_CUB_WARP_WARP_REDUCE_CUH
#define CALAB_CORE_EMULATOR_RUNTIME_CUB_WARP_WARP_REDUCE_CUH
#error "calab's emulator has no CUB (cub/warp/warp_reduce.cuh)"
#endif
