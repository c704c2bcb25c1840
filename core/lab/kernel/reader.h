/* SPDX-License-Identifier: MIT */
/* The state of reading a lab.cfg, and readers of values that lab.c and points.c share. */
#ifndef CALAB_CORE_LAB_KERNEL_READER_H
#define CALAB_CORE_LAB_KERNEL_READER_H

#include "core/files/config.h"
#include "core/lab/kernel/lab.h"

struct lab_reader {
    struct ca_lab *lab;
    char folder[PATH_MAX], path[PATH_MAX + 16]; /* of lab.cfg */
    const config_setting_t *root;
    const char *program, *output; /* of the command line, over those of the file; NULL: none */
    bool submission;              /* somebody else's: nothing of it is compiled */
    const struct ca_lab *task;    /* of a submission; NULL: none is named */
    struct ca_error *error;
};

/* A number of a group, which goes to one of both; what the group has not stays as it is. */
struct lab_number_row {
    const char *key;
    double low, high;
    double *real;
    int64_t *whole;
};

enum ca_status lab_group_numbers(const struct lab_reader *r, const config_setting_t *group,
                                 const struct lab_number_row *rows, int count);
/* The size that a setting has; messages name the place of `where`, and what `limit` says of the
 * most cells. */
enum ca_status lab_setting_size(const struct lab_reader *r, const config_setting_t *setting,
                                const config_setting_t *where, const char *limit,
                                struct ca_size *size);
/* Reads the groups points, speed and structure. */
enum ca_status lab_read_points(const struct lab_reader *r);

#endif
