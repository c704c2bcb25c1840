/* SPDX-License-Identifier: MIT */
/*
 * Long lines on a terminal: they are broken between words, and what follows is indented below the
 * last column of the line. A file or a pipe gets each line whole. A command line to be copied is
 * never broken, nor is a line of a compiler with its margin.
 */
#ifndef CALAB_TUI_WRAPPED_H
#define CALAB_TUI_WRAPPED_H

#include <stdbool.h>
#include <stdio.h>

/* From now on, where standard output is a terminal, what is printed there is wrapped; until
 * wrapped_end, which prints a last line without an end. */
void wrapped_begin(void);
void wrapped_end(void);

/* The columns that a text for standard output has; `otherwise` where that is no terminal. */
int wrapped_columns(int otherwise);

/* The characters of n bytes of UTF-8. */
int wrapped_columns_of(const char *text, size_t n);
/* Prints words, however they were broken into lines before. */
void wrapped_paragraph(FILE *out, const char *text, int columns);

/* Prints a line of text; wrapped if the stream's descriptor is a terminal. */
void wrapped_print(FILE *out, const char *line);

/* Wraps a line, without its end, to `columns`: true, with the lines in text (malloc'd, to be
 * freed), false where it stays as it is. */
bool wrapped_text(char **text, const char *line, int columns);

#endif
