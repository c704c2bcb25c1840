/* SPDX-License-Identifier: MIT */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_CUSOLVERDN_H
#define CALAB_CORE_EMULATOR_RUNTIME_CUSOLVERDN_H
#error "calab's emulator has no cuSOLVER (cusolverDn.h)"
#endif
