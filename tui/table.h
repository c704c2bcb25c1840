/* SPDX-License-Identifier: MIT */
/* Tables of results as aligned text, CSV and Markdown. A column is a row of a table: it says which
 * member of a line's JSON, or of a struct, it shows, and how. */
#ifndef CALAB_TUI_TABLE_H
#define CALAB_TUI_TABLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#define TABLE_CELL 256
#define TABLE_COLUMNS_MAX 64
#define TABLE_GAP 2 /* blanks between columns of a text */
#define TABLE_HEADING (-1)

enum table_form { TABLE_TEXT, TABLE_CSV, TABLE_MARKDOWN };

enum table_kind {
    TABLE_VALUE,     /* a text, a list of sides as 512x512, a whole number, or one with `digits` */
    TABLE_COUNT,     /* a whole number, 0 is unknown */
    TABLE_FIXED,     /* a number with `digits` behind the point */
    TABLE_THOUSANDS, /* a whole number, as 3,117 */
    TABLE_TIMES,     /* three digits of a factor */
    TABLE_PERCENT,   /* of a share */
    TABLE_RATE,      /* cell updates a second */
    TABLE_DURATION,  /* of seconds, which may be below 0 */
};

typedef void table_cell(char text[TABLE_CELL], const void *context, int line);

struct table_column {
    const char *name; /* the heading */
    const char *path; /* of a member of the line's JSON, as experiment.model; "-" without it */
    size_t offset;    /* without a path, of a double in the line's struct; "-" for NAN */
    enum table_kind kind;
    double scale;         /* times which a number is shown, 0: 1 */
    const char *by;       /* another member that it is multiplied by */
    const char *given;    /* a member without which, above 0, the cell is empty */
    const char *emulated; /* a member with which, if true, a figure is no speed: "emulated" */
    int digits;           /* of a number that is not whole */
    table_cell *cell;     /* in place of a member */
    /* Of a text: characters that the column has, beyond which a longer cell pushes those behind it,
     * 0: as many as its longest cell; blanks before it, 0: TABLE_GAP. */
    int width, gap;
    bool left;
    bool if_any; /* shown where a line has more than "-" in it */
    bool (*shown)(const void *context);
    enum { TABLE_ANY_FORM, TABLE_ONLY_CSV, TABLE_NOT_CSV } form;
};

struct table {
    const struct table_column *column;
    int columns;         /* at most TABLE_COLUMNS_MAX */
    const json_t *lines; /* an object for each */
    const void *records; /* in its place: an array of structs of so many bytes */
    size_t record_bytes;
    const void *context; /* for cells */
    /* The column from which on a text of its own stands in a line of text, -1: none. NULL: none in
     * any line. */
    int (*remark)(char text[TABLE_CELL], const void *context, int line);
    /* Whether a line is among those that are shown, NULL: all. */
    bool (*among)(const void *context, int line, int number);
    int number;
    /* A text has so many columns of characters at most, 0: any number: the first column is made
     * narrower, in which a text for which there is no room stands on a line of its own, and the
     * last one is cut. */
    int most;
    int first_most; /* widest that the first column may be, 0: as wide as any */
    bool dash;      /* an empty cell of a text is "-" */
    bool tight;     /* the line below the heading has no blanks in Markdown */
};

void table_text(char text[TABLE_CELL], const struct table *table, int column, int line);
/* [512, 512] as 512x512. Returns text. */
char *table_sides(char text[64], const json_t *sides);
void table_print(FILE *out, const struct table *table, enum table_form form);
/* A line of a text, without its end, or TABLE_HEADING. Returns text. */
char *table_line(char *text, size_t size, const struct table *table, int line);

#endif
