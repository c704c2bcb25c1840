/* SPDX-License-Identifier: MIT */
/* This file answers what the CUDA backends of a model in a file ask of its record. */
#include "kernels/file/cuda_model.h"

#include "core/machine/cuda.h"
#include "kernels/file/calab_model_gpu.h"
#include "kernels/file/file_model.h"

enum ca_status file_gpu_open(struct file_gpu_object *object, const struct ca_model *model,
                             enum compile_gpu emulator, int capability, struct ca_error *error)
{
    enum compile_gpu compiler = emulator;
    enum ca_status status;

    object->text = file_object_text(&file_model_of(model)->object);
    object->job = (struct compile_job){.from = &object->text};
    if (!ca_cuda_emulated())
        CA_TRY(compile_gpu_find(&compiler, "the file", error));
    status = compile_gpu(&object->job, compiler, capability, object->path, error);
    if (status != CA_OK)
        file_gpu_close(object);
    return status;
}

void file_gpu_close(struct file_gpu_object *object) { compile_close(&object->job); }

const struct ca_model_description *file_description(const struct ca_model *model)
{
    return file_model_of(model)->object.fast;
}

struct file_observed file_observed_of(const struct ca_model *model)
{
    const struct file_model *file = file_model_of(model);
    struct file_observed observed = {.count = 0};

    while (file->observables[observed.count].name) {
        observed.plane[observed.count] = file->observed[observed.count]->code;
        observed.count++;
    }
    return observed;
}

enum ca_status file_gpu_wrong(const struct ca_model *model, const struct ca_gpu_fault *fault,
                              struct ca_error *error)
{
    const struct ca_model_fault wrong = {.kind = CA_FOUND_STATE,
                                         .x = fault->x,
                                         .y = fault->y,
                                         .z = fault->z,
                                         .dx = fault->plane,
                                         .value = fault->value};

    return file_fault_report(file_model_of(model), &wrong, fault->t, error);
}
