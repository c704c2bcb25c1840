/* SPDX-License-Identifier: MIT */
/* Right: cuRAND's Philox on the device, the same with the Toolkit's header and without it. */
#include <curand_kernel.h>
#include <stdio.h>

__global__ void draw(unsigned *words, float *numbers)
{
    curandStatePhilox4_32_10_t state;

    curand_init(1234, threadIdx.x, 5, &state);
    words[threadIdx.x] = curand(&state);
    numbers[threadIdx.x] = curand_uniform(&state);
}

int main()
{
    unsigned *words, host[32];
    float *numbers, drawn[32];
    int wrong = 0;

    cudaMalloc(&words, sizeof host);
    cudaMalloc(&numbers, sizeof drawn);
    draw<<<1, 32>>>(words, numbers);
    cudaMemcpy(host, words, sizeof host, cudaMemcpyDeviceToHost);
    cudaMemcpy(drawn, numbers, sizeof drawn, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++)
        wrong += !(drawn[i] > 0 && drawn[i] <= 1);
    cudaFree(words);
    cudaFree(numbers);
    return wrong || host[0] != 482218876 || host[31] != 1518422122;
}
