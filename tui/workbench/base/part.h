/* SPDX-License-Identifier: MIT */
/*
 * A part of the workbench is a row of the table in parts.c: what the main loop does for it, and how
 * large the state is that it alone can see. Members may be NULL.
 */
#ifndef CALAB_TUI_WORKBENCH_BASE_PART_H
#define CALAB_TUI_WORKBENCH_BASE_PART_H

#include "core/base/error.h"
#include "core/settings/settings.h"
#include "tui/keys.h"
#include "tui/workbench/terminal/draw.h"
#include "tui/workbench/terminal/layout.h"
#include "tui/workbench/terminal/terminal.h"

struct workbench;
struct pane;
struct list_source;

#define PART_FDS 4
#define PART_ACTIONS 40
#define PARTS_MAX 64

/* A part does this at a request of the keys. */
struct part_action {
    enum request request;
    void (*perform)(struct workbench *wb);
    const struct list_source *list; /* it opens this one instead */
};

struct part {
    const char *name;
    size_t state_bytes; /* which begin as zeros */
    size_t pane_bytes;  /* of the state that it has for each pane, likewise */
    enum ca_status (*begin)(struct workbench *wb, struct ca_error *error);
    /* A pane begins with a state of zeros, and ends. */
    void (*begin_pane)(struct pane *pane);
    void (*end_pane)(struct pane *pane);
    /* Does what is due; the second for each pane that has an engine. Returns the seconds until the
     * next call is needed, negative: only after an event. */
    double (*tick)(struct workbench *wb, double now);
    double (*tick_pane)(struct pane *pane, double now);
    /* The descriptors that the main loop waits for, at most PART_FDS, whose count is returned; and
     * what follows when something has come. */
    int (*poll)(const struct workbench *wb, struct pollfd fds[PART_FDS]);
    void (*serve)(struct workbench *wb, const struct pollfd *fds, int count);
    /* Takes a key; false: it is not one of its own. `request` is what the key means everywhere. */
    bool (*key)(struct workbench *wb, enum request request, int code);
    struct part_action actions[PART_ACTIONS]; /* behind the last one performs none */
    /* A panel draws into the inner rectangle of its place, and adds `heading` to the name in its
     * title, and `footer` to its lower border. */
    struct panel_place place;
    unsigned scene; /* of enum key_scene, while it is in focus */
    void (*draw)(struct pane *pane, struct rect inner);
    void (*wheel)(struct workbench *wb, int by); /* a notch of the mouse over it: -1 up, 1 down */
    void (*heading)(const struct pane *pane, char *text, int size);
    void (*footer)(const struct pane *pane, char *text, int size);
    void (*apply)(struct workbench *wb);          /* the settings have changed */
    void (*interrupt)(struct workbench *wb);      /* ctrl-c: nothing goes on by itself */
    bool (*is_alone)(const struct workbench *wb); /* it measures, and nothing else may run */
    void (*end)(struct workbench *wb);
};

/* Takes memory for the states of a table of parts, which ends with NULL, and begins them.
 * CA_NO_MEMORY. */
enum ca_status parts_begin(struct workbench *wb, const struct part *const parts[],
                           struct ca_error *error);
/* Ends the parts in the reverse order of the table, and frees their states. */
void parts_end(struct workbench *wb);
void *part_state(const struct workbench *wb, const struct part *part);

/* Performs what one of them does on a request. False: none has it. */
bool parts_perform(struct workbench *wb, enum request request);
void parts_apply(struct workbench *wb); /* the settings have changed */
/* The earlier of two times until something is due, where negative means never. */
double sooner(double a, double b);

struct workbench {
    struct terminal *terminal;
    struct ca_settings *settings;
    struct keymap keys;
    struct palette palette;
    struct pane *panes; /* A and B; `pane_count` are open */
    int pane_count;
    struct pane *pane;               /* the one in focus, to which keys and commands apply */
    const struct part *const *parts; /* parts.c */
    void *states[PARTS_MAX];         /* of each its own */
    struct layout layout;
    double keyed; /* the time of the last key */
    bool dirty;   /* the screen must be drawn again */
    bool quit;    /* leave the main loop */
};

extern const struct part *const workbench_parts[]; /* ends with NULL */

#endif
