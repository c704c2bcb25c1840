/* SPDX-License-Identifier: MIT */
/* Wrong: a pointer stands where PTX wants an address of shared memory. */
__global__ void put(int x)
{
    __shared__ int tile[32];

    asm volatile("st.shared.u32 [%0], %1;" ::"l"(&tile[threadIdx.x]), "r"(x)); // expect: address
}

int main()
{
    put<<<1, 32>>>(3);
    cudaDeviceSynchronize();
    return 0;
}
