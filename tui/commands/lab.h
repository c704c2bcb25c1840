/* SPDX-License-Identifier: MIT */
/* What `calab lab check` prints. */
#ifndef CALAB_TUI_COMMANDS_LAB_H
#define CALAB_TUI_COMMANDS_LAB_H

#include "core/lab/check.h"

void lab_print(const struct ca_lab *lab, const struct ca_lab_report *report);
enum ca_status lab_print_json(const struct ca_lab *lab, const struct ca_lab_report *report,
                              struct ca_error *error);

#endif
