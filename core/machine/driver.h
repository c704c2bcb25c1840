/* SPDX-License-Identifier: MIT */
/*
 * Whether the NVIDIA driver answers at all. With a GPU that hangs, the first call of a library of
 * the driver may never return, nor may the process that made it ever end. So another process makes
 * it before this one does, and is given up after some seconds.
 *
 * That process is this program once more, as far as its main calls ca_driver_helper; of other
 * programs it is a fork, which is safe as long as none of them has called the driver before.
 */
#ifndef CALAB_CORE_MACHINE_DRIVER_H
#define CALAB_CORE_MACHINE_DRIVER_H

#include <stdbool.h>

#include "core/base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ca_driver_part {
    CA_DRIVER_CUDA, /* libcuda */
    CA_DRIVER_NVML, /* libnvidia-ml, or the library that CALAB_NVML names */
    CA_DRIVER_PARTS,
};

/* The name of the part's library, for dlopen. */
const char *ca_driver_library(enum ca_driver_part part);
/*
 * CA_OK: the part can be called, or is not installed. CA_NO_DEVICE with the reason where it does
 * not answer within CALAB_DRIVER_WAIT seconds (5 without), or crashes. It is asked once in a
 * process; later calls return the same at once.
 *
 * The process that has asked keeps the driver initialised, which makes the first call of this
 * process ten times as fast, until ca_driver_release is called after it.
 */
enum ca_status ca_driver_answers(enum ca_driver_part part, struct ca_error *error);
void ca_driver_release(enum ca_driver_part part);
/* For a user who waits: `note` is called with the reason as soon as a part does not answer, or at
 * once where that has happened before. */
void ca_driver_on_silence(void (*note)(const char *reason));

/* main calls this first: true, with the work done, where this process was only started to ask the
 * driver. */
#define CA_DRIVER_QUESTION "--ask-driver"
bool ca_driver_helper(int argc, char **argv);

#ifdef __cplusplus
}
#endif
#endif
