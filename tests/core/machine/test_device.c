/* SPDX-License-Identifier: MIT */
/* Facts of the processor that tests run on, against what Linux says of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/cpu.h"
#include "core/machine/device.h"
#include "tests/support/support.h"

/* The value of a key's first line in a file of "key : value", NULL where it has none. */
static const char *value_of(const char *path, const char *key)
{
    static char line[512];
    FILE *file = fopen(path, "r");
    const char *value = NULL;

    while (file && !value && fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0 && strchr(line, ':'))
            value = strchr(line, ':') + 1 + strspn(strchr(line, ':') + 1, " \t");
    if (file)
        fclose(file);
    line[strcspn(line, "\n")] = '\0';
    return value;
}

START_TEST(name_and_cores)
{
    const char *name = value_of("/proc/cpuinfo", "model name");
    struct ca_device device;

    ca_device_cpu(&device);
    ck_assert_int_eq(device.kind, CA_CPU);
    ck_assert_str_eq(device.name, name ? name : "CPU");
    ck_assert_int_eq(device.cores, ca_cpu_cores());
}
END_TEST

/* It is the mean of the cores, which are not far from the first. */
START_TEST(clock)
{
    const char *text = value_of("/proc/cpuinfo", "cpu MHz");
    struct ca_device device;

    ca_device_cpu(&device);
    ck_assert_int_eq(device.clock_mhz.known, text != NULL);
    if (text) {
        ck_assert_double_gt(device.clock_mhz.value, atof(text) / 20);
        ck_assert_double_lt(device.clock_mhz.value, atof(text) * 20);
    }
}
END_TEST

START_TEST(memory)
{
    const char *total = value_of("/proc/meminfo", "MemTotal");
    struct ca_device device;

    ck_assert_ptr_nonnull(total);
    ca_device_cpu(&device);
    ck_assert(device.memory_bytes.known && device.memory_free_bytes.known);
    ck_assert_double_le(device.memory_bytes.value, 1024 * atof(total));
    ck_assert_double_gt(device.memory_bytes.value, 1 << 20);
    ck_assert_double_le(device.memory_free_bytes.value, device.memory_bytes.value);
    ck_assert_double_gt(device.memory_free_bytes.value, 1 << 20);
}
END_TEST

/* A sum of facts is as known as both are. */
START_TEST(sums)
{
    const struct ca_fact known[] = {{true, 3}, {true, 4}}, unknown = {false, 5};

    ck_assert(ca_fact_plus(known[0], known[1]).known);
    ck_assert_double_eq(ca_fact_plus(known[0], known[1]).value, 7);
    ck_assert(!ca_fact_plus(known[0], unknown).known);
    ck_assert(!ca_fact_plus(unknown, known[0]).known);
}
END_TEST

START_TEST(error_correction)
{
    struct ca_device device = {.kind = CA_CUDA};

    ck_assert_str_eq(ca_device_ecc(&device), "");
    device.ecc = (struct ca_fact){true, 1};
    ck_assert_str_eq(ca_device_ecc(&device), ", ECC on");
    device.ecc.value = 0;
    ck_assert_str_eq(ca_device_ecc(&device), ", ECC off");
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {name_and_cores, clock, memory, sums, error_correction});
}
