/* SPDX-License-Identifier: MIT */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_CUSPARSE_V2_H
#define CALAB_CORE_EMULATOR_RUNTIME_CUSPARSE_V2_H
#error "calab's emulator has no cuSPARSE (cusparse_v2.h)"
#endif
