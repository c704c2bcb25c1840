/* SPDX-License-Identifier: MIT */
/* The ending of a path decides the format of a state's file. */
#include <string.h>
#include <sys/stat.h>

#include "core/files/file.h"
#include "core/files/formats.h"

static enum ca_status state_choose(const struct ca_format **format, const char *path,
                                   const struct ca_model *model, struct ca_error *error)
{
    char endings[CA_TEXT_MAX], drawn[CA_TEXT_MAX];
    struct stat status;

    *format = ca_format_of(path);
    if (*format && ca_format_fits(*format, model))
        return CA_OK;
    /* Devices and pipes have names without an ending, so that they get the first format. */
    *format = &ca_formats[0];
    if (strncmp(path, "/dev/std", 8) == 0 || strncmp(path, "/dev/fd/", 8) == 0 ||
        (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)))
        return CA_OK;
    return ca_fail(error, CA_USAGE,
                   "'%.300s': a state of %s is written to a file that ends in %s, a picture of it "
                   "to one in %s",
                   path, model->name, ca_format_endings(endings, model, ca_format_fits),
                   ca_format_endings(drawn, model, ca_format_draws));
}

enum ca_status ca_state_writable(const char *path, const struct ca_model *model,
                                 struct ca_error *error)
{
    const struct ca_format *format;

    CA_TRY(state_choose(&format, path, model, error));
    if (format->seeks)
        CA_TRY(ca_file_seekable(path, error));
    return ca_file_writable(path, error);
}

enum ca_status ca_state_write(const char *path, const struct ca_model *model,
                              const struct ca_row_source *source, struct ca_error *error)
{
    const struct ca_format *format;

    CA_TRY(state_choose(&format, path, model, error));
    return format->write(path, model, source, error);
}

bool ca_state_is_file(const char *path, const struct ca_model *model)
{
    const struct ca_format *format = ca_format_of(path);

    return format && ca_format_restores(format, model);
}

/* The format to read. Any other ending reads as the first format, whose reader reports mistakes. */
static const struct ca_format *readable(const char *path, const struct ca_model *model)
{
    return ca_state_is_file(path, model) ? ca_format_of(path) : &ca_formats[0];
}

enum ca_status ca_state_size(const char *path, const struct ca_model *model, struct ca_size *size,
                             struct ca_error *error)
{
    return readable(path, model)->size(path, model, size, error);
}

/* Rows on their way from a file, which the model checks. */
struct checked {
    const char *path;
    const struct ca_setup *setup;
    const struct ca_row_sink *sink; /* NULL: they go nowhere */
};

static enum ca_status check_rows(void *context, void *const planes[], int64_t first, int64_t rows,
                                 struct ca_error *error)
{
    const struct checked *checked = context;
    const struct ca_model *model = checked->setup->model;
    struct ca_error cause;

    if (model->check_state &&
        model->check_state(checked->setup, planes, first, rows, &cause) != CA_OK)
        return ca_fail(error, cause.status, "%.300s: %s", checked->path, cause.text);
    return checked->sink ? checked->sink->rows(checked->sink->context, planes, first, rows, error)
                         : CA_OK;
}

enum ca_status ca_state_read(const char *path, const struct ca_setup *setup,
                             const struct ca_row_sink *sink, uint64_t *generation,
                             struct ca_error *error)
{
    const struct ca_model *model = setup->model;
    struct checked checked = {path, setup, sink};
    struct ca_row_sink check = {check_rows, &checked};
    char given[64], wanted[64];
    struct ca_size size = setup->size;

    CA_TRY(ca_state_size(path, model, &size, error));
    if (!ca_size_equal(size, setup->size))
        return ca_fail(error, CA_IO, "%.300s is %s, expected %s", path,
                       ca_size_format(given, size, model->dimensions),
                       ca_size_format(wanted, setup->size, model->dimensions));
    return ca_state_read_cells(path, model, size, &check, generation, error);
}

enum ca_status ca_state_read_cells(const char *path, const struct ca_model *model,
                                   struct ca_size size, const struct ca_row_sink *sink,
                                   uint64_t *generation, struct ca_error *error)
{
    return readable(path, model)->read(path, model, size, sink, generation, error);
}

enum ca_status ca_state_pass(const char *path, const struct ca_setup *setup,
                             const struct ca_row_source *source, const struct ca_row_sink *sink,
                             struct ca_error *error)
{
    struct checked checked = {path, setup, sink};
    struct ca_row_sink check = {check_rows, &checked};

    return ca_rows_pass(source, &check, error);
}

bool ca_state_has_run(const char *path)
{
    const struct ca_format *format = ca_format_of(path);

    return format && format->run;
}

enum ca_status ca_state_run(const char *path, struct ca_state_run *run, struct ca_error *error)
{
    return ca_format_of(path)->run(path, run, error);
}

enum ca_status ca_state_rule(const char *path, const struct ca_model *model, char rule[CA_TEXT_MAX],
                             struct ca_error *error)
{
    const struct ca_format *format = readable(path, model);

    rule[0] = '\0';
    return format->rule ? format->rule(path, model, rule, error) : CA_OK;
}
