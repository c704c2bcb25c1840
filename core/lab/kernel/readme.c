/* SPDX-License-Identifier: MIT */
/* README.md of a new folder is put together: the model's rule, of configs/lab/rules/, the page of
 * the form, of configs/lab/submission/, and the names that the model has in this folder. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/files/embedded.h"
#include "core/lab/kernel/files.h"
#include "core/sim/simulation.h"

static const char *form_name(const struct ca_lab *lab)
{
    return lab->form == CA_LAB_PROGRAM ? "program"
           : lab->form == CA_LAB_OWN   ? "own"
           : lab->ghosts > 0           ? "ghosts"
                                       : "step";
}

const char *ca_lab_skeleton(const struct ca_lab *lab)
{
    char name[64];

    snprintf(name, sizeof name, "lab/submission/%s.%s", form_name(lab), lab->cuda ? "cu" : "c");
    return ca_embedded_text(name);
}

/* A text in which {source}, {ghosts}, {program} and {output} are those of the lab. */
static void put_page(FILE *out, const char *name, const struct ca_lab *lab)
{
    char path[64], ghosts[12];
    const struct {
        const char *word, *text;
    } words[] = {{"{source}", lab->source},
                 {"{ghosts}", ghosts},
                 {"{program}", lab->program},
                 {"{output}", lab->output}};

    snprintf(ghosts, sizeof ghosts, "%d", lab->ghosts);
    snprintf(path, sizeof path, "lab/submission/%.40s.md", name);
    for (const char *c = ca_embedded_text(path); *c;) {
        size_t length = 0;

        for (size_t i = 0; i < sizeof words / sizeof *words && length == 0; i++)
            if (strncmp(c, words[i].word, strlen(words[i].word)) == 0) {
                ca_file_put(out, "%s", words[i].text);
                length = strlen(words[i].word);
            }
        if (length == 0)
            ca_file_put(out, "%c", *c);
        c += length > 0 ? length : 1;
    }
}

static void put_rule(FILE *out, const struct ca_lab *lab)
{
    const struct ca_model *model = lab->model;
    char path[CA_TEXT_MAX];
    const struct ca_embedded *rule;

    ca_file_put(out, "## The rule\n\n");
    snprintf(path, sizeof path, CA_EMBEDDED "/lab/rules/%.60s.md", model->name);
    rule = model->source ? NULL : ca_embedded_find(path);
    if (rule) {
        ca_file_put(out, "%s", rule->bytes);
        return;
    }
    ca_file_put(out, "%s\n", model->summary);
    if (!model->source)
        return;
    ca_file_put(out,
                "\n`%s` has the rule, the function `cell`, as calab-model(7) describes it; what "
                "your kernel computes is compared with what that gives.\n",
                ca_lab_model_word(lab));
    if (ca_may_draw(model))
        ca_file_put(
            out, "\nRandom draws are by `calab/calab_draw.h`: the 32 bits of stream s of a cell, "
                 "which `DRAWN(s)` has, are `lab_uniform(lab->seed, x, y, z, lab->t, 16 + s)`.\n");
}

static void put_planes(FILE *out, const struct ca_lab *lab)
{
    const struct ca_model *model = lab->model;
    const struct ca_rule_table *table = ca_rule_table_of(model);

    ca_file_put(out, "## Names\n\nThe planes, PLANE above, with cells of type `%s`:\n\n",
                model->type == CA_F32 ? "float" : "uint8_t");
    for (int p = 0; p < model->planes; p++) {
        ca_file_put(out, "- `LAB_");
        for (const char *c = model->plane_names[p]; *c; c++)
            ca_file_put(out, "%c", isalnum((unsigned char)*c) ? toupper((unsigned char)*c) : '_');
        ca_file_put(out, "`, %d: %s%s\n", p, model->plane_names[p],
                    model->constant_planes >> p & 1 ? ", which a step does not change" : "");
    }
    for (const struct ca_part *p = model->parts; p && p->name; p++)
        ca_file_put(out, "  - from bit %d on: %s, %d states, %s\n", p->shift, p->name, p->states,
                    p->help);
    if (table)
        ca_file_put(out, "\n`%s` is %s.\n",
                    lab->form == CA_LAB_PROGRAM ? "LAB_TABLE" : "lab->table", table->help);
}

static void put_parameters(FILE *out, const struct ca_lab *lab)
{
    bool any = false;

    for (const struct ca_param *p = lab->model->params; p && p->name; p++) {
        char text[CA_TEXT_MAX];

        if (p->initial)
            continue;
        if (!any)
            ca_file_put(
                out, "\nParameters, with the values that they have unless lab.cfg names "
                     "others. Of a choice it is the number,\nfrom 0, of a probability the 65536ths:"
                     "\n\n");
        any = true;
        ca_param_default(text, p);
        if (lab->form == CA_LAB_PROGRAM) {
            ca_file_put(out, "- %s: %s, %s\n", p->name, text[0] ? text : "empty", p->help);
            continue;
        }
        ca_file_put(out, "- `lab_%s(lab, \"%s\")`, %s: %s\n",
                    p->kind == CA_TEXT || p->kind == CA_FILE ? "text" : "number", p->name,
                    text[0] ? text : "empty", p->help);
    }
}

void lab_put_readme(FILE *out, const void *of)
{
    const struct ca_lab *lab = of;
    bool whole = lab->form == CA_LAB_PROGRAM;

    ca_file_put(out, "# %s: %s\n\n", lab->model->name, lab->model->title);
    put_rule(out, lab);
    ca_file_put(out, "\n## What to write\n\n");
    put_page(out, form_name(lab), lab);
    ca_file_put(out, "\n");
    if (lab->cuda) {
        put_page(out, "cuda", lab);
        ca_file_put(out, "\n");
    }
    put_planes(out, lab);
    put_parameters(out, lab);
    ca_file_put(
        out,
        "\n## Whether it is right\n\n    calab lab check\n\n"
        "compares every cell with the model's reference, on lattices of many shapes, and says "
        "which cell is wrong\nfirst, on which lattice, and why, where that can be found out. "
        "To look at one lattice alone, write\n`sizes = [\"%s\"];` in `lab.cfg`, and take it "
        "out again. `make` builds the %s without calab%s\n\n"
        "Files of your own are welcome here. The folder `calab` is not yours: `calab lab "
        "update` writes it again,\nand nothing else.\n",
        lab->model->dimensions == 3 ? "9x8x7" : "9x8", whole ? "program" : "kernel",
        whole ? "." : ", as a\nprogram that steps a random lattice.");
}
