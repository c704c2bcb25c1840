/* SPDX-License-Identifier: MIT */
/* The lines of a .rule file, and its two parts that say what becomes of a cell. */
#ifndef CALAB_CORE_IMPORT_GOLLY_H
#define CALAB_CORE_IMPORT_GOLLY_H

#include "core/import/import.h"

struct golly_file {
    const char *path;
    char *text; /* of which `at` is the next line, or NULL, */
    char *at;   /* and `line` the number of the one that was taken */
    int line;
    char *taken; /* the line, without comment and blanks around it */
    struct ca_error *error;
};

/* CA_IO "FILE:LINE: ...". */
#define golly_refuse(file, ...) (golly_error_set(file, __VA_ARGS__), CA_IO)
void golly_error_set(const struct golly_file *file, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Takes the next line that is not empty. false at the end of the part: the next line begins another
 * one with @, or there is none. */
bool golly_take_line(struct golly_file *file);
/* Takes the next word, up to a blank or one of `ends`, off a line; NULL where there is none. */
char *golly_take_word(char **line, const char *ends);

enum ca_status golly_read_table(struct golly_file *file, struct import_rule *rule);
enum ca_status golly_read_tree(struct golly_file *file, struct import_rule *rule);

#endif
