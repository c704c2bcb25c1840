/* SPDX-License-Identifier: MIT */
/*
 * A library that stands for NVIDIA's driver (libcuda, NVML), as far as its first call goes, and its
 * compiler. The former writes the number of its process to the file FAKE_DRIVER_LOG, and does what
 * FAKE_DRIVER says: "hangs", "crashes", or returns. The latter's code is the GPU, the device whose
 * context was current and the PTX; PTX with the word `wrong` is refused, and one with `slow` takes
 * some tenths of a second.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
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

/* --- the compiler: two devices, of which the context of the second is there ------------------- */

struct context {
    int device, held;
};

struct link {
    char code[4096];
    char *log;
};

static struct context contexts[2] = {{0, 0}, {1, 1}}, *current;

int cuDriverGetVersion(int *version);
int cuDeviceGetCount(int *count);
int cuDeviceGet(int *device, int ordinal);
int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active);
int cuDevicePrimaryCtxRetain(struct context **context, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuCtxPushCurrent_v2(struct context *context);
int cuCtxPopCurrent_v2(struct context **context);
int cuLinkCreate_v2(unsigned count, const int *option, void **value, struct link **link);
int cuLinkAddData_v2(struct link *link, int type, const char *bytes, size_t count, const char *name,
                     unsigned options, int *option, void **value);
int cuLinkComplete(struct link *link, void **code, size_t *bytes);
int cuLinkDestroy(struct link *link);
int held_contexts(void);
int compiles_slowly(void);

int cuDriverGetVersion(int *version)
{
    *version = 13000;
    return 0;
}

int cuDeviceGetCount(int *count)
{
    *count = 2;
    return 0;
}

int cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return 0;
}

int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active)
{
    *flags = 0;
    *active = contexts[device].held > 0;
    return 0;
}

int cuDevicePrimaryCtxRetain(struct context **context, int device)
{
    *context = &contexts[device];
    (*context)->held++;
    return 0;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
    contexts[device].held--;
    return 0;
}

int cuCtxPushCurrent_v2(struct context *context)
{
    current = context;
    return 0;
}

int cuCtxPopCurrent_v2(struct context **context)
{
    *context = current;
    current = NULL;
    return 0;
}

/* Of a test alone: what is held beside what was there, and whether some context is current. */
int held_contexts(void) { return contexts[0].held + contexts[1].held - 1 + (current != NULL); }

int cuLinkCreate_v2(unsigned count, const int *option, void **value, struct link **link)
{
    if (!current)
        return 201; /* no context */
    *link = calloc(1, sizeof **link);
    for (unsigned i = 0; i < count; i++)
        if (option[i] == 9) /* the target */
            snprintf((*link)->code, sizeof(*link)->code, "sm_%d on %d: ", (int)(intptr_t)value[i],
                     current->device);
        else if (option[i] == 5) /* the errors' log */
            (*link)->log = value[i];
    return 0;
}

/* The compiler is loaded with the first text, and at exit taken down as what is loaded is. */
static int compiler_loaded;
static volatile int compiling;

static void compiler_ends(void)
{
    if (compiling)
        abort();
}

/* Of a test alone. */
int compiles_slowly(void) { return compiling; }

int cuLinkAddData_v2(struct link *link, int type, const char *bytes, size_t count, const char *name,
                     unsigned options, int *option, void **value)
{
    (void)name, (void)options, (void)option, (void)value;
    if (type != 1 || bytes[count - 1] != '\0') /* PTX */
        return 1;
    if (!compiler_loaded)
        compiler_loaded = atexit(compiler_ends) == 0;
    if (strstr(bytes, "slow")) {
        compiling = 1;
        usleep(300000);
        compiling = 0;
    }
    if (strstr(bytes, "wrong")) {
        strcpy(link->log, "\nptxas application ptx input, line 3; error : Parsing error\nmore\n");
        return 218;
    }
    strncat(link->code, bytes, sizeof link->code - 100);
    return 0;
}

int cuLinkComplete(struct link *link, void **code, size_t *bytes)
{
    *code = link->code;
    *bytes = strlen(link->code) + 1;
    return 0;
}

int cuLinkDestroy(struct link *link)
{
    free(link);
    return 0;
}
