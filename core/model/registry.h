/* SPDX-License-Identifier: MIT */
/* The models' records, each in kernels/<model>/ladder.c, and kernels/file, which makes records of
 * files. Only the registry names them. */
#ifndef CALAB_CORE_MODEL_REGISTRY_H
#define CALAB_CORE_MODEL_REGISTRY_H

#include "core/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The random draws that 128 cells of a row take in a generation: for each parameter that is a
 * probability one for each bit down to the lowest that is set (core/base/random.h), 16 at most.
 */
int ca_event_draws(const struct ca_values *params);

/* kernels/file: models of files, which are compiled. CA_IO, CA_COMPILE by file and line. The text
 * of a file is malloc'd where it is read, and copied where a model is made of it. */
enum ca_status file_model_open_text(const struct ca_model **model, const char *path,
                                    const char *text, size_t size, struct ca_error *error);
enum ca_status file_object_read(const char *path, char **text, size_t *size,
                                struct ca_error *error);
uint64_t file_object_digest(const char *text, size_t size);

/* Whether a path is that of a file of the program itself. */
bool file_object_is_inside(const char *path);

extern const struct ca_model anneal_model, life_model, life3d_model, cloud_model, fhp_model,
    water_model;

#ifdef __cplusplus
}
#endif

#endif
