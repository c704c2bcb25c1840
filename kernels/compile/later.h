/* SPDX-License-Identifier: MIT */
/*
 * Texts that a thread compiles for a GPU while the program goes on with something else. One is
 * compiled at a time. The program ends after the one that is being compiled.
 */
#ifndef CALAB_KERNELS_COMPILE_LATER_H
#define CALAB_KERNELS_COMPILE_LATER_H

#include "kernels/compile/gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

enum compile_state {
    COMPILE_NOT_YET, /* nothing is kept, and nobody makes it */
    COMPILE_UNDER_WAY,
    COMPILE_MADE,
    COMPILE_REFUSED
};

/* A text, for one compiler and compute capability. It stays as long as the program runs. */
struct compile_later;

/* The same of the same text, which is copied unless it is known; NULL: no memory. */
struct compile_later *compile_later_of(const char *text, const char *name,
                                       enum compile_gpu compiler, int capability);
/* Says whether the code is there yet; that of an earlier run, which is kept, is. */
enum compile_state compile_later_state(struct compile_later *later);
/* Starts the thread for it, where it is not yet compiled. */
void compile_later_begin(struct compile_later *later);
/* Compiles it here or waits for the thread that does. CA_COMPILE with the compiler's first error.
 */
enum ca_status compile_later_await(struct compile_later *later, struct ca_error *error);
/* Of one that is made: the file with the code, and that it has been loaded, after which the file
 * may go. */
const char *compile_later_path(const struct compile_later *later);
void compile_later_loaded(struct compile_later *later);

#ifdef __cplusplus
}
#endif
#endif
