/*
 * Right: what one thread writes is published to another one by a fence and an atomic operation, or
 * is under a lock with fences; what is of one block may have the block's scope. Blocks run one
 * after another here, so that a thread need not wait for what it asks for.
 */
#include <stdio.h>

struct state {
    int data, flag, lock, result, parts[4];
    unsigned long long sum;
};

__global__ void flag_between_blocks(struct state *s)
{
    if (blockIdx.x == 0) {
        s->data = 1;
        __threadfence();
        atomicExch(&s->flag, 1);
    } else if (atomicAdd(&s->flag, 0)) {
        s->result = s->data;
    }
}

__global__ void flag_in_block(struct state *s)
{
    if (threadIdx.x == 0) {
        s->data = 1;
        __threadfence_block();
        atomicExch_block(&s->flag, 1);
    } else if (threadIdx.x == 32 && atomicAdd_block(&s->flag, 0)) {
        s->result = s->data;
    }
}

__global__ void counted_in_block(struct state *s) { atomicAdd_block(&s->data, 1); }

__global__ void exchanged(struct state *s) { atomicExch(&s->data, (int)blockIdx.x); }

__device__ void take(int *lock)
{
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    __threadfence();
}

__device__ void give(int *lock)
{
    __threadfence();
    atomicExch(lock, 0);
}

__device__ void take_in_block(int *lock)
{
    while (atomicCAS_block(lock, 0, 1) != 0)
        ;
    __threadfence_block();
}

__device__ void give_in_block(int *lock)
{
    __threadfence_block();
    atomicExch_block(lock, 0);
}

__global__ void lock_of_all(struct state *s)
{
    take(&s->lock);
    s->data++;
    give(&s->lock);
}

__global__ void lock_of_block(struct state *s)
{
    take_in_block(&s->lock);
    s->data++;
    give_in_block(&s->lock);
}

__global__ void lock_of_both_scopes(struct state *s)
{
    if (threadIdx.x < 32) {
        take(&s->lock);
        s->data++;
        give(&s->lock);
    } else {
        take_in_block(&s->lock);
        s->data++;
        give_in_block(&s->lock);
    }
}

__global__ void lock_by_one_thread(struct state *s)
{
    if (threadIdx.x == 0)
        take(&s->lock);
    __syncthreads();
    if (threadIdx.x < 4)
        s->parts[threadIdx.x]++;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        atomicExch(&s->lock, 0);
}

__global__ void last_block(struct state *s)
{
    s->parts[blockIdx.x] = 1;
    __threadfence();
    if (atomicAdd(&s->flag, 1) == (int)gridDim.x - 1)
        s->result = s->parts[0] + s->parts[1];
}

__global__ void last_block_of_threads(struct state *s)
{
    __shared__ bool is_last;

    if (threadIdx.x < 2)
        s->parts[2 * blockIdx.x + threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        is_last = atomicAdd(&s->flag, 1) == (int)gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 32)
        s->result = s->parts[0] + s->parts[1] + s->parts[2] + s->parts[3];
}

__global__ void volatile_flag(struct state *s)
{
    volatile int *flag = &s->flag;

    if (blockIdx.x == 0) {
        s->data = 1;
        __threadfence();
        *flag = 1;
    } else if (*flag) {
        __threadfence();
        s->result = s->data;
    }
}

__global__ void volatile_read(struct state *s)
{
    if (blockIdx.x == 0) {
        s->data = 1;
        __threadfence();
        atomicExch(&s->flag, 1);
    } else if (*(volatile int *)&s->flag) {
        __threadfence();
        s->result = s->data;
    }
}

/* The third block knows of the first by the second. */
__global__ void chain(struct state *s)
{
    if (blockIdx.x == 0) {
        s->data = 1;
        __threadfence();
        atomicExch(&s->parts[0], 1);
    } else if (blockIdx.x == 1 && atomicAdd(&s->parts[0], 0)) {
        __threadfence();
        atomicExch(&s->parts[1], 1);
    } else if (blockIdx.x == 2 && atomicAdd(&s->parts[1], 0)) {
        s->result = s->data;
    }
}

__global__ void chain_of_scopes(struct state *s)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        s->data = 1;
        __threadfence_block();
        atomicExch(&s->flag, 1);
    } else if (blockIdx.x == 0 && threadIdx.x == 32 && atomicAdd(&s->flag, 0) == 1) {
        s->data += 2;
        __threadfence();
        atomicExch(&s->flag, 2);
    } else if (blockIdx.x == 1 && threadIdx.x == 0 && atomicAdd(&s->flag, 0) == 2) {
        s->data += 2;
        __threadfence_block();
        atomicExch(&s->flag, 3);
    } else if (blockIdx.x == 1 && threadIdx.x == 32 && atomicAdd(&s->flag, 0) == 3) {
        s->result = s->data;
    }
}

/* Of the CUDA programming guide: the value that is read is but the first guess. */
__global__ void sum_of_doubles(struct state *s)
{
    unsigned long long old = s->sum, assumed;

    do {
        assumed = old;
        old = atomicCAS(&s->sum, assumed,
                        __double_as_longlong(threadIdx.x + __longlong_as_double(assumed)));
    } while (assumed != old);
}

__global__ void greatest(struct state *s)
{
    int before;

    do {
        before = s->data;
    } while (atomicCAS(&s->data, before, max(before, (int)threadIdx.x)) != before);
}

static struct state *fresh()
{
    struct state *s;

    cudaMalloc(&s, sizeof *s);
    cudaMemset(s, 0, sizeof *s);
    return s;
}

static int wrong;

static void ends(struct state *s, const char *name, int data, int result)
{
    struct state host;

    cudaMemcpy(&host, s, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(s);
    if ((data >= 0 && host.data != data) || host.result != result) {
        printf("%s: %d and %d\n", name, host.data, host.result);
        wrong++;
    }
}

#define TRY(kernel, blocks, threads, data, result)                                                 \
    do {                                                                                           \
        struct state *s = fresh();                                                                 \
        kernel<<<blocks, threads>>>(s);                                                            \
        ends(s, #kernel, data, result);                                                            \
    } while (0)

int main()
{
    TRY(flag_between_blocks, 2, 1, 1, 1);
    TRY(flag_in_block, 1, 64, 1, 1);
    TRY(counted_in_block, 1, 64, 64, 0);
    TRY(exchanged, 2, 32, -1, 0);
    TRY(lock_of_all, 2, 64, 128, 0);
    TRY(lock_of_block, 1, 64, 64, 0);
    TRY(lock_of_both_scopes, 1, 64, 64, 0);
    TRY(lock_by_one_thread, 3, 64, 0, 0);
    TRY(last_block, 2, 1, 0, 2);
    TRY(last_block_of_threads, 2, 64, 0, 4);
    TRY(volatile_flag, 2, 1, 1, 1);
    TRY(volatile_read, 2, 1, 1, 1);
    TRY(chain, 3, 1, 1, 1);
    TRY(chain_of_scopes, 2, 64, 5, 5);
    TRY(sum_of_doubles, 2, 64, 0, 0);
    TRY(greatest, 1, 64, 63, 0);
    return wrong != 0;
}
