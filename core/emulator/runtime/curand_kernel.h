/* SPDX-License-Identifier: MIT */
/*
 * cuRAND's device functions: those of the installed Toolkit where there is one, and Philox without
 * it. EMULATED_CURAND is the Toolkit's header of this name.
 */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_CURAND_KERNEL_H
#define CALAB_CORE_EMULATOR_RUNTIME_CURAND_KERNEL_H

#include <cuda_runtime.h>

#ifdef EMULATED_CURAND
typedef enum libraryPropertyType_t {
    MAJOR_VERSION,
    MINOR_VERSION,
    PATCH_LEVEL,
} libraryPropertyType;
#define __NV_SILENCE_DEPRECATION_BEGIN
#define __NV_SILENCE_DEPRECATION_END
#include EMULATED_CURAND
#else

/* Philox4x32-10 (Salmon, Moraes, Dror, Shaw, 2011): four words for each value of a counter. */
struct curandStatePhilox4_32_10 {
    uint4 counter, output;
    uint2 key;
    unsigned used; /* words of the output */
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

#define EMULATED_NO_STATE                                                                          \
    __attribute__((                                                                                \
        unavailable("calab's emulator has only cuRAND's Philox "                                   \
                    "(curandStatePhilox4_32_10_t) where no CUDA Toolkit is installed")))
typedef struct curandStatePhilox4_32_10 curandState EMULATED_NO_STATE;
typedef struct curandStatePhilox4_32_10 curandState_t EMULATED_NO_STATE;
typedef struct curandStatePhilox4_32_10 curandStateXORWOW_t EMULATED_NO_STATE;
typedef struct curandStatePhilox4_32_10 curandStateMRG32k3a_t EMULATED_NO_STATE;

static inline void emulated_philox(struct curandStatePhilox4_32_10 *state)
{
    uint4 c = state->counter;
    uint2 key = state->key;

    for (int round = 0; round < 10; round++) {
        unsigned high[] = {__umulhi(0xd2511f53u, c.x), __umulhi(0xcd9e8d57u, c.z)};

        c = make_uint4(high[1] ^ c.y ^ key.x, 0xcd9e8d57u * c.z, high[0] ^ c.w ^ key.y,
                       0xd2511f53u * c.x);
        key.x += 0x9e3779b9u;
        key.y += 0xbb67ae85u;
    }
    state->output = c;
}

/* Adds to the counter's lower or upper half. */
static inline void emulated_philox_skip(struct curandStatePhilox4_32_10 *state,
                                        unsigned long long blocks)
{
    unsigned long long low = (unsigned long long)state->counter.y << 32 | state->counter.x;

    low += blocks;
    state->counter.x = (unsigned)low;
    state->counter.y = (unsigned)(low >> 32);
    if (low < blocks && ++state->counter.z == 0)
        state->counter.w++;
}

static inline void skipahead(unsigned long long n, struct curandStatePhilox4_32_10 *state)
{
    unsigned long long words = state->used + n % 4;

    emulated_philox_skip(state, n / 4 + words / 4);
    state->used = (unsigned)(words % 4);
    emulated_philox(state);
}

static inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                               unsigned long long offset, struct curandStatePhilox4_32_10 *state)
{
    *state = {};
    state->key = make_uint2((unsigned)seed, (unsigned)(seed >> 32));
    state->counter.z = (unsigned)subsequence;
    state->counter.w = (unsigned)(subsequence >> 32);
    skipahead(offset, state);
}

static inline unsigned curand(struct curandStatePhilox4_32_10 *state)
{
    const unsigned words[] = {state->output.x, state->output.y, state->output.z, state->output.w};
    unsigned word = words[state->used];

    if (++state->used == 4) {
        state->used = 0;
        emulated_philox_skip(state, 1);
        emulated_philox(state);
    }
    return word;
}

static inline uint4 curand4(struct curandStatePhilox4_32_10 *state)
{
    unsigned words[4];

    for (unsigned &word : words)
        word = curand(state);
    return make_uint4(words[0], words[1], words[2], words[3]);
}

/* Above 0, up to 1. */
static inline float emulated_uniform(unsigned word)
{
    return (float)word * 2.3283064e-10f + 2.3283064e-10f / 2;
}

static inline float curand_uniform(struct curandStatePhilox4_32_10 *state)
{
    return emulated_uniform(curand(state));
}

static inline float4 curand_uniform4(struct curandStatePhilox4_32_10 *state)
{
    uint4 words = curand4(state);

    return make_float4(emulated_uniform(words.x), emulated_uniform(words.y),
                       emulated_uniform(words.z), emulated_uniform(words.w));
}

static inline double curand_uniform_double(struct curandStatePhilox4_32_10 *state)
{
    unsigned low = curand(state), high = curand(state);

    return (double)((unsigned long long)low ^ (unsigned long long)high << 21) *
               1.1102230246251565e-16 +
           1.1102230246251565e-16 / 2;
}

/* Box and Muller's pairs. */
static inline float2 curand_normal2(struct curandStatePhilox4_32_10 *state)
{
    float radius = sqrtf(-2 * logf(emulated_uniform(curand(state)))), sine, cosine;

    sincosf(6.2831855f * emulated_uniform(curand(state)), &sine, &cosine);
    return make_float2(radius * sine, radius * cosine);
}

static inline float curand_normal(struct curandStatePhilox4_32_10 *state)
{
    return curand_normal2(state).x;
}

#endif
#endif
