/* SPDX-License-Identifier: MIT */
/* Right: groups by their type at run time, parts of a warp by a predicate and a label, and scans.
 */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <stdio.h>

namespace cg = cooperative_groups;

__device__ int sum(cg::thread_group group, int *part, int value)
{
    int rank = group.thread_rank();

    for (int half = group.size() / 2; half > 0; half /= 2) {
        part[rank] = value;
        group.sync();
        if (rank < half)
            value += part[rank + half];
        group.sync();
    }
    return value;
}

__global__ void sums(int *out)
{
    __shared__ int part[64];
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto tile = cg::tiled_partition(cg::tiled_partition(block, 16), 4);
    auto odd = cg::binary_partition(warp, threadIdx.x % 2);
    auto same = cg::labeled_partition(warp, threadIdx.x % 3);
    int all = sum(block, part, threadIdx.x), of_tile = sum(tile, part + threadIdx.x / 4 * 4, 1);

    if (block.thread_rank() == 0) {
        out[0] = all;
        out[1] = of_tile;
    }
    if (threadIdx.x == 31) {
        out[2] = odd.size() + 100 * odd.thread_rank();
        out[3] = same.size();
    }
    all = cg::reduce(odd, (int)threadIdx.x, cg::plus<int>());
    of_tile = cg::exclusive_scan(warp, 2);
    if (threadIdx.x == 31) {
        out[4] = all;
        out[5] = of_tile;
    }
}

int main()
{
    const int right[] = {2016, 4, 16 + 1500, 11, 256, 62};
    int *out, host[6];

    cudaMalloc(&out, sizeof host);
    sums<<<1, 64>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 6; i++)
        if (host[i] != right[i])
            printf("%d: %d\n", i, host[i]);
    cudaFree(out);
    return memcmp(host, right, sizeof right) != 0;
}
