/* SPDX-License-Identifier: MIT */
/*
 * GPUs as lists, doctor, run and the engine's greeting tell of them: none, some, an old driver, too
 * little memory, a lost one; and what is known of one. They are this CPU's, through the emulator.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/machine/cuda.h"
#include "core/machine/device.h"
#include "core/sim/experiment.h"
#include "tests/support/engine_peer.h"
#include "tests/support/program.h"
#include "tests/support/emulated_nvml.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

static struct ca_error error;

#define NONE "there is no NVIDIA GPU here"
#define OLD "the NVIDIA driver is too old: it knows CUDA 12.4, this calab needs 13.0"
#define OLD_GPU                                                                                    \
    "the GPU has compute capability 7.0, this calab was built for 7.5 and later (`make "           \
    "CUDA_ARCH=70` is for this GPU)"
#define NO_DRIVER "no NVIDIA driver is installed here"

/* --- how many, and why none ------------------------------------------------------------------- */

static const struct {
    const char *variable;
    int count;
    const char *reason;
} places[] = {
    {"CALAB_EMULATED_DEVICES=0", 0, NONE},     {"CALAB_EMULATED_DEVICES=1", 1, NULL},
    {"CALAB_EMULATED_DEVICES=2", 2, NULL},     {"CALAB_EMULATED_DRIVER=12040", 0, OLD},
    {"CALAB_EMULATED_DRIVER=0", 0, NO_DRIVER}, {"CALAB_EMULATED_CC=7.0", 0, OLD_GPU},
};

#define PLACES ((int)(sizeof places / sizeof places[0]))

static struct surroundings place(int i)
{
    static const char *variable[2];

    variable[0] = places[i].variable;
    return (struct surroundings){.variable = variable};
}

START_TEST(listed_as_text)
{
    const struct surroundings here = place(_i);
    struct outcome o = calab_in(&here, "list devices");
    char reason[160];

    ck_assert_int_eq(o.status, 0);
    ck_assert_contains(o.out, "cpu 0 ");
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(strstr(o.out, test_text("cuda %d   emulated GPU", i)) != NULL,
                         i < places[_i].count);
    }
    if (places[_i].reason)
        ck_assert_contains(o.out, places[_i].reason);
    o = calab_in(&here, "list backends");
    ck_assert_int_eq(strstr(o.out, "cuda-naive           cuda") != NULL, true);
    if (places[_i].reason) { /* below all that is known without the driver */
        snprintf(reason, sizeof reason, "\ncuda     %s\n", places[_i].reason);
        ck_assert_ptr_nonnull(strstr(o.out, reason));
        ck_assert_str_eq(strstr(o.out, reason), o.out + strlen(o.out) - strlen(reason));
    }
}
END_TEST

START_TEST(listed_as_json)
{
    const struct surroundings here = place(_i);
    struct outcome o = calab_in(&here, "list devices --json");
    json_t *json = outcome_json(&o), *devices = json_object_get(json, "devices");
    json_t *cuda = json_object_get(json, "cuda"), *gpu = json_array_get(devices, 1);

    ck_assert_uint_eq(json_array_size(devices), 1U + (size_t)places[_i].count);
    ck_assert_int_eq(json_is_true(json_object_get(cuda, "available")), places[_i].count > 0);
    if (places[_i].reason) {
        ck_assert_str_eq(json_text(cuda, "reason"), places[_i].reason);
    } else {
        ck_assert(json_is_null(json_object_get(cuda, "reason")));
        ck_assert_str_eq(json_text(gpu, "kind"), "cuda");
        ck_assert_int_eq(json_whole(gpu, "index"), 0);
        ck_assert_int_eq(json_whole(gpu, "memory_bytes"), 2LL << 30);
        ck_assert(json_is_null(json_object_get(gpu, "memory_free_bytes")));
    }
}
END_TEST

/* The first GPU's is on, the second does not tell; `bench` says it of the one that it ran on. */
START_TEST(ecc_is_told)
{
    const char *const variable[] = {"CALAB_EMULATED_DEVICES=2", emulated_nvml(), NULL};
    const struct surroundings here = {.variable = variable};
    struct outcome o = calab_in(&here, "list devices");
    json_t *json, *gpu;

    ck_assert_contains(o.out, " free, ECC on\ncuda 1 ");
    ck_assert_str_eq(strrchr(o.out, ','), ", 2.0 GiB of memory\n");
    o = calab_in(&here, "list devices --json");
    json = outcome_json(&o);
    gpu = json_at(json, "devices.1");
    ck_assert(json_is_true(json_object_get(gpu, "ecc")));
    gpu = json_at(json, "devices.2");
    ck_assert(json_is_null(json_object_get(gpu, "ecc")));
    o = calab_in(&here, "doctor");
    ck_assert_contains(o.out, " free, ECC on\n");
    o = calab_in(&here, "bench anneal -s 64x64 -b cuda-naive -n 3 --time 0.01 --json");
    json = outcome_json(&o);
    gpu = json_at(json, "provenance.gpus.0");
    ck_assert(json_is_true(json_object_get(gpu, "ecc")));
    o = calab_in(&here, "bench anneal -s 64x64 -b cuda-naive -n 3 --time 0.01 --csv");
    ck_assert_contains(o.out, "memory 3201 MHz, ECC on\n");
}
END_TEST

START_TEST(doctor_says)
{
    const struct surroundings here = place(_i);
    struct outcome o = calab_good_in(&here, "doctor");

    ck_assert_contains(o.out, "built with CUDA 13.0",
                       places[_i].reason ? places[_i].reason : "the driver supports 13.0");
    ck_assert_int_eq(strstr(o.out, "GPU 1 ") != NULL, places[_i].count == 2);
    if (places[_i].count)
        ck_assert_contains(o.out, "now: unknown: NVML does not report it");
}
END_TEST

START_TEST(run_needs_one)
{
    const struct surroundings here = place(_i);
    struct outcome o = calab_in(&here, "run anneal -b cuda-naive -s 16x16 -n 1");

    ck_assert_int_eq(o.status, places[_i].count ? CA_OK : CA_NO_DEVICE);
    if (places[_i].reason)
        ck_assert_contains(o.err, places[_i].reason);
}
END_TEST

START_TEST(engine_tells_which)
{
    struct peer peer;
    json_t *json, *cuda;
    char variable[64];
    char *value;

    snprintf(variable, sizeof variable, "%s", places[_i].variable);
    value = strchr(variable, '=');
    *value++ = '\0';
    setenv(variable, value, 1);
    peer = peer_start();
    json = peer_next(&peer, NULL);
    cuda = json_object_get(json, "cuda");
    ck_assert(json_is_true(json_object_get(cuda, "built")));
    ck_assert_str_eq(json_text(cuda, "runtime"), "13.0");
    json = peer_ask(&peer, "{'id':1,'op':'list'}");
    ck_assert_uint_eq(json_array_size(json_object_get(json, "devices")),
                      1U + (size_t)places[_i].count);
    cuda = json_object_get(json, "cuda");
    if (places[_i].reason)
        ck_assert_str_eq(json_text(cuda, "reason"), places[_i].reason);
    else
        ck_assert_ptr_null(json_object_get(cuda, "reason"));
    peer_finish(&peer, CA_OK);
}
END_TEST

/* A process that leaves the devices to another one asks nobody, not even how old the driver is. */
START_TEST(left_to_another_process)
{
    bool driver = access("/dev/nvidiactl", F_OK) == 0 || access("/dev/dxg", F_OK) == 0;

    ck_assert_int_eq(ca_needs_cuda(&error), CA_OK);
    ca_cuda_leave();
    setenv("CALAB_EMULATED_DRIVER", "12040", 1);
    ck_assert_int_eq(ca_needs_cuda(&error), driver ? CA_OK : CA_NO_DEVICE);
    if (!driver)
        ck_assert_str_eq(error.text, NO_DRIVER);
}
END_TEST

/* --- run -------------------------------------------------------------------------------------- */

START_TEST(run_names_its_device)
{
    const char *const variable[] = {"CALAB_EMULATED_DEVICES=2", NULL};
    const struct surroundings here = {.variable = variable};
    struct outcome o = calab_in(&here, "run anneal -b cuda-naive -s 40x30 -n 5 --device 1");
    struct outcome cpu = calab("run anneal -b reference -s 40x30 -n 5");
    json_t *json;

    ck_assert_int_eq(o.status, 0);
    ck_assert_str_eq(outcome_value(&o, "device_kind"), "cuda");
    ck_assert_str_eq(outcome_value(&o, "device_index"), "1");
    ck_assert_contains(outcome_value(&o, "device"), "emulated GPU");
    ck_assert(atof(outcome_value(&o, "device_s")) > 0);
    ck_assert(atof(outcome_value(&o, "wall_s")) >= atof(outcome_value(&o, "device_s")));
    ck_assert_str_eq(outcome_value(&o, "transfer_s"), "0");
    ck_assert_str_eq(outcome_value(&cpu, "device_kind"), "cpu");
    ck_assert_ptr_null(strstr(cpu.out, "transfer_s"));
    ck_assert_str_eq(strstr(o.out, "hash: "), strstr(cpu.out, "hash: "));
    o = calab_in(&here, "run anneal -b cuda-naive -s 40x30 -n 5 --device 1 --json");
    json = outcome_json(&o);
    ck_assert_str_eq(json_text(json, "device_kind"), "cuda");
    ck_assert_int_eq(json_whole(json, "device_index"), 1);
    ck_assert(json_is_real(json_object_get(json, "transfer_s")));
}
END_TEST

static const struct {
    const char *variable, *arguments;
    int status;
    const char *one, *two;
} refusals[] = {
    {"CALAB_EMULATED_DEVICES=2", "--device 2", CA_NO_DEVICE, "there is no GPU 2",
     "0 ... 1 are here"},
    {"CALAB_EMULATED_DEVICES=1", "--device 1", CA_NO_DEVICE, "there is no GPU 1",
     "0 alone is here"},
    {"CALAB_EMULATED_DEVICES=1", "--device 64", CA_USAGE, "device", "0 ... 63"},
    {"CALAB_EMULATED_MEMORY=4096", "", CA_NO_MEMORY, "bytes of memory on GPU 0",
     "4096 of its 4096 bytes"},
    {"CALAB_EMULATED_FAIL=cudaMalloc:2", "", CA_CUDA_FAILED, "GPU 0", "out of memory"},
    {"CALAB_EMULATED_LOST=9", "", CA_CUDA_FAILED, "GPU 0 is lost", "illegal memory access"},
};

START_TEST(run_is_refused)
{
    const char *const variable[] = {refusals[_i].variable, NULL};
    const struct surroundings here = {.variable = variable};
    struct outcome o =
        calab_in(&here, "run anneal -b cuda-naive -s 64x64 -n 50 %s", refusals[_i].arguments);

    ck_assert_msg(o.status == refusals[_i].status, "status %d: %s", o.status, o.err);
    ck_assert_str_eq(o.out, "");
    ck_assert_contains(o.err, refusals[_i].one, refusals[_i].two);
}
END_TEST

/* A picture takes no memory beyond what the lattice itself does. */
START_TEST(lattice_that_just_fits_can_be_seen)
{
    const char *const small[] = {"CALAB_EMULATED_MEMORY=4096", NULL};
    const struct surroundings little = {.variable = small};
    struct outcome o = calab_in(&little, "run anneal -b cuda-naive -s 1024x1024 -n 1");
    const char *needs = strstr(o.err, "needs ");
    char memory[64];
    const char *const enough[] = {memory, NULL};
    const struct surroundings here = {.variable = enough};

    ck_assert_ptr_nonnull(needs);
    snprintf(memory, sizeof memory, "CALAB_EMULATED_MEMORY=%lld", atoll(needs + 6));
    o = calab_in(&here, "run anneal -b cuda-naive -s 1024x1024 -n 1 --frame");
    ck_assert_msg(o.status == 0, "%s: status %d: %s", memory, o.status, o.err);
}
END_TEST

/* --- what NVML knows ------------------------------------------------------------------------- */

START_TEST(some_figures_are_known)
{
    struct ca_device gpu;
    struct ca_fact energy;

    emulated_nvml_load();
    setenv("CALAB_EMULATED_DEVICES", "3", 1);
    ck_assert_ok(ca_device_gpu(0, &gpu, &error));
    ck_assert(gpu.kind == CA_CUDA && gpu.index == 0 && gpu.compute_major == 9);
    ck_assert(gpu.clock_mhz.known && gpu.clock_mhz.value == 1980);
    ck_assert(gpu.memory_clock_mhz.known && gpu.memory_clock_mhz.value == 3201);
    ck_assert(gpu.power_w.known && gpu.power_w.value > 345.5 && gpu.power_w.value < 345.7);
    ck_assert(gpu.temperature_c.known && gpu.temperature_c.value == 43);
    ck_assert(gpu.memory_bytes.known && gpu.memory_bytes.value == 80 * 0x1p30);
    ck_assert(gpu.memory_free_bytes.known && gpu.memory_free_bytes.value == 60 * 0x1p30);
    ck_assert_str_eq(gpu.held_by, "power cap, reason 0x100000");
    ck_assert(gpu.ecc.known && gpu.ecc.value == 1); /* now; it is off from the next boot */
    ck_assert_str_eq(ca_device_ecc(&gpu), ", ECC on");
    gpu.ecc.value = 0;
    ck_assert_str_eq(ca_device_ecc(&gpu), ", ECC off");
    ck_assert(!gpu.power_limit_w.known && gpu.power_limit_w.value == 0);
    ck_assert(!gpu.utilisation.known && gpu.utilisation.value == 0);
    energy = ca_gpu_energy(0);
    ck_assert(energy.known && energy.value > 1000 && energy.value > gpu.energy_j.value);
    ck_assert_str_eq(ca_nvml_driver(), "580.00.01");
}
END_TEST

/* In a part of a GPU what is counted of the whole is not its own; NVML lacks the third GPU. */
START_TEST(other_figures_are_unknown)
{
    struct ca_device gpu;

    emulated_nvml_load();
    setenv("CALAB_EMULATED_DEVICES", "3", 1);
    ck_assert_ok(ca_device_gpu(1, &gpu, &error));
    ck_assert(gpu.temperature_c.known);
    ck_assert(!gpu.energy_j.known && !gpu.memory_free_bytes.known && !gpu.clock_mhz.known);
    ck_assert(gpu.memory_bytes.known && gpu.memory_bytes.value == 2 * 0x1p30);
    ck_assert_str_eq(gpu.held_by, "");
    ck_assert(!gpu.ecc.known);
    ck_assert_str_eq(ca_device_ecc(&gpu), "");
    ck_assert(!ca_gpu_energy(1).known);
    ck_assert_ok(ca_device_gpu(2, &gpu, &error));
    ck_assert(!gpu.temperature_c.known && gpu.memory_bytes.known);
    ck_assert_int_eq(ca_device_gpu(3, &gpu, &error), CA_NO_DEVICE);
    ck_assert_contains(error.text, "there is no GPU 3: 0 ... 2 are here");
    ck_assert_int_eq(ca_device_gpu(-1, &gpu, &error), CA_NO_DEVICE);
    ck_assert(!ca_gpu_energy(3).known && !ca_gpu_energy(1000).known);
}
END_TEST

/* Options of a CUDA backend that are set to texts: "device=1", and more. */
static void set_options(struct ca_values *options, const struct ca_backend **backend,
                        const char *const texts[])
{
    static struct ca_experiment e;
    const struct ca_model *model;

    ck_assert_ok(ca_model_find(&model, "anneal", &error));
    ca_experiment_default(&e, model);
    ck_assert_ok(
        ca_experiment_set(&e, "backend", "cuda-naive", CA_FROM_COMMAND_LINE, "-b", &error));
    for (int i = 0; texts[i]; i++)
        ck_assert_ok(ca_experiment_set(&e, "set", texts[i], CA_FROM_COMMAND_LINE, "--set", &error));
    *options = e.options;
    *backend = e.backend;
}

static const struct {
    const char *options[3];
    int count, index[4];
    double power_w, joules; /* of all of them; 0: unknown */
} uses[] = {
    {{NULL}, 1, {0}, 345.6, 1},
    {{"device=3"}, 1, {3}, 446.6, 1},
    {{"devices=3,0"}, 2, {3, 0}, 792.2, 1},
    {{"devices=0,1"}, 2, {0, 1}, 0, 0},
    {{"devices=all"}, 5, {0, 1, 2, 3}, 0, 0},
    {{"devices=0,3,4", "device=1"}, 3, {0, 3, 4}, 1339.8, 1},
    {{"devices=0,3,4", "ranks=2"}, 2, {0, 3}, 792.2, 1},
    {{"devices=0,3", "ranks=7"}, 2, {0, 3}, 792.2, 1},
};

/* The first, each, and the sums. */
START_TEST(several_are_used)
{
    struct ca_device device[CA_RANKS_MAX];
    const struct ca_backend *backend;
    struct ca_values options;
    struct ca_fact power = {.known = true};
    int index[CA_RANKS_MAX];

    emulated_nvml_load();
    setenv("CALAB_EMULATED_DEVICES", "5", 1);
    set_options(&options, &backend, uses[_i].options);
    ck_assert_int_eq(ca_device_list(&options, index), uses[_i].count);
    ck_assert_int_eq(ca_devices_of(backend, &options, device), uses[_i].count);
    for (int i = 0; i < uses[_i].count; i++) {
        if (i < 4)
            ck_assert_int_eq(index[i], uses[_i].index[i]);
        ck_assert_int_eq(device[i].index, index[i]);
        power = ca_fact_plus(power, device[i].power_w);
    }
    ck_assert_int_eq(ca_device_index(&options), uses[_i].index[0]);
    ck_assert_int_eq(power.known, uses[_i].power_w > 0);
    ck_assert(!power.known || fabs(power.value - uses[_i].power_w) < 0.1);
    ck_assert_int_eq(ca_energy_of(backend, &options).known, uses[_i].joules > 0);
    if (uses[_i].joules > 0) /* each counter is at least at 1000 J */
        ck_assert(ca_energy_of(backend, &options).value > 1000.0 * uses[_i].count);
}
END_TEST

START_TEST(without_nvml_all_is_unknown)
{
    struct ca_device gpu;

    setenv("CALAB_NVML", _i ? test_program() : "/nowhere/nvml.so", 1);
    ck_assert_ok(ca_device_gpu(0, &gpu, &error));
    ck_assert(!gpu.clock_mhz.known && !gpu.power_w.known && !gpu.temperature_c.known);
    ck_assert(!gpu.energy_j.known && !gpu.memory_free_bytes.known && !gpu.utilisation.known);
    ck_assert(gpu.memory_bytes.known && !gpu.ecc.known);
    ck_assert(!ca_gpu_energy(0).known);
    ck_assert_str_eq(ca_nvml_driver(), "");
}
END_TEST

/* --- the GPUs of a lattice ------------------------------------------------------------------- */

static const struct {
    const char *settings;
    int index[4], count;
} lists[] = {
    {NULL, {0}, 1},
    {"device=2", {2}, 1},
    {"devices=2,0", {2, 0}, 2},
    {"devices=all", {0, 1, 2}, 3},
    {"devices=2,0 ranks=5", {2, 0}, 2},
    {"devices=2,0,1 ranks=2", {2, 0}, 2},
    {"devices=0,1,2 ranks=1", {0}, 1},
    {"ranks=4", {0}, 1},
};

START_TEST(lists_its_gpus)
{
    struct ca_experiment e =
        kernel_experiment("anneal", "cuda-naive", "64x64", NULL, 1, lists[_i].settings);
    int index[CA_RANKS_MAX];

    setenv("CALAB_EMULATED_DEVICES", "3", 1);
    ck_assert_int_eq(ca_device_list(&e.options, index), lists[_i].count);
    for (int i = 0; i < lists[_i].count; i++)
        ck_assert_int_eq(index[i], lists[_i].index[i]);
}
END_TEST

/* The sum of all, unknown where one GPU has no counter. */
START_TEST(energy_of_all)
{
    static const char *const settings[] = {"devices=0", "devices=0,3", "devices=0,1"};
    struct ca_fact energy[3];

    emulated_nvml_load();
    setenv("CALAB_EMULATED_DEVICES", "5", 1);
    for (int i = 0; i < 3; i++) {
        struct ca_experiment e =
            kernel_experiment("anneal", "cuda-naive", "64x64", NULL, 1, settings[i]);

        energy[i] = ca_energy_of(e.backend, &e.options);
    }
    ck_assert(energy[0].known && energy[1].known && !energy[2].known);
    ck_assert_double_gt(energy[1].value, 1.9 * energy[0].value);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {ecc_is_told, left_to_another_process, run_names_its_device,
                              lattice_that_just_fits_can_be_seen, some_figures_are_known,
                              other_figures_are_unknown, energy_of_all},
                     .table = {{listed_as_text, PLACES},
                               {listed_as_json, PLACES},
                               {doctor_says, PLACES},
                               {run_needs_one, PLACES},
                               {engine_tells_which, PLACES},
                               {run_is_refused, COUNT(refusals)},
                               {several_are_used, COUNT(uses)},
                               {without_nvml_all_is_unknown, 2},
                               {lists_its_gpus, COUNT(lists)}});
}
