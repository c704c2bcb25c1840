/* SPDX-License-Identifier: MIT */
/*
 * A library that stands for NVIDIA's driver (libcuda, NVML), as far as its first call goes. That
 * writes the number of its process to the file FAKE_DRIVER_LOG, and does what FAKE_DRIVER says:
 * "hangs", "crashes", or returns.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cuInit(unsigned flags);
int nvmlInit_v2(void);
int nvmlSystemGetDriverVersion(char *text, unsigned size);

static int first_call(void)
{
    const char *log = getenv("FAKE_DRIVER_LOG"), *does = getenv("FAKE_DRIVER");
    int fd = log ? open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    char line[32];

    if (fd >= 0) {
        snprintf(line, sizeof line, "%ld\n", (long)getpid());
        if (write(fd, line, strlen(line)) < 0)
            abort();
        close(fd);
    }
    if (does && strcmp(does, "crashes") == 0)
        abort();
    signal(SIGTERM, SIG_IGN);
    while (does && strcmp(does, "hangs") == 0)
        pause();
    return 0;
}

int cuInit(unsigned flags)
{
    (void)flags;
    return first_call();
}

int nvmlInit_v2(void) { return first_call(); }

int nvmlSystemGetDriverVersion(char *text, unsigned size)
{
    snprintf(text, size, "1.2.3");
    return 0;
}
