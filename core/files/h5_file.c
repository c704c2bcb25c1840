/* SPDX-License-Identifier: MIT */
/* This file opens HDF5 files and translates the library's errors. */
#include "core/files/h5_file.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/memory.h"

/* --- the driver ------------------------------------------------------------------------------- */

#define ADDRESS_MAX ((haddr_t)INT64_MAX)

struct file {
    H5FD_t base; /* HDF5's */
    struct h5_target target;
    haddr_t eoa, eof; /* the ends of what is allocated, and of what is written */
};

static H5FD_t *target_open(const char *name, unsigned flags, hid_t access, haddr_t max)
{
    const struct h5_target *target = H5Pget_driver_info(access);
    struct file *file = target ? calloc(1, sizeof *file) : NULL;

    (void)name, (void)flags, (void)max;
    if (!file)
        return NULL;
    file->target = *target;
    return &file->base;
}

static herr_t target_close(H5FD_t *base)
{
    free(base);
    return 0;
}

static herr_t target_query(const H5FD_t *base, unsigned long *flags)
{
    (void)base;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA;
    return 0;
}

static haddr_t target_eoa(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const struct file *)base)->eoa;
}

static herr_t target_set_eoa(H5FD_t *base, H5FD_mem_t type, haddr_t eoa)
{
    (void)type;
    ((struct file *)base)->eoa = eoa;
    return 0;
}

static haddr_t target_eof(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const struct file *)base)->eof;
}

static herr_t target_read(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size,
                          void *buffer)
{
    const struct file *file = (const struct file *)base;
    ssize_t got = 1;

    (void)type, (void)transfer;
    memset(buffer, 0, size); /* beyond the end, too */
    for (size_t done = 0; done < size && got > 0; done += (size_t)got) {
        got = pread(file->target.fd, (char *)buffer + done, size - done, (off_t)(at + done));
        if (got < 0)
            return -1;
    }
    return 0;
}

static herr_t target_write(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size,
                           const void *buffer)
{
    struct file *file = (struct file *)base;

    (void)type, (void)transfer;
    for (size_t done = 0; done < size && *file->target.cause == 0;) {
        ssize_t wrote =
            pwrite(file->target.fd, (const char *)buffer + done, size - done, (off_t)(at + done));

        if (wrote < 0 && errno != EINTR)
            *file->target.cause = errno;
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    file->eof = at + size > file->eof ? at + size : file->eof;
    return 0;
}

static herr_t target_truncate(H5FD_t *base, hid_t transfer, hbool_t closing)
{
    struct file *file = (struct file *)base;

    (void)transfer, (void)closing;
    if (*file->target.cause == 0 && ftruncate(file->target.fd, (off_t)file->eoa) != 0)
        *file->target.cause = errno;
    file->eof = file->eoa;
    return 0;
}

static const H5FD_class_t driver = {
    .name = "calab",
    .maxaddr = ADDRESS_MAX,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(struct h5_target),
    .open = target_open,
    .close = target_close,
    .query = target_query,
    .get_eoa = target_eoa,
    .set_eoa = target_set_eoa,
    .get_eof = target_eof,
    .read = target_read,
    .write = target_write,
    .truncate = target_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

/* Once for the process: HDF5 calls a driver after it has given up its last reference to it. */
static hid_t driver_id;
static pthread_once_t registered = PTHREAD_ONCE_INIT;

static void register_driver(void) { driver_id = H5FDregister(&driver); }

#define H5_RESERVE (16 << 20) /* bytes: its tables, and a few chunks of metadata */

/* The cause of the first failure since h5_quiet: later calls clear the library's stack. */
static _Thread_local char cause[CA_TEXT_MAX];

/* The innermost failure comes first. That of a system call holds its reason in quotes. */
static herr_t innermost(unsigned n, const H5E_error2_t *entry, void *context)
{
    static const char quote[] = "error message = '";
    const char *reason = strstr(entry->desc, quote), *end;

    (void)n, (void)context;
    if (cause[0])
        return 0;
    end = reason ? strchr(reason += sizeof quote - 1, '\'') : NULL;
    if (end)
        snprintf(cause, sizeof cause, "%.*s", (int)(end - reason), reason);
    else
        snprintf(cause, sizeof cause, "%s", entry->desc);
    return 0;
}

static herr_t h5_file_keep(hid_t stack, void *context)
{
    (void)context;
    return cause[0] ? 0 : H5Ewalk2(stack, H5E_WALK_UPWARD, innermost, NULL);
}

/* At the end of the process the library would complain of what a damaged file has left open. What a
 * file says makes it open no other file and load no plugin. */
static void configure(void)
{
    H5dont_atexit();
    H5PLset_loading_state(0);
    H5Lunregister(H5L_TYPE_EXTERNAL);
}

void h5_quiet(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, configure);
    cause[0] = '\0';
    H5Eset_auto2(H5E_DEFAULT, h5_file_keep, NULL);
}

void h5_error_set(const char *path, const char *what, struct ca_error *error)
{
    ca_plain(cause);
    ca_error_set(error, CA_IO, "%.300s: %s%s%.300s", path, what, cause[0] ? ": " : "", cause);
}

enum ca_status h5_room(const char *path, struct ca_error *error)
{
    return ca_has_memory(H5_RESERVE)
               ? CA_OK
               : ca_fail(error, CA_NO_MEMORY, "%.300s: no memory for HDF5", path);
}

/* No locks of HDF5: a file is never written in place. Objects in a format whose headers have
 * checksums. */
static hid_t access_properties(void)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);

    H5Pset_file_locking(access, false, true);
    H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_LATEST);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    return access;
}

hid_t h5_open(const char *path)
{
    hid_t access, file;

    h5_quiet();
    access = access_properties();
    file = H5Fopen(path, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    return file;
}

hid_t h5_create(const struct h5_target *target)
{
    hid_t access, list, file = H5I_INVALID_HID;

    h5_quiet();
    access = access_properties();
    list = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_obj_track_times(list, false); /* a state always makes the same file */
    pthread_once(&registered, register_driver);
    if (driver_id >= 0 && H5Pset_driver(access, driver_id, target) >= 0)
        file = H5Fcreate("state", H5F_ACC_TRUNC, list, access);
    H5Pclose(list);
    H5Pclose(access);
    return file;
}

/* --- attributes ------------------------------------------------------------------------------- */

static bool h5_file_put(hid_t object, const char *name, hid_t type, hid_t memory, hid_t space,
                        const void *values)
{
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool done = attribute >= 0 && H5Awrite(attribute, memory, values) >= 0;

    if (attribute >= 0)
        H5Aclose(attribute);
    H5Sclose(space);
    return done;
}

bool h5_put_text(hid_t object, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    bool done = H5Tset_size(type, strlen(text) + 1) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0 &&
                h5_file_put(object, name, type, type, H5Screate(H5S_SCALAR), text);

    H5Tclose(type);
    return done;
}

bool h5_put_number(hid_t object, const char *name, hid_t type, int count, const void *values)
{
    hsize_t all = (hsize_t)count;
    hid_t space = count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &all, NULL);

    return h5_file_put(object, name, type, type, space, values);
}

/* An attribute of one value of a class, which `type` reads; NULL: the file's own type, of fewer
 * than CA_TEXT_MAX bytes. */
static bool get(hid_t object, const char *name, H5T_class_t wanted, const hid_t *type, void *value)
{
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    hid_t own = attribute >= 0 ? H5Aget_type(attribute) : H5I_INVALID_HID;
    hid_t space = attribute >= 0 ? H5Aget_space(attribute) : H5I_INVALID_HID;
    H5T_class_t class = own >= 0 ? H5Tget_class(own) : H5T_NO_CLASS;
    bool done = own >= 0 && space >= 0 && H5Sget_simple_extent_npoints(space) == 1 &&
                (class == wanted || (type && class == H5T_INTEGER)) &&
                (type || (H5Tis_variable_str(own) == 0 && H5Tget_size(own) < CA_TEXT_MAX)) &&
                H5Aread(attribute, type ? *type : own, value) >= 0;

    if (space >= 0)
        H5Sclose(space);
    if (own >= 0)
        H5Tclose(own);
    if (attribute >= 0)
        H5Aclose(attribute);
    return done;
}

bool h5_get_text(hid_t object, const char *name, char text[CA_TEXT_MAX])
{
    memset(text, 0, CA_TEXT_MAX);
    return get(object, name, H5T_STRING, NULL, text);
}

bool h5_get_number(hid_t object, const char *name, hid_t type, void *value)
{
    return get(object, name, H5Tget_class(type), &type, value);
}

/* --- planes ----------------------------------------------------------------------------------- */

int h5_axes(hsize_t axes[3], const struct ca_model *model, struct ca_size size)
{
    int count = 0;

    if (model->dimensions == 3)
        axes[count++] = (hsize_t)size.d;
    axes[count++] = (hsize_t)size.h;
    axes[count++] = (hsize_t)size.w;
    return count;
}

const H5Z_filter_t *h5_filters(const struct h5_chunks *chunks, int *count)
{
    static const H5Z_filter_t packed[] = {H5Z_FILTER_NBIT, H5Z_FILTER_DEFLATE,
                                          H5Z_FILTER_FLETCHER32};
    static const H5Z_filter_t floats[] = {H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE,
                                          H5Z_FILTER_FLETCHER32};

    *count = chunks->packed || chunks->type == CA_F32 ? 3 : 2;
    return chunks->packed ? packed : chunks->type == CA_F32 ? floats : packed + 1;
}

uint32_t h5_deflate_bit(const struct h5_chunks *chunks)
{
    int count;

    h5_filters(chunks, &count);
    return UINT32_C(1) << (count - 2);
}

void h5_chunk_at(hsize_t at[3], const struct ca_model *model, const struct h5_chunks *chunks,
                 struct h5_band band, int64_t column)
{
    int64_t h = chunks->size.h;

    h5_axes(at, model, (struct ca_size){column * chunks->chunk.w, band.first % h, band.first / h});
}
