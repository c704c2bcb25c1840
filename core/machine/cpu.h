/* SPDX-License-Identifier: MIT */
/*
 * What instructions this CPU has, less what CALAB_CPU masks: "baseline", "avx2" or "avx512" names
 * the most that backends may use, so that a machine without AVX-512 can be tried on one that has
 * it.
 */
#ifndef CALAB_CORE_MACHINE_CPU_H
#define CALAB_CORE_MACHINE_CPU_H

#include <stdint.h>

#include "core/base/error.h"

enum ca_isa { CA_BASELINE, CA_AVX2, CA_AVX512 };

extern const char *const ca_isa_names[]; /* what CALAB_CPU can be, too; ends with NULL */

/* AVX2: with BMI2. AVX-512: F, BW, VL, DQ, VBMI and VBMI2. An unknown CALAB_CPU masks nothing. */
enum ca_isa ca_cpu_isa(void);

/* For ca_backend.available: CA_OK, or CA_NO_DEVICE with "needs AVX2, ..." as the reason. */
enum ca_status ca_needs_avx2(struct ca_error *error);
enum ca_status ca_needs_avx512(struct ca_error *error);

/*
 * Bytes of the first cache (for data), the second and the third; those of a common machine where
 * the system does not tell. What the C library says of them is wrong on some machines.
 */
#define CA_CACHES 3
void ca_cpu_caches(int64_t bytes[CA_CACHES]);

#endif
