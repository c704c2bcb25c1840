/* SPDX-License-Identifier: MIT */
/* This file finds the instruction sets that backends may use, and the sizes of the caches. */
#include "core/machine/cpu.h"

#include <stdlib.h>
#include <string.h>

#include "core/machine/device.h"

const char *const ca_isa_names[] = {"baseline", "avx", "avx2", "avx512", NULL};

static enum ca_isa detect(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx"))
        return CA_BASELINE;
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2"))
        return CA_AVX;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2"))
        return CA_AVX512;
    return CA_AVX2;
#else
    return CA_BASELINE;
#endif
}

enum ca_isa ca_cpu_isa(void)
{
    const char *mask = getenv("CALAB_CPU");
    enum ca_isa isa = detect();

    for (enum ca_isa i = CA_BASELINE; mask && i < isa; i++)
        if (strcmp(mask, ca_isa_names[i]) == 0)
            return i;
    return isa;
}

static enum ca_status needs(enum ca_isa isa, const char *what, struct ca_error *error)
{
    if (ca_cpu_isa() >= isa)
        return CA_OK;
    if (detect() >= isa)
        return ca_fail(error, CA_NO_DEVICE, "needs %s, which CALAB_CPU=%s masks", what,
                       getenv("CALAB_CPU"));
    return ca_fail(error, CA_NO_DEVICE, "needs %s, which this CPU lacks", what);
}

enum ca_status ca_needs_x86(struct ca_error *error)
{
#if defined(__x86_64__)
    (void)error;
    return CA_OK;
#else
    return ca_fail(error, CA_NO_DEVICE, "needs an x86-64 processor");
#endif
}

enum ca_status ca_needs_avx(struct ca_error *error) { return needs(CA_AVX, "AVX", error); }

enum ca_status ca_needs_avx2(struct ca_error *error)
{
    return needs(CA_AVX2, "AVX2 and BMI2", error);
}

enum ca_status ca_needs_avx512(struct ca_error *error)
{
    return needs(CA_AVX512, "AVX-512 F, BW, VL, DQ, VBMI and VBMI2", error);
}

#define CACHES "/sys/devices/system/cpu/cpu0/cache"

void ca_cpu_caches(int64_t bytes[CA_CACHES])
{
    static const int64_t usual[CA_CACHES] = {32 << 10, 1 << 20, 32 << 20};
    char level[32], type[32], size[32], *unit;

    memcpy(bytes, usual, sizeof usual);
    for (int i = 0; ca_machine_file(level, sizeof level, CACHES "/index%d/level", i); i++) {
        long at = strtol(level, NULL, 10) - 1;
        int64_t number;

        if (!ca_machine_file(type, sizeof type, CACHES "/index%d/type", i) ||
            strncmp(type, "Instruction", 11) == 0 ||
            !ca_machine_file(size, sizeof size, CACHES "/index%d/size", i) || at < 0 ||
            at >= CA_CACHES)
            continue;
        number = strtoll(size, &unit, 10);
        number <<= *unit == 'M' ? 20 : *unit == 'K' ? 10 : 0;
        if (number > 0)
            bytes[at] = number;
    }
}
