/* SPDX-License-Identifier: MIT */
/* Wrong: the host reads what a graph writes before it waits for it. */
#include <stdio.h>

__global__ void set(int *values)
{
    values[threadIdx.x] = 7; // expect: synchronization with
}

int main()
{
    int *values, first;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    cudaMallocManaged(&values, 64 * sizeof(int));
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    set<<<1, 64, 0, stream>>>(values);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, stream);
    first = values[0]; // expect: synchronization
    cudaStreamSynchronize(stream);
    printf("%d\n", first);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    cudaFree(values);
    return 0;
}
