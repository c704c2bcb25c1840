/* SPDX-License-Identifier: MIT */
/*
 * Small lattices of a model in a file, in any state, whose rows are stepped in any order: the
 * checks of the function cell() are made of them (properties.c). They are stepped without steppers,
 * since a stepper only gives states that a start leads to.
 */
#ifndef CALAB_KERNELS_FILE_PROBE_H
#define CALAB_KERNELS_FILE_PROBE_H

#include "kernels/file/file_model.h"

struct probe {
    const struct file_model *file;
    struct ca_model_values values; /* of the parameters */
    struct ca_size size;
    uint64_t t;      /* the generation that a step starts from */
    uint64_t random; /* state of the numbers that are drawn */
    char *now, *next, *other;
    char *beyond; /* a row of zeros, then a row of each plane as it is beyond a constant edge */
};

/* A lattice of that size, of zeros; the parameters have their defaults. CA_NO_MEMORY. */
enum ca_status probe_open(struct probe *probe, const struct ca_model *model, struct ca_size size,
                          uint64_t seed, struct ca_error *error);
void probe_close(struct probe *probe); /* takes one of zeros */

uint64_t probe_below(struct probe *probe, uint64_t n);
/* Gives each parameter a value in its range, ends among them, or its default. */
void probe_parameters(struct probe *probe, bool defaults);
/* A random state of one cell of a plane; floats are in the range that is declared. */
void probe_cell(struct probe *probe, void *planes, int plane, int64_t i);
/* A random state of all cells; sparse: most cells have one state. */
void probe_fill(struct probe *probe, void *planes, bool sparse);
size_t probe_bytes(const struct probe *probe);       /* of all planes */
size_t probe_plane_bytes(const struct probe *probe); /* of one */

enum probe_order { PROBE_FORWARDS, PROBE_BACKWARDS, PROBE_SHUFFLED };
/* What checked code says, besides the rows that it makes. */
struct probe_found {
    struct ca_model_fault fault;
    uint8_t *reads; /* in the order [plane][dz][dy][dx]; NULL: not asked for */
};
/* Makes one row of `next` of what is in `now`. */
void probe_row(struct probe *probe, const struct ca_model_description *d, int64_t y, int64_t z,
               void *next, struct probe_found *found);
/* Makes all rows of it, in an order. */
void probe_step(struct probe *probe, const struct ca_model_description *d, enum probe_order order,
                void *next, struct probe_found *found);

#endif
