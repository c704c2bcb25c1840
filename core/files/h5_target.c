/* SPDX-License-Identifier: MIT */
/* HDF5 writes to an open descriptor through this driver. */
#include "core/files/h5_target.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void register_driver(void) { driver_id = H5FDregister(&driver); }

bool h5_target_set(hid_t access, const struct h5_target *target)
{
    pthread_once(&once, register_driver);
    return driver_id >= 0 && H5Pset_driver(access, driver_id, target) >= 0;
}
