/* SPDX-License-Identifier: MIT */
/* Experiments that are a group of a larger file. Inside core/sim only. */
#ifndef CALAB_CORE_SIM_EXPERIMENT_GROUP_H
#define CALAB_CORE_SIM_EXPERIMENT_GROUP_H

#include "core/files/config.h"
#include "core/sim/experiment.h"

/* ca_experiment_read of a group. With a folder it is a pattern (core/sim/pattern_list.h), whose own
 * keys are left alone, and the files that it names are in that folder, an absolute path. */
enum ca_status experiment_read_group(struct ca_experiment *experiment,
                                     const config_setting_t *group, const char *path,
                                     const char *folder, struct ca_error *error);

#endif
