/* SPDX-License-Identifier: MIT */
/*
 * Who ran where: a lab's kernel is compiled once more, with notes in LAB_AT
 * (core/lab/kernel/who.h), and takes two generations; of the second it is known which worker asked
 * for which cell, and from when to when. What is timed or checked is never this build.
 */
#ifndef CALAB_CORE_LAB_PROCESS_WHO_H
#define CALAB_CORE_LAB_PROCESS_WHO_H

#include "core/lab/kernel/lab.h"
#include "core/lab/kernel/who.h"

struct ca_lab_worker {
    uint32_t number;       /* of the thread, the multiprocessor, the block */
    double start_s, end_s; /* since the first access of any; 0 on the emulator */
    double busy_s;         /* of a multiprocessor while any of its blocks was there */
    int64_t asks, cells;   /* the cells that it asked for most often of all */
};

struct ca_lab_who {
    enum lab_who_kind kind;
    struct ca_size size;
    double span_s; /* from the first access to the last; 0: there are no times */
    int workers;   /* that asked for any cell, in the order of their numbers */
    struct ca_lab_worker worker[LAB_WHO_THREADS];
    uint16_t *owner; /* of each cell, 1 + the place in `worker`; 0: nobody's */
};

/*
 * CA_COMPILE, CA_IO; CA_WRONG where the kernel fails, and where it never calls LAB_AT, so that
 * nothing is known of it. Free it in any case.
 */
enum ca_status ca_lab_who_make(struct ca_lab_who *who, const struct ca_lab *lab,
                               struct ca_size size, struct ca_error *error);
void ca_lab_who_free(struct ca_lab_who *who);
/* Reads what a kernel's process has written, of which nothing is trusted. CA_WRONG. */
enum ca_status ca_lab_who_read(struct ca_lab_who *who, const struct ca_lab *lab,
                               struct ca_size size, const char *path, struct ca_error *error);

/* "thread", "multiprocessor", "block". */
const char *ca_lab_who_word(enum lab_who_kind kind);
/* The part of the span in which a worker did nothing, 0 to 1. */
double ca_lab_who_idle(const struct ca_lab_who *who, int worker);
/* The worker of cell (x, y) of layer z, or -1. */
int ca_lab_who_of(const struct ca_lab_who *who, int64_t x, int64_t y, int64_t z);
/* The letter of a worker in a map, 0 ... 9, a ... z, A ... Z and again; '.' for -1. */
char ca_lab_who_letter(int worker);
/* Writes layer z as a .png, a colour a worker, black for nobody's. CA_USAGE for another ending. */
enum ca_status ca_lab_who_picture(const struct ca_lab_who *who, int64_t z, const char *path,
                                  struct ca_error *error);

#endif
