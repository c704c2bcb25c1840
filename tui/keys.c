/* SPDX-License-Identifier: MIT */
/* This table holds the keys; the file also knows the names of keys and the bindings of this run. */
#include "tui/keys.h"

#include <curses.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define ALL KEYS_EVERYWHERE
#define LAT KEYS_LATTICE
#define EDT KEYS_EDIT
#define LST KEYS_LIST
#define VIEWS (SCENE_PANELS | SCENE_CURSOR) /* without a split */

const struct key_row keys_table[] = {
    {REQUEST_RUN, ALL, "run", "space p", "enter p", "run or pause",
     .hints = {{VIEWS, 10, "run"}, {SCENE_SPLIT, 1, "run"}}},
    {REQUEST_STEP, ALL, "step", ".", "space .", "pause and step one generation",
     .hints = {{VIEWS, 40, "step"}, {SCENE_SPLIT, 9, "step"}, {SCENE_EDIT, 5, "step"}}},
    {REQUEST_STRIDE, ALL, "stride", ">", NULL,
     "step as many generations as the setting stride says"},
    {REQUEST_FASTER, ALL, "faster", "+ =", NULL, "double the generations per frame",
     .hints = {{SCENE_TIMING, 35, "faster"}, {VIEWS, 52, "faster"}}},
    {REQUEST_SLOWER, ALL, "slower", "-", NULL,
     "halve the generations per frame; below 1, steps are delayed",
     .hints = {{SCENE_TIMING, 36, "slower"}, {VIEWS, 53, "slower"}}},
    {REQUEST_RESET, ALL, "reset", "r", NULL, "return to generation 0",
     .hints = {{VIEWS, 42, "reset"}, {SCENE_SPLIT, 10, "reset"}}},
    {REQUEST_UNDO, ALL, "undo", "u", NULL, "return to the state before the last reset",
     .hints = {{VIEWS, 64, "undo reset"}}},
    {REQUEST_RESEED, ALL, "reseed", "R", NULL, "change the seed and restart at generation 0"},
    {REQUEST_GOTO, ALL, "goto", "g", NULL, "go to a generation, or to a cell x,y,z",
     .hints = {{SCENE_OBSERVABLES, 31, "go to a generation"}, {VIEWS, 57, "go to"}}},
    {REQUEST_MODEL, ALL, "model", "m", NULL,
     "choose the model, or an experiment that comes with it",
     .hints = {{VIEWS, 20, "model"}, {SCENE_SPLIT, 12, "model"}}},
    {REQUEST_BACKEND, ALL, "backend", "b", NULL, "choose the backend and keep the state",
     .hints = {{SCENE_TIMING, 30, "backend"},
               {VIEWS, 41, "backend"},
               {SCENE_SPLIT, 3, "change A"}}},
    {REQUEST_PREVIOUS_BACKEND, ALL, "previous-backend", "B", NULL,
     "return to the previous backend; in a split, choose the backend of B",
     .hints = {{SCENE_SPLIT, 4, "change B"}, {SCENE_TIMING, 33, "backend before"}}},
    {REQUEST_SPLIT, ALL, "split", "x", NULL,
     "run another backend beside this one, in lock step, and compare; again: only A",
     .hints = {{VIEWS, 21, "split"}, {SCENE_SPLIT, 2, "unsplit"}}},
    {REQUEST_CROSSOVER, ALL, "crossing", "L", NULL,
     "in a split, measure both by length of call and by size",
     .hints = {{SCENE_SPLIT, 8, "by length and size"}}, .only = SCENE_SPLIT},
    {REQUEST_LADDER, ALL, "ladder", "T", NULL, "time and check every backend on this lattice",
     .hints = {{SCENE_TIMING, 31, "time all backends"}, {VIEWS, 51, "ladder"}}},
    {REQUEST_VERIFY, ALL, "verify", "V", NULL,
     "check every backend of the model against the reference",
     .hints = {{SCENE_TIMING, 32, "check all"}, {VIEWS, 56, "verify"}}},
    {REQUEST_PROBE, ALL, "probe", "P", NULL,
     "measure what this machine can do at most, of which the timing shows shares",
     .hints = {{SCENE_DEVICE, 31, "measure ceilings"},
               {SCENE_TIMING, 34, "measure ceilings"},
               {VIEWS, 65, "probe"}}},
    {REQUEST_LAB, ALL, "lab", "t", NULL,
     "open a lab: its kernel is compiled, checked and timed each time it is saved",
     .hints = {{VIEWS, 50, "lab"}}},
    {REQUEST_DEVICE, ALL, "device", "d", NULL, "choose the device",
     .hints = {{SCENE_DEVICE, 30, "choose a device"}, {VIEWS, 55, "device"}}},
    {REQUEST_PARAMETERS, ALL, "parameters", "e", NULL, "edit parameters and options",
     .hints = {{VIEWS, 43, "parameters"}, {SCENE_SPLIT, 13, "parameters"}}},
    {REQUEST_EDIT, ALL, "edit", "E", NULL,
     "edit cells under a cursor, which arrows move; again: leave",
     .hints = {{SCENE_LATTICE, 38, "edit cells"}, {SCENE_EDIT, 3, "leave"}}},
    {REQUEST_SIZE, ALL, "size", "s", NULL, "change the size and restart at generation 0",
     .hints = {{VIEWS, 63, "size"}}},
    {REQUEST_SETTINGS, ALL, "settings", "o f2", NULL, "edit settings and keys",
     .hints = {{VIEWS, 54, "settings"}}},
    {REQUEST_COMMAND, ALL, "command", ":", NULL,
     "open the command line: goto, set, open, bench and more; Tab completes",
     .hints = {{VIEWS, 62, "command line"}}},
    {REQUEST_DRAWN, ALL, "drawn", "v", NULL,
     "choose what is drawn: state, density, last change, fields, difference from the reference",
     .hints = {{SCENE_LATTICE, 31, "what is drawn"},
               {SCENE_OBSERVABLES, 32, "what is drawn"},
               {SCENE_SPLIT, 5, "difference"}}},
    {REQUEST_AXIS, ALL, "axis", "a", NULL, "change the orientation of the slice: XY, XZ, YZ"},
    {REQUEST_PROJECTION, ALL, "projection", "A", NULL,
     "change what is seen along the axis: a slice, or of all slices the depth, a count, the "
     "maximum"},
    {REQUEST_ZOOM_OUT, ALL, "zoom-out", "[", NULL, "zoom out by one step",
     .hints = {{SCENE_LATTICE, 35, "zoom out"}}},
    {REQUEST_ZOOM_IN, ALL, "zoom-in", "]", NULL, "zoom in by one step",
     .hints = {{SCENE_LATTICE, 34, "zoom in"}}},
    {REQUEST_HALVE, ALL, "halve", "{", NULL, "halve the scale"},
    {REQUEST_DOUBLE, ALL, "double", "}", NULL, "double the scale"},
    {REQUEST_RANGE_NARROW, ALL, "range-narrow", "(", NULL,
     "narrow the range of what is drawn, so that weaker values show; :range auto ends it"},
    {REQUEST_RANGE_WIDEN, ALL, "range-widen", ")", NULL, "widen the range of what is drawn"},
    {REQUEST_FIT, ALL, "fit", "f", NULL, "fit the whole slice into the panel",
     .hints = {{SCENE_LATTICE, 33, "fit"}}},
    {REQUEST_ORIGIN, ALL, "origin", "0", NULL, "show the origin, each cell by itself"},
    {REQUEST_PAN_LEFT, LAT, "pan-left", "left h", NULL, "pan, or move the cursor, left",
     .hints = {{SCENE_LATTICE, 30, "pan", "arrows"},
               {SCENE_CURSOR, 1, "move", "arrows"},
               {SCENE_EDIT, 4, "move", "arrows"}}},
    {REQUEST_PAN_RIGHT, LAT, "pan-right", "right l", NULL, "pan, or move the cursor, right"},
    {REQUEST_PAN_UP, LAT, "pan-up", "up k", NULL, "pan, or move the cursor, up"},
    {REQUEST_PAN_DOWN, LAT, "pan-down", "down j", NULL, "pan, or move the cursor, down"},
    {REQUEST_SLICE_NEXT, LAT, "slice-next", "J pgdn", NULL, "show the next slice"},
    {REQUEST_SLICE_PREVIOUS, LAT, "slice-previous", "K pgup", NULL, "show the previous slice"},
    {REQUEST_SLICE_FIRST, LAT, "slice-first", "home", NULL, "show the first slice"},
    {REQUEST_SLICE_LAST, LAT, "slice-last", "end", NULL, "show the last slice"},
    {REQUEST_SLICE_LIVE, LAT, "slice-live", "*", NULL, "show the next slice in which a cell lives"},
    {REQUEST_INSPECT, LAT, "inspect", "enter", "i",
     "show or hide a cursor, which describes the cell under it",
     .hints = {{SCENE_LATTICE, 32, "look at a cell"}, {SCENE_CURSOR, 2, "leave"}}},
    {REQUEST_EDIT_NEXT, EDT, "edit-next", "space", NULL,
     "give the cell the next of the model's states", .hints = {{SCENE_EDIT, 1, "next state"}}},
    {REQUEST_EDIT_PASTE, EDT, "edit-paste", "p", NULL, "paste a pattern from a file at the cursor",
     .hints = {{SCENE_EDIT, 2, "paste"}}},
    {REQUEST_GLYPHS, ALL, "glyphs", "c", NULL, "change the glyph set",
     .hints = {{SCENE_LATTICE, 36, "glyphs"}}},
    {REQUEST_COLOURS, ALL, "colours", "C", NULL, "choose the colour scheme"},
    {REQUEST_NEXT_PANEL, ALL, "next-panel", "tab", NULL, "focus the next panel",
     .hints = {{VIEWS, 60, "next panel"}}, .only = VIEWS},
    {REQUEST_PREVIOUS_PANEL, ALL, "previous-panel", "shift-tab", NULL, "focus the previous panel",
     .only = VIEWS},
    {REQUEST_PANEL_1, ALL, "panel-1", "1", NULL, "show or hide the lattice", .only = VIEWS},
    {REQUEST_PANEL_2, ALL, "panel-2", "2", NULL, "show or hide the timing", .only = VIEWS},
    {REQUEST_PANEL_3, ALL, "panel-3", "3", NULL, "show or hide the observables", .only = VIEWS},
    {REQUEST_PANEL_4, ALL, "panel-4", "4", NULL, "show or hide the device", .only = VIEWS},
    {REQUEST_PANEL_5, ALL, "panel-5", "5", NULL, "show or hide the log", .only = VIEWS},
    {REQUEST_FULL_SCREEN, ALL, "full-screen", "z", NULL,
     "show the focused panel alone, or all panels again",
     .hints = {{SCENE_LATTICE, 37, "full screen"}, {VIEWS, 59, "full screen"}}, .only = VIEWS},
    {REQUEST_YANK, ALL, "yank", "y", NULL,
     "show, and copy if allowed, the command that reproduces the state",
     .hints = {{VIEWS, 61, "command of this run"}}},
    {REQUEST_SNAPSHOT, ALL, "snapshot", "w", NULL,
     "write the state, the observables of the whole run (.csv) or the screen (.txt, .ansi)",
     .hints = {{SCENE_OBSERVABLES, 30, "write a table"}, {VIEWS, 58, "write"}}},
    {REQUEST_SAVE_EXPERIMENT, ALL, "save-experiment", "W", NULL,
     "save model, size, parameters, view, pace and the rest to an experiment file"},
    {REQUEST_MOUSE, ALL, "mouse", "M", NULL,
     "turn the mouse on or off, where the terminal has one it is on; Shift selects text"},
    {REQUEST_REDRAW, ALL, "redraw", "ctrl-l", NULL, "redraw the screen and read its size again"},
    {REQUEST_SUSPEND, ALL, "suspend", "ctrl-z", NULL, "suspend the program"},
    {REQUEST_INTERRUPT, ALL, "interrupt", "ctrl-c", NULL,
     "stop the run; a second one within 2 s quits"},
    {REQUEST_ANSWER, ALL, "answer", "esc", NULL,
     "answer the alarm, which stays on the screen until then; else hide the cursor"},
    {REQUEST_HELP, ALL, "help", "? f1", NULL, "show this help",
     .hints = {{VIEWS, 11, "help"}, {SCENE_SPLIT, 6, "help"}, {SCENE_EDIT, 6, "help"}}},
    {REQUEST_MENU, ALL, "menu", "f3 ;", NULL, "choose from all that can be done here",
     .hints = {{VIEWS, 12, "menu"}, {SCENE_SPLIT, 7, "menu"}, {SCENE_EDIT, 7, "menu"}}},
    {REQUEST_QUIT, ALL, "quit", "q", NULL, "close the cursor or the single panel, else quit",
     .hints = {{VIEWS, 13, "quit"}, {SCENE_SPLIT, 11, "quit"}}},
    {REQUEST_QUIT_NOW, ALL, "quit-now", "Q", NULL, "quit immediately"},
    {REQUEST_LIST_UP, LST, "list-up", "up k", NULL, "move up",
     .hints = {{SCENE_LOG, 30, "down scroll"}}},
    {REQUEST_LIST_DOWN, LST, "list-down", "down j", NULL, "move down"},
    {REQUEST_LIST_PAGE_UP, LST, "list-page-up", "pgup K", NULL, "move up by a page"},
    {REQUEST_LIST_PAGE_DOWN, LST, "list-page-down", "pgdn J", NULL, "move down by a page"},
    {REQUEST_LIST_TOP, LST, "list-top", "home", NULL, "go to the first row"},
    {REQUEST_LIST_BOTTOM, LST, "list-bottom", "end", NULL, "go to the last row"},
    {REQUEST_LIST_OPEN, LST, "list-open", "enter", NULL, "choose or edit the row",
     .hints = {{SCENE_LIST, 1, "choose"}}},
    {REQUEST_LIST_MARK, LST, "list-mark", "space", NULL,
     "mark or unmark a GPU; the marked ones are chosen together"},
    {REQUEST_LIST_DEFAULT, LST, "list-default", "d", NULL,
     "set the selected parameter, option or initial state back to its default",
     .hints = {{SCENE_LIST, 2, "default"}}},
    {REQUEST_LIST_DEFAULTS, LST, "list-defaults", "D", NULL,
     "set all parameters, options and the initial state back to their defaults",
     .hints = {{SCENE_LIST, 3, "all to default"}}},
    {REQUEST_LIST_CLOSE, LST, "list-close", "q esc", NULL, "close the list",
     .hints = {{SCENE_LIST, 4, "close"}}},
    {REQUEST_LAB_WHO, LST, "lab-who", "O", NULL,
     "of a lab: show which thread or multiprocessor computed which cells, and its idle share"},
    {REQUEST_SEARCH, LST, "search", "/", NULL, "search for a text",
     .hints = {{SCENE_LIST, 5, "search"}, {SCENE_LOG, 31, "search"}}},
    {REQUEST_SEARCH_NEXT, LST, "search-next", "n", NULL, "go to the next match",
     .hints = {{SCENE_LIST, 6, "next"}, {SCENE_LOG, 32, "next"}}},
    {REQUEST_SEARCH_PREVIOUS, LST, "search-previous", "N", NULL, "go to the previous match"},
    {.name = NULL},
};

/* Names of the keys that are not printable characters. */
static const struct {
    const char *name;
    int code;
} named[] = {
    {"space", ' '},          {"enter", '\n'},     {"esc", 27},         {"tab", '\t'},
    {"shift-tab", KEY_BTAB}, {"up", KEY_UP},      {"down", KEY_DOWN},  {"left", KEY_LEFT},
    {"right", KEY_RIGHT},    {"pgup", KEY_PPAGE}, {"pgdn", KEY_NPAGE}, {"home", KEY_HOME},
    {"end", KEY_END},        {"insert", KEY_IC},  {"delete", KEY_DC},  {"backspace", KEY_BACKSPACE},
    {"f1", KEY_F(1)},        {"f2", KEY_F(2)},    {"f3", KEY_F(3)},    {"f4", KEY_F(4)},
    {"f5", KEY_F(5)},        {"f6", KEY_F(6)},    {"f7", KEY_F(7)},    {"f8", KEY_F(8)},
    {"f9", KEY_F(9)},
};

int keys_code(const char *name)
{
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (strcmp(named[i].name, name) == 0)
            return named[i].code;
    if (name[0] > ' ' && name[0] < 127 && name[1] == 0)
        return name[0];
    if (strncmp(name, "ctrl-", 5) == 0 && name[5] >= 'a' && name[5] <= 'z' && name[6] == 0)
        return name[5] - 'a' + 1;
    return -1;
}

const char *keys_name(int code, char name[16])
{
    name[0] = 0;
    for (size_t i = 0; i < sizeof named / sizeof *named && !name[0]; i++)
        if (named[i].code == code)
            snprintf(name, 16, "%s", named[i].name);
    if (!name[0] && code > ' ' && code < 127)
        snprintf(name, 16, "%c", code);
    else if (!name[0] && code > 0 && code <= 26)
        snprintf(name, 16, "ctrl-%c", 'a' + code - 1);
    return name;
}

/* The next name in a list of names, NULL at its end. */
static const char *next_key(const char **rest, char name[16])
{
    int n;

    *rest += strspn(*rest, " ");
    n = (int)strcspn(*rest, " ");
    if (n == 0)
        return NULL;
    snprintf(name, 16, "%.*s", n, *rest);
    *rest += n;
    return name;
}

const char *keys_first(const char *keys, char name[16])
{
    name[0] = 0;
    next_key(&keys, name);
    return name;
}

static bool has_code(const char *keys, int code)
{
    char name[16];

    while (next_key(&keys, name))
        if (keys_code(name) == code)
            return true;
    return false;
}

const struct key_row *keys_row(enum request request)
{
    for (const struct key_row *row = keys_table; row->name; row++)
        if (row->request == request)
            return row;
    return NULL;
}

const struct key_hint *keys_hint(const struct key_row *row, unsigned scene)
{
    for (const struct key_hint *hint = row->hints; hint < row->hints + KEY_HINTS; hint++)
        if (hint->scenes & scene)
            return hint;
    return NULL;
}

bool keys_belong(const struct key_row *row, unsigned scene)
{
    const struct key_hint *hint = keys_hint(row, scene);

    return (hint && hint->scenes == scene) ||
           (row->context == KEYS_LATTICE && (scene == SCENE_LATTICE || scene == SCENE_CURSOR)) ||
           (row->context == KEYS_EDIT && scene == SCENE_EDIT) ||
           (row->context == KEYS_LIST && scene == SCENE_LOG);
}

bool keys_apply(const struct key_row *row, unsigned scene)
{
    return row->context != KEYS_LIST && (row->context != KEYS_EDIT || scene == SCENE_EDIT) &&
           (!row->only || row->only & scene);
}

static int shared_weight(const struct key_row *row)
{
    const struct key_hint *hint = keys_hint(row, SCENE_OTHER); /* which has no hints of its own */

    return hint ? hint->weight : INT_MAX;
}

void keys_most_important(const struct key_row *rows[KEYS_FIRST])
{
    int count = 0;

    for (const struct key_row *row = keys_table; row->name; row++) {
        int at = count;

        while (at > 0 && shared_weight(rows[at - 1]) > shared_weight(row))
            at--;
        if (at == KEYS_FIRST)
            continue;
        count += count < KEYS_FIRST;
        memmove(&rows[at + 1], &rows[at], (size_t)(count - 1 - at) * sizeof rows[0]);
        rows[at] = row;
    }
}

bool keys_contexts_meet(enum key_context a, enum key_context b)
{
    if (a == KEYS_EDIT || b == KEYS_EDIT) /* which leaves the arrows alone */
        return a == b || a == KEYS_LATTICE || b == KEYS_LATTICE;
    return a == b || (a != KEYS_LIST && b != KEYS_LIST);
}

void keymap_preset(struct keymap *map, const char *preset)
{
    bool golly = strcmp(preset, "golly") == 0;

    memset(map, 0, sizeof *map);
    for (const struct key_row *row = keys_table; row->name; row++)
        snprintf(map->keys[row->request], sizeof map->keys[0], "%s",
                 golly && row->golly ? row->golly : row->keys);
}

bool keymap_bind(struct keymap *map, enum request request, const char *keys, char *message,
                 int size)
{
    const struct key_row *row = keys_row(request);
    const char *rest = keys;
    char name[16];
    int count = 0;

    for (; next_key(&rest, name); count++) {
        int code = keys_code(name);

        if (code < 0) {
            snprintf(message, (size_t)size,
                     "'%s' is not a key; allowed: a character, ctrl-a ... ctrl-z, space, enter, "
                     "tab, up, "
                     "f1 ... f9 and so on",
                     name);
            return false;
        }
        for (const struct key_row *other = keys_table; other->name; other++)
            if (other != row && keys_contexts_meet(row->context, other->context) &&
                has_code(map->keys[other->request], code)) {
                snprintf(message, (size_t)size, "key %s is already used by %s", name, other->name);
                return false;
            }
    }
    if (count == 0 || strlen(keys) >= sizeof map->keys[0]) {
        snprintf(message, (size_t)size, "%s needs one to five keys, separated by spaces",
                 row->name);
        return false;
    }
    snprintf(map->keys[request], sizeof map->keys[0], "%s", keys);
    return true;
}

enum request keymap_find(const struct keymap *map, enum key_context context, int code)
{
    /* A terminal sends one of three codes for Enter, and one of three for Backspace. */
    if (code == '\r' || code == KEY_ENTER)
        code = '\n';
    if (code == 127 || code == 8)
        code = KEY_BACKSPACE;
    for (const struct key_row *row = keys_table; row->name; row++)
        if (row->context == context && has_code(map->keys[row->request], code))
            return row->request;
    return REQUEST_NONE;
}
