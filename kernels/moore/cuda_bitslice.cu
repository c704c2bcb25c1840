/* SPDX-License-Identifier: MIT */
/* Plans and passes of cuda-bitslice, whose kernel is also that of single generations of others. */
#include "kernels/moore/cuda_bitslice.cuh"

static int64_t grid_blocks(const struct moore_bits *state)
{
    const struct moore_bits_layout *layout = &state->layout;
    int64_t threads = layout->groups * ((layout->h + state->lane_rows - 1) / state->lane_rows);

    return (threads + MOORE_BITSLICE_THREADS - 1) / MOORE_BITSLICE_THREADS;
}

/* Chooses the most rows a lane that leave each multiprocessor all the threads that it can hold.
 * Threads are counted in 32 bits, which suffices below a terabyte at eight rows a lane. */
double moore_bitslice_choose(struct cuda *cuda, int64_t rows)
{
    struct moore_bits *state = (struct moore_bits *)cuda->state;
    const struct moore_bits_layout *layout = &state->layout;
    int multiprocessors = cuda->facts.multiprocessors;
    double lanes = (double)layout->groups * (double)layout->h;

    if (!rows || lanes > UINT32_MAX)
        rows =
            (int64_t)(lanes / (MOORE_BITSLICE_RESIDENT * MOORE_BITSLICE_THREADS * multiprocessors));
    state->lane_rows = rows >= 8 ? 8 : rows >= 4 ? 4 : 2;
    return moore_bits_bound(cuda,
                            {.generations = 1,
                             .blocks = grid_blocks(state),
                             .warps = MOORE_BITSLICE_THREADS / WARP_LANES,
                             .resident = MOORE_BITSLICE_RESIDENT,
                             .ops = moore_bits_ops(cuda, (double)MOORE_BITSLICE_THREADS *
                                                             state->lane_rows * GROUP_CELLS)});
}

static void bitslice_say(struct cuda *cuda, bool own)
{
    const struct moore_bits *state = (const struct moore_bits *)cuda->state;

    cuda_plan_variant(cuda, "%d rows a lane%s", state->lane_rows, moore_own_said(&state->own, own));
}

enum ca_status moore_bitslice_one(struct cuda *cuda, struct ca_error *error)
{
    struct moore_bits *state = (struct moore_bits *)cuda->state;

    CA_TRY(moore_bits_fill(cuda, error));
    return cuda_launch_early(cuda, state->bitslice->name,
                             state->bitslice->step[state->lane_rows / 4],
                             dim3((unsigned)grid_blocks(state)), dim3(MOORE_BITSLICE_THREADS), 0,
                             error, state->now, state->next, state->layout, state->rule.parameters);
}

enum ca_status moore_bitslice_pass(struct cuda *cuda, uint64_t t, int n, struct ca_error *error)
{
    (void)t, (void)n; /* the same rule in every generation, always one of them */
    if (moore_bits_turn(cuda))
        bitslice_say(cuda, true);
    return moore_bitslice_one(cuda, error);
}

enum ca_status moore_bitslice_plan(struct cuda *cuda, const struct moore_rule *rule,
                                   const struct moore_bitslice_kernels *kernels,
                                   const struct moore_own_rule *own, struct ca_error *error)
{
    struct moore_bits *state = (struct moore_bits *)cuda->state;

    CA_TRY(moore_bits_plan(cuda, rule, kernels, own, error));
    cuda->plan.step_s = moore_bitslice_choose(cuda, ca_int(&cuda->setup.options, "rows"));
    cuda_plan_launch(cuda, dim3((unsigned)grid_blocks(state)), dim3(MOORE_BITSLICE_THREADS), 0);
    bitslice_say(cuda, state->own.wanted && state->own.waits);
    return CA_OK;
}

enum ca_status moore_bitslice_start(struct cuda *cuda, struct ca_error *error)
{
    struct moore_bits *state = (struct moore_bits *)cuda->state;

    return moore_own_start(cuda, &state->own, {.generations = 1}, state->rule.dead, error);
}
