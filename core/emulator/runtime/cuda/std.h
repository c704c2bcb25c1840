/* SPDX-License-Identifier: MIT */
/* Names of C++ that cuda::std has, too: they are those of the host's library. */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_CUDA_STD_H
#define CALAB_CORE_EMULATOR_RUNTIME_CUDA_STD_H

#include <utility>

namespace cuda::std
{
using namespace ::std;
}

#endif
