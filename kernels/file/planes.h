/* SPDX-License-Identifier: MIT */
/*
 * Planes of states that share a byte (calab_model_planes.h), as the record of a model needs them.
 * A model with a single plane of states has one here, too, which takes the whole byte.
 */
#ifndef CALAB_KERNELS_FILE_PLANES_H
#define CALAB_KERNELS_FILE_PLANES_H

#include <stdbool.h>
#include <stdint.h>

struct file_model;
struct ca_model_row;
struct ca_model_share;

/* A plane: its bits of a byte, and its part of the table of appearances. */
struct file_plane {
    const char *name; /* NULL until its declaration has been read */
    const char *help;
    int states, shift, mask;
    int first; /* in the table of appearances */
    int named; /* states that the file names */
};

/* Lays the planes of a model of states out; those of several share a byte. */
void file_planes_make(struct file_model *file);
/* The plane to which the declaration of a state belongs, or -1. */
int file_plane_of_row(const struct file_model *file, const struct ca_model_row *row);
/* The plane of a state that is written by this name, or -1; 0 where there is a single plane. */
int file_plane_of_state(const struct file_model *file, const char *name);

/* The state of plane p in a byte. */
int file_state_of(const struct file_model *file, int p, uint8_t byte);
/* The first plane whose state in a byte is none of its own, or -1. */
int file_plane_wrong(const struct file_model *file, uint8_t byte);
/* The bytes in which all planes have states of their own, and such a byte by its number. */
int file_bytes(const struct file_model *file);
uint8_t file_byte(const struct file_model *file, int number);
/* Gives what cells beyond a constant edge hold in a plane of the memory. */
double file_beyond(const struct file_model *file, int plane);

/* Names the states that the file does not, and makes a brush of each byte. */
void file_planes_complete(struct file_model *file);
/* Makes a field of each of several planes, of states or of floats: what its cells are on the mean.
 */
void file_fields_make(struct file_model *file);

#endif
