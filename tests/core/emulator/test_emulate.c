/* SPDX-License-Identifier: MIT */
/* calab emulate: what the rewriter makes of CUDA's syntax, and what is said of bad input. */
#include "core/emulator/rewrite.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/program.h"
#include "tests/support/support.h"

static struct ca_error error;

/* --- the rewriter ----------------------------------------------------------------------------- */

static const struct {
    const char *source, *has, *lacks;
} rewritten[] = {
    {"__global__ void k(int); void f() { k<<<1, dim3(2, 3)>>>(4); }",
     "k % emulated_dims(1, dim3(2, 3))(4);", "<<<"},
    {"__global__ void k(); void f() { k<<<g < 4 ? g : 4, b[a > 2], 0, s>>>(); }",
     "emulated_dims(g < 4 ? g : 4, b[a > 2], 0, s)();", "<<<"},
    {"template <class T> __global__ void k(T *p); void f() { k<<<1, 1>>>(p); }", "emulated_choice{",
     "<<<"},
    {"template <class T> __global__ void k(T *p); void f() { k<int><<<1, 1>>>(p); }",
     "k<int> % emulated_dims(1, 1)(p)", "emulated_choice"},
    {"const char *s = \"k<<<1, 1>>>()\"; /* k<<<1>>>() */ // <<<",
     "\"k<<<1, 1>>>()\"; /* k<<<1>>>()", "emulated_"},
    {"void f() { __shared__ float a[8], b, *c; }", "float (&a)[ 8 ] = emulated_shared{",
     "__shared__"},
    {"void f() { __shared__ float a[8], b, *c; }", "}()},*&c = emulated_shared{", "__shared__"},
    {"void f() { __shared__ int a[1 << 8]; }", "int (&a)[ 1 << 8 ] = emulated_shared{",
     "__shared__"},
    {"void f() { extern __shared__ float a[]; }", "float *const a = emulated_dynamic{}",
     "__shared__"},
    {"void f() { __shared__\n# 7 \"a.cu\"\nfloat a; }", "\n# 7 \"a.cu\"\nfloat", "__shared__"},
    {"extern __shared__ float a[];", "static float *const &a = emulated_dynamic_file{};",
     "__shared__"},
    {"__shared__ int n[4];", "static emulated_file_shared<int [ 4 ]> n;", "__shared__"},
    {"__shared__ struct { int a; } s; void f() { s.a = t.s.a; }",
     "struct calab_shared_2{ int a ; };", "__shared__"},
    {"__shared__ struct { int a; } s; void f() { s.a = t.s.a; }", "s.get().a = t.s.a;", "struct {"},
    {"__shared__ struct pair { int a; } s[3];", "static emulated_file_shared<pair [ 3 ]> s;",
     "get"},
    {"template <class T> __global__ void k() { __shared__ T a[4]; }",
     "T (&a)[ 4 ] = emulated_shared{", "emulated_file_shared"},
    {"__global__ void k(int); __global__ void k(float *); void f() { k<<<1, 1>>>(3); }",
     "emulated_choice{", "<<<"},
    {"__global__ void k(int n, float *p); __global__ void k(int, float *q) {} void f() { "
     "k<<<1, 1>>>(3, p); }",
     "k % emulated_dims(1, 1)(3, p)", "emulated_choice"},
    {"__global__ void k(int *p, int n = 7, int m = f(1, 2)); void f() { k<<<1, 1>>>(p); }",
     "k % emulated_dims(1, 1)(p, 7, f ( 1 , 2 ));", "<<<"},
    {"__global__ void k(int n = 7); void f() { k<<<1, 1>>>(); k<<<1, 1>>>(3); }",
     "k % emulated_dims(1, 1)(7); k % emulated_dims(1, 1)(3);", "<<<"},
    {"__global__ void k(); void f() { k << <1, 1 >> > (); }", "k  % emulated_dims(1, 1 ) ();",
     "<<"},
    {"template <class T> void operator<< <T>(T); int main() { return; }", "return 0;", "<<<"},
    {"int main() { auto f = [](int x) { if (x) return; }; return; }", "if (x) return; }; return 0;",
     "return 0; }; "},
    {"void g() { return; } int main(int c, char **v) { return; }", "void g() { return; }",
     "{ return; }}"},
    {"__device__ int n; __host__ __device__ int f(int x) { return x; }", " static int n;  ",
     "__device__"},
    {"extern __device__ int n; static __device__ int m; inline __device__ int k = 1;",
     "extern  int n; static  int m; inline  int k = 1;", "static static"},
    {"__device__ int f(int x) { asm(\"add.s32 %0, %0, 1;\" : \"+r\"(x)); return x; }",
     "emulated_ptx::set(calab_0, emulated_ptx::add<int32_t>(calab_0, 1));", "asm"},
    {"__device__ void f(int x) { asm(\"st.shared.u32 [%0+4], 1;\" :: \"r\"(x)); }",
     "emulated_ptx::st<uint32_t>(emulated_ptx::at_shared(calab_0 + 4), 1);", "asm"},
    {"__device__ void f(int x) { asm(\"{ .reg .pred p; setp.lt.s32 p|_, %0, 1; }\" :: \"r\"(x)); }",
     "emulated_ptx::set(calab_v_p, calab_both.holds);", "fails"},
    {"void f() { asm(\"add.s32 %0, %0, 1;\" : \"+r\"(x)); }", "asm(\"add.s32", "emulated_ptx"},
    {"__constant__ float c[3];", "section(\"calab_constant\")", "__constant__"},
    {"__constant__ const float c[3] = {};", "const float c[3]", "section"},
    {"__global__ void k(int);", "static emulated_registered calab_kernel_0(k);", "__global__"},
};

START_TEST(rewrites)
{
    char *result;

    ck_assert_ok(ca_rewrite_cuda(rewritten[_i].source, strlen(rewritten[_i].source), false, &result,
                                 &error));
    ck_assert_msg(strstr(result, rewritten[_i].has), "%s", result);
    ck_assert_msg(!strstr(result, rewritten[_i].lacks), "%s", result);
    free(result);
}
END_TEST

static const struct {
    const char *source, *says;
} refused[] = {
    {"# 7 \"a.cu\"\nvoid f() { k<<<1>>>(); }", "a.cu:7: error: between <<< and >>> stand grid"},
    {"# 7 \"a.cu\"\n\nvoid f() { k<<<1, 2, 3, 4, 5>>>(); }", "a.cu:8: error: between"},
    {"void f() { k<<<1, 2; }", "<<< without >>>"},
    {"void f() { k<<<1, 2>>>; }", "must be followed by the kernel's arguments"},
    {"# 7 \"a.cu\"\n__global__ void k() {\n k<<<1, 2>>>(); }",
     "a.cu:8: error: calab's emulator has no dynamic parallelism"},
    {"# 7 \"a.cu\"\n__device__ void f() {\n asm(\"vset.u32.u32.eq %0, %1, %2;\" : \"=r\"(a) : "
     "\"r\"(b), "
     "\"r\"(c)); }",
     "a.cu:8: error: calab's emulator has no inline PTX with 'vset.u32.u32.eq'"},
    {"__global__ void k() { asm(\"wmma.load.a.sync [%0];\" :: \"l\"(p)); }", "'wmma.load.a.sync'"},
    {"__global__ void k() { asm(\"ld.local.u32 %0, [%1];\" : \"=r\"(x) : \"r\"(p)); }",
     "'ld.local.u32'"},
    {"__global__ void k() { asm(\"{ .reg .pred p; shfl.sync.up.b32 %0|p, %0, 1, 0, -1; }\" : "
     "\"+r\"(x)); }",
     "'shfl.sync.up.b32'"},
    {"__global__ void k() { asm(\"mov.u32 %0, %%gridid;\" : \"=r\"(x)); }", "'%gridid'"},
    {"__global__ void k() { asm(\"mov.u32 %0, %5;\" : \"=r\"(x)); }", "'%5'"},
    {"__global__ void k() { asm(\"bar.sync 1, 64;\"); }", "barriers other than 0"},
    {"__global__ void k() { asm(\"L: bra L;\"); }", "'L:'"},
    {"void f() { __shared__ int a = 1; }", "cannot have an initial value"},
    {"void f() { __shared__ int a[]; }", "a __shared__ array without extern has a size"},
    {"void f() { extern __shared__ int a[4]; }", "an array without a size: a[]"},
};

START_TEST(refuses)
{
    char *result;

    ck_assert_int_eq(
        ca_rewrite_cuda(refused[_i].source, strlen(refused[_i].source), false, &result, &error),
        CA_WRONG);
    ck_assert_contains(error.text, refused[_i].says);
    ck_assert_ptr_null(result);
}
END_TEST

/* Whatever the source is, the rewriter ends and stays within it. */
START_TEST(rewrites_parts)
{
    static const char source[] =
        "template <class T, int N = 3> __global__ void k(T *p) { extern __shared__ T a[]; "
        "__shared__ float b[N], *c; asm volatile(\"{ .reg .pred p<2>; @!p0 ld.v2.u32 {%0, %1}, "
        "[%2+4]; }\" : \"=r\"(x), \"=r\"(y) : \"l\"(p) : \"memory\"); } /* x */ void f() { "
        "k<int><<<1, dim3(2), 3>>>(\"\\\"\", 'c'); "
        "}";

    for (size_t from = 0; from < sizeof source; from++)
        for (size_t to = from; to < sizeof source; to += 1 + (to - from) / 16) {
            char *part = strndup(source + from, to - from), *result;

            if (ca_rewrite_cuda(part, strlen(part), false, &result, &error) == CA_OK)
                free(result);
            free(part);
        }
}
END_TEST

/* Only what says that it is another file's is shared among the files of a program. */
START_TEST(shares_variables)
{
    static const struct {
        const char *source;
        bool shares;
    } sources[] = {
        {"__device__ int n; extern int m;", false}, {"extern __device__ int n;", true},
        {"extern __constant__ float w[];", true},   {"extern __device__ int f(int);", false},
        {"extern \"C\" __device__ int n;", false},
    };

    for (size_t i = 0; i < COUNT(sources); i++) {
        bool shares;
        char *result;

        ck_assert_ok(
            ca_rewrite_shares(sources[i].source, strlen(sources[i].source), &shares, &error));
        ck_assert_msg(shares == sources[i].shares, "%s", sources[i].source);
        ck_assert_ok(
            ca_rewrite_cuda(sources[i].source, strlen(sources[i].source), true, &result, &error));
        ck_assert_ptr_null(strstr(result, "static"));
        free(result);
    }
}
END_TEST

/* --- the command ------------------------------------------------------------------------------ */

static const struct refusal refusals[] = {
    {"emulate", CA_USAGE, "needs the source of a program", "FILE.cu"},
    {"emulate absent.cu", CA_IO, "absent.cu", "No such file"},
    {"emulate a.cu --order sideways", CA_USAGE, "'sideways'", "forward, reverse, random:SEED"},
    {"emulate a.cu --order random:x", CA_USAGE, "'random:x'", "forward, reverse, random:SEED"},
    {"emulate a.cu --cc 3.5", CA_USAGE, "'3.5'", "7.0, 7.5, 8.0"},
    {"emulate a.cu --limit 0", CA_USAGE, "limit", "'0'"},
};

int main(void)
{
    return RUN_TESTS(.test = {rewrites_parts, shares_variables},
                     .table = {{rewrites, COUNT(rewritten)},
                               {refuses, COUNT(refused)},
                               {refusals_test(refusals), COUNT(refusals)}});
}
