/* SPDX-License-Identifier: MIT */
/*
 * Compiles a model's file for a GPU, as it has been opened: by NVRTC, where it is found, else by
 * nvcc, and for CUDA on this CPU by the emulator. What is made is kept as a CPU's objects are.
 */
#ifndef CALAB_KERNELS_FILE_GPU_BUILD_H
#define CALAB_KERNELS_FILE_GPU_BUILD_H

#include "kernels/file/build.h"
#include "kernels/file/object.h"

enum file_gpu_compiler { FILE_NVRTC, FILE_NVCC, FILE_EMULATOR, FILE_EMULATOR_WATCHED };

/* The one that is taken on this machine, where CUDA is not emulated. CA_COMPILE with what is
 * missing. */
enum ca_status file_gpu_compiler(enum file_gpu_compiler *compiler, struct ca_error *error);
/*
 * Compiles the object's source for GPUs of a compute capability, 90 for 9.0, unless that is kept:
 * `path` is a cubin, or an object of the emulator's, until `build` is closed or, where it is kept,
 * longer. CA_COMPILE with the compiler's first error by file and line.
 */
enum ca_status file_gpu_compile(const struct file_object *object, enum file_gpu_compiler compiler,
                                int capability, struct file_build *build, char path[PATH_MAX],
                                struct ca_error *error);

#endif
