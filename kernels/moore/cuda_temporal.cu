/* SPDX-License-Identifier: MIT */
/* Plans and passes of cuda-temporal. */
#include "kernels/moore/cuda_temporal.cuh"

#include <stdio.h>

/* --- plan ------------------------------------------------------------------------------------ */

/* Chooses the rows a warp with which a pass of n generations should take least. */
static enum ca_status choose_rows(struct cuda *cuda, int n, double *step_s, struct ca_error *error)
{
    struct moore_temporal *state = (struct moore_temporal *)cuda->state;
    int64_t rows = ca_int(&cuda->setup.options, "rows");
    struct row_partition partition = state->bits.layout;
    int resident = 0;

    partition.bands.stored = {0, cuda_stored_layers(cuda, n)};
    if (state->bits.own.wanted)
        resident = moore_sweep_resident(n, state->bits.own.rule.kept);
    else
        CA_TRY(cuda_resident_blocks(cuda, (const void *)state->kernels->step[n], SEGMENT_THREADS, 0,
                                    &resident, error));
    *step_s = partition_choose_rows(
        partition, rows, resident, cuda->facts.multiprocessors, MOORE_LOOP_ROWS, &state->rows[n],
        [&](const struct row_partition &cut) {
            double swept = n * (cut.rows + (double)moore_lead_rows(n)) * SEGMENT_THREADS;

            return moore_bits_bound(cuda, {.generations = (double)n,
                                           .blocks = partition_blocks(&cut),
                                           .warps = SEGMENT_WARPS,
                                           .resident = (double)resident,
                                           .ops = moore_bits_ops(cuda, swept * GROUP_CELLS)});
        });
    return CA_OK;
}

static void temporal_say(struct cuda *cuda, bool own)
{
    const struct moore_temporal *state = (const struct moore_temporal *)cuda->state;

    cuda_plan_variant(cuda, "sweep of %d rows a warp%s", state->rows[cuda->plan.generations],
                      moore_own_said(&state->bits.own, own));
}

static int most_generations(const struct moore_temporal_kernels *kernels)
{
    int most = MOORE_SWEEP_MOST;

    while (!kernels->step[most])
        most--;
    return most;
}

enum ca_status moore_temporal_plan(struct cuda *cuda, const struct moore_rule *rule,
                                   const struct moore_temporal_kernels *kernels,
                                   const struct moore_bitslice_kernels *bitslice,
                                   const struct moore_own_rule *own, struct ca_error *error)
{
    struct moore_temporal *state = (struct moore_temporal *)cuda->state;
    struct moore_bits_layout *layout = &state->bits.layout;
    int wanted = (int)ca_int(&cuda->setup.options, "generations"), generations = 0;
    int most = most_generations(kernels);
    double least = 0;

    if (wanted != 0 && (wanted < MOORE_SWEEP_LEAST || wanted > most))
        return ca_fail(error, CA_USAGE,
                       "cuda-temporal takes %d to %d generations a pass%s, or 0 to choose: %d is "
                       "not; cuda-bitslice takes one",
                       MOORE_SWEEP_LEAST, most,
                       most < MOORE_SWEEP_MOST ? " of this rule and these edges" : "", wanted);
    CA_TRY(moore_bits_plan(cuda, rule, bitslice, own, error));
    state->kernels = kernels;
    moore_bitslice_choose(cuda, 0);
    for (int n = MOORE_SWEEP_LEAST; n <= most; n++) {
        double step_s = 0;

        CA_TRY(choose_rows(cuda, n, &step_s, error));
        if (wanted ? n == wanted : generations == 0 || step_s < least) {
            generations = n;
            least = step_s;
        }
    }
    partition_rows(layout, state->rows[generations]);
    cuda_plan_launch(cuda, dim3((unsigned)partition_blocks(layout)), dim3(SEGMENT_THREADS), 0);
    cuda->plan.generations = generations;
    cuda->plan.step_s = least;
    moore_still_plan(cuda, &state->still, &state->bits);
    temporal_say(cuda, state->bits.own.wanted && state->bits.own.waits);
    return CA_OK;
}

/* --- steps ----------------------------------------------------------------------------------- */

struct cuda_band_sizes moore_temporal_bands(const struct cuda *cuda, int n)
{
    const struct moore_temporal *state = (const struct moore_temporal *)cuda->state;
    struct row_partition partition = state->bits.layout;
    struct cuda_band_sizes bands = {};

    if (n > 1) {
        partition.bands.stored = cuda->stored;
        partition_rows(&partition, state->rows[n]);
        bands = partition_bands(&partition);
    }
    if (moore_bits_fills(&state->bits))
        bands.layers = 0; /* the halo of all rows is filled first */
    return bands;
}

enum ca_status moore_temporal_start(struct cuda *cuda, struct ca_error *error)
{
    struct moore_temporal *state = (struct moore_temporal *)cuda->state;

    CA_TRY(moore_own_start(cuda, &state->bits.own, {.generations = cuda->plan.generations},
                           state->bits.rule.dead, error));
    return moore_still_start(cuda, &state->still, error);
}

void moore_temporal_stop(struct cuda *cuda)
{
    moore_still_stop(&((struct moore_temporal *)cuda->state)->still);
}

/* The rule's own kernels take the place of others. */
static void temporal_turn(struct cuda *cuda)
{
    struct moore_temporal *state = (struct moore_temporal *)cuda->state;
    const struct moore_own_kernels *kernels = moore_bits_turn(cuda);

    if (!kernels)
        return;
    state->own_kernels = *state->kernels;
    for (int n = 2; n <= cuda->plan.generations; n++) {
        state->own_kernels.step[n] = kernels->sweep[n];
        state->own_kernels.still[n / 2] = kernels->still[n / 2];
    }
    state->kernels = &state->own_kernels;
    temporal_say(cuda, true);
}

/* A pass of all cells, or of a slab's bands. */
static enum ca_status temporal_pass_all(struct cuda *cuda, int n, struct ca_error *error)
{
    struct moore_temporal *state = (struct moore_temporal *)cuda->state;
    struct moore_bits *bits = &state->bits;

    bits->layout.bands.stored = cuda->stored;
    partition_rows(&bits->layout, state->rows[n]);
    partition_take(&bits->layout, cuda->bands);
    return cuda_launch_early(cuda, state->kernels->name, state->kernels->step[n],
                             dim3((unsigned)partition_blocks(&bits->layout)), dim3(SEGMENT_THREADS),
                             0, error, bits->now, bits->next, bits->layout, bits->rule.parameters);
}

/* A pass of the tiles that are listed. */
static enum ca_status temporal_pass_listed(struct cuda *cuda, int n,
                                           const struct moore_still_pass *pass,
                                           struct ca_error *error)
{
    const struct moore_temporal *state = (const struct moore_temporal *)cuda->state;
    const struct moore_bits *bits = &state->bits;
    struct moore_bits_layout layout = moore_still_layout(bits);
    moore_still_kernel *kernel = state->kernels->still[n / 2];
    int64_t blocks = partition_blocks(&layout);
    int resident = 0;

    CA_TRY(cuda_resident_blocks(cuda, (const void *)kernel, SEGMENT_THREADS, 0, &resident, error));
    if (blocks > (int64_t)resident * cuda->facts.multiprocessors)
        blocks = (int64_t)resident * cuda->facts.multiprocessors;
    return cuda_launch_early(cuda, state->kernels->name, kernel, dim3((unsigned)blocks),
                             dim3(SEGMENT_THREADS), 0, error, bits->now, bits->next, layout,
                             bits->rule.parameters, pass->tiles);
}

enum ca_status moore_temporal_pass(struct cuda *cuda, uint64_t t, int n, struct ca_error *error)
{
    struct moore_temporal *state = (struct moore_temporal *)cuda->state;
    double tile_work = 1 + (double)moore_lead_rows(n) / MOORE_STILL_ROWS;
    struct moore_still_pass pass;

    (void)t; /* the same rule in every generation */
    temporal_turn(cuda);
    if (n % 2)
        state->still.generations = 0;
    if (n == 1)
        return moore_bitslice_one(cuda, error);
    CA_TRY(moore_bits_fill(cuda, error));
    if (n % 2)
        return temporal_pass_all(cuda, n, error);
    CA_TRY(moore_still_before(cuda, &state->still, &state->bits, n, n * cuda->plan.step_s,
                              tile_work, &pass, error));
    CA_TRY(pass.skips ? temporal_pass_listed(cuda, n, &pass, error)
                      : temporal_pass_all(cuda, n, error));
    return moore_still_after(cuda, &state->still, &state->bits, n, &pass, error);
}
