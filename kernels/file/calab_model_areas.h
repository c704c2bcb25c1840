/* SPDX-License-Identifier: MIT */
/*
 * Counts of cells in areas that reach further than cell() reads, for calab_model.h, which includes
 * this file. Of each row is kept how many cells have the state up to each place, so that a row of
 * an area is a difference of two such sums, whatever its width. The sums of 2 CA_REACH + 1 rows are
 * kept, and each row that is stepped adds one:
 *
 *     row y - 2     . . x x x . .       a disc of radius 2: the sums at its right ends
 *     row y - 1     . x x x x x .       less those before its left ends
 *     row y         . x x o x x .
 */
#ifndef CALAB_MODEL_AREAS_H
#define CALAB_MODEL_AREAS_H

struct ca_area {
    int shape, radius, state;
};
/* CA_AREA has their bodies. */
CA_FUNCTION struct ca_area ca_area_0(void);
#if CA_AREAS > 1
CA_FUNCTION struct ca_area ca_area_1(void);
#endif
#if CA_AREAS > 2
CA_FUNCTION struct ca_area ca_area_2(void);
#endif
#if CA_AREAS > 3
CA_FUNCTION struct ca_area ca_area_3(void);
#endif

CA_FUNCTION struct ca_area ca_area_of(int number)
{
#if CA_AREAS > 3
    if (number == 3)
        return ca_area_3();
#endif
#if CA_AREAS > 2
    if (number == 2)
        return ca_area_2();
#endif
#if CA_AREAS > 1
    if (number == 1)
        return ca_area_1();
#endif
    (void)number;
    return ca_area_0();
}

/* How far the row dy of an area reaches to the left and right. */
CA_FUNCTION int ca_area_width(struct ca_area area, int dy)
{
    int r = area.radius, width = 0;

    if (area.shape == CA_SQUARE)
        return r;
    if (area.shape == CA_DIAMOND)
        return r - (dy < 0 ? -dy : dy);
    while ((width + 1) * (width + 1) + dy * dy <= r * r + r)
        width++;
    return width;
}

#ifndef CA_GPU
#define CA_AREA_ROWS (2 * CA_REACH + 1)
#define CA_AREA_CELLS (CA_CHUNK + 2 * CA_REACH)

struct ca_counted {
    int64_t last; /* the place of the last row's sums */
    uint16_t sum[CA_AREAS][CA_AREA_ROWS][CA_AREA_CELLS + 1];
    uint16_t count[CA_AREAS][CA_CHUNK];
};

/* Adds cells x ... end - 1 of a row, which may lie beyond its ends; returns the sum. */
CA_FUNCTION uint16_t ca_sum_beyond(uint16_t *to, uint16_t sum, const ca_cell *row, int64_t w,
                                   int64_t x, int64_t end, int state)
{
    static const ca_cell given[] = {CA_BEYOND};
    ca_cell beyond = CA_EDGE_X == CA_CONSTANT ? given[0] : (ca_cell)0;

    for (; x < end; x++) {
        ca_cell cell = CA_EDGE_X == CA_TORUS ? row[(x % w + w) % w] : beyond;

        *to++ = sum = (uint16_t)(sum + (cell == state));
    }
    return sum;
}

/* The sums of a row that begins CA_REACH before cell x0 and ends as far behind n of them. */
CA_FUNCTION void ca_sum_row(uint16_t *to, const ca_cell *row, int64_t w, int64_t x0, int64_t n,
                            int state)
{
    int64_t begin = x0 - CA_REACH, end = x0 + n + CA_REACH;
    int64_t low = begin < 0 ? 0 : begin, high = end > w ? w : end;
    uint16_t sum = 0;

    *to++ = 0;
    sum = ca_sum_beyond(to, sum, row, w, begin, low, state);
    to -= begin;
    for (int64_t x = low; x < high; x++)
        to[x] = sum = (uint16_t)(sum + (row[x] == state));
    ca_sum_beyond(to + high, sum, row, w, high, end, state);
}

/* Counts the areas of cells x0 ... x0 + n - 1 of a row, of which `first` says that no row before it
 * has been counted. */
CA_FUNCTION void ca_count_row(struct ca_counted *counted, const ca_cell *const in[CA_LINES],
                              int64_t w, int64_t x0, int64_t n, int first)
{
    counted->last = first ? 0 : (counted->last + 1) % CA_AREA_ROWS;
    CA_UNROLL
    for (int a = 0; a < CA_AREAS; a++) {
        struct ca_area area = ca_area_of(a);
        uint16_t *count = counted->count[a];

        for (int k = first ? 0 : CA_AREA_ROWS - 1; k < CA_AREA_ROWS; k++)
            ca_sum_row(counted->sum[a][(counted->last + k + 1) % CA_AREA_ROWS], in[k], w, x0, n,
                       area.state);
        __builtin_memset(count, 0, (size_t)n * sizeof *count);
        for (int dy = -area.radius; dy <= area.radius; dy++) {
            int width = ca_area_width(area, dy);
            int64_t row = (counted->last + 1 + CA_REACH + dy) % CA_AREA_ROWS;
            const uint16_t *right = counted->sum[a][row] + CA_REACH + width + 1;
            const uint16_t *left = counted->sum[a][row] + CA_REACH - width;

            CA_VECTOR
            for (int64_t i = 0; i < n; i++)
                count[i] = (uint16_t)(count[i] + right[i] - left[i]);
        }
    }
}

#endif
#endif
