/* SPDX-License-Identifier: MIT */
/* Keeps the memory of libraries, and whether one of their calls runs. */
#include "core/emulator/runtime/library.h"

#include <map>
#include <new>

#include "core/emulator/runtime/device.h"

static thread_local int calls;

static std::map<const char *, size_t> &library_memory()
{
    static auto *all = new std::map<const char *, size_t>;

    return *all;
}

void *emulated_library_take(size_t bytes)
{
    void *memory = NULL;

    if (emulated_malloc_managed(&memory, bytes ? bytes : 1) != cudaSuccess)
        throw std::bad_alloc();
    library_memory()[(const char *)memory] = bytes ? bytes : 1;
    return memory;
}

void emulated_library_give(void *memory)
{
    library_memory().erase((const char *)memory);
    cudaFree(memory);
}

static void wait_for_work()
{
    struct emulated_entry entry("cudaDeviceSynchronize");

    queue_wait_all();
}

emulated_library::emulated_library()
{
    calls++;
    wait_for_work();
}

emulated_library::~emulated_library() { calls--; }

static bool is_of_library(const char *memory)
{
    auto after = library_memory().upper_bound(memory);

    if (after == library_memory().begin())
        return false;
    --after;
    return (size_t)(memory - after->first) < after->second;
}

bool emulated_library_reaches(const void *memory)
{
    if (calls == 0 && (library_memory().empty() || !is_of_library((const char *)memory)))
        return false;
    if (queue_waits())
        wait_for_work();
    return true;
}
