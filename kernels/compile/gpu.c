/* SPDX-License-Identifier: MIT */
/* This file gives the text of a model to the compilers of CUDA. */
#include "kernels/file/gpu_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/emulator/emulate.h"
#include "core/files/file.h"
#include "core/files/nvrtc.h"

#define SAID "said"

/* No product and sum become one operation, so that floats are those of a CPU to the last bit. */
#define NVRTC_FLAGS "-std=c++17", "-fmad=false", "-DCA_GPU"
#define NVCC_FLAGS "-std=c++17 -fmad=false -DCA_GPU -cubin"

enum ca_status file_gpu_compiler(enum file_gpu_compiler *compiler, struct ca_error *error)
{
    struct ca_error ignored;
    struct ca_nvrtc nvrtc;
    char path[PATH_MAX];

    *compiler = FILE_NVRTC;
    if (ca_nvrtc_find(&nvrtc, error) == CA_OK)
        return CA_OK;
    *compiler = FILE_NVCC;
    if (ca_nvcc_find(path))
        return CA_OK;
    ignored = *error;
    return ca_fail(error, CA_COMPILE,
                   "the file has to be compiled for a GPU, and %.400s; there is no nvcc either",
                   ignored.text);
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

/* Those, and those of models. */
static void list_headers(struct ca_nvrtc_source *job, const char *names[HEADERS_MAX],
                         const char *texts[HEADERS_MAX])
{
    int count = 0;

    for (int i = 0; file_headers[i]; i++, count++)
        names[count] = file_headers[i], texts[count] = file_header_text(file_headers[i]);
    for (size_t i = 0; i < sizeof host_headers / sizeof *host_headers; i++, count++)
        names[count] = host_headers[i].name, texts[count] = host_headers[i].text;
    job->header_names = names, job->headers = texts, job->header_count = count;
}

static enum ca_status write_code(const struct file_build *build, const char *name, const char *code,
                                 size_t bytes, struct ca_error *error)
{
    char path[PATH_MAX + 32];
    FILE *file;
    bool good;

    snprintf(path, sizeof path, "%s/%s", build->work, name);
    file = fopen(path, "we");
    good = file && fwrite(code, 1, bytes, file) == bytes;
    if (file)
        good = fclose(file) == 0 && good;
    return good ? CA_OK : ca_fail(error, CA_IO, "%.300s cannot be written: %m", path);
}

static enum ca_status by_nvrtc(const struct file_build *build, int capability, const char *made,
                               struct ca_error *error)
{
    const char *names[HEADERS_MAX], *headers[HEADERS_MAX];
    char architecture[64], folder[PATH_MAX + 16], source[PATH_MAX + 32], *text, *code;
    struct ca_nvrtc_source job = {
        .name = build->object->name, .option = {NVRTC_FLAGS, architecture, folder}, .options = 5};
    enum ca_status status;
    size_t bytes;

    list_headers(&job, names, headers);
    snprintf(architecture, sizeof architecture, "--gpu-architecture=sm_%d", capability);
    snprintf(folder, sizeof folder, "-I%s", build->folder);
    snprintf(source, sizeof source, "%s/" FILE_SOURCE, build->work);
    CA_TRY(ca_file_read(source, 16 << 20, &text, &bytes, error));
    job.text = text;
    status = ca_nvrtc_compile(&job, &code, &bytes, error);
    free(text);
    if (status == CA_OK)
        status = write_code(build, made, code, bytes, error);
    free(code);
    return status;
}

/* --- others ----------------------------------------------------------------------------------- */

static enum ca_status by_nvcc(const struct file_build *build, int capability, const char *made,
                              struct ca_error *error)
{
    const char *named = ca_compiler_named("NVCC", "nvcc");
    char architecture[64], include[PATH_MAX + 16], path[PATH_MAX];
    struct ca_command command = {.count = 0};
    bool good = false;
    pid_t pid;

    if (!ca_nvcc_find(path))
        return ca_fail(error, CA_COMPILE, "%.200s is not on PATH nor in CUDA_HOME", named);
    snprintf(architecture, sizeof architecture, "-arch=sm_%d", capability);
    snprintf(include, sizeof include, "-I%s", build->folder);
    ca_command_word(&command, path);
    ca_command_add(&command, named + strcspn(named, " \t"));
    ca_command_add(&command, NVCC_FLAGS);
    ca_command_word(&command, architecture);
    ca_command_word(&command, "-I.");
    ca_command_word(&command, include);
    ca_command_word(&command, "-o");
    ca_command_word(&command, made);
    ca_command_add(&command, "-x cu " FILE_SOURCE);
    CA_TRY(file_build_start(build, &command, SAID, "", &pid, error));
    CA_TRY(file_build_await(build, pid, &good, error));
    return good ? CA_OK : file_build_failed(build, SAID, error);
}

static enum ca_status by_emulator(const struct file_build *build, bool watched, const char *made,
                                  struct ca_error *error)
{
    char source[PATH_MAX + 32], said[PATH_MAX + 32], object[PATH_MAX + 32], folder[PATH_MAX + 16];
    const char *files[] = {source};
    const char *options[] = {"-DCA_GPU", "-fPIC", folder, NULL};
    struct ca_emulation emulation = {.files = files,
                                     .count = 1,
                                     .plain = !watched,
                                     .library = object,
                                     .options = options,
                                     .messages = said,
                                     .place = build->work};
    enum ca_status status;

    snprintf(source, sizeof source, "%s/" FILE_SOURCE, build->work);
    snprintf(said, sizeof said, "%s/" SAID, build->work);
    snprintf(object, sizeof object, "%s/%s", build->work, made);
    snprintf(folder, sizeof folder, "-I%s", build->folder);
    status = ca_emulate_build(&emulation, error);
    ca_emulate_remove(&emulation);
    return status == CA_COMPILE && access(said, R_OK) == 0 ? file_build_failed(build, SAID, error)
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

static uint64_t key_of(enum file_gpu_compiler compiler, int capability)
{
    uint64_t key = FILE_DIGEST;
    static const char *const flags[] = {NVRTC_FLAGS, NVCC_FLAGS};
    struct ca_error ignored;
    struct ca_nvrtc nvrtc;
    char path[PATH_MAX];

    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        key = file_digest_text(key, flags[i]);
    if (compiler == FILE_NVRTC && ca_nvrtc_find(&nvrtc, &ignored) == CA_OK)
        key = file_digest_compiler(key, nvrtc.path);
    else if (compiler == FILE_NVCC && ca_nvcc_find(path))
        key = file_digest_text(file_digest_compiler(key, path), ca_compiler_named("NVCC", "nvcc"));
    else
        key = file_digest_compiler(file_digest_compiler(key, "/proc/self/exe"),
                                   ca_compiler_named("CXX", "g++"));
    return file_digest_bytes(file_digest_bytes(key, &capability, sizeof capability), &compiler,
                             sizeof compiler);
}

enum ca_status file_gpu_compile(const struct file_object *object, enum file_gpu_compiler compiler,
                                int capability, struct file_build *build, char path[PATH_MAX],
                                struct ca_error *error)
{
    const char *made = compiler >= FILE_EMULATOR ? "gpu.so" : "gpu.cubin";
    const char *ending = compiler >= FILE_EMULATOR ? "-gpu.so" : ".cubin";
    enum ca_status status;

    *build = (struct file_build){.object = object};
    file_build_name(build, key_of(compiler, capability));
    if (build->kept[0] && snprintf(path, PATH_MAX, "%s%s", build->kept, ending) < PATH_MAX &&
        access(path, R_OK) == 0)
        return CA_OK;
    file_build_turn(build);
    if (build->lock > 0 && access(path, R_OK) == 0)
        return CA_OK;
    CA_TRY(file_build_open(build, "", error));
    status = compiler == FILE_NVRTC ? by_nvrtc(build, capability, made, error)
             : compiler == FILE_NVCC
                 ? by_nvcc(build, capability, made, error)
                 : by_emulator(build, compiler == FILE_EMULATOR_WATCHED, made, error);
    if (status == CA_COMPILE)
        name_line(error);
    CA_TRY(status);
    if (build->keeps)
        return file_build_keep(build, made, ending, error);
    snprintf(path, PATH_MAX, "%.4000s/%s", build->work, made);
    return CA_OK;
}
