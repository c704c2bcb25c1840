/* SPDX-License-Identifier: MIT */
/* The facts of the CPU are read from /proc and /sys and unknown without them. */
#include "core/machine/device.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/number.h"
#include "core/machine/cuda.h"

bool ca_machine_file(char *text, size_t size, const char *format, ...)
{
    char path[PATH_MAX];
    va_list arguments;
    ssize_t got = -1;
    int length, file;

    va_start(arguments, format);
    length = vsnprintf(path, sizeof path, format, arguments);
    va_end(arguments);
    file = length < (int)sizeof path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file >= 0) {
        got = read(file, text, size - 1);
        close(file);
    }
    text[got > 0 ? got : 0] = '\0';
    return got > 0;
}

/* The number at the head of a text; unknown where there is none. */
static struct ca_fact number_of(const char *text, double scale)
{
    char *end;
    double number = strtod(text, &end);

    return end != text ? (struct ca_fact){true, number * scale} : (struct ca_fact){0};
}

int ca_cpu_cores(void)
{
    double quota, period;
    char text[64];
    cpu_set_t set;
    int cores;

    if (sched_getaffinity(0, sizeof set, &set) == 0)
        cores = CPU_COUNT(&set);
    else
        cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    /* The CPU bandwidth that a cgroup allows, in cores. */
    if (ca_machine_file(text, sizeof text, "/sys/fs/cgroup/cpu.max") &&
        sscanf(text, "%lf %lf", &quota, &period) == 2 && period > 0) {
        int limit = (int)((quota + period - 1) / period);

        cores = limit > 0 && limit < cores ? limit : cores;
    }
    return cores < 1 ? 1 : cores;
}

static struct ca_fact meminfo(const char *text, const char *key)
{
    const char *line = strstr(text, key);

    return line ? number_of(line + strlen(key), 1024) : (struct ca_fact){0};
}

/* The memory of the host or, where that is less, what control groups leave of it. */
static void read_memory(struct ca_fact *all, struct ca_fact *available)
{
    const struct ca_cgroup_memory group = ca_cgroup_memory("/proc/self/cgroup", "/sys/fs/cgroup");
    char text[4096];

    ca_machine_file(text, sizeof text, "/proc/meminfo");
    *all = meminfo(text, "MemTotal:");
    *available = meminfo(text, "MemAvailable:");
    if (group.limit.known && group.limit.value < all->value)
        *all = group.limit;
    if (group.available.known && group.available.value < available->value)
        *available = group.available;
}

uint64_t ca_memory_available(void)
{
    struct ca_fact all, available;

    read_memory(&all, &available);
    return available.known ? (uint64_t)available.value : 0;
}

/* Reads name and mean clock of the cores from the "key : value" lines of /proc/cpuinfo. */
static void read_cpuinfo(struct ca_device *device)
{
    FILE *file = fopen("/proc/cpuinfo", "re");
    char line[512];
    double mhz = 0;
    int clocks = 0;

    while (file && fgets(line, sizeof line, file)) {
        char *value = strchr(line, ':');

        if (!value)
            continue;
        value += strspn(value, ": \t");
        value[strcspn(value, "\n")] = '\0';
        if (!device->name[0] && strncmp(line, "model name", 10) == 0)
            snprintf(device->name, sizeof device->name, "%.127s", value);
        if (strncmp(line, "cpu MHz", 7) == 0) {
            mhz += strtod(value, NULL);
            clocks++;
        }
    }
    if (file)
        fclose(file);
    if (clocks > 0)
        device->clock_mhz = (struct ca_fact){true, mhz / clocks};
}

/* Reads the temperature of the first zone of a CPU package, or of any x86 package sensor. */
static struct ca_fact cpu_temperature(void)
{
    char text[64];

    for (int zone = 0; zone < 32; zone++) {
        if (!ca_machine_file(text, sizeof text, "/sys/class/thermal/thermal_zone%d/type", zone))
            break;
        if (!strstr(text, "pkg") && !strstr(text, "cpu"))
            continue;
        ca_machine_file(text, sizeof text, "/sys/class/thermal/thermal_zone%d/temp", zone);
        return number_of(text, 1e-3);
    }
    return (struct ca_fact){0};
}

/* The energy of all packages in joules since the first reading, across wraps of the counters. */
static struct ca_fact cpu_energy(void)
{
    static double last[8], wrapped[8];
    struct ca_fact sum = {0};
    char text[64];

    for (int package = 0; package < 8; package++) {
        struct ca_fact energy, range;

        ca_machine_file(text, sizeof text, "/sys/class/powercap/intel-rapl:%d/energy_uj", package);
        energy = number_of(text, 1e-6);
        if (!energy.known)
            break;
        ca_machine_file(text, sizeof text, "/sys/class/powercap/intel-rapl:%d/max_energy_range_uj",
                        package);
        range = number_of(text, 1e-6);
        if (energy.value < last[package] && range.known)
            wrapped[package] += range.value;
        last[package] = energy.value;
        sum.known = true;
        sum.value += energy.value + wrapped[package];
    }
    return sum;
}

void ca_device_cpu(struct ca_device *device)
{
    static double last_s, last_j;
    double now;

    *device = (struct ca_device){.kind = CA_CPU, .cores = ca_cpu_cores()};
    read_cpuinfo(device);
    if (!device->name[0])
        snprintf(device->name, sizeof device->name, "CPU");
    device->temperature_c = cpu_temperature();
    device->energy_j = cpu_energy();
    now = ca_now();
    if (device->energy_j.known && last_s > 0 && now > last_s)
        device->power_w =
            (struct ca_fact){true, (device->energy_j.value - last_j) / (now - last_s)};
    last_s = now;
    last_j = device->energy_j.value;
    read_memory(&device->memory_bytes, &device->memory_free_bytes);
    ca_machine_file(device->governor, sizeof device->governor,
                    "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    device->governor[strcspn(device->governor, "\n")] = '\0';
}

struct ca_fact ca_fact_plus(struct ca_fact a, struct ca_fact b)
{
    return a.known && b.known ? (struct ca_fact){true, a.value + b.value} : (struct ca_fact){0};
}

const char *ca_device_ecc(const struct ca_device *device)
{
    return !device->ecc.known ? "" : device->ecc.value > 0 ? ", ECC on" : ", ECC off";
}

int ca_device_numbers(const char *text, int index[CA_RANKS_MAX])
{
    uint64_t named = 0;
    const char *end;
    int count = 0;

    if (strcmp(text, "all") == 0)
        return CA_DEVICES_ALL;
    for (; *text; text = *end ? end + 1 : end) {
        uint64_t number;

        end = ca_take_digits(text, &number);
        if (!end || number >= CA_RANKS_MAX || named >> number & 1 ||
            (*end && (*end != ',' || !end[1])))
            return CA_DEVICES_WRONG;
        named |= UINT64_C(1) << number;
        index[count++] = (int)number;
    }
    return count;
}

enum ca_status ca_devices_check(const char *text, struct ca_error *error)
{
    int index[CA_RANKS_MAX];

    if (ca_device_numbers(text, index) != CA_DEVICES_WRONG)
        return CA_OK;
    return ca_fail(error, CA_USAGE,
                   "devices: '%.80s' is not allowed: numbers of GPUs with commas, each once, as "
                   "in 0,1, or all",
                   text);
}

int ca_device_list(const struct ca_values *options, int index[CA_RANKS_MAX])
{
    int one = ca_values_find(options, "device"), several = ca_values_find(options, "devices");
    int row = ca_values_find(options, "ranks");
    int ranks = row < 0 ? 0 : (int)options->value[row].number;
    int count = several < 0 ? 0 : ca_device_numbers(options->value[several].text, index);

    if (count == CA_DEVICES_ALL)
        for (count = 0; count < ca_cuda_devices() && count < CA_RANKS_MAX; count++)
            index[count] = count;
    if (count <= 0) {
        index[0] = one < 0 ? 0 : (int)options->value[one].number;
        return 1;
    }
    return ranks > 0 && ranks < count ? ranks : count; /* fewer ranks take the first GPUs */
}

int ca_device_index(const struct ca_values *options)
{
    int index[CA_RANKS_MAX];

    ca_device_list(options, index);
    return index[0];
}

char *ca_device_label(char text[CA_DEVICE_LABEL], const struct ca_values *options)
{
    int several = ca_values_find(options, "devices");
    const char *list = several < 0 ? "" : options->value[several].text;

    if (strcmp(list, "all") == 0)
        snprintf(text, CA_DEVICE_LABEL, "all GPUs");
    else if (list[0])
        snprintf(text, CA_DEVICE_LABEL, "GPU %.70s", list);
    else
        snprintf(text, CA_DEVICE_LABEL, "GPU %d", ca_device_index(options));
    return text;
}

static void read_gpu(int index, struct ca_device *device)
{
    struct ca_error error;

    if (ca_device_gpu(index, device, &error) != CA_OK)
        snprintf(device->name, sizeof device->name, "unknown: %.100s", error.text);
}

void ca_device_of(const struct ca_backend *backend, const struct ca_values *options,
                  struct ca_device *device)
{
    if (backend->device == CA_CPU)
        ca_device_cpu(device);
    else
        read_gpu(ca_device_index(options), device);
}

int ca_devices_of(const struct ca_backend *backend, const struct ca_values *options,
                  struct ca_device device[CA_RANKS_MAX])
{
    int index[CA_RANKS_MAX], count = ca_device_list(options, index);

    if (backend->device == CA_CPU) {
        ca_device_cpu(device);
        return 1;
    }
    for (int i = 0; i < count; i++)
        read_gpu(index[i], &device[i]);
    return count;
}

bool ca_device_emulated(const struct ca_backend *backend)
{
    return backend->emulated || (backend->device == CA_CUDA && ca_cuda_emulated());
}

struct ca_fact ca_energy_of(const struct ca_backend *backend, const struct ca_values *options)
{
    int index[CA_RANKS_MAX], count = ca_device_list(options, index);
    struct ca_fact sum = {.known = true};

    if (backend->device == CA_CPU)
        return cpu_energy();
    for (int i = 0; i < count; i++)
        sum = ca_fact_plus(sum, ca_gpu_energy(index[i]));
    return sum;
}
