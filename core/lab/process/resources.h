/* SPDX-License-Identifier: MIT */
/*
 * The resources of a GPU that the kernels of a CUDA lab take: registers, shared memory and spills
 * as ptxas tells them where nvcc has compiled it; the size of its blocks, shared memory and
 * occupancy as the emulator counts them where that runs it.
 */
#ifndef CALAB_CORE_LAB_PROCESS_RESOURCES_H
#define CALAB_CORE_LAB_PROCESS_RESOURCES_H

#include <jansson.h>

#include "core/lab/process/build.h"

#define CA_LAB_KERNELS_MAX 12

struct ca_lab_kernel {
    char name[80];
    /* -1: not known */
    int registers, shared_bytes, spill_bytes, threads;
    double occupancy; /* in percent */
    char cc[8];       /* the compute capability that it is of, "" */
};

struct ca_lab_resources {
    struct ca_lab_kernel kernel[CA_LAB_KERNELS_MAX];
    int count;
};

/* Takes what ptxas -v has said. */
void ca_lab_ptxas(struct ca_lab_resources *resources, const char *said);
/* "step_cells: 32 registers, 1040 bytes of shared memory, no spills" in at most `size` bytes. */
char *ca_lab_kernel_text(const struct ca_lab_kernel *kernel, char *text, size_t size);
/*
 * Finds those of a program that has been made. CA_OK with no kernel where nothing is known: of a
 * lab in C, or where a kernel does not come to its end. CA_IO, CA_COMPILE where the emulator cannot
 * count.
 */
enum ca_status ca_lab_resources(struct ca_lab_resources *resources, const struct ca_lab *lab,
                                struct ca_lab_build *build, struct ca_error *error);
/*
 * Has the emulator count what the kernels of a lab in CUDA do in some generations of a random
 * lattice, confined as a check confines it: an array of what calab-emulate(1) prints of each,
 * without any where the program does not come to its end. CA_IO, CA_COMPILE.
 */
enum ca_status lab_count(json_t **counts, const struct ca_lab *lab, struct ca_lab_build *build,
                         struct ca_size size, int generations, struct ca_error *error);

#endif
