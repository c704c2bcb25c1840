/* SPDX-License-Identifier: MIT */
/*
 * The structure of a kernel in CUDA: what a GPU would do for it, as the emulator counts it, so that
 * no GPU is needed; and its registers where there is nvcc. Each figure is what a bound of lab.cfg
 * is for, and comes with the line of the source that costs most.
 */
#ifndef CALAB_CORE_LAB_PROCESS_STRUCTURE_H
#define CALAB_CORE_LAB_PROCESS_STRUCTURE_H

#include "core/lab/process/build.h"

struct ca_lab_structure {
    bool tried, counted;
    char text[400]; /* why it was tried and could not be counted */
    struct ca_lab_figure {
        bool known;
        double value;
        char line[160]; /* "kernel.cu:23", "" */
        double of_line; /* the figure of that line alone */
    } figure[CA_LAB_BOUNDS];
};

/* Counts it. What is missing here is told by structure->text; CA_NO_MEMORY, CA_IO. */
enum ca_status ca_lab_structure_count(struct ca_lab_structure *structure, const struct ca_lab *lab,
                                      struct ca_lab_build *build, struct ca_error *error);
/* The part of the bounds that it keeps, of those that are known; -1: none is. */
double ca_lab_structure_kept(const struct ca_lab_structure *structure,
                             const struct ca_lab_points *points);
/* Whether a figure is within a bound. */
bool lab_structure_keeps(const struct ca_lab_figure *figure, double bound);
/* "bank_conflicts 7, allowed 0; most by kernel.cu:23, 31" in at most `size` bytes. */
char *ca_lab_structure_text(const struct ca_lab_structure *structure,
                            const struct ca_lab_points *points, enum ca_lab_bound bound, char *text,
                            size_t size);
/* A bound that this figure and a little more keep. */
double ca_lab_structure_proposed(const struct ca_lab_structure *structure, enum ca_lab_bound bound);

#endif
