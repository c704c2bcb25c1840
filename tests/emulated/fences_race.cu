/* Wrong: fences that are missing, at the wrong place or of too small a scope, atomic operations of
 * a block between blocks, flags that are neither atomic nor volatile, and locks without fences. */
#include <stdio.h>

struct state {
    int data, flag, lock, result, parts[4];
};

/* --- flags ------------------------------------------------------------------------------------ */

__global__ void no_fence(struct state *s)
{
    if (blockIdx.x == 0) {
        s->data = 1; // expect: race with
        atomicExch(&s->flag, 1);
    } else if (atomicAdd(&s->flag, 0)) {
        s->result = s->data; // expect: race
    }
}

__global__ void fence_of_block(struct state *s)
{
    if (blockIdx.x == 0) {
        s->data = 1; // expect: race with
        __threadfence_block();
        atomicExch(&s->flag, 1);
    } else if (atomicAdd(&s->flag, 0)) {
        s->result = s->data; // expect: race
    }
}

__global__ void fence_too_late(struct state *s)
{
    if (blockIdx.x == 0) {
        s->data = 1; // expect: race with
        atomicExch(&s->flag, 1);
        __threadfence();
    } else if (atomicAdd(&s->flag, 0)) {
        s->result = s->data; // expect: race
    }
}

__global__ void fence_too_early(struct state *s)
{
    if (blockIdx.x == 0) {
        __threadfence();
        s->data = 1; // expect: race with
        atomicExch(&s->flag, 1);
    } else if (atomicAdd(&s->flag, 0)) {
        s->result = s->data; // expect: race
    }
}

__global__ void no_fence_in_block(struct state *s)
{
    if (threadIdx.x == 0) {
        s->data = 1; // expect: race with
        atomicExch(&s->flag, 1);
    } else if (threadIdx.x == 32 && atomicAdd(&s->flag, 0)) {
        s->result = s->data; // expect: race
    }
}

__global__ void written_after_flag(struct state *s)
{
    if (blockIdx.x == 0) {
        s->data = 1;
        __threadfence();
        atomicExch(&s->flag, 1);
        s->data = 2; // expect: race with
    } else if (atomicAdd(&s->flag, 0)) {
        s->result = s->data; // expect: race
    }
}

__global__ void flag_of_block(struct state *s)
{
    if (blockIdx.x == 0) {
        s->data = 1; // expect: race with
        __threadfence();
        atomicExch_block(&s->flag, 1);   // expect: race with
    } else if (atomicAdd(&s->flag, 0)) { // expect: race
        s->result = s->data;             // expect: race
    }
}

__global__ void counted_by_blocks(struct state *s)
{
    atomicAdd_block(&s->data, 1); // expect: race
}

__global__ void plain_flag(struct state *s)
{
    if (blockIdx.x == 0) {
        s->data = 1; // expect: race with
        __threadfence();
        s->flag = 1;         // expect: race with
    } else if (s->flag) {    // expect: race
        s->result = s->data; // expect: race
    }
}

__global__ void plain_read_of_flag(struct state *s)
{
    if (blockIdx.x == 0) {
        atomicExch(&s->flag, 1); // expect: race with
    } else if (s->flag) {        // expect: race
        s->result = 1;
    }
}

__global__ void volatile_without_fence(struct state *s)
{
    volatile int *flag = &s->flag, *data = &s->data;

    if (blockIdx.x == 0) {
        *data = 1;         // expect: race with
        *flag = 1;         // expect: race with
    } else if (*flag) {    // expect: race
        s->result = *data; // expect: race
    }
}

__global__ void last_block(struct state *s)
{
    s->parts[blockIdx.x] = 1; // expect: race with
    if (atomicAdd(&s->flag, 1) == (int)gridDim.x - 1)
        s->result = s->parts[0] + s->parts[1]; // expect: race
}

/* --- locks ------------------------------------------------------------------------------------ */

__global__ void no_fences(struct state *s)
{
    while (atomicCAS(&s->lock, 0, 1) != 0)
        ;
    s->data++; // expect: race
    atomicExch(&s->lock, 0);
}

__global__ void no_fence_before_release(struct state *s)
{
    while (atomicCAS(&s->lock, 0, 1) != 0)
        ;
    __threadfence();
    s->data++; // expect: race
    atomicExch(&s->lock, 0);
}

__global__ void no_fence_behind_acquire(struct state *s)
{
    while (atomicCAS(&s->lock, 0, 1) != 0)
        ;
    s->data++; // expect: race
    __threadfence();
    atomicExch(&s->lock, 0);
}

__global__ void first_without_fence(struct state *s)
{
    while (atomicCAS(&s->lock, 0, 1) != 0)
        ;
    if (blockIdx.x == 1)
        __threadfence();
    s->data = blockIdx.x; // expect: race
    __threadfence();
    atomicExch(&s->lock, 0);
}

__global__ void acquire_of_block(struct state *s)
{
    while (atomicCAS(&s->lock, 0, 1) != 0)
        ;
    __threadfence_block();
    s->data++; // expect: race
    __threadfence();
    atomicExch(&s->lock, 0);
}

__global__ void release_of_block(struct state *s)
{
    while (atomicCAS(&s->lock, 0, 1) != 0)
        ;
    __threadfence();
    s->data++; // expect: race
    __threadfence_block();
    atomicExch(&s->lock, 0);
}

__global__ void lock_of_block(struct state *s)
{
    while (atomicCAS_block(&s->lock, 0, 1) != 0) // expect: race
        ;
    __threadfence();
    s->data++; // expect: race
    __threadfence();
    atomicExch_block(&s->lock, 0); // expect: race with
}

__global__ void no_fence_in_block_of_lock(struct state *s)
{
    if (threadIdx.x % 32)
        return;
    while (atomicCAS_block(&s->lock, 0, 1) != 0)
        ;
    s->data++; // expect: race
    __threadfence_block();
    atomicExch_block(&s->lock, 0);
}

__global__ void one_without_lock(struct state *s)
{
    if (blockIdx.x == 1) {
        s->data = 2; // expect: race
        return;
    }
    while (atomicCAS(&s->lock, 0, 1) != 0)
        ;
    __threadfence();
    s->data = 1; // expect: race with
    __threadfence();
    atomicExch(&s->lock, 0);
}

__global__ void behind_release(struct state *s)
{
    while (atomicCAS(&s->lock, 0, 1) != 0)
        ;
    __threadfence();
    s->result = s->data; // expect: race
    __threadfence();
    atomicExch(&s->lock, 0);
    if (blockIdx.x == 0)
        s->data = 1; // expect: race with
}

/* The guess is used for more than to compare it. */
__global__ void guess_at_another_place(struct state *s)
{
    int guess = s->data; // expect: race

    if (atomicCAS(&s->flag, guess, guess + 1) == guess)
        atomicAdd(&s->data, 1); // expect: race with
}

static struct state *fresh()
{
    struct state *s;

    cudaMalloc(&s, sizeof *s);
    cudaMemset(s, 0, sizeof *s);
    return s;
}

#define TRY(kernel, blocks, threads)                                                               \
    do {                                                                                           \
        struct state *s = fresh();                                                                 \
        kernel<<<blocks, threads>>>(s);                                                            \
        cudaFree(s);                                                                               \
    } while (0)

int main()
{
    TRY(no_fence, 2, 1);
    TRY(fence_of_block, 2, 1);
    TRY(fence_too_late, 2, 1);
    TRY(fence_too_early, 2, 1);
    TRY(no_fence_in_block, 1, 64);
    TRY(written_after_flag, 2, 1);
    TRY(flag_of_block, 2, 1);
    TRY(counted_by_blocks, 2, 1);
    TRY(plain_flag, 2, 1);
    TRY(plain_read_of_flag, 2, 1);
    TRY(volatile_without_fence, 2, 1);
    TRY(last_block, 2, 1);
    TRY(no_fences, 2, 1);
    TRY(no_fence_before_release, 2, 1);
    TRY(no_fence_behind_acquire, 2, 1);
    TRY(first_without_fence, 2, 1);
    TRY(acquire_of_block, 2, 1);
    TRY(release_of_block, 2, 1);
    TRY(lock_of_block, 2, 1);
    TRY(no_fence_in_block_of_lock, 1, 64);
    TRY(one_without_lock, 2, 1);
    TRY(behind_release, 2, 1);
    TRY(guess_at_another_place, 2, 1);
    return 0;
}
