/* SPDX-License-Identifier: MIT */
/*
 * The groups of a calab.cfg: the saved view of a model, and checking a whole file. Only
 * core/settings/settings.c and core/settings/check.c use it.
 */
#ifndef CALAB_CORE_SETTINGS_REMEMBERED_H
#define CALAB_CORE_SETTINGS_REMEMBERED_H

#include "core/files/config.h"
#include "core/settings/settings.h"

/* Checking a file has found this: unknown keys, their number and as many of their names as fit, and
 * errors, their number and as many of their texts. */
struct ca_findings {
    int unknown, wrong;
    char names[CA_TEXT_MAX];
    struct ca_error errors;
};

/* Over the defaults; errors, with file, line, key and what is allowed, go to the findings. */
enum ca_status ca_saved_view_read(struct ca_saved_view *memory, const config_setting_t *group,
                                  const char *path, struct ca_findings *findings,
                                  struct ca_error *error);
/* Writes values that are not defaults, removes those that are, and keeps unknown keys. */
void ca_saved_view_write(const struct ca_saved_view *memory, config_setting_t *group);

/*
 * Before the changes from `base` to `ours` go into `disk`: the run of a model is its keys together,
 * so where one has changed all become ours, and those of the model with the name `claimed` ("":
 * none) in any case. They are taken from `base` and `disk`, as if they were new.
 */
void ca_saved_runs_keep(config_t *base, const config_t *ours, config_t *disk, const char *claimed);

#define CA_SETTINGS_VERSION 1

/* Everything in a calab.cfg; the workbench's rows go to *values. `findings` may be NULL. The errors
 * of all of it are in one text. */
enum ca_status ca_settings_check_tree(const config_t *tree, struct ca_values *values,
                                      const char *path, struct ca_findings *findings,
                                      struct ca_error *error);

#endif
