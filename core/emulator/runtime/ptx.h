/* SPDX-License-Identifier: MIT */
/*
 * What core/emulator/asm.c puts in place of inline PTX: functions that are named like instructions,
 * with their types as arguments of a template, and special registers. Registers are numbers of
 * their size without a sign, or floats.
 */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_PTX_H
#define CALAB_CORE_EMULATOR_RUNTIME_PTX_H

#include <algorithm>
#include <type_traits>

#include "core/emulator/runtime/api.h"
#include "core/emulator/runtime/async.h"
#include "core/emulator/runtime/intrinsics.h"
#include "core/emulator/runtime/ptx_state.h"
#include "core/emulator/runtime/threads.h"

namespace emulated_ptx
{

/* --- registers -------------------------------------------------------------------------------- */

/* A register's bits as a type of the same size; of another size, its number. */
template <class T, class R> static inline T as(R value)
{
    if constexpr (std::is_floating_point_v<T> != std::is_floating_point_v<R> &&
                  sizeof(T) == sizeof(R))
        return emulated_bits<T>(value);
    else
        return (T)value;
}

template <class R, class V> static inline void set(R &to, V value)
{
    if constexpr (std::is_integral_v<R> && std::is_signed_v<V> && sizeof(V) < sizeof(R))
        to = (R)(std::make_signed_t<R>)value;
    else
        to = as<R>(value);
}

template <class R, class E> static inline R take(E value)
{
    if constexpr (std::is_pointer_v<E> || std::is_enum_v<E> || std::is_arithmetic_v<E>)
        return (R)value;
    else
        return emulated_bits<R>(value);
}

template <class E, class R> static inline void give(E &to, R value)
{
    if constexpr (std::is_pointer_v<E> || std::is_enum_v<E> || std::is_arithmetic_v<E>)
        to = (E)value;
    else
        to = emulated_bits<E>(value);
}

template <class L, class H> static inline auto pack(L low, H high)
{
    if constexpr (sizeof(L) == 4)
        return as<uint32_t>(low) | (uint64_t)as<uint32_t>(high) << 32;
    else
        return (uint32_t)as<uint16_t>(low) | (uint32_t)as<uint16_t>(high) << 16;
}

template <class W> static inline auto half_0(W whole)
{
    if constexpr (sizeof(W) == 8)
        return (uint32_t)as<uint64_t>(whole);
    else
        return (uint16_t)as<uint32_t>(whole);
}
template <class W> static inline auto half_1(W whole)
{
    if constexpr (sizeof(W) == 8)
        return (uint32_t)(as<uint64_t>(whole) >> 32);
    else
        return (uint16_t)(as<uint32_t>(whole) >> 16);
}

static inline unsigned reg_laneid() { return (unsigned)emulated_lane(); }
static inline unsigned reg_warpid()
{
    return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) / 32;
}
static inline unsigned reg_smid() { return blockIdx.x % EMULATED_MULTIPROCESSORS; }
static inline unsigned reg_nsmid() { return EMULATED_MULTIPROCESSORS; }
static inline unsigned reg_tid_x() { return threadIdx.x; }
static inline unsigned reg_tid_y() { return threadIdx.y; }
static inline unsigned reg_tid_z() { return threadIdx.z; }
static inline unsigned reg_ntid_x() { return blockDim.x; }
static inline unsigned reg_ntid_y() { return blockDim.y; }
static inline unsigned reg_ntid_z() { return blockDim.z; }
static inline unsigned reg_ctaid_x() { return blockIdx.x; }
static inline unsigned reg_ctaid_y() { return blockIdx.y; }
static inline unsigned reg_ctaid_z() { return blockIdx.z; }
static inline unsigned reg_nctaid_x() { return gridDim.x; }
static inline unsigned reg_nctaid_y() { return gridDim.y; }
static inline unsigned reg_nctaid_z() { return gridDim.z; }
static inline unsigned reg_lanemask_eq() { return 1u << emulated_lane(); }
static inline unsigned reg_lanemask_lt() { return reg_lanemask_eq() - 1; }
static inline unsigned reg_lanemask_le() { return reg_lanemask_lt() | reg_lanemask_eq(); }
static inline unsigned reg_lanemask_gt() { return ~reg_lanemask_le(); }
static inline unsigned reg_lanemask_ge() { return ~reg_lanemask_lt(); }
static inline unsigned reg_clock() { return (unsigned)clock64(); }
static inline uint64_t reg_clock64() { return (uint64_t)clock64(); }
static inline uint64_t reg_globaltimer() { return (uint64_t)clock64(); }

/* --- arithmetic ------------------------------------------------------------------------------- */

#define EMULATED_PTX_1(name, expression)                                                           \
    template <class T, class A> static inline T name(A first)                                      \
    {                                                                                              \
        T a = as<T>(first);                                                                        \
                                                                                                   \
        return (T)(expression);                                                                    \
    }
#define EMULATED_PTX_2(name, expression)                                                           \
    template <class T, class A, class B> static inline T name(A first, B second)                   \
    {                                                                                              \
        T a = as<T>(first), b = as<T>(second);                                                     \
                                                                                                   \
        return (T)(expression);                                                                    \
    }

template <class T> static inline T product(T a, T b)
{
    if constexpr (std::is_integral_v<T>)
        return (T)((uint64_t)a * (uint64_t)b);
    else
        return a * b;
}
template <class T>
using wide_of =
    std::conditional_t<sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>,
                       std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;
template <class T> static inline T high(T a, T b)
{
    if constexpr (std::is_signed_v<T>)
        return (T)((__int128)a * b >> (8 * sizeof(T)));
    else
        return (T)((unsigned __int128)a * b >> (8 * sizeof(T)));
}
template <class T> static inline T least(T a, T b)
{
    if constexpr (std::is_floating_point_v<T>)
        return emulated_less(a, b);
    else
        return b < a ? b : a;
}
template <class T> static inline T most(T a, T b)
{
    if constexpr (std::is_floating_point_v<T>)
        return emulated_more(a, b);
    else
        return a < b ? b : a;
}

template <class T, class A> static inline T mov(A a) { return as<T>(a); }
EMULATED_PTX_2(add, emulated_sum(a, b))
EMULATED_PTX_2(sub, std::is_integral_v<T> ? emulated_sum(a, (T)(0 - (uint64_t)b)) : (T)(a - b))
EMULATED_PTX_2(mul, product(a, b))
EMULATED_PTX_2(mul_lo, product(a, b))
EMULATED_PTX_2(mul_hi, high(a, b))
EMULATED_PTX_2(div, a / b)
EMULATED_PTX_2(rem, a % b)
EMULATED_PTX_2(min, least(a, b))
EMULATED_PTX_2(max, most(a, b))
EMULATED_PTX_1(abs, a < 0 ? -a : a)
EMULATED_PTX_1(neg, -a)
template <class T, class A> static inline T not_(A a) { return (T)~as<T>(a); }
EMULATED_PTX_1(sqrt, std::sqrt(a))
EMULATED_PTX_1(rsqrt, 1 / std::sqrt(a))
EMULATED_PTX_1(rcp, 1 / a)
EMULATED_PTX_1(ex2, std::exp2(a))
EMULATED_PTX_1(lg2, std::log2(a))
EMULATED_PTX_1(sin, std::sin(a))
EMULATED_PTX_1(cos, std::cos(a))
EMULATED_PTX_1(tanh, std::tanh(a))
template <class T, class A, class B> static inline wide_of<T> mul_wide(A a, B b)
{
    return (wide_of<T>)as<T>(a) * (wide_of<T>)as<T>(b);
}
template <class T, class A, class B, class C> static inline T mad_lo(A a, B b, C c)
{
    return emulated_sum(product(as<T>(a), as<T>(b)), as<T>(c));
}
template <class T, class A, class B, class C> static inline T mad_hi(A a, B b, C c)
{
    return emulated_sum(high(as<T>(a), as<T>(b)), as<T>(c));
}
template <class T, class A, class B, class C> static inline wide_of<T> mad_wide(A a, B b, C c)
{
    return emulated_sum(mul_wide<T>(a, b), as<wide_of<T>>(c));
}
template <class T, class A, class B, class C> static inline T fma(A a, B b, C c)
{
    return (T)std::fma(as<T>(a), as<T>(b), as<T>(c));
}
template <class T, class A, class B, class C> static inline T mad(A a, B b, C c)
{
    return fma<T>(a, b, c);
}
template <class T, class A, class B, class C> static inline T sad(A a, B b, C c)
{
    return (T)(most(as<T>(a), as<T>(b)) - least(as<T>(a), as<T>(b)) + as<T>(c));
}

/* --- carries ---------------------------------------------------------------------------------- */

/* The sum of three, of which the last is 0 or 1; the carry is kept for the next instruction. */
template <class T> static inline T carrying(T a, T b, bool carry, bool keep)
{
    typedef std::make_unsigned_t<T> bits;
    unsigned __int128 sum = (unsigned __int128)(bits)a + (bits)b + carry;

    if (keep)
        emulated_carry_set(sum >> (8 * sizeof(T)) & 1);
    return (T)(bits)sum;
}
/* Differences have a borrow where a sum has a carry. */
template <class T> static inline T borrowing(T a, T b, bool borrow, bool keep)
{
    typedef std::make_unsigned_t<T> bits;

    if (keep)
        emulated_carry_set((bits)a < (unsigned __int128)(bits)b + borrow);
    return (T)(bits)((bits)a - (bits)b - borrow);
}
EMULATED_PTX_2(add_cc, carrying(a, b, false, true))
EMULATED_PTX_2(addc, carrying(a, b, emulated_carry(), false))
EMULATED_PTX_2(addc_cc, carrying(a, b, emulated_carry(), true))
EMULATED_PTX_2(sub_cc, borrowing(a, b, false, true))
EMULATED_PTX_2(subc, borrowing(a, b, emulated_carry(), false))
EMULATED_PTX_2(subc_cc, borrowing(a, b, emulated_carry(), true))
#define EMULATED_PTX_MAD(name, product, carry, keep)                                               \
    template <class T, class A, class B, class C> static inline T name(A a, B b, C c)              \
    {                                                                                              \
        return carrying(product(as<T>(a), as<T>(b)), as<T>(c), carry, keep);                       \
    }
EMULATED_PTX_MAD(mad_lo_cc, product, false, true)
EMULATED_PTX_MAD(mad_hi_cc, high, false, true)
EMULATED_PTX_MAD(madc_lo, product, emulated_carry(), false)
EMULATED_PTX_MAD(madc_hi, high, emulated_carry(), false)
EMULATED_PTX_MAD(madc_lo_cc, product, emulated_carry(), true)
EMULATED_PTX_MAD(madc_hi_cc, high, emulated_carry(), true)

/* --- bits ------------------------------------------------------------------------------------- */

template <class T, class A, class B> static inline T and_(A a, B b) { return as<T>(a) & as<T>(b); }
template <class T, class A, class B> static inline T or_(A a, B b) { return as<T>(a) | as<T>(b); }
template <class T, class A, class B> static inline T xor_(A a, B b) { return as<T>(a) ^ as<T>(b); }
template <class T, class A, class B> static inline T shl(A a, B by)
{
    return (uint64_t)by >= 8 * sizeof(T) ? (T)0 : (T)((uint64_t)as<T>(a) << by);
}
template <class T, class A, class B> static inline T shr(A a, B by)
{
    return (T)(as<T>(a) >> ((uint64_t)by >= 8 * sizeof(T) ? 8 * sizeof(T) - 1 : (uint64_t)by) >>
               (std::is_unsigned_v<T> && (uint64_t)by >= 8 * sizeof(T)));
}
template <class T, class A> static inline uint32_t popc(A a)
{
    return (uint32_t)__builtin_popcountll(as<T>(a));
}
template <class T, class A> static inline uint32_t clz(A a)
{
    return as<T>(a) ? (uint32_t)__builtin_clzll(as<T>(a)) - (64 - 8 * (int)sizeof(T))
                    : 8 * (uint32_t)sizeof(T);
}
template <class T, class A> static inline uint32_t bfind(A a)
{
    typedef std::make_unsigned_t<T> bits;
    T value = as<T>(a);

    return 8 * (uint32_t)sizeof(T) - 1 - clz<bits>((bits)(value < 0 ? ~value : value));
}
template <class T, class A> static inline T brev(A a)
{
    return sizeof(T) == 4 ? (T)__brev((unsigned)as<T>(a)) : (T)__brevll(as<T>(a));
}
template <class T, class A, class B, class C> static inline T bfe(A a, B from, C bits)
{
    unsigned at = (unsigned)from & 255, n = (unsigned)bits & 255, size = 8 * sizeof(T);
    uint64_t value = (uint64_t)(int64_t)as<T>(a);

    if (n == 0)
        return 0;
    value = at < 64 ? (uint64_t)((int64_t)value >> at) : std::is_signed_v<T> ? value >> 63 : 0;
    if (at + n > size)
        return (T)value;
    value &= n < 64 ? (1ull << n) - 1 : ~0ull;
    if (std::is_signed_v<T> && value >> (n - 1) & 1)
        value |= n < 64 ? ~0ull << n : 0;
    return (T)value;
}
template <class T, class A, class B, class C, class D> static inline T bfi(A a, B b, C from, D bits)
{
    unsigned at = (unsigned)from & 255, n = (unsigned)bits & 255;
    uint64_t mask = at < 64 ? (n < 64 ? (1ull << n) - 1 : ~0ull) << at : 0;

    return (T)(((uint64_t)as<T>(a) << (at & 63) & mask) | ((uint64_t)as<T>(b) & ~mask));
}
template <class T, class A, class B, class C> static inline T prmt(A a, B b, C c)
{
    return (T)__byte_perm((unsigned)a, (unsigned)b, (unsigned)c);
}
template <class T, class A, class B, class C> static inline T lop3(A a, B b, C c, int table)
{
    T result = 0;

    for (int i = 0; i < 8; i++)
        if (table >> i & 1)
            result |= (i & 4 ? as<T>(a) : (T)~as<T>(a)) & (i & 2 ? as<T>(b) : (T)~as<T>(b)) &
                      (i & 1 ? as<T>(c) : (T)~as<T>(c));
    return result;
}

/* --- choices and conversions ------------------------------------------------------------------ */

/* Whether a comparison holds, and its opposite, each combined with a third predicate. */
struct both {
    bool holds, fails;

    operator bool() const { return holds; }
};

#define EMULATED_PTX_TEST(name, op)                                                                \
    template <class T, class A, class B> static inline both setp_##name(A a, B b)                  \
    {                                                                                              \
        bool holds = as<T>(a) op as<T>(b);                                                         \
                                                                                                   \
        return {holds, !holds};                                                                    \
    }                                                                                              \
    template <class T, class A, class B> static inline both setp_##name##_and(A a, B b, bool c)    \
    {                                                                                              \
        both of = setp_##name<T>(a, b);                                                            \
                                                                                                   \
        return {of.holds && c, of.fails && c};                                                     \
    }                                                                                              \
    template <class T, class A, class B> static inline both setp_##name##_or(A a, B b, bool c)     \
    {                                                                                              \
        both of = setp_##name<T>(a, b);                                                            \
                                                                                                   \
        return {of.holds || c, of.fails || c};                                                     \
    }                                                                                              \
    template <class T, class A, class B> static inline both setp_##name##_xor(A a, B b, bool c)    \
    {                                                                                              \
        both of = setp_##name<T>(a, b);                                                            \
                                                                                                   \
        return {of.holds != c, of.fails != c};                                                     \
    }
EMULATED_PTX_TEST(eq, ==)
EMULATED_PTX_TEST(ne, !=)
EMULATED_PTX_TEST(lt, <)
EMULATED_PTX_TEST(le, <=)
EMULATED_PTX_TEST(gt, >)
EMULATED_PTX_TEST(ge, >=)
EMULATED_PTX_TEST(lo, <)
EMULATED_PTX_TEST(ls, <=)
EMULATED_PTX_TEST(hi, >)
EMULATED_PTX_TEST(hs, >=)
template <class T, class A, class B> static inline T selp(A a, B b, bool first)
{
    return first ? as<T>(a) : as<T>(b);
}

#define EMULATED_PTX_CONVERT(name, rounded)                                                        \
    template <class To, class From, class A> static inline To name(A first)                        \
    {                                                                                              \
        From a = as<From>(first);                                                                  \
                                                                                                   \
        if constexpr (std::is_floating_point_v<From>)                                              \
            return (To)(rounded);                                                                  \
        else                                                                                       \
            return (To)a;                                                                          \
    }
EMULATED_PTX_CONVERT(cvt, a)
EMULATED_PTX_CONVERT(cvt_rn, a)
EMULATED_PTX_CONVERT(cvt_rz, a)
EMULATED_PTX_CONVERT(cvt_rni, std::rint(a))
EMULATED_PTX_CONVERT(cvt_rzi, std::trunc(a))
EMULATED_PTX_CONVERT(cvt_rmi, std::floor(a))
EMULATED_PTX_CONVERT(cvt_rpi, std::ceil(a))

/* --- memory ----------------------------------------------------------------------------------- */

/* Converts an address of shared memory to a pointer; a register of 64 bits may hold one, too. */
template <class A> static inline uint64_t at_shared(A address)
{
    return (uint64_t)(uintptr_t)emulated_shared_at((uint64_t)address);
}
template <class T, class A> static inline T cvta(A a) { return as<T>(a); }
template <class T, class A> static inline T cvta_global(A a) { return as<T>(a); }
template <class T, class A> static inline T cvta_to_global(A a) { return as<T>(a); }
template <class T, class A> static inline T cvta_shared(A a) { return (T)at_shared(a); }
template <class T, class A> static inline T cvta_to_shared(A a)
{
    return (T)emulated_shared_address((const void *)(uintptr_t)a);
}
template <class T, class A> EMULATED_INLINED T ld(A at) { return *(const T *)(uintptr_t)at; }
template <class T, class A> EMULATED_INLINED T ldu(A at) { return *(const T *)(uintptr_t)at; }
template <class T, class A, class V> EMULATED_INLINED void st(A at, V value)
{
    *(T *)(uintptr_t)at = as<T>(value);
}
#define EMULATED_PTX_ATOMIC(name, function)                                                        \
    template <class T, class A, class V> EMULATED_INLINED T atom_##name(A at, V value)             \
    {                                                                                              \
        return function((T *)(uintptr_t)at, as<T>(value));                                         \
    }                                                                                              \
    template <class T, class A, class V> EMULATED_INLINED void red_##name(A at, V value)           \
    {                                                                                              \
        function((T *)(uintptr_t)at, as<T>(value));                                                \
    }
EMULATED_PTX_ATOMIC(add, atomicAdd)
EMULATED_PTX_ATOMIC(min, atomicMin)
EMULATED_PTX_ATOMIC(max, atomicMax)
EMULATED_PTX_ATOMIC(and, atomicAnd)
EMULATED_PTX_ATOMIC(or, atomicOr)
EMULATED_PTX_ATOMIC(xor, atomicXor)
EMULATED_PTX_ATOMIC(exch, atomicExch)
EMULATED_PTX_ATOMIC(inc, atomicInc)
EMULATED_PTX_ATOMIC(dec, atomicDec)
template <class T, class A, class C, class V> EMULATED_INLINED T atom_cas(A at, C compare, V value)
{
    return atomicCAS((T *)(uintptr_t)at, as<T>(compare), as<T>(value));
}
/* The source has `given` bytes, or is ignored; what is behind them in the target becomes 0. */
#define EMULATED_PTX_COPY(name)                                                                    \
    template <class To, class From, class Given = uint32_t>                                        \
    __attribute__((noinline)) void name(To to, From from, uint32_t bytes, Given given = 16)        \
    {                                                                                              \
        uint32_t taken = std::is_same_v<Given, bool> ? (given ? 0 : bytes) : (uint32_t)given;      \
                                                                                                   \
        emulated_async_copy((void *)at_shared(to), (const void *)(uintptr_t)from, bytes,           \
                            taken < bytes ? bytes - taken : 0, WATCH_CALLER);                      \
    }
EMULATED_PTX_COPY(cp_async_ca)
EMULATED_PTX_COPY(cp_async_cg)
static inline void cp_async_commit_group() { emulated_async_commit(); }
static inline void cp_async_wait_group(unsigned prior) { emulated_async_wait(prior); }
static inline void cp_async_wait_all()
{
    emulated_async_commit();
    emulated_async_wait(0);
}
template <class A> static inline void prefetch(A) {}
template <class A> static inline void prefetchu(A) {}

/* --- threads ---------------------------------------------------------------------------------- */

static inline void membar() { __threadfence(); }
static inline void fence() { __threadfence(); }
static inline void bar_sync(int, EMULATED_PLACE) { __syncthreads(file, line); }
static inline void barrier_sync(int, EMULATED_PLACE) { __syncthreads(file, line); }
template <class T, class A> static inline void nanosleep(A time) { __nanosleep((unsigned)time); }
static inline void trap() { __trap(); }
template <class T> static inline T activemask(EMULATED_PLACE) { return __activemask(file, line); }

/* The third operand has a shuffle's last lane, and above that what parts the warp. */
static inline int width_of(uint32_t parts) { return 32 - (int)(parts >> 8 & 31); }
#define EMULATED_PTX_SHUFFLE(name, function)                                                       \
    template <class T, class A, class B>                                                           \
    static inline T shfl_sync_##name(A value, B by, uint32_t parts, uint32_t mask, EMULATED_PLACE) \
    {                                                                                              \
        return function(mask, as<T>(value), (int)by, width_of(parts), file, line);                 \
    }
EMULATED_PTX_SHUFFLE(idx, __shfl_sync)
EMULATED_PTX_SHUFFLE(up, __shfl_up_sync)
EMULATED_PTX_SHUFFLE(down, __shfl_down_sync)
EMULATED_PTX_SHUFFLE(bfly, __shfl_xor_sync)
template <class T> static inline T vote_sync_ballot(bool mine, uint32_t mask, EMULATED_PLACE)
{
    return __ballot_sync(mask, mine, file, line);
}
template <class T> static inline bool vote_sync_all(bool mine, uint32_t mask, EMULATED_PLACE)
{
    return __all_sync(mask, mine, file, line);
}
template <class T> static inline bool vote_sync_any(bool mine, uint32_t mask, EMULATED_PLACE)
{
    return __any_sync(mask, mine, file, line);
}

/* --- several numbers in a register ------------------------------------------------------------ */

template <class T, class B, class A1, class B1> static inline uint32_t dp4a(A1 a, B1 b, uint32_t c)
{
    for (int i = 0; i < 32; i += 8)
        c += (uint32_t)((std::is_signed_v<T> ? (int)(int8_t)(a >> i) : (int)(uint8_t)(a >> i)) *
                        (std::is_signed_v<B> ? (int)(int8_t)(b >> i) : (int)(uint8_t)(b >> i)));
    return c;
}

template <class T, int BITS, class Fold>
static inline uint32_t lanes(uint32_t a, uint32_t b, Fold fold)
{
    uint32_t mask = (uint32_t)((1ull << BITS) - 1), result = 0;

    for (int i = 0; i < 32; i += BITS) {
        int64_t x = a >> i & mask, y = b >> i & mask;

        if (std::is_signed_v<T>) {
            x = x << (64 - BITS) >> (64 - BITS);
            y = y << (64 - BITS) >> (64 - BITS);
        }
        result |= ((uint32_t)fold(x, y) & mask) << i;
    }
    return result;
}

#define EMULATED_PTX_VECTOR(name, bits, expression)                                                \
    template <class D, class A, class B>                                                           \
    static inline uint32_t name(uint32_t first, uint32_t second, uint32_t = 0)                     \
    {                                                                                              \
        static_assert(std::is_same_v<A, B>, "calab's emulator takes two operands of one sign");    \
        return lanes<A, bits>(first, second, [](int64_t a, int64_t b) { return expression; });     \
    }
EMULATED_PTX_VECTOR(vmin, 32, a < b ? a : b)
EMULATED_PTX_VECTOR(vmin2, 16, a < b ? a : b)
EMULATED_PTX_VECTOR(vmin4, 8, a < b ? a : b)
EMULATED_PTX_VECTOR(vmax, 32, a > b ? a : b)
EMULATED_PTX_VECTOR(vmax2, 16, a > b ? a : b)
EMULATED_PTX_VECTOR(vmax4, 8, a > b ? a : b)
EMULATED_PTX_VECTOR(vadd2, 16, a + b)
EMULATED_PTX_VECTOR(vadd4, 8, a + b)
EMULATED_PTX_VECTOR(vsub2, 16, a - b)
EMULATED_PTX_VECTOR(vsub4, 8, a - b)
EMULATED_PTX_VECTOR(vabsdiff4, 8, a > b ? a - b : b - a)

} // namespace emulated_ptx

#endif
