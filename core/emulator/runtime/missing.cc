/* SPDX-License-Identifier: MIT */
/* Remembers the allocations that failed, and names them where their memory is used all the same. */
#include <stdarg.h>
#include <stdio.h>
#include <vector>

#include "core/emulator/runtime/finding.h"
#include "core/emulator/runtime/watch.h"

struct missing {
    const void *pointer; /* the variable that should have been set */
    size_t bytes, used, size;
    const char *call;
    uint32_t code;
};

/* Never destroyed, since work that nobody waited for runs while the process ends. */
static auto *const all = new std::vector<struct missing>;

void watch_given(const void *pointer)
{
    for (size_t i = 0; i < all->size(); i++)
        if ((*all)[i].pointer == pointer)
            all->erase(all->begin() + (long)i--);
}

void watch_not_given(const void *pointer, size_t bytes, size_t used, size_t size, const char *call,
                     uint32_t code)
{
    watch_given(pointer);
    if (watch_on)
        all->push_back({pointer, bytes, used, size, call, code});
}

void watch_no_variable(const char *call, uint32_t code)
{
    if (watch_on)
        finding_report(EMULATED_ERROR, "memory", place_of(code), NULL,
                       "%s is given a null pointer in place of the address of a pointer, and gives "
                       "no memory out",
                       call);
}

bool watch_is_missing(const void *memory, const struct place *where, const char *format, ...)
{
    for (const struct missing &one : *all) {
        char text[512];
        va_list arguments;

        if ((uintptr_t)memory >= one.bytes && -(uintptr_t)memory > one.bytes)
            continue;
        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        finding_report(EMULATED_ERROR, "memory", place_of(one.code), NULL,
                       "%s of %zu bytes fails here: %zu of the %zu bytes of the emulated GPU "
                       "(CALAB_EMULATED_MEMORY) are in use; but at %s:%d %s",
                       one.call, one.bytes, one.used, one.size, where->file, where->line, text);
        return true;
    }
    return false;
}
