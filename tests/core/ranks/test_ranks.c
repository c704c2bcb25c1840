/* SPDX-License-Identifier: MIT */
/*
 * core/ranks: shares and halos, and that a lattice cut in slabs is the same lattice, however many
 * they are and however seldom they exchange.
 */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/compare/lock_step.h"
#include "core/model/registry.h"
#include "core/ranks/cut.h"
#include "core/ranks/processes.h"
#include "tests/support/program.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

/* --- the cut --------------------------------------------------------------------------------- */

static enum ca_status cut_of(struct ca_cut *cut, struct ca_setup *setup, const char *model,
                             const char *size, const char *settings, struct ca_error *error)
{
    struct ca_experiment e = kernel_experiment(model, "reference", size, NULL, 1, settings);

    *setup = ca_setup_of(&e);
    return ca_cut_make(cut, setup, &(struct ca_plan){.generations = 1}, error);
}

static const struct {
    const char *model, *size, *settings;
    int64_t first[5], halo;
    int exchange;
} cuts[] = {
    /* 37 layers: 0, 12.3, 24.7 rounded up to even ones */
    {"anneal", "20x37", "ranks=3 exchange=4", {0, 12, 24, 37}, 4, 4},
    {"anneal", "20x37", "ranks=3 exchange=5", {0, 12, 24, 37}, 6, 5},
    /* shares of 12, 12 and 13: no halo is larger than the smallest */
    {"anneal", "20x37", "ranks=3 exchange=1000", {0, 12, 24, 37}, 12, 12},
    {"life3d", "9x9x8", "ranks=4 exchange=3", {0, 2, 4, 6, 8}, 2, 2},
    /* a generation reaches two layers: 10 of them serve 5 generations */
    {"cloud", "9x9x20", "ranks=2 exchange=6", {0, 10, 20}, 10, 5},
    {"water", "9x40", "ranks=2 exchange=3", {0, 20, 40}, 6, 3},
    {"fhp", "9x40", "ranks=2 exchange=4", {0, 20, 40}, 4, 4},
    /* 3.3 rounded up, too: rows of fhp have their parity */
    {"life3d", "9x9x10", "ranks=3 exchange=2", {0, 4, 6, 10}, 2, 2},
    {"anneal", "20x37", "ranks=1", {0, 37}, 0, INT_MAX},
};

START_TEST(shares_and_halos)
{
    struct ca_setup setup, own;
    struct ca_error error;
    struct ca_cut cut;

    ck_assert_ok(cut_of(&cut, &setup, cuts[_i].model, cuts[_i].size, cuts[_i].settings, &error));
    for (int r = 0; r <= cut.ranks; r++)
        ck_assert_int_eq(cut.first[r], cuts[_i].first[r]);
    ck_assert_int_eq(cut.halo, cuts[_i].halo);
    ck_assert_int_eq(cut.exchange, cuts[_i].exchange);
    for (int r = 0; r < cut.ranks; r++) {
        own = ca_cut_setup(&cut, &setup, r);
        ck_assert_int_eq(own.slab.origin + ca_cut_low(&cut, r), cut.first[r]);
        ck_assert_int_eq(own.slab.extent, ca_cut_low(&cut, r) + ca_cut_own(&cut, r) +
                                              (own.slab.ghost_high ? cut.halo : 0));
    }
}
END_TEST

START_TEST(threads_are_shared)
{
    struct ca_experiment e =
        kernel_experiment("anneal", "threads", "20x37", NULL, 1, "ranks=3 threads=7");
    struct ca_setup setup = ca_setup_of(&e);
    struct ca_error error;
    struct ca_cut cut;

    ck_assert_ok(ca_cut_make(&cut, &setup, &(struct ca_plan){.generations = 1}, &error));
    for (int r = 0; r < 3; r++)
        ck_assert_int_eq(cut.threads[r], 2);
}
END_TEST

START_TEST(a_wall_has_no_halo)
{
    struct ca_setup setup, low, high;
    struct ca_error error;
    struct ca_cut cut;

    ck_assert_ok(cut_of(&cut, &setup, "cloud", "9x9x20", "ranks=2 exchange=2", &error));
    low = ca_cut_setup(&cut, &setup, 0);
    high = ca_cut_setup(&cut, &setup, 1);
    ck_assert_int_eq(ca_cut_neighbour(&cut, 0, -1), cut.torus ? 1 : -1);
    ck_assert_int_eq(low.slab.ghost_low, cut.torus ? cut.halo : 0);
    ck_assert_int_eq(high.slab.ghost_high, cut.torus ? cut.halo : 0);
    ck_assert_int_eq(low.slab.ghost_high, cut.halo);
    ck_assert_int_eq(high.slab.ghost_low, cut.halo);
}
END_TEST

/* Where passes take several generations an exchange comes after whole passes; where steps cost
 * more than exchanges it comes often. */
START_TEST(exchange_follows_costs)
{
    struct ca_experiment e =
        kernel_experiment("anneal", "bitslice", "4096x4096", NULL, 1, "ranks=2");
    struct ca_setup setup = ca_setup_of(&e);
    struct ca_error error;
    struct ca_cut cheap, dear;

    ck_assert_ok(
        ca_cut_make(&cheap, &setup, &(struct ca_plan){.generations = 6, .step_s = 1e-6}, &error));
    ck_assert_ok(
        ca_cut_make(&dear, &setup, &(struct ca_plan){.generations = 6, .step_s = 1}, &error));
    ck_assert_int_eq(cheap.exchange % 6, 0);
    ck_assert_int_eq(dear.exchange, 6);
    ck_assert_int_gt(cheap.exchange, dear.exchange);
}
END_TEST

static const struct {
    const char *size, *settings, *says[3];
} refusals[] = {
    {"20x9", "ranks=5", {"5 ranks leave a share of 1 of the lattice's 9 layers", "at least 2"}},
    {"20x2", "ranks=7", {"7 ranks leave a share of 0", "2 layers"}},
};

START_TEST(small_shares_are_refused)
{
    struct ca_experiment e =
        kernel_experiment("anneal", "reference", refusals[_i].size, NULL, 1, refusals[_i].settings);
    struct ca_simulation *simulation;
    struct ca_error error;

    ck_assert_int_eq(ca_simulation_open(&simulation, &e, &error), CA_USAGE);
    for (int i = 0; refusals[_i].says[i]; i++)
        ck_assert_contains(error.text, refusals[_i].says[i]);
}
END_TEST

/* --- the same lattice ------------------------------------------------------------------------ */

static const struct {
    const char *model, *size;
} lattices[] = {{"anneal", "70x37"},
                {"life3d", "20x9x23"},
                {"cloud", "20x9x30"},
                {"fhp", "70x40"},
                {"water", "70x37"}};

#define LATTICES ((int)(sizeof lattices / sizeof lattices[0]))

static struct ca_simulation *open_one(int lattice, const char *backend, const char *settings)
{
    struct ca_experiment e = kernel_experiment(lattices[lattice].model, backend,
                                               lattices[lattice].size, NULL, 3, settings);
    struct ca_simulation *simulation;
    struct ca_error error;

    ck_assert_ok(ca_simulation_open(&simulation, &e, &error));
    return simulation;
}

static void step_both(struct ca_simulation *one, struct ca_simulation *cut, uint64_t n)
{
    struct ca_difference difference;
    struct ca_error error;

    ck_assert_ok(ca_simulation_step(one, n, &error));
    ck_assert_ok(ca_simulation_step(cut, n, &error));
    ck_assert_ok(ca_simulation_compare(one, cut, &difference, &error));
    ck_assert_msg(difference.count == 0,
                  "%s: %lld cells differ at generation %llu, the first at x %lld, y %lld, z %lld",
                  ca_simulation_experiment(cut)->backend->name, (long long)difference.count,
                  (unsigned long long)ca_simulation_generation(one), (long long)difference.x,
                  (long long)difference.y, (long long)difference.z);
}

/* The invariants and everything else that is observed is summed over ranks, neighbour sums through
 * halos that the steps before have spoiled. */
static void observe_both(struct ca_simulation *one, struct ca_simulation *cut)
{
    double expected[CA_OBSERVABLES_MAX] = {0}, got[CA_OBSERVABLES_MAX] = {0};
    struct ca_error error;

    ck_assert_ok(ca_simulation_observe(one, expected, &error));
    ck_assert_ok(ca_simulation_observe(cut, got, &error));
    for (int i = 0; ca_observables(ca_simulation_setup(one)->model)[i].name; i++)
        ck_assert_double_eq_tol(got[i], expected[i], 1e-9 * (1 + fabs(expected[i])));
}

static void check_backend(int lattice, const char *backend)
{
    static const char *const settings[] = {"ranks=2 exchange=1", "ranks=3 exchange=3", "ranks=7",
                                           "ranks=4 exchange=1000 threads=5"};

    for (size_t s = 0; s < sizeof settings / sizeof settings[0]; s++) {
        struct ca_simulation *one = open_one(lattice, backend, NULL);
        struct ca_simulation *cut = open_one(lattice, backend, settings[s]);

        step_both(one, cut, 1);
        step_both(one, cut, 3);
        observe_both(one, cut);
        step_both(one, cut, 11);
        ca_simulation_close(one);
        ca_simulation_close(cut);
    }
}

START_TEST(every_backend_is_the_same)
{
    const struct ca_model *model;
    struct ca_error error;

    ck_assert_ok(ca_model_find(&model, lattices[_i].model, &error));
    for (const struct ca_backend *b = model->backends; b->name; b++)
        if (b->device == CA_CPU && ca_backend_available(b, &error) == CA_OK)
            check_backend(_i, b->name);
}
END_TEST

/* A state that is kept comes back with what its halos still serve. */
START_TEST(a_kept_state_comes_back)
{
    struct ca_simulation *one = open_one(_i, "threads", NULL);
    struct ca_simulation *cut = open_one(_i, "threads", "ranks=3 exchange=4");
    struct ca_error error;

    step_both(one, cut, 2);
    ck_assert_ok(ca_simulation_mark(one, &error));
    ck_assert_ok(ca_simulation_mark(cut, &error));
    step_both(one, cut, 5);
    ck_assert_ok(ca_simulation_back(one, &error));
    ck_assert_ok(ca_simulation_back(cut, &error));
    step_both(one, cut, 7);
    ca_simulation_close(one);
    ca_simulation_close(cut);
}
END_TEST

/* Rows that come in are neighbours' halos too, however many generations those still served. */
START_TEST(rows_across_cuts)
{
    struct ca_simulation *one = open_one(_i, "threads", NULL);
    struct ca_simulation *cut = open_one(_i, "threads", "ranks=3 exchange=5");
    struct ca_lattice state;
    struct ca_error error;
    void *planes[CA_PLANES_MAX];
    int64_t rows;

    step_both(one, cut, 2);
    ck_assert_ok(ca_simulation_step(one, 3, &error));
    ck_assert_ok(ca_simulation_store(one, &state, &error));
    rows = ca_rows(state.size);
    for (int64_t first = 0, n; first < rows; first += n) {
        n = rows - first < 25 ? rows - first : 25;
        ca_lattice_at(&state, first, planes);
        ck_assert_ok(ca_simulation_load_rows(cut, (const void *const *)planes, first, n, &error));
    }
    ck_assert_ok(ca_simulation_loaded(cut, 5, &error));
    step_both(one, cut, 6);
    ca_lattice_free(&state);
    ca_simulation_close(one);
    ca_simulation_close(cut);
}
END_TEST

/* A change of the number of ranks keeps the state. */
START_TEST(ranks_change_in_a_run)
{
    struct ca_simulation *one = open_one(_i, "threads", NULL);
    struct ca_simulation *cut = open_one(_i, "threads", NULL);
    struct ca_experiment e = *ca_simulation_experiment(cut);
    struct ca_error error;

    step_both(one, cut, 3);
    ck_assert_ok(ca_experiment_value(&e, "ranks", "4", CA_FROM_COMMAND_LINE, "--set", &error));
    ck_assert_ok(ca_simulation_change(cut, &e, &error));
    step_both(one, cut, 5);
    ca_simulation_close(one);
    ca_simulation_close(cut);
}
END_TEST

/* --- the program ----------------------------------------------------------------------------- */

START_TEST(on_the_command_line)
{
    struct outcome one = calab("run anneal -b bitslice -s 96x80 -n 40 --frame -q");
    struct outcome cut = calab_good("run anneal -b bitslice -s 96x80 -n 40 --frame -q --ranks 3");

    ck_assert_str_eq(strstr(cut.out, "observables."), strstr(one.out, "observables."));
    ck_assert_contains(cut.out, "3 ranks that exchange ",
                       " exposed and 0 s hidden each"); /* threads step or exchange */
    cut = calab_fails(CA_USAGE, "0 ... 64", "run anneal -s 96x80 --ranks 65");
    cut = calab_good("verify anneal -b threads --small --cases 6 -q --ranks 2,3");
    cut = calab_fails(CA_NO_DEVICE, "no case is large enough to be cut: 33 ranks",
                      "verify life3d -b bitslice --small --cases 1 -q --ranks 33");
    cut = calab_fails(CA_USAGE, "--ranks: '2,x' is not allowed",
                      "verify anneal -b threads --ranks 2,x");
}
END_TEST

/* Each process of a job would write the same file; one of them says so. */
START_TEST(a_job_needs_mpi)
{
    const char *const first[] = {"OMPI_COMM_WORLD_SIZE=3", "OMPI_COMM_WORLD_RANK=0", NULL};
    const char *const third[] = {"PMI_SIZE=3", "PMI_RANK=2", NULL};
    struct outcome o;

    if (ca_processes_library()[0])
        return; /* it has, and test_mpi starts real jobs */
    o = calab_in(&(struct surroundings){.variable = first}, "run anneal -s 32x32 -n 1");
    ck_assert_int_eq(o.status, CA_USAGE);
    ck_assert_contains(o.err, "one of 3 processes", "make MPI=1");
    o = calab_in(&(struct surroundings){.variable = third}, "run anneal -s 32x32 -n 1");
    ck_assert_int_eq(o.status, CA_USAGE);
    ck_assert_str_eq(o.err, "");
    o = calab_good_in(&(struct surroundings){.variable = (const char *const[]){"PMI_SIZE=1", NULL}},
                      "run anneal -s 32x32 -n 1");
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {threads_are_shared, a_wall_has_no_halo, exchange_follows_costs,
                              on_the_command_line, a_job_needs_mpi},
                     .table = {{shares_and_halos, COUNT(cuts)},
                               {small_shares_are_refused, COUNT(refusals)},
                               {every_backend_is_the_same, LATTICES},
                               {a_kept_state_comes_back, LATTICES},
                               {rows_across_cuts, LATTICES},
                               {ranks_change_in_a_run, LATTICES}});
}
