/* SPDX-License-Identifier: MIT */
/* probe and bench on a GPU: every ceiling is measured, failures are told, percentages follow. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bench/report.h"
#include "core/machine/cuda.h"
#include "core/machine/device.h"
#include "core/probe/probe.h"
#include "tests/support/program.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

static struct ca_error error;

START_TEST(all_rates)
{
    struct ca_gpu_probe probe;
    struct ca_cuda_device device;

    ck_assert_ok(ca_cuda_device(0, &device, &error));
    ck_assert_ok(ca_gpu_probe_measure(&probe, 0, &error));
    ck_assert_str_eq(probe.name, device.name);
    ck_assert_int_eq(probe.l2_bytes, device.l2_bytes);
    for (int i = 0; i < CA_GPU_RATES; i++)
        ck_assert_msg(probe.rate[i] > 0, "%s is %g", ca_gpu_rates[i].key, probe.rate[i]);
}
END_TEST

static const struct {
    const char *fail; /* as CALAB_EMULATED_FAIL has it; NULL: there is no such device */
    enum ca_status status;
    const char *part;
} failures[] = {
    {NULL, CA_NO_DEVICE, "no GPU 63"},
    {"cudaStreamCreate:1", CA_CUDA_FAILED, "GPU 0: probing its memory: "},
    {"cudaEventCreate:2", CA_CUDA_FAILED, "GPU 0: probing its memory: "},
    {"cudaMalloc:2", CA_CUDA_FAILED, "GPU 0: probing its memory: "},
    {"cudaMallocHost:1", CA_CUDA_FAILED, "GPU 0: probing its memory: "},
    {"cudaLaunchKernelEx:1", CA_CUDA_FAILED, "GPU 0: probing its copy in memory, by a kernel: "},
    {"cudaEventSynchronize:3", CA_CUDA_FAILED, "GPU 0: probing its copy in memory, by the driver"},
};

/* Nothing is left behind either, which the sanitizer sees. */
START_TEST(told)
{
    struct ca_gpu_probe probe;

    if (failures[_i].fail)
        setenv("CALAB_EMULATED_FAIL", failures[_i].fail, 1);
    ck_assert_int_eq(ca_gpu_probe_measure(&probe, failures[_i].fail ? 0 : 63, &error),
                     failures[_i].status);
    ck_assert_contains(error.text, failures[_i].part);
}
END_TEST

/* By working set and by what a backend computes with. */
START_TEST(ceilings)
{
    static const struct {
        const char *model, *size, *settings;
        double copy_gb, gops;
        const char *level;
    } cases[] = {
        {"anneal", "64x64", NULL, 300, 40, "L2"},
        {"anneal", "4096x4096", NULL, 200, 40, "memory"},
        {"water", "64x64", NULL, 300, 60, "L2"},
        {"water", "2048x2048", NULL, 200, 60, "memory"},
        /* two GPUs, each of which holds a half */
        {"anneal", "64x64", "devices=0,1", 600, 80, "L2"},
        {"anneal", "1024x768", NULL, 200, 40, "memory"},
        {"anneal", "1024x768", "devices=0,1 exchange=2", 600, 80, "L2"},
        {"anneal", "4096x4096", "devices=0,1", 400, 80, "memory"},
    };
    struct ca_probe probe = {.gpus = 2, .gpu = {{.name = "another"}, {.name = ""}}};
    struct ca_cuda_device device;

    setenv("CALAB_EMULATED_DEVICES", "2", 1);
    ck_assert_ok(ca_cuda_device(0, &device, &error));
    strcpy(probe.gpu[1].name, device.name);
    probe.gpu[1].l2_bytes = 2 << 20;
    for (int i = 0; i < CA_GPU_RATES; i++)
        probe.gpu[1].rate[i] = 1;
    probe.gpu[1].rate[CA_GPU_COPY] = 100;
    probe.gpu[1].rate[CA_GPU_KERNEL_COPY] = 200;
    probe.gpu[1].rate[CA_GPU_L2_COPY] = 300;
    probe.gpu[1].rate[CA_GPU_LOGIC] = 40;
    probe.gpu[1].rate[CA_GPU_FLOAT] = 60;
    probe.gpu[1].rate[CA_GPU_LAUNCH] = 250;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *backend = strcmp(cases[i].model, "water") == 0 ? "cuda-global" : "cuda-naive";
        struct ca_experiment e =
            kernel_experiment(cases[i].model, backend, cases[i].size, NULL, 1, cases[i].settings);
        struct ca_plan plan;
        struct ca_ceilings found;

        ck_assert_ok(ca_experiment_plan(&e, &plan, &error));
        found = ca_probe_ceilings(&probe, &e, &plan);

        ck_assert_double_eq(found.copy_gb, cases[i].copy_gb);
        ck_assert_double_eq(found.gops, cases[i].gops);
        ck_assert_str_eq(found.level, cases[i].level);
        ck_assert_double_eq(found.launches, 250e3);
        probe.gpus = 1;
        found = ca_probe_ceilings(&probe, &e, &plan);
        ck_assert_double_eq(found.copy_gb, 0);
        ck_assert_double_eq(found.gops, 0);
        ck_assert_double_eq(found.launches, 0);
        probe.gpus = 2;
    }
}
END_TEST

/* 400 passes a second of 500 launches that there could be: bound by launches, if nothing is nearer.
 */
START_TEST(bound_by_launches)
{
    static struct ca_bench_line line;
    struct ca_bench bench = {.line = &line, .count = 1};
    static struct ca_bench_report report = {.probed = true};
    struct ca_gpu_probe *gpu = &report.probe.gpu[0];
    struct ca_cuda_device device;
    char text[32];

    report.bench = &bench;
    ck_assert_ok(ca_cuda_device(0, &device, &error));
    report.probe.gpus = 1;
    strcpy(gpu->name, device.name);
    for (int i = 0; i < CA_GPU_RATES; i++)
        gpu->rate[i] = 1000;
    gpu->rate[CA_GPU_LAUNCH] = 0.5;
    line.experiment = kernel_experiment("anneal", "cuda-naive", "64x64", NULL, 1, NULL);
    ck_assert_ok(ca_experiment_plan(&line.experiment, &line.plan, &error));
    line.available = true;
    line.experiment.steps = line.passes = 4;
    line.stats = (struct ca_bench_stats){.n = 5, .median = 0.01};
    ck_assert_double_eq_tol(ca_bench_launch_percent(&report, &line), 80, 1e-9);
    ck_assert_str_eq(ca_bench_bound(text, &report, &line), "launch 80%");
    line.passes = 2; /* two generations a pass */
    ck_assert_str_eq(ca_bench_bound(text, &report, &line), "overhead");
    gpu->l2_bytes = 1 << 30;
    gpu->rate[CA_GPU_L2_COPY] = 1e-3;
    ck_assert_str_eq(ca_bench_bound(text, &report, &line), "L2 164%");
}
END_TEST

static struct outcome calab_cached(const char *arguments)
{
    static char cache[4200];
    const char *const variable[] = {cache, NULL};
    const struct surroundings s = {.variable = variable};

    snprintf(cache, sizeof cache, "XDG_CACHE_HOME=%s", test_folder());
    return calab_in(&s, "%s", arguments);
}

/* Nothing of an emulated GPU is given as a speed, and what is known of a real one is kept. */
START_TEST(commands)
{
    struct outcome json = calab_cached("probe --json"), text = calab_cached("probe"), bench;
    struct outcome doctor = calab_cached("doctor");
    json_t *root = outcome_json(&json), *line, *gpu;

    ck_assert_contains(ca_probe_path(), "-emulated.json");
    ck_assert_msg(json.status == 0, "%s", json.err);
    gpu = json_at(root, "gpus.0");
    for (int i = 0; i < CA_GPU_RATES; i++) {
        ck_assert_ptr_null(json_object_get(gpu, ca_gpu_rates[i].key));
        ck_assert_ptr_null(strstr(text.out, ca_gpu_rates[i].help));
    }
    ck_assert(json_is_true(json_object_get(gpu, "emulated")));
    ck_assert(json_whole(gpu, "l2_bytes") > 0);
    ck_assert_contains(text.out, CA_NOT_A_SPEED);
    ck_assert_contains(doctor.out, CA_NOT_A_SPEED);
    ck_assert_ptr_null(strstr(doctor.out, "operations on 32 bits"));
    if (!strstr(text.out, "# disturbed: ")) /* else the second command measures again */
        ck_assert_contains(text.out, json_text(root, "date"));
    ck_assert_contains(text.out, json_text(gpu, "name"));
    bench = calab_cached("bench anneal -s 64x64 -n 2 --time 0.01 -b cuda-naive --json");
    ck_assert_msg(bench.status == 0, "%s", bench.err);
    root = outcome_json(&bench);
    line = json_at(root, "lines.0");
    ck_assert(json_is_true(json_object_get(line, "emulated")));
    ck_assert_ptr_null(json_object_get(line, "copy_percent"));
    gpu = json_object_get(root, "provenance");
    ck_assert_str_eq(json_text(gpu, "runtime_cuda"), "13.0");
    gpu = json_at(gpu, "gpus.0");
    ck_assert(json_whole(gpu, "multiprocessors") > 0);
    bench = calab_cached("bench anneal -s 64x64 -n 2 --time 0.01 -b reference,cuda-naive -v");
    ck_assert_contains(bench.out, "# gpu 0: ", "# cuda: driver ", "device_ms");
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {bound_by_launches, all_rates, ceilings, commands},
                     .table = {{told, COUNT(failures)}});
}
