/* Wrong: one thread too many, beside a host that uses the templates that the emulator uses, too. */
#include <stdint.h>
#include <stdio.h>
#include <string>
#include <vector>

__global__ void shift(const int *from, int *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    for (int round = 0; round < 40; round++)
        __syncthreads();
    if (i <= n)
        to[i] = from[i]; // expect: bounds
}

int main()
{
    std::vector<uint64_t> numbers;
    std::vector<std::string> names;
    std::string name = "a name that is longer than fifteen letters";
    int *from, *to;

    cudaMalloc(&from, 64 * sizeof(int));
    cudaMalloc(&to, 96 * sizeof(int));
    cudaMemset(from, 0, 64 * sizeof(int));
    for (int i = 0; i < 100; i++)
        numbers.push_back(i);
    shift<<<3, 32>>>(from, to, 64);
    cudaDeviceSynchronize();
    for (int i = 0; i < 9; i++)
        names.push_back(name + std::to_string(i));
    name.replace(2, 4, "longer name of more letters than before");
    printf("%s, %zu, %zu\n", name.c_str(), names.size(), numbers.size());
    cudaFree(from);
    cudaFree(to);
    return 0;
}
