/* SPDX-License-Identifier: MIT */
/* The instructions of inline PTX that have a function in runtime/ptx.h, for asm.c. */
#ifndef CALAB_CORE_EMULATOR_ASM_TABLE_H
#define CALAB_CORE_EMULATOR_ASM_TABLE_H

#include <stdbool.h>
#include <stddef.h>

/* A mnemonic has parts: `kept` ones belong to the function's name, `left` ones change nothing here.
 */
struct ptx_instruction {
    const char *root, *kept, *left;
    bool nothing; /* has no destination */
    bool shared;  /* with the part `shared` its addresses are those of shared memory */
};

/* NULL: there is none. */
const struct ptx_instruction *ptx_instruction_named(const char *name, size_t length);
/* The type of C++ that a type is; NULL: it is none. */
const char *ptx_type_named(const char *name, size_t length);
bool ptx_is_special(const char *name);
/* Whether a word of this length is one of those that blanks part. */
bool ptx_is_among(const char *words, const char *word, size_t length);

#endif
