/* SPDX-License-Identifier: MIT */
/* Owns the choice of a state's file format by the ending of its path. */
#include <string.h>
#include <sys/stat.h>

#include "core/files/file.h"
#include "core/files/formats.h"

/* Devices and pipes have names without an ending, so that they get the first format. */
static bool is_stream(const char *path)
{
    struct stat status;

    if (strncmp(path, "/dev/std", 8) == 0 || strncmp(path, "/dev/fd/", 8) == 0)
        return true;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

static enum ca_status choose(const struct ca_format **format, const char *path,
                             const struct ca_model *model, struct ca_error *error)
{
    char endings[CA_TEXT_MAX];

    *format = ca_format_of(path);
    if (*format && ca_format_fits(*format, model))
        return CA_OK;
    *format = &ca_formats[0];
    if (is_stream(path))
        return CA_OK;
    return ca_fail(error, CA_USAGE, "'%s': a state of %s is written to a file that ends in %s",
                   path, model->name, ca_format_endings(endings, model));
}

enum ca_status ca_state_writable(const char *path, const struct ca_model *model,
                                 struct ca_error *error)
{
    const struct ca_format *format;

    CA_TRY(choose(&format, path, model, error));
    return ca_file_writable(path, error);
}

enum ca_status ca_state_write(const char *path, const struct ca_model *model,
                              const struct ca_lattice *lattice, struct ca_error *error)
{
    const struct ca_format *format;

    CA_TRY(choose(&format, path, model, error));
    return format->write(path, model, lattice, error);
}

bool ca_state_is_file(const char *path)
{
    const struct ca_format *format = ca_format_of(path);

    return format && format->read;
}

/* The format to read. Any other ending reads as the first format, whose reader reports mistakes. */
static const struct ca_format *readable(const char *path)
{
    return ca_state_is_file(path) ? ca_format_of(path) : &ca_formats[0];
}

enum ca_status ca_state_size(const char *path, const struct ca_model *model, struct ca_size *size,
                             struct ca_error *error)
{
    return readable(path)->size(path, model, size, error);
}

enum ca_status ca_state_read(const char *path, const struct ca_setup *setup,
                             struct ca_lattice *lattice, struct ca_error *error)
{
    const struct ca_model *model = setup->model;
    struct ca_error cause;

    CA_TRY(readable(path)->read(path, model, lattice, error));
    if (!model->check_state || model->check_state(setup, lattice, &cause) == CA_OK)
        return CA_OK;
    ca_lattice_free(lattice);
    return ca_fail(error, cause.status, "%.300s: %s", path, cause.text);
}
