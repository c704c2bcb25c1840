/* SPDX-License-Identifier: MIT */
/*
 * The stepper of banded bit planes: several generations in a pass against reference, through groups
 * of layers, tiles of rows, wedges between workers and periodic slabs, and what is chosen by size.
 */
#include <string.h>

#include "core/machine/cpu.h"
#include "core/model/registry.h"
#include "kernels/cpu/bands.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

static struct ca_error error;

static const uint64_t calls[] = {1, 7, 2, 13, 5};
#define CALLS ((int)(sizeof calls / sizeof calls[0]))

static const struct pass {
    const char *model, *size, *settings;
    int64_t group, tile; /* 0: as chosen */
} passes[] = {
    {"life3d", "70x40x20", "threads=1 generations=4", 1, 0},
    {"life3d", "70x40x20", "threads=2 generations=5", 1, 0},
    {"life3d", "32x32x9", "threads=1 generations=3", 2, 0},
    {"life3d", "64x17x33", "threads=3 generations=6", 3, 0},
    {"life3d", "130x9x12", "threads=1 generations=64 boundary=dead", 1, 0},
    {"life3d", "130x33x24", "threads=2 generations=4 boundary=dead rule=3D5,7/6", 5, 0},
    {"life3d", "70x64x15", "threads=2 generations=4", 1, 3},
    {"life3d", "64x129x11", "threads=1 generations=5", 2, 5},
    {"life3d", "200x99x20", "threads=3 generations=3 boundary=dead", 1, 1},
    {"life3d", "20x320x13", "threads=2 generations=3", 1, 4},
    {"life3d", "3x3x1", "threads=1 generations=4", 1, 0},
    {"life3d", "8x8x2", "threads=2 generations=4", 1, 0},
    {"cloud", "256x20x20", "threads=1 generations=4 act0=0.02", 1, 0},
    {"cloud", "256x20x20", "threads=2 generations=3 act0=0.02", 1, 0},
    {"cloud", "100x9x41", "threads=4 generations=64 act0=0.01", 3, 0},
    {"cloud", "32x32x11", "threads=1 generations=7 act0=0.1", 2, 0},
    {"cloud", "70x15x14", "threads=2 generations=3 p_ext=0.1 p_hum=0.02 p_act=0.01", 1, 0},
    {"cloud", "70x160x14", "threads=2 generations=3 p_ext=0.1 p_hum=0.02 p_act=0.01", 1, 3},
    {"cloud", "128x128x9", "threads=1 generations=5 act0=0.02", 1, 2},
    {"cloud", "65x131x24", "threads=3 generations=3 act0=0.02", 2, 7},
    {"cloud", "10x700x8", "threads=1 generations=3 p_act=0.01", 1, 5},
    {"cloud", "2x2x2", "threads=2 generations=2 act0=0.5", 1, 0},
};

static bool tested(const struct ca_backend *backend)
{
    return strncmp(backend->name, "bitslice", 8) == 0 &&
           ca_backend_available(backend, &error) == CA_OK;
}

/* The tile that wraps around needs rows between its halves: the plan keeps to that, as here. */
static void set_plan(struct bands *bands, const struct pass *pass)
{
    bands->group = pass->group;
    if (!pass->tile || bands->rows < 2 * (bands->generations - 1) * bands->reach)
        return;
    bands->tile = pass->tile;
}

static void check_pass(const struct pass *pass, const struct ca_backend *backend)
{
    struct ca_experiment experiment = kernel_experiment(pass->model, backend->name, pass->size,
                                                        NULL, test_seed(), pass->settings);
    struct ca_experiment reference = experiment;
    struct kernel kernel[2];
    struct ca_lattice state[2];

    ca_experiment_backend(&reference, &experiment.model->backends[0], CA_FROM_COMMAND_LINE);
    ck_assert_ok(ca_initial_state(&experiment, &state[0], &error));
    for (int i = 0; i < 2; i++) {
        kernel_open(&kernel[i], i == 0 ? &reference : &experiment);
        kernel_load(&kernel[i], &state[0]);
    }
    ca_lattice_free(&state[0]);
    set_plan(kernel[1].self, pass);
    for (int c = 0; c < CALLS; c++) {
        for (int i = 0; i < 2; i++) {
            kernel_step(&kernel[i], calls[c]);
            state[i] = kernel_store(&kernel[i]);
        }
        kernel_compare(&experiment, kernel[1].generation, &state[0], &state[1]);
        for (int i = 0; i < 2; i++)
            ca_lattice_free(&state[i]);
    }
    for (int i = 0; i < 2; i++)
        kernel_close(&kernel[i]);
}

START_TEST(generations_in_a_pass)
{
    for (const struct ca_backend *b = test_model(passes[_i].model)->backends; b->name; b++)
        if (tested(b))
            check_pass(&passes[_i], b);
}
END_TEST

START_TEST(slabs)
{
    static const struct {
        const char *model, *size, *settings;
        bool torus;
    } table[] = {
        {"life3d", "70x16x16", "threads=2 generations=3", true},
        {"life3d", "70x16x16", "threads=1 generations=4 boundary=dead", false},
        {"cloud", "65x24x20", "threads=2 generations=3 p_ext=0.1 p_act=0.01", false},
    };

    for (const struct ca_backend *b = life3d_model.backends; b->name; b++) {
        struct ca_experiment experiment;

        if (!tested(b))
            continue;
        experiment = kernel_experiment(table[_i].model, b->name, table[_i].size, NULL, test_seed(),
                                       table[_i].settings);
        kernel_check_slabs(&experiment, 8, table[_i].torus, 2);
    }
}
END_TEST

/*
 * One generation for lattices that L2 holds, several for larger ones, and no more than a worker's
 * layers allow; tiles where L3 is too small, as it is on most machines.
 */
START_TEST(plans)
{
    static const struct {
        const char *model, *size, *settings;
        int least, most;
        int64_t tiled; /* where L3 has so many bytes or less; 0: never */
    } table[] = {
        {"life3d", "32x32x32", "threads=1", 1, 1, 0},
        {"life3d", "32x32x32", "threads=1 generations=3", 3, 3, 0},
        {"life3d", "512x512x400", "threads=1", 2, 64, 0},
        {"life3d", "512x512x400", "threads=2 generations=1", 1, 1, 0},
        {"life3d", "64x64x16", "threads=2 generations=64", 5, 5, 0},
        {"life3d", "64x64x16", "threads=1 generations=64", 9, 9, 0},
        {"life3d", "64x64x16", "threads=1 generations=64 boundary=dead", 64, 64, 0},
        {"life3d", "64x64x4", "threads=2 generations=64", 1, 1, 0},
        {"cloud", "64x64x16", "threads=2 generations=64", 3, 3, 0},
        {"cloud", "4096x4096x4", "threads=1", 2, 64, 200 << 20},
        {"cloud", "2000000x20x4", "threads=1", 5, 5, 500 << 20},
    };
    int64_t caches[CA_CACHES];

    ca_cpu_caches(caches);

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct ca_experiment experiment = kernel_experiment(
            table[i].model, "bitslice", table[i].size, NULL, 1, table[i].settings);
        const struct bands *bands;
        struct kernel kernel;

        if (table[i].tiled && caches[2] > table[i].tiled)
            continue;
        kernel_open(&kernel, &experiment);
        bands = kernel.self;
        ck_assert_msg(bands->generations >= table[i].least && bands->generations <= table[i].most,
                      "%s %s: %d generations", table[i].size, table[i].settings,
                      bands->generations);
        ck_assert_msg((bands->tile < bands->rows) == (table[i].tiled > 0), "%s: tiles of %lld rows",
                      table[i].size, (long long)bands->tile);
        kernel_close(&kernel);
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {plans},
                     .table = {{generations_in_a_pass, COUNT(passes)}, {slabs, 3}});
}
