/* SPDX-License-Identifier: MIT */
/*
 * The cut of a lattice into the slabs of ranks: contiguous shares of layers along the outermost
 * dimension, and at each end that is not the lattice's own a halo, the copy of layers that a
 * neighbour owns. A generation spoils one radius of a halo from its far end, so that a halo of h
 * layers serves h / radius generations; then the ranks exchange.
 *
 * Shares and halos begin at even layers, as FHP's rows want it, and no halo is larger than the
 * smallest share, so that it comes from one neighbour.
 */
#ifndef CALAB_CORE_RANKS_CUT_H
#define CALAB_CORE_RANKS_CUT_H

#include "core/model/model.h"
#include "core/model/ranks.h"

/* A rank steps in this place. */
struct ca_place {
    int process; /* of the job (core/ranks/processes.h) */
    int device;  /* a GPU as that process counts them; -1: the option `device` */
};

struct ca_cut {
    int ranks;
    bool torus;                          /* the last rank's neighbour is the first one */
    int64_t rows;                        /* of a layer */
    int64_t row_bytes;                   /* of a row of all planes as ranks send it */
    int64_t first[CA_RANKS_MAX + 1];     /* rank r owns layers first[r] ... first[r + 1] - 1 */
    int64_t halo;                        /* layers of a halo; 0: there is a single rank */
    int exchange;                        /* generations from one exchange to the next; a single
                                            rank has nobody to wait for: INT_MAX */
    struct ca_place place[CA_RANKS_MAX]; /* of rank r; processes follow each other */
    int threads[CA_RANKS_MAX];           /* of rank r, of a backend that takes threads */
    double hidden_s;                     /* of a slab: see struct ca_plan */
};

/*
 * The cut that the setup's options ask for. Of the largest slab's plan count the generations of a
 * pass, of which the exchange is a multiple where the shares allow it, the predicted seconds of
 * one, and the bytes that it sends. An `exchange` beyond what the smallest share serves shrinks to
 * that.
 *
 * Each process is a place, and on GPUs each of the devices that fall to it: of the option `devices`
 * its share among the processes of its host, else the GPU of its number on its host, counted from
 * the option `device` on. Ranks go to places in their order, as many to each; fewer ranks take the
 * first places. Where their number is not asked for it is that of the places; processes beyond what
 * the lattice has layers for have none.
 *
 * CA_USAGE with the numbers where a share is smaller than what a single generation wants, or
 * `devices` is not a list of GPUs.
 */
enum ca_status ca_cut_make(struct ca_cut *cut, const struct ca_setup *setup,
                           const struct ca_plan *slab, struct ca_error *error);

/* The setup of a rank's instance: its slab, its device, and its part of the threads. */
struct ca_setup ca_cut_setup(const struct ca_cut *cut, const struct ca_setup *setup, int rank);

/* The layers of a rank's slab below those that it owns, and the layers that it owns. */
int64_t ca_cut_low(const struct ca_cut *cut, int rank);
int64_t ca_cut_own(const struct ca_cut *cut, int rank);
/* The first rank of a process, or of those behind it where it has none; cut->ranks for the number
 * of processes. */
int ca_cut_first_rank(const struct ca_cut *cut, int process);
/* The rank below (-1) or above (1), -1 where the lattice ends. */
int ca_cut_neighbour(const struct ca_cut *cut, int rank, int side);

/* The rows that a rank owns among rows first ... first + rows - 1; rows <= 0: it owns none. */
struct ca_piece {
    int64_t slab_row, rows;
    int64_t offset; /* of the first of them, among the rows asked for */
};
struct ca_piece ca_cut_piece(const struct ca_cut *cut, int rank, int64_t first, int64_t rows);
/* The same of the halo on a side, -1 below or 1 above, whose rows a neighbour owns. */
struct ca_piece ca_cut_halo_piece(const struct ca_cut *cut, int rank, int side, int64_t first,
                                  int64_t rows);

/* Predicted seconds of an exchange. */
struct ca_exchange_time {
    double exposed_s, hidden_s; /* in which no rank steps, and in which they do */
};
struct ca_exchange_time ca_cut_exchange_time(const struct ca_cut *cut,
                                             const struct ca_setup *setup);
/* Returns the bytes that a rank sends to both sides in an exchange. */
int64_t ca_cut_sent_bytes(const struct ca_cut *cut);

/* The cut and the plan of all ranks. The exchange, where it is not asked for, is chosen by what a
 * rank's slab takes. Fails as ca_cut_make does, or with what the backend says of a rank's slab. */
enum ca_status ca_ranks_plan(struct ca_cut *cut, struct ca_plan *plan, const struct ca_setup *setup,
                             struct ca_error *error);

/* Adds to a plan what other ranks need and how long they take. */
void ca_ranks_add_plan(struct ca_plan *all, const struct ca_plan *plan);
/* Adds to the sum of all ranks' plans their exchanges; a single rank has none. */
void ca_ranks_add_exchange(struct ca_plan *plan, const struct ca_cut *cut,
                           const struct ca_setup *setup);

#endif
