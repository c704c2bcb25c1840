/* SPDX-License-Identifier: MIT */
/*
 * Dialogs over the panels: lists (pickers that filter as you type, editors, help) and prompts (a
 * line to type). They stand on a small stack; the top one has the keys.
 */
#ifndef CALAB_TUI_WORKBENCH_DIALOG_H
#define CALAB_TUI_WORKBENCH_DIALOG_H

#include <stdbool.h>

#include "core/base/error.h"

#define DIALOGS_MAX 4
#define PROMPT_MAX 512

/* Code of a character beyond ASCII: its number plus this, so that it is no KEY_... */
#define KEY_WIDE 0x100000

struct workbench;

struct list_row {
    char text[256];
    char detail[1024]; /* shown beneath the list while the row is selected */
    int indent;        /* of a text to read: where its second line begins */
    bool heading;      /* cannot be selected */
    bool disabled;     /* shown quiet; choosing it says why */
    bool current;      /* marked with '*' */
};

/* What a list shows. */
struct list_source {
    const char *title;
    int (*count)(struct workbench *wb);
    void (*row)(struct workbench *wb, int index, struct list_row *row);
    /* True: the list closes. NULL: a text to read. */
    bool (*open)(struct workbench *wb, int index);
    bool filter; /* letters filter; else they are keys */
    int detail;  /* lines of detail */
};

/* What a prompt asks. */
struct prompt_source {
    const char *label;
    /* True: done. False with an error: it stays. `item` is what prompt_open was given. */
    bool (*accept)(struct workbench *wb, int item, const char *text, struct ca_error *error);
    /* Puts the completed line into text, and the candidates, if several, into message. May be NULL.
     */
    void (*complete)(struct workbench *wb, char *text, char *message, int size);
    bool history; /* Up and Down recall what was typed */
};

struct dialog {
    const struct list_source *list; /* one of the two */
    const struct prompt_source *prompt;
    int item;
    int selected, top; /* of the list, among the rows shown */
    char text[PROMPT_MAX];
    int cursor; /* byte in text */
    int recall; /* lines back in the history, 0: the line being typed */
    char help[1024];
    char message[256];
};

/* At the row that is current, or at the first. */
void list_open(struct workbench *wb, const struct list_source *source);
void prompt_open(struct workbench *wb, const struct prompt_source *source, int item,
                 const char *text, const char *help);
void dialog_close(struct workbench *wb);
void dialogs_close(struct workbench *wb);
/* The dialog that has the keys, NULL for none. */
struct dialog *dialog_top(struct workbench *wb);

void dialog_key(struct workbench *wb, int code);
void dialogs_draw(struct workbench *wb);

/* list.c and prompt.c */
void list_key(struct workbench *wb, struct dialog *dialog, int code);
void list_draw(struct workbench *wb, struct dialog *dialog);
void list_select(struct workbench *wb, struct dialog *dialog);
void prompt_key(struct workbench *wb, struct dialog *dialog, int code);
void prompt_draw(struct workbench *wb, struct dialog *dialog);

#endif
