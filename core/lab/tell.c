/* SPDX-License-Identifier: MIT */
/* Owns what is told of a wrong state. */
#include "core/lab/tell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/lab/map.h"

static int64_t count_unwritten(const struct ca_lattice *expected, const struct ca_lattice *got,
                               int pattern)
{
    size_t bytes = ca_type_bytes(got->type);
    int64_t count = 0;

    for (int p = 0; p < got->planes; p++)
        for (int64_t i = 0; i < ca_cells(got->size); i++)
            count += ca_lab_unwritten(got, p, i, pattern) &&
                     memcmp((const uint8_t *)expected->plane[p] + (size_t)i * bytes,
                            (const uint8_t *)got->plane[p] + (size_t)i * bytes, bytes) != 0;
    return count;
}

enum ca_status lab_tell(const struct ca_lab *lab, const struct ca_lattice *expected,
                        const struct ca_lattice *got, int pattern, struct ca_difference difference,
                        uint64_t generation, struct ca_lab_report *report, struct ca_error *error)
{
    const struct ca_model *model = lab->model;
    char value[2][40];
    char *map = ca_lab_map(expected, got, difference.plane, difference.z, lab->tile, pattern);

    if (!map)
        return ca_fail(error, CA_NO_MEMORY, "no memory for a map of the wrong cells");
    report->verdict = CA_LAB_CELL;
    report->generation = generation;
    report->difference = difference;
    report->unwritten = count_unwritten(expected, got, pattern);
    free(report->map);
    report->map = map;
    snprintf(value[0], sizeof value[0], "%.9g", difference.expected);
    snprintf(value[1], sizeof value[1], "%.9g", difference.got);
    if (ca_lab_unwritten(got, difference.plane,
                         (difference.z * got->size.h + difference.y) * got->size.w + difference.x,
                         pattern))
        snprintf(value[1], sizeof value[1], "nothing: it is not written");
    snprintf(report->text, sizeof report->text,
             "generation %llu, x %lld, y %lld, z %lld, plane %s: expected %s, got %s",
             (unsigned long long)generation, (long long)difference.x, (long long)difference.y,
             (long long)difference.z, model->plane_names[difference.plane], value[0], value[1]);
    return CA_OK;
}
