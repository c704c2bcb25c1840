/* SPDX-License-Identifier: MIT */
/* Wrong: rows and columns are swapped in the test for the edges of a picture that is not square. */
#include <stdio.h>

#define WIDTH 48
#define HEIGHT 20

__global__ void invert(unsigned char *picture)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < HEIGHT && y < WIDTH)
        picture[y * WIDTH + x] ^= 255; // expect: bounds
}

int main()
{
    static unsigned char host[WIDTH * HEIGHT];
    unsigned char *picture;

    cudaMalloc(&picture, sizeof host);
    cudaMemset(picture, 0, sizeof host);
    invert<<<dim3(3, 3), dim3(16, 16)>>>(picture);
    cudaMemcpy(host, picture, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
    cudaFree(picture);
    return 0;
}
