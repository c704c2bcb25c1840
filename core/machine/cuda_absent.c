/* SPDX-License-Identifier: MIT */
/* Implements core/machine/cuda.h in a build without the CUDA Toolkit. */
#include "core/machine/cuda.h"

#if !CALAB_CUDA

enum ca_status ca_needs_cuda(struct ca_error *error)
{
    return ca_fail(error, CA_NO_DEVICE,
                   "not built: this calab was made without the CUDA Toolkit (see `make info`)");
}

int ca_cuda_devices(void) { return 0; }

enum ca_status ca_cuda_device(int index, struct ca_cuda_device *device, struct ca_error *error)
{
    (void)index, (void)device;
    return ca_needs_cuda(error);
}

int ca_cuda_driver(void) { return 0; }
int ca_cuda_runtime(void) { return 0; }
void ca_cuda_leave(void) {}
bool ca_cuda_emulated(void) { return false; }
double ca_cuda_answer_s(int index) { return (void)index, -1; }
bool ca_cuda_lost(void) { return false; }

#endif
