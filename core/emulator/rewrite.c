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

/* --- scopes ----------------------------------------------------------------------------------- */

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

/* --- main ------------------------------------------------------------------------------------- */

/* Whether the `{` at token i opens int main, in which nvcc lets a return without a value pass. */
static bool opens_main(const struct rewriter *r, size_t i)
{
    for (size_t j = token_declaration(r, i); j + 2 < i; j++)
        if (token_is(r, j, "int") && token_is(r, j + 1, "main") && token_is(r, j + 2, "("))
            return true;
    return false;
}

/* The end of the lambda that begins at token i; i where none does. */
static size_t lambda_end(const struct rewriter *r, size_t i)
{
    size_t body;

    if (!token_is(r, i, "[") || i == 0 || r->token[i - 1].kind == NAME || token_is(r, i - 1, "]") ||
        token_is(r, i - 1, ")"))
        return i;
    for (body = token_closed(r, i); body + 1 < r->count && !token_is(r, body, "{"); body++)
        if (token_is(r, body, ";") || token_is(r, body, "}"))
            return i;
    return token_closed(r, body) - 1;
}

/* Whether the function whose `{` is at token i is one of the device alone. */
static bool opens_device(const struct rewriter *r, size_t i)
{
    bool device = false, host = false;

    for (size_t j = token_declaration(r, i); j < i; j++) {
        device |= token_is(r, j, "__global__") || token_is(r, j, "__device__");
        host |= token_is(r, j, "__host__");
    }
    return device && !host;
}

/* --- the pass --------------------------------------------------------------------------------- */

struct scope {
    int depth, function; /* function: the depth at which the outermost one opened; 0: in none */
    size_t main_end;     /* 0: not in main */
    size_t lambda_end;   /* of the last lambda in it */
};

static void enter(struct rewriter *r, struct scope *scope, size_t i)
{
    scope->depth++;
    if (scope->function != 0 || opens_scope(r, i))
        return;
    scope->function = scope->depth;
    r->in_device = opens_device(r, i);
    if (scope->depth == 1 && opens_main(r, i))
        scope->main_end = token_closed(r, i);
}

static void leave(struct rewriter *r, struct scope *scope)
{
    if (scope->function == scope->depth) {
        scope->function = 0;
        scope->main_end = 0;
        r->in_device = false;
    }
    scope->depth--;
}

static void drop(struct rewriter *r, size_t i)
{
    rewrite_copy(r, r->token[i].at);
    r->written = r->token[i].at + r->token[i].length;
}

/* Whether a call of a function of Thrust that may run an algorithm begins at token i. */
static bool calls_thrust(const struct rewriter *r, size_t i, size_t *open)
{
    const char *name;
    size_t length;

    if (!token_is(r, i, "thrust") || i + 4 >= r->count || !token_is(r, i + 1, "::"))
        return false;
    name = r->source + r->token[i + 2].at;
    length = r->token[i + 2].length;
    if ((i > 0 && (token_is(r, i - 1, "::") || r->token[i - 1].kind == NAME) &&
         !token_is(r, i - 1, "return")) ||
        !token_is(r, i + 3, "(") || (length > 5 && memcmp(name, "make_", 5) == 0) ||
        (length > 5 && memcmp(name + length - 5, "_cast", 5) == 0))
        return false;
    *open = i + 3;
    return token_closed(r, *open) < r->count;
}

/* (emulated_library(), thrust::sort(...)), so that the emulator knows of the call until it ends. */
static void rewrite_library(struct rewriter *r, size_t i, size_t open)
{
    if (r->call_count == CALLS_MAX)
        return;
    rewrite_copy(r, r->token[i].at);
    rewrite_put(r, "(emulated_library(), ");
    r->calls[r->call_count++] = token_closed(r, open) - 1;
}

static void close_library(struct rewriter *r, size_t i)
{
    r->call_count--;
    rewrite_copy(r, r->token[i].at + 1);
    rewrite_put(r, ")");
}

static bool is_asm(const struct rewriter *r, size_t i)
{
    return token_is(r, i, "asm") || token_is(r, i, "__asm__") || token_is(r, i, "__asm");
}

static enum ca_status rewrite_token(struct rewriter *r, struct scope *scope, size_t *i)
{
    bool in_function = scope->function != 0;
    size_t open;

    if (token_is(r, *i, "{")) {
        enter(r, scope, *i);
    } else if (token_is(r, *i, "}")) {
        leave(r, scope);
    } else if (r->token[*i].kind == LAUNCH_OPEN) {
        return rewrite_launch(r, *i);
    } else if (token_is(r, *i, "__global__") || token_is(r, *i, "__host__")) {
        drop(r, *i);
    } else if (token_is(r, *i, "__device__") || token_is(r, *i, "__constant__") ||
               token_is(r, *i, "__managed__")) {
        rewrite_variable(r, *i, in_function);
    } else if (token_is(r, *i, "__shared__")) {
        return rewrite_shared(r, *i, in_function, i);
    } else if (in_function && r->in_device && is_asm(r, *i)) {
        return rewrite_asm(r, *i, i);
    } else if (in_function && !r->in_device && calls_thrust(r, *i, &open)) {
        rewrite_library(r, *i, open);
    } else if (in_function && r->token[*i].kind == NAME && token_is(r, *i + 1, ".")) {
        rewrite_member(r, *i);
    } else if (scope->main_end > *i && token_is(r, *i, "[") && lambda_end(r, *i) > *i) {
        if (*i > scope->lambda_end)
            scope->lambda_end = lambda_end(r, *i);
    } else if (scope->main_end > *i && *i > scope->lambda_end && token_is(r, *i, "return") &&
               token_is(r, *i + 1, ";")) {
        rewrite_copy(r, r->token[*i + 1].at);
        rewrite_put(r, " 0");
    }
    return CA_OK;
}

static enum ca_status rewrite_source(struct rewriter *r)
{
    struct scope scope = {0};
    int depth = 0;

    for (size_t i = 0; i < r->count; i++) {
        depth += token_is(r, i, "{") - token_is(r, i, "}");
        if (token_is(r, i, "__global__"))
            CA_TRY(rewrite_find_kernel(r, i, depth == 0));
    }
    for (size_t i = 0; i + 1 < r->count; i++) {
        if (i > 0 && i == r->launch_close)
            rewrite_defaults(r);
        CA_TRY(rewrite_token(r, &scope, &i));
        while (r->call_count > 0 && r->calls[r->call_count - 1] == i)
            close_library(r, i);
    }
    rewrite_copy(r, r->length);
    rewrite_register(r);
    return ferror(r->out) ? token_no_memory(r) : CA_OK;
}

enum ca_status ca_rewrite_cuda(const char *source, size_t length, bool relocatable, char **result,
                               struct ca_error *error)
{
    struct rewriter r = {
        .source = source, .length = length, .relocatable = relocatable, .error = error};
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

enum ca_status ca_rewrite_shares(const char *source, size_t length, bool *shares,
                                 struct ca_error *error)
{
    struct rewriter r = {.source = source, .length = length, .error = error};
    enum ca_status status = token_read(&r);

    *shares = false;
    for (size_t i = 0; status == CA_OK && i < r.count && !*shares; i++)
        *shares = rewrite_is_extern(&r, i);
    free(r.token);
    return status;
}
