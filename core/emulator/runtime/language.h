/* SPDX-License-Identifier: MIT */
/*
 * Types that core/emulator/rewrite.c puts in place of CUDA's own syntax: launches, __shared__
 * outside of functions, and kernels that are called by a pointer without a type.
 */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_LANGUAGE_H
#define CALAB_CORE_EMULATOR_RUNTIME_LANGUAGE_H

#include <tuple>
#include <type_traits>
#include <utility>

#include "core/emulator/runtime/launch.h"
#include "core/emulator/runtime/threads.h"

/* --- kernel<<<grid, block, bytes, stream>>>(...) ---------------------------------------------- */

template <class... A> struct emulated_bound {
    cudaLaunchConfig_t config;
    std::tuple<A...> arguments;
};

struct emulated_dims {
    cudaLaunchConfig_t config = {};

    emulated_dims(dim3 grid, dim3 block, size_t bytes = 0, cudaStream_t stream = NULL)
    {
        config.gridDim = grid;
        config.blockDim = block;
        config.dynamicSmemBytes = bytes;
        config.stream = stream;
    }
    template <class... A> EMULATED_INLINED_MEMBER emulated_bound<A &&...> operator()(A &&...a) const
    {
        return {config, std::tuple<A &&...>(std::forward<A>(a)...)};
    }
};

template <class... P, class... A>
EMULATED_INLINED void operator%(void (*kernel)(P...), emulated_bound<A...> &&bound)
{
    static_assert(sizeof...(P) == sizeof...(A), "the kernel takes another number of arguments");
    [&]<size_t... I>(std::index_sequence<I...>) __attribute__((always_inline))
    {
        (void)cudaLaunchKernelEx(&bound.config, kernel,
                                 (P)std::get<I>(std::move(bound.arguments))...);
    }
    (std::index_sequence_for<P...>{});
}

/* The arguments choose the kernel of a template or an overload. */
template <class F> struct emulated_choice {
    F choose;
};
template <class F> emulated_choice(F) -> emulated_choice<F>;

template <class F, class... A>
EMULATED_INLINED void operator%(emulated_choice<F> choice, emulated_bound<A...> &&bound)
{
    auto kernel = [&]<size_t... I>(std::index_sequence<I...>)
    {
        return choice.choose(std::decay_t<A>(std::get<I>(bound.arguments))...);
    }
    (std::index_sequence_for<A...>{});

    // cppcheck-suppress ignoredReturnValue
    kernel % std::move(bound);
}

/* --- __shared__ outside of functions ---------------------------------------------------------- */

/* `extern __shared__ T name[];` is a reference to the pointer that follows the running block. */
struct emulated_dynamic_file {
    template <class T> operator T * const &() const
    {
        return *(T *const *)&emulated_dynamic_memory;
    }
};

/* A variable that is another one in each block. */
template <class T> struct emulated_file_shared {
    emulated_slot slot;

    emulated_file_shared(const char *file = __builtin_FILE(), int line = __builtin_LINE())
        : slot{file, line, {}, {}}
    {
    }
    // cppcheck-suppress returnTempReference
    T &get() { return emulated_shared{&slot}; }
    operator T &() { return get(); }
    T *operator&() { return &get(); }
    template <class I> decltype(auto) operator[](I i) { return (get()[i]); }
    auto operator->() { return get(); }
    template <class V> T &operator=(const V &value) { return get() = value; }
    template <class V> T &operator+=(const V &value) { return get() += value; }
    template <class V> T &operator-=(const V &value) { return get() -= value; }
    template <class V> T &operator*=(const V &value) { return get() *= value; }
    template <class V> T &operator/=(const V &value) { return get() /= value; }
    template <class V> T &operator&=(const V &value) { return get() &= value; }
    template <class V> T &operator|=(const V &value) { return get() |= value; }
    template <class V> T &operator^=(const V &value) { return get() ^= value; }
};

/* --- cudaLaunchKernel ------------------------------------------------------------------------- */

/* A kernel that a pointer without a type can launch: `arguments` points to each of them. */
struct emulated_kernel {
    const void *kernel;
    cudaError_t (*launch)(const struct cudaLaunchConfig_t *config, const void *kernel,
                          void **arguments);
    struct emulated_kernel *next;
};

void emulated_kernel_add(struct emulated_kernel *kernel);
/* cudaErrorInvalidDeviceFunction for a kernel that was not added. */
cudaError_t emulated_kernel_launch(const struct cudaLaunchConfig_t *config, const void *kernel,
                                   void **arguments);

template <class... P>
cudaError_t emulated_launch_packed(const struct cudaLaunchConfig_t *config, const void *kernel,
                                   void **arguments)
{
    return [&]<size_t... I>(std::index_sequence<I...>)
    {
        return cudaLaunchKernelEx(config, (void (*)(P...))kernel,
                                  *(std::remove_reference_t<P> *)arguments[I]...);
    }
    (std::index_sequence_for<P...>{});
}

struct emulated_registered {
    struct emulated_kernel own;

    template <class... P>
    explicit emulated_registered(void (*kernel)(P...))
        : own{(const void *)kernel, emulated_launch_packed<P...>, NULL}
    {
        emulated_kernel_add(&own);
    }
};

static inline struct cudaLaunchConfig_t emulated_config(dim3 grid, dim3 block, size_t bytes,
                                                        cudaStream_t stream)
{
    return emulated_dims(grid, block, bytes, stream).config;
}

static inline cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block,
                                           void **arguments, size_t bytes = 0,
                                           cudaStream_t stream = NULL)
{
    struct cudaLaunchConfig_t config = emulated_config(grid, block, bytes, stream);

    return emulated_kernel_launch(&config, kernel, arguments);
}

template <class... P>
static inline cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block,
                                           void **arguments, size_t bytes = 0,
                                           cudaStream_t stream = NULL)
{
    struct cudaLaunchConfig_t config = emulated_config(grid, block, bytes, stream);

    return emulated_launch_packed<P...>(&config, (const void *)kernel, arguments);
}

static inline cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block,
                                                      void **arguments, size_t bytes = 0,
                                                      cudaStream_t stream = NULL)
{
    struct cudaLaunchConfig_t config = emulated_config(grid, block, bytes, stream);
    struct cudaLaunchAttribute cooperative = {};

    cooperative.id = cudaLaunchAttributeCooperative;
    cooperative.val.cooperative = 1;
    config.attrs = &cooperative;
    config.numAttrs = 1;
    return emulated_kernel_launch(&config, kernel, arguments);
}

template <class... P>
static inline cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(P...), dim3 grid, dim3 block,
                                                      void **arguments, size_t bytes = 0,
                                                      cudaStream_t stream = NULL)
{
    struct cudaLaunchConfig_t config = emulated_config(grid, block, bytes, stream);
    struct cudaLaunchAttribute cooperative = {};

    cooperative.id = cudaLaunchAttributeCooperative;
    cooperative.val.cooperative = 1;
    config.attrs = &cooperative;
    config.numAttrs = 1;
    return emulated_launch_packed<P...>(&config, (const void *)kernel, arguments);
}

#endif
