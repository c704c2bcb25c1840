/* SPDX-License-Identifier: MIT */
/* Finds the kernels of a source, and rewrites their launches. */
#include "core/emulator/rewriter.h"

#include <stdlib.h>
#include <string.h>

/* --- kernels ---------------------------------------------------------------------------------- */

/* Counts the parameters of the template whose `<` is at `open`, and those without a default; a pack
 * counts as one more than anybody gives. */
static void count_parameters(const struct rewriter *r, size_t open, size_t end, int *all,
                             int *needed)
{
    int depth = 0;
    bool defaulted = false, any = false;

    *all = *needed = 0;
    for (size_t i = open + 1; i < end; i++) {
        bool last = i == end - 1;

        if (depth == 0 && (last || token_is(r, i, ","))) {
            *all += any;
            *needed += any && !defaulted;
            any = defaulted = false;
            continue;
        }
        any = true;
        if (token_is(r, i, "<") || token_is(r, i, "(") || token_is(r, i, "["))
            depth++;
        else if (token_is(r, i, ">") || token_is(r, i, ")") || token_is(r, i, "]"))
            depth--;
        else if (depth == 0 && token_is(r, i, "="))
            defaulted = true;
        else if (depth == 0 && token_is(r, i, ".") && token_is(r, i + 1, ".") &&
                 token_is(r, i + 2, "."))
            *needed += 1000;
    }
}

/* Returns the `,` or the end behind the parameter or argument at token i. */
static size_t parameter_end(const struct rewriter *r, size_t i, size_t last)
{
    size_t after;

    while (i < last && !token_is(r, i, ",")) {
        if (token_is(r, i, "(") || token_is(r, i, "[") || token_is(r, i, "{"))
            i = token_closed(r, i);
        else if (token_is(r, i, "<") && token_angle_closed(r, i, &after))
            i = after;
        else
            i++;
    }
    return i < last ? i : last;
}

/* The `=` of the parameter between two tokens; `end`: it has no default. */
static size_t parameter_default(const struct rewriter *r, size_t i, size_t end)
{
    size_t after;

    while (i < end && !token_is(r, i, "=")) {
        if (token_is(r, i, "<") && token_angle_closed(r, i, &after))
            i = after;
        else
            i++;
    }
    return i < end ? i : end;
}

/* Whether a name at the end of a parameter is part of its type. */
static bool is_of_type(const struct rewriter *r, size_t i)
{
    static const char *const words[] = {"int",    "unsigned", "char",  "short",  "long",
                                        "signed", "float",    "bool",  "double", "const",
                                        "auto",   "void",     "size_t"};

    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (token_is(r, i, words[w]))
            return true;
    return token_is(r, i - 1, "::") || token_is(r, i - 1, "struct") ||
           token_is(r, i - 1, "const") || token_is(r, i - 1, "typename");
}

/* Returns where a parameter's type ends. Its name and its default do not tell functions apart. */
static size_t type_end(const struct rewriter *r, size_t i, size_t end)
{
    size_t behind = parameter_default(r, i, end);

    for (size_t j = i; j < behind; j++)
        if (token_is(r, j, "["))
            behind = j;
    return behind > i + 1 && r->token[behind - 1].kind == NAME && !is_of_type(r, behind - 1)
               ? behind - 1
               : behind;
}

/* Whether two declarations are of one function, as far as its parameters say. */
static bool same_parameters(const struct rewriter *r, const struct kernel *a,
                            const struct kernel *b)
{
    size_t i = a->first, j = b->first;

    while (i < a->last && j < b->last) {
        size_t ends[] = {parameter_end(r, i, a->last), parameter_end(r, j, b->last)};
        size_t types[] = {type_end(r, i, ends[0]), type_end(r, j, ends[1])};

        if (types[0] - i != types[1] - j)
            return false;
        for (size_t k = 0; i + k < types[0]; k++)
            if (!token_same(r, i + k, j + k))
                return false;
        i = ends[0] + 1;
        j = ends[1] + 1;
    }
    return (i < a->last) == (j < b->last);
}

static bool has_defaults(const struct rewriter *r, const struct kernel *kernel)
{
    return parameter_default(r, kernel->first, kernel->last) < kernel->last;
}

static struct kernel *kernel_named(struct rewriter *r, size_t name)
{
    for (size_t i = 0; i < r->kernels; i++)
        if (token_same(r, r->kernel[i].name, name))
            return &r->kernel[i];
    return NULL;
}

static enum ca_status add_kernel(struct rewriter *r, const struct kernel *kernel)
{
    struct kernel *before = kernel_named(r, kernel->name);

    if (before) {
        before->overloaded |= !same_parameters(r, before, kernel) ||
                              (before->parameters > 0) != (kernel->parameters > 0);
        if (has_defaults(r, kernel)) {
            before->first = kernel->first;
            before->last = kernel->last;
        }
        if (kernel->parameters > before->parameters)
            before->parameters = kernel->parameters;
        return CA_OK;
    }
    if (r->kernels == r->kernel_capacity) {
        size_t capacity = r->kernel_capacity ? 2 * r->kernel_capacity : 64;
        struct kernel *more = realloc(r->kernel, capacity * sizeof *more);

        if (!more)
            return token_no_memory(r);
        r->kernel = more;
        r->kernel_capacity = capacity;
    }
    r->kernel[r->kernels++] = *kernel;
    return CA_OK;
}

/* A kernel is declared with __global__, which the headers leave in the source: its name stands
 * before the first `(` that follows and is no attribute's. */
enum ca_status rewrite_find_kernel(struct rewriter *r, size_t mark, bool at_file_scope)
{
    struct kernel kernel = {.name = mark, .at_file_scope = at_file_scope};
    size_t start = token_declaration(r, mark), i = mark + 1, after;

    if (token_is(r, start, "template") && token_is(r, start + 1, "<") &&
        token_angle_closed(r, start + 1, &after)) {
        count_parameters(r, start + 1, after, &kernel.parameters, &kernel.needed);
        if (kernel.parameters == 0)
            return CA_OK; /* a specialisation; the template is declared before */
    }
    for (; i + 1 < r->count; i++) {
        if (token_is(r, i, ";") || token_is(r, i, "{") || token_is(r, i, "="))
            return CA_OK;
        if (token_is(r, i, "__attribute__") || token_is(r, i, "alignas") ||
            token_is(r, i, "decltype")) {
            i = token_closed(r, i + 1) - 1;
            continue;
        }
        if (token_is(r, i, "(") && r->token[i - 1].kind == NAME)
            break;
    }
    kernel.name = i - 1;
    kernel.first = i + 1;
    kernel.last = token_closed(r, i) - 1;
    return add_kernel(r, &kernel);
}

void rewrite_register(struct rewriter *r)
{
    for (size_t i = 0; i < r->kernels; i++) {
        const struct kernel *k = &r->kernel[i];

        if (k->parameters > 0 || k->overloaded || !k->at_file_scope)
            continue;
        rewrite_put(r, "\nstatic emulated_registered calab_kernel_%zu(", i);
        rewrite_tokens(r, k->name, k->name + 1);
        rewrite_put(r, ");");
    }
    rewrite_put(r, "\n");
}

/* --- launches --------------------------------------------------------------------------------- */

/* Finds where the name before `<<<` begins, with its qualifiers; *angle: its `<`, or `open`. */
static size_t callee_start(const struct rewriter *r, size_t open, size_t *angle)
{
    size_t i = open;

    *angle = open;
    if (i > 0 && token_is(r, i - 1, ">")) {
        int depth = 0;

        while (i > 0) {
            i--;
            if (token_is(r, i, ">"))
                depth++;
            else if (token_is(r, i, "<") && --depth == 0)
                break;
            else if (token_is(r, i, ";") || token_is(r, i, "{") || token_is(r, i, "}"))
                return open;
        }
        *angle = i;
    }
    if (i == 0 || r->token[i - 1].kind != NAME)
        return open;
    i--;
    while (i > 0 && token_is(r, i - 1, "::"))
        i -= i > 1 && r->token[i - 2].kind == NAME ? 2 : 1;
    return i;
}

/* Finds the `>>>` that belongs to the `<<<` at `open`; 0: none. Brackets between them are closed.
 */
static size_t launch_end(const struct rewriter *r, size_t open, int *arguments)
{
    *arguments = 1;
    for (size_t i = open + 1; i + 3 < r->count; i++) {
        if (token_is(r, i, ";"))
            return 0;
        if (token_is(r, i, "(") || token_is(r, i, "[") || token_is(r, i, "{")) {
            i = token_closed(r, i) - 1;
            continue;
        }
        if (token_is(r, i, "<")) {
            size_t after;

            if (r->token[i - 1].kind == NAME && token_angle_closed(r, i, &after) &&
                (token_is(r, after, "(") || token_is(r, after, "{") || token_is(r, after, "::")))
                i = after - 1;
            continue;
        }
        *arguments += token_is(r, i, ",");
        if (token_is(r, i, ">") && token_is(r, i + 1, ">") && token_is(r, i + 2, ">") &&
            (r->token[i + 2].at == r->token[i].at + 2 || token_is(r, i + 3, "(")))
            return i;
    }
    return 0;
}

static int given_arguments(const struct rewriter *r, size_t angle, size_t open)
{
    int depth = 0, count = angle < open;

    for (size_t i = angle; i < open; i++) {
        depth += token_is(r, i, "<") || token_is(r, i, "(") || token_is(r, i, "[");
        depth -= token_is(r, i, ">") || token_is(r, i, ")") || token_is(r, i, "]");
        count += depth == 1 && token_is(r, i, ",");
    }
    return count;
}

void rewrite_defaults(struct rewriter *r)
{
    const struct kernel *kernel = &r->kernel[r->launched];
    size_t open = r->launch_open, last = r->launch_close, at, i = kernel->first;
    bool any = last > open + 1;

    for (at = open + 1; at < last && i < kernel->last; at = parameter_end(r, at, last) + 1)
        i = parameter_end(r, i, kernel->last) + 1;
    rewrite_copy(r, r->token[last].at);
    for (size_t end; i < kernel->last; i = end + 1) {
        end = parameter_end(r, i, kernel->last);
        at = parameter_default(r, i, end);
        if (at == end)
            return;
        rewrite_put(r, any ? ", " : "");
        rewrite_tokens(r, at + 1, end);
        any = true;
    }
}

/* Counts what commas part between two tokens. */
static int count_parts(const struct rewriter *r, size_t i, size_t last)
{
    int count = 0;

    for (; i < last; i = parameter_end(r, i, last) + 1)
        count++;
    return count;
}

/* Whether a function that is called by its name has the template's defaults for what is not given.
 */
static bool needs_name(const struct rewriter *r, const struct kernel *kernel, size_t open)
{
    return kernel->parameters > 0 && has_defaults(r, kernel) &&
           count_parts(r, open + 1, token_closed(r, open) - 1) <
               count_parts(r, kernel->first, kernel->last);
}

/* A kernel whose name alone says which function it is, is called by a pointer, so that arguments
 * are converted to the types of its parameters. The function of a template or an overload is chosen
 * by the arguments. */
enum ca_status rewrite_launch(struct rewriter *r, size_t open)
{
    int arguments;
    size_t end = launch_end(r, open, &arguments), angle;
    size_t start = callee_start(r, open, &angle);
    struct kernel *kernel = start < open ? kernel_named(r, angle - 1) : NULL;
    bool chosen =
        kernel && (kernel->overloaded || (end > 0 && needs_name(r, kernel, end + 3)) ||
                   (kernel->needed > 0 && given_arguments(r, angle, open) < kernel->needed));

    if (r->in_device)
        return token_wrong(r, open,
                           "calab's emulator has no dynamic parallelism: a kernel is launched in "
                           "device code");
    if (end == 0)
        return token_wrong(r, open, "<<< without >>>");
    if (!token_is(r, end + 3, "("))
        return token_wrong(r, end,
                           "a launch's >>> must be followed by the kernel's arguments in ( )");
    if (arguments < 2 || arguments > 4 || end == open + 1)
        return token_wrong(
            r, open,
            "between <<< and >>> stand grid, block, and at most shared bytes and a stream: "
            "2 to 4 arguments, not %d",
            end == open + 1 ? 0 : arguments);
    if (chosen) {
        rewrite_copy(r, r->token[start].at);
        rewrite_put(r, "emulated_choice{[]<class... A>(A...) { if constexpr (requires { "
                       "static_cast<void (*)(A...)>(");
        rewrite_tokens(r, start, open);
        rewrite_put(r, "); }) return static_cast<void (*)(A...)>(");
        rewrite_tokens(r, start, open);
        rewrite_put(r, "); else return +[](A... a) { ");
        rewrite_tokens(r, start, open);
        rewrite_put(r, "(a...); }; }}");
        rewrite_leave_out(r, r->token[open].at);
    }
    rewrite_copy(r, r->token[open].at);
    rewrite_put(r, " %% emulated_dims(");
    r->written = r->token[open].at + r->token[open].length;
    rewrite_copy(r, r->token[end].at);
    rewrite_put(r, ")");
    r->written = r->token[end + 2].at + 1;
    r->launch_open = end + 3;
    r->launch_close =
        kernel && !kernel->overloaded && kernel->parameters == 0 ? token_closed(r, end + 3) - 1 : 0;
    r->launched = kernel ? (size_t)(kernel - r->kernel) : 0;
    return CA_OK;
}
