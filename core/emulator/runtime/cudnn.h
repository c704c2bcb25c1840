/* SPDX-License-Identifier: MIT */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_CUDNN_H
#define CALAB_CORE_EMULATOR_RUNTIME_CUDNN_H
#error "calab's emulator has no cuDNN (cudnn.h)"
#endif
