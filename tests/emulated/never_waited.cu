/* SPDX-License-Identifier: MIT */
/* Wrong: the program ends before its kernel has run, so that it prints nothing. */
#include <stdio.h>

__global__ void hello() { printf("hello from thread %d\n", threadIdx.x); }

int main()
{
    hello<<<1, 4>>>(); // expect: synchronization
    return 0;
}
