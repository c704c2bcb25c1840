/* SPDX-License-Identifier: MIT */
/*
 * Finds mistakes of place: axes that are exchanged, results that are shifted, and cells of the next
 * generation that are read because they are written where the old ones lie. Each is a hypothesis
 * that says every cell of the result; one cell that it does not say refutes it.
 */
#include "core/lab/cause/cause.h"

#include <stdlib.h>
#include <string.h>

#define SHIFT_MAX 2
#define IN_PLACE_SAMPLES 2
#define IN_PLACE_MIN 20 /* wrong cells that it must say */

static const int orders[][3] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}};
#define ORDERS ((int)(sizeof orders / sizeof orders[0]))

/* Whether an order of axes is another one for the model: those that it has. */
static bool is_order(const struct prober *prober, int order)
{
    return prober->model->dimensions == 3 || order < 2;
}

/* The index of a cell where axis order[0] is the fastest and order[2] the slowest. */
static int64_t index_in(struct ca_size size, const int order[3], const int64_t at[3])
{
    const int64_t side[3] = {size.w, size.h, size.d};

    return at[order[0]] + side[order[0]] * (at[order[1]] + side[order[1]] * at[order[2]]);
}

static void copy_cell(struct ca_lattice *to, int64_t cell, const struct ca_lattice *from,
                      int64_t other)
{
    size_t bytes = ca_type_bytes(to->type);

    for (int p = 0; p < to->planes; p++)
        memcpy((char *)to->plane[p] + (size_t)cell * bytes,
               (char *)from->plane[p] + (size_t)other * bytes, bytes);
}

/* --- exchanged axes --------------------------------------------------------------------------- */

enum moved { MOVED_READ, MOVED_WRITTEN, MOVED_BOTH, MOVED };

/* Whether the kernel reads, or writes, a cell where another order of the axes has it. */
static enum ca_status fits_order(struct prober *prober, const int order[3], enum moved moved,
                                 bool *fits)
{
    struct ca_lattice *start = &prober->scratch[0], *result = &prober->scratch[1];

    *fits = true;
    for (int s = 0; s < prober->samples && *fits; s++) {
        const struct cause_sample *sample = &prober->sample[s];
        int64_t at[3];

        for (int64_t i = 0; i < prober->cells; i++) {
            cell_at(prober->setup.size, i, at);
            copy_cell(start, i, &sample->start,
                      moved == MOVED_WRITTEN ? i : index_in(prober->setup.size, order, at));
        }
        CA_TRY(prober_reference(prober, start, sample->t, 1, result));
        for (int64_t i = 0; i < prober->cells; i++) {
            cell_at(prober->setup.size, i, at);
            copy_cell(start, moved == MOVED_READ ? i : index_in(prober->setup.size, order, at),
                      result, i);
        }
        *fits = lattice_same(start, &sample->got);
    }
    return CA_OK;
}

enum ca_status cause_axes(struct prober *prober, bool *done)
{
    static const char *const texts[MOVED] = {
        "The axes are exchanged in reading: the start is read as if %c were its fastest axis.",
        "The axes are exchanged in writing: the result is transposed, %c is its fastest axis.",
        "The axes are exchanged in reading and in writing: %c is taken for the fastest axis.",
    };

    for (int o = 1; !*done && o < ORDERS; o++)
        for (int m = 0; !*done && is_order(prober, o) && m < MOVED; m++) {
            CA_TRY(fits_order(prober, orders[o], (enum moved)m, done));
            if (*done && orders[o][0] != 0)
                cause_add(prober, CA_CAUSE_AXES, 1, texts[m], "xyz"[orders[o][0]]);
            else if (*done)
                cause_add(prober, CA_CAUSE_AXES, 1,
                          "The axes y and z are exchanged in %s: the layers are transposed.",
                          m == MOVED_READ      ? "reading"
                          : m == MOVED_WRITTEN ? "writing"
                                               : "reading and in writing");
        }
    return CA_OK;
}

/* --- shifted results -------------------------------------------------------------------------- */

static bool fits_shift(const struct prober *prober, const int offset[3])
{
    for (int s = 0; s < prober->samples; s++) {
        const struct cause_sample *sample = &prober->sample[s];

        for (int p = 0; p < sample->got.planes; p++) {
            size_t bytes = ca_type_bytes(sample->got.type);
            const char *got = sample->got.plane[p], *expected = sample->expected.plane[p];

            for (int64_t i = 0; i < prober->cells; i++) {
                int64_t at[3];

                cell_at(prober->setup.size, i, at);
                if (memcmp(got + (size_t)i * bytes,
                           expected + (size_t)cell_beside(prober->setup.size, at, offset) * bytes,
                           bytes) != 0)
                    return false;
            }
        }
    }
    return true;
}

enum ca_status cause_shifted(struct prober *prober, bool *done)
{
    int deep = prober->model->dimensions == 3 ? SHIFT_MAX : 0, o[3];

    for (o[2] = -deep; o[2] <= deep; o[2]++)
        for (o[1] = -SHIFT_MAX; o[1] <= SHIFT_MAX; o[1]++)
            for (o[0] = -SHIFT_MAX; o[0] <= SHIFT_MAX; o[0]++) {
                struct stencil_pair pair = {{o[0], o[1], o[2]}, 0};
                char text[CAUSE_NAME_MAX], *cell;

                if (*done || (!o[0] && !o[1] && !o[2]) || !fits_shift(prober, o))
                    continue;
                cell = strchr(pair_text(text, prober, &pair), '(');
                cause_add(prober, CA_CAUSE_SHIFTED, 1,
                          "The result is shifted: cell %s holds what belongs to %s.",
                          prober->model->dimensions == 3 ? "(x, y, z)" : "(x, y)", cell);
                *done = true;
            }
    return CA_OK;
}

/* --- in place --------------------------------------------------------------------------------- */

/* The order in which cells are updated: the scan of an order of axes, or that backwards. */
struct scan {
    const int *order;
    bool backwards;
};

/* Puts the new cells in the place of the old ones around a cell, where they are there already. */
static void mix_around(const struct prober *prober, const struct scan *scan,
                       const struct cause_sample *sample, int64_t cell, struct ca_lattice *mixed)
{
    int reach = prober->model->radius, deep = prober->model->dimensions == 3 ? reach : 0, o[3];
    struct ca_size size = prober->setup.size;
    int64_t at[3], other[3], here;

    cell_at(size, cell, at);
    here = index_in(size, scan->order, at);
    for (o[2] = -deep; o[2] <= deep; o[2]++)
        for (o[1] = -reach; o[1] <= reach; o[1]++)
            for (o[0] = -reach; o[0] <= reach; o[0]++) {
                int64_t beside = cell_beside(size, at, o), index;

                cell_at(size, beside, other);
                index = index_in(size, scan->order, other);
                if (scan->backwards ? index > here : index < here)
                    copy_cell(mixed, beside, &sample->got, beside);
            }
}

/* Cells of one phase lie so far apart that none reads what is put around another. */
static int64_t phase_cells(const struct prober *prober, int phase, int64_t *cells)
{
    struct ca_size size = prober->setup.size;
    int64_t step = 2 * prober->model->radius + 1, count = 0;
    int64_t x = phase % step, y = phase / step % step, z = phase / step / step;
    int64_t deep = size.d > 1 ? size.d / step * step : 1;

    for (int64_t k = z; k < deep; k += step)
        for (int64_t j = y; j < size.h / step * step; j += step)
            for (int64_t i = x; i < size.w / step * step; i += step)
                cells[count++] = (k * size.h + j) * size.w + i;
    return count;
}

/* *fits: the reference makes of the mixed cells what the kernel made. *showed counts the cells that
 * are wrong, and said. */
static enum ca_status fits_scan(struct prober *prober, const struct scan *scan,
                                const struct cause_sample *sample, int64_t *cells, int64_t *showed,
                                bool *fits)
{
    struct ca_lattice *mixed = &prober->scratch[0];
    int step = 2 * prober->model->radius + 1;
    int phases = step * step * (prober->model->dimensions == 3 ? step : 1);

    for (int phase = 0; phase < phases && *fits; phase++) {
        int64_t count = phase_cells(prober, phase, cells);

        ca_lattice_copy(mixed, &sample->start);
        for (int64_t i = 0; i < count; i++)
            mix_around(prober, scan, sample, cells[i], mixed);
        CA_TRY(prober_reference(prober, mixed, sample->t, 1, mixed));
        for (int64_t i = 0; i < count && *fits; i++) {
            *fits = !cell_differs(mixed, &sample->got, cells[i]);
            *showed += cell_differs(&sample->expected, &sample->got, cells[i]);
        }
    }
    return CA_OK;
}

static enum ca_status try_scans(struct prober *prober, int64_t *cells, bool *done)
{
    for (int o = 0; o < ORDERS && !*done; o++)
        for (int back = 0; is_order(prober, o) && back < 2 && !*done; back++) {
            struct scan scan = {orders[o], back};
            int64_t showed = 0;
            bool fits = true;

            for (int s = 0; s < IN_PLACE_SAMPLES && fits; s++)
                CA_TRY(fits_scan(prober, &scan, &prober->sample[s], cells, &showed, &fits));
            *done = fits && showed >= IN_PLACE_MIN;
            if (*done)
                cause_add(prober, CA_CAUSE_IN_PLACE, 1,
                          "You wrote into the old plane: the lattice is updated in place, in the "
                          "order of %s%c, and cells read neighbours that already are of the "
                          "next generation.",
                          back ? "descending " : "", "xyz"[orders[o][0]]);
        }
    return CA_OK;
}

enum ca_status cause_in_place(struct prober *prober, bool *done)
{
    int64_t *cells = malloc((size_t)prober->cells * sizeof *cells);
    enum ca_status status = cells ? try_scans(prober, cells, done) : prober_short(prober);

    free(cells);
    return status;
}
