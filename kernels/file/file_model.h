/* SPDX-License-Identifier: MIT */
/*
 * Models that files describe (calab_model.h): the record that a built-in model has as constants is
 * made of the file's declaration, and its backends step rows by the file's functions.
 */
#ifndef CALAB_KERNELS_FILE_FILE_MODEL_H
#define CALAB_KERNELS_FILE_FILE_MODEL_H

#include "core/model/field.h"
#include "core/model/model.h"
#include "kernels/cpu/bit_stepper.h"
#include "kernels/file/cuda_model.h"
#include "kernels/file/object.h"
#include "kernels/file/planes.h"
#include "kernels/file/rungs.h"

#define FILE_ROWS_MAX 1024 /* of a declaration */

/* The record comes first: a function that gets it gets the rest. */
/* A text of the declaration, printable, which is kept with the model. */
struct file_text {
    struct file_text *next;
    char text[];
};

struct file_model {
    struct ca_model model;
    struct file_object object;
    struct ca_model_source source;
    const struct ca_model_row *row[FILE_ROWS_MAX]; /* in the order of their lines */
    int rows;
    int states; /* that a byte may have; 0: floats */
    struct file_plane plane[CA_MODEL_PARTS_MAX];
    struct ca_part parts[CA_MODEL_PARTS_MAX + 1];
    struct ca_field fields[CA_MODEL_PARTS_MAX + 1]; /* of each of several planes */
    int line_of_cell;
    struct ca_param params[CA_PARAMS_MAX + 1];
    struct ca_start starts[CA_PARAMS_MAX + 1];
    const struct ca_model_row *start_row[CA_PARAMS_MAX]; /* NULL: all states alike */
    struct ca_observable observables[CA_OBSERVABLES_MAX + 1];
    const struct ca_model_row *observed[CA_OBSERVABLES_MAX];
    int observed_plane[CA_OBSERVABLES_MAX];
    struct ca_state_appearance look[CA_STATES_MAX + 1];
    struct ca_brush brushes[CA_STATES_MAX + 1];
    /* Ends with name NULL. */
    struct ca_backend backends[2 + FILE_BIT_RUNGS + FILE_CUDA_RUNGS + FILE_CUDA_BIT_RUNGS + 1];
    struct ca_stepper bit_stepper;
    struct bit_ops bit_ops[FILE_BIT_RUNGS];
    struct file_table *table; /* of the nine cells (bits.c); NULL: it has no such backend */
    struct ca_model_start start;
    struct ca_model_rule rule;
    struct ca_model_observe observe;
    struct ca_model_draw draw;
    struct file_text *texts;
    struct file_model *next; /* that has been opened before */
};

/*
 * Compiles and loads the file, and makes the record of its model, which stays until the process
 * ends. The errors are those of file_object_open, and CA_COMPILE by file and line where the
 * declaration contradicts itself or its name is that of a built-in model.
 */
enum ca_status file_model_open(const struct ca_model **model, const char *path,
                               struct ca_error *error);
/* The same of a text that is of the file at the path, which is not read; it is copied. */
enum ca_status file_model_open_text(const struct ca_model **model, const char *path,
                                    const char *text, size_t size, struct ca_error *error);

static inline const struct file_model *file_model_of(const struct ca_model *model)
{
    return (const struct file_model *)model;
}

/* A copy of a text, printable, as long as the model; "" where there is no memory. */
const char *file_text(struct file_model *file, const char *text);
/* Fills what the record needs of the declaration's rows (declaration.c). */
enum ca_status file_declaration_read(struct file_model *file, struct ca_error *error);
/* CA_WRONG with file and line, what is wrong, and the cell and generation of it (steps.c). */
enum ca_status file_fault_report(const struct file_model *file, const struct ca_model_fault *fault,
                                 uint64_t t, struct ca_error *error);
/* Whether the lattice is closed along an axis: 0 is x. */
bool file_is_torus(const struct ca_model *model, int axis);
/* What checked code has found wrong, in words. */
void file_fault_text(const struct file_model *file, const struct ca_model_fault *fault,
                     char text[300]);

/* Make the bit-sliced backends; return their number, 0 where the rule has none (bits.c). Those of
 * a GPU come second. */
int file_bit_backends(struct file_model *file, struct ca_backend backends[FILE_BIT_RUNGS]);
int file_cuda_bit_backends(const struct file_model *file,
                           struct ca_backend backends[FILE_CUDA_BIT_RUNGS]);

#define FILE_STEPS_16 65536 /* of a CA_PARAM_16 */
/* Whether a row declares a parameter. */
static inline bool file_is_param(const struct ca_model_row *row)
{
    return row->kind == CA_ROW_PARAM || row->kind == CA_ROW_WHOLE || row->kind == CA_ROW_PARAM_16;
}

extern const struct byte_ops file_reference_ops, file_threads_ops; /* steps.c */

#endif
