/* SPDX-License-Identifier: MIT */
/* Right: a picture in pitched memory, filled and copied by rows. */
#include <stdio.h>

#define WIDTH 37
#define HEIGHT 11

__global__ void add(char *picture, size_t pitch)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;

    if (x < WIDTH)
        ((float *)(picture + y * pitch))[x] += (float)(x * y);
}

int main()
{
    static float host[HEIGHT][WIDTH];
    char *picture;
    size_t pitch;
    int wrong = 0;

    cudaMallocPitch((void **)&picture, &pitch, WIDTH * sizeof(float), HEIGHT);
    cudaMemset2D(picture, pitch, 0, WIDTH * sizeof(float), HEIGHT);
    add<<<dim3(2, HEIGHT), 32>>>(picture, pitch);
    cudaMemcpy2D(host, sizeof host[0], picture, pitch, sizeof host[0], HEIGHT,
                 cudaMemcpyDeviceToHost);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            wrong += !(host[y][x] == (float)(x * y));
    cudaFree(picture);
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
