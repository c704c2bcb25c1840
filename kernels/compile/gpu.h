/* SPDX-License-Identifier: MIT */
/*
 * Compiles a text for a GPU: by NVRTC, where it is found, else by nvcc, and for CUDA on this CPU by
 * the emulator; PTX by the driver. What is made is kept.
 */
#ifndef CALAB_KERNELS_COMPILE_GPU_H
#define CALAB_KERNELS_COMPILE_GPU_H

#include "kernels/compile/build.h"

#ifdef __cplusplus
extern "C" {
#endif

enum compile_gpu {
    COMPILE_NVRTC,
    COMPILE_NVCC,
    COMPILE_DRIVER, /* whose text is PTX */
    COMPILE_EMULATOR,
    COMPILE_EMULATOR_WATCHED
};

/* The one of CUDA C++ that is taken on this machine, where CUDA is not emulated, for `what` ("the
 * file"). CA_COMPILE with what is missing. */
enum ca_status compile_gpu_find(enum compile_gpu *compiler, const char *what,
                                struct ca_error *error);
/* Names the job: what the compiler makes for GPUs of a compute capability, 90 for 9.0. True where
 * that is kept already, in `path`. */
bool compile_gpu_kept(struct compile_job *job, enum compile_gpu compiler, int capability,
                      char path[PATH_MAX]);
/* The newest compute capability among those that a compiler knows of which a GPU runs code: below
 * its own, code is made as PTX, which the driver compiles. Its own where none is. */
int compile_gpu_newest(const int known[], int count, int capability);
/*
 * Compiles the job's text unless that is kept: `path` is a cubin, PTX where the compiler does not
 * know the GPU, or an object of the emulator's, until the job is closed or, where it is kept,
 * longer. Of the job `from` is set. CA_COMPILE with the compiler's first error by file and line.
 */
enum ca_status compile_gpu(struct compile_job *job, enum compile_gpu compiler, int capability,
                           char path[PATH_MAX], struct ca_error *error);

/* The emulator that matches this build: a watched one where threads are watched. */
#ifdef __SANITIZE_THREAD__
#define COMPILE_EMULATOR_HERE COMPILE_EMULATOR_WATCHED
#else
#define COMPILE_EMULATOR_HERE COMPILE_EMULATOR
#endif

#ifdef __cplusplus
}
#endif
#endif
