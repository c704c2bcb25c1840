/* SPDX-License-Identifier: MIT */
/*
 * Rows of words: how a bit-sliced backend gives and takes the rows of its bit planes, 64 cells a
 * word (core/model/bit_row.h), from which loading, storing, random starts, surveys and sums of
 * blocks follow. Bit b of the model's plane p is bit plane p * bits + b.
 */
#ifndef CALAB_KERNELS_CPU_WORD_ROWS_H
#define CALAB_KERNELS_CPU_WORD_ROWS_H

#include "core/model/survey.h"

struct word_rows {
    const struct ca_setup *setup;
    int64_t group; /* rows r with the same r / group share words, so that one worker puts them */
    /* Row `row` of the slab, where it is or copied into the buffer. Bits beyond its end have no
     * meaning. */
    const uint64_t *(*get)(void *self, int plane, int64_t row, uint64_t *buffer);
    void (*put)(void *self, int plane, int64_t row, const uint64_t *words);
    void *self;
};

/* Functions of struct ca_stepper of the same names, for an instance that begins with its struct
 * word_rows. CA_NO_DEVICE, CA_NO_MEMORY. */
enum ca_status word_rows_load(void *instance, const void *const planes[], int64_t first,
                              int64_t count, struct ca_error *error);
enum ca_status word_rows_store(void *instance, void *const planes[], int64_t first, int64_t count,
                               struct ca_error *error);
enum ca_status word_rows_survey(void *instance, unsigned parts, int64_t first, int64_t count,
                                struct ca_survey *survey, struct ca_error *error);
enum ca_status word_rows_blocks(void *instance, const struct ca_blocks *blocks, int64_t first,
                                int64_t count, double *sums, struct ca_error *error);
/* For a model with neighbour sums of words, of a single bit plane. */
enum ca_status word_rows_neighbours(void *instance, const struct ca_blocks *blocks, int64_t first,
                                    int64_t count, double *neighbours, struct ca_error *error);
/* For `init`; of all `count` rows. */
enum ca_status word_rows_init(const struct word_rows *rows, int64_t count, bool *made,
                              struct ca_error *error);

#endif
