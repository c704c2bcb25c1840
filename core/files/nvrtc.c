/* SPDX-License-Identifier: MIT */
/* This file finds and calls NVRTC, by dlopen: calab is not linked with it, and runs without. */
#include "core/files/nvrtc.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/files/compiler.h"

typedef struct nvrtc_program *program;

/* The functions of the library, as nvrtc.h declares them; 0 is success. */
static struct library {
    void *library;
    int (*version)(int *major, int *minor);
    int (*create)(program *made, const char *text, const char *name, int headers,
                  const char *const *header_texts, const char *const *header_names);
    int (*compile)(program of, int options, const char *const *option);
    int (*destroy)(program *of);
    int (*code_size)(program of, size_t *bytes);
    int (*code)(program of, char *bytes);
    int (*log_size)(program of, size_t *bytes);
    int (*log)(program of, char *text);
    const char *(*reason)(int result);
    int (*ptx_size)(program of, size_t *bytes);
    int (*ptx)(program of, char *bytes);
    int (*known_count)(int *count); /* from 11.2 on, else NULL, as the next one */
    int (*known)(int *capabilities);
} nvrtc;

static const struct {
    const char *name;
    void *place;
    bool newer; /* older versions lack it */
} functions[] = {
    {"nvrtcVersion", &nvrtc.version, false},
    {"nvrtcCreateProgram", &nvrtc.create, false},
    {"nvrtcCompileProgram", &nvrtc.compile, false},
    {"nvrtcDestroyProgram", &nvrtc.destroy, false},
    {"nvrtcGetCUBINSize", &nvrtc.code_size, false},
    {"nvrtcGetCUBIN", &nvrtc.code, false},
    {"nvrtcGetProgramLogSize", &nvrtc.log_size, false},
    {"nvrtcGetProgramLog", &nvrtc.log, false},
    {"nvrtcGetErrorString", &nvrtc.reason, false},
    {"nvrtcGetPTXSize", &nvrtc.ptx_size, false},
    {"nvrtcGetPTX", &nvrtc.ptx, false},
    {"nvrtcGetNumSupportedArchs", &nvrtc.known_count, true},
    {"nvrtcGetSupportedArchs", &nvrtc.known, true},
};

static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
/* The first guards what was found; the second is held while something is compiled, which takes
 * seconds, in which others may ask what there is. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t compiling = PTHREAD_MUTEX_INITIALIZER;
/* The library that was found last, and the variables by which it was looked for. */
static struct {
    char named[PATH_MAX], home[PATH_MAX];
    struct ca_nvrtc is;
    bool asked;
} found;

static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value ? value : "";
}

/* --- where it is ------------------------------------------------------------------------------ */

static bool load(const char *path)
{
    Dl_info info;

    nvrtc.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!nvrtc.library)
        return false;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *symbol = dlsym(nvrtc.library, functions[i].name);

        if (!symbol && !functions[i].newer)
            return false;
        memcpy(functions[i].place, &symbol, sizeof symbol);
    }
    if (nvrtc.version(&found.is.major, &found.is.minor) != 0)
        return false;
    snprintf(found.is.path, sizeof found.is.path, "%s",
             dladdr((void *)(uintptr_t)nvrtc.version, &info) && info.dli_fname ? info.dli_fname
                                                                               : path);
    return true;
}

static bool load_from(const char *folder)
{
    static const char *const below[] = {"lib64", "lib", "targets/x86_64-linux/lib"};
    char path[PATH_MAX];

    for (size_t i = 0; *folder && i < sizeof below / sizeof *below; i++)
        for (size_t n = 0; n < sizeof names / sizeof *names; n++)
            if (snprintf(path, sizeof path, "%s/%s/%s", folder, below[i], names[n]) <
                    (int)sizeof path &&
                access(path, R_OK) == 0 && load(path))
                return true;
    return false;
}

static void find_library(void)
{
    bool good = false;

    found.is = (struct ca_nvrtc){.path = ""};
    if (found.named[0])
        good = load(found.named);
    else
        good = load_from(found.home);
    for (size_t n = 0; !good && !found.named[0] && n < sizeof names / sizeof *names; n++)
        good = load(names[n]);
    if (!good && !found.named[0])
        good = load_from("/usr/local/cuda");
    if (!good)
        found.is.path[0] = '\0';
}

static enum ca_status find_locked(struct ca_nvrtc *is, struct ca_error *error)
{
    const char *named = variable("CALAB_NVRTC"), *home = variable("CUDA_HOME");

    if (!found.asked || strcmp(found.named, named) != 0 || strcmp(found.home, home) != 0) {
        snprintf(found.named, sizeof found.named, "%s", named);
        snprintf(found.home, sizeof found.home, "%s", home);
        find_library();
        found.asked = true;
    }
    *is = found.is;
    if (is->path[0])
        return CA_OK;
    if (found.named[0])
        return ca_fail(error, CA_COMPILE, "CALAB_NVRTC names %.300s, which is not a libnvrtc.so",
                       found.named);
    return ca_fail(error, CA_COMPILE,
                   "libnvrtc.so is not in CUDA_HOME, on the loader's path or in /usr/local/cuda");
}

enum ca_status ca_nvrtc_find(struct ca_nvrtc *is, struct ca_error *error)
{
    enum ca_status status;

    pthread_mutex_lock(&lock);
    status = find_locked(is, error);
    pthread_mutex_unlock(&lock);
    return status;
}

int ca_nvrtc_known(int known[CA_NVRTC_KNOWN])
{
    struct ca_nvrtc is;
    struct ca_error ignored;
    int count = 0;

    pthread_mutex_lock(&lock);
    if (find_locked(&is, &ignored) != CA_OK || !nvrtc.known_count || !nvrtc.known ||
        nvrtc.known_count(&count) != 0 || count < 0 || count > CA_NVRTC_KNOWN ||
        nvrtc.known(known) != 0)
        count = 0;
    pthread_mutex_unlock(&lock);
    return count;
}

/* --- compiling -------------------------------------------------------------------------------- */

static enum ca_status source_failed(const struct library *library, program of, int result,
                                    struct ca_error *error)
{
    char text[600] = "", *said = NULL;
    size_t bytes = 0;

    if (library->log_size(of, &bytes) == 0 && bytes > 1 && (said = calloc(1, bytes + 1)))
        library->log(of, said);
    if (said)
        ca_compiler_first_error(said, text);
    free(said);
    return ca_fail(error, CA_COMPILE, "%.600s", text[0] ? text : library->reason(result));
}

static enum ca_status take_code(const struct library *library, program of, bool ptx, char **code,
                                size_t *bytes, struct ca_error *error)
{
    int result = (ptx ? library->ptx_size : library->code_size)(of, bytes);

    if (result != 0 || *bytes == 0)
        return ca_fail(error, CA_COMPILE, "NVRTC makes no code: %s", library->reason(result));
    *code = malloc(*bytes);
    if (!*code)
        return ca_fail(error, CA_NO_MEMORY, "no memory for code of a GPU");
    return (ptx ? library->ptx : library->code)(of, *code) == 0
               ? CA_OK
               : ca_fail(error, CA_COMPILE, "NVRTC keeps its code");
}

static enum ca_status compile_source(const struct ca_nvrtc_source *source, char **code,
                                     size_t *bytes, struct ca_error *error)
{
    struct library copy;
    const struct library *library = &copy;
    struct ca_nvrtc is;
    enum ca_status status;
    program made;
    int result;

    pthread_mutex_lock(&lock);
    status = find_locked(&is, error);
    copy = nvrtc;
    pthread_mutex_unlock(&lock);
    CA_TRY(status);
    result = library->create(&made, source->text, source->name, source->header_count,
                             source->headers, source->header_names);
    if (result != 0)
        return ca_fail(error, CA_COMPILE, "%s: %s", is.path, library->reason(result));
    result = library->compile(made, source->options, source->option);
    status = result == 0 ? take_code(library, made, source->ptx, code, bytes, error)
                         : source_failed(library, made, result, error);
    library->destroy(&made);
    return status;
}

enum ca_status ca_nvrtc_compile(const struct ca_nvrtc_source *source, char **code, size_t *bytes,
                                struct ca_error *error)
{
    enum ca_status status;

    *code = NULL;
    pthread_mutex_lock(&compiling);
    status = compile_source(source, code, bytes, error);
    pthread_mutex_unlock(&compiling);
    if (status != CA_OK) {
        free(*code);
        *code = NULL;
    }
    return status;
}

/* --- nvcc ------------------------------------------------------------------------------------- */

static bool is_program(char path[PATH_MAX], const char *folder, size_t length, const char *name)
{
    return snprintf(path, PATH_MAX, "%.*s%s%s", (int)length, folder, length > 0 ? "/" : "", name) <
               PATH_MAX &&
           access(path, X_OK) == 0;
}

bool ca_nvcc_find(char path[PATH_MAX])
{
    const char *command = ca_compiler_named("NVCC", "nvcc"), *folders = variable("PATH");
    char name[PATH_MAX], home[PATH_MAX];

    snprintf(name, sizeof name, "%.*s", (int)strcspn(command, " \t"), command);
    if (strchr(name, '/'))
        return is_program(path, "", 0, name);
    for (; *folders; folders += strcspn(folders, ":"), folders += *folders == ':')
        if (is_program(path, folders, strcspn(folders, ":"), name))
            return true;
    if (variable("NVCC")[0])
        return false;
    snprintf(home, sizeof home, "%.4000s/bin", variable("CUDA_HOME"));
    return (variable("CUDA_HOME")[0] && is_program(path, home, strlen(home), "nvcc")) ||
           is_program(path, "/usr/local/cuda/bin", strlen("/usr/local/cuda/bin"), "nvcc");
}
