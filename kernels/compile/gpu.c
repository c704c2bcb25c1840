/* SPDX-License-Identifier: MIT */
/* This file gives texts to the compilers of CUDA and of PTX. */
#include "kernels/compile/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/emulator/emulate.h"
#include "core/files/file.h"
#include "core/files/nvrtc.h"
#include "core/machine/driver_compiler.h"

#define SAID "said"
#define LISTED "listed"

/* No product and sum become one operation, so that floats are those of a CPU to the last bit. */
#define NVRTC_FLAGS "-std=c++17", "-fmad=false"
#define NVCC_FLAGS "-std=c++17 -fmad=false"

enum ca_status compile_gpu_find(enum compile_gpu *compiler, const char *what,
                                struct ca_error *error)
{
    struct ca_error ignored;
    struct ca_nvrtc nvrtc;
    char path[PATH_MAX];

    *compiler = COMPILE_NVRTC;
    if (ca_nvrtc_find(&nvrtc, error) == CA_OK)
        return CA_OK;
    *compiler = COMPILE_NVCC;
    if (ca_nvcc_find(path))
        return CA_OK;
    ignored = *error;
    return ca_fail(error, CA_COMPILE,
                   "%s has to be compiled for a GPU, and %.400s; there is no nvcc either", what,
                   ignored.text);
}

/* --- what a compiler compiles for ------------------------------------------------------------- */

int compile_gpu_newest(const int known[], int count, int capability)
{
    int newest = 0;

    for (int i = 0; i < count; i++)
        if (known[i] <= capability && known[i] > newest)
            newest = known[i];
    return newest ? newest : capability;
}

/* --- NVRTC ------------------------------------------------------------------------------------ */

/* NVRTC has its own functions of mathematics and no headers of the host: of those that a model may
 * include, as much as it can use. */
static const char stdint_header[] = "#pragma once\n"
                                    "typedef signed char int8_t;\n"
                                    "typedef short int16_t;\n"
                                    "typedef int int32_t;\n"
                                    "typedef long int64_t;\n"
                                    "typedef unsigned char uint8_t;\n"
                                    "typedef unsigned short uint16_t;\n"
                                    "typedef unsigned int uint32_t;\n"
                                    "typedef unsigned long uint64_t;\n"
                                    "typedef unsigned long uintptr_t;\n"
                                    "#define INT8_MAX 127\n"
                                    "#define INT16_MAX 32767\n"
                                    "#define INT32_MAX 2147483647\n"
                                    "#define INT32_MIN (-INT32_MAX - 1)\n"
                                    "#define INT64_MAX 9223372036854775807L\n"
                                    "#define UINT8_MAX 255\n"
                                    "#define UINT16_MAX 65535\n"
                                    "#define UINT32_MAX 4294967295U\n"
                                    "#define UINT64_MAX 18446744073709551615UL\n"
                                    "#define UINT32_C(c) c##U\n"
                                    "#define INT64_C(c) c##L\n"
                                    "#define UINT64_C(c) c##UL\n";
static const char stddef_header[] = "#pragma once\n"
                                    "#ifndef NULL\n"
                                    "#define NULL 0\n"
                                    "#endif\n";
static const char limits_header[] = "#pragma once\n"
                                    "#define CHAR_BIT 8\n"
                                    "#define UCHAR_MAX 255\n"
                                    "#define INT_MAX 2147483647\n"
                                    "#define INT_MIN (-INT_MAX - 1)\n"
                                    "#define UINT_MAX 4294967295U\n";
static const char math_header[] = "#pragma once\n"
                                  "#ifndef M_PI\n"
                                  "#define M_E 2.7182818284590452354\n"
                                  "#define M_PI 3.14159265358979323846\n"
                                  "#define M_SQRT2 1.41421356237309504880\n"
                                  "#endif\n"
                                  "#ifndef INFINITY\n"
                                  "#define INFINITY __int_as_float(0x7f800000)\n"
                                  "#endif\n";
static const char float_header[] = "#pragma once\n"
                                   "#define FLT_EPSILON 1.19209290e-7F\n"
                                   "#define FLT_MAX 3.40282347e+38F\n"
                                   "#define FLT_MIN 1.17549435e-38F\n"
                                   "#define DBL_EPSILON 2.2204460492503131e-16\n"
                                   "#define DBL_MAX 1.7976931348623157e+308\n";
#define NO_HEADER "#pragma once\n"
static const struct {
    const char *name, *text;
} host_headers[] = {{"stdint.h", stdint_header},
                    {"stddef.h", stddef_header},
                    {"limits.h", limits_header},
                    {"math.h", math_header},
                    {"float.h", float_header},
                    {"stdbool.h", NO_HEADER},
                    {"stdlib.h", NO_HEADER},
                    {"string.h", NO_HEADER},
                    {"assert.h", NO_HEADER "#define assert(condition)\n"}};
#define HEADERS_MAX 24

/* Those, and those of the text. */
static void list_headers(const struct compile_text *from, struct ca_nvrtc_source *source,
                         const char *names[HEADERS_MAX], const char *texts[HEADERS_MAX])
{
    int count = 0;

    for (int i = 0; from->headers[i]; i++, count++)
        names[count] = from->headers[i], texts[count] = from->header(from->headers[i]);
    for (size_t i = 0; i < sizeof host_headers / sizeof *host_headers; i++, count++)
        names[count] = host_headers[i].name, texts[count] = host_headers[i].text;
    source->header_names = names, source->headers = texts, source->header_count = count;
}

static enum ca_status write_code(const struct compile_job *job, const char *name, const char *code,
                                 size_t bytes, struct ca_error *error)
{
    char path[PATH_MAX + 32];
    FILE *file;
    bool good;

    snprintf(path, sizeof path, "%s/%s", job->work, name);
    file = fopen(path, "we");
    good = file && fwrite(code, 1, bytes, file) == bytes;
    if (file)
        good = fclose(file) == 0 && good;
    return good ? CA_OK : ca_fail(error, CA_IO, "%.300s cannot be written: %m", path);
}

static enum ca_status by_nvrtc(const struct compile_job *job, int capability, const char *made,
                               struct ca_error *error)
{
    int known[CA_NVRTC_KNOWN] = {0};
    int newest = compile_gpu_newest(known, ca_nvrtc_known(known), capability);
    const char *names[HEADERS_MAX], *headers[HEADERS_MAX];
    char architecture[64], source[PATH_MAX + 32], *text, *code;
    struct ca_nvrtc_source given = {.name = job->from->name,
                                    .option = {NVRTC_FLAGS, architecture},
                                    .options = 3,
                                    .ptx = newest < capability};
    enum ca_status status;
    size_t bytes;

    list_headers(job->from, &given, names, headers);
    snprintf(architecture, sizeof architecture, "--gpu-architecture=%s_%d",
             given.ptx ? "compute" : "sm", newest);
    if (job->from->define)
        given.option[given.options++] = job->from->define;
    snprintf(source, sizeof source, "%s/" COMPILE_SOURCE, job->work);
    CA_TRY(ca_file_read(source, 16 << 20, &text, &bytes, error));
    given.text = text;
    status = ca_nvrtc_compile(&given, &code, &bytes, error);
    free(text);
    if (status == CA_OK)
        status = write_code(job, made, code, bytes, error);
    free(code);
    return status;
}

/* --- others ----------------------------------------------------------------------------------- */

/* The newest of those that nvcc lists, in lines such as compute_90. */
static enum ca_status ask_nvcc(const struct compile_job *job, const char *path, const char *named,
                               int capability, int *newest, struct ca_error *error)
{
    char listed[PATH_MAX + 32], *text = NULL;
    int known[CA_NVRTC_KNOWN], count = 0;
    struct ca_command command = {.count = 0};
    bool good = false;
    size_t bytes;
    pid_t pid;

    *newest = capability;
    ca_command_word(&command, path);
    ca_command_add(&command, named + strcspn(named, " \t"));
    ca_command_word(&command, "--list-gpu-arch");
    CA_TRY(compile_start(job, &command, LISTED, "", &pid, error));
    CA_TRY(compile_await(job, pid, &good, error));
    snprintf(listed, sizeof listed, "%s/" LISTED, job->work);
    if (!good || ca_file_read(listed, 1 << 16, &text, &bytes, error) != CA_OK)
        return CA_OK; /* it is asked for machine code, and says what is wrong */
    for (const char *at = text; count < CA_NVRTC_KNOWN && (at = strstr(at, "compute_"));) {
        at += strlen("compute_");
        known[count++] = (int)strtol(at, NULL, 10);
    }
    free(text);
    *newest = compile_gpu_newest(known, count, capability);
    return CA_OK;
}

static enum ca_status by_nvcc(const struct compile_job *job, int capability, const char *made,
                              struct ca_error *error)
{
    const char *named = ca_compiler_named("NVCC", "nvcc");
    char architecture[64], path[PATH_MAX];
    struct ca_command command = {.count = 0};
    bool good = false;
    int newest;
    pid_t pid;

    if (!ca_nvcc_find(path))
        return ca_fail(error, CA_COMPILE, "%.200s is not on PATH nor in CUDA_HOME", named);
    CA_TRY(ask_nvcc(job, path, named, capability, &newest, error));
    snprintf(architecture, sizeof architecture, "-arch=%s_%d",
             newest < capability ? "compute" : "sm", newest);
    ca_command_word(&command, path);
    ca_command_add(&command, named + strcspn(named, " \t"));
    ca_command_add(&command, NVCC_FLAGS);
    if (job->from->define)
        ca_command_word(&command, job->from->define);
    ca_command_word(&command, architecture);
    ca_command_word(&command, newest < capability ? "-ptx" : "-cubin");
    ca_command_word(&command, "-I.");
    ca_command_word(&command, "-o");
    ca_command_word(&command, made);
    ca_command_add(&command, "-x cu " COMPILE_SOURCE);
    CA_TRY(compile_start(job, &command, SAID, "", &pid, error));
    CA_TRY(compile_await(job, pid, &good, error));
    return good ? CA_OK : compile_failed(job, SAID, error);
}

static enum ca_status by_driver(const struct compile_job *job, int capability, const char *made,
                                struct ca_error *error)
{
    enum ca_status status;
    char *code;
    size_t bytes;

    CA_TRY(ca_driver_compile(job->from->text, capability, &code, &bytes, error));
    status = write_code(job, made, code, bytes, error);
    free(code);
    return status;
}

static enum ca_status by_emulator(const struct compile_job *job, bool watched, const char *made,
                                  struct ca_error *error)
{
    char source[PATH_MAX + 32], said[PATH_MAX + 32], object[PATH_MAX + 32];
    const char *files[] = {source};
    const char *options[4] = {"-fPIC"};
    int count = 1;
    struct ca_emulation emulation = {.files = files,
                                     .count = 1,
                                     .plain = !watched,
                                     .library = object,
                                     .options = options,
                                     .messages = said,
                                     .place = job->work};
    enum ca_status status;

    snprintf(source, sizeof source, "%s/" COMPILE_SOURCE, job->work);
    snprintf(said, sizeof said, "%s/" SAID, job->work);
    snprintf(object, sizeof object, "%s/%s", job->work, made);
    if (job->from->define)
        options[count++] = job->from->define;
    status = ca_emulate_build(&emulation, error);
    ca_emulate_remove(&emulation);
    return status == CA_COMPILE && access(said, R_OK) == 0 ? compile_failed(job, SAID, error)
                                                           : status;
}

/* --- all -------------------------------------------------------------------------------------- */

/* NVIDIA's compilers write file(line): error, others file:line: error. */
static void name_line(struct ca_error *error)
{
    char *open = strchr(error->text, '('), *end = open ? open + 1 : NULL;

    while (end && *end >= '0' && *end <= '9')
        end++;
    if (!end || end == open + 1 || strncmp(end, "):", 2) != 0)
        return;
    *open = ':';
    memmove(end, end + 1, strlen(end + 1) + 1);
}

static uint64_t key_of(enum compile_gpu compiler, int capability)
{
    uint64_t key = COMPILE_DIGEST;
    static const char *const flags[] = {NVRTC_FLAGS, NVCC_FLAGS};
    struct ca_error ignored;
    struct ca_nvrtc nvrtc;
    char path[PATH_MAX];
    int version;

    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        key = compile_digest_text(key, flags[i]);
    if (compiler == COMPILE_NVRTC && ca_nvrtc_find(&nvrtc, &ignored) == CA_OK)
        key = compile_digest_compiler(key, nvrtc.path);
    else if (compiler == COMPILE_NVCC && ca_nvcc_find(path))
        key = compile_digest_text(compile_digest_compiler(key, path),
                                  ca_compiler_named("NVCC", "nvcc"));
    else if (compiler == COMPILE_DRIVER && ca_driver_compiler_find(&version, &ignored) == CA_OK)
        key = compile_digest_bytes(key, &version, sizeof version);
    else
        key = compile_digest_compiler(compile_digest_compiler(key, "/proc/self/exe"),
                                      ca_compiler_named("CXX", "g++"));
    return compile_digest_bytes(compile_digest_bytes(key, &capability, sizeof capability),
                                &compiler, sizeof compiler);
}

bool compile_gpu_kept(struct compile_job *job, enum compile_gpu compiler, int capability,
                      char path[PATH_MAX])
{
    const char *ending = compiler >= COMPILE_EMULATOR ? "-gpu.so" : ".cubin";

    compile_name(job, key_of(compiler, capability));
    return job->kept[0] && snprintf(path, PATH_MAX, "%s%s", job->kept, ending) < PATH_MAX &&
           access(path, R_OK) == 0;
}

enum ca_status compile_gpu(struct compile_job *job, enum compile_gpu compiler, int capability,
                           char path[PATH_MAX], struct ca_error *error)
{
    const char *made = compiler >= COMPILE_EMULATOR ? "gpu.so" : "gpu.cubin";
    const char *ending = compiler >= COMPILE_EMULATOR ? "-gpu.so" : ".cubin";
    enum ca_status status;

    if (compile_gpu_kept(job, compiler, capability, path))
        return CA_OK;
    compile_turn(job);
    if (job->lock > 0 && access(path, R_OK) == 0)
        return CA_OK;
    CA_TRY(compile_open(job, "", error));
    status = compiler == COMPILE_NVRTC  ? by_nvrtc(job, capability, made, error)
             : compiler == COMPILE_NVCC ? by_nvcc(job, capability, made, error)
             : compiler == COMPILE_DRIVER
                 ? by_driver(job, capability, made, error)
                 : by_emulator(job, compiler == COMPILE_EMULATOR_WATCHED, made, error);
    if (status == CA_COMPILE)
        name_line(error);
    CA_TRY(status);
    if (job->keeps)
        return compile_keep(job, made, ending, error);
    snprintf(path, PATH_MAX, "%.4000s/%s", job->work, made);
    return CA_OK;
}
