/* SPDX-License-Identifier: MIT */
/* The records of several models share these options, states and functions. */
#include "kernels/cpu/model_common.h"

#include "core/base/crand.h"
#include "core/base/random.h"
#include "core/model/ranks.h"
#include "kernels/cpu/initial_state.h"
#include "core/machine/thread_pool.h"

/* The row of those that can take several generations in one pass over the lattice. */
#define GENERATIONS_OPTION                                                                         \
    {                                                                                              \
        .name = "generations", .kind = CA_INT, .number = 0, .min = 0, .max = 64,                   \
        .tune = "1 2 3 4 6 8 12 16 24 32",                                                         \
        .help = "generations in one pass over the lattice; 1: off, 0: chosen by its size"          \
    }

const struct ca_param options_ranks[] = {RANKS_OPTIONS, {.name = NULL}};
const struct ca_param options_threads[] = {THREADS_OPTION, RANKS_OPTIONS, {.name = NULL}};
const struct ca_param options_generations[] = {
    THREADS_OPTION, GENERATIONS_OPTION, RANKS_OPTIONS, {.name = NULL}};

const struct ca_brush live_brushes[] = {
    {"empty", 1, {0}, false},
    {"live", 1, {1}, false},
    {.name = NULL},
};

const struct ca_observable live_observables[] = {
    {.name = "live", .help = "live cells"},
    {.name = NULL},
};

double share_of_ones(const struct ca_block_means *means, int64_t x, int64_t y, int64_t z, int plane)
{
    return ca_block_sums_at(means, x, y, z)[plane] / ca_block_samples(means, x, y, z);
}

void live_density(const struct ca_block_means *means, int64_t x, int64_t y, int64_t z,
                  double value[])
{
    value[0] = share_of_ones(means, x, y, z, 0);
}

const struct ca_field live_fields[] = {
    {"density", "share of live cells", NULL, 1, false, false, live_density},
    {.name = NULL},
};

static void live_appearance(const struct ca_model *model, const void *const planes[], int64_t i,
                            float low, float high, struct ca_appearance *look)
{
    const uint8_t *cells = planes[0];

    (void)model, (void)low, (void)high;
    *look = (struct ca_appearance){.code = cells[i], .level = cells[i]};
}

static const struct ca_state_appearance live_states[] = {
    {'.', CA_COLOUR_QUIET, "empty"},
    {'O', CA_COLOUR_STRONG, "live"},
    {.name = NULL},
};

const struct ca_model_draw live_draw = {.states = live_states,
                                        .cell = live_appearance,
                                        .level_unit = "live",
                                        .level_full = 1,
                                        .picture_mask = 1};

enum ca_status live_init_random(const struct ca_setup *setup, uint8_t *cells,
                                struct ca_error *error)
{
    return initial_random(setup, ca_real(&setup->params, "density"), 0, cells, 1, error);
}

const struct ca_start live_starts[] = {
    [LIVE_START_RANDOM] = {"random", "each cell live with the given density"},
    [LIVE_START_CRAND] = {"crand",
                          "srand(seed), then rand() / RAND_MAX < density, row by row, in float"},
    {.name = NULL},
};

enum ca_status live_init(const struct ca_setup *setup, int start, struct ca_lattice *lattice,
                         struct ca_error *error)
{
    float density = (float)ca_real(&setup->params, "density");
    uint8_t *cells = lattice->plane[0];
    struct ca_crand generator;

    if (start == LIVE_START_RANDOM)
        return live_init_random(setup, cells, error);
    /* In C, rand() / RAND_MAX of a float divides by RAND_MAX turned to float, which is 2^31. */
    ca_crand_seed(&generator, (uint32_t)setup->seed);
    for (int64_t i = 0; i < ca_cells(setup->size); i++)
        cells[i] = (float)ca_crand_next(&generator) / (float)CA_RAND_MAX < density;
    return CA_OK;
}

bool live_random_start(const struct ca_setup *setup, struct ca_random_start *random)
{
    random->below[0] = ca_threshold(ca_real(&setup->params, "density"));
    return setup->start == LIVE_START_RANDOM;
}

void observe_ones(const struct ca_setup *setup, const int64_t ones[CA_BIT_PLANES_MAX],
                  const int64_t on_obstacle[CA_BIT_PLANES_MAX], double values[CA_OBSERVABLES_MAX])
{
    (void)setup, (void)on_obstacle;
    for (int i = 0; i < CA_BIT_PLANES_MAX; i++)
        values[i] = (double)ones[i];
}

bool always_conserved(const struct ca_setup *setup, const double start[])
{
    (void)setup;
    (void)start;
    return true;
}

bool always_torus(const struct ca_setup *setup)
{
    (void)setup;
    return true;
}
