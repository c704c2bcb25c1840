/* SPDX-License-Identifier: MIT */
/* This file finds what the cells of a table say, and prints them. */
#include "tui/commands/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/quantity.h"

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
    size_t i, used = 0;

    text[0] = '\0';
    json_array_foreach(sides, i, side) if (i < 3) used += (size_t)snprintf(
        text + used, 64 - used, "%s%" JSON_INTEGER_FORMAT, i ? "x" : "", json_integer_value(side));
    return text;
}

void table_text(char text[TABLE_CELL], const struct table *table, int c, int row)
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
    number = json_number_value(value);
    if (column->by)
        number *= json_number_value(member_at(line, column->by));
    number *= scale;
    if (column->kind == TABLE_SPEED && json_is_true(json_object_get(line, "emulated")))
        strcpy(text, "emulated");
    else if (json_is_string(value))
        snprintf(text, TABLE_CELL, "%s", json_string_value(value));
    else if (json_is_array(value))
        table_sides(text, value);
    if (column->given && !(json_number_value(member_at(line, column->given)) > 0))
        return;
    if (!json_is_number(value) || (number <= 0 && (column->by || column->kind == TABLE_COUNT)))
        return;
    switch (column->kind) {
    case TABLE_VALUE:
    case TABLE_COUNT:
        if (json_is_integer(value))
            snprintf(text, TABLE_CELL, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        else
            snprintf(text, TABLE_CELL, "%.*g", column->digits, number);
        break;
    case TABLE_TIMES:
        strcpy(text, ca_three_digits(quantity, number));
        break;
    case TABLE_PERCENT:
        snprintf(text, TABLE_CELL, "%.0f%%", 100 * number);
        break;
    case TABLE_RATE:
    case TABLE_SPEED:
        strcpy(text, ca_rate(quantity, number));
        break;
    case TABLE_DURATION:
        snprintf(text, TABLE_CELL, "%s%s", number < 0 ? "-" : "",
                 ca_duration(quantity, fabs(number)));
        break;
    }
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
static void print_cell(FILE *out, const struct table *table, const char *text, bool csv, bool first)
{
    bool quoted = csv && (strpbrk(text, ",\"\n") ||
                          (table->formulas && text[0] && strchr(table->formulas, text[0])));

    fputs(csv ? first ? "" : "," : first ? "| " : " ", out);
    fputs(quoted ? "\"" : "", out);
    for (; *text; text++)
        fprintf(out, csv && *text == '"' ? "\"\"" : !csv && *text == '|' ? "\\|" : "%c", *text);
    fputs(quoted ? "\"" : csv ? "" : " |", out);
}

struct layout {
    bool shown[TABLE_COLUMNS_MAX];
    int width[TABLE_COLUMNS_MAX];
    int last; /* the column */
};

/* Row -1 is the heading, row -2 the line below it in Markdown. */
static void table_row(FILE *out, const struct table *table, const struct layout *layout,
                      enum table_form form, int row)
{
    int at = 0; /* characters */

    for (int c = 0; c < table->columns; c++) {
        const struct table_column *column = &table->column[c];
        const char *gap = at > 0 ? "  " : "";
        int width = layout->width[c];
        char text[TABLE_CELL];

        if (!layout->shown[c])
            continue;
        if (row >= 0)
            table_text(text, table, c, row);
        else
            snprintf(text, sizeof text, "%s",
                     row == -1      ? column->name
                     : column->left ? "---"
                                    : "---:");
        if (!text[0] && table->dash && form == TABLE_TEXT)
            strcpy(text, "-");
        if (row == -2 && table->tight)
            fprintf(out, "%s%s|", at > 0 ? "" : "|", text);
        else if (form != TABLE_TEXT)
            print_cell(out, table, text, form == TABLE_CSV, at == 0);
        else if (at == 0 && (int)strlen(text) > width)
            fprintf(out, "%.*s\n%*s", table->most ? table->most : TABLE_CELL, text, width, "");
        else if (c == layout->last && column->left)
            fprintf(out, "%s%.*s", gap, table->most ? table->most - at - TABLE_GAP : TABLE_CELL,
                    text);
        else
            fprintf(out, column->left ? "%s%-*s" : "%s%*s", gap, width, text);
        at += (at > 0 ? TABLE_GAP : 0) + width;
    }
    putc('\n', out);
}

void table_print(FILE *out, const struct table *table, enum table_form form)
{
    int lines = (int)json_array_size(table->lines), rest = 0;
    struct layout layout = {.last = 0};

    for (int c = 0; c < table->columns; c++) {
        layout.shown[c] = column_is_shown(table, c, form);
        layout.width[c] = (int)strlen(table->column[c].name);
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
    for (int row = -1; row < lines; row++) {
        if (row < 0 || !table->among || table->among(table->context, row, table->number))
            table_row(out, table, &layout, form, row);
        if (row == -1 && form == TABLE_MARKDOWN)
            table_row(out, table, &layout, form, -2);
    }
}
