/* SPDX-License-Identifier: MIT */
/*
 * Rows of cells on a CPU, for calab_model.h, which includes this file: cell() is called along a
 * row, where the compiler makes vectors of it, and near its ends on copies of what is read there.
 */
#ifndef CALAB_MODEL_ROWS_H
#define CALAB_MODEL_ROWS_H

/* What is made of a row's cells before cell() is called. */
struct ca_ahead {
    struct ca_drawn drawn;
#if CA_AREAS
    struct ca_counted counted;
#endif
};

/* A row: what it reads, what it writes, and where it is. */
struct ca_line {
    const ca_cell *in[CA_PLANES][CA_LINES];
    ca_cell *out[CA_PLANES];
    int64_t w;
    int32_t y, z, h, d;
    uint32_t t;
};

/* Stores what a cell becomes. Returns 1 where that is a state which one of several planes has not,
 * since a byte need not show it, else 0. */
CA_FUNCTION uint8_t ca_put(ca_cell *const out[CA_PLANES], int64_t x, CA_NB nb, ca_result result)
{
    uint8_t wrong = 0;
#if CA_PARTS == 1
    ca_next next = {{result}};
#else
    ca_next next = result;
#endif

    (void)nb;
#ifdef CA_STATE_PLANES
    out[0][x] = ca_pack(next.plane);
    wrong = ca_is_wrong(next.plane);
#else
    CA_UNROLL
    for (int p = 0; p < CA_PLANES; p++)
        out[p][x] = next.plane[p];
#endif
#ifdef CA_CHECKED
    CA_UNROLL
    for (int p = 0; p < CA_PARTS; p++) {
        if (CA_IS_FLOAT && !(next.plane[p] - next.plane[p] == 0)) /* infinite, too */
            ca_fault(&nb, CA_FOUND_NAN, 0, p, 0, 0, 0);
        if (!CA_IS_FLOAT && next.plane[p] >= CA_STATES_IN(nb, p))
            ca_fault(&nb, CA_FOUND_STATE, 0, next.plane[p], p, 0, 0);
    }
#endif
    return wrong;
}

CA_FUNCTION void ca_place(ca_nb *nb, const struct ca_line *line, int64_t x,
                          const struct ca_model_values *values)
{
    nb->values = values;
    nb->x = (int32_t)x, nb->y = line->y, nb->z = line->z;
    nb->w = (int32_t)line->w, nb->h = line->h, nb->d = line->d, nb->t = line->t;
}

/* Cells begin ... end - 1 of rows that hold all that they read, of which cell() reads those from
 * `row` on. What is made ahead of cell begin + i stands at place `at` + i; cell x stands at x +
 * shift in the lattice. Returns whether some state is wrong. */
CA_FUNCTION uint8_t ca_span(const struct ca_line *line,
                            const ca_cell *const in[CA_PLANES][CA_LINES],
                            ca_cell *const out[CA_PLANES], int row, int64_t begin, int64_t end,
                            int64_t shift, const struct ca_ahead *ahead, int64_t at,
                            const struct ca_model_values *values)
{
    uint8_t wrong = 0;

    CA_VECTOR
    for (int64_t x = begin; x < end; x++) {
        ca_nb nb;

        ca_place(&nb, line, x + shift, values);
        CA_UNROLL
        for (int p = 0; p < CA_PLANES; p++)
            CA_UNROLL
        for (int k = 0; k < CA_NEAR_LINES; k++)
            CA_UNROLL
        for (int dx = 0; dx < CA_SIDE; dx++)
            nb.at[p][k / CA_SIDE][k % CA_SIDE][dx] = in[p][row + k][x + dx - CA_RADIUS];
        ca_take_drawn(&nb, &ahead->drawn, at + x - begin);
#if CA_AREAS
        CA_UNROLL
        for (int a = 0; a < CA_AREAS; a++)
            nb.area[a] = ahead->counted.count[a][at + x - begin];
#endif
        wrong = (uint8_t)(wrong | ca_put(out, x, nb, cell(nb)));
    }
    return wrong;
}

/* The n <= CA_RADIUS cells from `from` on, near an end of the row: what they read is copied. */
CA_FUNCTION uint8_t ca_end(const struct ca_line *line, int64_t from, int64_t n,
                           const struct ca_ahead *ahead, int64_t at,
                           const struct ca_model_values *values)
{
    ca_cell row[CA_PLANES][CA_NEAR_LINES][3 * CA_RADIUS], next[CA_PLANES][3 * CA_RADIUS];
    const ca_cell *in[CA_PLANES][CA_LINES];
    ca_cell *out[CA_PLANES];
    uint8_t wrong;
    int64_t w = line->w;

    for (int p = 0; p < CA_PLANES; p++) {
        ca_cell beyond = CA_EDGE_X == CA_CONSTANT ? ca_beyond(p) : (ca_cell)0;

        out[p] = next[p];
        for (int k = 0; k < CA_NEAR_LINES; k++) {
            const ca_cell *from_row = line->in[p][k + CA_REACH - CA_RADIUS];

            in[p][k] = row[p][k];
            for (int64_t i = 0; i < 2 * CA_RADIUS + n; i++) {
                int64_t x = from - CA_RADIUS + i;
                int inside = x >= 0 && x < w;

                row[p][k][i] = inside || CA_EDGE_X == CA_TORUS
                                   ? from_row[inside ? x : (x % w + w) % w]
                                   : beyond;
            }
        }
    }
    wrong =
        ca_span(line, in, out, 0, CA_RADIUS, CA_RADIUS + n, from - CA_RADIUS, ahead, at, values);
    for (int p = 0; p < CA_PLANES; p++)
        for (int64_t i = 0; i < n; i++)
            line->out[p][from + i] = next[p][CA_RADIUS + i];
    return wrong;
}

/* Cells x ... end - 1 of a row: its ends and, between them, what reads within the row. */
CA_FUNCTION uint8_t ca_row(const struct ca_line *line, int64_t x, int64_t end,
                           struct ca_ahead *ahead, const struct ca_model_values *values)
{
    uint8_t wrong = 0;
    int64_t w = line->w, low = CA_RADIUS < w ? CA_RADIUS : w;
    int64_t high = w - CA_RADIUS > low ? w - CA_RADIUS : low;
    int64_t first = x ? x : low, last = end < high ? end : high;

    ca_draw(&ahead->drawn, values->seed, x, end - x, line->y, line->z, line->t, CA_STEP_STREAM);
    if (x == 0)
        wrong = ca_end(line, 0, low, ahead, 0, values);
    if (first < last)
        wrong |= ca_span(line, line->in, line->out, CA_REACH - CA_RADIUS, first, last, 0, ahead,
                         first - x, values);
    for (int64_t i = x > high ? x : high; i < end; i++)
        wrong |= ca_end(line, i, 1, ahead, i - x, values);
    return wrong;
}

CA_FUNCTION struct ca_line ca_first_row(const struct ca_model_job *job)
{
    struct ca_line line;

    for (int p = 0; p < CA_PLANES; p++) {
        line.out[p] = (ca_cell *)job->out[p];
        for (int k = 0; k < CA_LINES; k++)
            line.in[p][k] = (const ca_cell *)job->in[p * CA_LINES + k];
    }
    line.w = job->width, line.h = (int32_t)job->height, line.d = (int32_t)job->depth;
    line.y = (int32_t)job->y, line.z = (int32_t)job->z, line.t = (uint32_t)job->t;
    return line;
}

/* The rows of a job are of one layer. */
CA_FUNCTION void ca_next_row(struct ca_line *line, int64_t stride)
{
    for (int p = 0; p < CA_PLANES; p++) {
        line->out[p] += stride;
        for (int k = 0; k < CA_LINES; k++)
            line->in[p][k] += stride;
    }
    line->y++;
}

/* Of several planes a wrong state is reported without its place, which checked code finds. */
CA_FUNCTION void ca_report(const struct ca_model_job *job, uint8_t wrong)
{
    if (wrong && job->fault && job->fault->kind == CA_FOUND_NOTHING)
        job->fault->kind = CA_FOUND_STATE;
}

/* In chunks of rows where something is made ahead. */
static void ca_step(const struct ca_model_job *job)
{
    const struct ca_model_values values = *job->values; /* a copy, which no store can change */
    int64_t w = job->width, chunk = CA_DRAWS + CA_DRAWS_16 + CA_AREAS > 0 ? CA_CHUNK : w;
    struct ca_ahead ahead;
    uint8_t wrong = 0;

#ifdef CA_CHECKED
    ca_job = job;
#endif
    for (int64_t x = 0; x < w; x += chunk) {
        int64_t end = x + chunk < w ? x + chunk : w;
        struct ca_line line = ca_first_row(job);

        for (int64_t i = 0; i < job->count; i++, ca_next_row(&line, job->stride)) {
#if CA_AREAS
            ca_count_row(&ahead.counted, line.in[0], w, x, end - x, i == 0);
#endif
            wrong |= ca_row(&line, x, end, &ahead, &values);
        }
    }
    ca_report(job, wrong);
}

/* Fills rows with a start: `out` alone is used. */
CA_FUNCTION void ca_fill(const struct ca_model_job *job, ca_result (*start)(const ca_placed nb))
{
    struct ca_line line = ca_first_row(job);
    struct ca_drawn drawn;
    uint8_t wrong = 0;

#ifdef CA_CHECKED
    ca_job = job;
#endif
    for (int64_t i = 0; i < job->count; i++) {
        for (int64_t x = 0; x < line.w; x++) {
            ca_nb nb;

            __builtin_memset(&nb, 0, sizeof nb);
            ca_place(&nb, &line, x, job->values);
            if (x % CA_CHUNK == 0)
                ca_draw(&drawn, job->values->seed, x, line.w - x < CA_CHUNK ? line.w - x : CA_CHUNK,
                        line.y, line.z, line.t, 0);
            ca_take_drawn(&nb, &drawn, x % CA_CHUNK);
            wrong |= ca_put(line.out, x, nb, start(nb));
        }
        for (int p = 0; p < CA_PLANES; p++)
            line.out[p] += job->stride;
        line.y++;
    }
    ca_report(job, wrong);
}

#endif
