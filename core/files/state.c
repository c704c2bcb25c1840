/* SPDX-License-Identifier: MIT */
/* The ending of a path decides the format of a state's file. */
#include <inttypes.h>
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

bool ca_state_has_run(const char *path)
{
    const struct ca_format *format = ca_format_of(path);

    return format && format->run;
}

enum ca_status ca_state_run(const char *path, struct ca_state_run *run, struct ca_error *error)
{
    return ca_format_of(path)->run(path, run, error);
}

enum ca_status ca_state_rule(const char *path, const struct ca_model *model,
                             struct ca_state_rule *rule, struct ca_error *error)
{
    const struct ca_format *format = readable(path, model);

    *rule = (struct ca_state_rule){.text = ""};
    return format->rule ? format->rule(path, model, rule, error) : CA_OK;
}

/* --- patterns: the cells of a file by themselves, which go into a lattice --------------------- */

enum ca_status ca_pattern_size(const char *path, const struct ca_model *model, struct ca_size *size,
                               struct ca_error *error)
{
    *size = (struct ca_size){0};
    return ca_state_size(path, model, size, error);
}

enum ca_status ca_pattern_read(const char *path, const struct ca_model *model,
                               struct ca_lattice *cells, struct ca_error *error)
{
    struct ca_row_sink sink = ca_lattice_sink(cells);
    enum ca_status status;
    struct ca_size size;
    uint64_t ignored;

    CA_TRY(ca_pattern_size(path, model, &size, error));
    CA_TRY(ca_lattice_alloc(cells, size, model->type, model->planes, error));
    status = ca_state_read_cells(path, model, (struct ca_size){0}, &sink, &ignored, error);
    if (status != CA_OK)
        ca_lattice_free(cells);
    return status;
}

/* One axis: where the pattern begins, its length, and the lattice's. */
static enum ca_status fits_axis(const struct ca_setup *setup, const char *path, char axis,
                                int64_t at, int64_t length, int64_t side, struct ca_error *error)
{
    if (at >= side)
        return ca_fail(error, CA_USAGE,
                       "%c = %" PRId64 " is outside the lattice: 0 ... %" PRId64 " is allowed",
                       axis, at, side - 1);
    if (length > side)
        return ca_fail(error, CA_USAGE,
                       "%.300s does not fit: it has %" PRId64
                       " cells along %c, the lattice %" PRId64,
                       path, length, axis, side);
    if (at + length > side && !ca_is_torus(setup))
        return ca_fail(error, CA_USAGE,
                       "%.300s does not fit: with %" PRId64 " cells along %c from %" PRId64
                       " on it reaches beyond the edge, which is not closed; %c may be 0 ... "
                       "%" PRId64,
                       path, length, axis, at, axis, side - length);
    return CA_OK;
}

enum ca_status ca_pattern_fits(const char *path, const struct ca_setup *setup, struct ca_at at,
                               struct ca_error *error)
{
    struct ca_size all = setup->size, size = {0};

    if (ca_state_has_run(path))
        return ca_fail(
            error, CA_USAGE,
            "%.300s holds the whole lattice of a run, which cannot be put at another place", path);
    if (setup->model->rows_alternate && at.y % 2)
        return ca_fail(error, CA_USAGE,
                       "y = %" PRId64 " is odd: odd rows of %s are shifted, so that only even ones "
                       "take the rows of a file as they are",
                       at.y, setup->model->name);
    CA_TRY(ca_pattern_size(path, setup->model, &size, error));
    CA_TRY(fits_axis(setup, path, 'x', at.x, size.w, all.w, error));
    CA_TRY(fits_axis(setup, path, 'y', at.y, size.h, all.h, error));
    return fits_axis(setup, path, 'z', at.z, size.d, all.d, error);
}

struct placement {
    const struct ca_lattice *cells;
    struct ca_size size;
    struct ca_at at;
};

/* The index in the pattern of cell i of the lattice along an axis. */
static int64_t from_edge(int64_t i, int64_t at, int64_t side)
{
    return i < at ? i - at + side : i - at;
}

static enum ca_status placed_rows(void *context, void *const planes[], int64_t first, int64_t rows,
                                  struct ca_error *error)
{
    const struct placement *placement = context;
    const struct ca_lattice *cells = placement->cells;
    struct ca_size size = placement->size, box = cells->size;
    size_t bytes = ca_type_bytes(cells->type);
    int64_t before_edge = size.w - placement->at.x; /* cells of a row, the others go round it */
    int64_t straight = box.w < before_edge ? box.w : before_edge;

    (void)error;
    for (int p = 0; p < cells->planes; p++)
        memset(planes[p], 0, (size_t)(rows * size.w) * bytes);
    for (int64_t r = first; r < first + rows; r++) {
        int64_t y = from_edge(r % size.h, placement->at.y, size.h);
        int64_t z = from_edge(r / size.h, placement->at.z, size.d);
        void *from[CA_PLANES_MAX];

        if (y >= box.h || z >= box.d)
            continue;
        ca_lattice_at(cells, z * box.h + y, from);
        for (int p = 0; p < cells->planes; p++) {
            char *to = (char *)planes[p] + (size_t)((r - first) * size.w) * bytes;

            memcpy(to + (size_t)placement->at.x * bytes, from[p], (size_t)straight * bytes);
            memcpy(to, (char *)from[p] + (size_t)straight * bytes,
                   (size_t)(box.w - straight) * bytes);
        }
    }
    return CA_OK;
}

enum ca_status ca_pattern_place(const char *path, const struct ca_setup *setup, struct ca_at at,
                                const struct ca_row_sink *sink, struct ca_error *error)
{
    struct ca_lattice cells;
    struct placement placement = {&cells, setup->size, at};
    struct checked checked = {path, setup, sink};
    const struct ca_row_sink check = {check_rows, &checked};
    struct ca_row_source source = {setup->size, setup->model->type, setup->model->planes,
                                   placed_rows, &placement};
    enum ca_status status;

    CA_TRY(ca_pattern_fits(path, setup, at, error));
    CA_TRY(ca_pattern_read(path, setup->model, &cells, error));
    status = ca_rows_pass(&source, &check, error);
    ca_lattice_free(&cells);
    return status;
}
