/* SPDX-License-Identifier: MIT */
/* This file finds what the cells of a table say, and prints them. */
#include "tui/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/quantity.h"
#include "core/base/text.h"
#include "tui/escape.h"

static const json_t *member_at(const json_t *json, const char *path)
{
    char key[64];

    for (; json && path; path = strchr(path, '.') ? strchr(path, '.') + 1 : NULL) {
        snprintf(key, sizeof key, "%.*s", (int)strcspn(path, "."), path);
        json = json_is_array(json) ? json_array_get(json, strtoul(key, NULL, 10))
                                   : json_object_get(json, key);
    }
    return json;
}

char *table_sides(char text[64], const json_t *sides)
{
    const json_t *side;
    size_t i;

    text[0] = '\0';
    json_array_foreach(sides, i, side)
    {
        if (i < 3)
            ca_text_add(text, 64, "%s%" JSON_INTEGER_FORMAT, i ? "x" : "",
                        json_integer_value(side));
    }
    return text;
}

static double number_at(const struct table *table, const struct table_column *column, int row)
{
    double number;

    memcpy(&number,
           (const char *)table->records + (size_t)row * table->record_bytes + column->offset,
           sizeof number);
    return number;
}

static void cell_text(char text[TABLE_CELL], const struct table *table, int c, int row)
{
    const struct table_column *column = &table->column[c];
    const json_t *line = json_array_get(table->lines, (size_t)row), *value;
    double number, scale = column->scale > 0 ? column->scale : 1;
    char quantity[CA_QUANTITY_TEXT];

    strcpy(text, table->dash ? "" : "-");
    if (column->cell) {
        column->cell(text, table->context, row);
        return;
    }
    value = member_at(line, column->path);
    number = table->records ? number_at(table, column, row) : json_number_value(value);
    if (column->by)
        number *= json_number_value(member_at(line, column->by));
    number *= scale;
    if (column->emulated && json_is_true(member_at(line, column->emulated))) {
        strcpy(text, "emulated");
        return;
    }
    if (json_is_string(value))
        snprintf(text, TABLE_CELL, "%s", json_string_value(value));
    else if (json_is_array(value))
        table_sides(text, value);
    if (column->given && !(json_number_value(member_at(line, column->given)) > 0))
        return;
    if ((table->records ? isnan(number) : !json_is_number(value)) ||
        (number <= 0 && (column->by || column->kind == TABLE_COUNT)))
        return;
    switch (column->kind) {
    case TABLE_VALUE:
    case TABLE_COUNT:
        if (json_is_integer(value))
            snprintf(text, TABLE_CELL, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        else
            snprintf(text, TABLE_CELL, "%.*g", column->digits, number);
        break;
    case TABLE_FIXED:
        snprintf(text, TABLE_CELL, "%.*f", column->digits, number);
        break;
    case TABLE_THOUSANDS:
        strcpy(text, ca_thousands(quantity, (uint64_t)number));
        break;
    case TABLE_TIMES:
        strcpy(text, ca_three_digits(quantity, number));
        break;
    case TABLE_PERCENT:
        snprintf(text, TABLE_CELL, "%.0f%%", 100 * number);
        break;
    case TABLE_RATE:
        strcpy(text, ca_rate(quantity, number));
        break;
    case TABLE_DURATION:
        snprintf(text, TABLE_CELL, "%s%s", number < 0 ? "-" : "",
                 ca_duration(quantity, fabs(number)));
        break;
    }
}

void table_text(char text[TABLE_CELL], const struct table *table, int column, int line)
{
    cell_text(text, table, column, line);
    ca_plain(text);
}

static bool column_is_shown(const struct table *table, int c, enum table_form form)
{
    const struct table_column *column = &table->column[c];
    bool any = !column->if_any;
    char text[TABLE_CELL];

    if ((column->form != TABLE_ANY_FORM &&
         (form == TABLE_CSV) != (column->form == TABLE_ONLY_CSV)) ||
        (column->shown && !column->shown(table->context)))
        return false;
    for (size_t i = 0; !any && i < json_array_size(table->lines); i++) {
        table_text(text, table, c, (int)i);
        any = text[0] && strcmp(text, "-") != 0;
    }
    return any;
}

/* A cell that is not one of a text. */
static void print_cell(FILE *out, const char *text, bool csv, bool first)
{
    fputs(csv ? first ? "" : "," : first ? "| " : " ", out);
    if (csv)
        escape_csv(out, text);
    else
        escape_markdown(out, text, false);
    fputs(csv ? "" : " |", out);
}

struct layout {
    bool shown[TABLE_COLUMNS_MAX];
    int width[TABLE_COLUMNS_MAX];
    int last; /* the column */
};

#define TABLE_RULE (-2) /* the line below the heading in Markdown */

static char *cell_at(char text[TABLE_CELL], const struct table *table, int c, int row)
{
    const struct table_column *column = &table->column[c];

    if (row >= 0)
        table_text(text, table, c, row);
    else
        snprintf(text, TABLE_CELL, "%s",
                 row == TABLE_HEADING ? column->name
                 : column->left       ? "---"
                                      : "---:");
    return text;
}

static void marked_row(FILE *out, const struct table *table, const struct layout *layout,
                       enum table_form form, int row)
{
    bool first = true;

    for (int c = 0; c < table->columns; c++) {
        char text[TABLE_CELL];

        if (!layout->shown[c])
            continue;
        cell_at(text, table, c, row);
        if (row == TABLE_RULE && table->tight)
            fprintf(out, "%s%s|", first ? "|" : "", text);
        else if (row == TABLE_HEADING && !text[0])
            fputs(form == TABLE_CSV ? "" : first ? "| |" : " |", out);
        else
            print_cell(out, text, form == TABLE_CSV, first);
        first = false;
    }
    putc('\n', out);
}

static void text_row(char *text, size_t size, const struct table *table,
                     const struct layout *layout, int row)
{
    char cell[TABLE_CELL], remark[TABLE_CELL];
    bool may_end = table->remark && row != TABLE_HEADING;
    int end = may_end ? table->remark(remark, table->context, row) : -1;
    int at = 0; /* characters */

    text[0] = '\0';
    for (int c = 0; c < table->columns; c++) {
        const struct table_column *column = &table->column[c];
        int width = layout->width[c], gap = at == 0 ? 0 : column->gap ? column->gap : TABLE_GAP;

        if (!layout->shown[c])
            continue;
        cell_at(cell, table, c, row);
        if (c == end)
            strcpy(cell, remark);
        else if (!cell[0] && table->dash)
            strcpy(cell, "-");
        if (at == 0 && !column->width && (int)strlen(cell) > width)
            ca_text_add(text, size, "%.*s\n%*s", table->most ? table->most : TABLE_CELL, cell,
                        width, "");
        else if (c == end || (c == layout->last && column->left))
            ca_text_add(text, size, "%*s%.*s", cell[0] ? gap : 0, "",
                        table->most ? table->most - at - gap : TABLE_CELL, cell);
        else
            ca_text_add(text, size, "%*s%*s", gap, "", column->left ? -width : width, cell);
        if (c == end)
            break;
        at += gap + width;
    }
}

static struct layout layout_of(const struct table *table, enum table_form form)
{
    struct layout layout = {.last = 0};
    int rest = 0;

    for (int c = 0; c < table->columns; c++) {
        const struct table_column *column = &table->column[c];
        int lines = column->width ? 0 : (int)json_array_size(table->lines);

        layout.shown[c] = column_is_shown(table, c, form);
        layout.width[c] = column->width ? column->width : (int)strlen(column->name);
        layout.last = layout.shown[c] ? c : layout.last;
        for (int i = 0; i < lines; i++) {
            char text[TABLE_CELL];

            if (table->among && !table->among(table->context, i, table->number))
                continue;
            table_text(text, table, c, i);
            if ((int)strlen(text) > layout.width[c])
                layout.width[c] = (int)strlen(text);
        }
        rest += c > 0 && layout.shown[c] ? TABLE_GAP + layout.width[c] : 0;
    }
    if (table->most && layout.width[0] + rest > table->most)
        layout.width[0] = table->most - rest > 16 ? table->most - rest : 16;
    if (table->first_most && layout.width[0] > table->first_most)
        layout.width[0] = table->first_most;
    return layout;
}

char *table_line(char *text, size_t size, const struct table *table, int line)
{
    struct layout layout = layout_of(table, TABLE_TEXT);

    text_row(text, size, table, &layout, line);
    return text;
}

void table_print(FILE *out, const struct table *table, enum table_form form)
{
    struct layout layout = layout_of(table, form);
    char text[TABLE_COLUMNS_MAX * (TABLE_CELL + TABLE_GAP)];

    for (int row = TABLE_HEADING; row < (int)json_array_size(table->lines); row++) {
        if (row >= 0 && table->among && !table->among(table->context, row, table->number))
            continue;
        if (form == TABLE_TEXT) {
            text_row(text, sizeof text, table, &layout, row);
            fprintf(out, "%s\n", text);
            continue;
        }
        marked_row(out, table, &layout, form, row);
        if (row == TABLE_HEADING && form == TABLE_MARKDOWN)
            marked_row(out, table, &layout, form, TABLE_RULE);
    }
}
