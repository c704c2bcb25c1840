/* SPDX-License-Identifier: MIT */
/*
 * The table of keys: each request, its keys, where they apply, and its help. The handler, the help
 * screen, the line of hints and the `keys` group of calab.cfg use this table; the manual repeats
 * it. Keys have names ("a", "space", "up", "ctrl-l"); several are separated by spaces.
 */
#ifndef CALAB_TUI_KEYS_H
#define CALAB_TUI_KEYS_H

#include <stdbool.h>

enum request {
    REQUEST_NONE,
    /* everywhere */
    REQUEST_HELP,
    REQUEST_MENU,
    REQUEST_QUIT,
    REQUEST_QUIT_NOW,
    REQUEST_INTERRUPT,
    REQUEST_ANSWER,
    REQUEST_RUN,
    REQUEST_STEP,
    REQUEST_STRIDE,
    REQUEST_FASTER,
    REQUEST_SLOWER,
    REQUEST_RESET,
    REQUEST_UNDO,
    REQUEST_RESEED,
    REQUEST_GOTO,
    REQUEST_MODEL,
    REQUEST_BACKEND,
    REQUEST_PREVIOUS_BACKEND,
    REQUEST_SPLIT,
    REQUEST_CROSSOVER,
    REQUEST_LADDER,
    REQUEST_VERIFY,
    REQUEST_PROBE,
    REQUEST_LAB,
    REQUEST_DEVICE,
    REQUEST_PARAMETERS,
    REQUEST_EDIT,
    REQUEST_SIZE,
    REQUEST_SETTINGS,
    REQUEST_COMMAND,
    REQUEST_DRAWN,
    REQUEST_AXIS,
    REQUEST_PROJECTION,
    REQUEST_ZOOM_OUT,
    REQUEST_ZOOM_IN,
    REQUEST_HALVE,
    REQUEST_DOUBLE,
    REQUEST_RANGE_NARROW,
    REQUEST_RANGE_WIDEN,
    REQUEST_FIT,
    REQUEST_ORIGIN,
    REQUEST_GLYPHS,
    REQUEST_COLOURS,
    REQUEST_NEXT_PANEL,
    REQUEST_PREVIOUS_PANEL,
    REQUEST_PANEL_1,
    REQUEST_PANEL_2,
    REQUEST_PANEL_3,
    REQUEST_PANEL_4,
    REQUEST_PANEL_5,
    REQUEST_FULL_SCREEN,
    REQUEST_YANK,
    REQUEST_SNAPSHOT,
    REQUEST_SAVE_EXPERIMENT,
    REQUEST_MOUSE,
    REQUEST_REDRAW,
    REQUEST_SUSPEND,
    /* in the lattice */
    REQUEST_PAN_LEFT,
    REQUEST_PAN_RIGHT,
    REQUEST_PAN_UP,
    REQUEST_PAN_DOWN,
    REQUEST_SLICE_NEXT,
    REQUEST_SLICE_PREVIOUS,
    REQUEST_SLICE_FIRST,
    REQUEST_SLICE_LAST,
    REQUEST_SLICE_LIVE,
    REQUEST_INSPECT,
    /* where cells are edited */
    REQUEST_EDIT_NEXT,
    REQUEST_EDIT_PASTE,
    /* in lists, help and the log */
    REQUEST_LIST_UP,
    REQUEST_LIST_DOWN,
    REQUEST_LIST_PAGE_UP,
    REQUEST_LIST_PAGE_DOWN,
    REQUEST_LIST_TOP,
    REQUEST_LIST_BOTTOM,
    REQUEST_LIST_OPEN,
    REQUEST_LIST_MARK,
    REQUEST_LIST_DEFAULT,
    REQUEST_LIST_DEFAULTS,
    REQUEST_LIST_CLOSE,
    REQUEST_LAB_WHO,
    REQUEST_SEARCH,
    REQUEST_SEARCH_NEXT,
    REQUEST_SEARCH_PREVIOUS,
    REQUEST_COUNT
};

/* A key applies in one of these contexts. A list uses only the keys of KEYS_LIST; where cells are
 * edited those of KEYS_EDIT come first; elsewhere the other two apply. */
enum key_context { KEYS_EVERYWHERE, KEYS_LATTICE, KEYS_EDIT, KEYS_LIST, KEYS_CONTEXTS };

/* A scene is what has the keys at present: a panel in focus, or what takes its place. These are
 * bits, so that a row can name several scenes. */
enum key_scene {
    SCENE_LATTICE = 1,
    SCENE_TIMING = 2,
    SCENE_OBSERVABLES = 4,
    SCENE_DEVICE = 8,
    SCENE_LOG = 16,
    SCENE_OTHER = 32, /* a panel whose part names no scene */
    SCENE_CURSOR = 64,
    SCENE_EDIT = 128,
    SCENE_SPLIT = 256,
    SCENE_LIST = 512,
    SCENE_PANELS =
        SCENE_LATTICE | SCENE_TIMING | SCENE_OBSERVABLES | SCENE_DEVICE | SCENE_LOG | SCENE_OTHER,
};

/* A hint is the text of a key in the line of hints of some scenes. Hints stand there by weight, the
 * least first, as many as there is room for. */
struct key_hint {
    unsigned scenes;
    int weight;
    const char *text;
    const char *keys; /* shown in place of the row's key, where rows share a hint; or NULL */
};

#define KEY_HINTS 4

struct key_row {
    enum request request;
    enum key_context context;
    const char *name;  /* name in the `keys` group of calab.cfg */
    const char *keys;  /* preset "default" */
    const char *golly; /* preset "golly", NULL: the same keys */
    const char *help;
    struct key_hint hints[KEY_HINTS]; /* the first that names a scene counts there */
    unsigned only;                    /* the scenes in which it can be done; 0: all */
};

extern const struct key_row keys_table[]; /* in reading order; ends with name NULL */

/* The keys of each request in this run. */
struct keymap {
    char keys[REQUEST_COUNT][48];
};

/* Fills a map with a preset ("golly", or "default" for any other name). */
void keymap_preset(struct keymap *map, const char *preset);
/*
 * Binds a request to other keys. False, with a message and without a change, if a key is unknown or
 * already used in a context where both would apply.
 */
bool keymap_bind(struct keymap *map, enum request request, const char *keys, char *message,
                 int size);
/* The request of a curses key code in a context, REQUEST_NONE for none. */
enum request keymap_find(const struct keymap *map, enum key_context context, int code);

/* The hint of a row in a scene, NULL: it has none there. */
const struct key_hint *keys_hint(const struct key_row *row, unsigned scene);
/* Whether a row is a scene's own: its keys apply there alone, or its hint is for that scene. */
bool keys_belong(const struct key_row *row, unsigned scene);
/* Whether what a row stands for can be done in a scene by a key of the workbench, not of a list. */
bool keys_apply(const struct key_row *row, unsigned scene);
/* The rows that matter most: those of the least weight among the hints that all panels share. */
#define KEYS_FIRST 10
void keys_most_important(const struct key_row *rows[KEYS_FIRST]);

/* The row of a request, NULL for REQUEST_NONE. */
const struct key_row *keys_row(enum request request);
/* The code of a key, -1 if there is none of that name; and the first name of several. */
int keys_code(const char *name);
/* The name of the key with a code, "" for none. */
const char *keys_name(int code, char name[16]);
const char *keys_first(const char *keys, char name[16]);
/* Whether keys of two contexts can apply at the same time. */
bool keys_contexts_meet(enum key_context a, enum key_context b);

#endif
