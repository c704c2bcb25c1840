/* Right: of the threads that are together in a branch one adds to a counter for all. */
#include <cooperative_groups.h>
#include <stdio.h>

#define N 1000

__global__ void keep_odd(int *kept, int *count, const int *values)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x)
        if (values[i] % 2) {
            auto together = cooperative_groups::coalesced_threads();
            int first = 0;

            if (together.thread_rank() == 0)
                first = atomicAdd(count, together.size());
            kept[together.shfl(first, 0) + together.thread_rank()] = values[i];
        }
}

int main()
{
    static int host[N];
    int count, sum = 0, *values, *kept, *d_count;

    for (int i = 0; i < N; i++)
        host[i] = i * 7 % 20;
    cudaMalloc(&values, sizeof host);
    cudaMalloc(&kept, sizeof host);
    cudaMalloc(&d_count, sizeof count);
    cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(d_count, 0, sizeof count);
    keep_odd<<<2, 64>>>(kept, d_count, values);
    cudaMemcpy(&count, d_count, sizeof count, cudaMemcpyDeviceToHost);
    cudaMemcpy(host, kept, count * sizeof *host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < count; i++)
        sum += host[i];
    printf("%d kept, their sum is %d\n", count, sum);
    cudaFree(values);
    cudaFree(kept);
    cudaFree(d_count);
    return count != 500 || sum != 5000;
}
