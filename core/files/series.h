/* SPDX-License-Identifier: MIT */
/*
 * Names of output files. In the file's part of a path, not in a folder's, %d may stand once for the
 * generation, and %0Nd for the generation with zeros before it up to N digits, N = 1 ... 20; then
 * the name is that of a series. %% is a percent sign. Nothing else may follow a percent sign.
 */
#ifndef CALAB_CORE_FILES_SERIES_H
#define CALAB_CORE_FILES_SERIES_H

#include "core/model/param.h"

#define CA_SERIES_PATH_MAX (CA_TEXT_MAX + 32)

/* CA_USAGE for a name that is none, with what is allowed. *series: it is that of a series. */
enum ca_status ca_series_check(const char *name, bool *series, struct ca_error *error);
/* The path of a generation's file. `name` is below CA_TEXT_MAX bytes and has been checked. */
char *ca_series_path(char path[CA_SERIES_PATH_MAX], const char *name, uint64_t generation);

#endif
