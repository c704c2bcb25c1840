/* SPDX-License-Identifier: MIT */
/* The wrapping of lines, and the stream that does it for all that is printed. */
#include "tui/wrapped.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tui/locale.h"

#define COLUMNS_LEAST 40 /* of a terminal on which wrapping makes a text easier to read */
#define LINE_MAX_BYTES 8192

/* --- a line ----------------------------------------------------------------------------------- */

int wrapped_columns_of(const char *text, size_t n)
{
    int columns = 0;

    for (size_t i = 0; i < n; i++)
        columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    return columns;
}

/* A command line to be copied, as far as its comment; of no bytes: there is none. */
struct span {
    const char *from, *to;
};

static struct span command_in(const char *line)
{
    const char *text = line + strspn(line, " "), *inner = strstr(line, ": calab "), *end;

    if (text == line || strncmp(text, "calab ", 6) != 0)
        text = inner && strncmp(line, "usage", 5) != 0 ? inner + 2 : NULL;
    if (!text)
        return (struct span){0};
    end = strstr(text, " #");
    return (struct span){text, end ? end : text + strlen(text)};
}

/* The begin of a row's last column, if it leaves half of the width or more; else an indent that
 * shows that the line goes on. */
static int indent_of(const char *line, int columns)
{
    int leading = (int)strspn(line, " "), indent = leading < 8 ? leading + 4 : leading;

    for (const char *gap = line + leading; (gap = strstr(gap, "  ")) != NULL;) {
        gap += strspn(gap, " ");
        if (wrapped_columns_of(line, (size_t)(gap - line)) <= columns / 2 && *gap)
            indent = wrapped_columns_of(line, (size_t)(gap - line));
    }
    return indent < columns / 2 ? indent : columns / 2;
}

/* The bytes of the next line: words up to `columns`, at least one of them. */
static size_t fitting(const char *text, struct span command, int columns)
{
    size_t end = 0, n = strspn(text, " ");

    for (;;) {
        n = text + n >= command.from && text + n < command.to ? (size_t)(command.to - text)
                                                              : n + strcspn(text + n, " ");
        if (end > 0 && wrapped_columns_of(text, n) > columns)
            return end;
        end = n;
        if (!text[n])
            return n;
        n += strspn(text + n, " ");
    }
}

bool wrapped_text(char **text, const char *line, int columns)
{
    struct span command = command_in(line);
    int indent = indent_of(line, columns), margin = 0;
    const char *code = line + strspn(line, " 0123456789");
    size_t size;
    FILE *out;

    *text = NULL;
    /* "   12 | code", as a compiler quotes it, and what moves the cursor by itself, stay. */
    if (columns < COLUMNS_LEAST || wrapped_columns_of(line, strlen(line)) <= columns ||
        (code > line && strncmp(code, "| ", 2) == 0) || strpbrk(line, "\r\033\t") ||
        (out = open_memstream(text, &size)) == NULL)
        return false;
    while (*line) {
        size_t n = fitting(line, command, columns - margin);

        fprintf(out, "%*s%.*s", margin, "", (int)n, line);
        line += n + strspn(line + n, " ");
        if (*line)
            fputc('\n', out);
        margin = indent;
    }
    if (fclose(out) == 0)
        return true;
    free(*text);
    *text = NULL;
    return false;
}

void wrapped_paragraph(FILE *out, const char *text, int columns)
{
    int column = 0;

    while (*text) {
        int n = (int)strcspn(text, " \n");

        if (column > 0 && column + 1 + wrapped_columns_of(text, (size_t)n) > columns)
            column = fputc('\n', out) - '\n';
        column += fprintf(out, "%s%.*s", column > 0 ? " " : "", n, text);
        text += n + strspn(text + n, " \n");
    }
    fputc('\n', out);
}

static int columns_at(int fd) { return size_of(fd).width; }

int wrapped_columns(int otherwise)
{
    return isatty(STDOUT_FILENO) ? columns_at(STDOUT_FILENO) : otherwise;
}

void wrapped_print(FILE *out, const char *line)
{
    char *text;

    if (isatty(fileno(out)) && wrapped_text(&text, line, columns_at(fileno(out)))) {
        fprintf(out, "%s\n", text);
        free(text);
    } else {
        fprintf(out, "%s\n", line);
    }
}

/* --- all that is printed ---------------------------------------------------------------------- */

/* The line that has begun. */
static char line[LINE_MAX_BYTES + 1];
static size_t used;

static bool wrapped_send(const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t n = write(STDOUT_FILENO, bytes, count);

        if (n < 0 && errno != EINTR)
            return false;
        bytes += n > 0 ? n : 0;
        count -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* A line as it is, or wrapped where it has come to its end. */
static bool line_send(bool ended)
{
    char *text;
    bool sent;

    line[used] = '\0';
    if (ended && strlen(line) == used && wrapped_text(&text, line, columns_at(STDOUT_FILENO))) {
        sent = wrapped_send(text, strlen(text));
        free(text);
    } else {
        sent = wrapped_send(line, used);
    }
    used = 0;
    return sent;
}

static ssize_t wrapped_take(void *none, const char *bytes, size_t count)
{
    (void)none;
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] == '\n' ? !line_send(true) || !wrapped_send("\n", 1)
                             : used == LINE_MAX_BYTES && !line_send(false))
            return 0;
        if (bytes[i] != '\n')
            line[used++] = bytes[i];
    }
    return (ssize_t)count;
}

void wrapped_begin(void)
{
    FILE *stream;

    if (!isatty(STDOUT_FILENO) ||
        !(stream = fopencookie(NULL, "w", (cookie_io_functions_t){.write = wrapped_take})))
        return;
    setvbuf(stream, NULL, _IOLBF, BUFSIZ);
    fflush(stdout);
    stdout = stream;
}

void wrapped_end(void)
{
    fflush(stdout);
    if (used > 0)
        line_send(true);
}
