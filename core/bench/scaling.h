/* SPDX-License-Identifier: MIT */
/* A study of scaling explains its lines (enum ca_scaling) by the exposed time of halos.
 *
 * A slab by itself takes s seconds a generation: of weak scaling the first cut on its lattice, of
 * strong scaling the first cut on a lattice as large as a share. What a line takes beyond s is the
 * exposed time of its halos: their exchange, their layers, which both neighbours compute, and
 * waiting for the slowest. The plan predicts the first two; what of that does not show is
 * hidden. */
#ifndef CALAB_CORE_BENCH_SCALING_H
#define CALAB_CORE_BENCH_SCALING_H

#include "core/bench/bench.h"

/* Figures of a line; 0 where one is unknown, and NAN of times. */
struct ca_bench_scaling {
    const struct ca_bench_line *base; /* the line of the first cut, which may be this one */
    struct ca_bench_factor times;     /* its rate by the base's */
    double efficiency;                /* that by how many times the ranks; 1: ideal */
    double ceiling_mups;              /* of strong scaling: the rate of ranks without halos */
    /* Seconds of a generation, of lines with more ranks than the base. */
    double predicted_s, hidden_s, exposed_s;
    double waited_s; /* of a generation the part in which the slowest rank did not step */
};

/* Figures of a line that is no share. */
struct ca_bench_scaling ca_bench_scaling(const struct ca_bench *bench,
                                         const struct ca_bench_line *line);
/* The layers of the largest share of a lattice that ranks have, in lattices of the base's ranks:
 * shares begin at even layers. */
int64_t ca_bench_share_layers(int64_t layers, int base_ranks, int ranks);
/* "2 ranks: 1.97 times the rate of 1 rank, +- 1.5 %, efficiency 98 %; all equal", of the
 * study's line of the most ranks that has a figure. Returns text. */
char *ca_bench_scaling_sentence(char *text, size_t size, const struct ca_bench *bench, int study);
/* "2 ranks", "1 rank", "GPU 0,1", "4 ranks on GPU 0,1". Returns text. */
#define CA_BENCH_CUT_TEXT 128
char *ca_bench_cut_text(char text[CA_BENCH_CUT_TEXT], const struct ca_bench_line *line);

#endif
