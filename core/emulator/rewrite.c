/* SPDX-License-Identifier: MIT */
/*
 * One pass through a source, which knows at each token whether it is in a function and calls what
 * rewrites the token; the rest is copied as it stands.
 */
#include "core/emulator/rewrite.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/emulator/rewriter.h"

/* --- output ----------------------------------------------------------------------------------- */

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

/* Whether a token and the one before it are those of an operator such as <<. */
static bool is_one_operator(const struct rewriter *r, size_t i)
{
    const struct token *before = &r->token[i - 1], *here = &r->token[i];

    return before->at + before->length == here->at && strchr("<>=&|", r->source[before->at]) &&
           strchr("<>=&|", r->source[here->at]);
}

void rewrite_tokens(struct rewriter *r, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++)
        rewrite_put(r, "%s%.*s", i > first && !is_one_operator(r, i) ? " " : "",
                    (int)r->token[i].length, r->source + r->token[i].at);
}

/* --- the pass --------------------------------------------------------------------------------- */

/* Whether the `{` at token i opens a namespace, a class or `extern "C"`. */
static bool opens_scope(const struct rewriter *r, size_t i)
{
    size_t j = token_declaration(r, i), after;
    bool scope = false;

    while (token_is(r, j, "template") && token_is(r, j + 1, "<") &&
           token_angle_closed(r, j + 1, &after))
        j = after;
    for (; j < i; j++) {
        if (token_is(r, j, "__attribute__") || token_is(r, j, "alignas"))
            j = token_closed(r, j + 1) - 1;
        else if (token_is(r, j, "(") || token_is(r, j, "="))
            return false;
        else
            scope |= token_is(r, j, "namespace") || token_is(r, j, "class") ||
                     token_is(r, j, "struct") || token_is(r, j, "union") ||
                     (token_is(r, j, "extern") && r->token[j + 1].kind == TEXT);
    }
    return scope;
}

/* A __constant__ variable gets a section of its own, so that a kernel that writes it is found;
 * const ones lie in a section that nobody can write, and cannot share this one. */
static void rewrite_constant(struct rewriter *r, size_t mark)
{
    bool is_const = false;

    for (size_t i = token_declaration(r, mark);
         i + 1 < r->count && !token_is(r, i, ";") && !token_is(r, i, "=") && !token_is(r, i, "[");
         i++)
        is_const |=
            (token_is(r, i, "const") && !token_is(r, i - 1, "*")) || token_is(r, i, "constexpr");
    rewrite_copy(r, r->token[mark].at);
    if (!is_const)
        rewrite_put(r, "__attribute__((section(\"calab_constant\")))");
    r->written = r->token[mark].at + r->token[mark].length;
}

static enum ca_status rewrite_source(struct rewriter *r)
{
    int depth = 0, function = 0; /* the depth at which the outermost function opened; 0: in none */

    for (size_t i = 0; i < r->count; i++) {
        depth += token_is(r, i, "{") - token_is(r, i, "}");
        if (token_is(r, i, "__global__"))
            CA_TRY(rewrite_find_kernel(r, i, depth == 0));
    }
    depth = 0;
    for (size_t i = 0; i + 1 < r->count; i++) {
        if (token_is(r, i, "{")) {
            depth++;
            if (function == 0 && !opens_scope(r, i))
                function = depth;
        } else if (token_is(r, i, "}")) {
            if (function == depth)
                function = 0;
            depth--;
        } else if (r->token[i].kind == LAUNCH_OPEN) {
            CA_TRY(rewrite_launch(r, i));
        } else if (token_is(r, i, "__global__")) {
            rewrite_copy(r, r->token[i].at);
            r->written = r->token[i].at + r->token[i].length;
        } else if (token_is(r, i, "__constant__")) {
            rewrite_constant(r, i);
        } else if (token_is(r, i, "__shared__")) {
            CA_TRY(rewrite_shared(r, i, function != 0, &i));
        } else if (function != 0 && r->token[i].kind == NAME && token_is(r, i + 1, ".")) {
            rewrite_member(r, i);
        }
    }
    rewrite_copy(r, r->length);
    rewrite_register(r);
    return ferror(r->out) ? token_no_memory(r) : CA_OK;
}

enum ca_status ca_rewrite_cuda(const char *source, size_t length, char **result,
                               struct ca_error *error)
{
    struct rewriter r = {.source = source, .length = length, .error = error};
    size_t bytes;
    enum ca_status status;

    *result = NULL;
    r.out = open_memstream(result, &bytes);
    status = r.out ? token_read(&r) : token_no_memory(&r);
    if (status == CA_OK)
        status = rewrite_source(&r);
    /* Without memory for its last byte fclose succeeds and leaves no text. */
    if (r.out && (fclose(r.out) != 0 || !*result) && status == CA_OK)
        status = token_no_memory(&r);
    free(r.token);
    free(r.kernel);
    if (status != CA_OK) {
        free(*result);
        *result = NULL;
    }
    return status;
}
