/* SPDX-License-Identifier: MIT */
/* Wrong: a thread divides by its own number, which is 0 for the first. */
__global__ void divide(int *out) { out[threadIdx.x] = 100 / (int)threadIdx.x; } // expect: crash

int main()
{
    int *out;

    cudaMalloc(&out, 32 * sizeof(int));
    divide<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
    return 0;
}
