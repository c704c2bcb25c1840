/* SPDX-License-Identifier: MIT */
/* The driver's compiler, by a library that stands for it (tests/stand_in/libcuda.c): what it is
 * given, what it says, and that the code is kept as that of other compilers is. */
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/machine/driver_compiler.h"
#include "kernels/compile/gpu.h"
#include "kernels/compile/later.h"
#include "tests/support/support.h"

static struct ca_error error;
static int (*held_contexts)(void), (*compiles_slowly)(void);

/* The library is found by its name from here on. */
static void install(void)
{
    const char *program = test_program();
    void *library = dlopen(test_text("%.*s/tests/stand_in/libcuda.so.1",
                                     (int)(strrchr(program, '/') - program), program),
                           RTLD_NOW | RTLD_LOCAL);
    void *symbol;

    ck_assert_msg(library != NULL, "%s", dlerror());
    symbol = dlsym(library, "held_contexts");
    memcpy(&held_contexts, &symbol, sizeof symbol);
    symbol = dlsym(library, "compiles_slowly");
    memcpy(&compiles_slowly, &symbol, sizeof symbol);
    setenv("XDG_CACHE_HOME", test_folder(), 1);
}

/* For the GPU that is named, in the context that is there already; nothing stays behind. */
START_TEST(code_of_a_gpu)
{
    int version;
    size_t size;
    char *code;

    ck_assert_ok(ca_driver_compiler_find(&version, &error));
    ck_assert_int_eq(version, 13000);
    for (int i = 0; i < 2; i++) {
        ck_assert_ok(ca_driver_compile(".version 9.0\n", 86 + 4 * i, &code, &size, &error));
        ck_assert_str_eq(code, i ? "sm_90 on 1: .version 9.0\n" : "sm_86 on 1: .version 9.0\n");
        ck_assert_uint_eq(size, strlen(code) + 1);
        ck_assert_int_eq(held_contexts(), 0);
        free(code);
    }
}
END_TEST

START_TEST(what_it_refuses)
{
    size_t size;
    char *code;

    ck_assert_int_eq(ca_driver_compile("wrong\n", 90, &code, &size, &error), CA_COMPILE);
    ck_assert_str_eq(error.text, "the driver's compiler: ptxas application ptx input, line 3; "
                                 "error : Parsing error");
    ck_assert_ptr_null(code);
    ck_assert_int_eq(held_contexts(), 0);
}
END_TEST

/* A text is compiled once for a GPU. */
START_TEST(code_is_kept)
{
    static const char *const no_headers[] = {NULL};
    struct compile_text from = {
        .name = "rule.ptx", .text = "text", .size = 4, .headers = no_headers, .kept = "kernels"};
    struct compile_job job = {.from = &from};
    char path[PATH_MAX], again[PATH_MAX];
    size_t size;

    ck_assert(!compile_gpu_kept(&job, COMPILE_DRIVER, 90, path));
    ck_assert_ok(compile_gpu(&job, COMPILE_DRIVER, 90, path, &error));
    compile_close(&job);
    ck_assert_str_eq(test_keep(test_read(path, &size)), "sm_90 on 1: text");
    ck_assert(compile_gpu_kept(&job, COMPILE_DRIVER, 90, again));
    ck_assert_str_eq(again, path);
    ck_assert(!compile_gpu_kept(&job, COMPILE_DRIVER, 86, again));
    ck_assert(!compile_gpu_kept(&job, COMPILE_NVCC, 90, again));
}
END_TEST

/* A program that ends while a thread compiles waits for it, and for as long the compiler is there.
 */
START_TEST(a_program_may_end_meanwhile)
{
    struct compile_later *later;
    pid_t child = fork();
    int status;

    if (child == 0) {
        later = compile_later_of("slow", "rule.ptx", COMPILE_DRIVER, 90);
        compile_later_begin(later);
        while (!compiles_slowly())
            usleep(1000);
        exit(7);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 7, "status %x", status);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.setup = install, .test = {code_of_a_gpu, what_it_refuses, code_is_kept,
                                                a_program_may_end_meanwhile});
}
