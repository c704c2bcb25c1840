/* SPDX-License-Identifier: MIT */
/*
 * The ladder of cloud.
 *
 * A cell step reads three bits and eleven neighbours of one of them and writes three bits: very
 * little arithmetic on very little state, so what a rung is worth is how little it moves.
 *
 *   reference  a byte a cell and plane, one thread. The yardstick: 6 bytes moved for 6 bits of
 *              state, and a branch for each neighbour that may lie outside.
 *   threads    the same passes over disjoint rows by a team that meets once a generation. Moves the
 *              limit of one core's arithmetic; costs a barrier, which a small lattice feels.
 *   bitslice   a bit a cell and plane, 64 cells a word: an eighth of the memory, and the rule for
 *              64 cells in some 30 operations. hum and cld matter to their own cell alone and are
 *              stepped in place, which saves a third of what is held. Loads and stores are the
 * limit now; with events it is the random numbers: a draw gives a bit each to 128 cells, and an
 * event takes as many draws as it needs to decide all of them, about ten. bitslice-avx2,
 * bitslice-avx512 the same with 256 and 512 cells at once, bands of rows in the lanes of a vector,
 * so that short rows fill it too. AVX-512's three-input logic halves the operations, which were not
 * the limit: growth gains little from it, events, whose draws it takes eight at a time, gain more.
 */
#include "core/cpu.h"
#include "core/random.h"
#include "core/registry.h"
#include "kernels/cloud/cloud.h"
#include "kernels/cloud/rule.h"
#include "kernels/common/bands.h"

static const struct ca_param params[] = {
    {.name = "p_ext",
     .kind = CA_PROBABILITY,
     .number = 0,
     .min = 0,
     .max = 1,
     .help = "chance of a cloud cell to clear in a step"},
    {.name = "p_hum",
     .kind = CA_PROBABILITY,
     .number = 0,
     .min = 0,
     .max = 1,
     .help = "chance of a cell to become humid in a step"},
    {.name = "p_act",
     .kind = CA_PROBABILITY,
     .number = 0,
     .min = 0,
     .max = 1,
     .help = "chance of a cell to become active in a step"},
    {.name = "hum0",
     .kind = CA_REAL,
     .number = 0.6,
     .min = 0,
     .max = 1,
     .initial = true,
     .help = "density of humid cells at the start"},
    {.name = "act0",
     .kind = CA_REAL,
     .number = 0.01,
     .min = 0,
     .max = 1,
     .initial = true,
     .help = "density of active cells at the start"},
    {0},
};

static const struct ca_start starts[] = {
    {"random", "humid and active cells at densities hum0 and act0, no clouds"},
    {0},
};

static const struct ca_observable observables[] = {
    {.name = "humid", .help = "cells that hold vapour"},
    {.name = "active", .help = "cells that condense now"},
    {.name = "cloud", .help = "cells that are cloud"},
    {0},
};

enum { LOOK_DRY, LOOK_HUMID, LOOK_CLOUD, LOOK_ACTIVE };

static const struct ca_state_look states[] = {
    [LOOK_DRY] = {' ', CA_COLOUR_QUIET, "dry"},
    [LOOK_HUMID] = {'.', CA_COLOUR_COLD, "humid"},
    [LOOK_CLOUD] = {'o', CA_COLOUR_STRONG, "cloud"},
    [LOOK_ACTIVE] = {'@', CA_COLOUR_WARM, "active"},
    {0},
};

static enum ca_status init(const struct ca_setup *setup, int start, struct ca_lattice *lattice,
                           struct ca_error *error)
{
    uint64_t below[2] = {ca_threshold(ca_real(&setup->params, "hum0")),
                         ca_threshold(ca_real(&setup->params, "act0"))};
    struct ca_size size = lattice->size;
    int64_t i = 0;

    (void)start;
    (void)error;
    for (int64_t z = 0; z < size.d; z++)
        for (int64_t y = 0; y < size.h; y++)
            for (int64_t x = 0; x < size.w; x++, i++)
                for (uint32_t p = CLOUD_HUM; p <= CLOUD_ACT; p++)
                    ((uint8_t *)lattice->plane[p])[i] =
                        ca_uniform(setup->seed, (uint64_t)x, (uint64_t)y, (uint64_t)z, 0, p) <
                        below[p];
    return CA_OK;
}

static void observe(const struct ca_setup *setup, const void *const planes[], int64_t first,
                    int64_t rows, double sums[CA_OBSERVABLES_MAX])
{
    int64_t cells = rows * setup->size.w;

    (void)first;
    for (int p = 0; p < CLOUD_PLANES; p++) {
        const uint8_t *plane = planes[p];
        int64_t count = 0;

        for (int64_t i = 0; i < cells; i++)
            count += plane[i];
        sums[p] += (double)count;
    }
}

static void look(const void *const planes[], int64_t i, float low, float high, struct ca_look *look)
{
    static const float levels[] = {0, 0.2F, 0.7F, 1};
    bool hum = ((const uint8_t *)planes[CLOUD_HUM])[i];
    bool act = ((const uint8_t *)planes[CLOUD_ACT])[i];
    bool cld = ((const uint8_t *)planes[CLOUD_CLD])[i];

    (void)low;
    (void)high;
    look->code = act ? LOOK_ACTIVE : cld ? LOOK_CLOUD : hum ? LOOK_HUMID : LOOK_DRY;
    look->level = levels[look->code];
    look->vx = look->vy = 0;
}

static const struct ca_param team_options[] = {TEAM_OPTION, {0}};

#define PLAIN                                                                                      \
    .device = CA_CPU, .memory_bytes_per_cell = 6, .bytes_per_cell_step = 6,                        \
    .ops_per_cell_step = 16, .destroy = plain_destroy, .load = plain_load, .store = plain_store,   \
    .step = plain_step

/* Without events; operations are on words. */
#define BITSLICE(operations)                                                                       \
    .device = CA_CPU, .options = team_options, .memory_bytes_per_cell = 0.5,                       \
    .bytes_per_cell_step = 0.75, .ops_per_cell_step = (operations), .destroy = bands_destroy,      \
    .load = bands_load, .store = bands_store, .step = bands_step

static const struct ca_backend backends[] = {
    {.name = "reference",
     .title = "a byte a cell and plane, one thread",
     .create = cloud_reference_create,
     PLAIN},
    {.name = "threads",
     .title = "reference's passes shared out over a team of threads",
     .options = team_options,
     .create = cloud_threads_create,
     PLAIN},
    {.name = "bitslice",
     .title = "64 cells a word, hum and cld in place",
     .create = cloud_bitslice_create,
     BITSLICE(32.0 / 64)},
#if defined(__x86_64__)
    {.name = "bitslice-avx2",
     .title = "256 cells a vector, bands of rows in its lanes",
     .available = ca_needs_avx2,
     .create = cloud_bitslice_avx2_create,
     BITSLICE(32.0 / 256)},
    {.name = "bitslice-avx512",
     .title = "512 cells a vector, logic of three inputs",
     .available = ca_needs_avx512,
     .create = cloud_bitslice_avx512_create,
     BITSLICE(13.0 / 512)},
#endif
    {0},
};

const struct ca_model cloud_model = {
    .name = "cloud",
    .title = "cloud formation in 3D",
    .summary =
        "Vapour condenses where a neighbour condenses: a humid cell becomes active when one of "
        "eleven cells around it is active, and a step later it is cloud and dry. The eleven reach "
        "further to the sides and down than up, so clouds spread and rise. With p_ext, p_hum and "
        "p_act clouds also clear, and vapour and activity come back by chance.",
    .dimensions = 3,
    .radius = 2,
    .type = CA_U8,
    .planes = CLOUD_PLANES,
    .plane_names = {"hum", "act", "cld"},
    .max_value = 1,
    .default_size = {256, 256, 20},
    .params = params,
    .starts = starts,
    .observables = observables,
    .states = states,
    .backends = backends,
    .init = init,
    .observe = observe,
    .look = look,
};
