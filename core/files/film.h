/* SPDX-License-Identifier: MIT */
/*
 * Films: pictures of one size, one after the other, which ffmpeg(1) encodes while they come. The
 * file appears whole when the film ends, or not at all.
 */
#ifndef CALAB_CORE_FILES_FILM_H
#define CALAB_CORE_FILES_FILM_H

#include "core/files/formats.h"

#define CA_FILM_RATE_MAX 120 /* pictures a second */
#define CA_FILM_RATE_DEFAULT 25
#define CA_FILM_SIDE_MAX 16384 /* pixels: no encoder of ffmpeg's for these formats takes more */

struct ca_film_shape {
    int64_t w, h;  /* of its pictures, CA_RGB */
    int64_t scale; /* pixels of the film across one of a picture's */
    int rate;      /* pictures a second */
};

struct ca_film;

/* Whether a film can be made there: CA_NO_DEVICE without ffmpeg, with the line that makes one of
 * pictures elsewhere; CA_IO. */
enum ca_status ca_film_check(const char *path, int rate, struct ca_error *error);
/* CA_USAGE for a side that is too long. */
enum ca_status ca_film_check_shape(const char *path, const struct ca_film_shape *shape,
                                   struct ca_error *error);
/* The same; CA_IO, CA_NO_MEMORY. */
enum ca_status ca_film_begin(struct ca_film **film, const char *path,
                             const struct ca_film_shape *shape, struct ca_error *error);
/* Adds w x h pixels, after waiting for ffmpeg to take them. CA_IO with what ffmpeg says. */
enum ca_status ca_film_add(struct ca_film *film, const uint8_t *pixels, struct ca_error *error);
/* Ends the film and frees it, and puts the file in place unless something has failed. CA_IO. */
enum ca_status ca_film_end(struct ca_film *film, struct ca_error *error);
void ca_film_abandon(struct ca_film *film); /* takes NULL */

#endif
