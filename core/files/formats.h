/* SPDX-License-Identifier: MIT */
/*
 * The formats of files, one row each, chosen by the ending of a path: what of a simulation can be
 * written in them (a state, a field, a picture, observables), and what can be read. The first row
 * is the format that holds any model's state without loss. A function that a format has not is
 * NULL.
 */
#ifndef CALAB_CORE_FILES_FORMATS_H
#define CALAB_CORE_FILES_FORMATS_H

#include <stdio.h>

#include "core/files/file.h"
#include "core/model/field.h"

/* A field of blocks of a lattice: values block by block, the components of one beside each other,
 * NaN where it has none. */
struct ca_field_values {
    const struct ca_model *model;
    const struct ca_field *field;
    const struct ca_blocks *blocks;
    const struct ca_map *map; /* where the lattice lies */
    const double *values;
    int64_t states;       /* of which it is the mean, */
    uint64_t first, last; /* and the generations of the first and the last of them */
};

/* A picture, drawn row by row from above. */
enum ca_pixel { CA_GREY8, CA_GREY16, CA_RGB }; /* 1, 2 (high byte first) and 3 bytes */
struct ca_pixels {
    int64_t w, h;
    enum ca_pixel pixel;
    enum ca_status (*row)(void *context, int64_t y, uint8_t *row, struct ca_error *error);
    void *context;
};

/* How ffmpeg makes a film: its filter, and the arguments before the file. */
struct ca_film_coding {
    const char *filter;
    const char *arguments[8]; /* ends with NULL */
};

/* States are written, and read: *size is the size that is wanted, which stays where a file lies in
 * a lattice of any size. A size of 0 wants a pattern alone, without the lattice in which its file
 * says that it is. The run is left alone by files that say nothing of it. */
typedef enum ca_status ca_state_writer(const char *path, const struct ca_model *model,
                                       const struct ca_row_source *source, struct ca_error *error);
typedef enum ca_status ca_size_reader(const char *path, const struct ca_model *model,
                                      struct ca_size *size, struct ca_error *error);
typedef enum ca_status ca_state_reader(const char *path, const struct ca_model *model,
                                       struct ca_size size, const struct ca_row_sink *sink,
                                       uint64_t *generation, struct ca_error *error);
typedef enum ca_status ca_field_writer(const char *path, const struct ca_field_values *values,
                                       struct ca_error *error);
typedef enum ca_status ca_pixel_writer(const char *path, const struct ca_pixels *pixels,
                                       struct ca_error *error);

struct ca_format {
    const char *ending; /* with its dot */
    const char *holds;
    bool seeks;             /* its parts are not written in their order, so that no pipe takes it */
    const char *parameters; /* that name such a file, and of which model; NULL: none */

    /* States. */
    bool (*fits)(const struct ca_model *model);     /* can be written; NULL: every model */
    bool (*restores)(const struct ca_model *model); /* a file holds all of a state; NULL: always */
    ca_state_writer *write;
    /* CA_USAGE for a setup whose states cannot be written all the same. NULL: there is none. */
    enum ca_status (*check)(const struct ca_setup *setup, struct ca_error *error);
    ca_size_reader *size;
    ca_state_reader *read;
    /* The run whose state a file holds. NULL: files say nothing of it, and read leaves *generation
     * alone. */
    enum ca_status (*run)(const char *path, struct ca_state_run *run, struct ca_error *error);
    /* The rule that a file is of, zeroed before. NULL: files say nothing of it. */
    enum ca_status (*rule)(const char *path, const struct ca_model *model,
                           struct ca_state_rule *rule, struct ca_error *error);

    /* Fields. */
    bool (*fits_field)(const struct ca_model *model, const struct ca_field *field); /* NULL: all */
    ca_field_writer *write_field;

    /* Pictures of a slice or a projection. */
    bool colour; /* in colours (CA_RGB), else grey; so also of the screen */
    ca_pixel_writer *write_pixels;

    /* Films of such pictures (core/files/film.h). NULL: none. */
    const struct ca_film_coding *film;

    /* The format is of the workbench's screen, which the workbench itself writes. */
    bool screen;

    /* Observables by generation: the line of names, and that of the values of one. */
    void (*observable_names)(FILE *stream, const struct ca_model *model);
    void (*observable_row)(FILE *stream, const struct ca_model *model, uint64_t generation,
                           const double *values);
};

/* Ends with a row whose ending is NULL. */
extern const struct ca_format ca_formats[];

/* The row that the ending of `path` chooses, NULL for none. */
const struct ca_format *ca_format_of(const char *path);

/* Whether a state of the model can be written, */
bool ca_format_fits(const struct ca_format *format, const struct ca_model *model);
/* and whether a file of the format holds all of one. */
bool ca_format_restores(const struct ca_format *format, const struct ca_model *model);
/* Whether such a file can be put at a cell of a lattice. */
bool ca_format_places(const struct ca_format *format, const struct ca_model *model);
bool ca_format_fits_field(const struct ca_format *format, const struct ca_model *model,
                          const struct ca_field *field);
bool ca_format_tabulates(const struct ca_format *format); /* writes observables */
/* Whether it takes a picture, which every model has. */
bool ca_format_draws(const struct ca_format *format, const struct ca_model *model);
/* Whether it takes pictures, one or as a film. */
bool ca_format_shows(const struct ca_format *format, const struct ca_model *model);

/* The endings of those formats for which `allows`, one of those above of a model, is true:
 * ".npy, .plain.pbm, .pbm or .rle". Returns text. */
char *ca_format_endings(char text[CA_TEXT_MAX], const struct ca_model *model,
                        bool (*allows)(const struct ca_format *, const struct ca_model *));
/* Those that can be written for a field or, with `field` NULL, for observables. */
char *ca_format_field_endings(char text[CA_TEXT_MAX], const struct ca_model *model,
                              const struct ca_field *field);

/* A field in the format of the path's ending, which must fit it. CA_IO, CA_NO_MEMORY. */
ca_field_writer ca_field_write;

/*
 * States. NumPy .npy has the shape (H, W) or (D, H, W), a leading axis of planes where a model has
 * several; u1 or <f4, C order. Versions 1 to 3 are read, also bool, >f4 and Fortran order, for
 * which all of the file is read at once; values above the model's range are refused. h5_file.h and
 * rle.c describe the others. Whatever reads may have given the sink rows before a failure.
 */
ca_state_writer ca_npy_write, ca_h5_write, ca_rle_write;
ca_size_reader ca_npy_size, ca_h5_size, ca_rle_size;
ca_state_reader ca_npy_read, ca_h5_read, ca_rle_read;
/* The text of the model's file that a state keeps, malloc'd, with a NUL behind it. CA_IO. */
enum ca_status ca_h5_source(const char *path, char **text, size_t *size, struct ca_error *error);
enum ca_status ca_h5_run(const char *path, struct ca_state_run *run, struct ca_error *error);
enum ca_status ca_rle_rule(const char *path, const struct ca_model *model,
                           struct ca_state_rule *rule, struct ca_error *error);
/* CA_USAGE where Golly has no such lattice: in three dimensions one that is no torus or no cube. */
enum ca_status ca_rle_check(const struct ca_setup *setup, struct ca_error *error);

/* Pictures. PGM: P5. CA_USAGE: too large a side for the format; CA_IO. */
ca_pixel_writer ca_pgm_write, ca_png_write;
static inline int64_t ca_pixel_bytes(enum ca_pixel pixel) { return (int64_t)pixel + 1; }

/*
 * Write a field to a file. .npy: doubles, of shape (H, W) or (D, H, W), blocks along each
 * axis, with a leading axis where the field has two components. .csv: a line with `#` that says
 * what it is, names, and a line a block: its first cell and its values to 12 significant digits.
 * .asc: ESRI ASCII grid, a number a block to 9 significant digits, northern row first, where the
 * map says; NODATA_value where there is none.
 */
ca_field_writer ca_npy_write_field, ca_csv_write_field, ca_asc_write_field;
void ca_csv_names(FILE *stream, const struct ca_model *model);
void ca_csv_row(FILE *stream, const struct ca_model *model, uint64_t generation,
                const double *values);

#endif
