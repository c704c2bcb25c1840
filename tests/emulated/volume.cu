/* SPDX-License-Identifier: MIT */
/* Right: a volume of cudaMalloc3D, filled by a kernel and copied by cudaMemcpy3D. */
#include <stdio.h>

#define N 10

__global__ void fill(cudaPitchedPtr volume)
{
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    char *row = (char *)volume.ptr + volume.pitch * (z * volume.ysize + y);

    ((int *)row)[x] = x + 100 * y + 10000 * z;
}

int main()
{
    static int host[N][N][N];
    cudaExtent extent = make_cudaExtent(N * sizeof(int), N, N);
    cudaPitchedPtr volume;
    cudaMemcpy3DParms copy = {};
    int wrong = 0;

    cudaMalloc3D(&volume, extent);
    fill<<<N, dim3(N, N)>>>(volume);
    copy.srcPtr = volume;
    copy.dstPtr = make_cudaPitchedPtr(host, N * sizeof(int), N * sizeof(int), N);
    copy.extent = extent;
    copy.kind = cudaMemcpyDeviceToHost;
    cudaMemcpy3D(&copy);
    for (int z = 0; z < N; z++)
        for (int y = 0; y < N; y++)
            for (int x = 0; x < N; x++)
                wrong += host[z][y][x] != x + 100 * y + 10000 * z;
    cudaFree(volume.ptr);
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
