/* SPDX-License-Identifier: MIT */
/* Wrong: copies by inline PTX are used before they are waited for. */
__global__ void shift(const int *from, int *to)
{
    __shared__ int tile[64];
    unsigned at = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x]);
    int x;

    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(from + threadIdx.x));
    asm volatile("cp.async.commit_group;");
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(at)); // expect: unwritten
    asm volatile("cp.async.wait_group 0;");
    to[threadIdx.x] = x;
}

int main()
{
    int host[64] = {}, *from, *to;

    cudaMalloc(&from, sizeof host);
    cudaMalloc(&to, sizeof host);
    cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice);
    shift<<<1, 64>>>(from, to);
    cudaMemcpy(host, to, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(from);
    cudaFree(to);
    return 0;
}
