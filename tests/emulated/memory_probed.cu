/* Right: asks for less until it fits. */
#include <stdio.h>

__global__ void fill(char *bytes) { bytes[threadIdx.x] = 1; }

int main()
{
    size_t size = (size_t)1 << 40;
    char *bytes;

    while (size > 0 && cudaMalloc(&bytes, size) != cudaSuccess)
        size /= 2;
    cudaGetLastError();
    fill<<<1, 32>>>(bytes);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(bytes);
    return 0;
}
