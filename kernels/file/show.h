/* SPDX-License-Identifier: MIT */
/* The source by which a backend steps a model in a file, as a text that can be changed and run. */
#ifndef CALAB_KERNELS_FILE_SHOW_H
#define CALAB_KERNELS_FILE_SHOW_H

#include "core/model/model.h"

/* For struct ca_model_source. */
enum ca_status file_show(const struct ca_model *model, const struct ca_backend *backend,
                         char **text, struct ca_error *error);

#endif
