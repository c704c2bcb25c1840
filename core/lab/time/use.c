/* SPDX-License-Identifier: MIT */
/* Takes the locks of devices, and asks how much others use a GPU. */
#include "core/lab/time/use.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/files/lock.h"
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
