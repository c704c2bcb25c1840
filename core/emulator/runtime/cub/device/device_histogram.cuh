/* SPDX-License-Identifier: MIT */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_CUB_DEVICE_DEVICE_HISTOGRAM_CUH
#define CALAB_CORE_EMULATOR_RUNTIME_CUB_DEVICE_DEVICE_HISTOGRAM_CUH
#error "calab's emulator has no CUB (cub/device/device_histogram.cuh)"
#endif
