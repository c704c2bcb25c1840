/* SPDX-License-Identifier: MIT */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_CUSPARSE_H
#define CALAB_CORE_EMULATOR_RUNTIME_CUSPARSE_H
#error "calab's emulator has no cuSPARSE (cusparse.h)"
#endif
