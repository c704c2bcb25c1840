/* SPDX-License-Identifier: MIT */
/*
 * A library that answers as NVML does for two GPUs of the emulator, to be loaded by CALAB_NVML. The
 * first tells much, but has no function for utilisation, an old name for the reasons of its clocks,
 * and no limit of power; the second is divided into parts, and tells its temperature alone.
 */
#include <stdio.h>
#include <string.h>

enum { OK = 0, BAD_ARGUMENT = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6 };

struct device {
    const char *bus;
    int divided;
};

struct memory {
    unsigned long long total, free, used;
};

int nvmlInit_v2(void);
int nvmlSystemGetDriverVersion(char *text, unsigned size);
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, struct device **device);
int nvmlDeviceGetClockInfo(struct device *device, int type, unsigned *mhz);
int nvmlDeviceGetPowerUsage(struct device *device, unsigned *milliwatts);
int nvmlDeviceGetEnforcedPowerLimit(struct device *device, unsigned *milliwatts);
int nvmlDeviceGetTemperature(struct device *device, int sensor, unsigned *celsius);
int nvmlDeviceGetMemoryInfo(struct device *device, struct memory *memory);
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
    static struct device devices[] = {{"00000000:01:00.0", 0}, {"00000000:02:00.0", 1}};

    for (int i = 0; i < 2; i++)
        if (strcmp(devices[i].bus, bus) == 0) {
            *device = &devices[i];
            return OK;
        }
    return NOT_FOUND;
}

int nvmlDeviceGetClockInfo(struct device *device, int type, unsigned *mhz)
{
    *mhz = type == 1 ? 1980 : type == 2 ? 3201 : 0;
    return device->divided ? NOT_SUPPORTED : *mhz ? OK : BAD_ARGUMENT;
}

int nvmlDeviceGetPowerUsage(struct device *device, unsigned *milliwatts)
{
    *milliwatts = 345600;
    return device->divided ? NOT_SUPPORTED : OK;
}

int nvmlDeviceGetEnforcedPowerLimit(struct device *device, unsigned *milliwatts)
{
    (void)device;
    *milliwatts = 0;
    return NOT_SUPPORTED;
}

int nvmlDeviceGetTemperature(struct device *device, int sensor, unsigned *celsius)
{
    (void)device;
    *celsius = 43;
    return sensor == 0 ? OK : BAD_ARGUMENT;
}

int nvmlDeviceGetMemoryInfo(struct device *device, struct memory *memory)
{
    (void)device;
    *memory = (struct memory){80ULL << 30, 60ULL << 30, 20ULL << 30};
    return OK;
}

/* Idle is bit 0, the power cap bit 2, bit 20 has no meaning. */
int nvmlDeviceGetCurrentClocksThrottleReasons(struct device *device, unsigned long long *bits)
{
    *bits = 1 << 20 | 1 << 2;
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
