/* SPDX-License-Identifier: MIT */
/*
 * Rules of other programs as models in one file: Golly's .rule files (@TABLE, @TREE, @NAMES,
 * @COLORS), and the notations of Generations and of Larger than Life.
 *
 * A rule is read into one of two forms, from which the source of a model is written: a decision
 * diagram over the states of a neighbourhood, or intervals of counts of live cells in it.
 */
#ifndef CALAB_CORE_IMPORT_IMPORT_H
#define CALAB_CORE_IMPORT_IMPORT_H

#include <stdio.h>

#include "core/base/error.h"
#include "core/import/diagram.h"

#define IMPORT_NAME_MAX 64
#define IMPORT_NEAR_MAX 3   /* radius of a neighbourhood whose cells a model reads one by one */
#define IMPORT_RADIUS_MAX 8 /* of one whose cells are counted */
#define IMPORT_COUNTS_MAX ((2 * IMPORT_RADIUS_MAX + 1) * (2 * IMPORT_RADIUS_MAX + 1) + 1)

struct import_place { /* of an input, from the cell: right and down */
    int8_t x, y;
};

struct import_state {
    char name[IMPORT_NAME_MAX]; /* "": none given */
    bool coloured;
    uint8_t rgb[3];
};

enum import_shape { IMPORT_MOORE, IMPORT_VON_NEUMANN, IMPORT_CIRCLE };

struct import_rule {
    char name[IMPORT_NAME_MAX];  /* of the model: a-z, 0-9 and _ */
    char title[IMPORT_NAME_MAX]; /* as the rule is called where it comes from */
    char from[IMPORT_NAME_MAX];  /* what was read: the name of a file, or a notation */
    int states;
    struct import_state state[DIAGRAM_STATES_MAX];
    /* The first form: the rule by its inputs, the last being the cell itself; `at` is NULL else. */
    const struct import_place *at;
    struct diagram diagram;
    /* The second form: the rule by how many cells of a neighbourhood are in state 1. */
    int radius;
    enum import_shape shape;
    bool with_self;
    bool born[IMPORT_COUNTS_MAX], stays[IMPORT_COUNTS_MAX];
};

/* Reads a rule: a path that ends with .rule, else a notation. The rule is destroyed by the caller,
 * also after a failure. CA_IO with file and line, CA_USAGE for a notation, CA_NO_MEMORY. */
enum ca_status ca_import_read(const char *text, struct import_rule *rule, struct ca_error *error);
void ca_import_destroy(struct import_rule *rule);

/* Returns the next state of the cell, by the states of all inputs of the first form. */
int ca_import_next(const struct import_rule *rule, const uint8_t states[]);

/* Writes the source of the model. */
void ca_import_write(const struct import_rule *rule, FILE *stream);
/* Reads `text` and writes the model to `path`, by whose file it is then called, or where that is
 * NULL to NAME.c in this folder; stores the path. CA_USAGE also where that file is there already.
 */
enum ca_status ca_import(const char *text, const char *path, char written[], size_t size,
                         struct ca_error *error);

/* The files of this folder define these for each other. */
enum ca_status import_golly_rule(const char *path, struct import_rule *rule,
                                 struct ca_error *error);
enum ca_status import_notation(const char *text, struct import_rule *rule, struct ca_error *error);

#endif
