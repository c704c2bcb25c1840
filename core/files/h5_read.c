/* SPDX-License-Identifier: MIT */
/* This file reads a state and its run from an HDF5 file, and checks what is allowed in one. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/formats.h"
#include "core/files/h5_chunk.h"
#include "core/files/h5_file.h"

/* --- the run ---------------------------------------------------------------------------------- */

/* The size of a data set of so many axes, the slowest first. */
static bool get_size(hid_t plane, int axes, struct ca_size *size)
{
    hid_t space = H5Dget_space(plane);
    hsize_t all[3] = {1, 1, 1};
    bool done = space >= 0 && H5Sget_simple_extent_ndims(space) == axes &&
                H5Sget_simple_extent_dims(space, all + 3 - axes, NULL) == axes;

    if (space >= 0)
        H5Sclose(space);
    for (int i = 0; i < 3; i++)
        done = done && all[i] <= INT64_MAX;
    *size = (struct ca_size){(int64_t)all[2], (int64_t)all[1], (int64_t)all[0]};
    return done;
}

static hid_t open_plane(hid_t file, const struct ca_model *model, int p)
{
    char name[64];

    snprintf(name, sizeof name, H5_PLANES "/%s", model->plane_names[p]);
    return H5Dopen2(file, name, H5P_DEFAULT);
}

static enum ca_status read_parameters(hid_t group, const char *path, struct ca_values *params,
                                      struct ca_error *error)
{
    char where[CA_TEXT_MAX], text[CA_TEXT_MAX];

    snprintf(where, sizeof where, "%.300s: " H5_PARAMETERS, path);
    for (int i = 0; i < params->count; i++) {
        const char *name = params->table[i].name;
        double number;

        /* Without it the parameter keeps its default. */
        if (H5Aexists(group, name) == 0)
            continue;
        if (h5_get_number(group, name, H5T_NATIVE_DOUBLE, &number)) {
            if (ca_values_set_number(params, i, number, CA_FROM_EXPERIMENT, where, error) != CA_OK)
                return error->status = CA_IO;
        } else if (h5_get_text(group, name, text)) {
            if (ca_values_set(params, i, text, CA_FROM_EXPERIMENT, where, error) != CA_OK)
                return error->status = CA_IO;
        } else {
            snprintf(text, sizeof text, "its attribute " H5_PARAMETERS "/%s cannot be read", name);
            return h5_fail(path, text, error);
        }
    }
    return CA_OK;
}

/* Not given without the attribute, which files of lattices that lie nowhere have not. */
static enum ca_status read_map(hid_t group, const char *path, struct ca_map *map,
                               struct ca_error *error)
{
    uint8_t middle[2];

    *map = (struct ca_map){.given = H5Aexists(group, "map_x") > 0,
                           .has_no_data = H5Aexists(group, "map_no_data") > 0};
    if (!map->given)
        return CA_OK;
    if (!h5_get_number(group, "map_x", H5T_NATIVE_DOUBLE, &map->x) ||
        !h5_get_number(group, "map_y", H5T_NATIVE_DOUBLE, &map->y) ||
        !h5_get_number(group, "map_cell", H5T_NATIVE_DOUBLE, &map->cell) ||
        !h5_get_number(group, "map_x_is_middle", H5T_NATIVE_UINT8, &middle[0]) ||
        !h5_get_number(group, "map_y_is_middle", H5T_NATIVE_UINT8, &middle[1]) ||
        (map->has_no_data &&
         !h5_get_number(group, "map_no_data", H5T_NATIVE_DOUBLE, &map->no_data)))
        return h5_fail(path, "its attributes " H5_RUN "/map_... cannot be read", error);
    if (!isfinite(map->x) || !isfinite(map->y) || !(map->cell > 0 && isfinite(map->cell)))
        return ca_fail(error, CA_IO,
                       "%.300s: its lattice lies at %g, %g with cells of %g: finite numbers are "
                       "allowed, and cells above 0",
                       path, map->x, map->y, map->cell);
    map->x_is_middle = middle[0] != 0;
    map->y_is_middle = middle[1] != 0;
    return CA_OK;
}

static enum ca_status h5_read_run(hid_t file, const char *path, struct ca_state_run *run,
                                  struct ca_error *error)
{
    hid_t group = H5Gopen2(file, H5_RUN, H5P_DEFAULT), params, plane;
    char model[CA_TEXT_MAX], hash[CA_TEXT_MAX], what[128];
    struct ca_error cause;
    uint8_t modified;
    int64_t version;
    uint64_t digest;
    bool of_file;

    if (group < 0 || !h5_get_number(group, "version", H5T_NATIVE_INT64, &version))
        return h5_fail(path, "this HDF5 file is not a state of calab", error);
    if (version != H5_STATE_VERSION)
        return ca_fail(error, CA_IO, "%.300s: version %" PRId64 " of its format, expected %d", path,
                       version, H5_STATE_VERSION);
    params = H5Gopen2(file, H5_PARAMETERS, H5P_DEFAULT);
    if (params < 0 || !h5_get_text(group, "model", model) ||
        !h5_get_number(group, "seed", H5T_NATIVE_UINT64, &run->seed) ||
        !h5_get_text(group, "init", run->init) ||
        !h5_get_number(group, "init_generation", H5T_NATIVE_UINT64, &run->init_generation) ||
        !h5_get_number(group, "generation", H5T_NATIVE_UINT64, &run->generation) ||
        !h5_get_number(group, "steered", H5T_NATIVE_UINT8, &modified) ||
        !h5_get_text(group, "hash", hash))
        return h5_fail(path, "its group " H5_RUN " is not whole", error);
    /* The file that a state names is never opened here. */
    of_file = H5Aexists(group, "model_digest") > 0;
    if (of_file && !h5_get_number(group, "model_digest", H5T_NATIVE_UINT64, &digest))
        return h5_fail(path, "its group " H5_RUN " is not whole", error);
    if (of_file)
        CA_TRY(h5_source_open(&run->model, group, path, model, digest, error));
    else if (ca_model_known(&run->model, model, NULL, &cause) != CA_OK)
        return ca_fail(error, CA_IO, "%.300s: %.300s", path, cause.text);
    if (run->generation > INT64_MAX || run->init_generation > run->generation)
        return ca_fail(error, CA_IO,
                       "%.300s: generation %" PRIu64 " does not fit a run that began with %" PRIu64,
                       path, run->generation, run->init_generation);
    run->modified = modified != 0;
    /* Files of runs that began without it lack the attribute. */
    run->notes = H5Aexists(group, "at") != 0;
    strcpy(run->note[0].name, "at");
    if (run->notes && !h5_get_text(group, "at", run->note[0].text))
        return ca_fail(error, CA_IO, "%.300s: its attribute " H5_RUN "/at cannot be read", path);
    CA_TRY(read_map(group, path, &run->map, error));
    if (strspn(hash, "0123456789abcdef") != 16 || hash[16])
        return ca_fail(error, CA_IO, "%.300s: its hash '%.40s' does not have 16 hexadecimal digits",
                       path, hash);
    run->hash = strtoull(hash, NULL, 16);
    plane = open_plane(file, run->model, 0);
    if (plane < 0 || !get_size(plane, run->model->dimensions, &run->size)) {
        snprintf(what, sizeof what, "there is no data set " H5_PLANES "/%s of %d axes",
                 run->model->plane_names[0], run->model->dimensions);
        return h5_fail(path, what, error);
    }
    if (ca_size_check(run->size, run->model->dimensions, path, error) != CA_OK)
        return error->status = CA_IO;
    ca_values_default(&run->params, run->model->params);
    return read_parameters(params, path, &run->params, error);
}

/* Opens the file and reads what it says of its run, which is of the model; NULL: of any. */
static enum ca_status open_run(hid_t *file, const char *path, const struct ca_model *model,
                               struct ca_state_run *run, struct ca_error *error)
{
    enum ca_status status;
    int64_t bytes = 0;
    FILE *stream;

    CA_TRY(ca_file_open(path, &bytes, &stream, error)); /* which says what a missing file is */
    fclose(stream);
    CA_TRY(h5_room(path, error));
    *file = h5_open(path);
    if (*file < 0)
        return h5_fail(path, "this is not a whole HDF5 file", error);
    status = h5_read_run(*file, path, run, error);
    if (status == CA_OK && model && !ca_model_same(run->model, model))
        status = ca_fail(error, CA_IO, "%.300s: a state of %s, expected one of %s", path,
                         run->model->name, model->name);
    if (status != CA_OK)
        H5Fclose(*file);
    return status;
}

enum ca_status ca_h5_run(const char *path, struct ca_state_run *run, struct ca_error *error)
{
    hid_t file;

    CA_TRY(open_run(&file, path, NULL, run, error));
    H5Fclose(file);
    return CA_OK;
}

enum ca_status ca_h5_size(const char *path, const struct ca_model *model, struct ca_size *size,
                          struct ca_error *error)
{
    struct ca_state_run run;
    hid_t file;

    CA_TRY(open_run(&file, path, model, &run, error));
    H5Fclose(file);
    *size = run.size;
    return CA_OK;
}

/* --- planes ----------------------------------------------------------------------------------- */

struct reader {
    const char *path;
    hid_t plane[CA_PLANES_MAX];
    struct h5_block block;
};

/* Whether values, chunks and filters of a plane are those of calab; sets the size of its chunks. */
static bool is_stored_so(hid_t plane, int axes, struct h5_chunks *chunks)
{
    hid_t list = H5Dget_create_plist(plane), type = H5Dget_type(plane);
    hsize_t chunk[3] = {1, 1, 1};
    int count;
    const H5Z_filter_t *filters = h5_filters(chunks, &count);
    bool done = list >= 0 && type >= 0 && H5Pget_layout(list) == H5D_CHUNKED &&
                H5Pget_chunk(list, axes, chunk + 3 - axes) == axes &&
                H5Pget_nfilters(list) == count;

    for (int i = 0; i < count && done; i++) {
        size_t none = 0;
        unsigned flags, config;

        done =
            H5Pget_filter2(list, (unsigned)i, &flags, &none, NULL, 0, NULL, &config) == filters[i];
    }
    if (chunks->type == CA_F32)
        done = done && H5Tequal(type, H5T_IEEE_F32LE) > 0;
    else
        done = done && H5Tget_class(type) == H5T_INTEGER && H5Tget_size(type) == 1 &&
               H5Tget_sign(type) == H5T_SGN_NONE && H5Tget_offset(type) == 0 &&
               H5Tget_precision(type) == (chunks->packed ? 1 : 8);
    if (type >= 0)
        H5Tclose(type);
    if (list >= 0)
        H5Pclose(list);
    chunks->chunk = (struct ca_size){(int64_t)chunk[2], (int64_t)chunk[1], (int64_t)chunk[0]};
    return done && h5_chunks_allowed(chunks);
}

static enum ca_status open_planes(struct reader *reader, hid_t file, const struct ca_state_run *run,
                                  struct h5_chunks *chunks, struct ca_error *error)
{
    const struct ca_model *model = run->model;
    struct ca_size first = {0};

    *chunks = h5_chunks_of(model, run->size);
    for (int p = 0; p < model->planes; p++) {
        struct ca_size size = {0};
        char what[160];
        bool right;

        reader->plane[p] = open_plane(file, model, p);
        right = reader->plane[p] >= 0 && get_size(reader->plane[p], model->dimensions, &size) &&
                ca_size_equal(size, run->size) &&
                is_stored_so(reader->plane[p], model->dimensions, chunks) &&
                (p == 0 || ca_size_equal(first, chunks->chunk));
        snprintf(what, sizeof what,
                 "the data set " H5_PLANES "/%s is not stored as calab stores a plane",
                 model->plane_names[p]);
        if (!right)
            return h5_fail(reader->path, what, error);
        first = chunks->chunk;
    }
    return CA_OK;
}

static enum ca_status h5_read_fetch(struct reader *reader, struct h5_item *item,
                                    struct ca_error *error)
{
    const struct h5_chunks *chunks = &reader->block.chunks;
    const struct ca_model *model = reader->block.setup.model;
    uint32_t left_out = 0;
    hsize_t at[3], bytes = 0;
    char what[160];

    h5_chunk_at(at, model, chunks, item->band, item->column);
    if (H5Dget_chunk_storage_size(reader->plane[item->plane], at, &bytes) >= 0 && bytes > 0 &&
        bytes <= h5_stored_bytes(chunks) &&
        H5Dread_chunk(reader->plane[item->plane], H5P_DEFAULT, at, &left_out, item->stored) >= 0 &&
        (left_out & ~h5_deflate_bit(chunks)) == 0) {
        item->bytes = bytes;
        item->deflated = left_out == 0;
        return CA_OK;
    }
    snprintf(what, sizeof what, "the chunk of plane %s from row %" PRId64 " on cannot be read",
             model->plane_names[item->plane], item->band.first);
    return h5_fail(reader->path, what, error);
}

static enum ca_status h5_read_rows(void *context, void *const planes[], int64_t first, int64_t rows,
                                   struct ca_error *error)
{
    struct reader *reader = context;
    struct h5_block *block = &reader->block;

    CA_TRY(h5_block_list(block, planes, first, rows, error));
    for (int64_t i = 0; i < block->batch.items; i++)
        CA_TRY(h5_read_fetch(reader, &block->batch.item[i], error));
    return h5_block_decode(block, error);
}

static enum ca_status h5_read_all(struct reader *reader, hid_t file, const struct ca_state_run *run,
                                  const struct ca_row_sink *sink, struct ca_error *error)
{
    const struct ca_model *model = run->model;
    struct ca_row_source source = {run->size, model->type, model->planes, h5_read_rows, reader};
    struct h5_chunks chunks;
    struct ca_row_cut cut;

    CA_TRY(open_planes(reader, file, run, &chunks, error));
    CA_TRY(h5_block_open(&reader->block, reader->path, model, &chunks, error));
    cut = h5_block_cut(&reader->block);
    CA_TRY(ca_rows_pass_by(&source, sink, &cut, error));
    if (reader->block.digest != run->hash)
        return ca_fail(error, CA_IO,
                       "%.300s: the hash of its planes is %016" PRIx64 ", and that which was "
                       "written with them %016" PRIx64,
                       reader->path, reader->block.digest, run->hash);
    return CA_OK;
}

enum ca_status ca_h5_read(const char *path, const struct ca_model *model, struct ca_size size,
                          const struct ca_row_sink *sink, uint64_t *generation,
                          struct ca_error *error)
{
    struct reader reader = {.path = path};
    struct ca_state_run run;
    enum ca_status status;
    hid_t file;

    (void)size;
    CA_TRY(open_run(&file, path, model, &run, error));
    status = h5_read_all(&reader, file, &run, sink, error);
    *generation = run.generation;
    h5_block_close(&reader.block);
    H5Fclose(file);
    return status;
}
