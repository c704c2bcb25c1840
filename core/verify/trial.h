/* SPDX-License-Identifier: MIT */
/* The files of verify share this: a backend in a case, and the checks of its calls. */
#ifndef CALAB_CORE_VERIFY_TRIAL_H
#define CALAB_CORE_VERIFY_TRIAL_H

#include "core/verify/verify.h"

/* The states that the reference computes for a case. */
struct ca_verify_oracle {
    const struct ca_verify_case *test; /* the caller's, or the one below */
    struct ca_verify_case shortened;   /* it ends before a float becomes infinite or no number */
    char divergence[768];              /* what did, else "" */
    struct ca_lattice start, after[CA_VERIFY_CALLS]; /* each call */
    struct ca_lattice slabs[2];                      /* each round of slab_steps; or none */
};

/* A backend in a case. */
struct trial {
    const struct ca_verify_oracle *oracle;
    const struct ca_backend *backend;
    struct ca_experiment experiment;
    struct ca_verify_fault *fault;
    int64_t *cells;
    struct ca_error *error;
};

struct ca_agreement; /* core/compare/drive.h */

struct instance {
    const struct ca_backend *backend;
    struct ca_setup setup;
    const struct ca_stepper *stepper; /* the backend's, or that of its ranks */
    void *self;
    uint64_t generation;
};

/* Creates an instance of the whole lattice or of a slab, with undefined cells. */
enum ca_status trial_open(struct instance *instance, const struct ca_experiment *e,
                          const struct ca_slab *slab, struct ca_error *error);
enum ca_status trial_step(struct instance *instance, uint64_t n, struct ca_error *error);
void trial_close(struct instance *instance); /* takes one that is not open, of zeros */

/* Records the fault, and returns CA_WRONG. */
enum ca_status trial_found(struct trial *trial, enum ca_fault fault, uint64_t generation,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Checks the status of a backend's call that must not fail. CA_WRONG, here and below, means that
 * the fault is recorded, and ends the trial. */
enum ca_status trial_must(struct trial *trial, const char *what, uint64_t generation,
                          enum ca_status status);
/* Steps an instance that must not fail at it. */
enum ca_status trial_must_step(struct trial *trial, struct instance *instance, uint64_t n);
/* Records what single generations have found to be beyond the backend's tolerance. */
enum ca_status trial_judge_within(struct trial *trial, uint64_t generation,
                                  const struct ca_agreement *agreement);
enum ca_status trial_compare(struct trial *trial, enum ca_fault fault, uint64_t generation,
                             const struct ca_lattice *expected, const struct ca_lattice *got);

/* Loads rows of a state from `from` on into rows `first` ... of the instance, through a guarded
 * copy. */
enum ca_status trial_load(struct trial *trial, struct instance *instance,
                          const struct ca_lattice *state, int64_t from, int64_t first,
                          int64_t rows);
/* Stores them, likewise. */
enum ca_status trial_store(struct trial *trial, struct instance *instance, struct ca_lattice *state,
                           int64_t to, int64_t first, int64_t rows);
/* Allocates a state of the trial's shape, or a copy of one. */
enum ca_status trial_lattice(struct trial *trial, struct ca_lattice *lattice);
enum ca_status trial_copy(struct trial *trial, struct ca_lattice *copy,
                          const struct ca_lattice *state);

/* surveys.c. The surveys and sums of blocks of layers first ... of an instance, a slab or all of
 * the lattice, that hold those of the whole state. */
enum ca_status trial_survey(struct trial *trial, struct instance *part, int64_t first,
                            int64_t layers, const struct ca_lattice *whole);

#endif
