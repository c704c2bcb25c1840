/* SPDX-License-Identifier: MIT */
/*
 * The groups of a calab.cfg: what is remembered of one model, and checking all of a file. Only
 * core/settings/settings.c and core/settings/check.c use it.
 */
#ifndef CALAB_CORE_SETTINGS_REMEMBERED_H
#define CALAB_CORE_SETTINGS_REMEMBERED_H

#include "core/files/config.h"
#include "core/settings/settings.h"

/* Keys that nobody knows: how many, and their names as far as there is room. */
struct ca_unknown {
    int count;
    char note[CA_TEXT_MAX];
};

void ca_unknown_add(struct ca_unknown *unknown, const char *group, const char *key);

void ca_saved_view_default(struct ca_saved_view *memory, const struct ca_model *model);
/* Over the defaults; `unknown` may be NULL. CA_SETTINGS with file, line, key and what is allowed.
 */
enum ca_status ca_saved_view_read(struct ca_saved_view *memory, const config_setting_t *group,
                                  const char *path, struct ca_unknown *unknown,
                                  struct ca_error *error);
/* Writes what is not built-in, takes out what has become so, keeps what it does not know. */
void ca_saved_view_write(const struct ca_saved_view *memory, config_setting_t *group);

#define CA_SETTINGS_VERSION 1

/* Everything in a calab.cfg; the workbench's rows go to *values. `unknown` may be NULL. */
enum ca_status ca_settings_check_tree(const config_t *tree, struct ca_values *values,
                                      const char *path, struct ca_unknown *unknown,
                                      struct ca_error *error);

#endif
