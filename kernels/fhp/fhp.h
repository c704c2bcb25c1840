/* SPDX-License-Identifier: MIT */
/* The files of fhp share collision sets and their tables, and the hooks of the model. */
#ifndef CALAB_KERNELS_FHP_H
#define CALAB_KERNELS_FHP_H

#include "core/model/field.h"
#include "core/model/model.h"
#include "kernels/cpu/bit_stepper.h"
#include "kernels/cpu/byte_stepper.h"

#ifdef __cplusplus
extern "C" {
#endif

enum fhp_collisions { FHP_1, FHP_2, FHP_3 };

/* Streams of core/base/random.h. */
enum { FHP_STREAM_CHIRALITY = 16, FHP_STREAM_FORCING = 32 };

/* The state of 7 bits that a fluid node's particles collide into. */
uint8_t fhp_collide(enum fhp_collisions set, uint8_t state, int chirality);

/* fhp_collide for all states: next[chirality][state]. */
struct fhp_table {
    uint8_t next[2][128];
};
void fhp_table_make(struct fhp_table *table, enum fhp_collisions set);

/* Hooks of the model's record. */
enum ca_status fhp_check(const struct ca_setup *setup, struct ca_error *error);
enum ca_status fhp_file_size(const struct ca_setup *setup, int start, struct ca_size *size,
                             struct ca_error *error);
enum ca_status fhp_init(const struct ca_setup *setup, int start, struct ca_lattice *lattice,
                        struct ca_error *error);

extern const struct ca_field fhp_fields[];
extern const struct ca_measurement fhp_measurements[];

enum { /* observables, in the order of the model's record */
       FHP_OBSERVES_PARTICLES,
       FHP_OBSERVES_MOMENTUM_X,
       FHP_OBSERVES_MOMENTUM_Y,
       FHP_OBSERVES_SOLID_NODES,
       FHP_OBSERVES_DRAG,
       FHP_OBSERVES_LIFT
};
enum { FHP_RANDOM, FHP_SHEAR, FHP_SOUND }; /* starts, in the order of the model's record */

bool fhp_random_start(const struct ca_setup *setup, struct ca_random_start *random);

/* Rows of a generation that a bit-sliced pass keeps, a power of two: it reads three, writes one. */
#define FHP_KEPT_ROWS 4
/* bitslice_plan.c: bit_ops.plan of the bit-sliced backends. */
void fhp_bitslice_plan(struct bit_stepper *stepper, int requested);

#ifdef __cplusplus
}
#endif
#endif
