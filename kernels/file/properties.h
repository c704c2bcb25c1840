/* SPDX-License-Identifier: MIT */
/* The function cell() of every model in a file must have these properties; each has a check. */
#ifndef CALAB_KERNELS_FILE_PROPERTIES_H
#define CALAB_KERNELS_FILE_PROPERTIES_H

#include "core/model/model.h"

extern const struct ca_model_property file_properties[]; /* ends with name NULL */
/* "forest.c:12" of an instruction of the model or, where that is not known, the line of cell(). */
void file_place(const struct ca_model *model, const void *instruction, char place[CA_TEXT_MAX]);

#endif
