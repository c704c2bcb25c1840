/* SPDX-License-Identifier: MIT */
/* This file names a GPU's ceilings. */
#include "core/probe/gpu.h"

#include "core/machine/cuda.h"

const struct ca_gpu_rate_row ca_gpu_rates[CA_GPU_RATES] = {
    [CA_GPU_COPY] = {"copy_gb_per_s", "GB/s", "copy in memory, by the driver"},
    [CA_GPU_KERNEL_COPY] = {"kernel_copy_gb_per_s", "GB/s", "copy in memory, by a kernel"},
    [CA_GPU_L2_COPY] = {"l2_copy_gb_per_s", "GB/s", "copy in L2"},
    [CA_GPU_LOGIC] = {"logic_gops_per_s", "Gop/s", "logic of three inputs on 32 bits"},
    [CA_GPU_SHIFT] = {"shift_gops_per_s", "Gop/s", "funnel shifts of 32 bits"},
    [CA_GPU_FLOAT] = {"float_gops_per_s", "Gop/s", "additions and maxima of floats"},
    [CA_GPU_SHARED] = {"shared_gb_per_s", "GB/s", "reads of shared memory"},
    [CA_GPU_TO_DEVICE] = {"to_device_gb_per_s", "GB/s", "transfer from pinned memory to the GPU"},
    [CA_GPU_TO_HOST] = {"to_host_gb_per_s", "GB/s", "transfer from the GPU to pinned memory"},
    [CA_GPU_LAUNCH] = {"launches_k_per_s", "k/s", "launches of a kernel"},
};

#if !CALAB_CUDA
enum ca_status ca_gpu_probe_measure(struct ca_gpu_probe *probe, int index, struct ca_error *error)
{
    (void)probe, (void)index;
    return ca_needs_cuda(error);
}
#endif
