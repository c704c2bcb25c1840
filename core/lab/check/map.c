/* SPDX-License-Identifier: MIT */
/* Draws the map of wrong cells, and reports a wrong state by it and its first wrong cell. */
#include "core/lab/check/map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/file.h"

/* A cell of a plane holds nothing but the bytes that filled it before; pattern -1: it was not
 * filled.
 */
static bool is_unwritten(const struct ca_lattice *got, int plane, int64_t i, int pattern)
{
    size_t bytes = ca_type_bytes(got->type);
    const uint8_t *cell = (const uint8_t *)got->plane[plane] + (size_t)i * bytes;

    for (size_t b = 0; b < bytes; b++)
        if (cell[b] != pattern)
            return false;
    return true;
}

struct map {
    const struct ca_lattice *expected, *got;
    int plane;
    int64_t z, scale, tile[2];
    int pattern;
};

/* 0: right, 1: wrong, 2: wrong and not written */
static int cell(const struct map *map, int64_t x, int64_t y)
{
    struct ca_size size = map->got->size;
    int64_t i = (map->z * size.h + y) * size.w + x;
    size_t bytes = ca_type_bytes(map->got->type), at = (size_t)i * bytes;

    if (memcmp((const uint8_t *)map->expected->plane[map->plane] + at,
               (const uint8_t *)map->got->plane[map->plane] + at, bytes) == 0)
        return 0;
    return 1 + is_unwritten(map->got, map->plane, i, map->pattern);
}

static char square(const struct map *map, int64_t x, int64_t y)
{
    struct ca_size size = map->got->size;
    int worst = 0;

    for (int64_t v = y; v < y + map->scale && v < size.h; v++)
        for (int64_t u = x; u < x + map->scale && u < size.w; u++) {
            int one = cell(map, u, v);

            worst = one > worst ? one : worst;
        }
    return ".#?"[worst];
}

/* Whether a line between tiles stands before this cell. */
static bool is_edge(const struct map *map, int axis, int64_t at)
{
    return map->tile[axis] > 0 && at > 0 && at % map->tile[axis] == 0 &&
           map->tile[axis] % map->scale == 0 && map->tile[axis] > map->scale;
}

static void draw_map(const struct map *map, FILE *out)
{
    struct ca_size size = map->got->size;

    for (int64_t y = 0; y < size.h; y += map->scale) {
        for (int64_t x = 0; is_edge(map, 1, y) && x < size.w; x += map->scale)
            ca_file_put(out, is_edge(map, 0, x) ? "+-" : "-");
        if (is_edge(map, 1, y))
            ca_file_put(out, "\n");
        for (int64_t x = 0; x < size.w; x += map->scale)
            ca_file_put(out, is_edge(map, 0, x) ? "|%c" : "%c", square(map, x, y));
        ca_file_put(out, "\n");
    }
}

char *ca_lab_map(const struct ca_lattice *expected, const struct ca_lattice *got, int plane,
                 int64_t z, const int64_t tile[2], int pattern)
{
    struct map map = {expected, got, plane, z, 1, {tile[0], tile[1]}, pattern};
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    if (!out)
        return NULL;
    while (map.scale * CA_LAB_MAP_WIDE < got->size.w || map.scale * CA_LAB_MAP_HIGH < got->size.h)
        map.scale *= 2;
    ca_file_put(out, map.scale == 1 ? "a character a cell" : "a character %lldx%lld cells",
                (long long)map.scale, (long long)map.scale);
    if (got->size.d > 1)
        ca_file_put(out, ", layer z %lld", (long long)z);
    ca_file_put(out, ": . right, # wrong, ? never written\n");
    draw_map(&map, out);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

static int64_t count_unwritten(const struct ca_lattice *expected, const struct ca_lattice *got,
                               int pattern)
{
    size_t bytes = ca_type_bytes(got->type);
    int64_t count = 0;

    for (int p = 0; p < got->planes; p++)
        for (int64_t i = 0; i < ca_cells(got->size); i++)
            count += is_unwritten(got, p, i, pattern) &&
                     memcmp((const uint8_t *)expected->plane[p] + (size_t)i * bytes,
                            (const uint8_t *)got->plane[p] + (size_t)i * bytes, bytes) != 0;
    return count;
}

enum ca_status lab_report_difference(const struct ca_lab *lab, const struct ca_lattice *expected,
                                     const struct ca_lattice *got, int pattern,
                                     struct ca_difference difference, uint64_t generation,
                                     struct ca_lab_report *report, struct ca_error *error)
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
    if (is_unwritten(got, difference.plane,
                     (difference.z * got->size.h + difference.y) * got->size.w + difference.x,
                     pattern))
        snprintf(value[1], sizeof value[1], "nothing: it is not written");
    snprintf(report->text, sizeof report->text,
             "generation %llu, x %lld, y %lld, z %lld, plane %s: expected %s, got %s",
             (unsigned long long)generation, (long long)difference.x, (long long)difference.y,
             (long long)difference.z, model->plane_names[difference.plane], value[0], value[1]);
    return CA_OK;
}
