/* SPDX-License-Identifier: MIT */
/*
 * A library that answers as NVML does for GPUs of the emulator, to be loaded by CALAB_NVML. The
 * first tells much, but not its utilisation, and has an old name for the reasons of its clocks; the
 * second is divided into parts, and tells its temperature alone; the third is missing; those behind
 * it are whole, and differ. There is no function for limits of power.
 */
#include <stdio.h>
#include <string.h>

enum { OK = 0, BAD_ARGUMENT = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6 };

struct device {
    const char *bus;
    int divided;
    unsigned nth; /* of those that are whole, 0: the first GPU */
};

struct memory {
    unsigned long long total, free, used;
};

struct utilization {
    unsigned gpu, memory;
};

int nvmlInit_v2(void);
int nvmlSystemGetDriverVersion(char *text, unsigned size);
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, struct device **device);
int nvmlDeviceGetClockInfo(struct device *device, int type, unsigned *mhz);
int nvmlDeviceGetPowerUsage(struct device *device, unsigned *milliwatts);
int nvmlDeviceGetTemperature(struct device *device, int sensor, unsigned *celsius);
int nvmlDeviceGetMemoryInfo(struct device *device, struct memory *memory);
int nvmlDeviceGetUtilizationRates(struct device *device, struct utilization *utilization);
int nvmlDeviceGetCurrentClocksThrottleReasons(struct device *device, unsigned long long *bits);
int nvmlDeviceGetTotalEnergyConsumption(struct device *device, unsigned long long *millijoules);
int nvmlDeviceGetEccMode(struct device *device, unsigned *now, unsigned *later);
int nvmlDeviceGetMigMode(struct device *device, unsigned *now, unsigned *later);

int nvmlInit_v2(void) { return OK; }

int nvmlSystemGetDriverVersion(char *text, unsigned size)
{
    snprintf(text, size, "580.00.01");
    return OK;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, struct device **device)
{
    static struct device devices[] = {{"00000000:01:00.0", 0, 0},
                                      {"00000000:02:00.0", 1, 0},
                                      {"00000000:04:00.0", 0, 1},
                                      {"00000000:05:00.0", 0, 2}};

    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        if (strcmp(devices[i].bus, bus) == 0) {
            *device = &devices[i];
            return OK;
        }
    return NOT_FOUND;
}

int nvmlDeviceGetClockInfo(struct device *device, int type, unsigned *mhz)
{
    *mhz = type == 1 ? 1980 - 15 * device->nth : type == 2 ? 3201 : 0;
    return device->divided ? NOT_SUPPORTED : *mhz ? OK : BAD_ARGUMENT;
}

int nvmlDeviceGetPowerUsage(struct device *device, unsigned *milliwatts)
{
    *milliwatts = 345600 + 101000 * device->nth;
    return device->divided ? NOT_SUPPORTED : OK;
}

int nvmlDeviceGetTemperature(struct device *device, int sensor, unsigned *celsius)
{
    *celsius = 43 + device->nth;
    return sensor == 0 ? OK : BAD_ARGUMENT;
}

int nvmlDeviceGetMemoryInfo(struct device *device, struct memory *memory)
{
    const unsigned long long used = 20 + device->nth;

    *memory = (struct memory){80ULL << 30, (80 - used) << 30, used << 30};
    return OK;
}

int nvmlDeviceGetUtilizationRates(struct device *device, struct utilization *utilization)
{
    *utilization = (struct utilization){95 + device->nth, 10};
    return device->nth ? OK : NOT_SUPPORTED;
}

/* Idle is bit 0, the power cap bit 2, bit 20 has no meaning. */
int nvmlDeviceGetCurrentClocksThrottleReasons(struct device *device, unsigned long long *bits)
{
    *bits = device->nth == 1 ? 0 : 1 << 20 | 1 << 2;
    return device->divided ? NOT_SUPPORTED : OK;
}

/* More with each reading. */
int nvmlDeviceGetTotalEnergyConsumption(struct device *device, unsigned long long *millijoules)
{
    static unsigned long long counter = 1000000;

    (void)device;
    *millijoules = counter += 1500;
    return OK;
}

/* On, and off from the next boot. */
int nvmlDeviceGetEccMode(struct device *device, unsigned *now, unsigned *later)
{
    *now = 1;
    *later = 0;
    return device->divided ? NOT_SUPPORTED : OK;
}

int nvmlDeviceGetMigMode(struct device *device, unsigned *now, unsigned *later)
{
    *now = *later = (unsigned)device->divided;
    return OK;
}
