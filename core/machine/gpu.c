/* SPDX-License-Identifier: MIT */
/* The facts of a GPU come from CUDA, where they are constant, and otherwise from NVML, the driver's
 * management library: clocks, power, temperature, memory, energy. Its functions are declared here
 * by the names of its reference and loaded by dlopen at the first query, so that neither building
 * nor running needs the library. Without it, or if it does not know a figure, the fact stays
 * unknown. CALAB_NVML names another library than the system's. */
#include "core/machine/cuda.h"
#include "core/base/text.h"
#include "core/machine/interference.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "core/machine/driver.h"

#define SUCCESS 0
#define CLOCK_SM 1
#define CLOCK_MEMORY 2
#define SENSOR_GPU 0
#define PROCESSES_MAX 64
#define HELD 0xe8 /* reasons: hardware slowdown, temperature, hardware temperature, power brake */

typedef void *handle;

struct memory {
    unsigned long long total, free, used; /* bytes */
};

struct utilization {
    unsigned gpu, memory; /* percent of the last sample period */
};

/* nvmlProcessInfo_v2_t and nvmlProcessUtilizationSample_t. */
struct process {
    unsigned pid;
    unsigned long long memory;
    unsigned instance, compute_instance;
};

struct process_use {
    unsigned pid;
    unsigned long long at_us;
    unsigned sm, memory, encoder, decoder; /* percent of a sample period */
};

/* The library, NULL: not loaded. */
static struct {
    int (*init)(void);
    int (*driver)(char *text, unsigned size);
    int (*by_bus)(const char *bus, handle *device);
    int (*clock)(handle device, int type, unsigned *mhz);
    int (*power)(handle device, unsigned *milliwatts);
    int (*power_limit)(handle device, unsigned *milliwatts);
    int (*temperature)(handle device, int sensor, unsigned *celsius);
    int (*memory)(handle device, struct memory *memory);
    int (*utilization)(handle device, struct utilization *utilization);
    int (*reasons)(handle device, unsigned long long *bits);
    int (*energy)(handle device, unsigned long long *millijoules);
    int (*processes)(handle device, unsigned *count, struct process *process);
    int (*process_use)(handle device, struct process_use *use, unsigned *count,
                       unsigned long long since_us);
    int (*ecc)(handle device, unsigned *now, unsigned *later);
    int (*mig)(handle device, unsigned *now, unsigned *later);
} nvml;

/* The functions to load. A second row with a target is the older name, for drivers without the
 * first. */
static const struct {
    void *function;
    const char *name;
} symbols[] = {
    {&nvml.init, "nvmlInit_v2"},
    {&nvml.driver, "nvmlSystemGetDriverVersion"},
    {&nvml.by_bus, "nvmlDeviceGetHandleByPciBusId_v2"},
    {&nvml.clock, "nvmlDeviceGetClockInfo"},
    {&nvml.power, "nvmlDeviceGetPowerUsage"},
    {&nvml.power_limit, "nvmlDeviceGetEnforcedPowerLimit"},
    {&nvml.temperature, "nvmlDeviceGetTemperature"},
    {&nvml.memory, "nvmlDeviceGetMemoryInfo"},
    {&nvml.utilization, "nvmlDeviceGetUtilizationRates"},
    {&nvml.reasons, "nvmlDeviceGetCurrentClocksEventReasons"},
    {&nvml.reasons, "nvmlDeviceGetCurrentClocksThrottleReasons"},
    {&nvml.energy, "nvmlDeviceGetTotalEnergyConsumption"},
    {&nvml.processes, "nvmlDeviceGetComputeRunningProcesses_v3"},
    {&nvml.process_use, "nvmlDeviceGetProcessUtilization"},
    {&nvml.ecc, "nvmlDeviceGetEccMode"},
    {&nvml.mig, "nvmlDeviceGetMigMode"},
};

/* Reasons that limit a clock, by bit, in NVML's order. */
static const char *const reasons[] = {
    "idle",        "application clocks",   "power cap",   "hardware slowdown", "sync boost",
    "temperature", "hardware temperature", "power brake", "display clocks",
};

#define REASONS ((int)(sizeof reasons / sizeof reasons[0]))

/* The library stays loaded until the process ends. */
static void nvml_load(void)
{
    const char *path = ca_driver_library(CA_DRIVER_NVML);
    struct ca_error ignored;
    void *library = ca_driver_answers(CA_DRIVER_NVML, &ignored) == CA_OK
                        ? dlopen(path, RTLD_NOW | RTLD_LOCAL)
                        : NULL;

    for (size_t i = 0; library && i < sizeof symbols / sizeof symbols[0]; i++) {
        void *found, *function = NULL;

        memcpy(&function, symbols[i].function, sizeof function);
        found = function ? NULL : dlsym(library, symbols[i].name);
        if (found)
            memcpy(symbols[i].function, &found, sizeof found);
    }
    if (!nvml.init || nvml.init() != SUCCESS)
        memset(&nvml, 0, sizeof nvml);
    ca_driver_release(CA_DRIVER_NVML);
}

static void need(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, nvml_load);
}

static bool nvml_find(const char *bus, handle *device)
{
    need();
    return nvml.by_bus && nvml.by_bus(bus, device) == SUCCESS;
}

static struct ca_fact scaled(bool known, double value, double scale)
{
    return (struct ca_fact){known, known ? value * scale : 0};
}

/* A figure from one call, unknown if it fails. */
static struct ca_fact figure(int (*call)(handle, unsigned *), handle device, double scale)
{
    unsigned value = 0;
    bool known = call && call(device, &value) == SUCCESS;

    return scaled(known, value, scale);
}

static struct ca_fact typed(int (*call)(handle, int, unsigned *), handle device, int type)
{
    unsigned value = 0;
    bool known = call && call(device, type, &value) == SUCCESS;

    return scaled(known, value, 1);
}

static struct ca_fact energy(handle device)
{
    unsigned long long millijoules = 0;
    bool known = nvml.energy && nvml.energy(device, &millijoules) == SUCCESS;

    return scaled(known, (double)millijoules, 1e-3);
}

/* The present mode, not the one of the next boot. */
static struct ca_fact ecc(handle device)
{
    unsigned now = 0, later = 0;
    bool known = nvml.ecc && nvml.ecc(device, &now, &later) == SUCCESS;

    return scaled(known, now, 1);
}

static void name_reasons(handle device, char *text, size_t size)
{
    unsigned long long bits = 0;

    text[0] = '\0';
    if (!nvml.reasons || nvml.reasons(device, &bits) != SUCCESS)
        return;
    for (int i = 0; i < REASONS; i++)
        if (bits >> i & 1)
            ca_text_add(text, size, "%s%s", text[0] ? ", " : "", reasons[i]);
    if (bits >> REASONS)
        ca_text_add(text, size, "%sreason 0x%llx", text[0] ? ", " : "", bits >> REASONS << REASONS);
    if (!text[0])
        snprintf(text, size, "nothing");
}

/* NVML reports memory and energy of the whole GPU, which are not those of a MIG instance. */
static bool in_parts(handle device)
{
    unsigned now = 0, later = 0;

    return nvml.mig && nvml.mig(device, &now, &later) == SUCCESS && now;
}

enum ca_status ca_device_gpu(int index, struct ca_device *device, struct ca_error *error)
{
    struct utilization utilization = {0};
    struct memory memory = {0};
    struct ca_cuda_device cuda;
    handle gpu;
    bool known;

    *device = (struct ca_device){.kind = CA_CUDA, .index = index};
    CA_TRY(ca_cuda_device(index, &cuda, error));
    snprintf(device->name, sizeof device->name, "%s", cuda.name);
    device->cores = cuda.multiprocessors;
    device->compute_major = cuda.major;
    device->compute_minor = cuda.minor;
    device->memory_bytes = (struct ca_fact){true, (double)cuda.memory_bytes};
    if (!nvml_find(cuda.bus, &gpu))
        return CA_OK;
    device->clock_mhz = typed(nvml.clock, gpu, CLOCK_SM);
    device->memory_clock_mhz = typed(nvml.clock, gpu, CLOCK_MEMORY);
    device->temperature_c = typed(nvml.temperature, gpu, SENSOR_GPU);
    device->power_w = figure(nvml.power, gpu, 1e-3);
    device->power_limit_w = figure(nvml.power_limit, gpu, 1e-3);
    name_reasons(gpu, device->held_by, sizeof device->held_by);
    device->ecc = ecc(gpu);
    if (in_parts(gpu))
        return CA_OK;
    device->energy_j = energy(gpu);
    known = nvml.utilization && nvml.utilization(gpu, &utilization) == SUCCESS;
    device->utilisation = scaled(known, utilization.gpu, 0.01);
    known = nvml.memory && nvml.memory(gpu, &memory) == SUCCESS;
    if (known)
        device->memory_bytes = scaled(known, (double)memory.total, 1);
    device->memory_free_bytes = scaled(known, (double)memory.free, 1);
    return CA_OK;
}

struct ca_fact ca_gpu_energy(int index)
{
    struct ca_cuda_device cuda;
    struct ca_error ignored;
    handle gpu;

    return ca_cuda_device(index, &cuda, &ignored) == CA_OK && nvml_find(cuda.bus, &gpu) &&
                   !in_parts(gpu)
               ? energy(gpu)
               : (struct ca_fact){0};
}

/* Whether NVML lists a process of ours. In a container it may list none, or tell the numbers that
 * processes have outside, so that ours cannot be told from others. */
static bool lists_ours(handle device)
{
    struct process list[PROCESSES_MAX];
    unsigned count = PROCESSES_MAX;

    if (!nvml.processes || nvml.processes(device, &count, list) != SUCCESS)
        return false;
    for (unsigned i = 0; i < count && i < PROCESSES_MAX; i++)
        if (ca_process_is_ours((int)list[i].pid))
            return true;
    return false;
}

/* Adds up the use of others in the samples that are newer than *since_us. */
static double use_of_others(handle device, unsigned long long *since_us)
{
    struct process_use list[PROCESSES_MAX];
    unsigned long long newest = *since_us;
    unsigned count = PROCESSES_MAX;
    double use = 0;

    if (!nvml.process_use || nvml.process_use(device, list, &count, *since_us) != SUCCESS)
        return 0; /* nobody has used it since then */
    for (unsigned i = 0; i < count && i < PROCESSES_MAX; i++) {
        if (list[i].at_us > newest)
            newest = list[i].at_us;
        if (list[i].at_us > *since_us && !ca_process_is_ours((int)list[i].pid))
            use += 0.01 * list[i].sm;
    }
    *since_us = newest;
    return use < 1 ? use : 1;
}

void ca_gpu_use(int index, struct ca_gpu_use *use)
{
    static unsigned long long since_us[CA_RANKS_MAX];
    static struct ca_cuda_device cuda[CA_RANKS_MAX];
    unsigned long long bits = 0;
    struct ca_error ignored;
    bool known;
    handle gpu;

    *use = (struct ca_gpu_use){{0}, {0}, {0}};
    if (index < 0 || index >= CA_RANKS_MAX ||
        (!cuda[index].bus[0] && ca_cuda_device(index, &cuda[index], &ignored) != CA_OK) ||
        !nvml_find(cuda[index].bus, &gpu))
        return;
    use->clock_mhz = typed(nvml.clock, gpu, CLOCK_SM);
    known = nvml.reasons && nvml.reasons(gpu, &bits) == SUCCESS;
    use->held = scaled(known, (bits & HELD) != 0, 1);
    if (!in_parts(gpu) && nvml.process_use && lists_ours(gpu))
        use->others = scaled(true, use_of_others(gpu, &since_us[index]), 1);
}

const char *ca_nvml_driver(void)
{
    static char version[80];

    need();
    if (!nvml.driver || nvml.driver(version, sizeof version) != SUCCESS)
        version[0] = '\0';
    return version;
}

const char *ca_cuda_version(char text[16], int version)
{
    snprintf(text, 16, version > 0 ? "%d.%d" : "unknown", version / 1000, version % 1000 / 10);
    return text;
}
