/* SPDX-License-Identifier: MIT */
/* The workbench reads settings by name, changes and saves them, and opens their editor. */
#include "tui/workbench/base/settings.h"

#include <string.h>

#include "core/base/clock.h"
#include "tui/workbench/base/dialog.h"
#include "tui/workbench/base/log.h"

#define SAVE_AFTER_S 1.0

extern const struct part saving_part;

const char *setting_text(const struct workbench *wb, enum ca_setting setting)
{
    return ca_setting_text(wb->settings, setting);
}

double setting_number(const struct workbench *wb, enum ca_setting setting)
{
    return ca_setting_number(wb->settings, setting);
}

bool setting_on(const struct workbench *wb, enum ca_setting setting)
{
    return setting_number(wb, setting) == 1;
}

bool mouse_is_on(const struct workbench *wb)
{
    const char *mouse = setting_text(wb, CA_SETTING_MOUSE);

    return strcmp(mouse, "auto") == 0 ? terminal_has_mouse(wb->terminal) : strcmp(mouse, "on") == 0;
}

void settings_save_soon(struct workbench *wb)
{
    double *due = part_state(wb, &saving_part);

    if (*due == 0)
        *due = ca_now() + SAVE_AFTER_S;
}

enum ca_status settings_save_now(struct workbench *wb, struct ca_error *error)
{
    *(double *)part_state(wb, &saving_part) = 0;
    return ca_settings_save(wb->settings, error);
}

bool setting_set(struct workbench *wb, enum ca_setting setting, const char *text,
                 struct ca_error *error)
{
    if (ca_settings_set(wb->settings, setting, text, CA_FROM_WORKBENCH, error) != CA_OK)
        return false;
    parts_apply(wb);
    settings_save_soon(wb);
    return true;
}

bool setting_change(struct workbench *wb, enum ca_setting setting, const char *text)
{
    struct ca_error error;
    bool allowed = setting_set(wb, setting, text, &error);

    if (!allowed)
        message_warn(wb, "%s", error.text);
    return allowed;
}

void setting_cycle(struct workbench *wb, enum ca_setting setting)
{
    const struct ca_param *param = &ca_settings_table[setting];
    int next = (int)setting_number(wb, setting) + 1;

    if (param->kind != CA_CHOICE)
        return;
    if (!param->choices[next])
        next = 0;
    if (setting_change(wb, setting, param->choices[next]))
        message_show(wb, "%s: %s", param->name, setting_text(wb, setting));
}

double settings_due(const struct workbench *wb) { return *(double *)part_state(wb, &saving_part); }

/* Its state is the time at which they are to be saved, 0: there is nothing to save. */
const struct part saving_part = {.name = "saving", .state_bytes = sizeof(double)};
