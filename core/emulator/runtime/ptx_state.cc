/* SPDX-License-Identifier: MIT */
/*
 * Converts pointers to addresses of shared memory and back: the upper 8 bits of an address say
 * which 16 MiB of the process it is in. Each of these has the next one of memory behind it in the
 * table, so that an address may go on beyond its end.
 */
#include "core/emulator/runtime/ptx_state.h"

#include "core/emulator/runtime/block.h"
#include "core/emulator/runtime/finding.h"
#include "core/emulator/runtime/shadow.h"

#define WINDOW_BITS 24
#define WINDOWS 256

static uintptr_t windows[WINDOWS]; /* the upper bits of their pointers; 0: nothing */
static uint32_t used = 1;

static uint32_t window_of(uintptr_t upper)
{
    for (uint32_t i = 1; i < used; i++)
        if (windows[i] == upper && i + 1 < used && windows[i + 1] == upper + 1)
            return i;
    if (used + 2 > WINDOWS)
        emulated_stop("addresses of 32 bits for more than %d MiB of shared memory", WINDOWS * 8);
    windows[used] = upper;
    windows[used + 1] = upper + 1;
    used += 2;
    return used - 2;
}

/* Ends the launch, as a GPU does at the access. */
[[noreturn]] static void refuse(uint64_t address, const char *why, uint32_t code)
{
    const struct place *where = place_of(code);

    if (!watch_on)
        emulated_stop("%#llx %s", (unsigned long long)address, why);
    finding_report(EMULATED_ERROR, "address", where, NULL,
                   "block (%u,%u,%u) thread (%u,%u,%u): %#llx %s, in kernel %s", blockIdx.x,
                   blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z,
                   (unsigned long long)address, why, where->function);
    emulated_trap();
}

uint32_t emulated_shared_address(const void *memory)
{
    uintptr_t at = (uintptr_t)memory;
    size_t in_arena = (size_t)((const char *)memory - shadow.base);

    if (watch_on && (in_arena < ARENA_SHARED || in_arena >= ARENA_BYTES))
        refuse(at, "is made an address of shared memory, but points elsewhere", WATCH_CALLER);
    return window_of(at >> WINDOW_BITS) << WINDOW_BITS | (at & ((1u << WINDOW_BITS) - 1));
}

void *emulated_shared_at(uint64_t address)
{
    if (address >> 32)
        refuse(address,
               "is a pointer where an address of shared memory has to be, which "
               "__cvta_generic_to_shared makes of it",
               WATCH_CALLER);
    return (void *)(windows[address >> WINDOW_BITS] << WINDOW_BITS |
                    (address & ((1u << WINDOW_BITS) - 1)));
}

static bool carry;

bool emulated_carry() { return carry; }
void emulated_carry_set(bool is) { carry = is; }
