/* SPDX-License-Identifier: MIT */
/* Wrong: the x of a surface is in bytes, and this one's goes beyond its rows. */
#include <stdio.h>

__global__ void fill(cudaSurfaceObject_t surface)
{
    surf2Dwrite((int)threadIdx.x, surface, (threadIdx.x + 1) * sizeof(int), 1); // expect: bounds
}

int main()
{
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaSurfaceObject_t surface;
    cudaResourceDesc resource = {};

    cudaMallocArray(&array, &format, 32, 2, cudaArraySurfaceLoadStore);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaCreateSurfaceObject(&surface, &resource);
    fill<<<1, 32>>>(surface);
    cudaDeviceSynchronize();
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(array);
    return 0;
}
