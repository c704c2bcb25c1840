/* SPDX-License-Identifier: MIT */
/* Owns what is written of a source, and what in place of it, on the lines where it stood. */
#include "core/emulator/rewriter.h"

#include <stdarg.h>
#include <string.h>

void rewrite_copy(struct rewriter *r, size_t at)
{
    if (at > r->written)
        fwrite(r->source + r->written, 1, at - r->written, r->out);
    r->written = at > r->written ? at : r->written;
}

/* Leaves out what lies before `at`, but not its line ends and markers. */
void rewrite_leave_out(struct rewriter *r, size_t at)
{
    while (r->written < at) {
        const char *s = r->source + r->written;

        if (*s == '#' && token_line_starts(r, r->written)) {
            const char *end = memchr(s, '\n', r->length - r->written);

            rewrite_copy(r, end ? (size_t)(end - r->source) : r->length);
        } else {
            if (*s == '\n')
                fputc('\n', r->out);
            r->written++;
        }
    }
}

void rewrite_put(struct rewriter *r, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vfprintf(r->out, format, arguments);
    va_end(arguments);
}

void rewrite_tokens(struct rewriter *r, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++)
        rewrite_put(r, "%s%.*s", i > first ? " " : "", (int)r->token[i].length,
                    r->source + r->token[i].at);
}
