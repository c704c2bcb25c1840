/* SPDX-License-Identifier: MIT */
/* Reports where the program crashes. */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_CRASH_H
#define CALAB_CORE_EMULATOR_RUNTIME_CRASH_H

/* From here on signals of a crash are reported, but those that have a handler already. */
void crash_begin();

#endif
