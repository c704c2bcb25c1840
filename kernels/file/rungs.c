/* SPDX-License-Identifier: MIT */
/* This file makes the rows of a model in a file that run on a GPU. */
#include "kernels/file/rungs.h"

#include "kernels/cuda/stepper.h"
#include "kernels/compile/gpu.h"

static const char *const shapes[] = {"32x8", "32x4",  "32x16", "32x32", "64x2",
                                     "64x4", "128x2", "256x1", "16x16", NULL};
static const char *const shapes_3d[] = {"8x8x4",  "16x4x4", "32x4x2", "32x8x1",
                                        "16x8x2", "8x4x4",  "8x8x8",  NULL};
static const struct ca_param options_2d[] = {CUDA_DEVICES, CUDA_BLOCK(shapes, 0), {.name = NULL}};
static const struct ca_param options_3d[] = {
    CUDA_DEVICES, CUDA_BLOCK(shapes_3d, 0), {.name = NULL}};

/* A GPU, and a compiler that makes a file's kernels; the emulator has one. */
static enum ca_status needs_gpu_compiler(struct ca_error *error)
{
    enum compile_gpu compiler;

    CA_TRY(ca_needs_cuda(error));
    if (ca_cuda_emulated())
        return CA_OK;
    return compile_gpu_find(&compiler, "the file", error) == CA_OK ? CA_OK : CA_NO_DEVICE;
}

void file_cuda_rungs(struct ca_backend rungs[FILE_CUDA_RUNGS], int dimensions, int planes, int bits)
{
    double bytes = 2.0 * planes * (bits ? 1 : 4);

    for (int i = 0; i < FILE_CUDA_RUNGS; i++)
        rungs[i] = (struct ca_backend){.device = CA_CUDA,
                                       .options = dimensions == 3 ? options_3d : options_2d,
                                       .memory_bytes_per_cell = bytes,
                                       .bytes_per_cell_step = bytes,
                                       .available = needs_gpu_compiler};
    rungs[FILE_CUDA_NAIVE].name = "cuda-naive";
    rungs[FILE_CUDA_NAIVE].title = "the file's function, four cells a thread, from global memory";
    rungs[FILE_CUDA_SHARED].name = "cuda-shared";
    rungs[FILE_CUDA_SHARED].title = "the same from a tile in shared memory";
#if CALAB_CUDA
    for (int i = 0; i < FILE_CUDA_RUNGS; i++) {
        rungs[i].stepper = &cuda_stepper;
        rungs[i].ops = file_cuda_ops(i, planes, bits);
    }
#endif
}
