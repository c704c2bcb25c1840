/* SPDX-License-Identifier: MIT */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_CUB_DEVICE_DEVICE_SCAN_CUH
#define CALAB_CORE_EMULATOR_RUNTIME_CUB_DEVICE_DEVICE_SCAN_CUH
#error "calab's emulator has no CUB (cub/device/device_scan.cuh)"
#endif
