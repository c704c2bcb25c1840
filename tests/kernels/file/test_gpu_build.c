/* SPDX-License-Identifier: MIT */
/*
 * Models in files that are compiled for GPUs, which takes none: by NVRTC and nvcc where they are,
 * and by what stands in for them elsewhere.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/files/nvrtc.h"
#include "kernels/file/file_model.h"
#include "tests/kernels/file/models.h"
#include "tests/support/support.h"

static struct ca_error error;

static const struct file_object *opened(const char *path)
{
    const struct ca_model *model = NULL;

    ck_assert_ok(file_model_open(&model, path, &error));
    return &file_model_of(model)->object;
}

/* A job of an object's text, which the caller keeps. */
struct test_job {
    struct compile_job job;
    struct compile_text text;
};

static struct compile_job *begin_job(struct test_job *job, const struct file_object *object)
{
    job->text = file_object_text(object);
    job->job = (struct compile_job){.from = &job->text};
    return &job->job;
}

/* The code that a compiler makes of an object, kept. */
static char *code_of(const struct file_object *object, enum compile_gpu compiler, int capability,
                     size_t *size)
{
    struct test_job build;
    char path[PATH_MAX], *code;

    ck_assert_ok(compile_gpu(begin_job(&build, object), compiler, capability, path, &error));
    code = test_read(path, size);
    compile_close(&build.job);
    return code;
}

/* --- compilers that are here ------------------------------------------------------------------ */

static const char *const examples[] = {"ant",       "copies", "excitable", "forest",
                                       "grayscott", "heat",   "ising",     "majority",
                                       "sandpile",  "sir",    "traffic",   "wireworld"};
static const char *const texts[] = {
    HIGHLIFE("highlife", ""), FOREST, REACTION, CLOUDS, HEXAGONS, LANES, LAYERS, COMBS};

static bool is_here(enum compile_gpu compiler)
{
    struct ca_nvrtc nvrtc;
    char path[PATH_MAX];

    return compiler == COMPILE_NVRTC ? ca_nvrtc_find(&nvrtc, &error) == CA_OK : ca_nvcc_find(path);
}

static void check_code(const struct file_object *object)
{
    for (enum compile_gpu c = COMPILE_NVRTC; c <= COMPILE_NVCC; c++) {
        static const char *const kernels[] = {"ca_gpu_naive", "ca_gpu_shared", "ca_gpu_edges"};
        size_t size;
        char *code;

        if (!is_here(c))
            continue;
        code = code_of(object, c, 90, &size);
        ck_assert_msg(size > SELFMAG && memcmp(code, ELFMAG, SELFMAG) == 0, "%s: no cubin",
                      object->name);
        for (size_t k = 0; k < COUNT(kernels); k++)
            ck_assert_msg(memmem(code, size, kernels[k], strlen(kernels[k])), "%s has no %s",
                          object->name, kernels[k]);
    }
}

START_TEST(examples_compile)
{
    check_code(opened(test_source(test_text("configs/models/%s.c", examples[_i]))));
}
END_TEST

START_TEST(models_compile) { check_code(opened(test_put("model.c", texts[_i]))); }
END_TEST

#define CELL_USES(name)                                                                            \
    INCLUDE "CA_MODEL(uses, \"x\")\n" TWO_STATES "static int hidden;\n"                            \
            "CA_CELL cell(CA_NB nb)\n{\n"                                                          \
            "    return (ca_cell)" name ";\n}\n"

/* What a GPU has not got is told by file and line, as a CPU's compiler tells it. */
START_TEST(errors_have_file_and_line)
{
    const struct file_object *object =
        opened(test_put("uses.c", CELL_USES("(AT(0, 0) + hidden++)")));

    for (enum compile_gpu c = COMPILE_NVRTC; c <= COMPILE_NVCC; c++) {
        struct test_job build;
        char path[PATH_MAX];

        if (!is_here(c))
            continue;
        ck_assert_int_eq(compile_gpu(begin_job(&build, object), c, 90, path, &error), CA_COMPILE);
        compile_close(&build.job);
        ck_assert_msg(strncmp(error.text, "uses.c:", 7) == 0 && strstr(error.text, ": error: "),
                      "%s", error.text);
    }
}
END_TEST

/* --- compilers that stand in ------------------------------------------------------------------ */

static const char *stand_in(void)
{
    return test_text("%.*s/tests/stand_in/nvrtc.so",
                     (int)(strrchr(test_program(), '/') - test_program()), test_program());
}

static void no_compilers(void)
{
    setenv("PATH", test_folder(), 1);
    setenv("NVCC", test_path("nvcc"), 1);
    setenv("CALAB_NVRTC", test_path("none.so"), 1);
}

static void copy_file(const char *from, const char *to)
{
    size_t size;
    char *bytes = test_read(from, &size);

    test_write(to, bytes, size);
}

START_TEST(the_library_gets_source_and_headers)
{
    const struct file_object *object = opened(test_put("highlife.c", texts[0]));
    struct ca_nvrtc nvrtc;
    size_t size;
    char *code;

    setenv("CALAB_NVRTC", stand_in(), 1);
    ck_assert_ok(ca_nvrtc_find(&nvrtc, &error));
    ck_assert_int_eq(nvrtc.major, 12);
    ck_assert_int_eq(nvrtc.minor, 9);
    ck_assert_str_eq(nvrtc.path, stand_in());
    code = code_of(object, COMPILE_NVRTC, 86, &size);
    ck_assert_contains(code, "calab_model.h\n", "calab_model_gpu.h\n", "stdint.h\n",
                       "-fmad=false\n", "-DCA_GPU\n", "--gpu-architecture=sm_86\n");
    ck_assert_ptr_null(strstr(code, "-I")); /* no files of the user's folder */
}
END_TEST

/* A GPU that a compiler does not know gets PTX of the newest before it, which its driver compiles.
 * What is older than all is asked for as it is: the compiler says that it has none. */
static const struct {
    int capability, newest;
} newest[] = {{75, 75}, {87, 86}, {90, 90}, {100, 90}, {121, 90}, {61, 61}};

START_TEST(the_newest_that_is_known)
{
    static const int known[] = {90, 75, 80, 86};

    ck_assert_int_eq(compile_gpu_newest(known, COUNT(known), newest[_i].capability),
                     newest[_i].newest);
    ck_assert_int_eq(compile_gpu_newest(known, 0, newest[_i].capability), newest[_i].capability);
}
END_TEST

START_TEST(a_newer_gpu_gets_ptx)
{
    const struct file_object *object = opened(test_put("highlife.c", texts[0]));
    size_t size;
    char *code;

    for (enum compile_gpu c = COMPILE_NVRTC; c <= COMPILE_NVCC; c++)
        if (is_here(c)) {
            code = code_of(object, c, 9990, &size);
            ck_assert_contains(code, ".target sm_", ".entry ca_gpu_naive");
        }
    setenv("CALAB_NVRTC", stand_in(), 1);
    code = code_of(object, COMPILE_NVRTC, 120, &size);
    ck_assert_contains(code, ".version 8.4\n", "--gpu-architecture=compute_90\n");
    code = code_of(object, COMPILE_NVRTC, 90, &size);
    ck_assert_contains(code, "--gpu-architecture=sm_90\n");
    ck_assert_ptr_null(strstr(code, ".version"));
    no_compilers();
    setenv("PATH", "/usr/bin:/bin", 1);
    test_put("nvcc", "#!/bin/sh\n"
                     "[ \"$1\" = --list-gpu-arch ] && printf 'compute_%s\\n' 50 80 90 && exit\n"
                     "all=$*\nwhile [ \"$1\" != -o ]; do shift; done\n"
                     "echo \"$all\" >\"$2\"\n");
    chmod(test_path("nvcc"), 0700);
    ck_assert_contains(code_of(object, COMPILE_NVCC, 120, &size), " -arch=compute_90 -ptx ");
    ck_assert_contains(code_of(object, COMPILE_NVCC, 80, &size), " -arch=sm_80 -cubin ");
}
END_TEST

START_TEST(the_library_is_found)
{
    const char *home = test_path("cuda");
    struct ca_nvrtc nvrtc;

    setenv("CUDA_HOME", home, 1);
    mkdir(home, 0700);
    mkdir(test_text("%s/lib64", home), 0700);
    copy_file(stand_in(), test_text("%s/lib64/libnvrtc.so.12", home));
    unsetenv("CALAB_NVRTC");
    ck_assert_ok(ca_nvrtc_find(&nvrtc, &error));
    ck_assert_str_eq(nvrtc.path, test_text("%s/lib64/libnvrtc.so.12", home));
    /* The variable comes first, and what it names is not passed over. */
    setenv("CALAB_NVRTC", test_path("none.so"), 1);
    ck_assert_int_eq(ca_nvrtc_find(&nvrtc, &error), CA_COMPILE);
    ck_assert_contains(error.text, "CALAB_NVRTC names", "none.so", "not a libnvrtc.so");
}
END_TEST

START_TEST(nvcc_is_found)
{
    char path[PATH_MAX];

    unsetenv("NVCC");
    setenv("PATH", test_folder(), 1);
    setenv("CUDA_HOME", test_path("toolkit"), 1);
    mkdir(test_path("toolkit"), 0700);
    mkdir(test_path("toolkit/bin"), 0700);
    test_put("toolkit/bin/nvcc", "#!/bin/sh\n");
    chmod(test_path("toolkit/bin/nvcc"), 0700);
    ck_assert(ca_nvcc_find(path));
    ck_assert_str_eq(path, test_path("toolkit/bin/nvcc"));
    test_put("nvcc", "#!/bin/sh\n");
    chmod(test_path("nvcc"), 0700);
    ck_assert(ca_nvcc_find(path));
    ck_assert_str_eq(path, test_path("nvcc"));
    setenv("NVCC", test_path("toolkit/bin/nvcc"), 1);
    ck_assert(ca_nvcc_find(path));
    ck_assert_str_eq(path, test_path("toolkit/bin/nvcc"));
}
END_TEST

/* Where there is no NVRTC nvcc is asked, and where there is none either it is said what is missing.
 */
START_TEST(nvcc_comes_second)
{
    enum compile_gpu compiler;
    char name[PATH_MAX];

    no_compilers();
    unlink(test_path("nvcc"));
    if (access("/usr/local/cuda/bin/nvcc", X_OK) != 0 || getenv("NVCC")) {
        ck_assert_int_eq(compile_gpu_find(&compiler, "the file", &error), CA_COMPILE);
        ck_assert_contains(error.text, "has to be compiled for a GPU", "none.so",
                           "there is no nvcc either");
    }
    test_put("nvcc", "#!/bin/sh\n");
    chmod(test_path("nvcc"), 0700);
    ck_assert(ca_nvcc_find(name));
    ck_assert_ok(compile_gpu_find(&compiler, "the file", &error));
    ck_assert_int_eq(compiler, COMPILE_NVCC);
    setenv("CALAB_NVRTC", stand_in(), 1);
    ck_assert_ok(compile_gpu_find(&compiler, "the file", &error));
    ck_assert_int_eq(compiler, COMPILE_NVRTC);
}
END_TEST

/* Each capability, compiler and source is compiled once. */
START_TEST(code_is_kept)
{
    const struct file_object *object = opened(test_put("kept.c", texts[1]));
    const char *count = test_path("count");
    size_t size, times = 0;

    no_compilers();
    setenv("PATH", "/usr/bin:/bin", 1);
    test_put("nvcc", test_text("#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\n"
                               "echo \"$*\" >\"$2\"\necho >>%s\n",
                               count));
    chmod(test_path("nvcc"), 0700);
    for (int i = 0; i < 2; i++) {
        ck_assert_str_eq(code_of(object, COMPILE_NVCC, 80, &size), "-o gpu.cubin -x cu source.c\n");
        code_of(object, COMPILE_NVCC, 90, &size);
    }
    test_read(count, &times);
    ck_assert_uint_eq(times, 2);
    object = opened(test_put("kept.c", test_text("%s/* other */\n", texts[1])));
    code_of(object, COMPILE_NVCC, 90, &size);
    test_read(count, &times);
    ck_assert_uint_eq(times, 3);
}
END_TEST

/* Where nothing can be kept code is made in a temporary folder, which goes when it is closed. */
START_TEST(code_that_cannot_be_kept)
{
    const struct file_object *object = opened(test_put("kept.c", texts[1]));
    struct test_job build;
    char path[PATH_MAX];

    setenv("CALAB_NVRTC", stand_in(), 1);
    setenv("XDG_CACHE_HOME", "/dev/null/none", 1);
    ck_assert_ok(compile_gpu(begin_job(&build, object), COMPILE_NVRTC, 90, path, &error));
    ck_assert_int_eq(access(path, R_OK), 0);
    compile_close(&build.job);
    ck_assert_int_ne(access(path, R_OK), 0);
}
END_TEST

/* A model whose GPU code fails has its file and line, also in the words of NVIDIA's compilers. */
START_TEST(lines_of_other_compilers)
{
    const struct file_object *object =
        opened(test_put("lines.c", test_text("%s/* wrong */\n", texts[0])));
    struct test_job build;
    char path[PATH_MAX];

    setenv("CALAB_NVRTC", stand_in(), 1);
    ck_assert_int_eq(compile_gpu(begin_job(&build, object), COMPILE_NVRTC, 90, path, &error),
                     CA_COMPILE);
    compile_close(&build.job);
    ck_assert_str_eq(error.text, "lines.c:3: error: something is wrong");
}
END_TEST

static void keep_in_folder(void) { setenv("XDG_CACHE_HOME", test_folder(), 1); }

int main(void)
{
    return RUN_TESTS(.setup = keep_in_folder,
                     .test = {errors_have_file_and_line, the_library_gets_source_and_headers,
                              the_library_is_found, nvcc_is_found, nvcc_comes_second, code_is_kept,
                              code_that_cannot_be_kept, lines_of_other_compilers,
                              a_newer_gpu_gets_ptx},
                     .table = {{the_newest_that_is_known, COUNT(newest)},
                               {examples_compile, COUNT(examples)},
                               {models_compile, COUNT(texts)}});
}
