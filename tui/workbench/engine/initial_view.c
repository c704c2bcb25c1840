/* SPDX-License-Identifier: MIT */
/* A model or an experiment has an initial view: its view, its pace and what is drawn are taken when
 * it is chosen, and given back, as they are by then, to be kept. */
#include "tui/workbench/engine/initial_view.h"

#include <string.h>

#include "tui/workbench/base/log.h"
#include "tui/workbench/base/settings.h"
#include "tui/workbench/base/shared.h"
#include "tui/workbench/engine/go.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/view.h"

/* A variable CALAB_SPEED or CALAB_DRAWN goes before what an experiment or a model has. */
static bool is_given(const struct workbench *wb, enum ca_setting setting)
{
    return ca_settings_values(wb->settings)->value[setting].origin == CA_FROM_ENVIRONMENT;
}

static void take_row(struct workbench *wb, enum ca_setting setting, const char *text,
                     enum ca_origin origin)
{
    struct ca_error ignored; /* both tables allow the same */

    ca_settings_set(wb->settings, setting, text, origin, &ignored);
}

static void take_drawn(struct pane *pane, const struct ca_value *drawn)
{
    bool word = false;

    for (int i = 0; i < CA_FIELD; i++)
        word |= strcmp(drawn->text, ca_drawn_names[i]) == 0;
    view_field_set(pane, word ? "" : drawn->text);
    take_row(pane->wb, CA_SETTING_DRAWN, word ? drawn->text : ca_drawn_names[CA_FIELD],
             drawn->origin);
}

void initial_view_take(struct pane *pane, const struct ca_experiment *e)
{
    const struct ca_value *row = e->initial_view.value;
    struct workbench *wb = pane->wb;
    char text[CA_TEXT_MAX];

    view_open(pane, e);
    if (!is_given(wb, CA_SETTING_SPEED))
        take_row(
            wb, CA_SETTING_SPEED,
            ca_value_format(text, &ca_initial_view_table[CA_INITIAL_PACE], &row[CA_INITIAL_PACE]),
            row[CA_INITIAL_PACE].origin);
    if (!is_given(wb, CA_SETTING_DRAWN))
        take_drawn(pane, &row[CA_INITIAL_DRAWN]);
    view_drawn(wb);
    speed_set(wb, setting_number(wb, CA_SETTING_SPEED));
}

void initial_view_print(struct pane *pane)
{
    char text[CA_TEXT_MAX];

    snprintf(text, sizeof text, "%s",
             pane->experiment.initial_view.value[CA_INITIAL_LOOK_FOR].text);
    if (text[0])
        message_show(pane->wb, "look for: %s", ca_plain(text));
}

void initial_view_give(const struct pane *pane, struct ca_values *initial_view)
{
    const struct workbench *wb = pane->wb;
    const struct ca_value *speed = &ca_settings_values(wb->settings)->value[CA_SETTING_SPEED];
    const struct ca_value *drawn = &ca_settings_values(wb->settings)->value[CA_SETTING_DRAWN];
    const char *name = drawn->number == CA_FIELD ? view_of(pane)->field : drawn->text;
    struct ca_error ignored;

    *initial_view = pane->experiment.initial_view;
    view_give(pane, initial_view);
    if (!is_given(wb, CA_SETTING_SPEED))
        initial_view->value[CA_INITIAL_PACE] = *speed;
    /* A difference is between two backends, which another run need not have. */
    if (!is_given(wb, CA_SETTING_DRAWN) && drawn->number != CA_SETTING_DIFFERENCE && name[0])
        ca_values_set(initial_view, CA_INITIAL_DRAWN, name, drawn->origin, NULL, &ignored);
}

void workbench_remember(struct pane *pane)
{
    static struct ca_saved_view saved;

    if (!pane->opened || pane_is_of_lab(pane))
        return;
    ca_settings_set_model(pane->wb->settings, pane->experiment.model);
    if (pane->keep_saved_state)
        return;
    saved.experiment = pane->experiment;
    if (!session_is_opening(pane)) /* else the view is already that of the run that comes */
        initial_view_give(pane, &saved.experiment.initial_view);
    ca_settings_remember(pane->wb->settings, &saved);
}
