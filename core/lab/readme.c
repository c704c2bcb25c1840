/* SPDX-License-Identifier: MIT */
/* Owns lab.cfg, README.md and Makefile of a folder that is of no task. */
#include "core/lab/readme.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a stream held that is closed here; NULL after any failure. */
static char *closed(FILE *out, char **text)
{
    if (!out || fclose(out) != 0) {
        free(*text);
        *text = NULL;
    }
    return *text;
}

char *ca_lab_config(const struct ca_lab *lab)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    if (!out)
        return NULL;
    if (lab->form == CA_LAB_PROGRAM) {
        ca_file_put(out,
                    "# What this folder's program computes and how `calab lab check` runs it: "
                    "calab-lab(7).\n"
                    "version = %d;\nmodel = \"%s\";\nprogram = \"%s\";\noutput = \"%s\";\n",
                    CA_LAB_VERSION, lab->model->name, lab->program, lab->output);
        return closed(out, &text);
    }
    ca_file_put(out,
                "# What this folder's kernel computes and how `calab lab check` checks it: "
                "calab-lab(7).\n"
                "# After a change of model, form, ghosts or parameters: calab lab update\n"
                "version = %d;\nmodel = \"%s\";\nsource = \"%s\";\nform = \"%s\";\n",
                CA_LAB_VERSION, lab->model->name, lab->source,
                lab->form == CA_LAB_OWN ? "own" : "step");
    if (lab->ghosts > 0)
        ca_file_put(out, "ghosts = %d;\n", lab->ghosts);
    if (lab->cuda && lab->form == CA_LAB_STEP)
        ca_file_put(out, "tile = [32, 8%s];\n", lab->model->dimensions == 3 ? ", 1" : "");
    return closed(out, &text);
}

static void put_program(FILE *out, const struct ca_lab *lab)
{
    ca_file_put(
        out,
        "Write the marked place of `" CA_LAB_PROGRAM_FILE "`, then:\n\n    calab lab check\n\n"
        "That runs `make` in a copy of this folder, and then\n\n    %s\n\n"
        "for many sizes, seeds and numbers of generations, {n}, from a start that calab "
        "writes, {input}, and compares `%s`. Rewrite the program as you like: `lab.cfg` has "
        "the command and the name of the output.\n\n",
        lab->program, lab->output);
}

static void put_parameters(FILE *out, const struct ca_lab *lab)
{
    for (const struct ca_param *p = lab->model->params; p && p->name; p++) {
        char text[CA_TEXT_MAX];

        if (p->initial)
            continue;
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

char *ca_lab_readme(const struct ca_lab *lab)
{
    const struct ca_model *model = lab->model;
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    if (!out)
        return NULL;
    ca_file_put(out, "# %s: %s\n\n%s\n\ncalab-models(7) has the rule in full.\n\n", model->name,
                model->title, model->summary);
    if (lab->form == CA_LAB_PROGRAM)
        put_program(out, lab);
    else
        ca_file_put(out,
                    "Write the marked place of `%s`, then:\n\n    calab lab check\n\n"
                    "`make` builds the kernel without calab, `./kernel 64 48` runs it.\n\n"
                    "What it gets is in `calab_lab.h`. ",
                    lab->source);
    ca_file_put(out, "The planes, cells of type `%s`:\n\n",
                model->type == CA_F32 ? "float" : "uint8_t");
    for (int p = 0; p < model->planes; p++)
        ca_file_put(out, "- %d, %s%s\n", p, model->plane_names[p],
                    model->constant_planes >> p & 1 ? ", which a step does not change" : "");
    if (model->table)
        ca_file_put(out, "\n`%s` is %s.\n",
                    lab->form == CA_LAB_PROGRAM ? "LAB_TABLE" : "lab->table", model->table_help);
    ca_file_put(out,
                "\nParameters, with the values that they have unless lab.cfg names others:\n\n");
    put_parameters(out, lab);
    if (model->draws)
        ca_file_put(out,
                    "\nRandom draws are by `calab_draw.h`; calab-models(7) has the streams.\n");
    return closed(out, &text);
}

char *ca_lab_makefile(const struct ca_lab *lab)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    int stem = (int)strcspn(lab->source, ".");

    if (!out)
        return NULL;
    if (lab->form == CA_LAB_PROGRAM) {
        ca_file_put(out,
                    "# Builds the program of this folder.\n"
                    "CC      ?= cc\nCFLAGS  ?= -O2 -g -std=gnu11 -ffp-contract=off -pthread\n\n"
                    "program: " CA_LAB_PROGRAM_FILE " calab_draw.h lab_model.h\n"
                    "\t$(CC) $(CFLAGS) -o $@ " CA_LAB_PROGRAM_FILE " -lm\n\n"
                    "check:\n\tcalab lab check\n\nclean:\n\trm -f program\n\n"
                    ".PHONY: check clean\n");
        return closed(out, &text);
    }
    ca_file_put(out, "# Builds the kernel of this folder as a program that needs no calab.\n");
    if (lab->cuda)
        ca_file_put(out,
                    "NVCC    ?= nvcc\nNVFLAGS ?= -O2 -g -lineinfo -std=c++17 -fmad=false "
                    "-arch=native %s\n\n",
                    lab->flags);
    else
        ca_file_put(out,
                    "CC      ?= cc\nCFLAGS  ?= -O2 -g -std=gnu11 -ffp-contract=off "
                    "-fno-strict-aliasing -pthread %s\n\n",
                    lab->flags);
    ca_file_put(out, "%.*s: %s lab_runner.%s calab_lab.h calab_draw.h lab_model.h lab_wire.h\n",
                stem, lab->source, lab->source, lab->cuda ? "cu" : "c");
    ca_file_put(out,
                lab->cuda ? "\t$(NVCC) $(NVFLAGS) -o $@ %s lab_runner.cu\n\n"
                          : "\t$(CC) $(CFLAGS) -o $@ %s lab_runner.c -lm\n\n",
                lab->source);
    ca_file_put(out,
                "run: %.*s\n\t./%.*s\n\ncheck:\n\tcalab lab check\n\nclean:\n\trm -f %.*s\n\n"
                ".PHONY: run check clean\n",
                stem, lab->source, stem, lab->source, stem, lab->source);
    return closed(out, &text);
}
