/* SPDX-License-Identifier: MIT */
/*
 * A lattice on several GPUs, which are this CPU's through the emulator: every CUDA backend is the
 * same on one, two and three of them, as peers and through the host; wrong lists are refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/program.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

static struct ca_error error;

static const struct {
    const char *model, *size; /* and parameters */
} lattices[] = {{"anneal", "256x96"},
                {"life", "256x96"},
                {"life", "250x96 --set rule=B2-a/S12 --set boundary=dead"},
                {"life3d", "128x16x64"},
                {"cloud", "128x16x64"},
                {"fhp", "256x96"},
                {"fhp", "256x90 --set geometry=none"}, /* a torus in y, too */
                {"water", "128x96"}};

#define LATTICES ((int)(sizeof lattices / sizeof lattices[0]))

/* The hash after 7 generations, or "" where the backend cannot hold the lattice or the slabs. */
static void hash_of(char hash[32], const struct surroundings *here, int lattice,
                    const char *backend, const char *options)
{
    char command[256];
    struct outcome o;
    const char *at;

    snprintf(command, sizeof command, "run %s -b %s -s %s -n 7 -q %s", lattices[lattice].model,
             backend, lattices[lattice].size, options);
    o = calab_in(here, command);
    ck_assert_msg(o.status == 0 || o.status == CA_USAGE, "%s: %s", command, o.err);
    at = strstr(o.out, "hash: ");
    snprintf(hash, 32, "%.16s", o.status == 0 && at ? at + 6 : "");
}

static void check_backends(int lattice, const char *const variables[], const char *const options[])
{
    const struct surroundings here = {.variable = variables};
    const struct ca_model *model;
    int cut = 0;

    ck_assert_ok(ca_model_find(&model, lattices[lattice].model, &error));
    for (const struct ca_backend *b = model->backends; b->name; b++) {
        char one[32], several[32];

        if (b->device != CA_CUDA)
            continue;
        hash_of(one, &here, lattice, b->name, "");
        for (int i = 0; options[i]; i++) {
            hash_of(several, &here, lattice, b->name, options[i]);
            cut += several[0] != '\0';
            if (several[0])
                ck_assert_msg(strcmp(one, several) == 0, "%s %s: %s, on one GPU %s", b->name,
                              options[i], several, one);
        }
    }
    ck_assert_int_gt(cut, 3);
}

START_TEST(peers)
{
    static const char *const variables[] = {"CALAB_EMULATED_DEVICES=3", NULL};
    static const char *const options[] = {"--devices 0,1 --set exchange=1", "--devices all",
                                          "--devices 1", "--devices 2,0 --ranks 4 --set exchange=3",
                                          NULL};

    check_backends(_i, variables, options);
}
END_TEST

START_TEST(through_the_host)
{
    static const char *const variables[] = {"CALAB_EMULATED_DEVICES=3", "CALAB_EMULATED_PEERS=0",
                                            NULL};
    static const char *const options[] = {"--devices all --set exchange=2", NULL};

    check_backends(_i, variables, options);
}
END_TEST

/* Of kernels whose passes are launched in parts, where those take long: what is beside an exchange
 * is done meanwhile, so that the plan says that it costs less than its bytes take. */
static const struct {
    const char *of;
} parts[] = {
    {"anneal -b cuda-overlapped -s 4096x120 --set rows=1 --set generations=2"},
    {"anneal -b cuda-temporal -s 4096x120 --set rows=4 --set generations=2"},
    {"life -b cuda-temporal -s 4096x120 --set rows=4 --set generations=2"},
    {"life3d -b cuda-temporal -s 1025x28x32 --set layers=4"},
    {"life3d -b cuda-bitslice -s 258x34x48 --set layers=4"},
    {"cloud -b cuda-temporal -s 130x20x60 --set planes=4 --set generations=2"},
    {"fhp -b cuda-temporal -s 4096x96 --set rows=8 --set generations=2"},
    {"water -b cuda-overlapped -s 64x300"},
};

START_TEST(passes_in_parts)
{
    static const char *const variables[] = {"CALAB_EMULATED_DEVICES=2", "CALAB_EMULATED_CLOCK=1000",
                                            NULL};
    const struct surroundings here = {.variable = variables};
    struct outcome one = calab_good_in(&here, "run %s -n 13 -q --json", parts[_i].of);

    for (int exchange = 2; exchange <= 6; exchange += 2) {
        struct outcome two =
            calab_good_in(&here, "run %s -n 13 -q --json --devices 0,1 --set exchange=%d",
                          parts[_i].of, exchange);

        ck_assert_contains(two.out, "\"exchange_s\": 1.0000000000000001e-5",
                           ", 10.0 us exposed and ",
                           "\"hidden_s\": 2."); /* of 12 us and some bytes */
        ck_assert_msg(strncmp(strstr(two.out, "\"hash\""), strstr(one.out, "\"hash\""), 26) == 0,
                      "%s, exchange %d: another state", parts[_i].of, exchange);
    }
}
END_TEST

/* Halos of more than 4 MiB whose rows are copied: from the sender's state where a turn is one pass,
 * else by way of a slot; through the host, too. */
START_TEST(large_halos)
{
    static const char *const run = "run cloud -b cuda-temporal -s 1280x1152x24 -n 6 --set "
                                   "generations=4 -q --json",
                             *const cut[] = {"", "CALAB_EMULATED_PEERS=0"};
    const char *variables[] = {"CALAB_EMULATED_DEVICES=2", cut[_i], NULL};
    const struct surroundings here = {.variable = variables};
    struct outcome one = calab_good_in(&here, "%s", run);

    for (int exchange = 4; exchange <= 5; exchange++) {
        struct outcome two =
            calab_good_in(&here, "%s --devices 0,1 --set exchange=%d", run, exchange);

        ck_assert_msg(strncmp(strstr(two.out, "\"hash\""), strstr(one.out, "\"hash\""), 26) == 0,
                      "exchange %d: another state", exchange);
    }
}
END_TEST

static double number_of(const char *json, const char *key)
{
    const char *at = strstr(json, key);

    ck_assert_msg(at, "%s is missing in %s", key, json);
    return strtod(at + strlen(key), NULL);
}

/* Of 64 launches 4 are timed: the clock counts the others by them. */
START_TEST(the_clock_counts_all_launches)
{
    static const char *const variables[] = {"CALAB_EMULATED_DEVICES=2", NULL};
    const struct surroundings here = {.variable = variables};
    struct outcome o = calab_in(&here, "run life3d -b cuda-bitslice -s 258x34x48 -n 64 -q --json "
                                       "--devices 0,1 --set exchange=1");
    double wall_s, waited_s;

    ck_assert_msg(o.status == 0, "%s", o.err);
    wall_s = number_of(o.out, "\"wall_s\": ");
    waited_s = number_of(o.out, "\"transfer_s\": ");
    ck_assert_double_gt(waited_s, -wall_s);
    ck_assert_double_lt(waited_s, wall_s * 0.85);
}
END_TEST

/* No exchange that is asked for is predicted to be better than the one that is chosen. */
START_TEST(the_best_exchange_is_chosen)
{
    static const char *const variables[] = {"CALAB_EMULATED_DEVICES=2",
                                            "CALAB_EMULATED_CLOCK=2000000", NULL};
    static const char *const run =
        "run anneal -b cuda-overlapped -s 1024x1024 -n 1 -q --json --devices 0,1 --set exchange=%d";
    const struct surroundings here = {.variable = variables};
    struct outcome chosen = calab_in(&here, run, 0);
    double least, exchange;

    ck_assert_msg(chosen.status == 0, "%s", chosen.err);
    least = number_of(chosen.out, "\"predicted_s\": ");
    exchange = number_of(strstr(chosen.out, "\"halo\""), "\"exchange\": ");
    /* An exchange costs so much beside a pass that it serves several. */
    ck_assert_double_gt(exchange,
                        number_of(strstr(chosen.out, "\"variant\""), "\"generations\": "));
    for (int percent = 60; percent <= 150; percent += 10) {
        struct outcome other = calab_good_in(&here, run, (int)(exchange * percent / 100));

        ck_assert_msg(number_of(other.out, "\"predicted_s\": ") >= least * 0.98,
                      "an exchange of %.0f is worse than %d %% of it", exchange, percent);
    }
}
END_TEST

/* Steps a turn of 175 generations, then another one, in which the launch of a kernel fails: the
 * status says whether there are as many. */
static enum ca_status fail_in_turn(const char *options, int launch)
{
    struct ca_experiment e =
        kernel_experiment("anneal", "cuda-overlapped", "1024x1024", NULL, 1, options);
    struct ca_simulation *simulation;
    enum ca_status status;
    char fail[64];

    snprintf(fail, sizeof fail, "cudaLaunchKernelEx:%d", launch);
    ck_assert_ok(ca_simulation_open(&simulation, &e, &error));
    ck_assert_ok(ca_simulation_step(simulation, 175, &error));
    setenv("CALAB_EMULATED_FAIL", fail, 1);
    status = ca_simulation_step(simulation, 175, &error);
    unsetenv("CALAB_EMULATED_FAIL");
    ca_simulation_close(simulation);
    return status;
}

/* Two ranks of 512 rows on 4 multiprocessors, a block each: tiles hold 256 rows, of which n
 * generations spoil 2 n. Passes of 64, 48, 36 and 27 generations leave tiles the rows that they
 * need for the halos that are left; where passes are equal three would do, which need more blocks
 * than run at once. Halos take a launch to pack and one to unpack. */
START_TEST(passes_fit_the_halos_that_are_left)
{
    static const struct {
        const char *options;
        int passes;
    } cases[] = {{"ranks=2 exchange=175", 4},
                 {"ranks=2 exchange=175 generations=64", 3},
                 {"ranks=2 exchange=175 generations=40", 5}};
    int launches = 2 * (cases[_i].passes + 2);

    ck_assert_int_eq(fail_in_turn(cases[_i].options, launches), CA_CUDA_FAILED);
    ck_assert_int_eq(fail_in_turn(cases[_i].options, launches + 1), CA_OK);
}
END_TEST

static const struct {
    const char *options;
    int status;
    const char *says[4];
} wrong[] = {
    {"--devices 0,0", CA_USAGE, {"devices: '0,0' is not allowed", "each once"}},
    {"--devices 0,", CA_USAGE, {"devices: '0,' is not allowed"}},
    {"--devices 0x1", CA_USAGE, {"devices: '0x1' is not allowed"}},
    {"--devices -1", CA_USAGE, {"devices: '-1' is not allowed"}},
    {"--devices 0,64", CA_USAGE, {"devices: '0,64' is not allowed"}},
    {"--devices 0,7", CA_NO_DEVICE, {"rank 1 of 2", "GPU 7", "0 ... 2"}},
};

START_TEST(wrong_lists)
{
    static const char *const variables[] = {"CALAB_EMULATED_DEVICES=3", NULL};
    const struct surroundings here = {.variable = variables};
    struct outcome o;

    o = calab_in(&here, test_text("run anneal -b cuda-naive -s 64x64 %s", wrong[_i].options));
    ck_assert_msg(o.status == wrong[_i].status, "status %d: %s", o.status, o.err);
    for (int i = 0; wrong[_i].says[i]; i++)
        ck_assert_contains(o.err, wrong[_i].says[i]);
}
END_TEST

/* One of them is lost in the middle: the run says which, and leaves the former file. */
START_TEST(a_lost_gpu_ends_the_run)
{
    static const char *const variables[] = {"CALAB_EMULATED_DEVICES=2", "CALAB_EMULATED_LOST=60",
                                            NULL};
    const struct surroundings here = {.variable = variables};
    const char *state = test_path("state.npy");
    struct outcome o;
    size_t size;
    char *old;

    test_write(state, "old", 3);
    o = calab_in(&here, "run anneal -b cuda-naive -s 64x64 -n 100 --devices 0,1 -o %s", state);
    ck_assert_int_eq(o.status, CA_CUDA_FAILED);
    ck_assert_contains(o.err, " of 2: ", " is lost to this process");
    ck_assert_str_eq(o.out, "");
    old = test_read(state, &size);
    ck_assert_uint_eq(size, 3);
    ck_assert(memcmp(old, "old", 3) == 0);
}
END_TEST

/* A study of scaling over lists of GPUs: their slabs and states are told, but no speed. */
START_TEST(scaling)
{
    static const char *const variables[] = {"CALAB_EMULATED_DEVICES=3", NULL};
    const struct surroundings here = {.variable = variables};
    struct outcome o =
        calab_good_in(&here, "bench anneal -b reference,cuda-naive -s 64x16 -n 4 --time "
                             "0.01 --devices 0,1 --devices all --weak");

    ck_assert_contains(o.out, "anneal cuda-naive, weak scaling from 64x32, seed 1, random\n",
                       "\nGPU 0,1   emulated ", "\nall GPUs  emulated ",
                       "\nno efficiency is known\n");
    ck_assert_ptr_null(strstr(o.out, "reference"));
    o = calab_in(&here, "bench anneal -b cuda-naive -s 64x16 -n 4 --time 0.01 --devices 0,1 "
                        "--devices all --weak --csv");
    ck_assert_contains(o.out, "\nanneal,64x48,cuda-naive,devices=all,1,3,weak,4,", ",0,reference,");
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {the_clock_counts_all_launches, the_best_exchange_is_chosen,
                              a_lost_gpu_ends_the_run, scaling},
                     .table = {{peers, LATTICES},
                               {through_the_host, LATTICES},
                               {passes_in_parts, COUNT(parts)},
                               {large_halos, 2},
                               {passes_fit_the_halos_that_are_left, 3},
                               {wrong_lists, COUNT(wrong)}});
}
