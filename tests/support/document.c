/* SPDX-License-Identifier: MIT */
#include "tests/support/document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/support.h"

#define LINES_MAX 1000

struct reader {
    struct document_line *line;
    int count;
};

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static void reader_add(struct reader *reader, enum document_kind kind, int number, char *text)
{
    ck_assert_int_lt(reader->count, LINES_MAX);
    reader->line[reader->count++] = (struct document_line){kind, number, text};
}

/* --- Markdown --------------------------------------------------------------------------------- */

static void read_markdown(struct reader *reader, char *text)
{
    bool in_block = false, shell = false;
    char *line;

    for (int number = 1; (line = strsep(&text, "\n")) != NULL; number++) {
        if (begins(line, "```")) {
            shell = !in_block && strcmp(line, "```sh") == 0;
            in_block = !in_block;
        } else if (shell && begins(line, "calab ")) {
            reader_add(reader, DOCUMENT_COMMAND, number, line);
        }
    }
}

/* --- manual pages ----------------------------------------------------------------------------- */

static const struct {
    const char *escape, *text;
} escapes[] = {{"\\&", ""},     {"\\e", "\\"},  {"\\-", "-"},   {"\\(aq", "'"},
               {"\\(dq", "\""}, {"\\(ti", "~"}, {"\\(ha", "^"}, {"\\(ga", "`"}};

/* Puts the characters in place of their escapes. */
static char *without_escapes(char *text)
{
    char *out = text;

    for (const char *in = text; *in;) {
        size_t i = 0;

        while (i < COUNT(escapes) && !begins(in, escapes[i].escape))
            i++;
        if (i == COUNT(escapes)) {
            *out++ = *in++;
            continue;
        }
        out = stpcpy(out, escapes[i].text);
        in += strlen(escapes[i].escape);
    }
    *out = '\0';
    return text;
}

/* The text of a macro: without the punctuation that mdoc sets behind it, and without quotes. */
static char *argument(char *text)
{
    const size_t length = strlen(text);

    if (length > 2 && text[length - 2] == ' ' && strchr(".,;:)", text[length - 1]))
        text[length - 2] = '\0';
    if (text[0] == '"' && text[strlen(text) - 1] == '"') {
        text[strlen(text) - 1] = '\0';
        text++;
    }
    return without_escapes(text);
}

/* A line that goes on with the command before. */
static void reader_continue(struct reader *reader, const char *text)
{
    struct document_line *last = &reader->line[reader->count - 1];

    ck_assert(reader->count > 0 && last->kind == DOCUMENT_COMMAND);
    last->text = test_keep(strdup(test_text("%s\n%s", last->text, text)));
}

static void read_literal(struct reader *reader, int number, char *line)
{
    if (begins(line, "$ "))
        reader_add(reader, DOCUMENT_COMMAND, number, without_escapes(line + 2));
    else if (line[0] == '>')
        reader_continue(reader, without_escapes(line + 1 + (line[1] == ' ')));
    else if (line[strspn(line, " ")])
        reader_add(reader, DOCUMENT_SHOWN, number, without_escapes(line));
}

static void read_manual(struct reader *reader, char *text, const char *section)
{
    bool in_section = !section, in_block = false;
    char *line;

    for (int number = 1; (line = strsep(&text, "\n")) != NULL; number++) {
        if (begins(line, ".Sh "))
            in_section = !section || strcmp(line + 4, section) == 0;
        else if (!in_section)
            continue;
        else if (begins(line, ".Bd -literal") || begins(line, ".Ed"))
            in_block = line[1] == 'B';
        else if (in_block)
            read_literal(reader, number, line);
        else if (begins(line, ".Dl $ "))
            reader_add(reader, DOCUMENT_COMMAND, number, without_escapes(line + 6));
        else if (begins(line, ".It Cm "))
            reader_add(reader, DOCUMENT_KEYS, number, line + 4);
        else if (begins(line, ".Ql "))
            reader_add(reader, DOCUMENT_SHOWN, number, argument(line + 4));
    }
}

struct document_line *document_read(const char *name, const char *section)
{
    struct reader reader = {test_keep(calloc(LINES_MAX + 1, sizeof *reader.line)), 0};
    const size_t length = strlen(name);
    char *text = test_read(test_source(name), NULL);

    if (length > 3 && strcmp(name + length - 3, ".md") == 0)
        read_markdown(&reader, text);
    else
        read_manual(&reader, text, section);
    return reader.line;
}
