/* SPDX-License-Identifier: MIT */
/*
 * Steppers: how instances of backends are made, filled, stepped and read. What only some can do,
 * such as surveys, pictures and halos, is in records of its own.
 */
#ifndef CALAB_CORE_MODEL_STEPPER_H
#define CALAB_CORE_MODEL_STEPPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ca_setup;     /* core/model/model.h */
struct ca_view_bins; /* core/model/view_bins.h */
struct ca_appearances;
struct ca_bin_sum;
struct ca_survey; /* core/model/survey.h */
struct ca_blocks; /* core/model/field.h */

/* The cells of a picture: each of `columns` x's in each of `count` rows (z * H + y) of the slab. */
struct ca_gather_points {
    const int64_t *x, *row;
    int64_t columns, count;
};

/* The time that an instance has spent since it was created. */
struct ca_clock {
    double device_s;   /* in kernels, by the device's own clock; of ranks: in all of a step */
    double transfer_s; /* in copies between host and device that belong to its steps; of ranks: that
                        * part of device_s in which the slowest did not step */
};

/*
 * A backend plans what it runs for a setup, known before anything is allocated. A figure that is
 * not known, or has no meaning on the backend's device, is 0.
 */
struct ca_plan {
    char variant[64];           /* which kernel of the backend's family, in words */
    int generations;            /* that one pass over memory takes at most */
    int threads, vector_bits;   /* of a CPU backend */
    unsigned grid[3], block[3]; /* of the CUDA kernel that most generations go through */
    unsigned cluster;           /* blocks of a thread block cluster, 0 for none */
    int64_t shared_bytes;       /* of a block */
    int64_t memory_bytes;       /* that an instance takes where the lattice is kept */
    /* One cell update reads and writes, and computes, so much: what a pass does for a cell, over
     * its generations. Counted as in struct ca_backend. */
    double bytes_per_cell_step, ops_per_cell_step;
    double step_s; /* predicted seconds of a generation */
    /* For several ranks (core/ranks): their number, the layers of a halo, the generations between
     * two exchanges, and the predicted seconds of one in which no rank steps. */
    int ranks;
    int64_t halo;
    int exchange;
    double exchange_s;
    double hidden_s;        /* likewise, in which ranks step; of a slab, those in which it could */
    int64_t halo_row_bytes; /* of a row of all planes as `send` copies it; 0: of canonical cells */
    bool shrinking;         /* passes store less and less of halos until the next exchange */
    int period;    /* of a slab, the generations of whole passes before it; 0: of any number */
    int processes; /* that have them, where they are several; whether halos between some of these */
    bool messages; /* are messages, as there is no other way */
};

#define CA_HALOS_MAX 2    /* of a rank: below and above */
#define CA_HALO_BUFFERS 2 /* sends before a receiver has stepped */
#define CA_SLOTS (CA_HALOS_MAX * CA_HALO_BUFFERS)

/* A halo on its way: see ca_stepper_transfer.send. */
struct ca_halo {
    int slot;      /* CA_HALOS_MAX for each buffer, see ca_stepper_transfer.send */
    int64_t first; /* row of the slab */
    void *from;    /* whose slot it is, of one that is received */
};

/* Another process of the host opens an instance's slots by this. */
struct ca_shared_slots {
    unsigned char memory[CA_SLOTS][64], sent[CA_HALO_BUFFERS][64];
    size_t bytes;
    char device[32];
};

/* The copy of a state is kept, gone back to or dropped: see ca_stepper.mark. */
enum ca_mark { CA_MARK_KEEP, CA_MARK_BACK, CA_MARK_DROP };

/* Figures of a state that are computed where it is. */
struct ca_stepper_observe {
    /*
     * Adds the survey of rows first ... first + rows - 1 of the slab, of the parts that are asked
     * for (enum ca_survey_part). NULL: the rows are stored and surveyed on the host.
     */
    enum ca_status (*survey)(void *self, unsigned parts, int64_t first, int64_t rows,
                             struct ca_survey *survey, struct ca_error *error);
    /* Adds the cells of each value (ca_count_states) in rows of the slab, for models that count
     * them. NULL: the rows are stored and counted on the host. */
    enum ca_status (*states)(void *self, int64_t first, int64_t rows, int64_t *cells,
                             struct ca_error *error);
    /*
     * Adds rows first ... first + rows - 1 of the slab to the sums of blocks of the whole lattice
     * (core/model/field.h); `neighbours` to their neighbour sums, where the model has some: of rows
     * whose neighbours are in the slab, and not spoiled.
     */
    enum ca_status (*blocks)(void *self, const struct ca_blocks *blocks, int64_t first,
                             int64_t rows, double *sums, struct ca_error *error);
    enum ca_status (*neighbours)(void *self, const struct ca_blocks *blocks, int64_t first,
                                 int64_t rows, double *sums, struct ca_error *error);
};

/* Cells for pictures. */
struct ca_stepper_draw {
    /*
     * Canonical values of scattered cells, so that a picture costs no more transfer than what it
     * shows: planes[p][r * columns + c] is the cell (x[c], row[r]).
     */
    enum ca_status (*gather)(void *self, const struct ca_gather_points *points,
                             void *const planes[], struct ca_error *error);
    /*
     * The same cells of u8 planes, summed in bins where they are, so that a picture costs the same
     * however many cells a character stands for. NULL: they are gathered.
     */
    enum ca_status (*reduce)(void *self, const struct ca_gather_points *points,
                             const struct ca_view_bins *bins,
                             const struct ca_appearances *appearances, struct ca_bin_sum *sums,
                             struct ca_error *error);
};

/* Halos between instances of the same backend and lattice, which may be on other devices. */
struct ca_stepper_transfer {
    /*
     * Halos of so many rows on their way to other instances of the same backend and lattice, which
     * may be on other devices: `send` copies rows of the slab to this instance's buffers, `receive`
     * rows to the slab from buffers of others. Both may return before they are done; what an
     * instance is asked next waits for them, and so does `receive` for the `send` that has been
     * called before it. A slot may be filled again after the receiver's next step; rows that have
     * been sent may be changed by another call than launch, send and receive once all receivers
     * have finished.
     */
    enum ca_status (*send)(void *self, const struct ca_halo halos[], int count, int64_t rows,
                           struct ca_error *error);
    enum ca_status (*receive)(void *self, const struct ca_halo halos[], int count, int64_t rows,
                              struct ca_error *error);
    /*
     * The same between two processes of one host: `share` makes slots for so many rows ready and
     * says how to open them; `attach` opens those of another process, and `receive` takes what it
     * returns as `from`; who asks for it knows that `send` has been called there. `detach` frees
     * it. CA_CUDA_FAILED where the host does not allow it. NULL: rows are messages.
     */
    enum ca_status (*share)(void *self, int64_t rows, struct ca_shared_slots *slots,
                            struct ca_error *error);
    enum ca_status (*attach)(void *self, const struct ca_shared_slots *slots, void **from,
                             struct ca_error *error);
    void (*detach)(void *self, void *from);
    /*
     * The same by messages: `fetch` copies what `send` has put in a slot to the host, `deliver`
     * rows from there to the slab, plan.halo_row_bytes each; both have done so when they return.
     * Memory for the bytes is taken by take_host, NULL where there is none. NULL: rows are stored
     * and loaded.
     */
    enum ca_status (*fetch)(void *self, int slot, void *bytes, size_t count,
                            struct ca_error *error);
    enum ca_status (*deliver)(void *self, int64_t first, int64_t rows, const void *bytes,
                              struct ca_error *error);
    void *(*take_host)(size_t count);
    void (*free_host)(void *memory); /* takes NULL */
};

/*
 * How instances of a backend are made, filled and stepped: one constant object for each way of
 * keeping the state (byte planes, bit rows, bands, a GPU), which several backends share. What a
 * single backend does, its kernels, is its `ops`, whose type belongs to the stepper.
 */
struct ca_stepper {
    /*
     * Plans what create would make of the setup, without taking memory. CA_USAGE with the numbers
     * where the backend's kernel cannot hold the setup, CA_NO_MEMORY where the device has too
     * little memory free. May be NULL while create may not refuse.
     */
    enum ca_status (*plan)(const struct ca_setup *setup, struct ca_plan *plan,
                           struct ca_error *error);
    /* *self is an instance with undefined cells; on failure nothing is left behind. Refuses what
     * plan refuses. */
    enum ca_status (*create)(void **self, const struct ca_setup *setup, struct ca_error *error);
    void (*destroy)(void *self); /* takes NULL */
    /*
     * Canonical rows first ... first + rows - 1 of the slab (row 0 is its first) in and out;
     * planes[] point at the first of them. Layers are multiples of rows, so slabs, slices and
     * single cells all go through these two.
     */
    enum ca_status (*load)(void *self, const void *const planes[], int64_t first, int64_t rows,
                           struct ca_error *error);
    enum ca_status (*store)(void *self, void *const planes[], int64_t first, int64_t rows,
                            struct ca_error *error);
    /*
     * Makes start setup->start where the cells are, as ca_model_start.init makes it, at generation
     * 0. *made is false, and nothing has changed, where the host must make it. NULL: always.
     */
    enum ca_status (*init)(void *self, bool *made, struct ca_error *error);
    /* n >= 1 generations, the first of which starts from generation t. */
    enum ca_status (*step)(void *self, uint64_t t, uint64_t n, struct ca_error *error);
    /* The same, but it may return before the generations are done: what the instance is asked next
     * waits for them, and `finish` for all of them, which the clock has counted then. Until they
     * are received anew, the halos of a slab serve `served` >= n generations from t on; rows that
     * none of these reads are not stored. NULL: step. */
    enum ca_status (*launch)(void *self, uint64_t t, uint64_t n, uint64_t served,
                             struct ca_error *error);
    enum ca_status (*finish)(void *self, struct ca_error *error);
    /*
     * Keeps a copy of the state, in place of an earlier one, in its own layout and where it is;
     * makes the state that of the copy, which is there; or frees the copy, if there is one, as
     * destroy does too. After a failure to keep there is no copy: CA_NO_MEMORY with the bytes that
     * are needed and those that are free, CA_NO_DEVICE. NULL: no state can be kept.
     */
    enum ca_status (*mark)(void *self, enum ca_mark what, struct ca_error *error);

    /* The instance's plan: what it runs. */
    void (*report)(const void *self, struct ca_plan *plan);
    /* NULL: a step's device time is the time that it took. */
    void (*clock)(void *self, struct ca_clock *clock);
    const struct ca_stepper_observe *observe;   /* NULL: rows are stored and surveyed on the host */
    const struct ca_stepper_draw *draw;         /* NULL: rows are stored for a picture */
    const struct ca_stepper_transfer *transfer; /* NULL: halos are stored and loaded */
};

#ifdef __cplusplus
}
#endif
#endif
