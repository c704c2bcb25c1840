/* SPDX-License-Identifier: MIT */
/* This file keeps the text of a model's file in an HDF5 file of its states, and opens the model of
 * such a text where the user trusts it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/file.h"
#include "core/files/formats.h"
#include "core/files/h5_file.h"

#define TEXT_MAX (8 << 20)

bool h5_put_source(hid_t run, const struct ca_model_source *source)
{
    hsize_t size = (hsize_t)source->size;
    hid_t space = H5Screate_simple(1, &size, NULL), list = H5Pcreate(H5P_DATASET_CREATE), text;
    bool done;

    H5Pset_obj_track_times(list, false);
    text = H5Dcreate2(run, H5_SOURCE, H5T_STD_U8LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
    done = text >= 0 &&
           H5Dwrite(text, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, source->text) >= 0 &&
           h5_put_text(run, "model_file", source->path) &&
           h5_put_number(run, "model_digest", H5T_NATIVE_UINT64, 1, &source->digest);
    if (text >= 0)
        H5Dclose(text);
    H5Pclose(list);
    H5Sclose(space);
    return done;
}

/* Whether the bytes lie in the file itself, as they are, and how many there are. */
static bool is_plain(hid_t text, hsize_t *size)
{
    hid_t space = H5Dget_space(text), list = H5Dget_create_plist(text), type = H5Dget_type(text);
    bool plain = space >= 0 && list >= 0 && type >= 0 && H5Sget_simple_extent_ndims(space) == 1 &&
                 H5Sget_simple_extent_dims(space, size, NULL) == 1 &&
                 H5Tget_class(type) == H5T_INTEGER && H5Tget_size(type) == 1 &&
                 H5Pget_layout(list) == H5D_CONTIGUOUS && H5Pget_nfilters(list) == 0 &&
                 H5Pget_external_count(list) == 0 && *size > 0 && *size <= TEXT_MAX;

    if (type >= 0)
        H5Tclose(type);
    if (list >= 0)
        H5Pclose(list);
    if (space >= 0)
        H5Sclose(space);
    return plain;
}

static enum ca_status h5_source_read(hid_t run, const char *path, char **text, size_t *size,
                                     struct ca_error *error)
{
    hid_t set = H5Lexists(run, H5_SOURCE, H5P_DEFAULT) > 0 ? H5Dopen2(run, H5_SOURCE, H5P_DEFAULT)
                                                           : H5I_INVALID_HID;
    enum ca_status status = CA_OK;
    hsize_t bytes = 0;

    if (set < 0)
        return ca_fail(error, CA_IO, "%.300s: it keeps no text of a model's file", path);
    *text = NULL;
    if (!is_plain(set, &bytes)) {
        status =
            ca_fail(error, CA_IO, "%.300s: " H5_RUN "/" H5_SOURCE " is not a text of 1 to %d bytes",
                    path, TEXT_MAX);
    } else if (!(*text = malloc((size_t)bytes + 1))) {
        status = ca_fail(error, CA_NO_MEMORY, "no memory for the text in %.300s", path);
    } else if (H5Dread(set, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, *text) < 0) {
        status = h5_fail(path, H5_RUN "/" H5_SOURCE " cannot be read", error);
        free(*text);
    } else {
        (*text)[bytes] = '\0';
        *size = (size_t)bytes;
    }
    H5Dclose(set);
    return status;
}

enum ca_status h5_source_open(const struct ca_model **model, hid_t run, const char *path,
                              const char *name, uint64_t digest, struct ca_error *error)
{
    char file[CA_TEXT_MAX], *text;
    struct ca_error cause;
    enum ca_status status;
    size_t size;

    if (ca_model_known(model, name, &digest, &cause) == CA_OK)
        return CA_OK;
    if (!h5_get_text(run, "model_file", file))
        return h5_fail(path, "its group " H5_RUN " is not whole", error);
    if (!ca_models_trusted())
        return ca_fail(error, CA_IO,
                       "%.200s: it is of the model %.60s that the file %.200s describes (digest "
                       "%016" PRIx64 "): name the file with these bytes as the model, or let "
                       "--trust compile the text that the state keeps",
                       path, name, file, digest);
    CA_TRY(h5_source_read(run, path, &text, &size, error));
    status = ca_model_open_text(model, file, digest, text, size, &cause);
    free(text);
    if (status == CA_OK && strcmp((*model)->name, name) != 0)
        return ca_fail(error, CA_IO, "%.300s: it is of the model %.80s, but its text describes %s",
                       path, name, (*model)->name);
    return status == CA_OK ? CA_OK
                           : ca_fail(error, status == CA_COMPILE ? CA_COMPILE : CA_IO,
                                     "%.200s: %.500s", path, cause.text);
}

enum ca_status ca_h5_source(const char *path, char **text, size_t *size, struct ca_error *error)
{
    hid_t file, run;
    int64_t bytes = 0;
    FILE *stream;
    enum ca_status status;

    CA_TRY(ca_file_open(path, &bytes, &stream, error));
    fclose(stream);
    h5_quiet();
    CA_TRY(h5_room(path, error));
    file = h5_open(path);
    if (file < 0)
        return h5_fail(path, "this is not a whole HDF5 file", error);
    run = H5Lexists(file, H5_RUN, H5P_DEFAULT) > 0 ? H5Gopen2(file, H5_RUN, H5P_DEFAULT)
                                                   : H5I_INVALID_HID;
    status = run >= 0 ? h5_source_read(run, path, text, size, error)
                      : h5_fail(path, "this HDF5 file is not a state of calab", error);
    H5Fclose(file);
    return status;
}
