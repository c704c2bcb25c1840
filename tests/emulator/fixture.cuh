/* SPDX-License-Identifier: MIT */
/* What the fixtures share: expectations, a launch in one line, an array on the device. */
#ifndef CALAB_TESTS_EMULATOR_FIXTURE_CUH
#define CALAB_TESTS_EMULATOR_FIXTURE_CUH

#include <cuda_runtime.h>

#include "tests/emulator/fixture.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define EXPECT(condition)                                                                          \
    do                                                                                             \
        if (!(condition))                                                                          \
            return __FILE__ ":" TEXT(__LINE__) ": " #condition;                                    \
    while (0)
#define EXPECT_OK(call) EXPECT((call) == cudaSuccess)

struct fixture {
    const char *name;
    const char *(*run)();
};

/* One table a file; each ends with a row without a name. */
extern const struct fixture thread_fixtures[], host_fixtures[], fault_fixtures[],
    cluster_fixtures[], occupancy_fixtures[];

/* The launch's own error; it runs before this returns. */
template <class... Params, class... Args>
static cudaError_t launch(void (*kernel)(Params...), dim3 grid, dim3 block, size_t shared,
                          Args... args)
{
    cudaLaunchConfig_t config = {};
    cudaError_t error;

    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared;
    error = cudaLaunchKernelEx(&config, kernel, (Params)args...);
    if (error == cudaSuccess)
        cudaDeviceSynchronize();
    return error;
}

/* Numbers on the device that are freed with it. */
struct numbers {
    int *d = NULL;
    int count;

    explicit numbers(int n) : count(n) { cudaMalloc(&d, (size_t)n * sizeof *d); }
    ~numbers() { cudaFree(d); }
    int operator[](int i) const
    {
        int value = -1;

        cudaMemcpy(&value, d + i, sizeof value, cudaMemcpyDeviceToHost);
        return value;
    }
};

#endif
