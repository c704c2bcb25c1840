/* SPDX-License-Identifier: MIT */
/*
 * Which line of the source an address in the program's code belongs to. Asks addr2line of binutils,
 * which is there wherever a compiler is: it is started once, by the first question, and answers
 * through a pipe.
 */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_PLACE_H
#define CALAB_CORE_EMULATOR_RUNTIME_PLACE_H

#include <stdint.h>

/* Part of the path of each of the emulator's own files, also below where they are installed. */
#define PLACE_OWN_FOLDER "core/emulator/runtime/"

struct place {
    const char *file;     /* as the compiler was told; "?" where nobody knows */
    int line;             /* 0 where nobody knows */
    const char *function; /* that it is compiled in, after inlining: of device code, the kernel */
};

/*
 * Finds where a call is made that returns to `code`: the innermost line that is not in this folder,
 * but in what the user wrote. Only the lower 32 bits of an address count, and all of the program's
 * modules are looked through for it.
 */
const struct place *place_of(uint32_t code);

/* In a handler of a signal: the innermost line that the user wrote of what it interrupted, NULL
 * where there is none. place_ready() comes before, outside of handlers. */
const struct place *place_interrupted();
void place_ready();

#endif
