/* SPDX-License-Identifier: MIT */
/* The instruction sets of this CPU that CALAB_CPU does not mask. CALAB_CPU = "baseline", "avx",
 * "avx2" or "avx512" names the highest that backends may use, to imitate a machine without AVX-512.
 */
#ifndef CALAB_CORE_MACHINE_CPU_H
#define CALAB_CORE_MACHINE_CPU_H

#include <stdint.h>

#include "core/base/error.h"

enum ca_isa { CA_BASELINE, CA_AVX, CA_AVX2, CA_AVX512 };

extern const char *const ca_isa_names[]; /* also the values of CALAB_CPU; ends with NULL */

/* AVX2 includes BMI2. AVX-512 is F, BW, VL, DQ, VBMI and VBMI2. An unknown CALAB_CPU masks
 * nothing. */
enum ca_isa ca_cpu_isa(void);

/* For ca_backend.available. CA_NO_DEVICE with "needs AVX2 and ..." as the reason. */
enum ca_status ca_needs_x86(struct ca_error *error);
enum ca_status ca_needs_avx(struct ca_error *error);
enum ca_status ca_needs_avx2(struct ca_error *error);
enum ca_status ca_needs_avx512(struct ca_error *error);

/* The ops of a backend that is compiled for x86-64 alone. On other processors its row stays in the
 * list, and `available` says why it cannot run. */
#if defined(__x86_64__)
#define X86_OPS(object) .ops = &(object)
#else
#define X86_OPS(object) .ops = NULL
#endif

/* Bytes of L1 (data), L2 and L3, or of a common machine if the system does not tell. The C
 * library reports wrong sizes on some machines. */
#define CA_CACHES 3
void ca_cpu_caches(int64_t bytes[CA_CACHES]);

#endif
