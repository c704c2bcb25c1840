/* SPDX-License-Identifier: MIT */
/*
 * Layouts in which a program may take a file's values for those of a lattice by mistake: axes in
 * another order, the bits or bytes of a value, values that are moved on because a header is longer
 * or shorter than the program takes it to be.
 */
#ifndef CALAB_CORE_LAB_CHECK_LAYOUTS_H
#define CALAB_CORE_LAB_CHECK_LAYOUTS_H

#include "core/lab/cause/influence.h"

struct lab_layout {
    enum ca_cause cause;
    const char *what;    /* the file has, or the start is taken with, ... */
    const char *written; /* it is written ... */
    const char *read;    /* it is read ...; NULL: as it is written */
    /* Gives the place from which the value at place `at` of all planes comes, -1: from none.
     * NULL: values stay. */
    int64_t (*from)(const struct lab_layout *layout, const struct ca_lattice *lattice, int64_t at);
    /* Changes a value as this layout does; NULL: it is kept. */
    void (*change)(const struct ca_model *model, uint8_t *value);
    int64_t cells, rows; /* by which values are moved on */
    int bytes;           /* the same, of floats */
    bool permutes;       /* another order, which is not its own inverse */
    bool two_states, bits, floats, deep, planes, packed; /* of these states, or files, alone */
};

/* Number i of them, NULL: there are no more; whether states of the model have it in files of an
 * ending. */
const struct lab_layout *lab_layout_number(int i);
bool lab_layout_fits(const struct lab_layout *layout, const struct ca_model *model,
                     const char *ending);
/* Puts the values of a lattice, as they are written or read, in another one of the same size; those
 * that come from none are `fill`. */
void lab_layout_apply(const struct lab_layout *layout, const struct ca_model *model, bool reads,
                      const struct ca_lattice *from, uint8_t fill, struct ca_lattice *to);

#endif
