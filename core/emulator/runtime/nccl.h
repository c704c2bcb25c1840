/* SPDX-License-Identifier: MIT */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_NCCL_H
#define CALAB_CORE_EMULATOR_RUNTIME_NCCL_H
#error "calab's emulator has no NCCL (nccl.h)"
#endif
