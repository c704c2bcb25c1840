/* SPDX-License-Identifier: MIT */
/*
 * Dialogs over the panels: lists (pickers that filter as you type, editors, help) and prompts (an
 * input line). They form a small stack; the top one receives the keys.
 */
#ifndef CALAB_TUI_WORKBENCH_BASE_DIALOG_H
#define CALAB_TUI_WORKBENCH_BASE_DIALOG_H

#include "tui/complete.h"
#include "tui/workbench/base/part.h"

#define PROMPT_MAX 512
#define LIST_KEYS 12

/* A character beyond ASCII has its code point plus this as key code, to differ from KEY_... */
#define KEY_WIDE 0x100000

struct list_row {
    int item; /* what it stands for, for its source */
    char text[256];
    char detail[1024]; /* shown beneath the list while the row is selected */
    const char *mark;  /* drawn before the text; NULL: nothing */
    int indent;        /* in a text: the column of continuation lines */
    bool heading;      /* cannot be selected */
    bool disabled;     /* cannot be chosen; choosing it reports why */
    bool current;      /* marked with '*' */
};

/* A key of a list, which takes it before all lists do. */
struct list_key {
    enum request request;
    const char *hint;                           /* in the last line of the screen; NULL: none */
    void (*perform)(struct workbench *wb);      /* NULL: what all lists do */
    bool (*is_now)(const struct workbench *wb); /* false: it is not the list's; NULL: it is */
};

/* A list shows this. */
struct list_source {
    const char *title;
    /* Adds all rows, by list_add. */
    void (*fill)(struct workbench *wb);
    /* Chooses a row. True: the list closes. NULL: a text without selection. */
    bool (*open)(struct workbench *wb, const struct list_row *row);
    /* Marks or unmarks a row; what is marked the source keeps. Returns why not, NULL: it is done.
     * NULL: rows have no marks. */
    const char *(*mark)(struct workbench *wb, int item);
    bool filter;     /* letters filter the rows; else they are keys */
    int detail;      /* lines of detail */
    int detail_most; /* so many where the detail of some row needs them */
    /* Sets a row, or with -1 all of them, back to what is built in. NULL: rows have no default. */
    void (*restore)(struct workbench *wb, int item);
    struct list_key keys[LIST_KEYS]; /* none: those of all lists; behind the last is none */
    /* The list whose keys it has as well, at present NULL or not. NULL: it never has others. */
    const struct list_source *(*others)(const struct workbench *wb);
    bool is_table; /* of measurements: beside the lattice on a wide screen */
    /* Whether a plot takes the place of its rows, and draws that, with the item of the selected row
     * (-1: none) under its cursor. NULL: there is no plot. */
    bool (*is_plotted)(const struct workbench *wb);
    void (*plot)(struct workbench *wb, struct rect at, int item);
    /* The style of a byte of a row that is not selected. NULL: one style for all of a row. */
    enum style (*style)(const struct list_row *row, int byte);
};

/* Offers what can stand in a line, or in an argument. */
typedef void candidates(struct workbench *wb, struct completion *completion);

/* A prompt asks for this. */
struct prompt_source {
    const char *label;
    /* True: done. False with an error: the prompt stays. `item` is the one of prompt_open. */
    bool (*accept)(struct workbench *wb, int item, const char *text, struct ca_error *error);
    /* In its place: it is done, with messages of its own where something is wrong. */
    void (*run)(struct workbench *wb, const char *text);
    candidates *offer; /* for Tab; NULL: nothing */
    /* In its place: completes the line in text; puts several candidates into message. */
    void (*complete)(struct workbench *wb, char *text, char *message, int size);
    bool optional; /* an empty line closes it */
    bool writes;   /* a file, which is replaced only where that is asked for twice */
    bool history;  /* Up and Down recall earlier lines */
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

/* Adds a row to the list that is being filled. */
struct list_row *list_add(int item, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* All rows of a list, until the next one is filled; the last one has item -1 and no text. */
const struct list_row *list_fill(struct workbench *wb, const struct list_source *source);
/* The columns that the text of a row has. */
int list_columns(const struct workbench *wb, const struct list_source *source);
/* Opens at the current row, or at the first. */
void list_open(struct workbench *wb, const struct list_source *source);
bool list_is_open(const struct workbench *wb, const struct list_source *source);
bool list_is_plotted(const struct workbench *wb, const struct list_source *source);
/* The item of the selected row, -1: none is. */
int list_item(struct workbench *wb, struct dialog *dialog);
/* The rows of a list are others: selects the current one, or the first, where it is open. */
void list_reselect(struct workbench *wb, const struct list_source *source);
/* The rows that a key of lists moves by, where a page has so many and there are so many at most. */
int list_moves(enum request request, int page, int most);
void prompt_open(struct workbench *wb, const struct prompt_source *source, int item,
                 const char *text, const char *help);
/* The same for a file to be written, with STEM.ENDING as its name, or the first one of
 * STEM-2.ENDING and so on that does not exist. */
void prompt_open_file(struct workbench *wb, const struct prompt_source *source, const char *stem,
                      const char *ending, const char *help);
bool file_is_there(const char *path);
/* Completion of files, and of a line: puts what all candidates begin with in place of the word that
 * they complete. */
candidates file_words;
void completion_extend(const struct completion *completion, char *text, char *message, int size);

/* A key that searches: asks for the text, or goes to the next place of the last one, by a function
 * that goes in a direction from the present place. False: it is another key. */
bool search_key(struct workbench *wb, enum request request,
                void (*search)(struct workbench *wb, int direction));
/* The last text that was searched for, in lists and in the log. */
#define DIALOGS_SEARCH 64
char *dialogs_search(const struct workbench *wb);

void dialog_close(struct workbench *wb);
void dialogs_close(struct workbench *wb);
/* The dialog that receives the keys, NULL for none; and how many are open. */
struct dialog *dialog_top(const struct workbench *wb);
int dialogs_depth(const struct workbench *wb);
void dialog_remove(struct workbench *wb, int place); /* takes out the one at this place */
void dialog_key(struct workbench *wb, int code);
void dialogs_draw(struct workbench *wb);

/* What is said of a key that does nothing where it was pressed. */
void key_no_meaning(int code, char *text, size_t size);

/* list.c */
void list_key(struct workbench *wb, struct dialog *dialog, int code);
/* A click on a row, or the wheel, -1 or 1, anywhere. Returns the code of the key that the click
 * stands for, 0: none. */
#define WHEEL_ROWS 3 /* of a notch */
int list_mouse(struct workbench *wb, struct dialog *dialog, int row, int column, int wheel);
void list_draw(struct workbench *wb, struct dialog *dialog);
void list_select(struct workbench *wb, struct dialog *dialog);

#endif
