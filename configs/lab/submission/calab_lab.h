/* SPDX-License-Identifier: MIT */
/*
 * The interface of a kernel of a lab: what it is given, and what it has to be. It is the same for C
 * and for CUDA; lab_model.h, beside this file, says which model this is: its planes and their type,
 * lab_cell.
 *
 * Cell (x, y, z) stands at index (z * h + y) * w + x of a plane; 2D lattices have d = 1. With
 * LAB_GHOSTS = g a plane has a border of g cells on each side, and w and h are still those without
 * it: LAB_AT counts from the first cell inside.
 */
#ifndef CALAB_LAB_H
#define CALAB_LAB_H

#include <stddef.h>
#include <stdint.h>

#include "lab_model.h"
#ifdef LAB_WHO
#include "lab_who.h"
#endif

#define LAB_VERSION 1

struct lab_parameter;

struct lab {
    int64_t w, h, d;      /* cells across, down and deep */
    uint64_t t;           /* the generation that the step starts from */
    uint64_t seed;        /* of all draws (calab_draw.h) */
    const uint8_t *table; /* what the model's rule looks up (lab_model.h); on the GPU in CUDA */
    void *scratch;        /* memory of your own, on the GPU in CUDA: 8 bytes for each cell of a */
    size_t scratch_bytes; /* plane; it is kept from step to step, and undefined at first */
    const struct lab_parameter *parameter; /* by lab_number, on the host */
    int parameters;
#ifdef LAB_WHO
    struct lab_who *who; /* notes for `calab lab who`, in no other build */
#endif
};

/* The index of cell (x, y, z) in a plane, also of one of the border: -LAB_GHOSTS, w, ... */
#define LAB_ACROSS(lab) ((lab)->w + 2 * LAB_GHOSTS)
#define LAB_DOWN(lab) ((lab)->h + 2 * LAB_GHOSTS)
#define LAB_GHOSTS_Z (LAB_DIMENSIONS == 3 ? LAB_GHOSTS : 0) /* 2D planes have no layers */
#define LAB_INDEX(lab, x, y, z)                                                                    \
    ((((z) + LAB_GHOSTS_Z) * LAB_DOWN(lab) + (y) + LAB_GHOSTS) * LAB_ACROSS(lab) + (x) + LAB_GHOSTS)
#ifdef LAB_WHO
#define LAB_AT(lab, x, y, z) lab_who_at((lab)->who, LAB_INDEX(lab, x, y, z))
#else
#define LAB_AT(lab, x, y, z) LAB_INDEX(lab, x, y, z)
#endif

/* A plane that a step reads. Of it a step may write the border, and nothing else. */
#if LAB_GHOSTS
typedef lab_cell lab_input;
#else
typedef const lab_cell lab_input;
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if LAB_OWN
/*
 * Form "own": the memory and its layout are yours. Planes are in host memory, also in CUDA, and
 * without a border.
 */
/* Returns what the other functions get as `self`; NULL: it cannot be done. */
void *lab_open(const struct lab *lab);
/* The state at generation t, all planes. */
void lab_load(void *self, uint64_t t, const lab_cell *const planes[]);
/* n >= 1 generations, the first of which starts from generation t. */
void lab_step(void *self, uint64_t t, uint64_t n);
/* Writes the state to the planes that a step changes; the others are NULL. */
void lab_store(void *self, lab_cell *const planes[]);
void lab_close(void *self);
#else
/*
 * Form "step", the kernel: one generation, from the planes `in` to the planes `out`. Planes that a
 * step does not change are NULL in `out`. In CUDA all planes are on the GPU, and the kernels that
 * step launches need not have ended when it returns.
 */
void step(const struct lab *lab, lab_input *const in[], lab_cell *const out[]);
#endif

/* A parameter of the model by its name, 0 for one that it does not have. Of a choice it is the
 * choice's number, of a probability its 65536ths. */
double lab_number(const struct lab *lab, const char *name);
/* The same of a text, "" where there is none. */
const char *lab_text(const struct lab *lab, const char *name);

#ifdef __cplusplus
}
#endif

#endif
