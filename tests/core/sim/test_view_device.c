/* SPDX-License-Identifier: MIT */
/*
 * view: pictures of a backend that gathers cells and sums blocks by itself are those of one that
 * gives its rows; and where each of the two is used.
 */
#include <stdlib.h>
#include <string.h>

#include "core/engine/state.h"
#include "core/model/view_bins.h"
#include "core/sim/view.h"
#include "kernels/cpu/byte_stepper.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"
#include "tests/support/support_view.h"

/* --- a reference with functions as a device has them ----------------------------------------- */

static struct ca_backend device;
static struct ca_stepper stepper;
static const struct ca_model *model;
static int64_t width;
static int gathered, reduced;
static bool broken;

static enum ca_status gather(void *self, const struct ca_gather_points *places,
                             void *const planes[], struct ca_error *error)
{
    size_t bytes = ca_type_bytes(model->type), used = 0;
    char *row[CA_PLANES_MAX] = {NULL};

    gathered++;
    if (broken)
        return ca_fail(error, CA_CUDA_FAILED, "the device is lost");
    for (int p = 0; p < model->planes; p++)
        row[p] = malloc((size_t)width * bytes);
    for (int64_t r = 0; r < places->count; r++) {
        CA_TRY(byte_stepper.store(self, (void *const *)row, places->row[r], 1, error));
        for (int64_t c = 0; c < places->columns; c++, used += bytes)
            for (int p = 0; p < model->planes; p++)
                memcpy((char *)planes[p] + used, row[p] + (size_t)places->x[c] * bytes, bytes);
    }
    for (int p = 0; p < model->planes; p++)
        free(row[p]);
    return CA_OK;
}

static enum ca_status reduce(void *self, const struct ca_gather_points *places,
                             const struct ca_view_bins *blocks, const struct ca_appearances *looks,
                             struct ca_bin_sum *sums, struct ca_error *error)
{
    void *planes[CA_PLANES_MAX] = {NULL};
    enum ca_status status;

    reduced++;
    for (int p = 0; p < model->planes; p++)
        planes[p] = malloc((size_t)(places->columns * places->count));
    status = gather(self, places, planes, error);
    gathered--;
    for (int i = 0; status == CA_OK && i < blocks->columns * blocks->lines; i++)
        sums[i] = ca_bin_sum_of(blocks, looks, (const uint8_t *const *)planes, i);
    for (int p = 0; p < model->planes; p++)
        free(planes[p]);
    return status;
}

static const struct ca_stepper_draw draw = {.gather = gather, .reduce = reduce};

static struct ca_experiment on_device(const struct ca_experiment *reference)
{
    struct ca_experiment experiment = *reference;

    model = reference->model;
    width = reference->size.w;
    device = *reference->backend;
    device.name = "device";
    stepper = *reference->backend->stepper;
    stepper.draw = &draw;
    device.stepper = &stepper;
    experiment.backend = &device;
    gathered = reduced = 0;
    broken = false;
    return experiment;
}

/* --- tests ----------------------------------------------------------------------------------- */

static const struct {
    const char *model, *size, *init, *settings;
} models[] = {
    {"anneal", "130x70", NULL, NULL},
    {"life3d", "60x50x20", NULL, NULL},
    {"cloud", "60x50x20", NULL, "p_ext=0.1"},
    {"fhp", "130x70", NULL, "geometry=cylinder p_force=0.2"},
    {"water", "130x70", "hills", NULL},
};

START_TEST(same_pictures)
{
    struct ca_experiment reference = kernel_experiment(
        models[_i].model, "reference", models[_i].size, models[_i].init, 7, models[_i].settings);
    struct ca_experiment other = on_device(&reference);

    view_check_same(&reference, &other);
    ck_assert_int_gt(gathered, 0);
    if (reference.model->type == CA_U8)
        ck_assert_int_gt(reduced, 0);
    else
        ck_assert_int_eq(reduced, 0);
}
END_TEST

/* The tables of sums have room for every state, and looks are among them. */
START_TEST(codes)
{
    for (int m = 0; ca_models[m]; m++) {
        int states = 0;

        while (ca_draw_of(ca_models[m])->states[states].name)
            states++;
        ck_assert_int_le(states, CA_CODES_MAX);
        for (int v = 0; ca_models[m]->type == CA_U8 && v <= ca_models[m]->max_value; v++) {
            const uint8_t cell[CA_PLANES_MAX] = {(uint8_t)v, (uint8_t)v, (uint8_t)v, (uint8_t)v};
            const void *const planes[CA_PLANES_MAX] = {&cell[0], &cell[1], &cell[2], &cell[3]};
            struct ca_appearance look;

            ca_draw_of(ca_models[m])->cell(ca_models[m], planes, 0, 0, 1, &look);
            ck_assert_int_lt(look.code, states);
        }
    }
}
END_TEST

/* A block that the device gathers is the one that is picked from its rows. */
START_TEST(same_blocks)
{
    static const struct {
        struct ca_place at;
        struct ca_size size;
    } blocks[] = {{{1, 2, 3}, {3, 5, 4}},
                  {{9, 0, 0}, {1, 1, 1}},
                  {{0, 8, 6}, {10, 1, 1}},
                  {{4, 3, 2}, {2, 6, 5}}};
    struct ca_experiment reference =
        kernel_experiment("cloud", "reference", "10x9x7", NULL, 7, NULL);
    struct ca_experiment other = on_device(&reference);
    struct ca_simulation *simulation[2];
    struct ca_error error;

    ck_assert_ok(ca_simulation_open(&simulation[0], &reference, &error));
    ck_assert_ok(ca_simulation_open(&simulation[1], &other, &error));
    for (size_t b = 0; b < COUNT(blocks); b++) {
        struct ca_lattice cells[2];

        for (int i = 0; i < 2; i++)
            ck_assert_ok(ca_engine_read_block(simulation[i], blocks[b].at, blocks[b].size,
                                              &cells[i], &error));
        ck_assert_int_eq(gathered, (int)b + 1);
        for (int p = 0; p < cells[0].planes; p++)
            ck_assert_mem_eq(cells[0].plane[p], cells[1].plane[p],
                             (size_t)ca_cells(blocks[b].size));
        for (int i = 0; i < 2; i++)
            ca_lattice_free(&cells[i]);
    }
    broken = true;
    ck_assert_int_eq(ca_engine_read_block(simulation[1], blocks[0].at, blocks[0].size,
                                          &(struct ca_lattice){.planes = 0}, &error),
                     CA_CUDA_FAILED);
    for (int i = 0; i < 2; i++)
        ca_simulation_close(simulation[i]);
}
END_TEST

static const struct {
    struct ca_view view; /* axis, reduce, drawn, slice, x, y, zoom, columns, lines */
    int gathered, reduced;
} uses[] = {
    {{CA_XY, CA_MEAN, CA_STATE, 0, 0, 0, 1, 40, 20}, 1, 0},   /* a cell a character */
    {{CA_XY, CA_MEAN, CA_STATE, 0, 0, 0, 5, 20, 10}, 1, 0},   /* 25 bytes are less than a sum */
    {{CA_XY, CA_MEAN, CA_STATE, 0, 0, 0, 6, 20, 10}, 0, 1},   /* 36 are more */
    {{CA_XY, CA_SAMPLE, CA_STATE, 0, 0, 0, 6, 20, 10}, 1, 0}, /* one of them is looked at */
    {{CA_XY, CA_ANY, CA_DENSITY, 0, 0, 0, 6, 20, 10}, 0, 1},
    {{CA_XY, CA_ANY, CA_CHANGE, 0, 0, 0, 6, 20, 10}, 1, 0},
    {{CA_XY, CA_ANY, CA_STATE, 0, 1000, 0, 6, 20, 10}, 0, 0}, /* nothing in sight */
    {{CA_XY, CA_ANY, CA_STATE, 0, 0, 1000, 1, 20, 10}, 0, 0},
};

START_TEST(which_is_used)
{
    struct ca_experiment reference =
        kernel_experiment("anneal", "reference", "130x70", NULL, 1, NULL);
    struct ca_experiment experiment = on_device(&reference);
    struct ca_viewer *viewer = ca_viewer_new();
    struct ca_simulation *simulation;
    const struct ca_frame *frame;
    struct ca_error error;

    ck_assert_ok(ca_simulation_open(&simulation, &experiment, &error));
    ck_assert_ok(ca_viewer_draw(viewer, simulation, &uses[_i].view, &frame, &error));
    ck_assert_int_eq(gathered, uses[_i].gathered);
    ck_assert_int_eq(reduced, uses[_i].reduced);
    broken = true;
    ck_assert_int_eq(ca_viewer_draw(viewer, simulation, &uses[_i].view, &frame, &error),
                     uses[_i].gathered + uses[_i].reduced > 0 ? CA_CUDA_FAILED : CA_OK);
    ca_viewer_free(viewer);
    ca_simulation_close(simulation);
}
END_TEST

static unsigned drawn(unsigned below)
{
    static uint64_t draws;
    uint64_t u = (test_seed() + ++draws) * UINT64_C(0x9E3779B97F4A7C15);

    return (unsigned)((u ^ u >> 29) * UINT64_C(0xBF58476D1CE4E5B9) >> 33) % below;
}

/* Cells of few values are counted; the sum is that of looking at each. */
START_TEST(counts_and_cells_sum_alike)
{
    enum { WIDTH = 37, HEIGHT = 16 };
    static const int across[] = {0, 16, 17, 17, 37}, down[] = {0, 1, 16};
    static uint8_t plane[3][WIDTH * HEIGHT];
    const uint8_t *const planes[] = {plane[0], plane[1], plane[2]};
    const struct ca_view_bins bins = {
        .across = across, .down = down, .columns = 4, .lines = 2, .width = WIDTH};
    struct ca_appearances appearances = {
        .planes = _i, .radix = 2, .codes = 5, .solid = {[3] = true}};

    for (int i = 0; i < 3 * WIDTH * HEIGHT; i++)
        plane[i % 3][i / 3] = (uint8_t)(drawn(2));
    for (int v = 0; v < 1 << _i; v++)
        appearances.table[v] = (struct ca_appearance){.code = (uint8_t)(drawn(5)),
                                                      .level = (float)(drawn(9)) / 8,
                                                      .vx = (int8_t)((int)drawn(5) - 2),
                                                      .vy = (int8_t)((int)drawn(3) - 1)};
    for (int i = 0; i < bins.columns * bins.lines; i++) {
        struct ca_bin_sum sum = ca_bin_sum_of(&bins, &appearances, planes, i), cells = {0};
        int counts[CA_CODES_MAX], c = i % bins.columns, l = i / bins.columns;

        ca_bin_counts_begin(counts, appearances.codes);
        for (int y = down[l]; y < down[l + 1]; y++)
            for (int x = across[c]; x < across[c + 1]; x++) {
                struct ca_appearance one = ca_appearance_of(&appearances, planes, y * WIDTH + x);

                ca_bin_sum_add(&cells, counts, appearances.solid, &one, 1);
            }
        ca_bin_sum_end(&cells, counts, appearances.codes);
        ck_assert_double_eq(sum.level, cells.level);
        ck_assert_int_eq(sum.vx, cells.vx);
        ck_assert_int_eq(sum.vy, cells.vy);
        ck_assert_int_eq(sum.solid, cells.solid);
        ck_assert_float_eq(sum.brightest, cells.brightest);
        ck_assert_int_eq(sum.top, cells.top);
        ck_assert_int_eq(sum.top_solid, cells.top_solid);
        ck_assert_int_eq(sum.frequent, cells.frequent);
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {same_blocks, codes},
                     .table = {{same_pictures, COUNT(models)},
                               {counts_and_cells_sum_alike, 4, .first = 1},
                               {which_is_used, COUNT(uses)}});
}
