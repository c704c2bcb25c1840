/* SPDX-License-Identifier: MIT */
/* Reads the tokens of a source, matches its brackets, and finds the line of a token. */
#include "core/emulator/rewriter.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool token_is(const struct rewriter *r, size_t i, const char *text)
{
    const struct token *t = &r->token[i < r->count ? i : r->count - 1];

    return t->length == strlen(text) && memcmp(r->source + t->at, text, t->length) == 0;
}

bool token_same(const struct rewriter *r, size_t i, size_t j)
{
    const struct token *a = &r->token[i], *b = &r->token[j];

    return a->length == b->length && memcmp(r->source + a->at, r->source + b->at, a->length) == 0;
}

static bool name_starts(char c) { return isalpha((unsigned char)c) || c == '_' || c == '$'; }
static bool name_goes_on(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$'; }

/* Returns the place behind a literal whose quote is at `at`. */
static size_t quoted_end(const struct rewriter *r, size_t at)
{
    char quote = r->source[at++];

    while (at < r->length && r->source[at] != quote && r->source[at] != '\n')
        at += r->source[at] == '\\' && at + 1 < r->length ? 2 : 1;
    return at < r->length ? at + 1 : at;
}

/* Returns the place behind R"delimiter(...)delimiter", whose quote is at `at`. */
static size_t raw_end(const struct rewriter *r, size_t at)
{
    char close[24];
    size_t n = 0;
    const char *found;

    close[n++] = ')';
    for (at++; at < r->length && r->source[at] != '(' && n < sizeof close - 2; at++)
        close[n++] = r->source[at];
    close[n++] = '"';
    found = memmem(r->source + at, r->length - at, close, n);
    return found ? (size_t)(found - r->source) + n : r->length;
}

bool token_line_starts(const struct rewriter *r, size_t at)
{
    while (at > 0 && (r->source[at - 1] == ' ' || r->source[at - 1] == '\t'))
        at--;
    return at == 0 || r->source[at - 1] == '\n';
}

static size_t skip_blank(const struct rewriter *r, size_t at)
{
    while (at < r->length) {
        const char *s = r->source + at;
        const char *end = NULL;

        if (isspace((unsigned char)*s)) {
            at++;
            continue;
        }
        if (*s == '/' && at + 1 < r->length && s[1] == '*')
            end = memmem(s + 2, r->length - at - 2, "*/", 2);
        else if ((*s == '/' && at + 1 < r->length && s[1] == '/') ||
                 (*s == '#' && token_line_starts(r, at)))
            end = memchr(s, '\n', r->length - at);
        else
            return at;
        at = end ? (size_t)(end - r->source) + (*s == '/' && s[1] == '*' ? 2 : 0) : r->length;
    }
    return at;
}

/* Returns the length of the `<<<` at this place, which may be written `<< <`, as C++ has no such
 * operator; 0: there is none. */
static size_t launch_mark(const struct rewriter *r, size_t at)
{
    size_t last = at + 2;

    if (at + 3 > r->length || memcmp(r->source + at, "<<", 2) != 0 ||
        (r->count > 0 && token_is(r, r->count - 1, "operator")))
        return 0;
    while (last < r->length && (r->source[last] == ' ' || r->source[last] == '\t'))
        last++;
    return last < r->length && r->source[last] == '<' ? last + 1 - at : 0;
}

static struct token next_token(const struct rewriter *r, size_t at)
{
    const char *s = r->source + at;
    size_t end = at + 1;

    if (at >= r->length)
        return (struct token){END, r->length, 0};
    if (name_starts(*s)) {
        while (end < r->length && name_goes_on(r->source[end]))
            end++;
        if (end < r->length && r->source[end] == '"' && r->source[end - 1] == 'R' && end - at <= 3)
            return (struct token){TEXT, at, raw_end(r, end) - at};
        return (struct token){NAME, at, end - at};
    }
    if (isdigit((unsigned char)*s) || (*s == '.' && isdigit((unsigned char)s[1]))) {
        while (end < r->length &&
               (name_goes_on(r->source[end]) || r->source[end] == '.' ||
                (r->source[end] == '\'' && name_goes_on(r->source[end + 1])) ||
                (strchr("+-", r->source[end]) && strchr("eEpP", s[end - at - 1]) &&
                 !(s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && strchr("eE", s[end - at - 1])))))
            end++;
        return (struct token){NUMBER, at, end - at};
    }
    if (*s == '"' || *s == '\'')
        return (struct token){TEXT, at, quoted_end(r, at) - at};
    if (launch_mark(r, at) > 0)
        return (struct token){LAUNCH_OPEN, at, launch_mark(r, at)};
    if (at + 2 <= r->length && (memcmp(s, "::", 2) == 0 || memcmp(s, "->", 2) == 0 ||
                                memcmp(s, "<=", 2) == 0 || memcmp(s, "==", 2) == 0))
        end = at + 2;
    return (struct token){MARK, at, end - at};
}

enum ca_status token_no_memory(struct rewriter *r)
{
    return ca_fail(r->error, CA_NO_MEMORY, "no memory to rewrite a source of %zu bytes", r->length);
}

enum ca_status token_read(struct rewriter *r)
{
    size_t at = 0;

    for (;;) {
        if (r->count == r->capacity) {
            size_t capacity = r->capacity ? 2 * r->capacity : 4096;
            struct token *more = realloc(r->token, capacity * sizeof *more);

            if (!more)
                return token_no_memory(r);
            r->token = more;
            r->capacity = capacity;
        }
        at = skip_blank(r, at);
        r->token[r->count] = next_token(r, at);
        at += r->token[r->count].length;
        if (r->token[r->count++].kind == END)
            return CA_OK;
    }
}

/* The last line marker before the token names its file and line. */
enum ca_status token_wrong(const struct rewriter *r, size_t i, const char *format, ...)
{
    const char *s = r->source, *end = s + r->token[i].at, *file = "source";
    int line = 1, length = 6;
    char text[512];
    va_list arguments;

    for (; s < end; s++) {
        char *after;

        if (*s == '#' && s[1] == ' ' && token_line_starts(r, (size_t)(s - r->source))) {
            long number = strtol(s + 2, &after, 10);

            if (after > s + 2 && after[0] == ' ' && after[1] == '"') {
                file = after + 2;
                length = (int)strcspn(file, "\"\n");
                line = (int)number - 1;
            }
        }
        line += *s == '\n';
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return ca_fail(r->error, CA_WRONG, "%.*s:%d: error: %s", length, file, line, text);
}

size_t token_closed(const struct rewriter *r, size_t open)
{
    int depth = 0;

    for (size_t i = open; i + 1 < r->count; i++) {
        if (token_is(r, i, "(") || token_is(r, i, "[") || token_is(r, i, "{"))
            depth++;
        else if ((token_is(r, i, ")") || token_is(r, i, "]") || token_is(r, i, "}")) &&
                 --depth == 0)
            return i + 1;
    }
    return r->count;
}

bool token_angle_closed(const struct rewriter *r, size_t open, size_t *after)
{
    int depth = 0;

    for (size_t i = open; i + 1 < r->count; i++) {
        if (token_is(r, i, "<")) {
            depth++;
        } else if (token_is(r, i, ">")) {
            if (--depth == 0) {
                *after = i + 1;
                return true;
            }
        } else if (token_is(r, i, "(") || token_is(r, i, "[")) {
            i = token_closed(r, i) - 1;
        } else if (token_is(r, i, ";") || token_is(r, i, "{") || token_is(r, i, "}") ||
                   token_is(r, i, ")") || r->token[i].kind == LAUNCH_OPEN) {
            return false;
        }
    }
    return false;
}

size_t token_declaration(const struct rewriter *r, size_t i)
{
    while (i > 0 && !token_is(r, i - 1, ";") && !token_is(r, i - 1, "{") &&
           !token_is(r, i - 1, "}") && !token_is(r, i - 1, ":"))
        i--;
    return i;
}
