/* SPDX-License-Identifier: MIT */
/* Rewrites variables that are declared with __device__, __constant__ or __managed__. */
#include "core/emulator/rewriter.h"

static bool is_mark(const struct rewriter *r, size_t i)
{
    return token_is(r, i, "__device__") || token_is(r, i, "__constant__") ||
           token_is(r, i, "__managed__");
}

/* Whether the declaration that goes on behind token i is one of variables: no function's. */
static bool is_variable(const struct rewriter *r, size_t i)
{
    size_t after;

    for (i++; i + 1 < r->count; i++) {
        if (token_is(r, i, "__attribute__") || token_is(r, i, "alignas") ||
            token_is(r, i, "decltype"))
            i = token_closed(r, i + 1) - 1;
        else if (token_is(r, i, "<") && token_angle_closed(r, i, &after))
            i = after - 1;
        else if (token_is(r, i, "(") || token_is(r, i, "operator"))
            return false;
        else if (token_is(r, i, ";") || token_is(r, i, "=") || token_is(r, i, "[") ||
                 token_is(r, i, "{"))
            return true;
    }
    return false;
}

/* Whether a declaration says itself which files see the variable, or is not one of one variable. */
static bool has_linkage(const struct rewriter *r, size_t start, size_t mark)
{
    static const char *const words[] = {"static",    "extern",     "inline", "template",
                                        "constexpr", "__inline__", "struct", "class",
                                        "union",     "using",      "typedef"};

    for (size_t i = start; i < mark + 4 && i + 1 < r->count; i++)
        for (size_t w = 0; w < sizeof words / sizeof *words; w++)
            if (token_is(r, i, words[w]) && (i < mark || w < 6))
                return true;
    return false;
}

/* Without -rdc each file has its own variables, as nvcc compiles it. A __constant__ one gets a
 * section of its own, so that a kernel that writes it is found; const ones lie in a section that
 * nobody can write, and cannot share this one. */
void rewrite_variable(struct rewriter *r, size_t mark, bool in_function)
{
    size_t start = token_declaration(r, mark);
    bool is_const = false, first = true;

    for (size_t i = start; i < mark; i++)
        first &= !is_mark(r, i);
    for (size_t i = start;
         i + 1 < r->count && !token_is(r, i, ";") && !token_is(r, i, "=") && !token_is(r, i, "[");
         i++)
        is_const |=
            (token_is(r, i, "const") && !token_is(r, i - 1, "*")) || token_is(r, i, "constexpr");
    rewrite_copy(r, r->token[mark].at);
    if (token_is(r, mark, "__constant__") && !is_const)
        rewrite_put(r, "__attribute__((section(\"calab_constant\")))");
    if (first && !r->relocatable && !in_function && !has_linkage(r, start, mark) &&
        is_variable(r, mark))
        rewrite_put(r, " static");
    r->written = r->token[mark].at + r->token[mark].length;
}

bool rewrite_is_extern(const struct rewriter *r, size_t mark)
{
    if (!is_mark(r, mark) || !is_variable(r, mark))
        return false;
    for (size_t i = token_declaration(r, mark); i < mark + 3 && i + 1 < r->count; i++)
        if (token_is(r, i, "extern") && r->token[i + 1].kind != TEXT)
            return true;
    return false;
}
