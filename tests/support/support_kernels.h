/* SPDX-License-Identifier: MIT */
/*
 * Checks of backends against `reference`, for any model. All run the same experiment on both and
 * compare cell for cell; a failure says model, backend, size, seed, generation, the first cell that
 * differs and the command that repeats it.
 */
#ifndef CALAB_TESTS_SUPPORT_KERNELS_H
#define CALAB_TESTS_SUPPORT_KERNELS_H

#include "core/sim/simulation.h"

/*
 * An experiment by names. `init` NULL: the first start. `settings`: "key=value key=value ..." of
 * parameters and options, NULL for none; options that the backend does not have are passed over,
 * so that one list serves all backends. Fails the test where anything is refused.
 */
struct ca_experiment kernel_experiment(const char *model, const char *backend, const char *size,
                                       const char *init, uint64_t seed, const char *settings);

/* A running instance of one backend without a simulation around it. */
struct kernel {
    struct ca_setup setup;
    const struct ca_backend *backend;
    void *self;
    uint64_t generation;
};

/* The whole lattice, or a slab of it, with undefined cells. */
void kernel_open(struct kernel *kernel, const struct ca_experiment *experiment);
void kernel_open_slab(struct kernel *kernel, const struct ca_experiment *experiment,
                      struct ca_slab slab);
void kernel_close(struct kernel *kernel);
void kernel_load(struct kernel *kernel, const struct ca_lattice *lattice);
void kernel_step(struct kernel *kernel, uint64_t n);
/* The state of a whole lattice, allocated here, poisoned before it is filled. */
struct ca_lattice kernel_store(struct kernel *kernel);

/* Fails the test with the first difference of two states and the command that repeats it. */
void kernel_compare(const struct ca_experiment *experiment, uint64_t generation,
                    const struct ca_lattice *expected, const struct ca_lattice *got);

/* The same within the backend's tolerance, after one generation from the same state. */
void kernel_compare_near(const struct ca_experiment *experiment, uint64_t generation,
                         const struct ca_lattice *expected, const struct ca_lattice *got);

/*
 * The experiment's backend against reference, from the experiment's initial state, compared after
 * each of several calls of calls[i] generations (ends with 0). One with a tolerance is held against
 * reference in single generations from its own states, and against itself in calls.
 */
void kernel_check_same(const struct ca_experiment *experiment, const uint64_t calls[]);

/* The same, and rows in pieces, of each backend but `reference` that runs here and whose name
 * begins with `prefix`. */
void kernel_check_backends(const char *model, const char *prefix, const char *size, uint64_t seed,
                           const char *settings, const uint64_t calls[]);
/* Sizes for backends in bands (kernels/cpu/bands.h): widths that are words, several rows a word,
 * and neither; heights of even and uneven bands. */
#define KERNEL_BAND_SHAPES 41
extern const char *const kernel_band_shapes[KERNEL_BAND_SHAPES];

/* Makes the state of generation t + 1 from that of t, as a test writes a model's rule out again. */
typedef void kernel_define(const struct ca_lattice *now, struct ca_lattice *next, uint64_t seed,
                           uint64_t t, const void *context);
/* The experiment's backend against `define`, from the experiment's initial state: `steps`
 * generations from generation t on, compared after each. */
void kernel_check_defined(const struct ca_experiment *experiment, uint64_t t, int steps,
                          kernel_define *define, const void *context);

/* The observable that is not conserved where the values `now` follow those `before` in the present
 * generation, -1: none. */
int kernel_broken(const struct ca_simulation *simulation, const double before[],
                  const double now[]);

/* A row of a table of what a model's backends are tried on; settings as above. */
struct kernel_case {
    const char *backend, *size, *settings;
};
/* That with the model's first start or another, by calls[], and pieces of rows where rows are few.
 */
void kernel_check_case(const char *model, const struct kernel_case *test, const char *init,
                       const uint64_t calls[]);
/* That, without pieces, of each of a backend's sizes and settings in a process whose variable NAME,
 * such as the emulator's CALAB_EMULATED_ORDER, is VALUE. */
void kernel_check_where(const char *name, const char *value, const char *model, const char *backend,
                        const char *const cases[][2], size_t count, const uint64_t calls[]);

/*
 * Loading and storing in pieces of rows: every row alone, ranges in the middle, all; nothing beyond
 * the rows asked for is written. Needs no reference.
 */
void kernel_check_rows(const struct ca_experiment *experiment);

/*
 * The lattice cut in two slabs along its outermost dimension (at an even layer), each with `ghosts`
 * layers beyond its cuts, stepped ghosts / radius generations, ghosts exchanged, `rounds` times;
 * must equal the whole lattice stepped by reference. `torus`: the outermost dimension is closed, so
 * that the lattice's own ends are cuts too.
 */
void kernel_check_slabs(const struct ca_experiment *experiment, int64_t ghosts, bool torus,
                        int rounds);

/*
 * Each CUDA backend of the model that holds the size makes start `init` (NULL: the first) where its
 * cells are, as the host makes it, steps it like reference, and surveys it like its stored rows:
 * the whole, ranges of rows, and slabs. Fails where no backend holds the size.
 */
void kernel_check_starts(const char *model, const char *size, const char *init,
                         const char *settings);

#endif
