/* SPDX-License-Identifier: MIT */
/* Rewrites variables that are declared with __shared__. */
#include "core/emulator/rewriter.h"

struct declarator {
    size_t pointer, name, bounds, end; /* tokens: first `*`, name, first `[` or end */
};

/* The first `{` of tokens; `last`: none. */
static size_t body_of(const struct rewriter *r, size_t first, size_t last)
{
    while (first < last && !token_is(r, first, "{"))
        first++;
    return first;
}

/* Whether the type whose body opens at a token has a name, which stands before it. */
static bool is_named(const struct rewriter *r, size_t body)
{
    return r->token[body - 1].kind == NAME && !token_is(r, body - 1, "struct") &&
           !token_is(r, body - 1, "union") && !token_is(r, body - 1, "class");
}

/* Writes the type that a declaration defines as one that can be named behind it. */
static void define_type(struct rewriter *r, size_t first, size_t last)
{
    size_t body = body_of(r, first, last);

    if (body == last)
        return;
    rewrite_tokens(r, first, body);
    if (!is_named(r, body))
        rewrite_put(r, " calab_shared_%zu", body);
    rewrite_tokens(r, body, token_closed(r, body));
    rewrite_put(r, "; ");
}

static void write_type(struct rewriter *r, size_t first, size_t last)
{
    size_t body = body_of(r, first, last);

    if (body == last)
        rewrite_tokens(r, first, last);
    else if (is_named(r, body))
        rewrite_tokens(r, body - 1, body);
    else
        rewrite_put(r, "calab_shared_%zu", body);
}

/* Writes one declarator of a declaration, whose type is in the tokens from base_first on. */
static enum ca_status rewrite_declarator(struct rewriter *r, const struct declarator *d,
                                         bool is_extern, bool in_function, size_t base_first,
                                         size_t base_last)
{
    bool array = d->bounds < d->end;
    bool open = array && token_is(r, d->bounds + 1, "]");

    if (is_extern && !open)
        return token_wrong(r, d->name,
                           "an extern __shared__ variable is an array without a size: %.*s[]",
                           (int)r->token[d->name].length, r->source + r->token[d->name].at);
    if (!is_extern && open)
        return token_wrong(r, d->name, "a __shared__ array without extern has a size");
    if (is_extern) {
        if (!in_function) {
            rewrite_put(r, "static ");
            rewrite_tokens(r, base_first, base_last);
            rewrite_put(r, " ");
        }
        rewrite_tokens(r, d->pointer, d->name);
        rewrite_put(r, "%s*const %s", d->bounds + 2 < d->end ? "(" : "", in_function ? "" : "&");
        rewrite_tokens(r, d->name, d->name + 1);
        rewrite_put(r, d->bounds + 2 < d->end ? ")" : "");
        rewrite_tokens(r, d->bounds + 2, d->end);
        rewrite_put(r, in_function ? " = emulated_dynamic{}" : " = emulated_dynamic_file{};");
    } else if (!in_function) {
        rewrite_put(r, "static emulated_file_shared<");
        write_type(r, base_first, base_last);
        rewrite_put(r, " ");
        rewrite_tokens(r, d->pointer, d->name);
        rewrite_tokens(r, d->bounds, d->end);
        rewrite_put(r, "> ");
        rewrite_tokens(r, d->name, d->name + 1);
        rewrite_put(r, ";");
        if (!array && r->struct_count < STRUCTS_MAX)
            r->structs[r->struct_count++] = d->name;
    } else {
        rewrite_tokens(r, d->pointer, d->name);
        rewrite_put(r, array ? "(&" : "&");
        rewrite_tokens(r, d->name, d->name + 1);
        rewrite_put(r, array ? ")" : "");
        rewrite_tokens(r, d->bounds, d->end);
        rewrite_put(r, " = emulated_shared{[] { static emulated_slot slot = {__builtin_FILE(), "
                       "__builtin_LINE(), {}, {}}; return &slot; }()}");
    }
    return CA_OK;
}

/* Reads the declarator from token i on; its end is `,` or `;`. */
static enum ca_status read_declarator(const struct rewriter *r, size_t i, struct declarator *d)
{
    d->name = i;
    for (; i + 1 < r->count && !token_is(r, i, ";") && !token_is(r, i, ","); i++) {
        if (token_is(r, i, "["))
            break;
        if (token_is(r, i, "=") || token_is(r, i, "{"))
            return token_wrong(r, i, "a __shared__ variable cannot have an initial value");
        if (token_is(r, i, "("))
            return token_wrong(r, i, "this __shared__ declaration is not understood");
        if (r->token[i].kind == NAME)
            d->name = i;
    }
    d->bounds = i;
    while (token_is(r, i, "["))
        i = token_closed(r, i);
    if (token_is(r, i, "=") || token_is(r, i, "{"))
        return token_wrong(r, i, "a __shared__ variable cannot have an initial value");
    if (!token_is(r, i, ";") && !token_is(r, i, ","))
        return token_wrong(r, d->name, "this __shared__ declaration is not understood");
    d->end = i;
    return CA_OK;
}

/* The name of the first declarator from token i on: the last name before `[`, `,`, `;` or `=`. */
static size_t first_name(const struct rewriter *r, size_t i)
{
    size_t name = r->count, after;

    for (; i + 1 < r->count && !token_is(r, i, ";") && !token_is(r, i, ",") &&
           !token_is(r, i, "[") && !token_is(r, i, "=");
         i++) {
        if (token_is(r, i, "<") && token_angle_closed(r, i, &after)) {
            i = after - 1;
        } else if (token_is(r, i, "(") || token_is(r, i, "{")) {
            i = token_closed(r, i) - 1;
        } else if (r->token[i].kind == NAME) {
            name = i;
        }
    }
    return name;
}

static bool is_storage(const struct rewriter *r, size_t i)
{
    return token_is(r, i, "__shared__") || token_is(r, i, "extern") || token_is(r, i, "static");
}

enum ca_status rewrite_shared(struct rewriter *r, size_t mark, bool in_function, size_t *next)
{
    size_t start = token_declaration(r, mark), name, base, i;
    bool is_extern = false;

    if (token_is(r, start, "for") || token_is(r, start, "if"))
        return token_wrong(r, mark, "this __shared__ declaration is not understood");
    while (start < mark && token_is(r, start, "template"))
        return token_wrong(r, mark, "a __shared__ variable cannot be a template");
    for (i = start; i < mark; i++)
        is_extern |= token_is(r, i, "extern");
    name = first_name(r, mark);
    for (i = mark; i < name && i + 1 < r->count; i++)
        is_extern |= token_is(r, i, "extern");
    if (name >= r->count)
        return token_wrong(r, mark, "this __shared__ declaration is not understood");
    for (base = name;
         base > start && (token_is(r, base - 1, "*") || token_is(r, base - 1, "&") ||
                          ((token_is(r, base - 1, "const") || token_is(r, base - 1, "volatile") ||
                            token_is(r, base - 1, "__restrict__")) &&
                           base > start + 1 && token_is(r, base - 2, "*")));)
        base--;
    rewrite_copy(r, r->token[start].at);
    /* The type stays on its lines; extern, static and __shared__ are left out. */
    if (in_function)
        for (i = start; i < base; i++) {
            rewrite_leave_out(r, r->token[i].at);
            if (!is_storage(r, i)) {
                rewrite_tokens(r, i, i + 1);
                fputc(' ', r->out);
            }
            r->written = r->token[i].at + r->token[i].length;
        }
    size_t kept_first = start, kept_last = base;
    while (kept_first < kept_last && is_storage(r, kept_first))
        kept_first++;
    for (i = kept_first; !in_function && i < kept_last; i++)
        if (is_storage(r, i))
            return token_wrong(r, i, "outside of functions __shared__ comes before the type");
    if (!in_function && !is_extern)
        define_type(r, kept_first, kept_last);
    for (i = base;; i++) {
        struct declarator d = {.pointer = i};

        CA_TRY(read_declarator(r, i, &d));
        rewrite_leave_out(r, r->token[d.name].at);
        CA_TRY(rewrite_declarator(r, &d, is_extern, in_function, kept_first, kept_last));
        rewrite_leave_out(r, r->token[d.end].at);
        i = d.end;
        if (in_function)
            rewrite_copy(r, r->token[i].at + 1);
        r->written = r->token[i].at + 1;
        if (token_is(r, i, ";"))
            break;
    }
    *next = i;
    return CA_OK;
}

/* Rewrites x.member where x is a __shared__ struct outside of functions: it has to be the running
 * block's, and C++ lets no class redefine the operator. */
void rewrite_member(struct rewriter *r, size_t i)
{
    if (i == 0 || token_is(r, i - 1, ".") || token_is(r, i - 1, "->") || token_is(r, i - 1, "::"))
        return;
    for (size_t j = 0; j < r->struct_count; j++)
        if (token_same(r, i, r->structs[j])) {
            rewrite_copy(r, r->token[i].at + r->token[i].length);
            rewrite_put(r, ".get()");
            return;
        }
}
