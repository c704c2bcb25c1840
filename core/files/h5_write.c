/* SPDX-License-Identifier: MIT */
/* This file writes a state and its run to an HDF5 file. */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "core/files/formats.h"
#include "core/files/h5_chunk.h"
#include "core/files/h5_file.h"

struct writer {
    const char *path; /* as the user knows it */
    hid_t file, plane[CA_PLANES_MAX];
    int cause; /* errno of a write that has failed, or 0 */
    struct h5_block block;
    int fd;
    enum ca_status status; /* of the chunks that have been written, and its reason */
    struct ca_error error;
};

/* CA_IO with the reason of the write or, where none has failed, of the library. */
static enum ca_status cannot_write(const struct writer *writer, struct ca_error *error)
{
    return writer->cause ? ca_fail(error, CA_IO, "cannot write %.300s: %s", writer->path,
                                   strerror(writer->cause))
                         : h5_fail(writer->path, "cannot be written", error);
}

/* --- the run ---------------------------------------------------------------------------------- */

/* VTK and ParaView need these attributes of the planes. */
static bool put_image(hid_t group, const struct ca_model *model, struct ca_size size)
{
    int64_t version[2] = {1, 0};
    int64_t extent[6] = {0, size.w, 0, size.h, 0, model->dimensions == 3 ? size.d : 0};
    double origin[3] = {0}, spacing[3] = {1, 1, 1}, direction[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    hid_t attribute;
    bool done;

    /* VTK compares it as ASCII without a NUL. */
    H5Tset_size(type, strlen("ImageData"));
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    attribute = H5Acreate2(group, "Type", type, space, H5P_DEFAULT, H5P_DEFAULT);
    done = attribute >= 0 && H5Awrite(attribute, type, "ImageData") >= 0;
    if (attribute >= 0)
        H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
    return done && h5_put_number(group, "Version", H5T_NATIVE_INT64, 2, version) &&
           h5_put_number(group, "WholeExtent", H5T_NATIVE_INT64, 6, extent) &&
           h5_put_number(group, "Origin", H5T_NATIVE_DOUBLE, 3, origin) &&
           h5_put_number(group, "Spacing", H5T_NATIVE_DOUBLE, 3, spacing) &&
           h5_put_number(group, "Direction", H5T_NATIVE_DOUBLE, 9, direction);
}

static bool put_parameters(hid_t group, const struct ca_values *params)
{
    bool done = true;

    for (int i = 0; i < params->count && done; i++) {
        const struct ca_param *param = &params->table[i];
        const struct ca_value *value = &params->value[i];

        done = param->kind == CA_INT || param->kind == CA_REAL || param->kind == CA_PROBABILITY
                   ? h5_put_number(group, param->name, H5T_NATIVE_DOUBLE, 1, &value->number)
                   : h5_put_text(group, param->name, value->text);
    }
    return done;
}

/* Without its time, as the file itself. */
static hid_t make_group(hid_t file, const char *name)
{
    hid_t list = H5Pcreate(H5P_GROUP_CREATE), group;

    H5Pset_obj_track_times(list, false);
    group = H5Gcreate2(file, name, H5P_DEFAULT, list, H5P_DEFAULT);
    H5Pclose(list);
    return group;
}

/* A file without it is of a lattice that lies nowhere. */
static bool put_map(hid_t run, const struct ca_map *map)
{
    const uint8_t middle[2] = {map->x_is_middle, map->y_is_middle};

    return !map->given ||
           (h5_put_number(run, "map_x", H5T_NATIVE_DOUBLE, 1, &map->x) &&
            h5_put_number(run, "map_y", H5T_NATIVE_DOUBLE, 1, &map->y) &&
            h5_put_number(run, "map_cell", H5T_NATIVE_DOUBLE, 1, &map->cell) &&
            h5_put_number(run, "map_x_is_middle", H5T_NATIVE_UINT8, 1, &middle[0]) &&
            h5_put_number(run, "map_y_is_middle", H5T_NATIVE_UINT8, 1, &middle[1]) &&
            (!map->has_no_data ||
             h5_put_number(run, "map_no_data", H5T_NATIVE_DOUBLE, 1, &map->no_data)));
}

static bool put_run(hid_t file, const struct ca_row_source *source)
{
    const struct ca_setup *setup = source->setup;
    int64_t version = H5_STATE_VERSION;
    uint8_t modified = source->modified;
    hid_t image = make_group(file, "/VTKHDF"), run = make_group(file, H5_RUN);
    bool done;

    done = put_image(image, setup->model, setup->size) && make_group(file, H5_PLANES) >= 0 &&
           h5_put_number(run, "version", H5T_NATIVE_INT64, 1, &version) &&
           h5_put_text(run, "model", setup->model->name) &&
           (!setup->model->source || h5_put_source(run, setup->model->source)) &&
           h5_put_number(run, "seed", H5T_NATIVE_UINT64, 1, &setup->seed) &&
           h5_put_text(run, "init", source->init);
    for (int i = 0; i < source->notes && done; i++)
        done = h5_put_text(run, source->note[i].name, source->note[i].text);
    return done && put_map(run, &setup->map) &&
           h5_put_number(run, "init_generation", H5T_NATIVE_UINT64, 1, &source->init_generation) &&
           h5_put_number(run, "generation", H5T_NATIVE_UINT64, 1, &source->generation) &&
           h5_put_number(run, "steered", H5T_NATIVE_UINT8, 1, &modified) &&
           put_parameters(make_group(file, H5_PARAMETERS), &setup->params);
}

/* --- planes ----------------------------------------------------------------------------------- */

static bool make_planes(struct writer *writer)
{
    const struct ca_model *model = writer->block.setup.model;
    hsize_t all[3], chunk[3];
    int axes = h5_axes(all, model, writer->block.chunks.size);
    hid_t space = H5Screate_simple(h5_axes(chunk, model, writer->block.chunks.chunk), all, NULL);
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    hid_t type = H5Tcopy(model->type == CA_F32 ? H5T_IEEE_F32LE : H5T_STD_U8LE);
    bool packed = writer->block.chunks.packed;
    bool done = H5Pset_chunk(list, axes, chunk) >= 0 && (!packed || H5Pset_nbit(list) >= 0) &&
                (model->type != CA_F32 || H5Pset_shuffle(list) >= 0) &&
                H5Pset_deflate(list, H5_DEFLATE_LEVEL) >= 0 && H5Pset_fletcher32(list) >= 0 &&
                H5Pset_fill_time(list, H5D_FILL_TIME_NEVER) >= 0 &&
                H5Pset_obj_track_times(list, false) >= 0 &&
                (!packed || H5Tset_precision(type, 1) >= 0);

    for (int p = 0; p < model->planes && done; p++) {
        char name[64];

        snprintf(name, sizeof name, H5_PLANES "/%s", model->plane_names[p]);
        writer->plane[p] =
            H5Dcreate2(writer->file, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
        done = writer->plane[p] >= 0;
    }
    H5Tclose(type);
    H5Pclose(list);
    H5Sclose(space);
    return done;
}

/* Writes the chunks of the rows before, while other threads encode the next ones, and has the disk
 * begin with them. */
static void write_before(void *context)
{
    struct writer *writer = context;
    struct h5_block *block = &writer->block;
    uint32_t without = h5_deflate_bit(&block->chunks);

    for (int64_t i = 0; i < block->before.items && writer->status == CA_OK; i++) {
        const struct h5_item *item = &block->before.item[i];
        hsize_t at[3];

        h5_chunk_at(at, block->setup.model, &block->chunks, item->band, item->column);
        if (H5Dwrite_chunk(writer->plane[item->plane], H5P_DEFAULT, item->deflated ? 0 : without,
                           at, item->bytes, item->stored) < 0 ||
            writer->cause)
            writer->status = cannot_write(writer, &writer->error);
    }
    block->before.items = 0;
    (void)sync_file_range(writer->fd, 0, 0, SYNC_FILE_RANGE_WRITE);
}

static enum ca_status written(const struct writer *writer, struct ca_error *error)
{
    if (writer->status != CA_OK)
        *error = writer->error;
    return writer->status;
}

static enum ca_status h5_write_rows(void *context, void *const planes[], int64_t first,
                                    int64_t rows, struct ca_error *error)
{
    struct writer *writer = context;

    h5_quiet();
    CA_TRY(h5_block_list(&writer->block, planes, first, rows, error));
    CA_TRY(h5_block_encode(&writer->block, write_before, writer, error));
    return written(writer, error);
}

static enum ca_status write_all(struct writer *writer, const struct ca_row_source *source,
                                struct ca_error *error)
{
    struct ca_row_sink sink = {h5_write_rows, writer};
    struct ca_row_cut cut = h5_block_cut(&writer->block);
    char hash[17];

    if (!put_run(writer->file, source) || !make_planes(writer))
        return cannot_write(writer, error);
    CA_TRY(ca_rows_pass_by(source, &sink, &cut, error));
    write_before(writer);
    CA_TRY(written(writer, error));
    snprintf(hash, sizeof hash, "%016" PRIx64, writer->block.digest);
    return h5_put_text(H5Gopen2(writer->file, H5_RUN, H5P_DEFAULT), "hash", hash)
               ? CA_OK
               : cannot_write(writer, error);
}

static enum ca_status h5_write_fill(struct writer *writer, int fd,
                                    const struct ca_row_source *source, struct ca_error *error)
{
    struct h5_target target = {fd, &writer->cause};
    enum ca_status status;

    writer->fd = fd;
    CA_TRY(h5_room(writer->path, error));
    writer->file = h5_create(&target);
    if (writer->file < 0)
        return cannot_write(writer, error);
    status = write_all(writer, source, error);
    if ((H5Fclose(writer->file) < 0 || writer->cause) && status == CA_OK)
        status = cannot_write(writer, error);
    return status;
}

/* The HDF5 library of most distributions keeps its state without locks. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

enum ca_status ca_h5_write(const char *path, const struct ca_model *model,
                           const struct ca_row_source *source, struct ca_error *error)
{
    struct h5_chunks chunks = h5_chunks_of(model, source->size);
    struct writer writer = {.path = path};
    struct ca_file_writer file;
    enum ca_status status;

    if (!source->setup)
        return ca_fail(error, CA_IO,
                       "%.300s: these rows come from no run, and this format has to name one",
                       path);
    CA_TRY(ca_file_seekable(path, error));
    CA_TRY(ca_file_begin(&file, path, error));
    pthread_mutex_lock(&one_at_a_time);
    status = h5_block_open(&writer.block, path, model, &chunks, error);
    if (status == CA_OK)
        status = h5_write_fill(&writer, file.fd, source, error);
    h5_block_close(&writer.block);
    pthread_mutex_unlock(&one_at_a_time);
    if (status == CA_OK)
        return ca_file_commit(&file, error);
    ca_file_abandon(&file);
    return status;
}
