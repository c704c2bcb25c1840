/* SPDX-License-Identifier: MIT */
/* Copies of a whole group to shared memory; a part of cooperative_groups.h. */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define CALAB_CORE_EMULATOR_RUNTIME_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include <cooperative_groups.h>
#include <cuda_pipeline.h>

namespace cooperative_groups
{

/* Each thread copies every size()-th piece of 4 bytes, and commits. */
template <class Group, class T>
__attribute__((noinline)) void memcpy_async(const Group &group, T *to, const T *from, size_t bytes)
{
    size_t step = bytes % 4 == 0 ? 4 : 1;

    for (size_t at = group.thread_rank() * step; at < bytes; at += group.size() * step)
        emulated_async_copy((char *)to + at, (const char *)from + at, step, 0, WATCH_CALLER);
    emulated_async_commit();
}

template <unsigned PRIOR, class Group>
static inline void wait_prior(const Group &group, EMULATED_PLACE)
{
    emulated_async_wait(PRIOR);
    group.sync(file, line);
}

template <class Group> static inline void wait(const Group &group, EMULATED_PLACE)
{
    emulated_async_wait(0);
    group.sync(file, line);
}

} // namespace cooperative_groups

#endif
