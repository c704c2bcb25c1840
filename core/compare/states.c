/* SPDX-License-Identifier: MIT */
/* Two running simulations are compared by rows, which move only where their digests differ. */
#include "core/compare/states.h"

#include <string.h>

#define PIECE_CELLS                                                                                \
    (1 << 18) /* of rows whose digests are compared, and which move if they differ */
#define POISON 0xa5

double ca_tolerance(const struct ca_backend *a, const struct ca_backend *b)
{
    return a == b ? 0 : a->tolerance + b->tolerance;
}

double ca_simulation_tolerance(const struct ca_simulation *a, const struct ca_simulation *b)
{
    return ca_tolerance(ca_simulation_experiment(a)->backend, ca_simulation_experiment(b)->backend);
}

/* Fetches rows into a buffer that is overwritten first, so that a row that the backend leaves out
 * is not right by chance. */
static enum ca_status fetch(struct ca_simulation *simulation, struct ca_lattice *rows,
                            int64_t first, struct ca_error *error)
{
    for (int p = 0; p < rows->planes; p++)
        memset(rows->plane[p], POISON, (size_t)ca_cells(rows->size) * ca_type_bytes(rows->type));
    return ca_simulation_rows(simulation, rows->plane, first, rows->size.h, error);
}

static enum ca_status compare_rows(struct ca_simulation *expected, struct ca_simulation *got,
                                   struct ca_lattice rows[2], int64_t first,
                                   struct ca_difference *total, struct ca_error *error)
{
    int64_t h = ca_simulation_setup(expected)->size.h;
    struct ca_difference difference;

    CA_TRY(fetch(expected, &rows[0], first, error));
    CA_TRY(fetch(got, &rows[1], first, error));
    difference =
        ca_lattice_compare_within(&rows[0], &rows[1], ca_simulation_tolerance(expected, got),
                                  ca_simulation_setup(expected)->model->radius);
    if (total->count == 0 && difference.count > 0) {
        *total = difference;
        total->y = (first + difference.y) % h;
        total->z = (first + difference.y) / h;
    } else {
        total->count += difference.count;
    }
    return CA_OK;
}

static enum ca_status digests_differ(struct ca_simulation *a, struct ca_simulation *b,
                                     int64_t first, int64_t rows, bool *differ,
                                     struct ca_error *error)
{
    struct ca_survey one, other;

    *differ = true;
    if (ca_simulation_tolerance(a, b) > 0)
        return CA_OK;
    CA_TRY(ca_simulation_survey(a, CA_SURVEY_DIGEST, first, rows, &one, error));
    CA_TRY(ca_simulation_survey(b, CA_SURVEY_DIGEST, first, rows, &other, error));
    *differ = one.digest != other.digest;
    return CA_OK;
}

static enum ca_status compare_pieces(struct ca_simulation *expected, struct ca_simulation *got,
                                     struct ca_lattice rows[2], struct ca_difference *difference,
                                     struct ca_error *error)
{
    int64_t all = ca_rows(ca_simulation_setup(expected)->size), piece = rows[0].size.h;
    bool differ;

    for (int64_t first = 0; first < all; first += piece) {
        int64_t count = all - first < piece ? all - first : piece;

        rows[0].size.h = rows[1].size.h = count;
        CA_TRY(digests_differ(expected, got, first, count, &differ, error));
        if (differ)
            CA_TRY(compare_rows(expected, got, rows, first, difference, error));
    }
    return CA_OK;
}

enum ca_status ca_simulation_compare(struct ca_simulation *expected, struct ca_simulation *got,
                                     struct ca_difference *difference, struct ca_error *error)
{
    const struct ca_setup *setup = ca_simulation_setup(expected);
    const struct ca_model *model = setup->model;
    int64_t all = ca_rows(setup->size), piece = PIECE_CELLS / setup->size.w;
    struct ca_lattice rows[2] = {{.planes = 0}, {.planes = 0}};
    enum ca_status status;
    bool differ;

    memset(difference, 0, sizeof *difference);
    CA_TRY(digests_differ(expected, got, 0, all, &differ, error));
    if (!differ)
        return CA_OK;
    if (ca_simulation_tolerance(expected, got) > 0) /* which looks at the cells around, too */
        piece = all;
    piece = piece < 1 ? 1 : piece > all ? all : piece;
    status = ca_lattice_alloc(&rows[0], (struct ca_size){setup->size.w, piece, 1}, model->type,
                              model->planes, error);
    if (status == CA_OK)
        status = ca_lattice_alloc(&rows[1], rows[0].size, model->type, model->planes, error);
    if (status == CA_OK)
        status = compare_pieces(expected, got, rows, difference, error);
    ca_lattice_free(&rows[0]);
    ca_lattice_free(&rows[1]);
    return status;
}
