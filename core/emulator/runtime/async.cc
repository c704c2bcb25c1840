/* SPDX-License-Identifier: MIT */
/*
 * Holds the asynchronous copies of the running block's threads. They move nothing before their
 * thread waits for them, and until then nobody has written their target.
 */
#include "core/emulator/runtime/async.h"

#include <deque>
#include <string.h>
#include <unordered_map>
#include <vector>

#include "core/emulator/runtime/block.h"
#include "core/emulator/runtime/threads.h"
#include "core/emulator/runtime/watch.h"

struct copy {
    char *to;
    const char *from;
    size_t bytes, zeros; /* of the target: from the source, and 0 behind it */
    uint32_t code;
};

struct copies {
    uint64_t block; /* serial number, of which they are */
    std::vector<struct copy> open;
    std::deque<std::vector<struct copy>> committed;
};

static auto *const threads = new std::unordered_map<int, struct copies>;

static struct copies *own()
{
    struct copies *copies = &(*threads)[emulated_rank * EMULATED_THREADS_MAX + emulated_thread()];

    if (copies->block != emulated_block)
        *copies = {emulated_block, {}, {}};
    return copies;
}

void emulated_async_copy(void *to, const void *from, size_t bytes, size_t zeros, uint32_t code)
{
    watch_access(from, bytes - zeros, WATCH_READ, code);
    watch_access(to, bytes, WATCH_WRITE, code);
    watch_unwritten(to, bytes);
    own()->open.push_back({(char *)to, (const char *)from, bytes - zeros, zeros, code});
}

void emulated_async_commit()
{
    struct copies *copies = own();

    copies->committed.push_back(std::move(copies->open));
    copies->open.clear();
}

void emulated_async_wait(unsigned prior)
{
    struct copies *copies = own();

    for (; copies->committed.size() > prior; copies->committed.pop_front())
        for (const struct copy &one : copies->committed.front()) {
            watch_access(one.to, one.bytes + one.zeros, WATCH_WRITE, one.code);
            memcpy(one.to, one.from, one.bytes);
            memset(one.to + one.bytes, 0, one.zeros);
        }
}
