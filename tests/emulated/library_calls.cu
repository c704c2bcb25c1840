/* SPDX-License-Identifier: MIT */
/* Right: functions of the C library in a kernel, each thread in its own part, and on the host once it
 * has waited. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PART 16
#define PARTS 8

static int by_value(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }

__global__ void repeat(const char *word, char *text)
{
    char own[PART];

    memset(own, '-', sizeof own);
    memcpy(own, word, 4);
    if (threadIdx.x == PARTS - 1)
        memset(own + PART - 1, 0, 1);
    memcpy(text + threadIdx.x * PART, own, sizeof own);
}

int main()
{
    char *word, *text, *pinned, host[PART * PARTS];
    int wrong = 0;

    cudaMallocManaged(&word, 8);
    cudaMallocManaged(&text, sizeof host);
    cudaMallocHost(&pinned, sizeof host);
    strcpy(word, "calab");
    repeat<<<1, PARTS>>>(word, text);
    cudaDeviceSynchronize();
    wrong += strlen(text) != PART * PARTS - 1 || strncmp(text, "cala--", 6) != 0;
    wrong += memcmp(text, text + PART, PART) != 0 || strcmp(word, "calab") != 0;
    cudaMemcpyAsync(pinned, text, sizeof host, cudaMemcpyDeviceToHost);
    cudaStreamSynchronize(0);
    memcpy(host, pinned, sizeof host);
    qsort(pinned, PART * PARTS - 1, 1, by_value);
    wrong += pinned[0] != '-' || host[0] != 'c';
    puts(text);
    printf("%d wrong\n", wrong);
    cudaFree(word);
    cudaFree(text);
    cudaFreeHost(pinned);
    return wrong > 0;
}
