/* SPDX-License-Identifier: MIT */
/* Right: barriers, pipelines and atomic variables of namespace cuda. */
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/limits>
#include <stdio.h>

#define N 64
#define STAGES 2

namespace cg = cooperative_groups;

__global__ void reverse(const int *from, int *to)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int row[N];
    auto block = cg::this_thread_block();

    if (threadIdx.x == 0)
        init(&barrier, N);
    block.sync();
    for (int n = 0; n < 3; n++) {
        cuda::memcpy_async(block, row, from + n * N, sizeof row, barrier);
        barrier.arrive_and_wait();
        to[n * N + threadIdx.x] = row[N - 1 - threadIdx.x];
        barrier.wait(barrier.arrive());
    }
}

__global__ void sums(const int *from, int *to)
{
    __shared__ int rows[STAGES][N];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int sum = 0;

    for (int taken = 0, issued = 0; taken < 3; taken++) {
        for (; issued < 3 && issued < taken + STAGES; issued++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, rows[issued % STAGES], from + issued * N, sizeof rows[0],
                               pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += rows[taken % STAGES][N - 1 - threadIdx.x];
        pipe.consumer_release();
    }
    to[threadIdx.x] = sum;
}

__global__ void count(cuda::atomic<int, cuda::thread_scope_device> *counter, int *last,
                      float *total)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> most(*last);
    cuda::atomic_ref<float, cuda::thread_scope_device> all(*total);

    counter->fetch_add(1, cuda::memory_order_relaxed);
    most.fetch_max(threadIdx.x);
    all.fetch_add(0.5f);
    ++*counter;
}

int main()
{
    int host[3 * N], *from, *to, back[3 * N], sum[N], wrong = 0, *numbers, number[3];

    for (int i = 0; i < 3 * N; i++)
        host[i] = i;
    cudaMalloc(&from, sizeof host);
    cudaMalloc(&to, sizeof host);
    cudaMalloc(&numbers, sizeof number);
    cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(numbers, 0, sizeof number);
    reverse<<<1, N>>>(from, to);
    cudaMemcpy(back, to, sizeof back, cudaMemcpyDeviceToHost);
    sums<<<1, N>>>(from, to);
    cudaMemcpy(sum, to, sizeof sum, cudaMemcpyDeviceToHost);
    count<<<2, 32>>>((cuda::atomic<int, cuda::thread_scope_device> *)numbers, numbers + 1,
                     (float *)(numbers + 2));
    cudaMemcpy(number, numbers, sizeof number, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 3 * N; i++)
        wrong += back[i] != i / N * N + N - 1 - i % N;
    for (int i = 0; i < N; i++)
        wrong += sum[i] != 3 * (N - 1 - i) + 3 * N;
    wrong += number[0] != 128 || number[1] != 31 || number[2] != 0x42000000;
    wrong += cuda::std::numeric_limits<int>::max() != INT_MAX;
    cudaFree(from);
    cudaFree(to);
    cudaFree(numbers);
    return wrong;
}
