/* SPDX-License-Identifier: MIT */
/*
 * Rewrites inline PTX: each instruction becomes a call of a function in runtime/ptx.h that is named
 * like it, with what its types are as template arguments. What is not in the table of asm_table.c
 * is refused by its name.
 */
#include "core/emulator/asm_table.h"
#include "core/emulator/rewriter.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 8192
#define OPERANDS_MAX 32
#define PARTS_MAX 12

struct ptx {
    struct rewriter *r;
    size_t mark; /* the asm */
    char text[TEXT_MAX];
    char registers[TEXT_MAX]; /* names that are declared, each between blanks */
    struct operand {
        char constraint;
        bool in, out;
        size_t first, last; /* tokens of its expression */
    } operand[OPERANDS_MAX];
    int operands;
    bool shared; /* addresses of the present instruction are those of shared memory */
};

/* --- words ------------------------------------------------------------------------------------ */

static char *trim(char *text)
{
    char *end;

    while (isspace((unsigned char)*text))
        text++;
    end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        *--end = '\0';
    return text;
}

/* Cuts what commas part, but those in brackets: how many parts there are; -1: too many. */
static int split(char *text, char *part[PARTS_MAX])
{
    int count = 0, depth = 0;

    if (!*trim(text))
        return 0;
    part[count++] = text;
    for (; *text; text++) {
        depth += *text == '{' || *text == '[';
        depth -= *text == '}' || *text == ']';
        if (*text != ',' || depth > 0)
            continue;
        if (count == PARTS_MAX)
            return -1;
        *text = '\0';
        part[count++] = text + 1;
    }
    for (int i = 0; i < count; i++)
        part[i] = trim(part[i]);
    return count;
}

static enum ca_status ptx_refuse(const struct ptx *p, const char *what)
{
    return token_wrong(p->r, p->mark, "calab's emulator has no inline PTX with '%.80s'", what);
}

/* --- operands --------------------------------------------------------------------------------- */

static void put_name(struct rewriter *r, const char *name)
{
    rewrite_put(r, "calab_v_");
    for (; *name; name++)
        fputc(isalnum((unsigned char)*name) ? *name : '_', r->out);
}

static enum ca_status put_operand(const struct ptx *p, char *text)
{
    struct rewriter *r = p->r;
    char *plus;

    if (*text == '[') {
        size_t length = strlen(text);

        if (text[length - 1] != ']')
            return ptx_refuse(p, text);
        text[length - 1] = '\0';
        plus = strchr(text, '+');
        if (plus)
            *plus = '\0';
        rewrite_put(r, p->shared ? "emulated_ptx::at_shared(" : "(");
        CA_TRY(put_operand(p, trim(text + 1)));
        rewrite_put(r, plus ? " + %s)" : ")%s", plus ? trim(plus + 1) : "");
    } else if (*text == '!') {
        rewrite_put(r, "!");
        return put_operand(p, trim(text + 1));
    } else if (*text == '%' && isdigit((unsigned char)text[1])) {
        if (atoi(text + 1) >= p->operands)
            return ptx_refuse(p, text);
        rewrite_put(r, "calab_%d", atoi(text + 1));
    } else if (ptx_is_among(p->registers, text, strlen(text))) {
        put_name(r, text);
    } else if (*text == '%' && ptx_is_special(text + 1)) {
        rewrite_put(r, "emulated_ptx::reg_");
        for (const char *c = text + 1; *c; c++)
            fputc(*c == '.' ? '_' : *c, r->out);
        rewrite_put(r, "()");
    } else if (strncmp(text, "0f", 2) == 0 || strncmp(text, "0F", 2) == 0) {
        rewrite_put(r, "emulated_bits<float>(0x%.8su)", text + 2);
    } else if (strncmp(text, "0d", 2) == 0 || strncmp(text, "0D", 2) == 0) {
        rewrite_put(r, "emulated_bits<double>(0x%.16sull)", text + 2);
    } else if (isdigit((unsigned char)*text) || (*text == '-' && isdigit((unsigned char)text[1]))) {
        if (text[strspn(text, "-0123456789abcdefABCDEFxXuU.")])
            return ptx_refuse(p, text);
        rewrite_put(r, "%s", text);
    } else {
        return ptx_refuse(p, text);
    }
    return CA_OK;
}

/* --- instructions ----------------------------------------------------------------------------- */

struct mnemonic {
    const struct ptx_instruction *row;
    char function[64]; /* with `<types>` */
    const char *type;  /* the last one, NULL: none */
    int vector;        /* elements */
    bool shared;
};

static enum ca_status read_mnemonic(const struct ptx *p, const char *text, struct mnemonic *m)
{
    size_t n = strcspn(text, ".");
    char arguments[64] = "";

    *m = (struct mnemonic){.vector = 1};
    m->row = ptx_instruction_named(text, n);
    if (!m->row)
        return ptx_refuse(p, text);
    snprintf(m->function, sizeof m->function, "%s%s", m->row->root,
             ptx_is_among("and or xor not", m->row->root, n) ? "_" : "");
    for (const char *part = text + n; *part; part += n) {
        const char *type;
        size_t used = strlen(m->function), types_used = strlen(arguments);

        part++;
        n = strcspn(part, ".");
        type = ptx_type_named(part, n);
        if (type) {
            m->type = type;
            snprintf(arguments + types_used, sizeof arguments - types_used, "%s%s",
                     types_used ? ", " : "", type);
        } else if (n == 2 && part[0] == 'v' && (part[1] == '2' || part[1] == '4') &&
                   (strcmp(m->row->root, "ld") == 0 || strcmp(m->row->root, "st") == 0)) {
            m->vector = part[1] - '0';
        } else if (m->row->shared &&
                   (ptx_is_among("shared", part, n) || ptx_is_among("shared::cta", part, n))) {
            m->shared = true;
        } else if (ptx_is_among(m->row->kept, part, n)) {
            snprintf(m->function + used, sizeof m->function - used, "_%.*s", (int)n, part);
        } else if (!ptx_is_among(m->row->left, part, n)) {
            return ptx_refuse(p, text);
        }
    }
    n = strlen(m->function);
    if (arguments[0])
        snprintf(m->function + n, sizeof m->function - n, "<%s>", arguments);
    return CA_OK;
}

static enum ca_status put_call(const struct ptx *p, const char *function, char **operand, int count)
{
    rewrite_put(p->r, "emulated_ptx::%s(", function);
    for (int i = 0; i < count; i++) {
        rewrite_put(p->r, i > 0 ? ", " : "");
        CA_TRY(put_operand(p, operand[i]));
    }
    rewrite_put(p->r, ")");
    return CA_OK;
}

/* {a, b, ...} as parts; -1 where it is none of so many. */
static int vector_parts(char *text, char *part[PARTS_MAX])
{
    size_t length = strlen(text);

    if (*text != '{' || text[length - 1] != '}')
        return -1;
    text[length - 1] = '\0';
    return split(text + 1, part);
}

/* ld and st of vectors, as accesses to each of their elements. */
static enum ca_status put_vector(const struct ptx *p, const struct mnemonic *m, char **operand,
                                 const char *mnemonic)
{
    bool stores = m->row->nothing;
    char *part[PARTS_MAX], address[256];

    if (vector_parts(operand[stores], part) != m->vector)
        return ptx_refuse(p, mnemonic);
    for (int i = 0; i < m->vector; i++) {
        snprintf(address, sizeof address, "%.250s", operand[!stores]);
        rewrite_put(p->r, stores ? "emulated_ptx::%s(%d * sizeof(%s) + " : "emulated_ptx::set(",
                    m->function, i, m->type);
        CA_TRY(put_operand(p, stores ? address : part[i]));
        if (!stores)
            rewrite_put(p->r, ", emulated_ptx::%s(%d * sizeof(%s) + ", m->function, i, m->type);
        else
            rewrite_put(p->r, ", ");
        CA_TRY(put_operand(p, stores ? part[i] : address));
        rewrite_put(p->r, stores ? "); " : ")); ");
    }
    return CA_OK;
}

/* mov between a register and a vector of two. */
static enum ca_status put_pair(const struct ptx *p, char **operand, const char *mnemonic)
{
    bool packs = *operand[1] == '{';
    char *part[PARTS_MAX], whole[256];

    if (vector_parts(operand[packs], part) != 2)
        return ptx_refuse(p, mnemonic);
    for (int i = 0; i < (packs ? 1 : 2); i++) {
        snprintf(whole, sizeof whole, "%.250s", operand[!packs]);
        rewrite_put(p->r, "emulated_ptx::set(");
        CA_TRY(put_operand(p, packs ? whole : part[i]));
        rewrite_put(p->r, packs ? ", emulated_ptx::pack(" : ", emulated_ptx::half_%d(", i);
        CA_TRY(put_operand(p, packs ? part[0] : whole));
        if (packs) {
            rewrite_put(p->r, ", ");
            CA_TRY(put_operand(p, part[1]));
        }
        rewrite_put(p->r, ")); ");
    }
    return CA_OK;
}

static enum ca_status put_set(const struct ptx *p, char *to, const char *value)
{
    if (strcmp(to, "_") == 0)
        return CA_OK;
    rewrite_put(p->r, "emulated_ptx::set(");
    CA_TRY(put_operand(p, to));
    rewrite_put(p->r, ", %s); ", value);
    return CA_OK;
}

/* A comparison that sets two predicates, which are `|` apart. */
static enum ca_status put_both(const struct ptx *p, const struct mnemonic *m, char **operand,
                               int count)
{
    char *second = strchr(operand[0], '|');

    *second = '\0';
    rewrite_put(p->r, "{ const auto calab_both = ");
    CA_TRY(put_call(p, m->function, operand + 1, count - 1));
    rewrite_put(p->r, "; ");
    CA_TRY(put_set(p, trim(operand[0]), "calab_both.holds"));
    CA_TRY(put_set(p, trim(second + 1), "calab_both.fails"));
    rewrite_put(p->r, "} ");
    return CA_OK;
}

static enum ca_status put_instruction(struct ptx *p, char *text)
{
    char *mnemonic = text, *operand[PARTS_MAX];
    struct mnemonic m;
    int count;

    text += strcspn(text, " \t\n");
    if (*text)
        *text++ = '\0';
    CA_TRY(read_mnemonic(p, mnemonic, &m));
    p->shared = m.shared;
    count = split(text, operand);
    if (count < 0 || (!m.row->nothing && count < 1) || (m.vector > 1 && count != 2))
        return ptx_refuse(p, mnemonic);
    if (strncmp(m.row->root, "bar", 3) == 0 && (count != 1 || strcmp(operand[0], "0") != 0))
        return ptx_refuse(p, "barriers other than 0");
    if (m.vector > 1)
        return put_vector(p, &m, operand, mnemonic);
    if (count == 2 && (*operand[0] == '{' || *operand[1] == '{'))
        return put_pair(p, operand, mnemonic);
    if (m.row->nothing) {
        CA_TRY(put_call(p, m.function, operand, count));
        rewrite_put(p->r, "; ");
        return CA_OK;
    }
    if (strchr(operand[0], '|'))
        return strcmp(m.row->root, "setp") == 0 ? put_both(p, &m, operand, count)
                                                : ptx_refuse(p, mnemonic);
    rewrite_put(p->r, "emulated_ptx::set(");
    CA_TRY(put_operand(p, operand[0]));
    rewrite_put(p->r, ", ");
    CA_TRY(put_call(p, m.function, operand + 1, count - 1));
    rewrite_put(p->r, "); ");
    return CA_OK;
}

/* .reg .type name, name<N>; as variables. */
static enum ca_status put_registers(struct ptx *p, char *text)
{
    char *part[PARTS_MAX], *type = trim(text);
    size_t length = strcspn(type, " \t\n");
    const char *as = *type == '.' ? ptx_type_named(type + 1, length - 1) : NULL;
    int count;

    if (!as || !type[length])
        return ptx_refuse(p, ".reg");
    count = split(type + length, part);
    for (int i = 0; i < count; i++) {
        char *bracket = strchr(part[i], '<');
        int many = bracket ? atoi(bracket + 1) : 0;

        if (bracket)
            *bracket = '\0';
        for (int n = 0; n < (bracket ? many : 1) && n < 64; n++) {
            char name[64];
            size_t used = strlen(p->registers);

            if (bracket)
                snprintf(name, sizeof name, "%.40s%d", part[i], n);
            else
                snprintf(name, sizeof name, "%.60s", part[i]);
            if (used + strlen(name) + 2 > sizeof p->registers)
                return ptx_refuse(p, ".reg");
            snprintf(p->registers + used, sizeof p->registers - used, "%s ", name);
            rewrite_put(p->r, "[[maybe_unused]] %s ", as);
            put_name(p->r, name);
            rewrite_put(p->r, "{}; ");
        }
    }
    return count < 0 ? ptx_refuse(p, ".reg") : CA_OK;
}

static enum ca_status put_statement(struct ptx *p, char *text)
{
    for (text = trim(text); *text == '{' || *text == '}';) /* of a scope */
        text = trim(text + 1);
    if (!*text)
        return CA_OK;
    if (strncmp(text, ".reg", 4) == 0 && isspace((unsigned char)text[4]))
        return put_registers(p, text + 4);
    if (*text == '@') {
        char *predicate = text + 1;

        text += strcspn(text, " \t\n");
        if (!*text)
            return ptx_refuse(p, predicate);
        *text++ = '\0';
        rewrite_put(p->r, "if (");
        CA_TRY(put_operand(p, predicate));
        rewrite_put(p->r, ") { ");
        CA_TRY(put_instruction(p, trim(text)));
        rewrite_put(p->r, "} ");
        return CA_OK;
    }
    return put_instruction(p, text);
}

/* --- the statement of C++ --------------------------------------------------------------------- */

/* Appends the text of a string literal, without comments. */
static bool add_text(struct ptx *p, size_t i)
{
    const char *s = p->r->source + p->r->token[i].at, *end = s + p->r->token[i].length - 1;
    size_t used = strlen(p->text);

    if (*s != '"')
        return false;
    for (s++; s < end && used + 2 < sizeof p->text; s++) {
        char c = *s;

        if (c == '\\' && s + 1 < end) {
            c = *++s == 'n' ? '\n' : *s == 't' ? '\t' : *s;
        } else if (c == '%' && s + 1 < end && s[1] == '%') {
            s++;
        }
        p->text[used++] = c;
    }
    p->text[used] = '\0';
    return s == end;
}

static void blank_comments(char *text)
{
    for (char *c; (c = strstr(text, "//"));)
        memset(c, ' ', strcspn(c, "\n"));
    for (char *c, *end; (c = strstr(text, "/*")) && (end = strstr(c, "*/"));)
        memset(c, ' ', (size_t)(end + 2 - c));
}

static bool add_operand(struct ptx *p, size_t text, bool out, size_t *next)
{
    const struct rewriter *r = p->r;
    const char *s = r->source + r->token[text].at;
    struct operand *operand = &p->operand[p->operands];
    size_t length = r->token[text].length;

    if (p->operands == OPERANDS_MAX || length < 3 || !token_is(r, text + 1, "("))
        return false;
    *operand = (struct operand){.constraint = s[length - 2],
                                .out = out,
                                .in = !out || memchr(s, '+', length),
                                .first = text + 2,
                                .last = token_closed(r, text + 1) - 1};
    *next = operand->last + 1;
    p->operands++;
    return strchr("hrlfdn", operand->constraint) != NULL;
}

/* Reads the statement from its `(` on, as far as the `)`. */
static enum ca_status read_asm(struct ptx *p, size_t open)
{
    const struct rewriter *r = p->r;
    size_t end = token_closed(r, open) - 1, i = open + 1;

    for (; i < end && r->token[i].kind == TEXT; i++)
        if (!add_text(p, i))
            return ptx_refuse(p, "so much text");
    for (int section = 0; i < end;) {
        if (token_is(r, i, ":") || token_is(r, i, "::")) {
            section += token_is(r, i, "::") ? 2 : 1;
            i++;
        } else if (token_is(r, i, ",") || (section > 2 && r->token[i].kind == TEXT)) {
            i++;
        } else if (section < 1 || r->token[i].kind != TEXT ||
                   !add_operand(p, i, section == 1, &i)) {
            return token_wrong(r, i, "this operand of inline PTX is not understood");
        }
    }
    blank_comments(p->text);
    return CA_OK;
}

static const char *type_of(char constraint)
{
    switch (constraint) {
    case 'h':
        return "uint16_t";
    case 'r':
        return "uint32_t";
    case 'l':
        return "uint64_t";
    case 'f':
        return "float";
    case 'd':
        return "double";
    default:
        return "auto";
    }
}

static void put_values(struct ptx *p, bool out)
{
    for (int i = 0; i < p->operands; i++) {
        const struct operand *one = &p->operand[i];
        const char *type = type_of(one->constraint);

        if (out && !one->out)
            continue;
        if (out)
            rewrite_put(p->r, "emulated_ptx::give(");
        else if (!one->in)
            rewrite_put(p->r, "%s calab_%d{}; ", type, i);
        else if (one->constraint == 'n')
            rewrite_put(p->r, "const auto calab_%d = (", i);
        else
            rewrite_put(p->r, "%s calab_%d = emulated_ptx::take<%s>(", type, i, type);
        if (out || one->in) {
            rewrite_tokens(p->r, one->first, one->last);
            rewrite_put(p->r, out ? ", calab_%d); " : "); ", i);
        }
    }
}

enum ca_status rewrite_asm(struct rewriter *r, size_t i, size_t *next)
{
    struct ptx *p;
    enum ca_status status;
    size_t open = i + 1, end;

    while (r->token[open].kind == NAME)
        open++;
    if (!token_is(r, open, "(") || token_closed(r, open) >= r->count)
        return token_wrong(r, i, "this asm is not understood");
    p = calloc(1, sizeof *p);
    if (!p)
        return token_no_memory(r);
    p->r = r;
    p->mark = i;
    end = token_closed(r, open) - 1;
    status = read_asm(p, open);
    rewrite_copy(r, r->token[i].at);
    rewrite_put(r, "do { ");
    if (status == CA_OK)
        put_values(p, false);
    for (char *rest = p->text, *one; status == CA_OK && (one = strsep(&rest, ";"));)
        status = put_statement(p, one);
    if (status == CA_OK)
        put_values(p, true);
    rewrite_put(r, "} while (0)");
    rewrite_leave_out(r, r->token[end].at);
    r->written = r->token[end].at + 1;
    *next = end;
    free(p);
    return status;
}
