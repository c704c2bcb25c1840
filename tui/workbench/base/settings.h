/* SPDX-License-Identifier: MIT */
/* The settings of calab.cfg in the workbench: they are read, changed and saved. */
#ifndef CALAB_TUI_WORKBENCH_BASE_SETTINGS_H
#define CALAB_TUI_WORKBENCH_BASE_SETTINGS_H

#include "core/settings/settings.h"

struct workbench;

const char *setting_text(const struct workbench *wb, enum ca_setting setting);
double setting_number(const struct workbench *wb, enum ca_setting setting);
/* Whether the mouse is used, by its setting and by what the terminal has. */
bool mouse_is_on(const struct workbench *wb);
bool setting_on(const struct workbench *wb, enum ca_setting setting);
/* Changes and applies a setting and schedules saving. False, with an error, for a value that is not
 * allowed. */
bool setting_set(struct workbench *wb, enum ca_setting setting, const char *text,
                 struct ca_error *error);
/* The same, which says why not. */
bool setting_change(struct workbench *wb, enum ca_setting setting, const char *text);
void setting_cycle(struct workbench *wb, enum ca_setting setting);
void settings_save_soon(struct workbench *wb);
double settings_due(const struct workbench *wb); /* the time for it, 0: there is nothing to save */
enum ca_status settings_save_now(struct workbench *wb, struct ca_error *error);

#endif
