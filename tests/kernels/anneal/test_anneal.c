/* SPDX-License-Identifier: MIT */
/* The model anneal: its rule, its starts, results of other programs, and each backend's ladder. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "core/base/crand.h"
#include "core/base/random.h"
#include "core/model/registry.h"
#include "kernels/anneal/bitslice.h"
#include "kernels/anneal/rule.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

static struct ca_error error;

/* Those that can run here; CALAB_CPU=baseline or avx2 tries fewer. */
static const char *backends[16];
static int backend_count;

static void find_backends(void)
{
    for (const struct ca_backend *b = anneal_model.backends; b->name; b++)
        if (ca_backend_available(b, &error) == CA_OK)
            backends[backend_count++] = b->name;
}

static int64_t live(const struct ca_lattice *lattice)
{
    const uint8_t *cells = lattice->plane[0];
    int64_t count = 0;

    for (int64_t i = 0; i < ca_cells(lattice->size); i++)
        count += cells[i];
    return count;
}

/* The table of the rule as the model's description has it. */
START_TEST(the_rule)
{
    static const int expected[10] = {0, 0, 0, 0, 1, 0, 1, 1, 1, 1};

    for (int b = 0; b <= 9; b++)
        ck_assert_int_eq(anneal_rule(b), expected[b]);
}
END_TEST

/* Lane j of word k holds neighbourhood 64 k + j of the 512. */
START_TEST(bitslice_logic_is_the_rule)
{
    for (int k = 0; k < 8; k++) {
        word cell[9] = {0}, got;
        struct bit_sum row[3], l, h;

        for (int j = 0; j < 64; j++)
            for (int i = 0; i < 9; i++)
                cell[i] |= (word)((64 * k + j) >> i & 1) << j;
        for (int r = 0; r < 3; r++)
            row[r] = word_full_add(cell[3 * r], cell[3 * r + 1], cell[3 * r + 2]);
        l = word_full_add(row[0].low, row[1].low, row[2].low);
        h = word_full_add(row[0].high, row[1].high, row[2].high);
        got = moore_vote(l, h);
        for (int j = 0; j < 64; j++)
            ck_assert_msg((int)(got >> j & 1) == anneal_rule(__builtin_popcount(64U * k + j)),
                          "neighbourhood %d", 64 * k + j);
        l = moore_add_above(moore_pair(row[0].low, row[1].low), row[2].low);
        h = moore_add_below(moore_pair(row[0].high, row[1].high), row[2].high);
        ck_assert_uint_eq(moore_vote(l, h), got);
        ck_assert_uint_eq(anneal_two_rule(anneal_two(row[0], row[1]), row[2]), got);
    }
}
END_TEST

/* All 512 neighbourhoods side by side in one lattice, stepped by each backend. */
START_TEST(all_neighbourhoods)
{
    struct ca_experiment experiment =
        kernel_experiment("anneal", backends[_i], "1536x5", NULL, 1, "threads=2");
    struct kernel kernel;
    struct ca_lattice lattice;
    uint8_t *cells;

    ck_assert_ok(ca_lattice_alloc(&lattice, experiment.size, CA_U8, 1, &error));
    cells = lattice.plane[0];
    for (int n = 0; n < 512; n++)
        for (int i = 0; i < 9; i++)
            cells[(1 + i / 3) * 1536 + 3 * n + i % 3] = n >> i & 1;
    kernel_open(&kernel, &experiment);
    kernel_load(&kernel, &lattice);
    ca_lattice_free(&lattice);
    kernel_step(&kernel, 1);
    lattice = kernel_store(&kernel);
    cells = lattice.plane[0];
    for (int n = 0; n < 512; n++)
        ck_assert_msg(cells[2 * 1536 + 3 * n + 1] == anneal_rule(__builtin_popcount((unsigned)n)),
                      "%s: neighbourhood %d", backends[_i], n);
    kernel_close(&kernel);
    ca_lattice_free(&lattice);
}
END_TEST

/* The sha256 of the cells, by the program of that name. */
static void sha256(const struct ca_lattice *lattice, char hex[65])
{
    const char *path = test_path("cells");
    FILE *pipe;

    test_write(path, lattice->plane[0], (size_t)ca_cells(lattice->size));
    pipe = popen(test_text("sha256sum %s", path), "r");
    ck_assert_ptr_nonnull(pipe);
    ck_assert_int_eq(fread(hex, 1, 64, pipe), 64);
    hex[64] = '\0';
    pclose(pipe);
}

/* The exercise's own start and result, at several generations. */
START_TEST(golden)
{
    json_t *root = json_load_file(test_source("tests/data/golden.json"), 0, NULL);
    json_t *table = json_object_get(root, "anneal_crand_seed_1234_density_0.5"), *row;
    struct kernel kernel = {0};
    size_t i;
    int64_t width = 0;

    ck_assert_uint_ge(json_array_size(table), 8);
    json_array_foreach(table, i, row)
    {
        int64_t w = json_whole(row, "width");
        uint64_t steps = (uint64_t)json_whole(row, "steps");
        struct ca_lattice lattice;
        char hex[65], size[64];

        if (w != width) { /* rows of a size stand together, by generation */
            struct ca_experiment experiment;

            if (width)
                kernel_close(&kernel);
            width = w;
            snprintf(size, sizeof size, "%" PRId64 "x%" PRId64, w,
                     (int64_t)json_whole(row, "height"));
            experiment =
                kernel_experiment("anneal", backends[_i], size, "crand", 1234, "density=0.5");
            kernel_open(&kernel, &experiment);
            ck_assert_ok(ca_initial_state(&experiment, &lattice, &error));
            kernel_load(&kernel, &lattice);
            ca_lattice_free(&lattice);
        }
        if (steps > kernel.generation)
            kernel_step(&kernel, steps - kernel.generation);
        lattice = kernel_store(&kernel);
        ck_assert_int_eq(live(&lattice), json_whole(row, "live"));
        sha256(&lattice, hex);
        ck_assert_str_eq(hex, json_text(row, "sha256"));
        ca_lattice_free(&lattice);
    }
    kernel_close(&kernel);
    json_decref(root);
}
END_TEST

/* Hashes as calab prints them, of states whose sha256 were checked against the golden ones. */
START_TEST(golden_hashes)
{
    struct ca_experiment experiment =
        kernel_experiment("anneal", "reference", "512x512", "crand", 1234, NULL);
    struct ca_simulation *simulation;
    struct ca_lattice lattice;
    double values[CA_OBSERVABLES_MAX];

    ck_assert_ok(ca_simulation_open(&simulation, &experiment, &error));
    ck_assert_ok(ca_simulation_step(simulation, 64, &error));
    ck_assert_ok(ca_simulation_observe(simulation, values, &error));
    ck_assert(values[0] == 136288);
    ck_assert(values[1] == 29752);
    ck_assert_int_eq(kernel_broken(simulation, values, values), -1);
    ck_assert_ok(ca_simulation_store(simulation, &lattice, &error));
    ck_assert_uint_eq(test_digest(ca_simulation_setup(simulation), &lattice),
                      UINT64_C(0x2f0665c447595838));
    ca_lattice_free(&lattice);
    ca_simulation_close(simulation);
}
END_TEST

/* The seed's low 32 bits seed rand(); what a float makes of the largest draws is not below 1. */
START_TEST(crand_start)
{
    struct ca_experiment low = kernel_experiment("anneal", "reference", "97x31", "crand", 77, NULL);
    struct ca_experiment high = low;
    struct ca_lattice a, b;
    struct ca_crand generator;

    high.seed = UINT64_C(0xabc00000000) + 77;
    ck_assert_ok(ca_initial_state(&low, &a, &error));
    ck_assert_ok(ca_initial_state(&high, &b, &error));
    ck_assert_int_eq(ca_lattice_compare(&a, &b).count, 0);
    ca_crand_seed(&generator, 77);
    for (int64_t i = 0; i < ca_cells(low.size); i++)
        ck_assert_int_eq(((uint8_t *)a.plane[0])[i], ca_crand_next(&generator) < 1 << 30);
    ca_lattice_free(&a);
    ca_lattice_free(&b);
}
END_TEST

static const struct {
    const char *settings;
    double density;
} densities[] = {{"density=0", 0}, {"density=0.3", 0.3}, {"density=1", 1}};

START_TEST(random_start)
{
    struct ca_experiment experiment = kernel_experiment("anneal", "reference", "401x251", NULL,
                                                        test_seed(), densities[_i].settings);
    uint64_t threshold = ca_threshold(densities[_i].density);
    double cells = (double)ca_cells(experiment.size), p = densities[_i].density, far;
    struct ca_lattice lattice;

    ck_assert_ok(ca_initial_state(&experiment, &lattice, &error));
    far = (double)live(&lattice) - p * cells;
    ck_assert_msg(far * far <= 36 * p * (1 - p) * cells, "density %g: %g cells off", p, far);
    ck_assert_int_eq(((uint8_t *)lattice.plane[0])[5 * 401 + 17],
                     ca_uniform(experiment.seed, 17, 5, 0, 0, 0) < threshold);
    ca_lattice_free(&lattice);
}
END_TEST

/* The rule does not tell live from empty: the complement's next state is the complement's. */
START_TEST(complement)
{
    struct ca_experiment experiment =
        kernel_experiment("anneal", backends[_i], "130x33", NULL, test_seed(), "threads=2");
    struct ca_lattice state[2];
    int64_t cells = ca_cells(experiment.size);

    for (int c = 0; c < 2; c++) {
        struct kernel kernel;

        ck_assert_ok(ca_initial_state(&experiment, &state[c], &error));
        for (int64_t i = 0; i < cells; i++)
            ((uint8_t *)state[c].plane[0])[i] ^= c;
        kernel_open(&kernel, &experiment);
        kernel_load(&kernel, &state[c]);
        ca_lattice_free(&state[c]);
        kernel_step(&kernel, 9);
        state[c] = kernel_store(&kernel);
        kernel_close(&kernel);
    }
    for (int64_t i = 0; i < cells; i++)
        ck_assert_int_eq(((uint8_t *)state[0].plane[0])[i] ^ ((uint8_t *)state[1].plane[0])[i], 1);
    ca_lattice_free(&state[0]);
    ca_lattice_free(&state[1]);
}
END_TEST

static const char *const shapes[] = {"1x1",   "1x2",   "2x1",   "2x2",   "3x3",     "63x5",
                                     "64x1",  "65x2",  "127x7", "128x3", "129x9",   "500x3",
                                     "96x64", "1x500", "255x8", "33x33", "20000x5", "16448x4"};
#define SHAPES ((int)(sizeof shapes / sizeof shapes[0]))

/* All densities and team sizes; a team of 7 has more members than most of these have rows. */
START_TEST(same_as_reference)
{
    static const char *const settings[] = {"threads=1 density=0.5", "threads=2 density=0.5",
                                           "threads=3 density=0.5", "threads=7 density=0.5",
                                           "threads=2 density=0",   "threads=3 density=1"};
    static const uint64_t calls[] = {1, 2, 3, 17, 0};

    for (int s = 0; s < 6; s++)
        for (int b = 1; b < backend_count; b++) {
            struct ca_experiment experiment = kernel_experiment(
                "anneal", backends[b], shapes[_i], NULL, test_seed() + (uint64_t)s, settings[s]);

            kernel_check_same(&experiment, calls);
        }
}
END_TEST

START_TEST(rows_in_and_out)
{
    static const char *const sizes[] = {"1x1", "63x9", "64x9", "65x9", "200x21", "512x3"};

    for (int s = 0; s < 6; s++) {
        struct ca_experiment experiment =
            kernel_experiment("anneal", backends[_i], sizes[s], NULL, test_seed(), "threads=2");

        kernel_check_rows(&experiment);
    }
}
END_TEST

START_TEST(slabs)
{
    static const char *const sizes[] = {"96x64", "65x20", "130x17"};

    for (int s = 0; s < 3; s++)
        for (int64_t ghosts = 1; ghosts <= 5; ghosts += 2) {
            struct ca_experiment experiment =
                kernel_experiment("anneal", backends[_i], sizes[s], NULL, test_seed(),
                                  s == 2 ? "threads=3 generations=3" : "threads=3");

            kernel_check_slabs(&experiment, ghosts, true, 3);
        }
}
END_TEST

START_TEST(what_a_cell_looks_like)
{
    static const uint8_t cells[] = {0, 1};
    const void *planes[] = {cells};

    for (int i = 0; i < 2; i++) {
        struct ca_appearance look;

        anneal_model.draw->cell(&anneal_model, planes, i, 0, 0, &look);
        ck_assert_int_eq(look.code, i);
        ck_assert(look.level == (float)i);
    }
    ck_assert_int_eq(anneal_model.draw->states[0].glyph, '.');
    ck_assert_int_eq(anneal_model.draw->states[1].glyph, 'O');
    ck_assert_ptr_null(anneal_model.draw->states[2].name);
}
END_TEST

START_TEST(bad_values)
{
    static const struct {
        const char *key, *text, *part;
    } table[] = {{"density", "1.5", "density"},
                 {"density", "nan", "density"},
                 {"threads", "-1", "1024"},
                 {"threads", "two", "threads"},
                 {"densty", "0.5", "density"}};
    struct ca_experiment experiment = kernel_experiment("anneal", "bitslice", "8x8", NULL, 1, NULL);

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        ck_assert_int_eq(ca_experiment_value(&experiment, table[i].key, table[i].text,
                                             CA_FROM_COMMAND_LINE, "--set", &error),
                         CA_USAGE);
        ck_assert_contains(error.text, "--set", table[i].part);
    }
}
END_TEST

int main(void)
{
    find_backends();
    return RUN_TESTS(.test = {the_rule, bitslice_logic_is_the_rule, what_a_cell_looks_like,
                              crand_start, bad_values, golden_hashes},
                     .table = {{all_neighbourhoods, backend_count},
                               {complement, backend_count},
                               {random_start, 3},
                               {golden, backend_count},
                               {same_as_reference, SHAPES},
                               {rows_in_and_out, backend_count},
                               {slabs, backend_count}});
}
