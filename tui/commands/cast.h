/* SPDX-License-Identifier: MIT */
/*
 * A recording of a terminal in asciinema's format, asciicast v2: a line of JSON that says the size,
 * then one for each piece of output and each change of the size. Lines are written whole as they
 * come, so that of a process that is killed at most the last one is lost.
 */
#ifndef CALAB_TUI_COMMANDS_CAST_H
#define CALAB_TUI_COMMANDS_CAST_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/base/error.h"

struct cast {
    int fd;
    const char *path;
    double last_s; /* time of the last event */
    off_t whole;   /* bytes of lines that are written */
    int failure;   /* errno of the first line that could not be written, after which none is */
    char part[4];  /* of a character, whose rest comes with the next output */
    size_t part_count;
};

/* Whether a name ends in .cast, as that of a recording does. */
bool cast_path(const char *path);
/* CA_IO if it cannot be opened; CA_USAGE if it exists and is not to be replaced. The path must stay
 * valid. */
enum ca_status cast_open(struct cast *cast, const char *path, bool replace, struct ca_error *error);
/* The first line, with the present time and the environment's TERM and SHELL. */
void cast_begin(struct cast *cast, int columns, int rows, const char *title);
/* What the terminal got at a time, in seconds from the first line on, which never decreases. Bytes
 * that are no UTF-8 become U+FFFD; a character is never cut. */
void cast_output(struct cast *cast, double time_s, const char *bytes, size_t count);
void cast_resize(struct cast *cast, double time_s, int columns, int rows);
/* CA_IO with path and time if a line could not be written. */
enum ca_status cast_close(struct cast *cast, struct ca_error *error);

#endif
