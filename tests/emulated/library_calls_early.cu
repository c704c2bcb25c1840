/* SPDX-License-Identifier: MIT */
/* Wrong: the host has functions of the C library read and write what a kernel still writes, and
 * device memory. */
#include <algorithm>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 64

static int by_value(const void *a, const void *b)
{
    return *(const char *)a - *(const char *)b; // may: synchronization
}

__global__ void letters(char *text)
{
    text[threadIdx.x] = threadIdx.x < N - 1 ? 'a' + threadIdx.x % 26 : '\0'; // expect: synchronization with
}

int main()
{
    char *device, *managed, *pinned, host[N];

    cudaMalloc(&device, N);
    cudaMallocManaged(&managed, N);
    cudaMallocHost(&pinned, N);
    cudaMemset(device, 1, N);
    letters<<<1, N>>>(managed);
    memcpy(host, managed, N);              // expect: synchronization
    printf("%zu\n", strlen(managed));      // expect: synchronization
    if (memcmp(managed, host, N) == 0)     // expect: synchronization
        puts(managed);                     // expect: synchronization
    if (strcmp(managed, "abc") == 0)       // expect: synchronization
        fputs(managed, stdout);
    if (strncmp(managed, "abc", 3) == 0)   // expect: synchronization
        fwrite(managed, 1, N, stdout);
    fwrite(managed, 1, N, stdout);         // expect: synchronization
    fputs(managed, stdout);                // expect: synchronization
    std::copy(managed, managed + N, host); // expect: synchronization
    qsort(managed, N, 1, by_value);        // expect: synchronization
    strncpy(managed, "short", N);          // expect: synchronization
    strcpy(managed, "shorter");            // expect: synchronization
    cudaDeviceSynchronize();
    cudaMemcpyAsync(pinned, device, N, cudaMemcpyDeviceToHost); // expect: synchronization with
    memset(pinned, 0, N);                                       // expect: synchronization
    if (FILE *file = fopen("/dev/zero", "r")) {
        fread(pinned, 1, N, file); // expect: synchronization
        fclose(file);
    }
    cudaDeviceSynchronize();
    memset(device, 0, N);     // expect: host
    memmove(host, device, N); // expect: host
    cudaFree(device);
    cudaFree(managed);
    cudaFreeHost(pinned);
    return 0;
}
