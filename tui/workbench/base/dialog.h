/* SPDX-License-Identifier: MIT */
/*
 * Dialogs over the panels: lists (pickers that filter as you type, editors, help) and prompts (an
 * input line). They form a small stack; the top one receives the keys.
 */
#ifndef CALAB_TUI_WORKBENCH_BASE_DIALOG_H
#define CALAB_TUI_WORKBENCH_BASE_DIALOG_H

#include <stdbool.h>

#include "core/base/error.h"
#include "tui/keys.h"
#include "tui/workbench/base/part.h"

#define DIALOGS_MAX 4
#define PROMPT_MAX 512

/* A character beyond ASCII has its code point plus this as key code, to differ from KEY_... */
#define KEY_WIDE 0x100000

struct workbench;

struct list_row {
    char text[256];
    char detail[1024]; /* shown beneath the list while the row is selected */
    const char *mark;  /* drawn before the text; NULL: nothing */
    int indent;        /* in a text: the column of continuation lines */
    bool heading;      /* cannot be selected */
    bool disabled;     /* cannot be chosen; choosing it reports why */
    bool current;      /* marked with '*' */
};

/* A key of a list, which takes it before all lists do. A row without a request ends the table. */
struct list_key {
    enum request request;
    const char *hint;                           /* in the last line of the screen; NULL: none */
    void (*perform)(struct workbench *wb);      /* NULL: what all lists do */
    bool (*is_now)(const struct workbench *wb); /* false: it is not the list's; NULL: it is */
};

/* A list shows this. */
struct list_source {
    const char *title;
    int (*count)(struct workbench *wb);
    void (*row)(struct workbench *wb, int index, struct list_row *row);
    /* Chooses a row. True: the list closes. NULL: a text without selection. */
    bool (*open)(struct workbench *wb, int index);
    /* Marks or unmarks a row; what is marked the source keeps. Returns why not, NULL: it is done.
     * NULL: rows have no marks. */
    const char *(*mark)(struct workbench *wb, int index);
    bool filter;     /* letters filter the rows; else they are keys */
    int detail;      /* lines of detail */
    int detail_most; /* so many where the detail of some row needs them */
    /* Sets a row, or with -1 all of them, back to what is built in. NULL: rows have no default. */
    void (*restore)(struct workbench *wb, int index);
    const struct list_key *keys; /* NULL: those of all lists */
    /* The list whose keys it has as well, at present NULL or not. NULL: it never has others. */
    const struct list_source *(*others)(const struct workbench *wb);
    bool is_table; /* of measurements: beside the lattice on a wide screen */
};

/* A prompt asks for this. */
struct prompt_source {
    const char *label;
    /* True: done. False with an error: the prompt stays. `item` is the one of prompt_open. */
    bool (*accept)(struct workbench *wb, int item, const char *text, struct ca_error *error);
    /* Completes the line in text; puts several candidates into message. May be NULL. */
    void (*complete)(struct workbench *wb, char *text, char *message, int size);
    bool history; /* Up and Down recall earlier lines */
};

struct dialog {
    const struct list_source *list; /* either list or prompt is set */
    const struct prompt_source *prompt;
    int item;
    int selected, top; /* indices among the shown rows of the list */
    char text[PROMPT_MAX];
    int cursor; /* byte in text */
    bool fresh; /* the text was put there, and what is typed first replaces it */
    int recall; /* lines back in the history, 0: the line being typed */
    char help[1024];
    char message[256];
};

extern const struct part dialogs_part;

/* The last text that was searched for, in lists and in the log: the key that searches on takes it
 * again. */
#define DIALOGS_SEARCH 64
char *dialogs_search(const struct workbench *wb);

/* The index of the selected row, -1: none. */
int list_index(struct workbench *wb, struct dialog *dialog);
/* Opens at the current row, or at the first. */
void list_open(struct workbench *wb, const struct list_source *source);
void prompt_open(struct workbench *wb, const struct prompt_source *source, int item,
                 const char *text, const char *help);
void dialog_close(struct workbench *wb);
bool list_is_open(const struct workbench *wb, const struct list_source *source);
/* The rows of a list are others: selects the current one, or the first, where it is open. */
void list_reselect(struct workbench *wb, const struct list_source *source);
void dialogs_close(struct workbench *wb);
/* The dialog that receives the keys, NULL for none. */
struct dialog *dialog_top(const struct workbench *wb);
/* How many are open. */
int dialogs_depth(const struct workbench *wb);

void dialog_key(struct workbench *wb, int code);
void dialogs_draw(struct workbench *wb);

/* list.c and prompt.c */
void list_key(struct workbench *wb, struct dialog *dialog, int code);
void list_draw(struct workbench *wb, struct dialog *dialog);
void list_select(struct workbench *wb, struct dialog *dialog);
void prompt_key(struct workbench *wb, struct dialog *dialog, int code);
void prompt_draw(struct workbench *wb, struct dialog *dialog);

#endif
