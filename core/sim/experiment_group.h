/* SPDX-License-Identifier: MIT */
/* Experiments that are a group of a larger file, and their settings one by one. */
#ifndef CALAB_CORE_SIM_EXPERIMENT_GROUP_H
#define CALAB_CORE_SIM_EXPERIMENT_GROUP_H

#include "core/files/config.h"
#include "core/sim/experiment.h"

/* ca_experiment_read of a group. With a folder it is a pattern (core/sim/shipped.h), whose own
 * keys are left alone, and the files that it names are in that folder, an absolute path. */
enum ca_status ca_experiment_read_group(struct ca_experiment *experiment,
                                        struct ca_outputs *outputs, const config_setting_t *group,
                                        const char *path, const char *folder,
                                        struct ca_error *error);

/* Sets what the key of a file says, of which `text` is the value. CA_SETTINGS with file, line, key
 * and what is allowed. */
enum ca_status ca_experiment_set_key(struct ca_experiment *experiment, const char *text,
                                     const config_setting_t *key, enum ca_origin origin,
                                     const char *path, struct ca_error *error);
/* Writes the key of a setting. */
void ca_experiment_put_key(const struct ca_experiment *experiment, enum ca_key key,
                           config_setting_t *group);

#endif
