/* SPDX-License-Identifier: MIT */
/*
 * The parts of ca_rewrite_cuda share the source as tokens (tokens.c) and the output that takes its
 * place (rewrite.c); launches.c rewrites launches, shared.c declarations with __shared__,
 * variables.c those of other device memory, asm.c PTX, whose instructions asm_table.c lists. Tokens
 * are named by their index; behind the last one stands END.
 */
#ifndef CALAB_CORE_EMULATOR_REWRITER_H
#define CALAB_CORE_EMULATOR_REWRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/base/error.h"

enum token_kind {
    END,
    NAME,
    NUMBER,
    TEXT,
    MARK,
    LAUNCH_OPEN,
};

struct token {
    enum token_kind kind;
    size_t at, length; /* in the source */
};

struct kernel {
    size_t name;            /* token */
    int parameters, needed; /* of its template, and those without a default; 0: no template */
    size_t first, last;     /* tokens between its parentheses */
    bool overloaded, at_file_scope;
};

#define CALLS_MAX 64   /* of a library within each other */
#define STRUCTS_MAX 64 /* __shared__ ones outside of functions */

struct rewriter {
    const char *source;
    size_t length;
    struct token *token;
    size_t count, capacity;
    struct kernel *kernel;
    size_t kernels, kernel_capacity;
    size_t structs[STRUCTS_MAX], struct_count; /* tokens that name them */
    size_t calls[CALLS_MAX], call_count;       /* of a library, by their `)` */
    bool relocatable;                          /* files share their device variables */
    bool in_device;                            /* in a function that the host does not have */
    size_t launched;                           /* the kernel of the last launch, */
    size_t launch_open, launch_close; /* and the brackets of its arguments; 0: of no matter */
    FILE *out;
    size_t written; /* of the source */
    struct ca_error *error;
};

/* --- tokens.c --------------------------------------------------------------------------------- */

/* CA_NO_MEMORY. */
enum ca_status token_read(struct rewriter *r);
enum ca_status token_no_memory(struct rewriter *r);
/* CA_WRONG, with "FILE:LINE: error: " of the token before the text. */
enum ca_status token_wrong(const struct rewriter *r, size_t i, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool token_is(const struct rewriter *r, size_t i, const char *text);
bool token_same(const struct rewriter *r, size_t i, size_t j);
/* Whether the line that starts at this place of the source is a marker of the preprocessor. */
bool token_line_starts(const struct rewriter *r, size_t at);
/* The token after the bracket that closes the one at `open`; r->count where none does. */
size_t token_closed(const struct rewriter *r, size_t open);
/* The same for `<`, as far as one can tell: false where it is no bracket. */
bool token_angle_closed(const struct rewriter *r, size_t open, size_t *after);
/* Returns where the declaration begins that token i is a part of. */
size_t token_declaration(const struct rewriter *r, size_t i);

/* --- rewrite.c -------------------------------------------------------------------------------- */

/* Copies the source as far as this place of it. */
void rewrite_copy(struct rewriter *r, size_t at);
/* Leaves out what lies before `at`, but not its line ends and markers. */
void rewrite_leave_out(struct rewriter *r, size_t at);
void rewrite_put(struct rewriter *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
void rewrite_tokens(struct rewriter *r, size_t first, size_t last);

/* --- launches.c ------------------------------------------------------------------------------- */

/* Notes the kernel that is declared with the __global__ at token `mark`. */
enum ca_status rewrite_find_kernel(struct rewriter *r, size_t mark, bool at_file_scope);
/* Rewrites the launch whose `<<<` is at `open`. */
enum ca_status rewrite_launch(struct rewriter *r, size_t open);
/* Writes, at the end of the last launch's arguments, the defaults of those that it does not give: a
 * function that is called by a pointer has none. */
void rewrite_defaults(struct rewriter *r);
/* Registers kernels for cudaLaunchKernel, which gets pointers to them without a type. */
void rewrite_register(struct rewriter *r);

/* --- variables.c ------------------------------------------------------------------------------ */

/* Rewrites the __device__, __constant__ or __managed__ at a token. */
void rewrite_variable(struct rewriter *r, size_t mark, bool in_function);
/* Whether it declares a variable of another file. */
bool rewrite_is_extern(const struct rewriter *r, size_t mark);

/* --- asm.c ------------------------------------------------------------------------------------ */

/* Rewrites the asm statement at a token of device code; *next is its `)`. */
enum ca_status rewrite_asm(struct rewriter *r, size_t i, size_t *next);

/* --- shared.c --------------------------------------------------------------------------------- */

/* Rewrites the declaration with the __shared__ at token `mark`; *next is its `;`. */
enum ca_status rewrite_shared(struct rewriter *r, size_t mark, bool in_function, size_t *next);
/* Rewrites x.member, whose x is at token i, where x is a __shared__ struct outside of functions. */
void rewrite_member(struct rewriter *r, size_t i);

#endif
