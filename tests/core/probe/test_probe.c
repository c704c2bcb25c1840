/* SPDX-License-Identifier: MIT */
/* probe: which ceiling counts, the file that keeps them, and what is wrong with one. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/file.h"
#include "core/machine/device.h"
#include "core/probe/probe.h"
#include "tests/support/program.h"
#include "tests/support/support.h"

static struct ca_error error;

START_TEST(ceilings)
{
    struct ca_probe probe = {.threads = 4, .logic_gops = {10, 30}};
    enum ca_level level;

    for (int i = 0; i < CA_LEVELS; i++) {
        probe.level[i].bytes = i < CA_MEMORY ? 1000 << (10 * i) : 0;
        probe.level[i].copy_gb[0] = 100 >> i;
        probe.level[i].copy_gb[1] = 300 >> i;
        probe.level[i].stream_gb[0] = 20;
        probe.level[i].stream_gb[1] = 60;
    }
    ck_assert_double_eq(ca_probe_copy(&probe, 1000, 1, &level), 100);
    ck_assert_int_eq(level, CA_L1);
    ck_assert_double_eq(ca_probe_copy(&probe, 1001, 1, &level), 50);
    ck_assert_double_eq(ca_probe_copy(&probe, 4000, 4, &level), 300);
    ck_assert_int_eq(level, CA_L1);
    ck_assert_double_eq(ca_probe_copy(&probe, 1001, 2, NULL), 200);
    ck_assert_double_eq(ca_probe_copy(&probe, 1e15, 0, &level), 60); /* streaming is faster */
    ck_assert_int_eq(level, CA_MEMORY);
    ck_assert_double_eq(ca_probe_logic(&probe, 1), 10);
    ck_assert_double_eq(ca_probe_logic(&probe, 2), 20);
    ck_assert_double_eq(ca_probe_logic(&probe, 3), 30);
    ck_assert_double_eq(ca_probe_logic(&probe, 99), 30);
}
END_TEST

static struct outcome calab_on(const char *terminal, const char *arguments)
{
    static char cache[4200];
    const char *const variable[] = {cache, NULL};
    const struct surroundings s = {.term = terminal, .variable = variable};

    snprintf(cache, sizeof cache, "XDG_CACHE_HOME=%s", test_folder());
    return calab_in(&s, "%s", arguments);
}

static struct outcome calab_cached(const char *arguments) { return calab_on(NULL, arguments); }

/* What cannot be kept is shown all the same. */
START_TEST(probe_that_is_not_kept)
{
    const char *const variable[] = {"XDG_CACHE_HOME=/dev/null", NULL};
    const struct surroundings s = {.variable = variable};
    struct outcome o = calab_in(&s, "probe");

    ck_assert_int_eq(o.status, 8);
    ck_assert_contains(o.err, "/dev/null/calab");
    ck_assert_contains(o.out, "not cached\n", "by 1 thread");
}
END_TEST

/* Measured once, then read; shown by doctor; a spoilt file is measured anew. */
START_TEST(probe_command)
{
    struct outcome first = calab_cached("probe --json"), again, doctor;
    json_t *json = outcome_json(&first);
    char path[4400], host[64] = "";
    char *bytes;

    ck_assert_msg(first.status == 0, "%s", first.err);
    ck_assert_str_eq(json_text(json, "schema"), "calab-probe/1");
    snprintf(host, sizeof host, "%s", json_text(json, "host"));
    snprintf(path, sizeof path, "%s/calab/probe-%s.json", test_folder(), host);
    bytes = test_read(path, NULL);
    ck_assert_str_eq(bytes, first.out);
    free(bytes);
    if (!json_object_get(json, "disturbed")) { /* which would be measured again */
        again = calab_cached("probe --json");
        ck_assert_str_eq(again.out, first.out);
    }
    json_object_del(json, "disturbed");
    bytes = json_dumps(json, 0);
    test_write(path, bytes, strlen(bytes));
    free(bytes);
    again = calab_cached("probe");
    ck_assert_contains(again.out, json_text(json, "date"));
    ck_assert_contains(again.out, "memory", "logic");
    doctor = calab_cached("doctor");
    ck_assert_contains(doctor.out, "measured ", "memory: copies ");
    test_write(path, "{", 1);
    doctor = calab_cached("doctor");
    ck_assert_int_eq(doctor.status, 0);
    ck_assert_contains(doctor.out, "probe-");
    again = calab_cached("probe --json");
    ck_assert_int_eq(again.status, 0);
    ck_assert_int_gt(strlen(again.out), 100);
}
END_TEST

START_TEST(progress_line)
{
    struct outcome o = calab_on("xterm", "probe");

    ck_assert_int_eq(o.status, 0);
    ck_assert_contains(o.err, "copying in L1 by one thread");
    ck_assert_int_eq(remove(test_text("%s/calab%s", test_folder(), strrchr(ca_probe_path(), '/'))),
                     0); /* it would stay if others disturbed the second one alone */
    o = calab_on("xterm", "probe --force -q");
    ck_assert_int_eq(o.status, 0);
    ck_assert_contains(o.err, "copy 1 GB/s"); /* the terminal is stdout too */
    ck_assert_ptr_null(strstr(o.err, "copying in"));
}
END_TEST

static const struct {
    const char *text, *part;
} probes[] = {
    {"{", "probe.json:1"},
    {"{}", "not a complete calab-probe/1"},
    {"{\"schema\": \"calab-probe/1\", \"isa\": \"avx2\", \"threads\": 1}", "not a complete"},
};

START_TEST(bad_probes)
{
    const char *path = test_path("probe.json");
    struct ca_probe probe;

    test_write(path, probes[_i].text, strlen(probes[_i].text));
    ck_assert_int_eq(ca_probe_read(&probe, path, &error), CA_IO);
    ck_assert_contains(error.text, probes[_i].part);
}
END_TEST

START_TEST(probes_elsewhere)
{
    struct ca_probe probe = {
        .host = "h", .cpu = "another", .date = "d", .threads = 1, .logic_gops = {1, 1}};

    for (int i = 0; i < CA_LEVELS; i++)
        probe.level[i].copy_gb[0] = probe.level[i].copy_gb[1] = probe.level[i].stream_gb[0] =
            probe.level[i].stream_gb[1] = 1;
    ck_assert_ok(ca_probe_write(&probe, test_path("p.json"), &error));
    ck_assert_int_eq(ca_probe_read(&probe, test_path("p.json"), &error), CA_IO);
    ck_assert_contains(error.text, "measured on another");
    ck_assert_int_eq(ca_probe_read(&probe, test_path("q.json"), &error), CA_IO);
    ck_assert_contains(error.text, "calab probe does it");
    ck_assert_int_eq(ca_probe_read(&probe, "", &error), CA_IO);
    ck_assert_contains(error.text, "HOME");
    ck_assert_int_eq(ca_probe_write(&probe, "/proc/none/p.json", &error), CA_IO);
}
END_TEST

/* GPUs are kept and found by their names, emulated ones without rates; a file without any is as
 * good. */
START_TEST(gpus)
{
    struct outcome measured = calab_cached("probe --json");
    const char *path = test_path("gpus.json");
    struct ca_probe probe, again;

    test_write(path, measured.out, strlen(measured.out));
    ck_assert_ok(ca_probe_read(&probe, path, &error));
    probe.gpus = 3;
    strcpy(probe.gpu[0].name, "NVIDIA A");
    strcpy(probe.gpu[1].name, "NVIDIA B");
    probe.gpu[2] = (struct ca_gpu_probe){.name = "none", .l2_bytes = 1 << 20, .emulated = true};
    for (int r = 0; r < CA_GPU_RATES; r++) {
        probe.gpu[0].rate[r] = 1 + r;
        probe.gpu[1].rate[r] = 100 + r;
    }
    probe.gpu[1].l2_bytes = 60 << 20;
    ck_assert_ok(ca_probe_write(&probe, path, &error));
    ck_assert_ok(ca_probe_read(&again, path, &error));
    ck_assert_int_eq(again.gpus, 3);
    ck_assert(ca_probe_gpu(&again, "none")->emulated);
    ck_assert_int_eq(ca_probe_gpu(&again, "none")->l2_bytes, 1 << 20);
    ck_assert(!ca_probe_gpu(&again, "NVIDIA B")->emulated);
    ck_assert_double_eq(ca_probe_gpu(&again, "NVIDIA A")->rate[CA_GPU_LOGIC], 1 + CA_GPU_LOGIC);
    ck_assert_double_eq(ca_probe_gpu(&again, "NVIDIA B")->rate[CA_GPU_TO_HOST],
                        100 + CA_GPU_TO_HOST);
    ck_assert_int_eq(ca_probe_gpu(&again, "NVIDIA B")->l2_bytes, 60 << 20);
    ck_assert_ptr_null(ca_probe_gpu(&again, "NVIDIA C"));
    probe.gpu[1].rate[CA_GPU_SHIFT] = 0; /* nothing is a percentage of that */
    ck_assert_ok(ca_probe_write(&probe, path, &error));
    ck_assert_int_eq(ca_probe_read(&again, path, &error), CA_IO);
    ck_assert_contains(error.text, "not a complete");
}
END_TEST

/* --- what others do ----------------------------------------------------------------------------
 */

static const struct ca_interference idle = {.seconds = 0.1,
                                            .cores = 2,
                                            .threads = 2,
                                            .waited = {true, 0},
                                            .others = {true, 0},
                                            .speed = 1e9};

/* A disturbed figure is measured again while there is time; its last sample counts. */
START_TEST(disturbed_figures_are_repeated)
{
    struct ca_probe_watch watch = {.left_s = 0.25};
    struct ca_interference busy = idle, slow = idle;
    struct ca_probe probe = {.others = "before"};

    busy.others.value = 1.3;
    ck_assert(!ca_probe_again(&watch, &idle));
    ck_assert(ca_probe_again(&watch, &busy));
    ck_assert(!ca_probe_again(&watch, &idle));
    ca_probe_mark(&probe, &watch);
    ck_assert_str_eq(probe.others, "");
    ck_assert(ca_probe_again(&watch, &busy));
    ck_assert(ca_probe_again(&watch, &busy));
    ck_assert(!ca_probe_again(&watch, &busy)); /* the time is up */
    ck_assert(!ca_probe_again(&watch, &idle));
    ca_probe_mark(&probe, &watch);
    ck_assert_str_eq(probe.others, "others used 1.3 of 2 cores");
    watch = (struct ca_probe_watch){.left_s = 1};
    slow.speed = 0.5e9;
    ck_assert(!ca_probe_again(&watch, &slow)); /* as far as is known, the core is no faster */
    ck_assert(!ca_probe_again(&watch, &idle));
    ck_assert(ca_probe_again(&watch, &slow));
}
END_TEST

/* Ceilings of this machine, as if measured. */
static struct ca_probe made(const char *date, const char *others)
{
    struct ca_probe probe = {.isa = ca_cpu_isa(), .logic_gops = {1, 1}};
    struct ca_device device;

    ca_device_cpu(&device);
    memcpy(probe.cpu, device.name, sizeof probe.cpu);
    probe.threads = device.cores;
    strcpy(probe.date, date);
    strcpy(probe.others, others);
    for (int i = 0; i < CA_LEVELS; i++)
        for (int which = 0; which < 2; which++)
            probe.level[i].copy_gb[which] = probe.level[i].stream_gb[which] = 1;
    return probe;
}

static void keep(const struct ca_probe *probe, enum ca_status status, const char *date,
                 const char *others)
{
    const char *path = test_path("kept.json");
    struct ca_probe kept;

    ck_assert_msg(ca_probe_keep(probe, path, &error) == status, "%s", error.text);
    ck_assert_ok(ca_probe_read(&kept, path, &error));
    ck_assert_str_eq(kept.date, date);
    ck_assert_str_eq(kept.others, others);
}

/* Disturbed ceilings replace none but disturbed ones, those of another machine or fewer GPUs. */
START_TEST(undisturbed_ceilings_stay)
{
    static const char busy[] = "others used 1.3 of 2 cores";
    struct ca_probe first = made("1", busy), second = made("2", busy), third = made("3", ""),
                    fourth = made("4", busy), fifth = made("5", "");
    struct ca_error said;

    remove(test_path("kept.json"));
    keep(&first, CA_OK, "1", busy);
    keep(&second, CA_OK, "2", busy);
    keep(&third, CA_OK, "3", "");
    ck_assert_int_eq(ca_probe_keep(&fourth, test_path("kept.json"), &said), CA_TIMEOUT);
    ck_assert_contains(said.text, busy, "keeps those of 3, when nothing disturbed");
    keep(&fourth, CA_TIMEOUT, "3", "");
    keep(&fifth, CA_OK, "5", "");
    fourth.gpus = 1;
    fourth.gpu[0] = (struct ca_gpu_probe){.name = "new", .emulated = true};
    keep(&fourth, CA_OK, "4", busy);
    ck_assert_int_eq(ca_probe_keep(&first, "/proc/none/p.json", &error), CA_IO);
}
END_TEST

/* Who shows ceilings, or shares of them, says that they were disturbed. */
START_TEST(shown_with_the_mark)
{
    static const char busy[] = "others used 1.3 of 2 cores";
    struct ca_probe probe = made("a day", busy);
    char path[4400];
    struct outcome o;

    snprintf(path, sizeof path, "%s/calab%s", test_folder(), strrchr(ca_probe_path(), '/'));
    ck_assert_ok(ca_file_parents(path, &error));
    ck_assert_ok(ca_probe_write(&probe, path, &error));
    o = calab_cached("doctor");
    ck_assert_contains(o.out, "measured a day by calab probe while others used 1.3 of 2 cores");
    o = calab_cached("bench anneal -b reference -s 16x16 --time 0.01");
    ck_assert_contains(o.out, "ceilings that were measured while others used 1.3 of");
    o = calab_cached("bench anneal -b reference -s 16x16 --time 0.01 --csv -v");
    ck_assert_contains(o.out, "# shares: of ceilings that were measured while others used 1.3");
    o = calab_cached("bench anneal -b reference -s 16x16 --time 0.01 --json");
    ck_assert_contains(o.out, "\"others\": \"others used 1.3 of 2 cores\"");
}
END_TEST

int main(void)
{
    return RUN_TESTS(.setup = test_hurry,
                     .test = {ceilings, probe_that_is_not_kept, probe_command, progress_line,
                              probes_elsewhere, gpus, disturbed_figures_are_repeated,
                              undisturbed_ceilings_stay, shown_with_the_mark},
                     .table = {{bad_probes, COUNT(probes)}});
}
