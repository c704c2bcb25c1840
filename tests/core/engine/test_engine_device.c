/* SPDX-License-Identifier: MIT */
/* The engine's devices in any build: what is not known is not told; parts of the ceilings. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/cuda.h"
#include "core/machine/device.h"
#include "core/probe/probe.h"
#include "tests/support/engine_peer.h"
#include "tests/support/support.h"

static struct ca_error error;

START_TEST(devices_are_listed)
{
    struct peer peer = peer_start();
    json_t *hello = peer_next(&peer, NULL), *list, *cuda, *cpu;
    bool runs = ca_needs_cuda(&error) == CA_OK;

    cuda = json_object_get(hello, "cuda");
    ck_assert_int_eq(json_is_true(json_object_get(cuda, "built")), CALAB_CUDA);
    ck_assert_int_eq(json_is_string(json_object_get(cuda, "runtime")), CALAB_CUDA);
    list = peer_ask(&peer, "{'id':1,'op':'list'}");
    cpu = json_at(list, "devices.0");
    ck_assert_str_eq(json_text(cpu, "kind"), "cpu");
    ck_assert_int_eq(json_whole(cpu, "cores"), ca_cpu_cores());
    ck_assert_uint_eq(json_array_size(json_object_get(list, "devices")),
                      1U + (size_t)ca_cuda_devices());
    cuda = json_object_get(list, "cuda");
    if (!runs)
        ck_assert_str_eq(json_text(cuda, "reason"), error.text);
    ck_assert_int_eq(json_object_get(cuda, "reason") != NULL, !runs);
    peer_finish(&peer, CA_OK);
}
END_TEST

/* What only GPUs have is missing of a processor, as is what it does not tell. */
START_TEST(unknown_figures_are_missing)
{
    static const char *const missing[] = {
        "compute",     "memory_clock_mhz", "power_limit_w",
        "utilisation", "held_by",          "joules_per_1e9_updates",
        "ecc"};
    struct peer peer = peer_open_anneal();
    struct ca_device device;
    const char *key;
    json_t *json, *value;

    ca_device_cpu(&device);
    json = peer_ask(&peer, "{'id':2,'op':'device'}");
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++)
        ck_assert_msg(!json_object_get(json, missing[i]), "%s", missing[i]);
    ck_assert_int_eq(json_object_get(json, "energy_j") != NULL, device.energy_j.known);
    ck_assert_int_eq(json_object_get(json, "temperature_c") != NULL, device.temperature_c.known);
    json_object_foreach(json, key, value) ck_assert_msg(!json_is_null(value), "%s", key);
    peer_finish(&peer, CA_OK);
}
END_TEST

/* A probe of this processor that copies 1000 GB/s and computes 10 Gop/s. */
static void write_probe(void)
{
    struct ca_device cpu;
    struct ca_probe probe = {.isa = ca_cpu_isa(), .logic_gops = {10, 10}};

    ca_device_cpu(&cpu);
    strcpy(probe.cpu, cpu.name);
    probe.threads = cpu.cores;
    for (int i = 0; i < CA_LEVELS; i++)
        for (int j = 0; j < 2; j++)
            probe.level[i].copy_gb[j] = probe.level[i].stream_gb[j] = 1000;
    ck_assert_ok(ca_probe_write(&probe, ca_probe_path(), &error));
}

static json_t *timing_after_steps(const char *backend)
{
    struct peer peer = peer_start();
    json_t *frame, *timing;

    peer_next(&peer, NULL);
    peer_gets(&peer, NULL, "{'id':1,'op':'open','model':'anneal','size':[96,64],'backend':'%s'}",
              backend);
    peer_gets(&peer, NULL, "{'id':2,'op':'step','n':50}");
    peer_say(&peer, "{'id':3,'op':'view'}");
    frame = peer_frame(&peer, NULL);
    timing = json_incref(json_object_get(frame, "timing"));
    peer_finish(&peer, CA_OK);
    return timing;
}

static double number(const json_t *json, const char *key)
{
    const json_t *value = json_object_get(json, key);

    ck_assert_msg(json_is_number(value), "%s", key);
    return json_number_value(value);
}

START_TEST(shares_need_a_probe)
{
    json_t *timing;
    double gops;

    setenv("XDG_CACHE_HOME", test_folder(), 1);
    timing = timing_after_steps("bitslice");
    ck_assert_ptr_null(json_object_get(timing, "copy_share"));
    ck_assert_ptr_null(json_object_get(timing, "logic_share"));
    ck_assert_ptr_null(json_object_get(timing, "transfer_s"));
    json_decref(timing);
    write_probe();
    timing = timing_after_steps("bitslice");
    ck_assert_double_eq_tol(number(timing, "copy_share"), number(timing, "gb_per_s") / 1000, 1e-9);
    gops = number(timing, "cells_per_s") * 21 / 64 / 1e9;
    ck_assert_double_eq_tol(number(timing, "logic_share"), gops / 10, gops * 1e-6);
    json_decref(timing);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {devices_are_listed, unknown_figures_are_missing,
                              shares_need_a_probe});
}
