/* SPDX-License-Identifier: MIT */
/* This file writes texts of others so that they stay texts. */
#include "tui/escape.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"

/* A copy in which nothing steers a terminal; NULL without memory, and then nothing is printed. */
static char *plain_copy(const char *text, size_t length)
{
    char *copy = strndup(text, length);

    return copy ? ca_plain(copy) : NULL;
}

void escape_terminal(FILE *out, const char *text)
{
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        char *line;

        length = strcspn(text, "\n");
        line = plain_copy(text, length);
        if (line)
            fputs(line, out);
        free(line);
        if (text[length] == '\n')
            putc('\n', out);
    }
}

/* The characters at the head of a line that make it an item, a heading or a rule: how many there
 * are before the one that a backslash has to stand before; -1: none does. */
static int block_mark(const char *text)
{
    const size_t digits = strspn(text, "0123456789");

    if (*text && strchr("-+=", *text))
        return 0;
    return digits > 0 && (text[digits] == '.' || text[digits] == ')') ? (int)digits : -1;
}

void escape_markdown(FILE *out, const char *text, bool begins)
{
    /* Beside what CommonMark gives a meaning: mentions, mathematics and strikes of GitHub's. */
    static const char marks[] = "\\`*_[]<>#|~&!$@";
    char *copy = plain_copy(text, strlen(text)), *at = copy;
    int mark;

    while (begins && at && *at == ' ') /* four of them make it code */
        at++;
    mark = begins && at ? block_mark(at) : -1;
    for (int i = 0; at && at[i]; i++) {
        const bool links = strncmp(at + i, "://", 3) == 0 ||
                           (at[i] == '.' && i >= 3 && strncasecmp(at + i - 3, "www", 3) == 0);

        if (strchr(marks, at[i]) || i == mark || links)
            putc('\\', out);
        putc(at[i], out);
    }
    free(copy);
}

static bool is_number(const char *text)
{
    char *end;

    strtod(text, &end);
    return end > text && !*end && !isspace((unsigned char)*text);
}

void escape_csv(FILE *out, const char *text)
{
    char *copy = plain_copy(text, strlen(text));
    const char *from = copy ? copy : "", *first = from + strspn(from, " ");
    const bool formula =
        *first && strchr("=+-@", *first) && !is_number(from) && strcmp(from, "-") != 0;
    const bool quoted = formula || strpbrk(from, ",;\"");

    fputs(quoted ? formula ? "\"'" : "\"" : "", out);
    for (; *from; from++)
        fputs(*from == '"' ? "\"\"" : (char[]){*from, '\0'}, out);
    fputs(quoted ? "\"" : "", out);
    free(copy);
}

/* The length of a character of UTF-8 that XML 1.0 allows, 0: these bytes are none. */
static size_t xml_character(const unsigned char *at)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = *at < 0x80 ? 1 : *at < 0xc0 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;
    unsigned code = length > 1 ? *at & (0xffU >> (length + 1)) : *at;

    if (length == 1)
        return *at >= ' ' || *at == '\t' || *at == '\n' || *at == '\r';
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (at[i] & 0x3f);
    }
    if (length == 0 || code < least[length] || code > 0x10ffff ||
        (code >= 0xd800 && code <= 0xdfff) || (code & 0xfffe) == 0xfffe)
        return 0;
    return length;
}

void escape_xml(FILE *out, const char *text)
{
    static const struct {
        char byte;
        const char *entity;
    } entities[] = {{'&', "&amp;"},  {'<', "&lt;"},   {'>', "&gt;"},  {'"', "&quot;"},
                    {'\'', "&#39;"}, {'\n', "&#10;"}, {'\t', "&#9;"}, {'\r', "&#13;"}};

    while (*text) {
        size_t length = xml_character((const unsigned char *)text), i = 0;

        while (i < sizeof entities / sizeof *entities && entities[i].byte != *text)
            i++;
        if (length == 0)
            fputs("\xef\xbf\xbd", out);
        else if (i < sizeof entities / sizeof *entities)
            fputs(entities[i].entity, out);
        else
            fwrite(text, 1, length, out);
        text += length > 0 ? length : 1;
    }
}

/* --- formats ---------------------------------------------------------------------------------- */

static void put_all(FILE *out, bool markdown, const char *format, va_list list)
{
    for (const char *at = format; *at; at++) {
        const bool begins =
            at == format || at[-1] == '\n' || (at - format >= 2 && at[-1] == ' ' && at[-2] == '-');

        if (strncmp(at, "%s", 2) != 0) {
            putc(*at, out);
            continue;
        }
        at++;
        if (markdown) {
            escape_markdown(out, va_arg(list, const char *), begins);
        } else {
            char *text = strdup(va_arg(list, const char *));

            fputs(text ? ca_plain(text) : "", out);
            free(text);
        }
    }
}

void escape_put_terminal(FILE *out, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    put_all(out, false, format, list);
    va_end(list);
}

void escape_put_markdown(FILE *out, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    put_all(out, true, format, list);
    va_end(list);
}
