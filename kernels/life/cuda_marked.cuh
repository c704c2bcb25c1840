/* SPDX-License-Identifier: MIT */
/*
 * The kernels of rules' own circuits without a circuit, for PTX that is part of the program
 * (kernels/cuda/cuda.mk): in its place there is a comment with the registers of the result and of
 * the inputs, where circuit_ptx.c writes instructions. nvcc defines LIFE_INPUTS and LIFE_DEAD.
 */
#ifndef CALAB_KERNELS_LIFE_CUDA_MARKED_CUH
#define CALAB_KERNELS_LIFE_CUDA_MARKED_CUH

#ifdef LIFE_INPUTS

#define LIFE_GENERATIONS 4
#define LIFE_TILES LIFE_TILE(1) LIFE_TILE(2) LIFE_TILE(4) LIFE_TILE(6) LIFE_TILE(8) LIFE_TILE(12)

#include "kernels/life/cuda_circuit.cuh"

static __device__ __forceinline__ word life_circuit(const word in[LIFE_INPUTS])
{
    word result;

#if LIFE_INPUTS == 5
    asm("// life_circuit %0 %1 %2 %3 %4 %5"
        : "=r"(result)
        : "r"(in[0]), "r"(in[1]), "r"(in[2]), "r"(in[3]), "r"(in[4]));
#else
    asm("// life_circuit %0 %1 %2 %3 %4 %5 %6 %7 %8 %9"
        : "=r"(result)
        : "r"(in[0]), "r"(in[1]), "r"(in[2]), "r"(in[3]), "r"(in[4]), "r"(in[5]), "r"(in[6]),
          "r"(in[7]), "r"(in[8]));
#endif
    return result;
}

#endif
#endif
