/* SPDX-License-Identifier: MIT */
/*
 * Parameters: one description (kind, default, range, unit, help) serves --set, the settings
 * screen, libconfig files, JSON and the manual. Values carry where they came from.
 *
 * Tables of struct ca_param end with a row whose name is NULL.
 */
#ifndef CALAB_CORE_MODEL_PARAM_H
#define CALAB_CORE_MODEL_PARAM_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CA_PARAMS_MAX 40
#define CA_TEXT_MAX 512
#define CA_NUMBER_MAX 32

enum ca_kind {
    CA_INT,         /* whole number, at most 2^53 in size */
    CA_REAL,        /* finite number */
    CA_PROBABILITY, /* 0 to 1, used as k / 65536 with k = floor(65536 p + 1/2) */
    CA_CHOICE,      /* one of `choices` */
    CA_TEXT,        /* any text below CA_TEXT_MAX bytes */
    CA_FILE,        /* the path of a file */
};

enum ca_origin {
    CA_BUILT_IN,
    CA_TUNED,            /* found by bench --tune (core/bench/tune.h), not chosen */
    CA_FROM_SETTINGS,    /* calab.cfg */
    CA_FROM_EXPERIMENT,  /* the file given by -c */
    CA_FROM_ENVIRONMENT, /* CALAB_... */
    CA_FROM_COMMAND_LINE,
    CA_FROM_WORKBENCH, /* changed by the user in this run */
};

struct ca_param {
    const char *name;
    enum ca_kind kind;
    double number;              /* default of a number; of a choice its index */
    const char *text;           /* default of a text or file, NULL for "" */
    double min, max;            /* range of a number, both allowed */
    const char *const *choices; /* the words that a text may have, NULL: any; ends with NULL */
    const char *unit;           /* NULL for none */
    const char *help;           /* one line */
    bool initial; /* affects only the initial state: a change takes effect at the next reset */
    /* Values that bench --tune tries besides the default, separated by blanks; "*": every choice;
     * NULL: none; "": none, but a trial may choose one (core/bench/choose.h). Only for options that
     * affect nothing but the speed. */
    const char *tune;
    /* Texts worth trying in checks, for a text whose form its description cannot tell; ends with
     * NULL. NULL: only the default is tried. */
    const char *const *examples;
};

struct ca_value {
    double number;    /* numbers; index of a choice */
    const char *text; /* text, file; name of a choice; "" for a number */
    enum ca_origin origin;
};

/*
 * Copied by assignment: a text is either a constant of the table or interned, that is kept once by
 * this module until the process ends, so that no copy owns or outlives it.
 */
struct ca_values {
    const struct ca_param *table;
    int count;
    struct ca_value value[CA_PARAMS_MAX];
};

/* Every row at its default, origin built-in. A NULL table is an empty one. */
void ca_values_default(struct ca_values *values, const struct ca_param *table);

/* Index of a name, or -1. */
int ca_values_find(const struct ca_values *values, const char *name);

/*
 * Sets one value from text. CA_USAGE with name, text and the allowed range or choices when it is
 * not allowed, CA_NO_MEMORY when a new text cannot be kept; nothing changes then. `where` is put
 * before the message where it is not NULL ("--set", "my.cfg:12").
 */
enum ca_status ca_values_set(struct ca_values *values, int index, const char *text,
                             enum ca_origin origin, const char *where, struct ca_error *error);
/* The same from a number. A value that is no number of the kind (NaN too) is refused. */
enum ca_status ca_values_set_number(struct ca_values *values, int index, double number,
                                    enum ca_origin origin, const char *where,
                                    struct ca_error *error);

/* Takes, of the values of another table, those that somebody has set, as far as there are rows of
 * their names that allow them, and where nothing that goes before them has been set. */
void ca_values_take(struct ca_values *values, const struct ca_values *others);

/* The shortest decimal that reads back to the same number, a whole number below 10^15 without an
 * exponent. Returns text. */
char *ca_number_format(char text[CA_NUMBER_MAX], double number);
/* A value as text that ca_values_set reads back to the same value; "%.17g" at most. */
char *ca_value_format(char text[CA_TEXT_MAX], const struct ca_param *param,
                      const struct ca_value *value);
/* The range or the choices as text: "0 ... 27", "torus | dead". */
char *ca_param_range(char text[CA_TEXT_MAX], const struct ca_param *param);
/* The default as ca_value_format writes it; "" for a text without one. */
char *ca_param_default(char text[CA_TEXT_MAX], const struct ca_param *param);
/* Whether an option may be tuned: its row has values to try, and the user has not set it. */
bool ca_tunable(const struct ca_values *options, int index);
/* Resets the options that may be tuned to their defaults. Returns whether there are any. */
bool ca_values_untune(struct ca_values *options);
bool ca_value_is_default(const struct ca_param *param, const struct ca_value *value);
/* Whether two values of one row, or all values of one table, are the same, whatever their origin.
 */
bool ca_value_equal(const struct ca_value *a, const struct ca_value *b);
bool ca_values_equal(const struct ca_values *a, const struct ca_values *b);

const char *ca_kind_name(enum ca_kind kind);       /* "int", "real", "probability", ... */
const char *ca_origin_name(enum ca_origin origin); /* "built-in", "calab.cfg", ... */

/* Values by name, for kernels. A name that is not in the table is a programming error. */
double ca_real(const struct ca_values *values, const char *name);
int64_t ca_int(const struct ca_values *values, const char *name);
int ca_choice(const struct ca_values *values, const char *name); /* index */
const char *ca_text(const struct ca_values *values, const char *name);
uint32_t ca_probability(const struct ca_values *values, const char *name); /* k, 0 ... 65536 */

/*
 * "did you mean": the nearest of `count` names to `wrong` by edit distance (transpositions count
 * one), NULL when none is near. Names are read by `name(i)` of `context`.
 */
const char *ca_nearest(const char *wrong, int count, const char *(*name)(const void *, int),
                       const void *context);
/* The end of a refusal: "; did you mean 'x'?" or, when none is near, "; there are: a, b, c".
 * Returns text. */
char *ca_suggest(char text[CA_TEXT_MAX], const char *wrong, int count,
                 const char *(*name)(const void *, int), const void *context);
/* Names for these two functions: from an array, or from a table of struct ca_param. */
const char *ca_name_at(const void *names, int i);
const char *ca_param_name(const void *table, int i);

#ifdef __cplusplus
}
#endif
#endif
