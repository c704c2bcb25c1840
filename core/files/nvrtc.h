/* SPDX-License-Identifier: MIT */
/*
 * NVRTC, NVIDIA's compiler of CUDA C++ that is a library, and nvcc: where this machine has them.
 * Neither needs a GPU.
 */
#ifndef CALAB_CORE_FILES_NVRTC_H
#define CALAB_CORE_FILES_NVRTC_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/base/error.h"

#define CA_NVRTC_WORDS 16
#define CA_NVRTC_KNOWN 64 /* compute capabilities */

struct ca_nvrtc {
    char path[PATH_MAX]; /* of the library */
    int major, minor;    /* of its version */
};

/* A source, the headers that it may include from memory, and options. */
struct ca_nvrtc_source {
    const char *text, *name;
    const char *const *header_names, *const *headers;
    int header_count;
    const char *option[CA_NVRTC_WORDS];
    int options;
    bool ptx; /* what the driver compiles is wanted, not machine code */
};

/*
 * Loads the library that CALAB_NVRTC names, or else the first of those in $CUDA_HOME, on the
 * loader's path and in /usr/local/cuda, which stays loaded; what was found for the same variables
 * is known. CA_COMPILE with the places where there is none, or with what CALAB_NVRTC names.
 */
enum ca_status ca_nvrtc_find(struct ca_nvrtc *nvrtc, struct ca_error *error);
/* The compute capabilities that it compiles for, 90 for 9.0; 0: it does not tell. */
int ca_nvrtc_known(int known[CA_NVRTC_KNOWN]);
/* Compiles to machine code or to PTX, `bytes` at *code, which the caller frees. CA_COMPILE with the
 * first error of the source. */
enum ca_status ca_nvrtc_compile(const struct ca_nvrtc_source *source, char **code, size_t *bytes,
                                struct ca_error *error);

/* The path of nvcc: of the command in NVCC or, where that is not set, on PATH, in $CUDA_HOME/bin or
 * /usr/local/cuda/bin. false: there is none. */
bool ca_nvcc_find(char path[PATH_MAX]);

#endif
