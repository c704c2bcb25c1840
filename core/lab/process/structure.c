/* SPDX-License-Identifier: MIT */
/* Makes the figures of a kernel's structure of the emulator's counts, and finds the lines. */
#include "core/lab/process/structure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/json.h"
#include "core/lab/process/resources.h"

#define GENERATIONS 2
#define SECTORS_LEAST                                                                              \
    4 /* of a request of 32 lanes that stand side by side and have 4 bytes each                    \
       */

/* Numerator and denominator of a figure, from the counts of kernels or of a line. */
struct part {
    double of, all;
};

static double counts_sum(const json_t *counts, const char *const names[])
{
    double sum = 0;

    for (int i = 0; names[i]; i++)
        sum += ca_json_number(counts, names[i]);
    return sum;
}

static struct part part_of(const json_t *counts, enum ca_lab_bound bound)
{
    static const char *const sectors[] = {"global_loads_sectors", "global_stores_sectors", NULL};
    static const char *const global[] = {"global_loads", "global_stores", NULL};
    static const char *const conflicts[] = {"shared_loads_conflicts", "shared_stores_conflicts",
                                            "shared_atomics_conflicts", NULL};
    static const char *const shared[] = {"shared_loads", "shared_stores", "shared_atomics", NULL};

    switch (bound) {
    case CA_LAB_SECTORS:
        return (struct part){counts_sum(counts, sectors), counts_sum(counts, global)};
    case CA_LAB_CONFLICTS:
        return (struct part){counts_sum(counts, conflicts), counts_sum(counts, shared)};
    case CA_LAB_LOADS:
        return (struct part){ca_json_number(counts, "global_loads_lanes"), 0};
    default:
        return (struct part){ca_json_number(counts, "divergent_branches"),
                             ca_json_number(counts, "steps")};
    }
}

static double figure_of(struct part part) { return part.all > 0 ? part.of / part.all : 0; }

/* What a line costs more than it has to. */
static double cost_of(struct part part, enum ca_lab_bound bound)
{
    return bound == CA_LAB_SECTORS ? part.of - SECTORS_LEAST * part.all : part.of;
}

/* The line of a kernel's counts that costs most, if more than what *most is already. */
static void line_find(struct ca_lab_figure *figure, const json_t *kernel, enum ca_lab_bound bound,
                      double cells, double *most)
{
    const json_t *line;
    size_t i;

    json_array_foreach(json_object_get(kernel, "lines"), i, line)
    {
        struct part part = part_of(line, bound);
        const char *file = ca_json_member(line, "file"), *name = strrchr(file, '/');

        if (!(cost_of(part, bound) > *most))
            continue;
        *most = cost_of(part, bound);
        part.all = bound == CA_LAB_LOADS ? cells : part.all;
        figure->of_line = figure_of(part);
        snprintf(figure->line, sizeof figure->line, "%.120s:%d", name ? name + 1 : file,
                 (int)ca_json_number(line, "line"));
    }
}

static void take_counts(struct ca_lab_structure *structure, const json_t *counts, double cells)
{
    const json_t *kernel;
    size_t i;

    for (int b = 0; b < CA_LAB_REGISTERS; b++) {
        struct ca_lab_figure *figure = &structure->figure[b];
        struct part sum = {0, 0};
        double most = 0;

        json_array_foreach(counts, i, kernel)
        {
            struct part part = part_of(kernel, (enum ca_lab_bound)b);

            sum.of += part.of;
            sum.all += part.all;
            line_find(figure, kernel, (enum ca_lab_bound)b, cells, &most);
        }
        sum.all = b == CA_LAB_LOADS ? cells : sum.all;
        figure->known = true;
        figure->value = figure_of(sum);
    }
}

static void take_registers(struct ca_lab_structure *structure, const char *said)
{
    struct ca_lab_figure *figure = &structure->figure[CA_LAB_REGISTERS];
    struct ca_lab_resources resources;

    ca_lab_ptxas(&resources, said);
    for (int i = 0; i < resources.count; i++) {
        if (resources.kernel[i].registers < 0 ||
            (figure->known && resources.kernel[i].registers <= figure->value))
            continue;
        figure->known = true;
        figure->value = resources.kernel[i].registers;
        snprintf(figure->line, sizeof figure->line, "%s", resources.kernel[i].name);
        figure->of_line = figure->value;
    }
}

/* The sides of a lattice of whole tiles, whose rows are long enough for edges to weigh little. */
static struct ca_size size_of(const struct ca_lab *lab)
{
    const int64_t flat[3] = {128, 128, 1}, deep[3] = {64, 16, 16};
    const int64_t *least = lab->model->dimensions == 3 ? deep : flat;
    int64_t side[3];

    for (int a = 0; a < 3; a++) {
        int64_t tile = lab->tile[a] > 0 ? lab->tile[a] : 1;

        side[a] = a < lab->model->dimensions ? (least[a] + tile - 1) / tile * tile : 1;
    }
    return (struct ca_size){side[0], side[1], side[2]};
}

enum ca_status ca_lab_structure_count(struct ca_lab_structure *structure, const struct ca_lab *lab,
                                      struct ca_lab_build *build, struct ca_error *error)
{
    struct ca_size size = size_of(lab);
    struct ca_error cause;
    json_t *counts = NULL;
    enum ca_status status = lab_count(&counts, lab, build, size, GENERATIONS, &cause);

    *structure = (struct ca_lab_structure){.tried = true};
    if (status == CA_NO_MEMORY) {
        *error = cause;
        return status;
    }
    if (status != CA_OK)
        snprintf(structure->text, sizeof structure->text, "%.390s", cause.text);
    else if (json_array_size(counts) == 0)
        snprintf(structure->text, sizeof structure->text,
                 "on the emulator it did not come to its end, or launched no kernel");
    structure->counted = status == CA_OK && json_array_size(counts) > 0;
    if (structure->counted)
        take_counts(structure, counts, (double)ca_cells(size) * GENERATIONS);
    json_decref(counts);
    if (structure->counted && lab_build_ptxas(build, lab, &cause) == CA_OK)
        take_registers(structure, build->said);
    return CA_OK;
}

bool lab_structure_keeps(const struct ca_lab_figure *figure, double bound)
{
    return figure->value <= bound * (1 + 1e-9);
}

double ca_lab_structure_kept(const struct ca_lab_structure *structure,
                             const struct ca_lab_points *points)
{
    int known = 0, kept = 0;

    for (int b = 0; structure->counted && b < CA_LAB_BOUNDS; b++) {
        if (points->bound[b] < 0 || !structure->figure[b].known)
            continue;
        known++;
        kept += lab_structure_keeps(&structure->figure[b], points->bound[b]);
    }
    return known > 0 ? (double)kept / known : -1;
}

char *ca_lab_structure_text(const struct ca_lab_structure *structure,
                            const struct ca_lab_points *points, enum ca_lab_bound bound, char *text,
                            size_t size)
{
    const struct ca_lab_figure *figure = &structure->figure[bound];
    char most[220] = "";

    if (!figure->known) {
        snprintf(text, size, "%s: not known here, as nvcc does not compile it",
                 ca_lab_bound_names[bound]);
        return text;
    }
    if (figure->line[0] && !lab_structure_keeps(figure, points->bound[bound]))
        snprintf(most, sizeof most, "; most by %s, %.4g", figure->line, figure->of_line);
    snprintf(text, size, "%s %.4g, allowed %.4g%s", ca_lab_bound_names[bound], figure->value,
             points->bound[bound], most);
    return text;
}

double ca_lab_structure_proposed(const struct ca_lab_structure *structure, enum ca_lab_bound bound)
{
    double value = structure->figure[bound].value, unit;
    char text[CA_NUMBER_MAX];

    if (bound == CA_LAB_REGISTERS)
        return 8 * ceil(value / 8);
    if (!(value > 0))
        return 0;
    unit = pow(10, floor(log10(value)) - 1);
    snprintf(text, sizeof text, "%.2g", ceil(value * 1.05 / unit - 1e-9) * unit);
    return strtod(text, NULL);
}
