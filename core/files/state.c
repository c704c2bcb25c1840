/* SPDX-License-Identifier: MIT */
/* Owns the choice of a state's file format by the ending of its path. */
#include "core/files/file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), end = strlen(ending);

    return length > end && strcmp(path + length - end, ending) == 0;
}

/* A device or a pipe has no name to choose: it gets .npy. */
static bool is_stream(const char *path)
{
    struct stat status;

    if (strncmp(path, "/dev/std", 8) == 0 || strncmp(path, "/dev/fd/", 8) == 0)
        return true;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

static bool fits_picture(const struct ca_model *model)
{
    return model->dimensions == 2 && model->planes == 1 && model->type == CA_U8;
}

static enum ca_status check_ending(const char *path, const struct ca_model *model,
                                   struct ca_error *error)
{
    if (ends_in(path, ".npy") || (ends_in(path, ".pbm") && fits_picture(model)) || is_stream(path))
        return CA_OK;
    return ca_fail(error, CA_USAGE, "'%s': a state of %s is written to a file that ends in %s",
                   path, model->name, fits_picture(model) ? ".npy or .pbm" : ".npy");
}

enum ca_status ca_state_writable(const char *path, const struct ca_model *model,
                                 struct ca_error *error)
{
    CA_TRY(check_ending(path, model, error));
    return ca_file_writable(path, error);
}

enum ca_status ca_state_read(const char *path, const struct ca_setup *setup,
                             struct ca_lattice *lattice, struct ca_error *error)
{
    const struct ca_model *model = setup->model;
    struct ca_error cause;

    CA_TRY(ca_npy_read(path, model, lattice, error));
    if (!model->check_state || model->check_state(setup, lattice, &cause) == CA_OK)
        return CA_OK;
    ca_lattice_free(lattice);
    return ca_fail(error, cause.status, "%.300s: %s", path, cause.text);
}

/* Live cells of an automaton of two states; of a lattice gas, whose highest bit it is, the solid
 * nodes. */
static enum ca_status write_picture(const char *path, const struct ca_model *model,
                                    const struct ca_lattice *lattice, struct ca_error *error)
{
    const uint8_t *values = lattice->plane[0];
    int64_t count = ca_cells(lattice->size);
    int shift = model->max_value > 1 ? 7 : 0;
    uint8_t *cells = malloc((size_t)count);
    enum ca_status status;

    if (!cells)
        return ca_fail(error, CA_NO_MEMORY, "%s: no memory for the picture", path);
    for (int64_t i = 0; i < count; i++)
        cells[i] = values[i] >> shift & 1;
    status = ca_pbm_write(path, cells, lattice->size.w, lattice->size.h, error);
    free(cells);
    return status;
}

enum ca_status ca_state_write(const char *path, const struct ca_model *model,
                              const struct ca_lattice *lattice, struct ca_error *error)
{
    CA_TRY(check_ending(path, model, error));
    if (ends_in(path, ".pbm"))
        return write_picture(path, model, lattice, error);
    return ca_npy_write(path, lattice, model->dimensions, error);
}
