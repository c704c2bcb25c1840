/* SPDX-License-Identifier: MIT */
/*
 * Backends against the reference, cell for cell. A backend with a tolerance is held against it
 * within that, generation by generation, each from its own state, and against itself to the last
 * bit.
 *
 * A case is an experiment (size, start, parameters, seed) and several calls of some generations.
 * The reference goes through it once. Each backend then has to reach the same state after every
 * call, through buffers with guard bands around them, in pieces of rows, and cut in two slabs.
 */
#ifndef CALAB_CORE_VERIFY_VERIFY_H
#define CALAB_CORE_VERIFY_VERIFY_H

#include "core/sim/experiment.h"

#define CA_VERIFY_CALLS 4
#define CA_VERIFY_RANKS_MAX 8

struct ca_verify_case {
    struct ca_experiment experiment;     /* with backend reference */
    uint64_t calls[CA_VERIFY_CALLS + 1]; /* generations of each call, ends with 0 */
    uint64_t slab_steps;                 /* generations between exchanges; 0: no slabs */
    uint64_t draw;                       /* seed of the backends' options */
    bool defaults;                       /* no option is drawn */
    /* The only backend that is tried on the case, whose small size it has; NULL: all are. */
    const struct ca_backend *reaches;
};

/* The choice of cases. */
struct ca_verify_choice {
    uint64_t seed;
    int count;  /* size of a random subset, 0: all; cases for a backend's small sizes are added */
    bool small; /* only small sizes and few generations, for machines where a cell step is slow */
    /* The numbers of ranks that each backend is tried with; none: those that it has by itself. */
    int ranks[CA_VERIFY_RANKS_MAX], rank_counts;
};

/*
 * The cases of a model: all sizes in a list, with starts, densities, parameters, calls and options
 * drawn from the seed. *cases is malloc'd. CA_NO_MEMORY.
 */
enum ca_status ca_verify_cases(struct ca_verify_case **cases, int *made,
                               const struct ca_model *model, const struct ca_verify_choice *choice,
                               struct ca_error *error);
/* The case as the backend runs it on so many ranks, 0: its own number, with options drawn. */
struct ca_experiment ca_verify_experiment(const struct ca_verify_case *test,
                                          const struct ca_backend *backend, int ranks);

enum ca_fault {
    CA_FAULT_NONE,
    CA_FAULT_CELL,    /* a state differs from the reference's */
    CA_FAULT_ROWS,    /* loading or storing some rows alone does not give the whole */
    CA_FAULT_SLAB,    /* two slabs do not add up to the whole */
    CA_FAULT_START,   /* an initial state made in place differs from the model's */
    CA_FAULT_SURVEY,  /* digest, observables or range are not those of the rows */
    CA_FAULT_MARK,    /* a state that was kept is another one when it is back */
    CA_FAULT_OUTSIDE, /* a store wrote beyond the rows asked for, or a load changed its input */
    CA_FAULT_FAILED,  /* a call returned an error */
    /* These are faults if they are so of all cases: */
    CA_FAULT_REFUSED,  /* the backend cannot hold the case */
    CA_FAULT_DIVERGED, /* the reference's first generation is infinite or no number */
};

extern const char *const ca_fault_names[];

/* The first fault, and the number of wrong cells. */
struct ca_verify_fault {
    enum ca_fault fault;
    struct ca_experiment experiment;
    uint64_t generation;
    struct ca_difference difference; /* of CELL, ROWS, SLAB, START and MARK */
    char text[768];                  /* the rest in words */
};

struct ca_verify_result {
    const struct ca_backend *backend;
    bool available;
    char reason[768];  /* why it is not */
    int cases, failed; /* cases that the backend's kernel could hold; at least one must be, unless
                        * lattices were only tried in slabs: then it counts as unavailable */
    /* Counts of cases: `drawn` for the backend; `diverged`, whose reference becomes infinite or no
     * number, and which end at the generation before; and `left_out`, those of them in which the
     * first generation does so. */
    int drawn, diverged, left_out;
    char divergence[768]; /* of the first of these, in words */
    int64_t cells;        /* compared */
    double seconds;
    struct ca_verify_fault first;
};

/* Computes the states that the reference gives for a case. Where a float becomes infinite or no
 * number the case ends at the generation before. CA_NO_MEMORY, or what the reference reports. */
struct ca_verify_oracle;
enum ca_status ca_verify_oracle(struct ca_verify_oracle **oracle, const struct ca_verify_case *test,
                                struct ca_error *error);
/* Says which plane became infinite or no number, and where; NULL where none did. */
const char *ca_verify_divergence(const struct ca_verify_oracle *oracle);
/* Whether there is a generation that can be compared. */
bool ca_verify_comparable(const struct ca_verify_oracle *oracle);
void ca_verify_oracle_free(struct ca_verify_oracle *oracle); /* takes NULL */
/* Checks one case on one backend, cut in so many ranks (0: its own number). CA_OK whatever the
 * outcome, which *fault holds: CA_FAULT_REFUSED if the backend's kernel cannot hold the case, which
 * is no failure. CA_NO_MEMORY. */
enum ca_status ca_verify_one(const struct ca_verify_oracle *oracle,
                             const struct ca_backend *backend, int ranks,
                             struct ca_verify_fault *fault, int64_t *cells, struct ca_error *error);

/* Called before each backend tries a case, `done` of `all` having been tried; false stops. */
typedef bool ca_verify_progress(void *context, const struct ca_backend *backend, int done, int all);

/* Checks all cases on `count` backends, which result[i].backend name; the reference is the first
 * row of the model's ladder. The results hold the faults; a status other than CA_OK only says
 * that the check itself failed. */
enum ca_status ca_verify_model(const struct ca_model *model, struct ca_verify_result *result,
                               int count, const struct ca_verify_choice *choice,
                               ca_verify_progress *progress, void *context, struct ca_error *error);

/*
 * The command that shows the fault again, malloc'd: `calab run` for a wrong state, which prints the
 * hash that the reference's differs from, otherwise (and of a backend with a tolerance) `calab
 * verify` with the same cases.
 */
char *ca_verify_command(const struct ca_verify_fault *fault, const struct ca_verify_choice *choice);

#endif
