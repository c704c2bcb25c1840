/* SPDX-License-Identifier: MIT */
/* Tables: stated widths and gaps, texts in place of columns, structs in place of JSON. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/support.h"
#include "tui/table.h"

static const struct table_column stated[] = {
    {"backend", .path = "backend", .width = 8, .left = true},
    {"first", .path = "rate.0", .kind = TABLE_RATE, .emulated = "emulated.0", .width = 9, .gap = 1},
    {"cells", .path = "cells", .kind = TABLE_THOUSANDS, .width = 6, .gap = 1},
    {"ratio", .path = "ratio.1", .kind = TABLE_FIXED, .digits = 3, .width = 6},
    {"", .path = "note", .left = true},
};

static int remark_of(char text[TABLE_CELL], const void *lines, int line)
{
    const json_t *why = json_object_get(json_array_get(lines, (size_t)line), "why");

    snprintf(text, TABLE_CELL, "%s", why ? json_string_value(why) : "");
    return why ? 2 : -1;
}

static const char stated_lines[] =
    "[{'backend': 'threads', 'rate': [2e9], 'cells': 4096, 'ratio': [null, 1.5], 'note': 'a, b'},"
    " {'backend': 'a-long-one', 'rate': [3e9], 'emulated': [true], 'cells': 0, 'note': ''},"
    " {'backend': 'lab', 'rate': [], 'cells': 7, 'why': 'is waited for', 'note': 'x'}]";

static const char *const stated_text[] = {
    "backend      first  cells   ratio",
    "threads  2.00 Gups  4,096   1.500  a, b",
    "a-long-one  emulated      0       -",
    "lab              - is waited for",
};

static json_t *lines_of(const char *quoted)
{
    char text[1024];
    json_t *lines;

    snprintf(text, sizeof text, "%s", quoted);
    for (char *c = text; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    lines = json_loads(text, 0, NULL);
    ck_assert_ptr_nonnull(lines);
    return lines;
}

/* A line for itself is that of the whole table, with nothing behind its last text. */
START_TEST(columns_have_stated_widths)
{
    json_t *lines = lines_of(stated_lines);
    const struct table table = {stated, sizeof stated / sizeof stated[0], .lines = lines,
                                .context = lines, .remark = remark_of};
    char text[256], whole[1024] = "", printed[1024] = "";
    FILE *out = fmemopen(printed, sizeof printed, "w");

    for (int row = TABLE_HEADING; row < 3; row++) {
        ck_assert_str_eq(table_line(text, sizeof text, &table, row), stated_text[row + 1]);
        strcat(strcat(whole, text), "\n");
    }
    table_print(out, &table, TABLE_TEXT);
    fclose(out);
    ck_assert_str_eq(printed, whole);
    json_decref(lines);
}
END_TEST

/* Never more than there is room for. */
START_TEST(a_line_is_cut)
{
    json_t *lines = lines_of(stated_lines);
    const struct table table = {stated, sizeof stated / sizeof stated[0], .lines = lines};
    char text[16];

    ck_assert_str_eq(table_line(text, 12, &table, 0), "threads  2.");
    json_decref(lines);
}
END_TEST

struct record {
    int of_no_column;
    double rate, share;
};

static bool is_wide(const void *wide) { return *(const bool *)wide; }

START_TEST(columns_are_members_of_structs)
{
    static const struct table_column columns[] = {
        {"rate", .offset = offsetof(struct record, rate), .kind = TABLE_RATE, .width = 9},
        {"%", .offset = offsetof(struct record, share), .kind = TABLE_FIXED, .scale = 100,
         .digits = 1, .width = 5, .shown = is_wide},
    };
    static const struct record records[] = {{1, 2e6, 0.25}, {2, 3e9, NAN}};
    bool wide = true;
    const struct table table = {columns, 2, .records = records, .record_bytes = sizeof records[0],
                                .context = &wide};
    char text[64];

    ck_assert_str_eq(table_line(text, sizeof text, &table, TABLE_HEADING), "     rate      %");
    ck_assert_str_eq(table_line(text, sizeof text, &table, 0), "2.00 Mups   25.0");
    ck_assert_str_eq(table_line(text, sizeof text, &table, 1), "3.00 Gups      -");
    wide = false;
    ck_assert_str_eq(table_line(text, sizeof text, &table, 0), "2.00 Mups");
}
END_TEST

/* A column without a name leaves one blank in the heading. */
START_TEST(markdown_has_columns_without_a_name)
{
    static const struct table_column columns[] = {{"", .path = "a", .left = true},
                                                  {"b", .path = "b"}};
    json_t *lines = lines_of("[{'a': 'x|y', 'b': 1}]");
    struct table table = {columns, 2, .lines = lines, .tight = true};
    char printed[256] = "";
    FILE *out = fmemopen(printed, sizeof printed, "w");

    table_print(out, &table, TABLE_MARKDOWN);
    fclose(out);
    ck_assert_str_eq(printed, "| | b |\n|---|---:|\n| x\\|y | 1 |\n");
    json_decref(lines);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {columns_have_stated_widths, a_line_is_cut,
                              columns_are_members_of_structs, markdown_has_columns_without_a_name});
}
