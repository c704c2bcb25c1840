/* SPDX-License-Identifier: MIT */
/*
 * Why a kernel is wrong, found by running it as a black box.
 *
 * The kernel is run on states of this module's making, and the model's reference beside it. Some
 * causes show in the results themselves: cells that are never written, results of another
 * generation, exchanged axes. For the others single cells of the start are changed, far apart, and
 * whatever changes in the result says which neighbours the kernel reads: everywhere, at the edges
 * and corners of the lattice or of tiles of whatever size, in even or odd rows. The reference's own
 * neighbours, found likewise, are what it should read. Where those agree, the rule that the kernel
 * computes is tabulated and held against the reference's.
 *
 * Nothing is said that is not certain: a kernel that agrees with the reference has no finding, and
 * one whose cause is not found has one of kind CA_CAUSE_UNKNOWN.
 */
#ifndef CALAB_CORE_LAB_CAUSE_INFLUENCE_H
#define CALAB_CORE_LAB_CAUSE_INFLUENCE_H

#include "core/sim/experiment.h"

enum ca_cause {
    CA_CAUSE_UNKNOWN,       /* the result is wrong, the sentence says where */
    CA_CAUSE_UNWRITTEN,     /* cells of the result are never written */
    CA_CAUSE_INPUT_CHANGED, /* the kernel writes to its input */
    CA_CAUSE_UNSTABLE,      /* two runs from one start end differently */
    CA_CAUSE_RANGE,         /* values that the model has not */
    CA_CAUSE_GENERATION,    /* the state of another generation */
    CA_CAUSE_AXES,          /* axes are exchanged, in what is read or in what is written */
    CA_CAUSE_SHIFTED,       /* the right result in another place */
    CA_CAUSE_ROUNDING,      /* floats differ in their last bits alone */
    CA_CAUSE_IN_PLACE,      /* cells of the next generation are read for those of this one */
    CA_CAUSE_NEIGHBOURS,    /* other neighbours are read, everywhere */
    CA_CAUSE_PARITY,        /* other neighbours are read in even or in odd rows */
    CA_CAUSE_BOUNDARY,      /* other neighbours are read at an edge of the lattice */
    CA_CAUSE_HALO,          /* other neighbours are read at the edges of tiles */
    CA_CAUSE_TAIL,          /* what lies behind the last whole tile is wrong */
    CA_CAUSE_RULE,          /* the neighbours are right, what is made of them is not */
    CA_CAUSE_DRAWS,         /* random draws are of another seed, generation, place or sense */
    CA_CAUSES
};

extern const char *const ca_cause_names[CA_CAUSES]; /* "unknown", "unwritten", ... */

struct ca_finding {
    enum ca_cause cause;
    /* How sure: the part of the wrong cells that were looked at which the sentence accounts for, 1
     * for what follows from the results themselves. */
    double certainty;
    char text[512]; /* a whole sentence or two */
};

#define CA_FINDINGS_MAX 8

struct ca_findings {
    struct ca_finding finding[CA_FINDINGS_MAX]; /* the most certain and most general first */
    int count;                                  /* 0: the kernel agreed with the reference */
    int runs;                                   /* of the kernel that were made */
};

/*
 * The kernel. `run` takes `start` from a generation (which random draws depend on) so many
 * generations further and stores the result, which has the size of `start`. Before, *result holds
 * bytes that whatever memory the kernel writes to must hold when it starts, so that cells that are
 * never written show. A status other than CA_OK ends the search and is returned.
 */
struct ca_subject {
    const struct ca_experiment *experiment; /* model, parameters, seed, start; not the backend */
    enum ca_status (*run)(void *context, const struct ca_lattice *start, uint64_t generation,
                          uint64_t generations, struct ca_lattice *result, struct ca_error *error);
    void *context;
    bool input_changed; /* the caller has seen that the kernel writes to its input */
};

/* Zeros are defaults. */
struct ca_probing {
    struct ca_size size; /* of the lattices; best are sides that no tile divides, or 2.5 tiles */
    int runs;            /* of the kernel, at most about so many */
    double seconds;      /* of processor time that the search may take, about; 0: any */
    uint64_t seed;       /* of the states */
};

/* The size that probes have of a model by default. */
struct ca_size ca_probing_size(const struct ca_model *model);

/* Random values in place of those of a state, as probes begin with. Solid cells stay, and others
 * become solid. CA_NO_MEMORY. */
enum ca_status ca_probing_state(const struct ca_model *model, uint64_t seed,
                                struct ca_lattice *state, struct ca_error *error);

/* CA_USAGE where the model refuses the size, CA_NO_MEMORY, and whatever `run` returns. */
enum ca_status ca_find_causes(const struct ca_subject *subject, const struct ca_probing *probing,
                              struct ca_findings *findings, struct ca_error *error);

/* Why the kernel of a lab is wrong: its program is run on lattices of the probes' choice. CA_OK
 * also where the kernel fails there: then there is no finding. CA_IO, CA_NO_MEMORY. */
struct ca_lab;
struct ca_lab_program;
enum ca_status ca_lab_why(const struct ca_lab *lab, const struct ca_lab_program *program,
                          struct ca_findings *findings, struct ca_error *error);

#endif
