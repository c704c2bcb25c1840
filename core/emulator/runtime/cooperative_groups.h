/* SPDX-License-Identifier: MIT */
/* Cooperative groups: the block, tiles of a warp, lanes that are together, and the grid. */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_COOPERATIVE_GROUPS_H
#define CALAB_CORE_EMULATOR_RUNTIME_COOPERATIVE_GROUPS_H

#include <cuda_runtime.h>

namespace cooperative_groups
{

/* A group by its type at run time: the block, or lanes of a warp as a mask. */
class thread_group
{
  protected:
    unsigned lanes; /* 0: the block */
    unsigned meta_rank, meta_size;

    static unsigned rank_in_block()
    {
        return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    }

    /* The lane of the warp that has a number in the group. */
    int lane_of(unsigned rank) const
    {
        unsigned left = lanes;

        for (; rank > 0 && left; rank--)
            left &= left - 1;
        return left ? __builtin_ctz(left) : emulated_lane();
    }

  public:
    thread_group(unsigned lanes, unsigned meta_rank, unsigned meta_size)
        : lanes(lanes), meta_rank(meta_rank), meta_size(meta_size)
    {
    }
    unsigned size() const
    {
        return lanes ? (unsigned)__builtin_popcount(lanes) : (unsigned)emulated_threads();
    }
    unsigned num_threads() const { return size(); }
    unsigned thread_rank() const
    {
        return lanes ? (unsigned)__builtin_popcount(lanes & ((1u << emulated_lane()) - 1))
                     : rank_in_block();
    }
    void sync(EMULATED_PLACE) const
    {
        if (lanes)
            __syncwarp(lanes, file, line);
        else
            __syncthreads(file, line);
    }
    bool is_valid() const { return true; }
    unsigned mask() const { return lanes; }
    int lane(unsigned rank) const { return lane_of(rank); }
};

class thread_block : public thread_group
{
  public:
    thread_block() : thread_group(0, 0, 1) {}
    static unsigned thread_rank() { return rank_in_block(); }
    static unsigned size() { return (unsigned)emulated_threads(); }
    static unsigned num_threads() { return size(); }
    static dim3 group_index() { return blockIdx; }
    static dim3 thread_index() { return threadIdx; }
    static dim3 group_dim() { return blockDim; }
    static dim3 dim_threads() { return blockDim; }
};

static inline thread_block this_thread_block() { return {}; }

class grid_group
{
  public:
    bool is_valid() const { return emulated_grid_waits(); }
    void sync(EMULATED_PLACE) const { emulated_grid_sync(file, line); }
    static unsigned long long num_blocks()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    static unsigned long long block_rank()
    {
        return blockIdx.x + (unsigned long long)gridDim.x *
                                (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
    }
    static unsigned long long thread_rank()
    {
        return block_rank() * thread_block::size() + thread_block::thread_rank();
    }
    static unsigned long long size() { return num_blocks() * thread_block::size(); }
    static unsigned long long num_threads() { return size(); }
    static dim3 group_dim() { return gridDim; }
    static dim3 dim_blocks() { return gridDim; }
    static dim3 block_index() { return blockIdx; }
};

static inline grid_group this_grid() { return {}; }

/* Lanes of a warp that vote and shuffle. */
class coalesced_group : public thread_group
{
  public:
    coalesced_group(unsigned lanes, unsigned meta_rank, unsigned meta_size)
        : thread_group(lanes, meta_rank, meta_size)
    {
    }
    unsigned meta_group_rank() const { return meta_rank; }
    unsigned meta_group_size() const { return meta_size; }
    template <class T> T shfl(T value, unsigned from, EMULATED_PLACE) const
    {
        return emulated_shuffle(lanes, value, lane_of(from % size()), file, line);
    }
    template <class T> T shfl_down(T value, unsigned by, EMULATED_PLACE) const
    {
        unsigned from = thread_rank() + by;

        return emulated_shuffle(lanes, value, from < size() ? lane_of(from) : emulated_lane(), file,
                                line);
    }
    template <class T> T shfl_up(T value, unsigned by, EMULATED_PLACE) const
    {
        unsigned rank = thread_rank();

        return emulated_shuffle(lanes, value, rank >= by ? lane_of(rank - by) : emulated_lane(),
                                file, line);
    }
    template <class T> T shfl_xor(T value, unsigned bits, EMULATED_PLACE) const
    {
        unsigned from = thread_rank() ^ bits;

        return emulated_shuffle(lanes, value, from < size() ? lane_of(from) : emulated_lane(), file,
                                line);
    }
    int any(int predicate, EMULATED_PLACE) const
    {
        return __any_sync(lanes, predicate, file, line);
    }
    int all(int predicate, EMULATED_PLACE) const
    {
        return __all_sync(lanes, predicate, file, line);
    }
    unsigned ballot(int predicate, EMULATED_PLACE) const
    {
        unsigned votes = __ballot_sync(lanes, predicate, file, line), result = 0;

        for (unsigned rank = 0; rank < size(); rank++)
            result |= (votes >> lane_of(rank) & 1) << rank;
        return result;
    }
    template <class T> unsigned match_any(T value, EMULATED_PLACE) const
    {
        unsigned same = __match_any_sync(lanes, value, file, line), result = 0;

        for (unsigned rank = 0; rank < size(); rank++)
            result |= (same >> lane_of(rank) & 1) << rank;
        return result;
    }
};

static inline coalesced_group coalesced_threads(EMULATED_PLACE)
{
    return {__activemask(file, line), 0, 1};
}

static inline coalesced_group emulated_tile(unsigned size)
{
    unsigned threads = thread_block::size(), rank = thread_block::thread_rank();
    unsigned first = rank / size * size % 32, whole = size == 32 ? ~0u : (1u << size) - 1;
    unsigned there = threads - rank / 32 * 32;

    return {whole << first & (there >= 32 ? ~0u : (1u << there) - 1), rank / size,
            (threads + size - 1) / size};
}

template <unsigned SIZE, class Parent = void> class thread_block_tile : public coalesced_group
{
    static_assert(SIZE >= 1 && SIZE <= 32 && (SIZE & (SIZE - 1)) == 0,
                  "calab's emulator has tiles of 1, 2, 4, 8, 16 and 32 threads");

  public:
    thread_block_tile() : coalesced_group(emulated_tile(SIZE)) {}
    template <class Other>
    thread_block_tile(const thread_block_tile<SIZE, Other> &other) : coalesced_group(other)
    {
    }
    static constexpr unsigned size() { return SIZE; }
    static constexpr unsigned num_threads() { return SIZE; }
};

template <unsigned SIZE, class Parent>
static inline thread_block_tile<SIZE, Parent> tiled_partition(const Parent &)
{
    return {};
}

/* The lanes that a group's threads of the numbers first, first + 1, ... have. */
static inline unsigned emulated_lanes(const thread_group &group, unsigned first, unsigned count)
{
    unsigned lanes = 0;

    for (unsigned rank = first; rank < first + count && rank < group.size(); rank++)
        lanes |= 1u << group.lane(rank);
    return lanes;
}

static inline coalesced_group tiled_partition(const thread_group &parent, unsigned size)
{
    unsigned tile = parent.thread_rank() / size;

    if (!parent.mask())
        return emulated_tile(size);
    return {emulated_lanes(parent, tile * size, size), tile, (parent.size() + size - 1) / size};
}

/* Those of a group who bring the same. */
static inline coalesced_group binary_partition(const coalesced_group &group, bool predicate,
                                               EMULATED_PLACE)
{
    unsigned votes = __ballot_sync(group.mask(), predicate, file, line);

    return {predicate ? votes : group.mask() & ~votes, predicate, 2};
}

template <class T>
static inline coalesced_group labeled_partition(const coalesced_group &group, T label,
                                                EMULATED_PLACE)
{
    return {__match_any_sync(group.mask(), label, file, line), 0, 1};
}

template <class Group> static inline void sync(const Group &group, EMULATED_PLACE)
{
    group.sync(file, line);
}

/* --- cooperative_groups/reduce.h -------------------------------------------------------------- */

template <class T> struct plus {
    T operator()(T a, T b) const { return a + b; }
};
template <class T> struct less {
    T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T> struct greater {
    T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T> struct bit_and {
    T operator()(T a, T b) const { return a & b; }
};
template <class T> struct bit_or {
    T operator()(T a, T b) const { return a | b; }
};
template <class T> struct bit_xor {
    T operator()(T a, T b) const { return a ^ b; }
};

template <class T, class Fold>
static inline T reduce(const coalesced_group &group, T value, Fold fold, EMULATED_PLACE)
{
    return emulated_reduce(group.mask(), value, fold, file, line);
}

/* --- cooperative_groups/scan.h ---------------------------------------------------------------- */

/* Folds the values of the lanes of the mask that are before this one, and its own where
 * `inclusive`; the first one's is `value` of no meaning unless inclusive. */
template <class T, class Fold>
static inline T emulated_scan(unsigned mask, T value, Fold fold, bool inclusive, const char *file,
                              int line)
{
    uint64_t bits = 0, values[EMULATED_WARP];
    T sum{};
    bool first = true;

    static_assert(sizeof(T) <= 8, "a scan takes values of at most 8 bytes");
    memcpy(&bits, &value, sizeof value);
    emulated_warp(EMULATED_REDUCE, mask, bits, EMULATED_EACH, values, file, line);
    for (int lane = 0; lane < emulated_lane() + inclusive; lane++) {
        T one;

        if (!(mask >> lane & 1))
            continue;
        memcpy(&one, &values[lane], sizeof one);
        sum = first ? one : fold(sum, one);
        first = false;
    }
    return sum;
}

template <class T, class Fold = plus<T>>
static inline T inclusive_scan(const coalesced_group &group, T value, Fold fold = {},
                               EMULATED_PLACE)
{
    return emulated_scan(group.mask(), value, fold, true, file, line);
}

template <class T, class Fold = plus<T>>
static inline T exclusive_scan(const coalesced_group &group, T value, Fold fold = {},
                               EMULATED_PLACE)
{
    return emulated_scan(group.mask(), value, fold, false, file, line);
}

template <class Group, class Function>
static inline void invoke_one(const Group &group, Function &&function)
{
    if (group.thread_rank() == 0)
        std::forward<Function>(function)();
}

} // namespace cooperative_groups

#endif
