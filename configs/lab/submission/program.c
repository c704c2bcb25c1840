/* SPDX-License-Identifier: MIT */
/*
 * A whole program for the model in lab_model.h. README.md says what a generation is.
 *
 *     ./program GENERATIONS START.npy [SEED [GENERATION]]
 *
 * reads the start, a NumPy array, and writes the state after so many generations to out.npy. SEED
 * and GENERATION, of the start, are what random draws depend on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calab/calab_draw.h"
#include "calab/lab_model.h"

/* Cell (x, y, z) stands at index AT(s, x, y, z) of each plane; in 2D d is 1 and z is 0. */
struct state {
    int64_t w, h, d;
    lab_cell *plane[LAB_PLANES];
};
#define AT(s, x, y, z) (((z) * (s)->h + (y)) * (s)->w + (x))

/* One generation, the one behind generation t. `out` holds a copy of the planes that never change.
 */
static void step(const struct state *in, struct state *out, uint64_t seed, uint64_t t)
{
    (void)out, (void)seed, (void)t;
    for (int64_t z = 0; z < in->d; z++)
        for (int64_t y = 0; y < in->h; y++)
            for (int64_t x = 0; x < in->w; x++) {
                /* Write here what cell (x, y, z) becomes. */
            }
}

/* --- files, which are ready ------------------------------------------------------------------- */

static size_t plane_bytes(const struct state *s)
{
    return (size_t)(s->w * s->h * s->d) * sizeof(lab_cell);
}

static void stop(const char *path, const char *what)
{
    fprintf(stderr, "%s: %s\n", path, what);
    exit(1);
}

static struct state make(int64_t w, int64_t h, int64_t d)
{
    struct state s = {w, h, d, {NULL}};

    for (int p = 0; p < LAB_PLANES; p++)
        if (!(s.plane[p] = (lab_cell *)calloc(1, plane_bytes(&s))))
            stop("memory", "there is too little");
    return s;
}

/* Ten bytes, the last two of which say how long the text is that names the shape; then the cells.
 */
static struct state read_npy(const char *path)
{
    FILE *file = fopen(path, "rb");
    unsigned char start[10];
    char text[1024] = "", *at;
    long long side[4] = {1, 1, 1, 1};
    int axes = 0;
    size_t length;
    struct state s;

    if (!file || fread(start, 1, 10, file) != 10)
        stop(path, "cannot be read");
    length = start[8] | (size_t)start[9] << 8;
    if (start[6] != 1 || length >= sizeof text || fread(text, 1, length, file) != length ||
        !(at = strstr(text, "'shape': (")))
        stop(path, "is no NumPy array of version 1");
    for (at += 10; *at != ')' && axes < 4; at += strspn(at, ", "))
        side[axes++] = strtoll(at, &at, 10);
    if (axes != LAB_DIMENSIONS + (LAB_PLANES > 1))
        stop(path, "has another number of axes than the model");
    s = make(side[axes - 1], side[axes - 2], LAB_DIMENSIONS == 3 ? side[axes - 3] : 1);
    for (int p = 0; p < LAB_PLANES; p++)
        if (fread(s.plane[p], 1, plane_bytes(&s), file) != plane_bytes(&s))
            stop(path, "ends too early");
    fclose(file);
    return s;
}

static void write_npy(const char *path, const struct state *s)
{
    FILE *file = fopen(path, "wb");
    char planes[16] = "", deep[24] = "", text[118];

    if (!file)
        stop(path, "cannot be written");
    if (LAB_PLANES > 1)
        snprintf(planes, sizeof planes, "%d, ", LAB_PLANES);
    if (LAB_DIMENSIONS == 3)
        snprintf(deep, sizeof deep, "%lld, ", (long long)s->d);
    memset(text, ' ', sizeof text);
    text[snprintf(
        text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%s%s%lld, %lld), }",
        sizeof(lab_cell) == 4 ? "<f4" : "|u1", planes, deep, (long long)s->h, (long long)s->w)] =
        ' ';
    text[sizeof text - 1] = '\n';
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file); /* 0x76: 118 bytes of text */
    fwrite(text, 1, sizeof text, file);
    for (int p = 0; p < LAB_PLANES; p++)
        fwrite(s->plane[p], 1, plane_bytes(s), file);
    if (fclose(file) != 0)
        stop(path, "cannot be written");
}

int main(int argc, char **argv)
{
    uint64_t n, seed, t;
    struct state now, next, swap;

    if (argc < 3)
        stop(argv[0], "GENERATIONS START.npy [SEED [GENERATION]]");
    n = strtoull(argv[1], NULL, 10);
    seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    t = argc > 4 ? strtoull(argv[4], NULL, 10) : 0;
    now = read_npy(argv[2]);
    next = make(now.w, now.h, now.d);
    for (int p = 0; p < LAB_PLANES; p++)
        if (LAB_CONSTANT >> p & 1)
            memcpy(next.plane[p], now.plane[p], plane_bytes(&now));
    for (uint64_t i = 0; i < n; i++) {
        step(&now, &next, seed, t + i);
        swap = now;
        now = next;
        next = swap;
    }
    write_npy("out.npy", &now);
    return 0;
}
