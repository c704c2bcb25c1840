/* SPDX-License-Identifier: MIT */
/* This file calls the driver's compiler, by dlopen: calab is not linked with it. */
#include "core/machine/driver_compiler.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/driver.h"

#define LOG_BYTES 8192

typedef struct driver_context *context;
typedef struct driver_link *link_state;

/* As cuda.h numbers them. */
enum { LINK_ERROR_LOG = 5, LINK_ERROR_LOG_BYTES = 6, LINK_TARGET = 9 };
enum { LINK_INPUT_PTX = 1 };

/* The functions of the library, as cuda.h declares them; 0 is success. */
static struct {
    int (*version)(int *version);
    int (*init)(unsigned flags);
    int (*count)(int *devices);
    int (*device)(int *device, int ordinal);
    int (*state)(int device, unsigned *flags, int *active);
    int (*retain)(context *primary, int device);
    int (*release)(int device);
    int (*push)(context primary);
    int (*pop)(context *popped);
    int (*create)(unsigned options, int *option, void **value, link_state *made);
    int (*add)(link_state to, int type, void *bytes, size_t count, const char *name,
               unsigned options, int *option, void **value);
    int (*complete)(link_state of, void **code, size_t *bytes);
    int (*destroy)(link_state of);
} driver;

static const struct {
    const char *name;
    void *place;
} functions[] = {
    {"cuDriverGetVersion", &driver.version},
    {"cuInit", &driver.init},
    {"cuDeviceGetCount", &driver.count},
    {"cuDeviceGet", &driver.device},
    {"cuDevicePrimaryCtxGetState", &driver.state},
    {"cuDevicePrimaryCtxRetain", &driver.retain},
    {"cuDevicePrimaryCtxRelease_v2", &driver.release},
    {"cuCtxPushCurrent_v2", &driver.push},
    {"cuCtxPopCurrent_v2", &driver.pop},
    {"cuLinkCreate_v2", &driver.create},
    {"cuLinkAddData_v2", &driver.add},
    {"cuLinkComplete", &driver.complete},
    {"cuLinkDestroy", &driver.destroy},
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool loaded;

/* --- the library ------------------------------------------------------------------------------ */

static enum ca_status driver_load(struct ca_error *error)
{
    const char *name = ca_driver_library(CA_DRIVER_CUDA);
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);

    for (size_t i = 0; library && i < sizeof functions / sizeof *functions; i++) {
        void *symbol = dlsym(library, functions[i].name);

        if (!symbol)
            return ca_fail(error, CA_COMPILE, "%s has no %s", name, functions[i].name);
        memcpy(functions[i].place, &symbol, sizeof symbol);
    }
    if (!library)
        return ca_fail(error, CA_COMPILE, "there is no NVIDIA driver: %s", dlerror());
    loaded = true;
    return CA_OK;
}

static enum ca_status driver_find(int *version, struct ca_error *error)
{
    enum ca_status status = loaded ? CA_OK : driver_load(error);

    if (status == CA_OK && driver.version(version) != 0)
        status = ca_fail(error, CA_COMPILE, "the NVIDIA driver does not say its version");
    return status;
}

enum ca_status ca_driver_compiler_find(int *version, struct ca_error *error)
{
    enum ca_status status;

    pthread_mutex_lock(&lock);
    status = driver_find(version, error);
    pthread_mutex_unlock(&lock);
    return status;
}

/* --- compiling -------------------------------------------------------------------------------- */

static enum ca_status driver_says(int result, const char *call, const char *log,
                                  struct ca_error *error)
{
    size_t first = strspn(log, "\r\n \t");
    int length = (int)strcspn(log + first, "\r\n");

    if (length > 0)
        return ca_fail(error, CA_COMPILE, "the driver's compiler: %.*s",
                       length < 400 ? length : 400, log + first);
    return ca_fail(error, CA_COMPILE, "the driver's compiler: %s fails with %d", call, result);
}

static enum ca_status driver_link(const char *ptx, int capability, char **code, size_t *bytes,
                                  struct ca_error *error)
{
    int option[] = {LINK_TARGET, LINK_ERROR_LOG, LINK_ERROR_LOG_BYTES};
    char *log = calloc(1, LOG_BYTES);
    void *value[] = {(void *)(intptr_t)capability, log, (void *)(intptr_t)LOG_BYTES};
    enum ca_status status = CA_OK;
    link_state made = NULL;
    void *linked = NULL;
    int result;

    if (!log)
        return ca_fail(error, CA_NO_MEMORY, "no memory for what the driver says");
    result = driver.create(3, option, value, &made);
    if (result != 0)
        status = driver_says(result, "cuLinkCreate", log, error);
    if (status == CA_OK && (result = driver.add(made, LINK_INPUT_PTX, (void *)(uintptr_t)ptx,
                                                strlen(ptx) + 1, "kernels", 0, NULL, NULL)) != 0)
        status = driver_says(result, "cuLinkAddData", log, error);
    if (status == CA_OK && (result = driver.complete(made, &linked, bytes)) != 0)
        status = driver_says(result, "cuLinkComplete", log, error);
    if (status == CA_OK && !(*code = malloc(*bytes)))
        status = ca_fail(error, CA_NO_MEMORY, "no memory for code of a GPU");
    if (status == CA_OK)
        memcpy(*code, linked, *bytes);
    if (made)
        driver.destroy(made);
    free(log);
    return status;
}

/* The first device whose primary context is there already, since another would take memory; where
 * there is none, the first. */
static int driver_device(void)
{
    int count = 0, device = 0, first = 0, active = 0;
    unsigned flags;

    driver.count(&count);
    for (int i = 0; i < count && !active; i++) {
        if (driver.device(&device, i) != 0 || driver.state(device, &flags, &active) != 0)
            active = 0;
        if (i == 0)
            first = device;
    }
    return active ? device : first;
}

static enum ca_status driver_compile(const char *ptx, int capability, char **code, size_t *bytes,
                                     struct ca_error *error)
{
    context primary, popped;
    enum ca_status status;
    int version, device, result;

    CA_TRY(driver_find(&version, error));
    if ((result = driver.init(0)) != 0)
        return driver_says(result, "cuInit", "", error);
    device = driver_device();
    if ((result = driver.retain(&primary, device)) != 0)
        return driver_says(result, "cuDevicePrimaryCtxRetain", "", error);
    result = driver.push(primary);
    status = result == 0 ? driver_link(ptx, capability, code, bytes, error)
                         : driver_says(result, "cuCtxPushCurrent", "", error);
    if (result == 0)
        driver.pop(&popped);
    driver.release(device);
    return status;
}

enum ca_status ca_driver_compile(const char *ptx, int capability, char **code, size_t *bytes,
                                 struct ca_error *error)
{
    enum ca_status status;

    *code = NULL;
    pthread_mutex_lock(&lock);
    status = driver_compile(ptx, capability, code, bytes, error);
    pthread_mutex_unlock(&lock);
    return status;
}

void ca_driver_compiler_load(int capability)
{
    struct ca_error ignored; /* compiling a text says it */
    size_t bytes;
    char *code;

    ca_driver_compile(".version 6.3\n.target sm_75\n.address_size 64\n", capability, &code, &bytes,
                      &ignored);
    free(code);
}
