/* SPDX-License-Identifier: MIT */
/* Owns the checks of backends against reference that the tests of all models share. */
#include "tests/support/support_kernels.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/survey.h"
#include "core/sim/simulation.h"
#include "tests/support/support.h"

static struct ca_error error;

#define POISON 0xa5
#define MANY_ROWS 300 /* each of them by itself takes long */

#define must(call)                                                                                 \
    do {                                                                                           \
        struct ca_error must_error;                                                                \
        enum ca_status must_status = (call);                                                       \
        ck_assert_msg(must_status == CA_OK, "%s: %s: %s", #call, ca_status_name(must_status),      \
                      must_error.text);                                                            \
    } while (0)

struct ca_experiment kernel_experiment(const char *model_name, const char *backend_name,
                                       const char *size, const char *init, uint64_t seed,
                                       const char *settings)
{
    struct ca_experiment experiment;
    const struct ca_model *model;
    const struct ca_backend *backend;
    char *text = strdup(settings ? settings : ""), *rest = text, *item;

    must(ca_model_find(&model, model_name, &must_error));
    must(ca_backend_find(&backend, model, backend_name, &must_error));
    ca_experiment_default(&experiment, model);
    ca_experiment_backend(&experiment, backend, CA_FROM_COMMAND_LINE);
    must(ca_size_parse(&experiment.size, size, model->dimensions, "size", &must_error));
    experiment.origin[CA_KEY_SIZE] = experiment.origin[CA_KEY_SEED] = CA_FROM_COMMAND_LINE;
    experiment.seed = seed;
    if (init) {
        snprintf(experiment.init, sizeof experiment.init, "%s", init);
        experiment.origin[CA_KEY_INIT] = CA_FROM_COMMAND_LINE;
    }
    while ((item = strsep(&rest, " ")) != NULL) {
        char *value = strchr(item, '=');

        if (!value)
            continue;
        *value++ = '\0';
        if ((strcmp(item, "threads") == 0 || strcmp(item, "generations") == 0) &&
            ca_values_find(&experiment.options, item) < 0)
            continue;
        must(ca_experiment_value(&experiment, item, value, CA_FROM_COMMAND_LINE, "test",
                                 &must_error));
    }
    free(text);
    return experiment;
}

static int64_t layers(const struct ca_experiment *experiment)
{
    return ca_layers(experiment->model, experiment->size);
}

void kernel_open_slab(struct kernel *kernel, const struct ca_experiment *experiment,
                      struct ca_slab slab)
{
    *kernel = (struct kernel){.backend = experiment->backend, .setup = ca_setup_of(experiment)};
    kernel->setup.slab = slab;
    must(kernel->backend->stepper->create(&kernel->self, &kernel->setup, &must_error));
}

void kernel_open(struct kernel *kernel, const struct ca_experiment *experiment)
{
    kernel_open_slab(kernel, experiment, (struct ca_slab){0, layers(experiment), 0, 0});
}

void kernel_close(struct kernel *kernel)
{
    kernel->backend->stepper->destroy(kernel->self);
    kernel->self = NULL;
}

void kernel_load(struct kernel *kernel, const struct ca_lattice *lattice)
{
    void *planes[CA_PLANES_MAX];

    ca_lattice_at(lattice, 0, planes);
    must(kernel->backend->stepper->load(kernel->self, (const void *const *)planes, 0,
                                        ca_rows(lattice->size), &must_error));
}

void kernel_step(struct kernel *kernel, uint64_t n)
{
    must(kernel->backend->stepper->step(kernel->self, kernel->generation, n, &must_error));
    kernel->generation += n;
}

static size_t plane_bytes(const struct ca_lattice *lattice)
{
    return (size_t)ca_cells(lattice->size) * ca_type_bytes(lattice->type);
}

struct ca_lattice kernel_store(struct kernel *kernel)
{
    const struct ca_model *model = kernel->setup.model;
    struct ca_lattice lattice;

    must(ca_lattice_alloc(&lattice, kernel->setup.size, model->type, model->planes, &must_error));
    for (int p = 0; p < lattice.planes; p++)
        memset(lattice.plane[p], POISON, plane_bytes(&lattice));
    must(kernel->backend->stepper->store(kernel->self, lattice.plane, 0, ca_rows(lattice.size),
                                         &must_error));
    return lattice;
}

static void compare_within(const struct ca_experiment *experiment, uint64_t generation,
                           const struct ca_lattice *expected, const struct ca_lattice *got,
                           double tolerance)
{
    struct ca_difference difference =
        ca_lattice_compare_within(expected, got, tolerance, experiment->model->radius);
    char size[64], *command;

    if (difference.count == 0)
        return;
    command = ca_experiment_command(experiment, NULL, generation);
    ck_abort_msg("%s %s %s seed %" PRIu64 " generation %" PRIu64 ": %" PRId64
                 " cells differ, first plane %s (%" PRId64 ", %" PRId64 ", %" PRId64
                 "): expected %g, got %g; repeat: %s",
                 experiment->model->name, experiment->backend->name,
                 ca_size_format(size, experiment->size, experiment->model->dimensions),
                 experiment->seed, generation, difference.count,
                 experiment->model->plane_names[difference.plane], difference.x, difference.y,
                 difference.z, difference.expected, difference.got, command ? command : "?");
}

void kernel_compare(const struct ca_experiment *experiment, uint64_t generation,
                    const struct ca_lattice *expected, const struct ca_lattice *got)
{
    compare_within(experiment, generation, expected, got, 0);
}

void kernel_compare_near(const struct ca_experiment *experiment, uint64_t generation,
                         const struct ca_lattice *expected, const struct ca_lattice *got)
{
    compare_within(experiment, generation, expected, got, experiment->backend->tolerance);
}

static struct ca_experiment by_reference(const struct ca_experiment *experiment)
{
    struct ca_experiment reference = *experiment;

    ca_experiment_backend(&reference, &experiment->model->backends[0], CA_FROM_COMMAND_LINE);
    return reference;
}

/* What a backend must agree with to the last bit in several generations: the reference, or, where
 * it has a tolerance, itself. */
static struct ca_experiment truth_of(const struct ca_experiment *experiment)
{
    return experiment->backend->tolerance > 0 ? *experiment : by_reference(experiment);
}

static void step_and_compare(struct kernel *reference, struct kernel *tested,
                             const struct ca_experiment *experiment, uint64_t n, double tolerance)
{
    struct ca_lattice expected, got;

    kernel_step(reference, n);
    kernel_step(tested, n);
    expected = kernel_store(reference);
    got = kernel_store(tested);
    compare_within(experiment, tested->generation, &expected, &got, tolerance);
    ca_lattice_free(&expected);
    ca_lattice_free(&got);
}

/* A backend with a tolerance: single generations against the reference, each from the same state,
 * and calls against single generations. */
static void check_near(const struct ca_experiment *experiment, const uint64_t calls[])
{
    struct ca_experiment reference_experiment = by_reference(experiment);
    struct kernel reference, tested, single;
    struct ca_lattice state;

    must(ca_initial_state(experiment, &state, &must_error));
    kernel_open(&reference, &reference_experiment);
    kernel_open(&tested, experiment);
    kernel_open(&single, experiment);
    kernel_load(&tested, &state);
    kernel_load(&single, &state);
    for (int i = 0; calls[i] > 0; i++) {
        struct ca_lattice got;

        for (uint64_t n = 0; n < calls[i]; n++) {
            kernel_load(&reference, &state);
            reference.generation = single.generation;
            step_and_compare(&reference, &single, experiment, 1, experiment->backend->tolerance);
            ca_lattice_free(&state);
            state = kernel_store(&single);
        }
        kernel_step(&tested, calls[i]);
        got = kernel_store(&tested);
        kernel_compare(experiment, tested.generation, &state, &got);
        ca_lattice_free(&got);
    }
    kernel_close(&reference);
    kernel_close(&tested);
    kernel_close(&single);
    ca_lattice_free(&state);
}

void kernel_check_same(const struct ca_experiment *experiment, const uint64_t calls[])
{
    struct ca_experiment reference_experiment = by_reference(experiment);
    struct kernel reference, tested;
    struct ca_lattice start;

    if (experiment->backend->tolerance > 0) {
        check_near(experiment, calls);
        return;
    }
    must(ca_initial_state(experiment, &start, &must_error));
    kernel_open(&reference, &reference_experiment);
    kernel_open(&tested, experiment);
    kernel_load(&reference, &start);
    kernel_load(&tested, &start);
    for (int i = 0; calls[i] > 0; i++)
        step_and_compare(&reference, &tested, experiment, calls[i], 0);
    kernel_close(&reference);
    kernel_close(&tested);
    ca_lattice_free(&start);
}

void kernel_check_backends(const char *model, const char *prefix, const char *size, uint64_t seed,
                           const char *settings, const uint64_t calls[])
{
    for (const struct ca_backend *b = test_model(model)->backends + 1; b->name; b++) {
        struct ca_experiment experiment =
            kernel_experiment(model, b->name, size, NULL, seed, settings);

        if (strncmp(b->name, prefix, strlen(prefix)) != 0 ||
            ca_backend_available(b, &error) != CA_OK)
            continue;
        kernel_check_same(&experiment, calls);
        kernel_check_rows(&experiment);
    }
}

const char *const kernel_band_shapes[KERNEL_BAND_SHAPES] = {
    "32x32x6",  "32x32x32", "32x64x3",  "32x8x2",    "31x33x3",  "16x128x3", "16x64x2",
    "10x48x3",  "10x49x2",  "5x96x2",   "2x512x2",   "1x640x2",  "1x1x40",   "33x16x3",
    "40x24x4",  "63x17x3",  "64x64x4",  "64x8x3",    "64x4x3",   "64x65x2",  "65x16x3",
    "65x15x2",  "100x8x3",  "127x31x2", "128x16x3",  "128x9x5",  "129x24x2", "192x8x4",
    "255x33x2", "256x64x3", "500x7x2",  "512x8x2",   "1030x2x2", "24x16x1",  "64x64x1",
    "256x8x1",  "128x40x2", "200x3x9",  "2100x16x1", "3x3x3",    "2x2x2"};

void kernel_check_defined(const struct ca_experiment *experiment, uint64_t t, int steps,
                          kernel_define *define, const void *context)
{
    struct ca_lattice state, next;
    struct kernel kernel;

    must(ca_initial_state(experiment, &state, &must_error));
    must(ca_lattice_alloc(&next, state.size, state.type, state.planes, &must_error));
    kernel_open(&kernel, experiment);
    kernel_load(&kernel, &state);
    kernel.generation = t;
    for (int n = 0; n < steps; n++) {
        struct ca_lattice got, done = state;

        define(&state, &next, experiment->seed, kernel.generation, context);
        kernel_step(&kernel, 1);
        got = kernel_store(&kernel);
        kernel_compare(experiment, kernel.generation, &next, &got);
        ca_lattice_free(&got);
        state = next;
        next = done;
    }
    kernel_close(&kernel);
    ca_lattice_free(&state);
    ca_lattice_free(&next);
}

/* Rows first ... first + rows - 1 equal those of `all`, and the row's width beyond stays poison. */
static void check_piece(struct kernel *kernel, const struct ca_lattice *all, int64_t first,
                        int64_t rows)
{
    size_t row = (size_t)all->size.w * ca_type_bytes(all->type);
    size_t bytes = (size_t)rows * row;
    uint8_t *guarded[CA_PLANES_MAX];
    void *planes[CA_PLANES_MAX], *expected[CA_PLANES_MAX];

    ca_lattice_at(all, first, expected);
    for (int p = 0; p < all->planes; p++) {
        guarded[p] = malloc(bytes + 2 * row);
        ck_assert_ptr_nonnull(guarded[p]);
        memset(guarded[p], POISON, bytes + 2 * row);
        planes[p] = guarded[p] + row;
    }
    must(kernel->backend->stepper->store(kernel->self, planes, first, rows, &must_error));
    for (int p = 0; p < all->planes; p++) {
        ck_assert_msg(memcmp(planes[p], expected[p], bytes) == 0,
                      "rows %" PRId64 " + %" PRId64 " differ from those of the whole", first, rows);
        for (size_t i = 0; i < row; i++) /* an assertion that holds is slow too */
            if (guarded[p][i] != POISON || guarded[p][row + bytes + i] != POISON)
                ck_abort_msg("store of rows %" PRId64 " + %" PRId64 " wrote outside", first, rows);
        free(guarded[p]);
    }
}

static void load_piece(struct kernel *kernel, const struct ca_lattice *from, int64_t first,
                       int64_t rows)
{
    void *planes[CA_PLANES_MAX];

    ca_lattice_at(from, first, planes);
    must(kernel->backend->stepper->load(kernel->self, (const void *const *)planes, first, rows,
                                        &must_error));
}

void kernel_check_rows(const struct ca_experiment *experiment)
{
    int64_t rows = ca_rows(experiment->size);
    struct kernel kernel;
    struct ca_lattice start, all, again;

    must(ca_initial_state(experiment, &start, &must_error));
    kernel_open(&kernel, experiment);
    kernel_load(&kernel, &start);
    kernel_step(&kernel, 1);
    all = kernel_store(&kernel);
    for (int64_t first = 0; first < rows; first++)
        check_piece(&kernel, &all, first, 1);
    check_piece(&kernel, &all, rows / 3, rows - rows / 3);
    /* The same state, loaded over another in pieces from the end, steps to the same next one. */
    kernel_load(&kernel, &start);
    for (int64_t last = rows; last > 0; last -= 1 + last / 4)
        load_piece(&kernel, &all, last - 1 - last / 4, 1 + last / 4);
    again = kernel_store(&kernel);
    kernel_compare(experiment, kernel.generation, &all, &again);
    kernel_close(&kernel);
    ca_lattice_free(&start);
    ca_lattice_free(&all);
    ca_lattice_free(&again);
}

/* Layers of the slab from its `first` on, out of or into the whole lattice. */
static void exchange(struct kernel *kernel, const struct ca_experiment *experiment,
                     struct ca_lattice *whole, int64_t first, int64_t count, bool out)
{
    int64_t all = layers(experiment), rows = ca_rows(experiment->size) / all;

    for (int64_t i = first; i < first + count; i++) {
        int64_t global = ((kernel->setup.slab.origin + i) % all + all) % all;
        void *planes[CA_PLANES_MAX];

        ca_lattice_at(whole, global * rows, planes);
        if (out)
            must(
                kernel->backend->stepper->store(kernel->self, planes, i * rows, rows, &must_error));
        else
            must(kernel->backend->stepper->load(kernel->self, (const void *const *)planes, i * rows,
                                                rows, &must_error));
    }
}

void kernel_check_slabs(const struct ca_experiment *experiment, int64_t ghosts, bool torus,
                        int rounds)
{
    struct ca_experiment reference_experiment = truth_of(experiment);
    int64_t all = layers(experiment), cut = all / 2 & ~INT64_C(1), low = torus ? ghosts : 0;
    const struct ca_slab slabs[2] = {{-low, cut + low + ghosts, low, ghosts},
                                     {cut - ghosts, all - cut + ghosts + low, ghosts, low}};
    const int64_t own_first[2] = {low, ghosts}, own[2] = {cut, all - cut};
    uint64_t steps = (uint64_t)(ghosts / experiment->model->radius);
    struct kernel reference, part[2];
    struct ca_lattice whole, expected;

    must(ca_initial_state(experiment, &whole, &must_error));
    kernel_open(&reference, &reference_experiment);
    kernel_load(&reference, &whole);
    for (int s = 0; s < 2; s++)
        kernel_open_slab(&part[s], experiment, slabs[s]);
    for (int round = 0; round < rounds; round++) {
        kernel_step(&reference, steps);
        for (int s = 0; s < 2; s++) {
            exchange(&part[s], experiment, &whole, 0, slabs[s].extent, false);
            kernel_step(&part[s], steps);
        }
        for (int s = 0; s < 2; s++)
            exchange(&part[s], experiment, &whole, own_first[s], own[s], true);
        expected = kernel_store(&reference);
        kernel_compare(experiment, reference.generation, &expected, &whole);
        ca_lattice_free(&expected);
    }
    kernel_close(&reference);
    kernel_close(&part[0]);
    kernel_close(&part[1]);
    ca_lattice_free(&whole);
}

int kernel_broken(const struct ca_simulation *simulation, const double before[], const double now[])
{
    struct ca_invariants invariants = {.known = false};

    ca_invariants_take(&invariants, simulation, before);
    return ca_invariants_take(&invariants, simulation, now);
}

void kernel_check_case(const char *model, const struct kernel_case *test, const char *init,
                       const uint64_t calls[])
{
    struct ca_experiment experiment =
        kernel_experiment(model, test->backend, test->size, init, test_seed(), test->settings);

    kernel_check_same(&experiment, calls);
    if (ca_rows(experiment.size) <= MANY_ROWS)
        kernel_check_rows(&experiment);
}

void kernel_check_where(const char *name, const char *value, const char *model, const char *backend,
                        const char *const cases[][2], size_t count, const uint64_t calls[])
{
    setenv(name, value, 1);
    for (size_t i = 0; i < count; i++) {
        struct ca_experiment experiment =
            kernel_experiment(model, backend, cases[i][0], NULL, test_seed(), cases[i][1]);

        kernel_check_same(&experiment, calls);
    }
}

/* --- starts and surveys ---------------------------------------------------------------------- */

/* The row of the whole lattice that is row `row` of the slab. */
static int64_t global_row(const struct kernel *kernel, int64_t row)
{
    int64_t rows = ca_rows(kernel->setup.size);
    int64_t first =
        kernel->setup.slab.origin * (rows / ca_layers(kernel->setup.model, kernel->setup.size));

    return ((first + row) % rows + rows) % rows;
}

/* The survey of rows of the kernel against that of the same rows of `whole`. Sums of floats may
 * differ by their rounding. */
static void check_survey(struct kernel *kernel, const struct ca_lattice *whole, unsigned parts,
                         int64_t first, int64_t rows)
{
    const struct ca_setup *setup = &kernel->setup;
    struct ca_survey expected = ca_survey_none(), got = ca_survey_none();
    double magnitude[CA_OBSERVABLES_MAX] = {0};

    for (int64_t r = first; r < first + rows; r++) {
        struct ca_survey row = ca_survey_none();
        void *planes[CA_PLANES_MAX];

        ca_lattice_at(whole, global_row(kernel, r), planes);
        ca_survey_rows(setup, parts, (const void *const *)planes, global_row(kernel, r), 1, &row);
        ca_survey_add(&expected, &row);
        for (int i = 0; i < CA_OBSERVABLES_MAX; i++)
            magnitude[i] += fabs(row.sums[i]);
    }
    must(kernel->backend->stepper->observe->survey(kernel->self, parts, first, rows, &got,
                                                   &must_error));
    ck_assert_msg(got.digest == expected.digest,
                  "%s: digest of rows %" PRId64 " + %" PRId64 " is %016" PRIx64 ", not %016" PRIx64,
                  kernel->backend->name, first, rows, got.digest, expected.digest);
    for (int i = 0; i < CA_BIT_PLANES_MAX; i++)
        ck_assert_msg(got.ones[i] == expected.ones[i],
                      "%s: rows %" PRId64 " + %" PRId64 " have %" PRId64 " ones in bit plane %d, "
                      "not %" PRId64,
                      kernel->backend->name, first, rows, got.ones[i], i, expected.ones[i]);
    ck_assert_mem_eq(got.on_obstacle, expected.on_obstacle, sizeof got.on_obstacle);
    for (int i = 0; i < CA_OBSERVABLES_MAX; i++)
        ck_assert_msg(fabs(got.sums[i] - expected.sums[i]) <= 1e-12 * magnitude[i],
                      "%s: observable %d of rows %" PRId64 " + %" PRId64 " is %.17g, not %.17g",
                      kernel->backend->name, i, first, rows, got.sums[i], expected.sums[i]);
    ck_assert_msg(got.low == expected.low && got.high == expected.high,
                  "%s: rows %" PRId64 " + %" PRId64 " range from %g to %g, not %g to %g",
                  kernel->backend->name, first, rows, (double)got.low, (double)got.high,
                  (double)expected.low, (double)expected.high);
}

/* Each part by itself, and all at once; ranges at the ends and in the middle. */
static void check_surveys(struct kernel *kernel, const struct ca_lattice *whole, int64_t rows)
{
    for (unsigned parts = 1; parts < 8; parts += parts == 4 ? 3 : parts)
        check_survey(kernel, whole, parts, 0, rows);
    check_survey(kernel, whole, CA_SURVEY_DIGEST | CA_SURVEY_OBSERVABLES, rows - 1, 1);
    check_survey(kernel, whole, CA_SURVEY_DIGEST | CA_SURVEY_OBSERVABLES, rows / 3, (rows + 1) / 2);
}

static void make_start(struct kernel *kernel)
{
    bool made = false;

    must(kernel->backend->stepper->init(kernel->self, &made, &must_error));
    ck_assert_msg(made, "%s leaves its start to the host", kernel->backend->name);
    kernel->generation = 0;
}

/* Of two slabs that are open at the cut and, on a torus, at the lattice's own ends. */
static void check_slab_starts(const struct ca_experiment *experiment,
                              const struct ca_lattice *start)
{
    struct ca_setup setup = ca_setup_of(experiment);
    int64_t all = layers(experiment), cut = all / 2 & ~INT64_C(1), ghosts = 2;
    int64_t rows = ca_rows(experiment->size) / all;
    bool torus = ca_is_torus(&setup);
    int64_t low = torus ? ghosts : 0;
    const struct ca_slab slabs[2] = {{-low, low + cut + ghosts, low, ghosts},
                                     {cut - ghosts, ghosts + all - cut + low, ghosts, low}};

    for (int s = 0; s < 2 && cut >= ghosts; s++) {
        struct ca_lattice got = *start;
        struct kernel kernel;

        kernel_open_slab(&kernel, experiment, slabs[s]);
        make_start(&kernel);
        must(ca_lattice_alloc(&got, start->size, start->type, start->planes, &must_error));
        for (int p = 0; p < start->planes; p++)
            memcpy(got.plane[p], start->plane[p], plane_bytes(start));
        for (int64_t i = 0; i < slabs[s].extent; i++) {
            int64_t row = global_row(&kernel, i * rows);
            void *planes[CA_PLANES_MAX];

            ca_lattice_at(&got, row, planes);
            for (int p = 0; p < got.planes; p++)
                memset(planes[p], POISON, (size_t)(rows * got.size.w) * ca_type_bytes(got.type));
            must(kernel.backend->stepper->store(kernel.self, planes, i * rows, rows, &must_error));
        }
        kernel_compare(experiment, 0, start, &got);
        check_surveys(&kernel, start, slabs[s].extent * rows);
        kernel_close(&kernel);
        ca_lattice_free(&got);
    }
}

/* A start, the steps from it, and another start over them. */
static void check_start(const struct ca_experiment *experiment)
{
    struct ca_experiment reference_experiment = truth_of(experiment);
    struct kernel reference, tested;
    struct ca_lattice start, expected, got;

    must(ca_initial_state(experiment, &start, &must_error));
    kernel_open(&reference, &reference_experiment);
    kernel_load(&reference, &start);
    kernel_step(&reference, 2);
    expected = kernel_store(&reference);
    kernel_open(&tested, experiment);
    for (int again = 0; again < 2; again++) {
        make_start(&tested);
        got = kernel_store(&tested);
        kernel_compare(experiment, 0, &start, &got);
        ca_lattice_free(&got);
        check_surveys(&tested, &start, ca_rows(start.size));
        kernel_step(&tested, 2);
        got = kernel_store(&tested);
        kernel_compare(experiment, 2, &expected, &got);
        ca_lattice_free(&got);
        check_surveys(&tested, &expected, ca_rows(start.size));
    }
    kernel_close(&reference);
    kernel_close(&tested);
    check_slab_starts(experiment, &start);
    ca_lattice_free(&start);
    ca_lattice_free(&expected);
}

void kernel_check_starts(const char *model_name, const char *size, const char *init,
                         const char *settings)
{
    const struct ca_model *model = test_model(model_name);
    int held = 0;

    for (const struct ca_backend *b = model->backends; b->name; b++) {
        struct ca_experiment experiment;
        struct ca_setup setup;
        struct ca_plan plan;

        if (b->device != CA_CUDA)
            continue;
        experiment = kernel_experiment(model_name, b->name, size, init, test_seed(), settings);
        setup = ca_setup_of(&experiment);
        if (b->stepper->plan(&setup, &plan, &error) == CA_USAGE)
            continue;
        check_start(&experiment);
        held++;
    }
    ck_assert_int_gt(held, 1);
}
