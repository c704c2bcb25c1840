/* Wrong: a program that ends without waiting, and its kernel has a race between blocks. */
__global__ void last_block(int *number)
{
    *number = blockIdx.x; // expect: race
}

int main()
{
    int *number;

    cudaMalloc(&number, sizeof *number); // expect: leak
    last_block<<<2, 1>>>(number);        // expect: synchronization
    return 0;
}
