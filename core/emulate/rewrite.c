/* SPDX-License-Identifier: MIT */
/* Owns the tokens of a CUDA C++ source and what becomes of launches and __shared__. */
#include "core/emulate/rewrite.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind {
    END,
    NAME,
    NUMBER,
    TEXT,
    MARK,
    LAUNCH_OPEN,
};

struct token {
    enum kind kind;
    size_t at, length; /* in the source */
};

struct kernel {
    size_t name;            /* token */
    int parameters, needed; /* of its template; needed: without a default; 0: it is none */
    size_t first, last;     /* tokens between its parentheses */
    bool overloaded, at_file_scope;
};

#define STRUCTS_MAX 64 /* __shared__ ones outside of functions */

struct rewriter {
    const char *source;
    size_t length;
    struct token *token;
    size_t count, room;
    struct kernel *kernel;
    size_t kernels, kernel_room;
    size_t structs[STRUCTS_MAX], struct_count; /* tokens that name them */
    FILE *out;
    size_t written; /* of the source */
    struct ca_error *error;
};

/* --- tokens ----------------------------------------------------------------------------------- */

static bool is(const struct rewriter *r, size_t i, const char *text)
{
    const struct token *t = &r->token[i < r->count ? i : r->count - 1];

    return t->length == strlen(text) && memcmp(r->source + t->at, text, t->length) == 0;
}

static bool same_text(const struct rewriter *r, size_t i, size_t j)
{
    const struct token *a = &r->token[i], *b = &r->token[j];

    return a->length == b->length && memcmp(r->source + a->at, r->source + b->at, a->length) == 0;
}

static bool name_starts(char c) { return isalpha((unsigned char)c) || c == '_' || c == '$'; }
static bool name_goes_on(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$'; }

/* Past a literal whose quote is at `at`. */
static size_t quoted_end(const struct rewriter *r, size_t at)
{
    char quote = r->source[at++];

    while (at < r->length && r->source[at] != quote && r->source[at] != '\n')
        at += r->source[at] == '\\' && at + 1 < r->length ? 2 : 1;
    return at < r->length ? at + 1 : at;
}

/* Past R"delimiter(...)delimiter", whose quote is at `at`. */
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

/* Whether the line that starts here is a marker or a pragma of the preprocessor. */
static bool line_starts(const struct rewriter *r, size_t at)
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
                 (*s == '#' && line_starts(r, at)))
            end = memchr(s, '\n', r->length - at);
        else
            return at;
        at = end ? (size_t)(end - r->source) + (*s == '/' && s[1] == '*' ? 2 : 0) : r->length;
    }
    return at;
}

/* `<<<` and `>>>` are launches where C++ has no such operator: after a name or a bracket that is
 * closed, before `(`. */
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
    if (at + 3 <= r->length && memcmp(s, "<<<", 3) == 0)
        return (struct token){LAUNCH_OPEN, at, 3};
    if (at + 2 <= r->length && (memcmp(s, "::", 2) == 0 || memcmp(s, "->", 2) == 0 ||
                                memcmp(s, "<=", 2) == 0 || memcmp(s, "==", 2) == 0))
        end = at + 2;
    return (struct token){MARK, at, end - at};
}

static enum ca_status no_memory(struct rewriter *r)
{
    return ca_fail(r->error, CA_NO_MEMORY, "no memory to rewrite a source of %zu bytes", r->length);
}

static enum ca_status read_tokens(struct rewriter *r)
{
    size_t at = 0;

    for (;;) {
        if (r->count == r->room) {
            size_t room = r->room ? 2 * r->room : 4096;
            struct token *more = realloc(r->token, room * sizeof *more);

            if (!more)
                return no_memory(r);
            r->token = more;
            r->room = room;
        }
        at = skip_blank(r, at);
        r->token[r->count] = next_token(r, at);
        at += r->token[r->count].length;
        if (r->token[r->count++].kind == END)
            return CA_OK;
    }
}

/* FILE:LINE of a token, by the last line marker before it. */
static enum ca_status wrong(const struct rewriter *r, size_t i, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static enum ca_status wrong(const struct rewriter *r, size_t i, const char *format, ...)
{
    const char *s = r->source, *end = s + r->token[i].at, *file = "source";
    int line = 1, length = 6;
    char text[512];
    va_list arguments;

    for (; s < end; s++) {
        char *after;

        if (*s == '#' && s[1] == ' ' && line_starts(r, (size_t)(s - r->source))) {
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

/* The token after the bracket that closes the one at `open`; r->count where none does. */
static size_t closed(const struct rewriter *r, size_t open)
{
    int depth = 0;

    for (size_t i = open; i + 1 < r->count; i++) {
        if (is(r, i, "(") || is(r, i, "[") || is(r, i, "{"))
            depth++;
        else if ((is(r, i, ")") || is(r, i, "]") || is(r, i, "}")) && --depth == 0)
            return i + 1;
    }
    return r->count;
}

/* The same for `<`, as far as one can tell: false where it is no bracket. */
static bool angle_closed(const struct rewriter *r, size_t open, size_t *after)
{
    int depth = 0;

    for (size_t i = open; i + 1 < r->count; i++) {
        if (is(r, i, "<")) {
            depth++;
        } else if (is(r, i, ">")) {
            if (--depth == 0) {
                *after = i + 1;
                return true;
            }
        } else if (is(r, i, "(") || is(r, i, "[")) {
            i = closed(r, i) - 1;
        } else if (is(r, i, ";") || is(r, i, "{") || is(r, i, "}") || is(r, i, ")") ||
                   r->token[i].kind == LAUNCH_OPEN) {
            return false;
        }
    }
    return false;
}

/* --- writing ---------------------------------------------------------------------------------- */

static void copy_up_to(struct rewriter *r, size_t at)
{
    if (at > r->written)
        fwrite(r->source + r->written, 1, at - r->written, r->out);
    r->written = at > r->written ? at : r->written;
}

/* Leaves out what lies before `at`, but not its line ends and markers. */
static void leave_out(struct rewriter *r, size_t at)
{
    for (; r->written < at; r->written++) {
        const char *s = r->source + r->written;

        if (*s == '#' && line_starts(r, r->written)) {
            const char *end = memchr(s, '\n', r->length - r->written);

            copy_up_to(r, end ? (size_t)(end - r->source) : r->length);
        }
        if (*s == '\n')
            fputc('\n', r->out);
    }
}

static void put(struct rewriter *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct rewriter *r, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vfprintf(r->out, format, arguments);
    va_end(arguments);
}

static void write_tokens(struct rewriter *r, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++)
        put(r, "%s%.*s", i > first ? " " : "", (int)r->token[i].length, r->source + r->token[i].at);
}

/* --- kernels ---------------------------------------------------------------------------------- */

/* Parameters of the template whose `<` is at `open`, and those without a default; a pack counts as
 * one more than anybody gives. */
static void count_parameters(const struct rewriter *r, size_t open, size_t end, int *all,
                             int *needed)
{
    int depth = 0;
    bool defaulted = false, any = false;

    *all = *needed = 0;
    for (size_t i = open + 1; i < end; i++) {
        bool last = i == end - 1;

        if (depth == 0 && (last || is(r, i, ","))) {
            *all += any;
            *needed += any && !defaulted;
            any = defaulted = false;
            continue;
        }
        any = true;
        if (is(r, i, "<") || is(r, i, "(") || is(r, i, "["))
            depth++;
        else if (is(r, i, ">") || is(r, i, ")") || is(r, i, "]"))
            depth--;
        else if (depth == 0 && is(r, i, "="))
            defaulted = true;
        else if (depth == 0 && is(r, i, ".") && is(r, i + 1, ".") && is(r, i + 2, "."))
            *needed += 1000;
    }
}

static bool same_parameters(const struct rewriter *r, const struct kernel *a,
                            const struct kernel *b)
{
    size_t commas[2] = {0, 0};

    for (size_t i = a->first; i < a->last; i++)
        commas[0] += is(r, i, ",");
    for (size_t i = b->first; i < b->last; i++)
        commas[1] += is(r, i, ",");
    return commas[0] == commas[1] && (a->first < a->last) == (b->first < b->last);
}

static struct kernel *kernel_of(struct rewriter *r, size_t name)
{
    for (size_t i = 0; i < r->kernels; i++)
        if (same_text(r, r->kernel[i].name, name))
            return &r->kernel[i];
    return NULL;
}

static enum ca_status add_kernel(struct rewriter *r, const struct kernel *kernel)
{
    struct kernel *before = kernel_of(r, kernel->name);

    if (before) {
        before->overloaded |= !same_parameters(r, before, kernel);
        if (kernel->parameters > before->parameters)
            before->parameters = kernel->parameters;
        return CA_OK;
    }
    if (r->kernels == r->kernel_room) {
        size_t room = r->kernel_room ? 2 * r->kernel_room : 64;
        struct kernel *more = realloc(r->kernel, room * sizeof *more);

        if (!more)
            return no_memory(r);
        r->kernel = more;
        r->kernel_room = room;
    }
    r->kernel[r->kernels++] = *kernel;
    return CA_OK;
}

/* Where the declaration begins that token i is a part of. */
static size_t declaration_start(const struct rewriter *r, size_t i)
{
    while (i > 0 && !is(r, i - 1, ";") && !is(r, i - 1, "{") && !is(r, i - 1, "}") &&
           !is(r, i - 1, ":"))
        i--;
    return i;
}

/* A kernel is what is declared with __global__, which the headers leave: its name stands
 * before the first `(` that follows and is no attribute's. */
static enum ca_status find_kernel(struct rewriter *r, size_t mark, bool at_file_scope)
{
    struct kernel kernel = {.name = mark, .at_file_scope = at_file_scope};
    size_t start = declaration_start(r, mark), i = mark + 1, after;

    if (is(r, start, "template") && is(r, start + 1, "<") && angle_closed(r, start + 1, &after)) {
        count_parameters(r, start + 1, after, &kernel.parameters, &kernel.needed);
        if (kernel.parameters == 0)
            return CA_OK; /* a specialisation; the template is declared before */
    }
    for (; i + 1 < r->count; i++) {
        if (is(r, i, ";") || is(r, i, "{") || is(r, i, "="))
            return CA_OK;
        if (is(r, i, "__attribute__") || is(r, i, "alignas") || is(r, i, "decltype")) {
            i = closed(r, i + 1) - 1;
            continue;
        }
        if (is(r, i, "(") && r->token[i - 1].kind == NAME)
            break;
    }
    kernel.name = i - 1;
    kernel.first = i + 1;
    kernel.last = closed(r, i) - 1;
    return add_kernel(r, &kernel);
}

/* --- launches --------------------------------------------------------------------------------- */

/* Where the name before `<<<` begins, with its qualifiers; *angle: its `<`, or `open`. */
static size_t callee_start(const struct rewriter *r, size_t open, size_t *angle)
{
    size_t i = open;

    *angle = open;
    if (i > 0 && is(r, i - 1, ">")) {
        int depth = 0;

        while (i > 0) {
            i--;
            if (is(r, i, ">"))
                depth++;
            else if (is(r, i, "<") && --depth == 0)
                break;
            else if (is(r, i, ";") || is(r, i, "{") || is(r, i, "}"))
                return open;
        }
        *angle = i;
    }
    if (i == 0 || r->token[i - 1].kind != NAME)
        return open;
    i--;
    while (i > 0 && is(r, i - 1, "::"))
        i -= i > 1 && r->token[i - 2].kind == NAME ? 2 : 1;
    return i;
}

/* The `>>>` that belongs to the `<<<` at `open`; 0: none. Brackets between them are closed. */
static size_t launch_end(const struct rewriter *r, size_t open, int *arguments)
{
    *arguments = 1;
    for (size_t i = open + 1; i + 3 < r->count; i++) {
        if (is(r, i, ";"))
            return 0;
        if (is(r, i, "(") || is(r, i, "[") || is(r, i, "{")) {
            i = closed(r, i) - 1;
            continue;
        }
        if (is(r, i, "<")) {
            size_t after;

            if (r->token[i - 1].kind == NAME && angle_closed(r, i, &after) &&
                (is(r, after, "(") || is(r, after, "{") || is(r, after, "::")))
                i = after - 1;
            continue;
        }
        *arguments += is(r, i, ",");
        if (is(r, i, ">") && is(r, i + 1, ">") && is(r, i + 2, ">") &&
            r->token[i + 2].at == r->token[i].at + 2)
            return i;
    }
    return 0;
}

static int given_arguments(const struct rewriter *r, size_t angle, size_t open)
{
    int depth = 0, count = angle < open;

    for (size_t i = angle; i < open; i++) {
        depth += is(r, i, "<") || is(r, i, "(") || is(r, i, "[");
        depth -= is(r, i, ">") || is(r, i, ")") || is(r, i, "]");
        count += depth == 1 && is(r, i, ",");
    }
    return count;
}

/* A kernel whose function its name alone tells is called by pointer, so that arguments become what
 * its parameters are. Of a template or an overload the arguments choose the function. */
static enum ca_status rewrite_launch(struct rewriter *r, size_t open)
{
    int arguments;
    size_t end = launch_end(r, open, &arguments), angle;
    size_t start = callee_start(r, open, &angle);
    const struct kernel *kernel = start < open ? kernel_of(r, angle - 1) : NULL;
    bool chosen =
        kernel && (kernel->overloaded ||
                   (kernel->needed > 0 && given_arguments(r, angle, open) < kernel->needed));

    if (end == 0)
        return wrong(r, open, "<<< without >>>");
    if (!is(r, end + 3, "("))
        return wrong(r, end, "a launch's >>> must be followed by the kernel's arguments in ( )");
    if (arguments < 2 || arguments > 4 || end == open + 1)
        return wrong(
            r, open,
            "between <<< and >>> stand grid, block, and at most shared bytes and a stream: "
            "2 to 4 arguments, not %d",
            end == open + 1 ? 0 : arguments);
    if (chosen) {
        copy_up_to(r, r->token[start].at);
        put(r, "emulated_choice{[]<class... A>(A...) { if constexpr (requires { "
               "static_cast<void (*)(A...)>(");
        write_tokens(r, start, open);
        put(r, "); }) return static_cast<void (*)(A...)>(");
        write_tokens(r, start, open);
        put(r, "); else return +[](A... a) { ");
        write_tokens(r, start, open);
        put(r, "(a...); }; }}");
        leave_out(r, r->token[open].at);
    }
    copy_up_to(r, r->token[open].at);
    put(r, " %% emulated_dims(");
    r->written = r->token[open].at + 3;
    copy_up_to(r, r->token[end].at);
    put(r, ")");
    r->written = r->token[end].at + 3;
    return CA_OK;
}

/* --- __shared__ ------------------------------------------------------------------------------- */

struct declarator {
    size_t pointer, name, bounds, end; /* tokens: first `*`, name, first `[` or end */
};

/* The first `{` of tokens; `last`: none. */
static size_t body_of(const struct rewriter *r, size_t first, size_t last)
{
    while (first < last && !is(r, first, "{"))
        first++;
    return first;
}

/* Whether the type whose body opens at a token has a name, which stands before it. */
static bool is_named(const struct rewriter *r, size_t body)
{
    return r->token[body - 1].kind == NAME && !is(r, body - 1, "struct") &&
           !is(r, body - 1, "union") && !is(r, body - 1, "class");
}

/* A type that a declaration defines, as one that can be named behind it. */
static void define_type(struct rewriter *r, size_t first, size_t last)
{
    size_t body = body_of(r, first, last);

    if (body == last)
        return;
    write_tokens(r, first, body);
    if (!is_named(r, body))
        put(r, " calab_shared_%zu", body);
    write_tokens(r, body, closed(r, body));
    put(r, "; ");
}

static void write_type(struct rewriter *r, size_t first, size_t last)
{
    size_t body = body_of(r, first, last);

    if (body == last)
        write_tokens(r, first, last);
    else if (is_named(r, body))
        write_tokens(r, body - 1, body);
    else
        put(r, "calab_shared_%zu", body);
}

/* The declarators of a declaration from token `at` to its `;`. */
static enum ca_status rewrite_declarator(struct rewriter *r, const struct declarator *d,
                                         bool is_extern, bool in_function, size_t base_first,
                                         size_t base_last)
{
    bool array = d->bounds < d->end;
    bool open = array && is(r, d->bounds + 1, "]");

    if (is_extern && !open)
        return wrong(r, d->name, "an extern __shared__ variable is an array without a size: %.*s[]",
                     (int)r->token[d->name].length, r->source + r->token[d->name].at);
    if (!is_extern && open)
        return wrong(r, d->name, "a __shared__ array without extern has a size");
    if (!in_function && is_extern) {
        put(r, "static ");
        write_tokens(r, base_first, base_last);
        put(r, " ");
        write_tokens(r, d->pointer, d->name);
        put(r, d->bounds + 2 < d->end ? "(*const &" : "*const &");
        write_tokens(r, d->name, d->name + 1);
        put(r, d->bounds + 2 < d->end ? ")" : "");
        write_tokens(r, d->bounds + 2, d->end);
        put(r, " = emulated_dynamic_file{};");
    } else if (!in_function) {
        put(r, "static emulated_file_shared<");
        write_type(r, base_first, base_last);
        put(r, " ");
        write_tokens(r, d->pointer, d->name);
        write_tokens(r, d->bounds, d->end);
        put(r, "> ");
        write_tokens(r, d->name, d->name + 1);
        put(r, ";");
        if (!array && r->struct_count < STRUCTS_MAX)
            r->structs[r->struct_count++] = d->name;
    } else if (is_extern) {
        write_tokens(r, d->pointer, d->name);
        put(r, d->bounds + 2 < d->end ? "(*const " : "*const ");
        write_tokens(r, d->name, d->name + 1);
        put(r, d->bounds + 2 < d->end ? ")" : "");
        write_tokens(r, d->bounds + 2, d->end);
        put(r, " = emulated_dynamic{}");
    } else {
        write_tokens(r, d->pointer, d->name);
        put(r, array ? "(&" : "&");
        write_tokens(r, d->name, d->name + 1);
        put(r, array ? ")" : "");
        write_tokens(r, d->bounds, d->end);
        put(r, " = emulated_shared{[] { static emulated_slot slot = {__builtin_FILE(), "
               "__builtin_LINE(), {}, {}}; return &slot; }()}");
    }
    return CA_OK;
}

/* Reads the declarator from token i on; its end is `,` or `;`. */
static enum ca_status read_declarator(const struct rewriter *r, size_t i, struct declarator *d)
{
    d->name = i;
    for (; i + 1 < r->count && !is(r, i, ";") && !is(r, i, ","); i++) {
        if (is(r, i, "["))
            break;
        if (is(r, i, "=") || is(r, i, "{"))
            return wrong(r, i, "a __shared__ variable cannot have an initial value");
        if (is(r, i, "("))
            return wrong(r, i, "this __shared__ declaration is not understood");
        if (r->token[i].kind == NAME)
            d->name = i;
    }
    d->bounds = i;
    while (is(r, i, "["))
        i = closed(r, i);
    if (is(r, i, "=") || is(r, i, "{"))
        return wrong(r, i, "a __shared__ variable cannot have an initial value");
    if (!is(r, i, ";") && !is(r, i, ","))
        return wrong(r, d->name, "this __shared__ declaration is not understood");
    d->end = i;
    return CA_OK;
}

/* The name of the first declarator from token i on: the last name before `[`, `,`, `;` or `=`. */
static size_t first_name(const struct rewriter *r, size_t i)
{
    size_t name = r->count, after;

    for (; i + 1 < r->count && !is(r, i, ";") && !is(r, i, ",") && !is(r, i, "[") && !is(r, i, "=");
         i++) {
        if (is(r, i, "<") && angle_closed(r, i, &after)) {
            i = after - 1;
        } else if (is(r, i, "(") || is(r, i, "{")) {
            i = closed(r, i) - 1;
        } else if (r->token[i].kind == NAME) {
            name = i;
        }
    }
    return name;
}

static bool is_storage(const struct rewriter *r, size_t i)
{
    return is(r, i, "__shared__") || is(r, i, "extern") || is(r, i, "static");
}

static enum ca_status rewrite_shared(struct rewriter *r, size_t mark, bool in_function,
                                     size_t *next)
{
    size_t start = declaration_start(r, mark), name, base, i;
    bool is_extern = false;

    if (is(r, start, "for") || is(r, start, "if"))
        return wrong(r, mark, "this __shared__ declaration is not understood");
    while (start < mark && is(r, start, "template"))
        return wrong(r, mark, "a __shared__ variable cannot be a template");
    for (i = start; i < mark; i++)
        is_extern |= is(r, i, "extern");
    name = first_name(r, mark);
    for (i = mark; i < name && i + 1 < r->count; i++)
        is_extern |= is(r, i, "extern");
    if (name >= r->count)
        return wrong(r, mark, "this __shared__ declaration is not understood");
    for (base = name; base > start && (is(r, base - 1, "*") || is(r, base - 1, "&") ||
                                       ((is(r, base - 1, "const") || is(r, base - 1, "volatile") ||
                                         is(r, base - 1, "__restrict__")) &&
                                        base > start + 1 && is(r, base - 2, "*")));)
        base--;
    copy_up_to(r, r->token[start].at);
    /* The type, without what says where it is kept, on the lines where it stood. */
    if (in_function)
        for (i = start; i < base; i++) {
            leave_out(r, r->token[i].at);
            if (!is_storage(r, i)) {
                write_tokens(r, i, i + 1);
                fputc(' ', r->out);
            }
            r->written = r->token[i].at + r->token[i].length;
        }
    size_t kept_first = start, kept_last = base;
    while (kept_first < kept_last && is_storage(r, kept_first))
        kept_first++;
    for (i = kept_first; !in_function && i < kept_last; i++)
        if (is_storage(r, i))
            return wrong(r, i, "outside of functions __shared__ comes before the type");
    if (!in_function && !is_extern)
        define_type(r, kept_first, kept_last);
    for (i = base;; i++) {
        struct declarator d = {.pointer = i};

        CA_TRY(read_declarator(r, i, &d));
        leave_out(r, r->token[d.name].at);
        CA_TRY(rewrite_declarator(r, &d, is_extern, in_function, kept_first, kept_last));
        leave_out(r, r->token[d.end].at);
        i = d.end;
        if (in_function)
            copy_up_to(r, r->token[i].at + 1);
        r->written = r->token[i].at + 1;
        if (is(r, i, ";"))
            break;
    }
    *next = i;
    return CA_OK;
}

/* --- the whole -------------------------------------------------------------------------------- */

/* Whether the `{` at token i opens a namespace, a class or `extern "C"`. */
static bool opens_scope(const struct rewriter *r, size_t i)
{
    size_t j = declaration_start(r, i), after;
    bool scope = false;

    while (is(r, j, "template") && is(r, j + 1, "<") && angle_closed(r, j + 1, &after))
        j = after;
    for (; j < i; j++) {
        if (is(r, j, "__attribute__") || is(r, j, "alignas"))
            j = closed(r, j + 1) - 1;
        else if (is(r, j, "(") || is(r, j, "="))
            return false;
        else
            scope |= is(r, j, "namespace") || is(r, j, "class") || is(r, j, "struct") ||
                     is(r, j, "union") || (is(r, j, "extern") && r->token[j + 1].kind == TEXT);
    }
    return scope;
}

/* A __constant__ variable has a section of its own, so that kernels that write it are told; const
 * ones are in one that nobody writes already, and cannot share it. */
static void rewrite_constant(struct rewriter *r, size_t mark)
{
    bool is_const = false;

    for (size_t i = declaration_start(r, mark);
         i + 1 < r->count && !is(r, i, ";") && !is(r, i, "=") && !is(r, i, "["); i++)
        is_const |= (is(r, i, "const") && !is(r, i - 1, "*")) || is(r, i, "constexpr");
    copy_up_to(r, r->token[mark].at);
    if (!is_const)
        put(r, "__attribute__((section(\"calab_constant\")))");
    r->written = r->token[mark].at + r->token[mark].length;
}

/* What cudaLaunchKernel needs to know of a kernel to which it gets a pointer without a type. */
static void register_kernels(struct rewriter *r)
{
    for (size_t i = 0; i < r->kernels; i++) {
        const struct kernel *k = &r->kernel[i];

        if (k->parameters > 0 || k->overloaded || !k->at_file_scope)
            continue;
        put(r, "\nstatic emulated_registered calab_kernel_%zu(", i);
        write_tokens(r, k->name, k->name + 1);
        put(r, ");");
    }
    put(r, "\n");
}

/* Rewrites x.member where x is a __shared__ struct outside of functions: it has to be the running
 * block's, and C++ lets no class redefine the operator. */
static void rewrite_member(struct rewriter *r, size_t i)
{
    if (i == 0 || is(r, i - 1, ".") || is(r, i - 1, "->") || is(r, i - 1, "::"))
        return;
    for (size_t j = 0; j < r->struct_count; j++)
        if (same_text(r, i, r->structs[j])) {
            copy_up_to(r, r->token[i].at + r->token[i].length);
            put(r, ".get()");
            return;
        }
}

static enum ca_status rewrite(struct rewriter *r)
{
    int depth = 0, function = 0; /* the depth at which the outermost function opened; 0: in none */

    for (size_t i = 0; i < r->count; i++) {
        depth += is(r, i, "{") - is(r, i, "}");
        if (is(r, i, "__global__"))
            CA_TRY(find_kernel(r, i, depth == 0));
    }
    depth = 0;
    for (size_t i = 0; i + 1 < r->count; i++) {
        if (is(r, i, "{")) {
            depth++;
            if (function == 0 && !opens_scope(r, i))
                function = depth;
        } else if (is(r, i, "}")) {
            if (function == depth)
                function = 0;
            depth--;
        } else if (r->token[i].kind == LAUNCH_OPEN) {
            CA_TRY(rewrite_launch(r, i));
        } else if (is(r, i, "__global__")) {
            copy_up_to(r, r->token[i].at);
            r->written = r->token[i].at + r->token[i].length;
        } else if (is(r, i, "__constant__")) {
            rewrite_constant(r, i);
        } else if (is(r, i, "__shared__")) {
            CA_TRY(rewrite_shared(r, i, function != 0, &i));
        } else if (function != 0 && r->token[i].kind == NAME && is(r, i + 1, ".")) {
            rewrite_member(r, i);
        }
    }
    copy_up_to(r, r->length);
    register_kernels(r);
    return ferror(r->out) ? no_memory(r) : CA_OK;
}

enum ca_status ca_rewrite_cuda(const char *source, size_t length, char **result,
                               struct ca_error *error)
{
    struct rewriter r = {.source = source, .length = length, .error = error};
    size_t bytes;
    enum ca_status status;

    *result = NULL;
    r.out = open_memstream(result, &bytes);
    status = r.out ? read_tokens(&r) : no_memory(&r);
    if (status == CA_OK)
        status = rewrite(&r);
    if (r.out && fclose(r.out) != 0 && status == CA_OK)
        status = no_memory(&r);
    free(r.token);
    free(r.kernel);
    if (status != CA_OK) {
        free(*result);
        *result = NULL;
    }
    return status;
}
