/* SPDX-License-Identifier: MIT */
/* What the CUDA backends of a model in a file ask of its record: kernels that are compiled, the
 * declaration, and the text of a fault. */
#ifndef CALAB_KERNELS_FILE_CUDA_MODEL_H
#define CALAB_KERNELS_FILE_CUDA_MODEL_H

#include "core/model/model.h"
#include "kernels/compile/gpu.h"
#include "kernels/file/object.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ca_gpu_fault;

/* Code of a GPU at `path` until it is closed. */
struct file_gpu_object {
    char path[PATH_MAX];
    struct compile_text text;
    struct compile_job job;
};

/* By the machine's compiler, or by `emulator` where GPUs are emulated. Also after a failure nothing
 * is left to close. */
enum ca_status file_gpu_open(struct file_gpu_object *object, const struct ca_model *model,
                             enum compile_gpu emulator, int capability, struct ca_error *error);
void file_gpu_close(struct file_gpu_object *object);

const struct ca_model_description *file_description(const struct ca_model *model);
/* Fills the values that functions of the file get. */
void file_values(const struct ca_setup *setup, struct ca_model_values *values);

/* Observables of a model of floats: sums of these planes. */
struct file_observed {
    int count, plane[CA_OBSERVABLES_MAX];
};
struct file_observed file_observed_of(const struct ca_model *model);

/* CA_WRONG with file and line, the state and the cell. */
enum ca_status file_gpu_wrong(const struct ca_model *model, const struct ca_gpu_fault *fault,
                              struct ca_error *error);

#ifdef __cplusplus
}
#endif
#endif
