/* SPDX-License-Identifier: MIT */
/* This file writes the sentences that say how two simulations differ. */
#include <stdarg.h>
#include <stdio.h>

#include "core/base/quantity.h"
#include "core/compare/differ.h"

struct sentence {
    char *text;
    size_t size, used;
};

static void differ_text_add(struct sentence *sentence, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void differ_text_add(struct sentence *sentence, const char *format, ...)
{
    va_list list;
    int length;

    va_start(list, format);
    length =
        vsnprintf(sentence->text + sentence->used, sentence->size - sentence->used, format, list);
    va_end(list);
    sentence->used += (size_t)length;
    if (sentence->used >= sentence->size)
        sentence->used = sentence->size - 1;
}

static void add_cell(struct sentence *sentence, const struct ca_differ_cell *cell,
                     const struct ca_model *model)
{
    differ_text_add(sentence, "%lld,%lld", (long long)cell->x, (long long)cell->y);
    if (model->dimensions == 3)
        differ_text_add(sentence, ",%lld", (long long)cell->z);
}

char *ca_differ_headline(char text[80], const struct ca_differ_result *result,
                         const struct ca_model *model)
{
    struct sentence sentence = {text, 80, 0};
    char number[CA_QUANTITY_TEXT];

    switch (result->kind) {
    case CA_DIFFER_PENDING:
        differ_text_add(&sentence, "DIFFER");
        break;
    case CA_DIFFER_FROM:
        differ_text_add(&sentence, "DIFFER from %s", ca_thousands(number, result->generation));
        if (result->placed) {
            differ_text_add(&sentence, " at ");
            add_cell(&sentence, &result->cell, model);
        }
        break;
    case CA_DIFFER_LENGTH:
        differ_text_add(&sentence, "DIFFER in calls of %s or more",
                        ca_thousands(number, result->length));
        break;
    case CA_DIFFER_VARYING:
        differ_text_add(&sentence, "NOT DETERMINISTIC");
        break;
    }
    return text;
}

static void add_place(struct sentence *sentence, const struct ca_differ_result *r,
                      const struct ca_model *model, const char *a, const char *b)
{
    if (!r->placed) {
        differ_text_add(sentence, "; their digests differ, but no cell does");
        return;
    }
    differ_text_add(sentence, "; the first cell is ");
    add_cell(sentence, &r->cell, model);
    if (model->planes > 1)
        differ_text_add(sentence, " of plane %s", model->plane_names[r->plane]);
    differ_text_add(sentence, ": %.9g before, then %.9g in %s and %.9g in %s", r->value_before,
                    r->value[0], a, r->value[1], b);
}

char *ca_differ_sentence(char *text, size_t size, const struct ca_differ_result *r,
                         const struct ca_model *model, const char *a, const char *b)
{
    struct sentence sentence = {text, size, 0};
    char equal[CA_QUANTITY_TEXT], end[CA_QUANTITY_TEXT], shorter[CA_QUANTITY_TEXT];
    const char *guilty = r->guilty[0] ? a : b;

    ca_thousands(equal, r->equal_at);
    ca_thousands(end, r->generation);
    switch (r->kind) {
    case CA_DIFFER_PENDING:
        differ_text_add(&sentence, "%s and %s differ", a, b);
        break;
    case CA_DIFFER_FROM:
        differ_text_add(&sentence, "%s and %s are equal at generation %s and differ at %s", a, b,
                        equal, end);
        add_place(&sentence, r, model, a, b);
        if (r->bisected)
            differ_text_add(&sentence, "; found by bisection: earlier differences may have healed");
        break;
    case CA_DIFFER_LENGTH:
        differ_text_add(&sentence,
                        "%s and %s are equal after calls of %s generation%s and differ after one "
                        "of %s, from generation %s on",
                        a, b, ca_thousands(shorter, r->length - 1),
                        r->length == 2 ? "" : "s or fewer", ca_thousands(end, r->length), equal);
        if (r->guilty[0] != r->guilty[1])
            differ_text_add(&sentence, "; %s differs from its own single generations", guilty);
        add_place(&sentence, r, model, a, b);
        if (r->bisected)
            differ_text_add(&sentence, "; found by bisection: shorter calls may differ too");
        break;
    case CA_DIFFER_VARYING:
        if (r->guilty[0] && r->guilty[1])
            differ_text_add(&sentence, "neither %s nor %s is", a, b);
        else
            differ_text_add(&sentence, "%s is not", guilty);
        differ_text_add(&sentence,
                        " deterministic: from the same state at generation %s, another one at %s",
                        equal, end);
        for (int i = 0; i < r->varying; i++) {
            differ_text_add(&sentence, "%s", i > 0 ? " " : "; cells that vary: ");
            add_cell(&sentence, &r->vary[i], model);
        }
        break;
    }
    return text;
}
