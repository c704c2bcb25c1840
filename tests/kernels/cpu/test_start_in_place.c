/* SPDX-License-Identifier: MIT */
/*
 * Starts and surveys where a CPU backend keeps its cells: the same state as the model's own init
 * makes, and the same survey as of the rows that the backend stores, under each mask of the CPU.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/random.h"
#include "core/model/registry.h"
#include "core/model/survey.h"
#include "kernels/cpu/random_words.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

#define ALL (CA_SURVEY_DIGEST | CA_SURVEY_OBSERVABLES | CA_SURVEY_RANGE)

#define must(call)                                                                                 \
    do {                                                                                           \
        struct ca_error must_error;                                                                \
        ck_assert_msg((call) == CA_OK, "%s: %s", #call, must_error.text);                          \
    } while (0)

/* A start of a model, some of them in the large sizes too, in which threads share the rows. */
static const struct start {
    const char *model, *init, *settings;
    bool large;
} starts[] = {
    {"anneal", "random", "density=0"},
    {"anneal", "random", "density=0.3", true},
    {"anneal", "random", "density=1"},
    {"anneal", "crand", "density=0.3"},
    {"life3d", "random", "density=0"},
    {"life3d", "random", "density=0.3", true},
    {"life3d", "random", "density=1 boundary=dead"},
    {"cloud", "random", "hum0=0.3 act0=0"},
    {"cloud", "random", "hum0=1 act0=0.3", true},
    {"fhp", "random", "density=0 geometry=none"},
    {"fhp", "random", "density=0.3 geometry=none collisions=fhp1"},
    {"fhp", "random", "density=0.3 geometry=channel"},
    {"fhp", "random", "density=1 geometry=cylinder", true},
    {"fhp", "shear", "density=0.3 geometry=none"},
    {"fhp", "sound", "density=0.3 geometry=none"},
    {"water", "hills", "relief=100", true},
    {"water", "hills", "relief=-30 rain=0 spring=-0.5"},
    {"water", "dam", ""},
};
#define STARTS ((int)COUNT(starts))

static const char *const flat[] = {"1x6",   "63x2",   "64x4",   "65x30",    "127x10",
                                   "128x6", "129x14", "200x28", "1025x258", NULL};
static const char *const deep[] = {"1x5x3",   "20x9x4",   "31x16x2", "63x2x3",
                                   "64x8x3",  "65x17x2",  "127x3x4", "128x16x2",
                                   "129x5x5", "200x33x3", NULL};
static const char *const large_flat[] = {"2300x1000", NULL};
static const char *const large_deep[] = {"30x80000x1", "30x270x300", "130x130x130", NULL};

/* One for each width of a word, the widest last. */
static const char *const masks[] = {"baseline", "avx2", "avx512"};
#define MASKS ((int)COUNT(masks))

static bool runs_here(const struct ca_backend *backend)
{
    struct ca_error error;

    return backend->device == CA_CPU && ca_backend_available(backend, &error) == CA_OK;
}

/* --- surveys ---------------------------------------------------------------------------------- */

/* Of stored rows of the slab, each with its place in the whole lattice. */
static struct ca_survey survey_of(const struct ca_setup *setup, const struct ca_lattice *stored,
                                  int64_t first, int64_t rows)
{
    struct ca_survey survey = ca_survey_none();
    int64_t all = ca_rows(setup->size), layer = all / ca_layers(setup->model, setup->size);
    void *planes[CA_PLANES_MAX];

    for (int64_t r = first; r < first + rows; r++) {
        ca_lattice_at(stored, r, planes);
        ca_survey_rows(setup, ALL, (const void *const *)planes,
                       ((setup->slab.origin * layer + r) % all + all) % all, 1, &survey);
    }
    return survey;
}

static void check_survey(struct kernel *kernel, const struct ca_lattice *stored, int64_t first,
                         int64_t rows, struct ca_survey *total)
{
    struct ca_survey expected = survey_of(&kernel->setup, stored, first, rows);
    struct ca_survey got = ca_survey_none();

    must(kernel->backend->stepper->observe->survey(kernel->self, ALL, first, rows, &got,
                                                   &must_error));
    must_hold(memcmp(&expected, &got, sizeof got) == 0,
              "%s %s: rows %" PRId64 " + %" PRId64 ": digest %016" PRIx64 ", expected %016" PRIx64,
              kernel->setup.model->name, kernel->backend->name, first, rows, got.digest,
              expected.digest);
    ca_survey_add(total, &got);
}

/* The survey of the whole, and those of ranges of rows, which add up to it. */
static void check_surveys(struct kernel *kernel)
{
    struct ca_setup *setup = &kernel->setup;
    struct ca_size size = setup->size;
    struct ca_survey whole = ca_survey_none(), parts = ca_survey_none();
    struct ca_lattice stored;
    int64_t rows, cut;

    *(setup->model->dimensions == 3 ? &size.d : &size.h) = setup->slab.extent;
    rows = ca_rows(size);
    cut = rows / 3;
    must(ca_lattice_alloc(&stored, size, setup->model->type, setup->model->planes, &must_error));
    must(kernel->backend->stepper->store(kernel->self, stored.plane, 0, rows, &must_error));
    check_survey(kernel, &stored, 0, rows, &whole);
    check_survey(kernel, &stored, 0, cut, &parts);
    check_survey(kernel, &stored, cut, 1, &parts);
    check_survey(kernel, &stored, cut + 1, rows - cut - 1, &parts);
    ck_assert_uint_eq(whole.digest, parts.digest);
    ck_assert_mem_eq(whole.ones, parts.ones, sizeof whole.ones);
    for (int i = 0; i < CA_OBSERVABLES_MAX; i++)
        ck_assert_double_le(fabs(whole.sums[i] - parts.sums[i]), 1e-9 * fabs(whole.sums[i]));
    ck_assert(whole.low == parts.low && whole.high == parts.high);
    ca_lattice_free(&stored);
}

/* --- starts ----------------------------------------------------------------------------------- */

static void make_in_place(struct kernel *kernel, bool expected)
{
    bool made = !expected;

    must(kernel->backend->stepper->init(kernel->self, &made, &must_error));
    ck_assert_msg(made == expected, "%s: made %d", kernel->backend->name, made);
    kernel->generation = 0;
}

/* Whether words of bits leave a start to the host. */
static bool host_makes(const char *init)
{
    static const char *const starts_of_host[] = {"crand", "shear", "sound"};

    for (size_t i = 0; i < COUNT(starts_of_host); i++)
        if (strcmp(init, starts_of_host[i]) == 0)
            return true;
    return false;
}

static void check_start(const struct ca_experiment *experiment)
{
    struct kernel kernel, loaded;
    struct ca_lattice expected, got, later;
    bool words = experiment->backend->ops && strncmp(experiment->backend->name, "bitslice", 8) == 0;
    bool made = !words || !host_makes(experiment->init);

    must(ca_initial_state(experiment, &expected, &must_error));
    kernel_open(&kernel, experiment);
    kernel_open(&loaded, experiment);
    kernel_load(&loaded, &expected);
    kernel_step(&loaded, 3);
    later = kernel_store(&loaded);
    for (int i = 0; i < 2; i++) { /* the second time over what was there */
        make_in_place(&kernel, made);
        if (!made)
            break;
        got = kernel_store(&kernel);
        kernel_compare(experiment, 0, &expected, &got);
        ca_lattice_free(&got);
        check_surveys(&kernel);
        kernel_step(&kernel, 3);
        got = kernel_store(&kernel);
        kernel_compare(experiment, 3, &later, &got);
        ca_lattice_free(&got);
    }
    check_surveys(&loaded);
    kernel_close(&kernel);
    kernel_close(&loaded);
    ca_lattice_free(&expected);
    ca_lattice_free(&later);
}

static void check_sizes(const struct start *start, const char *const sizes[])
{
    for (const struct ca_backend *b = test_model(start->model)->backends; b->name; b++)
        for (int i = 0; runs_here(b) && sizes[i]; i++) {
            uint64_t seed = test_seed() + (uint64_t)i * UINT64_C(0x987654321);
            struct ca_experiment experiment = kernel_experiment(start->model, b->name, sizes[i],
                                                                start->init, seed, start->settings);

            check_start(&experiment);
        }
}

START_TEST(as_the_model_makes_it)
{
    const struct start *start = &starts[_i % STARTS];
    bool is_flat = test_model(start->model)->dimensions == 2;

    setenv("CALAB_CPU", masks[_i / STARTS], 1);
    check_sizes(start, is_flat ? flat : deep);
    /* Under a sanitizer a large lattice takes ten times as long: with this machine's own vectors.
     */
    if (start->large && (!SANITIZED || _i / STARTS == MASKS - 1))
        check_sizes(start, is_flat ? large_flat : large_deep);
}
END_TEST

/* Slabs with and without ghosts, which may lie around the lattice's end, draw what is their part of
 * the whole; the byte stepper leaves them to the host. */
static const struct ca_slab slabs[] = {{0, 4, 0, 1}, {2, 6, 1, 1}, {-2, 8, 2, 2}, {8, 8, 2, 2}};

START_TEST(slabs_are_parts_of_the_whole)
{
    const struct start *start = &starts[_i];
    const struct ca_model *model = test_model(start->model);
    const char *size = model->dimensions == 3 ? "70x5x12" : "131x12";

    for (const struct ca_backend *b = model->backends; b->name; b++)
        for (int s = 0; runs_here(b) && s < (int)COUNT(slabs); s++) {
            struct ca_experiment experiment = kernel_experiment(
                start->model, b->name, size, start->init, test_seed(), start->settings);
            int64_t layer = ca_rows(experiment.size) / 12;
            struct ca_lattice whole;
            struct kernel kernel;
            bool made;

            must(ca_initial_state(&experiment, &whole, &must_error));
            kernel_open_slab(&kernel, &experiment, slabs[s]);
            must(b->stepper->init(kernel.self, &made, &must_error));
            for (int64_t i = 0; i < slabs[s].extent * layer; i++) {
                int64_t row = (slabs[s].origin * layer + i + 12 * layer) % (12 * layer);
                struct ca_lattice one;
                void *planes[CA_PLANES_MAX];

                ca_lattice_at(&whole, row, planes);
                if (!made)
                    must(b->stepper->load(kernel.self, (const void *const *)planes, i, 1,
                                          &must_error));
                must(ca_lattice_alloc(&one, (struct ca_size){whole.size.w, 1, 1}, model->type,
                                      model->planes, &must_error));
                must(b->stepper->store(kernel.self, one.plane, i, 1, &must_error));
                for (int p = 0; p < model->planes; p++)
                    must_hold(memcmp(one.plane[p], planes[p],
                                     (size_t)whole.size.w * ca_type_bytes(model->type)) == 0,
                              "%s %s slab %d row %" PRId64, model->name, b->name, s, i);
                ca_lattice_free(&one);
            }
            check_surveys(&kernel);
            kernel_close(&kernel);
            ca_lattice_free(&whole);
        }
}
END_TEST

/* --- random words ----------------------------------------------------------------------------- */

START_TEST(words_are_drawn_as_written)
{
    static const uint64_t below[] = {0,          1,          0x7fffffff, 0x80000000,
                                     0x80000001, 0x4ccccccc, 0xffffffff, UINT64_C(1) << 32};
    struct random_cells cells = {.seed = test_seed() * UINT64_C(0x123456789),
                                 .below = below[_i % 8],
                                 .y = 0xfedcba98,
                                 .z = 0x123456,
                                 .stream = 7};
    const int64_t first = INT64_C(0x1fffff0);
    uint64_t words[33] = {0};

    setenv("CALAB_CPU", masks[_i / 8], 1);
    random_words()(&cells, first, 32, words);
    for (int64_t x = 0; x < 64 * 32; x++) {
        bool set = ca_uniform(cells.seed, (uint64_t)(64 * first + x), cells.y, cells.z, 0, 7) <
                   cells.below;

        must_hold((words[x / 64] >> x % 64 & 1) == set, "cell %" PRId64 ", below %" PRIx64, x,
                  cells.below);
    }
    ck_assert_uint_eq(words[32], 0);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.timeout_s = 300, .table = {{as_the_model_makes_it, MASKS * STARTS},
                                                 {slabs_are_parts_of_the_whole, STARTS},
                                                 {words_are_drawn_as_written, MASKS * 8}});
}
