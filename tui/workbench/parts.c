/* SPDX-License-Identifier: MIT */
/*
 * All parts of the workbench. They do what is due in this order, are offered keys in it, and end in
 * the reverse one.
 */
#include "tui/workbench/base/part.h"

#define PARTS(ROW)                                                                                 \
    ROW(leftovers)                                                                                 \
    ROW(panels)                                                                                    \
    ROW(log)                                                                                       \
    ROW(lab)                                                                                       \
    ROW(who)                                                                                       \
    ROW(panes)                                                                                     \
    ROW(view)                                                                                      \
    ROW(navigate)                                                                                  \
    ROW(frame)                                                                                     \
    ROW(engine_list)                                                                               \
    ROW(pace)                                                                                      \
    ROW(steps)                                                                                     \
    ROW(figures)                                                                                   \
    ROW(device_facts)                                                                              \
    ROW(checkpoint)                                                                                \
    ROW(undo)                                                                                      \
    ROW(observed)                                                                                  \
    ROW(session)                                                                                   \
    ROW(split)                                                                                     \
    ROW(rebuild)                                                                                   \
    ROW(crossover)                                                                                 \
    ROW(ladder)                                                                                    \
    ROW(probing)                                                                                   \
    ROW(saving)                                                                                    \
    ROW(settings)                                                                                  \
    ROW(pixels)                                                                                    \
    ROW(dialogs)                                                                                   \
    ROW(input)                                                                                     \
    ROW(actions)                                                                                   \
    ROW(parameters)                                                                                \
    ROW(command)                                                                                   \
    ROW(models)                                                                                    \
    ROW(pickers)                                                                                   \
    ROW(help)

/* Panels, in the order of their keys and of their importance: where the screen is small, the last
 * one goes first. The first is the lattice; the setting `panels` names the others. */
#define PANELS(FIRST, ROW)                                                                         \
    FIRST(lattice)                                                                                 \
    ROW(timing)                                                                                    \
    ROW(observables)                                                                               \
    ROW(device)                                                                                    \
    ROW(log)

#define DECLARE_PART(name) extern const struct part name##_part;
#define DECLARE_PANEL(name) extern const struct part name##_panel;
PARTS(DECLARE_PART)
PANELS(DECLARE_PANEL, DECLARE_PANEL)

#define PART(name) &name##_part,
#define PANEL(name) &name##_panel,
const struct part *const workbench_parts[] = {PARTS(PART) PANELS(PANEL, PANEL) NULL};

_Static_assert(sizeof workbench_parts / sizeof workbench_parts[0] <= PARTS_MAX,
               "there is space for the states of so many parts");

#define NOT_NAMED(name)
#define NAME(name) #name,
const char *const ca_panel_names[] = {"auto", PANELS(NOT_NAMED, NAME) NULL};
