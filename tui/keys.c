/* SPDX-License-Identifier: MIT */
/* This table holds the keys; the file also knows the names of keys and the bindings of this run. */
#include "tui/keys.h"

#include <curses.h>
#include <stdio.h>
#include <string.h>

#define ALL KEYS_EVERYWHERE
#define LAT KEYS_LATTICE
#define EDT KEYS_EDIT
#define LST KEYS_LIST

const struct key_row keys_table[] = {
    {REQUEST_RUN, ALL, "run", "space p", "enter p", "run", "run or pause"},
    {REQUEST_STEP, ALL, "step", ".", "space .", "step", "pause and step one generation"},
    {REQUEST_STRIDE, ALL, "stride", ">", NULL, NULL,
     "step as many generations as the setting stride says"},
    {REQUEST_FASTER, ALL, "faster", "+ =", NULL, NULL, "double the generations per frame"},
    {REQUEST_SLOWER, ALL, "slower", "-", NULL, NULL,
     "halve the generations per frame; below 1, steps are delayed"},
    {REQUEST_RESET, ALL, "reset", "r", NULL, "reset", "return to generation 0"},
    {REQUEST_UNDO, ALL, "undo", "u", NULL, NULL, "return to the state before the last reset"},
    {REQUEST_RESEED, ALL, "reseed", "R", NULL, NULL, "change the seed and restart at generation 0"},
    {REQUEST_GOTO, ALL, "goto", "g", NULL, NULL, "go to a generation, or to a cell x,y,z"},
    {REQUEST_MODEL, ALL, "model", "m", NULL, "model",
     "choose the model, or an experiment that comes with it"},
    {REQUEST_BACKEND, ALL, "backend", "b", NULL, "backend",
     "choose the backend and keep the state"},
    {REQUEST_PREVIOUS_BACKEND, ALL, "previous-backend", "B", NULL, NULL,
     "return to the previous backend; in a split, choose the backend of B"},
    {REQUEST_SPLIT, ALL, "split", "x", NULL, "split",
     "run another backend beside this one, in lock step, and compare; again: only A"},
    {REQUEST_CROSSOVER, ALL, "crossing", "L", NULL, NULL,
     "in a split, measure both by length of call and by size"},
    {REQUEST_LADDER, ALL, "ladder", "T", NULL, NULL,
     "time and check every backend on this lattice"},
    {REQUEST_VERIFY, ALL, "verify", "V", NULL, NULL,
     "check every backend of the model against the reference"},
    {REQUEST_PROBE, ALL, "probe", "P", NULL, NULL,
     "measure what this machine can do at most, of which the timing shows shares"},
    {REQUEST_LAB, ALL, "lab", "t", NULL, NULL,
     "open a lab: its kernel is compiled, checked and timed each time it is saved"},
    {REQUEST_DEVICE, ALL, "device", "d", NULL, NULL, "choose the device"},
    {REQUEST_PARAMETERS, ALL, "parameters", "e", NULL, "edit", "edit parameters and options"},
    {REQUEST_EDIT, ALL, "edit", "E", NULL, NULL,
     "edit cells under a cursor, which arrows move; again: leave"},
    {REQUEST_SIZE, ALL, "size", "s", NULL, NULL, "change the size and restart at generation 0"},
    {REQUEST_SETTINGS, ALL, "settings", "o f2", NULL, "settings", "edit settings and keys"},
    {REQUEST_COMMAND, ALL, "command", ":", NULL, NULL,
     "open the command line: goto, set, open, bench and more; Tab completes"},
    {REQUEST_DRAWN, ALL, "drawn", "v", NULL, NULL,
     "choose what is drawn: state, density, last change, fields, difference from the reference"},
    {REQUEST_AXIS, ALL, "axis", "a", NULL, NULL, "change the orientation of the slice: XY, XZ, YZ"},
    {REQUEST_ZOOM_OUT, ALL, "zoom-out", "[", NULL, NULL, "zoom out by one step"},
    {REQUEST_ZOOM_IN, ALL, "zoom-in", "]", NULL, NULL, "zoom in by one step"},
    {REQUEST_HALVE, ALL, "halve", "{", NULL, NULL, "halve the scale"},
    {REQUEST_DOUBLE, ALL, "double", "}", NULL, NULL, "double the scale"},
    {REQUEST_FIT, ALL, "fit", "f", NULL, "fit", "fit the whole slice into the panel"},
    {REQUEST_ORIGIN, ALL, "origin", "0", NULL, NULL, "show the origin, each cell by itself"},
    {REQUEST_PAN_LEFT, LAT, "pan-left", "left h", NULL, NULL, "pan, or move the cursor, left"},
    {REQUEST_PAN_RIGHT, LAT, "pan-right", "right l", NULL, NULL, "pan, or move the cursor, right"},
    {REQUEST_PAN_UP, LAT, "pan-up", "up k", NULL, NULL, "pan, or move the cursor, up"},
    {REQUEST_PAN_DOWN, LAT, "pan-down", "down j", NULL, NULL, "pan, or move the cursor, down"},
    {REQUEST_SLICE_NEXT, LAT, "slice-next", "J pgdn", NULL, NULL, "show the next slice"},
    {REQUEST_SLICE_PREVIOUS, LAT, "slice-previous", "K pgup", NULL, NULL,
     "show the previous slice"},
    {REQUEST_SLICE_FIRST, LAT, "slice-first", "home", NULL, NULL, "show the first slice"},
    {REQUEST_SLICE_LAST, LAT, "slice-last", "end", NULL, NULL, "show the last slice"},
    {REQUEST_INSPECT, LAT, "inspect", "enter", "i", NULL,
     "show or hide a cursor, which describes the cell under it"},
    {REQUEST_EDIT_NEXT, EDT, "edit-next", "space", NULL, NULL,
     "give the cell the next of the model's states"},
    {REQUEST_EDIT_PASTE, EDT, "edit-paste", "p", NULL, NULL,
     "paste a pattern from a file at the cursor"},
    {REQUEST_GLYPHS, ALL, "glyphs", "c", NULL, NULL, "change the glyph set"},
    {REQUEST_COLOURS, ALL, "colours", "C", NULL, NULL, "choose the colour scheme"},
    {REQUEST_NEXT_PANEL, ALL, "next-panel", "tab", NULL, NULL, "focus the next panel"},
    {REQUEST_PREVIOUS_PANEL, ALL, "previous-panel", "shift-tab", NULL, NULL,
     "focus the previous panel"},
    {REQUEST_PANEL_1, ALL, "panel-1", "1", NULL, NULL, "show or hide the lattice"},
    {REQUEST_PANEL_2, ALL, "panel-2", "2", NULL, NULL, "show or hide the timing"},
    {REQUEST_PANEL_3, ALL, "panel-3", "3", NULL, NULL, "show or hide the observables"},
    {REQUEST_PANEL_4, ALL, "panel-4", "4", NULL, NULL, "show or hide the device"},
    {REQUEST_PANEL_5, ALL, "panel-5", "5", NULL, NULL, "show or hide the log"},
    {REQUEST_FULL_SCREEN, ALL, "full-screen", "z", NULL, NULL,
     "show the focused panel alone, or all panels again"},
    {REQUEST_YANK, ALL, "yank", "y", NULL, NULL,
     "show, and copy if allowed, the command that reproduces the state"},
    {REQUEST_SNAPSHOT, ALL, "snapshot", "w", NULL, NULL,
     "write the state, the observables of the whole run (.csv) or the screen (.txt, .ansi)"},
    {REQUEST_SAVE_EXPERIMENT, ALL, "save-experiment", "W", NULL, NULL,
     "save model, size, parameters, view, pace and the rest to an experiment file"},
    {REQUEST_MOUSE, ALL, "mouse", "M", NULL, NULL,
     "turn the mouse on or off; a click focuses or sets the cursor, the wheel zooms"},
    {REQUEST_REDRAW, ALL, "redraw", "ctrl-l", NULL, NULL,
     "redraw the screen and read its size again"},
    {REQUEST_SUSPEND, ALL, "suspend", "ctrl-z", NULL, NULL, "suspend the program"},
    {REQUEST_INTERRUPT, ALL, "interrupt", "ctrl-c", NULL, NULL,
     "stop the run; a second one within 2 s quits"},
    {REQUEST_ANSWER, ALL, "answer", "esc", NULL, NULL,
     "answer the alarm, which stays on the screen until then; else hide the cursor"},
    {REQUEST_HELP, ALL, "help", "? f1", NULL, "help", "show this help"},
    {REQUEST_QUIT, ALL, "quit", "q", NULL, "quit",
     "close the cursor or the single panel, else quit"},
    {REQUEST_QUIT_NOW, ALL, "quit-now", "Q", NULL, NULL, "quit immediately"},
    {REQUEST_LIST_UP, LST, "list-up", "up k", NULL, NULL, "move up"},
    {REQUEST_LIST_DOWN, LST, "list-down", "down j", NULL, NULL, "move down"},
    {REQUEST_LIST_PAGE_UP, LST, "list-page-up", "pgup K", NULL, NULL, "move up by a page"},
    {REQUEST_LIST_PAGE_DOWN, LST, "list-page-down", "pgdn J", NULL, NULL, "move down by a page"},
    {REQUEST_LIST_TOP, LST, "list-top", "home", NULL, NULL, "go to the first row"},
    {REQUEST_LIST_BOTTOM, LST, "list-bottom", "end", NULL, NULL, "go to the last row"},
    {REQUEST_LIST_OPEN, LST, "list-open", "enter", NULL, "choose", "choose or edit the row"},
    {REQUEST_LIST_MARK, LST, "list-mark", "space", NULL, NULL,
     "mark or unmark a GPU; the marked ones are chosen together"},
    {REQUEST_LIST_DEFAULT, LST, "list-default", "d", NULL, "default",
     "set the selected parameter, option or initial state back to its default"},
    {REQUEST_LIST_DEFAULTS, LST, "list-defaults", "D", NULL, "all to default",
     "set all parameters, options and the initial state back to their defaults"},
    {REQUEST_LIST_CLOSE, LST, "list-close", "q esc", NULL, "close", "close the list"},
    {REQUEST_SEARCH, LST, "search", "/", NULL, "search", "search for a text"},
    {REQUEST_SEARCH_NEXT, LST, "search-next", "n", NULL, "next", "go to the next match"},
    {REQUEST_SEARCH_PREVIOUS, LST, "search-previous", "N", NULL, NULL, "go to the previous match"},
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
