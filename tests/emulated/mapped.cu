/* SPDX-License-Identifier: MIT */
/* Right: mapped, registered and managed memory, memory of a pool, functions of the host. */
#include <stdio.h>
#include <stdlib.h>

#define N 64

__global__ void twice(const int *from, int *to) { to[threadIdx.x] = 2 * from[threadIdx.x]; }

static void count(void *data) { ++*(int *)data; }

int main()
{
    int *pinned, *mapped, *own = (int *)malloc(N * sizeof(int)), *registered, *managed, *pooled;
    int calls = 0, device;
    cudaStream_t stream;
    cudaMemPool_t pool;
    unsigned long long threshold = ~0ull;

    cudaSetDeviceFlags(cudaDeviceMapHost);
    cudaGetDevice(&device);
    cudaStreamCreate(&stream);
    cudaHostAlloc(&pinned, N * sizeof(int), cudaHostAllocMapped);
    cudaHostGetDevicePointer((void **)&mapped, pinned, 0);
    for (int i = 0; i < N; i++)
        pinned[i] = i;
    cudaHostRegister(own, N * sizeof(int), cudaHostRegisterMapped);
    cudaHostGetDevicePointer(&registered, own, 0);
    cudaMallocManaged(&managed, N * sizeof(int));
    cudaMemAdvise(managed, N * sizeof(int), cudaMemAdviseSetPreferredLocation,
                  {cudaMemLocationTypeDevice, device});
    cudaMemPrefetchAsync(managed, N * sizeof(int), {cudaMemLocationTypeDevice, device}, 0, stream);
    cudaDeviceGetDefaultMemPool(&pool, device);
    cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
    cudaMallocAsync(&pooled, N * sizeof(int), stream);

    twice<<<1, N, 0, stream>>>(mapped, pooled);
    twice<<<1, N, 0, stream>>>(pooled, registered);
    twice<<<1, N, 0, stream>>>(registered, managed);
    cudaFreeAsync(pooled, stream);
    cudaLaunchHostFunc(stream, count, &calls);
    cudaStreamSynchronize(stream);
    for (int i = 0; i < N; i++)
        if (own[i] != 4 * i || managed[i] != 8 * i)
            return 1;
    cudaHostUnregister(own);
    cudaStreamDestroy(stream);
    cudaFreeHost(pinned);
    cudaFree(managed);
    free(own);
    return calls != 1;
}
