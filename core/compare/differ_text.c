/* SPDX-License-Identifier: MIT */
/* This file writes the sentences that say how two simulations differ. */
#include <stdio.h>

#include "core/base/quantity.h"
#include "core/base/text.h"
#include "core/compare/differ.h"

static void add_cell(char *text, size_t size, const struct ca_differ_cell *cell,
                     const struct ca_model *model)
{
    ca_text_add(text, size, "%lld,%lld", (long long)cell->x, (long long)cell->y);
    if (model->dimensions == 3)
        ca_text_add(text, size, ",%lld", (long long)cell->z);
}

char *ca_differ_headline(char text[80], const struct ca_differ_result *result,
                         const struct ca_model *model)
{
    char number[CA_QUANTITY_TEXT];

    text[0] = '\0';
    switch (result->kind) {
    case CA_DIFFER_PENDING:
        ca_text_add(text, 80, "DIFFER");
        break;
    case CA_DIFFER_FROM:
        ca_text_add(text, 80, "DIFFER from %s", ca_thousands(number, result->generation));
        if (result->placed) {
            ca_text_add(text, 80, " at ");
            add_cell(text, 80, &result->cell, model);
        }
        break;
    case CA_DIFFER_LENGTH:
        ca_text_add(text, 80, "DIFFER in calls of %s or more",
                    ca_thousands(number, result->length));
        break;
    case CA_DIFFER_VARYING:
        ca_text_add(text, 80, "NOT DETERMINISTIC");
        break;
    }
    return text;
}

static void add_place(char *text, size_t size, const struct ca_differ_result *r,
                      const struct ca_model *model, const char *a, const char *b)
{
    if (!r->placed) {
        ca_text_add(text, size, "; their digests differ, but no cell does");
        return;
    }
    ca_text_add(text, size, "; the first cell is ");
    add_cell(text, size, &r->cell, model);
    if (model->planes > 1)
        ca_text_add(text, size, " of plane %s", model->plane_names[r->plane]);
    ca_text_add(text, size, ": %.9g before, then %.9g in %s and %.9g in %s", r->value_before,
                r->value[0], a, r->value[1], b);
}

char *ca_differ_sentence(char *text, size_t size, const struct ca_differ_result *r,
                         const struct ca_model *model, const char *a, const char *b)
{
    char equal[CA_QUANTITY_TEXT], end[CA_QUANTITY_TEXT], shorter[CA_QUANTITY_TEXT];
    const char *guilty = r->guilty[0] ? a : b;

    text[0] = '\0';
    ca_thousands(equal, r->equal_at);
    ca_thousands(end, r->generation);
    switch (r->kind) {
    case CA_DIFFER_PENDING:
        ca_text_add(text, size, "%s and %s differ", a, b);
        break;
    case CA_DIFFER_FROM:
        ca_text_add(text, size, "%s and %s are equal at generation %s and differ at %s", a, b,
                    equal, end);
        add_place(text, size, r, model, a, b);
        if (r->bisected)
            ca_text_add(text, size, "; found by bisection: earlier differences may have healed");
        break;
    case CA_DIFFER_LENGTH:
        ca_text_add(text, size,
                    "%s and %s are equal after calls of %s generation%s and differ after one "
                    "of %s, from generation %s on",
                    a, b, ca_thousands(shorter, r->length - 1), r->length == 2 ? "" : "s or fewer",
                    ca_thousands(end, r->length), equal);
        if (r->guilty[0] != r->guilty[1])
            ca_text_add(text, size, "; %s differs from its own single generations", guilty);
        add_place(text, size, r, model, a, b);
        if (r->bisected)
            ca_text_add(text, size, "; found by bisection: shorter calls may differ too");
        break;
    case CA_DIFFER_VARYING:
        if (r->guilty[0] && r->guilty[1])
            ca_text_add(text, size, "neither %s nor %s is", a, b);
        else
            ca_text_add(text, size, "%s is not", guilty);
        ca_text_add(text, size,
                    " deterministic: from the same state at generation %s, another one at %s",
                    equal, end);
        for (int i = 0; i < r->varying; i++) {
            ca_text_add(text, size, "%s", i > 0 ? " " : "; cells that vary: ");
            add_cell(text, size, &r->vary[i], model);
        }
        break;
    }
    return text;
}
