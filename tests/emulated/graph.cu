/* SPDX-License-Identifier: MIT */
/* Right: a graph of a stream's capture with a second stream in it, launched several times. */
#include <stdio.h>

__global__ void add(int *values, const int *more) { values[threadIdx.x] += more[threadIdx.x]; }

int main()
{
    int *values, *more, host[64], sum[64];
    cudaStream_t stream, beside;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    size_t nodes;

    cudaMalloc(&values, sizeof host);
    cudaMalloc(&more, sizeof host);
    cudaMemset(values, 0, sizeof host);
    cudaStreamCreate(&stream);
    cudaStreamCreate(&beside);
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMemcpyAsync(more, host, sizeof host, cudaMemcpyHostToDevice, stream);
    cudaEventRecord(fork, stream);
    cudaStreamWaitEvent(beside, fork);
    add<<<1, 64, 0, beside>>>(values, more);
    cudaEventRecord(join, beside);
    cudaStreamWaitEvent(stream, join);
    cudaMemcpyAsync(sum, values, sizeof sum, cudaMemcpyDeviceToHost, stream);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphGetNodes(graph, NULL, &nodes);
    cudaGraphInstantiate(&exec, graph, 0);
    for (int n = 1; n <= 3; n++) {
        for (int i = 0; i < 64; i++)
            host[i] = n;
        cudaGraphLaunch(exec, stream);
        cudaStreamSynchronize(stream);
    }
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    cudaStreamDestroy(beside);
    cudaEventDestroy(fork);
    cudaEventDestroy(join);
    cudaFree(values);
    cudaFree(more);
    return nodes != 3 || sum[63] != 6;
}
