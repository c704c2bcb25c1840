/* SPDX-License-Identifier: MIT */
/*
 * libconfig files: what experiment files and calab.cfg have in common.
 *
 * Reading checks the text before libconfig parses it, because libconfig 1.5 silently truncates
 * whole numbers to 32 bits, ends the program if an included path is a folder, ends the text at a
 * zero byte, and accepts a comment that is not closed. Writing does not use libconfig, which drops
 * digits of numbers.
 */
#ifndef CALAB_CORE_FILES_CONFIG_H
#define CALAB_CORE_FILES_CONFIG_H

#include <libconfig.h>

#include "core/files/file.h"

#define CA_CONFIG_BYTES_MAX (1 << 20) /* of a file */

/*
 * Reads a file into *config, initialised here; `text`, if not NULL, gets the file's text, malloc'd.
 * `@include` is relative to the file's folder. CA_SETTINGS with file and line, CA_IO; then *config
 * is empty but must be destroyed all the same, and *text is NULL.
 */
enum ca_status ca_config_read(config_t *config, const char *path, char **text,
                              struct ca_error *error);

/* Formats the whole file, which reads back to the same settings. Malloc'd; NULL without memory. */
char *ca_config_format(const config_t *config, const char *heading);
/* Writes `text` to `path`, atomically. */
enum ca_status ca_config_write(const char *text, const char *path, struct ca_error *error);

/* "FILE:LINE" of a setting, FILE being the included one if it is in one. Returns text. */
char *ca_config_where(char text[CA_TEXT_MAX], const config_setting_t *setting, const char *path);
/* CA_SETTINGS "FILE:LINE: name: ...". */
enum ca_status ca_config_fail(const config_setting_t *setting, const char *path,
                              struct ca_error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Turns a refusal into CA_SETTINGS, the status of files. */
enum ca_status ca_config_refused(enum ca_status status, struct ca_error *error);

/* Whether it is an integer, of 32 or 64 bits. */
bool ca_config_is_whole(const config_setting_t *setting);
/* Sets values[index] from a setting of the right type: numbers for numbers, strings for others. */
enum ca_status ca_config_value(struct ca_values *values, int index, const config_setting_t *setting,
                               enum ca_origin origin, const char *path, struct ca_error *error);
/* Reads a string, or a whole number as text. */
enum ca_status ca_config_text(char text[CA_TEXT_MAX], const config_setting_t *setting,
                              const char *path, struct ca_error *error);
/* CA_SETTINGS with what is expected if the setting is no group. */
enum ca_status ca_config_group(const config_setting_t *setting, const char *path,
                               struct ca_error *error);
/* CA_SETTINGS also for a key that is not in the list; `of` says what they belong to ("a case"). */
enum ca_status ca_config_keys(const config_setting_t *group, const char *path,
                              const char *const keys[], int count, const char *of,
                              struct ca_error *error);

/* Changing a tree: members are made when missing, and remade when they are of another type. They
 * return whether anything has changed. A NULL group (no memory) changes nothing. */
config_setting_t *ca_config_subgroup(config_setting_t *group, const char *name);
bool ca_config_set_string(config_setting_t *group, const char *name, const char *text);
bool ca_config_set_whole(config_setting_t *group, const char *name, int64_t number);
/* Writes a number above 2^63 - 1 as a string. */
bool ca_config_set_unsigned(config_setting_t *group, const char *name, uint64_t number);
bool ca_config_set_value(config_setting_t *group, const struct ca_param *param,
                         const struct ca_value *value);

/* Whether two settings, or none, are the same. */
bool ca_config_equal(const config_setting_t *a, const config_setting_t *b);

/*
 * Brings the changes that lead from group `base` to group `ours` into `target`: members changed or
 * added are copied, members removed are removed, groups member by member.
 */
void ca_config_merge(const config_setting_t *base, const config_setting_t *ours,
                     config_setting_t *target);

#endif
