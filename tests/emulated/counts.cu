/* SPDX-License-Identifier: MIT */
/* Right: accesses of one warp of which it is known what a GPU makes of them: sectors of 32 bytes,
 * and passes through 32 banks of 4 bytes. test_emulate_programs.c has the counts. */
#include <stdio.h>

#define N 1024

__global__ void row(const int *from, int *to) { to[threadIdx.x] = from[threadIdx.x]; }
__global__ void shifted(const int *from, int *to) { to[threadIdx.x] = from[threadIdx.x + 1]; }
__global__ void every_second(const int *from, int *to) { to[threadIdx.x] = from[2 * threadIdx.x]; }
__global__ void column(const int *from, int *to) { to[32 * threadIdx.x] = from[32 * threadIdx.x]; }
__global__ void same(const int *from, int *to) { to[threadIdx.x] = from[0]; }

__global__ void vectors(const int4 *from, int4 *to) { to[threadIdx.x] = from[threadIdx.x]; }

__global__ void bytes(const char *from, char *to) { to[threadIdx.x] = from[threadIdx.x]; }

template <int STRIDE> __device__ int through_shared(int value)
{
    __shared__ int word[N];

    word[STRIDE * threadIdx.x] = value;
    __syncthreads();
    return word[STRIDE * (31 - threadIdx.x)];
}

__global__ void banks_1(int *to) { to[threadIdx.x] = through_shared<1>(threadIdx.x); }
__global__ void banks_2(int *to) { to[threadIdx.x] = through_shared<2>(threadIdx.x); }
__global__ void banks_3(int *to) { to[threadIdx.x] = through_shared<3>(threadIdx.x); }
__global__ void banks_32(int *to) { to[threadIdx.x] = through_shared<32>(threadIdx.x); }

int main()
{
    int *from, *to;

    cudaMalloc(&from, N * sizeof *from);
    cudaMalloc(&to, N * sizeof *to);
    cudaMemset(from, 0, N * sizeof *from);
    row<<<1, 32>>>(from, to);
    shifted<<<1, 32>>>(from, to);
    every_second<<<1, 32>>>(from, to);
    column<<<1, 32>>>(from, to);
    same<<<1, 32>>>(from, to);
    vectors<<<1, 32>>>((int4 *)from, (int4 *)to);
    bytes<<<1, 32>>>((char *)from, (char *)to);
    banks_1<<<1, 32>>>(to);
    banks_2<<<1, 32>>>(to);
    banks_3<<<1, 32>>>(to);
    banks_32<<<1, 32>>>(to);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(from);
    cudaFree(to);
    return 0;
}
