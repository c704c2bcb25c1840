/* SPDX-License-Identifier: MIT */
/* What the files of this folder tell each other: the plain rule and the functions of the rungs. */
#ifndef CALAB_KERNELS_ANNEAL_H
#define CALAB_KERNELS_ANNEAL_H

#include "kernels/common/plain.h"

/* reference.c: one pass, a byte a cell; threads.c runs the same. */
extern const struct plain_rule anneal_plain;

enum ca_status anneal_reference_create(void **self, const struct ca_setup *setup,
                                       struct ca_error *error);
enum ca_status anneal_threads_create(void **self, const struct ca_setup *setup,
                                     struct ca_error *error);

enum ca_status anneal_bitslice_create(void **self, const struct ca_setup *setup,
                                      struct ca_error *error);

#endif
