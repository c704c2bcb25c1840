/* SPDX-License-Identifier: MIT */
/* CUDA's other name of it. */
#include <cuda_pipeline.h>
