/* SPDX-License-Identifier: MIT */
/* The time that a program may take: CALAB_EMULATED_LIMIT. */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_LIMIT_H
#define CALAB_CORE_EMULATOR_RUNTIME_LIMIT_H

/* Starts the clock at the first call. */
void limit_start();

#endif
