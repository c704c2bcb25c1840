/* SPDX-License-Identifier: MIT */
/* Conversion of addresses of shared memory, which have 32 bits, and the carry of inline PTX. */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_PTX_STATE_H
#define CALAB_CORE_EMULATOR_RUNTIME_PTX_STATE_H

#include <stddef.h>
#include <stdint.h>

/* Addresses of shared memory are numbers of 32 bits, of which those below 16 MiB are not used. */
uint32_t emulated_shared_address(const void *memory);
/* Converts it back to a pointer. One with more bits is a pointer of C++, which is an error. */
void *emulated_shared_at(uint64_t address);

/* Keep the carry from the instruction that sets it (add.cc) to the next one that adds it (addc). */
bool emulated_carry();
void emulated_carry_set(bool carry);

static inline size_t __cvta_generic_to_shared(const void *memory)
{
    return emulated_shared_address(memory);
}
static inline void *__cvta_shared_to_generic(size_t address) { return emulated_shared_at(address); }
static inline size_t __cvta_generic_to_global(const void *memory) { return (size_t)memory; }
static inline void *__cvta_global_to_generic(size_t address) { return (void *)address; }

#endif
