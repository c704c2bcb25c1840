/* SPDX-License-Identifier: MIT */
/* Owns the locks of devices, and reading /proc/stat. */
#include "core/lab/use.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/files/lock.h"
#include "core/lab/descendants.h"
#include "core/machine/device.h"

#define ASK_S 0.2
#define IDLE_S 3.0 /* in which a GPU's figure forgets what was before */

/* A file that all users may lock; one that somebody else has made is opened as it is. */
static int open_lock(const char *name)
{
    char path[256];
    int fd;

    snprintf(path, sizeof path, "/tmp/calab-lab-%.200s.lock", name);
    fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 && errno == ENOENT) {
        fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (fd >= 0)
            fchmod(fd, 0666);
    }
    return fd;
}

int lab_use_lock(const char *name, bool (*wait)(void *context), void *context)
{
    int fd = open_lock(name);
    enum ca_lock lock = CA_LOCK_HELD;

    while (fd >= 0 && (lock = ca_lock_wait(fd, ASK_S)) == CA_LOCK_HELD && wait(context))
        ;
    if (fd >= 0 && lock != CA_LOCK_GOT) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* "cpuN user nice system idle iowait irq softirq steal ...", see proc_stat(5). */
static double busy_s(void)
{
    unsigned long long v[8], ticks = 0;
    FILE *file = fopen("/proc/stat", "re");
    cpu_set_t cores;
    char line[512];
    int core;

    if (!file || sched_getaffinity(0, sizeof cores, &cores) != 0) {
        if (file)
            fclose(file);
        return 0;
    }
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "cpu%d %llu %llu %llu %llu %llu %llu %llu %llu", &core, &v[0], &v[1],
                   &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]) == 9 &&
            core >= 0 && core < CPU_SETSIZE && CPU_ISSET(core, &cores))
            ticks += v[0] + v[1] + v[2] + v[5] + v[6] + v[7];
    fclose(file);
    return (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

struct lab_use lab_use_now(void)
{
    struct rusage own;
    struct lab_use use = {.at_s = ca_now(), .busy_s = busy_s()};

    getrusage(RUSAGE_SELF, &own);
    use.own_s = seconds_of(own.ru_utime) + seconds_of(own.ru_stime) + descendants_cpu_s();
    return use;
}

double lab_use_others(const struct lab_use *before, const struct lab_use *after)
{
    double others = (after->busy_s - before->busy_s) - (after->own_s - before->own_s);
    double seconds = after->at_s - before->at_s;

    return others > 0 && seconds > 0 ? others / seconds : 0;
}

double lab_use_gpu(int index, double allowed)
{
    const struct timespec pause = {0, (long)(ASK_S * 1e9)};
    double until = ca_now() + IDLE_S;
    struct ca_device device;
    struct ca_error ignored;

    for (;;) {
        if (ca_device_gpu(index, &device, &ignored) != CA_OK || !device.utilisation.known)
            return 0;
        if (device.utilisation.value <= allowed || ca_now() > until)
            return device.utilisation.value;
        nanosleep(&pause, NULL);
    }
}
