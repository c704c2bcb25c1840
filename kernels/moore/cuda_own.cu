/* SPDX-License-Identifier: MIT */
/* This file loads kernels of a rule's own, and says when they take the place of others. */
#include "kernels/moore/cuda_own.cuh"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/machine/cuda.h"
#include "core/machine/driver_compiler.h"
#include "kernels/cuda/stepper.cuh"

/* --- kernels that are loaded ------------------------------------------------------------------ */

/* What is loaded stays, of each text once. */
struct loaded {
    const struct compile_later *later;
    struct moore_own_kernels kernels;
    struct loaded *next;
};

static struct {
    pthread_mutex_t mutex;
    struct loaded *first;
} all_loaded = {PTHREAD_MUTEX_INITIALIZER, NULL};

#if CUDART_VERSION >= 12080
#define LOADS true

template <class Kernel>
static bool get_kernel(cudaLibrary_t library, Kernel **kernel, const char *name, int number)
{
    cudaKernel_t found;
    char text[64];

    snprintf(text, sizeof text, "%s%d", name, number);
    if (cudaLibraryGetKernel(&found, library, text) != cudaSuccess)
        return false;
    *kernel = (Kernel *)found;
    return true;
}

static enum ca_status load_path(struct cuda *cuda, const char *path,
                                const struct moore_own_kinds *kinds,
                                struct moore_own_kernels *kernels, struct ca_error *error)
{
    cudaLibrary_t library;
    bool all = true;

    CUDA_TRY(cuda, cudaLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0), error);
    for (int i = 0; kinds->generations > 0 && i < 3; i++)
        all = all && get_kernel(library, &kernels->rows[i], "moore_own_rows", 2 << i);
    for (int n = 2; n <= kinds->generations; n++) {
        all = all && get_kernel(library, &kernels->sweep[n], "moore_own_sweep", n);
        if (n % 2 == 0)
            all = all && get_kernel(library, &kernels->still[n / 2], "moore_own_still", n);
    }
    if (kinds->tile_rows > 0)
        all = all && get_kernel(library, &kernels->tiles, "moore_own_tiles", kinds->tile_rows);
    if (all)
        return CA_OK;
    cudaGetLastError(); /* of the one that is not there */
    return ca_fail(error, CA_COMPILE, "%.300s lacks a kernel of the rule", path);
}
#else
#define LOADS false

static enum ca_status load_path(struct cuda *, const char *, const struct moore_own_kinds *,
                                struct moore_own_kernels *, struct ca_error *error)
{
    return ca_fail(error, CA_NO_DEVICE,
                   "a GPU's code is loaded by CUDA 12.8 or later, and this calab is built with an "
                   "older one");
}
#endif

static enum ca_status load_locked(struct cuda *cuda, const struct moore_own *own,
                                  const struct moore_own_kernels **kernels, struct ca_error *error)
{
    struct compile_later *later = own->later;
    struct loaded *loaded = all_loaded.first;

    while (loaded && loaded->later != later)
        loaded = loaded->next;
    if (!loaded) {
        loaded = (struct loaded *)calloc(1, sizeof *loaded);
        if (!loaded)
            return ca_fail(error, CA_NO_MEMORY, "no memory for kernels");
        if (enum ca_status status =
                load_path(cuda, compile_later_path(later), &own->kinds, &loaded->kernels, error)) {
            free(loaded);
            return status;
        }
        compile_later_loaded(later);
        loaded->later = later;
        loaded->next = all_loaded.first;
        all_loaded.first = loaded;
    }
    *kernels = &loaded->kernels;
    return CA_OK;
}

static enum ca_status load(struct cuda *cuda, const struct moore_own *own,
                           const struct moore_own_kernels **kernels, struct ca_error *error)
{
    enum ca_status status;

    pthread_mutex_lock(&all_loaded.mutex);
    status = load_locked(cuda, own, kernels, error);
    pthread_mutex_unlock(&all_loaded.mutex);
    return status;
}

/* --- instances -------------------------------------------------------------------------------- */

/* Of CUDA C++ or, where there is none, of PTX. */
static enum ca_status compiler_find(struct moore_own *own, struct ca_error *error)
{
    enum ca_status status = compile_gpu_find(&own->compiler, "the rule", error);
    struct ca_error ignored; /* a driver is there where a GPU is */
    int version;

    if (status == CA_OK || !own->rule.ptx || !LOADS ||
        ca_driver_compiler_find(&version, &ignored) != CA_OK)
        return status;
    own->compiler = COMPILE_DRIVER;
    return CA_OK;
}

enum ca_status moore_own_plan(struct cuda *cuda, struct moore_own *own,
                              const struct moore_own_rule *rule, struct ca_error *error)
{
    enum moore_logic logic = (enum moore_logic)ca_choice(&cuda->setup.options, "logic");
    enum ca_status found = CA_OK;

    own->rule = *rule;
    own->wanted = false;
    own->compiler = COMPILE_EMULATOR_HERE;
    own->waits = logic == MOORE_LOGIC_CIRCUIT;
    if (logic == MOORE_LOGIC_TABLE)
        return CA_OK;
    if (ca_cuda_emulated()) /* for which compiling takes long */
        own->wanted = own->waits || cuda->setup.swaps;
    else if ((found = compiler_find(own, error)) == CA_OK)
        own->wanted = LOADS || own->waits;
    if (found != CA_OK && own->waits)
        return found;
    return CA_OK;
}

enum ca_status moore_own_start(struct cuda *cuda, struct moore_own *own,
                               struct moore_own_kinds kinds, bool dead, struct ca_error *error)
{
    int capability = 10 * cuda->facts.major + cuda->facts.minor;
    const struct moore_own_kernels *kernels;
    char *text;

    if (!own->wanted)
        return CA_OK;
    own->kinds = kinds;
    text = own->compiler == COMPILE_DRIVER
               ? own->rule.ptx(own->rule.table, &kinds, dead, capability)
               : own->rule.text(own->rule.table, &kinds, dead);
    if (text)
        own->later = compile_later_of(text, "rule.cu", own->compiler, capability);
    free(text);
    if (!own->later)
        return ca_fail(error, CA_NO_MEMORY, "no memory for the kernels of a rule");
    if (own->waits) {
        CA_TRY(compile_later_await(own->later, error));
        return load(cuda, own, &kernels, error);
    }
    if (compile_later_state(own->later) != COMPILE_MADE && !cuda->setup.swaps)
        own->later = NULL;
    else
        compile_later_begin(own->later);
    return CA_OK;
}

const struct moore_own_kernels *moore_own_turn(struct cuda *cuda, struct moore_own *own)
{
    const struct moore_own_kernels *kernels = NULL;
    struct ca_error ignored; /* the rule is looked up as before */
    enum compile_state state;

    if (!own->later)
        return NULL;
    state = compile_later_state(own->later);
    if (state == COMPILE_UNDER_WAY)
        return NULL;
    if (state == COMPILE_MADE && load(cuda, own, &kernels, &ignored) != CA_OK)
        kernels = NULL;
    own->later = NULL;
    return kernels;
}

const char *moore_own_said(const struct moore_own *own, bool there)
{
    return !own->rule.text ? "" : there ? ", by its own circuit" : ", by a table";
}
