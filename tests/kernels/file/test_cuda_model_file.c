/* SPDX-License-Identifier: MIT */
/*
 * Models in files on CUDA on the CPU: each backend of theirs beside `reference`, cell for cell,
 * with all kinds of edges, planes and neighbours, as a whole, in slabs and in rows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sim/simulation.h"
#include "kernels/file/file_model.h"
#include "tests/kernels/file/models.h"
#include "tests/support/process.h"
#include "tests/support/program.h"
#include "tests/support/script.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

static struct ca_error error;

static const struct ca_model *opened(const char *text)
{
    const struct ca_model *model = NULL;
    static int count;

    ck_assert_ok(file_model_open(&model, test_put(test_text("model%d.c", count++), text), &error));
    return model;
}

static struct ca_experiment experiment_of(const struct ca_model *model, const char *backend,
                                          const char *size)
{
    struct ca_experiment experiment;
    const struct ca_backend *row;

    ck_assert_ok(ca_backend_find(&row, model, backend, &error));
    ck_assert_ok(ca_backend_available(row, &error));
    ca_experiment_default(&experiment, model);
    ca_experiment_backend(&experiment, row, CA_FROM_COMMAND_LINE);
    ck_assert_ok(ca_size_parse(&experiment.size, size, model->dimensions, "size", &error));
    experiment.seed = test_seed();
    return experiment;
}

static void set_block(struct ca_experiment *experiment, const char *block)
{
    ck_assert_ok(
        ca_experiment_value(experiment, "block", block, CA_FROM_COMMAND_LINE, "test", &error));
}

/* Edges that are closed, dead and constant, by axis; the outermost one is closed or not. */
static const struct {
    const char *text;
    bool torus;
    const char *sizes[7], *blocks[4];
} models[] = {
    {HIGHLIFE("torus", ""),
     true,
     {"67x41", "1x1", "2x3", "3x1", "4x40", "300x4"},
     {"32x8", "256x1", "16x16"}},
    {HIGHLIFE("dead", "#define CA_EDGES CA_DEAD\n"), false, {"67x41", "1x1", "2x3"}, {"32x4"}},
    {HIGHLIFE("tube", "#define CA_EDGE_X CA_CONSTANT\n#define CA_BEYOND 1\n"),
     true,
     {"33x17", "1x1", "2x1"},
     {"64x2"}},
    {HIGHLIFE("corners", "#define CA_EDGE_X CA_DEAD\n#define CA_EDGE_Y CA_CONSTANT\n"
                         "#define CA_BEYOND 1\n"),
     false,
     {"21x11", "1x1"},
     {"32x32"}},
    {FOREST, true, {"61x30", "1x1", "259x3"}, {"64x4"}},
    {REACTION, true, {"45x23", "1x1", "2x2"}, {"32x16"}},
    {CLOUDS, false, {"17x13x9", "1x1x1", "2x1x3", "5x2x1"}, {"32x4x2", "8x8x8", "16x8x2"}},
    {HEXAGONS, false, {"29x18", "1x1", "2x3", "3x2", "4x5"}, {"32x8"}},
    {LANES, true, {"61x30", "1x1", "259x3"}, {"64x4"}},
    {LAYERS, false, {"17x13x9", "1x1x1", "5x2x1"}, {"32x4x2", "8x8x8"}},
    {COMBS, false, {"29x18", "1x1"}, {"16x16"}},
};
static const char *const backends[] = {"cuda-naive", "cuda-shared"};

START_TEST(steps_are_those_of_the_reference)
{
    static const uint64_t calls[] = {1, 5, 2, 0};
    const struct ca_model *model = opened(models[_i / 2].text);

    for (int s = 0; models[_i / 2].sizes[s]; s++)
        for (int b = 0; models[_i / 2].blocks[b]; b++) {
            struct ca_experiment experiment =
                experiment_of(model, backends[_i % 2], models[_i / 2].sizes[s]);

            set_block(&experiment, models[_i / 2].blocks[b]);
            kernel_check_same(&experiment, calls);
        }
}
END_TEST

START_TEST(slabs_and_rows_are_the_reference)
{
    const struct ca_model *model = opened(models[_i / 2].text);
    struct ca_experiment experiment =
        experiment_of(model, backends[_i % 2], models[_i / 2].sizes[0]);

    kernel_check_slabs(&experiment, 2 * model->radius, models[_i / 2].torus, 3);
    kernel_check_rows(&experiment);
}
END_TEST

/* --- states and sums -------------------------------------------------------------------------- */

/* Counts, sums and the hash are made on the GPU. */
START_TEST(observables_are_those_of_the_reference)
{
    static const char *const texts[] = {FOREST, REACTION, HEXAGONS, LANES, LAYERS};
    const struct ca_model *model = opened(texts[_i]);
    double expected[CA_OBSERVABLES_MAX] = {0}, got[CA_OBSERVABLES_MAX] = {0};
    uint64_t hashes[2];
    int count = 0;

    for (int i = 0; i < 2; i++) {
        struct ca_experiment experiment = experiment_of(
            model, i ? "cuda-shared" : "reference", model->dimensions == 3 ? "37x11x5" : "97x31");
        struct ca_simulation *simulation;

        ck_assert_ok(ca_simulation_open(&simulation, &experiment, &error));
        ck_assert_ok(ca_simulation_step(simulation, 3, &error));
        ck_assert_ok(ca_simulation_observe(simulation, i ? got : expected, &error));
        ck_assert_ok(ca_simulation_hash(simulation, &hashes[i], &error));
        ca_simulation_close(simulation);
    }
    ck_assert_uint_eq(hashes[0], hashes[1]);
    for (; ca_observables(model)[count].name; count++)
        ck_assert_double_eq_tol(got[count], expected[count], 1e-12 * expected[count]);
    ck_assert_int_ge(count, model->type == CA_F32 ? 1 : count);
}
END_TEST

#define SEVEN                                                                                      \
    INCLUDE "CA_MODEL(seven, \"x\")\n" TWO_STATES                                                  \
            "CA_RANDOM_START(none, \"empty\", SHARE(LIVE, 0))\n"                                   \
            "CA_CELL cell(CA_NB nb)\n{\n"                                                          \
            "    return nb.x == 5 && nb.y == 3 && nb.t == 2 ? 7 : AT(0, 0);\n}\n"

/* The states of plane B end at 7; the bits of 8 lie where a plane behind it would have its own. */
#define EIGHT                                                                                      \
    "#define CA_STATE_PLANES 4, 8\n" INCLUDE                                                       \
    "CA_MODEL(eight, \"x\")\nCA_PLANE(A, 0, \"a\")\nCA_PLANE(B, 1, \"b\")\n"                       \
    "CA_START(zeros, \"zeros\")\n{\n    return NEXT(0, 0);\n}\n"                                   \
    "CA_CELL cell(CA_NB nb)\n{\n"                                                                  \
    "    return NEXT(VALUE(A, 0, 0), nb.x == 5 && nb.y == 3 && nb.t == 2 ? 8 : 7);\n}\n"

static const struct {
    const char *text, *says;
} wrong[] = {
    {SEVEN, "cell() returns state 7, but the states are 0 to 1"},
    {EIGHT, "cell() returns state 8 of plane B, but the states of that are 0 to 7"},
};

/* A state that there is not is told with cell and generation, once. */
START_TEST(a_wrong_state_is_told)
{
    struct ca_experiment experiment =
        experiment_of(opened(wrong[_i / 2].text), backends[_i % 2], "9x8");
    struct ca_simulation *simulation;

    ck_assert_ok(ca_simulation_open(&simulation, &experiment, &error));
    ck_assert_ok(ca_simulation_step(simulation, 2, &error));
    ck_assert_int_eq(ca_simulation_step(simulation, 2, &error), CA_WRONG);
    ck_assert_contains(error.text, wrong[_i / 2].says,
                       "at cell (5, 3) in the step from generation 2");
    ca_simulation_close(simulation);
}
END_TEST

/* --- the program ------------------------------------------------------------------------------ */

static const char *const examples[] = {"ant",       "copies", "excitable", "forest",
                                       "grayscott", "heat",   "ising",     "majority",
                                       "sandpile",  "sir",    "traffic",   "wireworld"};

START_TEST(examples_are_verified)
{
    struct outcome o =
        calab("verify configs/models/%s.c -b cuda-* --small --cases 6", examples[_i]);

    ck_assert_msg(o.status == 0 && strstr(o.out, "cuda-naive") && strstr(o.out, "cuda-shared") &&
                      !strstr(o.out, "unavailable"),
                  "%s: status %d\n%s%s", examples[_i], o.status, o.out, o.err);
}
END_TEST

/* Fields of planes are made of sums on the GPU. */
START_TEST(fields_are_those_of_the_reference)
{
    const char *path = test_put("field.c", _i ? REACTION : LANES), *field = _i ? "V" : "SPEED";

    for (int b = 0; b < 2; b++)
        calab_good("run %s -s 61x30 -n 3 -b %s -o %s,block=1x1:%s -o %s,block=7x3:%s", path,
                   b ? "cuda-shared" : "reference", field, test_path(test_text("cells%d.npy", b)),
                   field, test_path(test_text("blocks%d.npy", b)));
    test_same_files(test_path("cells0.npy"), test_path("cells1.npy"));
    if (_i == 0) /* sums of floats have another order there */
        test_same_files(test_path("blocks0.npy"), test_path("blocks1.npy"));
}
END_TEST

#define CRASHES(what)                                                                              \
    INCLUDE "CA_MODEL(crashes, \"x\")\n" TWO_STATES                                                \
            "CA_RANDOM_START(half, \"half\", SHARE(LIVE, 0.5))\n"                                  \
            "CA_CELL cell(CA_NB nb)\n{\n"                                                          \
            "    if (nb.t == 3)\n        " what ";\n    return AT(0, 0);\n}\n"

/* A launch that fails on the device names the file and the line of its function, whichever call
 * finds that out; life's kernels have no code of the file. */
START_TEST(a_failed_launch_names_the_file)
{
    static const char *const variables[] = {"CALAB_EMULATED_LOST=4", NULL};
    const struct surroundings here = {.variable = variables};
    const char *path = test_put("lost.c", HIGHLIFE("lost", ""));
    struct outcome o;

    o = calab_in(&here, test_text("run %s -b %s -s 16x8 -n 9 -q", path, backends[_i]));
    ck_assert_int_eq(o.status, CA_CUDA_FAILED);
    ck_assert_contains(o.err, "GPU 0 is lost to this process: lost.c:7: ",
                       "an illegal memory access was encountered");
    o = calab_in(&here, test_text("run %s -b cuda-bitslice -s 16x8 -n 9 -q", path));
    ck_assert_int_eq(o.status, CA_CUDA_FAILED);
    ck_assert_contains(o.err, "GPU 0 is lost to this process: ");
    ck_assert_ptr_null(strstr(o.err, "lost.c:"));
}
END_TEST

/* What stops the engine in the function on the device is named by its line; the workbench begins
 * another engine, which goes on from a state before. */
static const struct {
    const char *text, *says;
} crashes[] = {
    {CRASHES("__builtin_trap()"), "ended by SIGILL in crashes.c:9"},
    {CRASHES("return *(volatile ca_cell *)(uintptr_t)(64 * nb.x)"),
     "ended by SIGSEGV in crashes.c:9"},
};

START_TEST(the_workbench_outlives_a_crash_on_the_device)
{
    const char *path = test_put("crashes.c", crashes[_i].text);
    const struct screen_options options = {
        .rows = 30, .columns = 100, .arguments = {path, "-s", "16x8", "-b", backends[_i]}};
    struct screen *screen = user_starts(&options);
    pid_t engine = engine_of(screen);

    user_does(screen, STEPS(ENTER(":", "step 3"), GENERATION(3), ENTER(":", "step 1")));
    screen_expect_words(screen, crashes[_i].says);
    screen_expect_words(screen, "restarted at generation ");
    process_expect_end(engine);
    user_does(screen, STEPS(PRESS("r"), GENERATION(0), PRESS("."), GENERATION(1)));
    user_quits(screen);
}
END_TEST

/* A source that a GPU has no code for leaves the CPU's backends. */
START_TEST(errors_of_the_gpu_leave_the_cpu)
{
    const char *path = test_put("fails.c", INCLUDE "CA_MODEL(fails, \"x\")\n" TWO_STATES
                                                   "CA_CELL cell(CA_NB nb)\n{\n"
                                                   "#ifdef CA_GPU\n    return oops;\n#else\n"
                                                   "    return AT(0, 0);\n#endif\n}\n");

    calab_fails(CA_COMPILE, "fails.c:8:", "run %s -b cuda-naive -s 8x8 -n 1", path);
    calab_good("run %s -b threads -s 8x8 -n 1", path);
    calab_good("run %s -s 8x8 -n 1", path);
}
END_TEST

static void keep_in_folder(void) { setenv("XDG_CACHE_HOME", test_folder(), 1); }

int main(void)
{
    return RUN_TESTS(.timeout_s = 300, .setup = keep_in_folder,
                     .test = {errors_of_the_gpu_leave_the_cpu},
                     .table = {{steps_are_those_of_the_reference, 2 * COUNT(models)},
                               {slabs_and_rows_are_the_reference, 2 * COUNT(models)},
                               {observables_are_those_of_the_reference, 5},
                               {a_failed_launch_names_the_file, COUNT(backends)},
                               {the_workbench_outlives_a_crash_on_the_device, COUNT(crashes)},
                               {a_wrong_state_is_told, 2 * COUNT(wrong)},
                               {fields_are_those_of_the_reference, 2},
                               {examples_are_verified, COUNT(examples)}});
}
