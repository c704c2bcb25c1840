/* SPDX-License-Identifier: MIT */
/* HDF5 writes to an open descriptor by a driver of our own. After a write has failed, the driver
 * drops what follows and reports success, since HDF5 1.10 cannot close a file whose last writes
 * fail; `cause` keeps the errno. Inside core/files/h5_*.c only. */
#ifndef CALAB_CORE_FILES_H5_TARGET_H
#define CALAB_CORE_FILES_H5_TARGET_H

#include <hdf5.h>

struct h5_target {
    int fd;
    int *cause; /* 0, or why a write has failed */
};

/* Sets the driver of a list of file access properties. */
bool h5_target_set(hid_t access, const struct h5_target *target);

#endif
