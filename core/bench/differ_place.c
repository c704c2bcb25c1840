/* SPDX-License-Identifier: MIT */
/* Owns the search for the first cell that differs, in states that do: rows by their digests, cells,
 * the neighbourhood in both results and before. */
#include <string.h>

#include "core/bench/differ_parts.h"

static double value_at(const struct ca_differ *differ, const void *cells, int64_t i)
{
    float real;

    if (differ->start.model->type == CA_U8)
        return ((const uint8_t *)cells)[i];
    memcpy(&real, (const float *)cells + i, sizeof real);
    return (double)real;
}

static void take_block(const struct ca_differ *differ, const void *cells,
                       double to[CA_PLANES_MAX][CA_DIFFER_AROUND * CA_DIFFER_AROUND])
{
    int count = differ->result.columns * differ->result.rows;

    for (int p = 0; p < differ->start.model->planes; p++)
        for (int i = 0; i < count; i++)
            to[p][i] = value_at(differ, cells, (int64_t)p * count + i);
}

static int64_t row_of(const struct ca_differ *differ, const struct ca_differ_cell *cell)
{
    return cell->z * differ->start.size.h + cell->y;
}

/* The value of the cell in a neighbourhood. */
static double value_of(const struct ca_differ_result *r, const double block[])
{
    return block[(r->cell.y - r->corner.y) * r->columns + (r->cell.x - r->corner.x)];
}

static void took_before(struct ca_differ *differ)
{
    struct ca_differ_result *r = &differ->result;

    r->value_before = value_of(r, r->before[r->plane]);
    differ_finish(differ, r->kind);
}

/* A alone goes back to the state before, and comes again. */
static void took_after(struct ca_differ *differ)
{
    struct ca_differ_result *r = &differ->result;

    for (int side = 0; side < 2; side++)
        r->value[side] = value_of(r, r->after[side][r->plane]);
    differ_ask_base(differ, 0);
    differ_ask_steps(differ, 0, differ->before_call, 1);
    differ_ask_steps(differ, 0, 1, differ->before_singles);
    differ_ask_cells(differ, 0, r->corner.x, r->columns, row_of(differ, &r->corner), r->rows);
    differ_ask_steps(differ, 0, r->length, 1);
    differ_next_stage(differ, took_before);
}

static int64_t clamp(int64_t value, int64_t most)
{
    return value < 0 ? 0 : value > most ? most : value;
}

static void around(struct ca_differ *differ)
{
    struct ca_differ_result *r = &differ->result;
    struct ca_size size = differ->start.size;

    r->columns = size.w < CA_DIFFER_AROUND ? (int)size.w : CA_DIFFER_AROUND;
    r->rows = size.h < CA_DIFFER_AROUND ? (int)size.h : CA_DIFFER_AROUND;
    r->corner.x = clamp(r->cell.x - CA_DIFFER_AROUND / 2, size.w - r->columns);
    r->corner.y = clamp(r->cell.y - CA_DIFFER_AROUND / 2, size.h - r->rows);
    r->corner.z = r->cell.z;
    for (int side = 0; side < 2; side++)
        differ_ask_cells(differ, side, r->corner.x, r->columns, row_of(differ, &r->corner),
                         r->rows);
    differ_next_stage(differ, took_after);
}

static void found(struct ca_differ *differ, int64_t x, int64_t row)
{
    struct ca_differ_result *r = &differ->result;
    struct ca_differ_cell cell = {x, row % differ->start.size.h, row / differ->start.size.h};
    bool known = false;

    if (r->kind != CA_DIFFER_VARYING) {
        r->placed = true;
        r->cell = cell;
        around(differ);
        return;
    }
    for (int i = 0; i < r->varying; i++)
        known |= r->vary[i].x == cell.x && r->vary[i].y == cell.y && r->vary[i].z == cell.z;
    if (!known)
        r->vary[r->varying++] = cell;
    differ_repeat_again(differ);
}

/* Digests that differ above cells that do not: the place stays unknown. */
static void not_found(struct ca_differ *differ)
{
    if (differ->result.kind == CA_DIFFER_VARYING)
        differ_repeat_again(differ);
    else
        differ_finish(differ, differ->result.kind);
}

static void looked_at_cells(struct ca_differ *differ);

static void look_at_cells(struct ca_differ *differ, int64_t x)
{
    int64_t left = differ->start.size.w - x;
    int64_t columns = left < CA_DIFFER_CHUNK ? left : CA_DIFFER_CHUNK;

    differ->place_x = -1;
    for (int side = 0; side < 2; side++)
        differ_ask_cells(differ, side, x, columns, differ->row_low, 1);
    differ_next_stage(differ, looked_at_cells);
}

static void looked_at_cells(struct ca_differ *differ)
{
    int64_t next = differ->batch[0].x + differ->batch[0].columns;

    if (differ->place_x >= 0)
        found(differ, differ->place_x, differ->row_low);
    else if (next < differ->start.size.w)
        look_at_cells(differ, next);
    else
        not_found(differ);
}

/* The first cell of the chunk that both sides have sent, in index order, then plane order. */
static void compare_chunk(struct ca_differ *differ, const struct ca_differ_request *request,
                          const uint8_t *cells)
{
    size_t bytes = differ->cell_bytes, plane_bytes = (size_t)request->columns * bytes;

    if (request->side == 0) {
        memcpy(differ->chunk, cells, (size_t)differ->start.model->planes * plane_bytes);
        return;
    }
    for (int64_t i = 0; i < request->columns; i++)
        for (int p = 0; p < differ->start.model->planes; p++) {
            size_t at = (size_t)p * plane_bytes + (size_t)i * bytes;

            if (memcmp(differ->chunk + at, cells + at, bytes) != 0) {
                differ->place_x = request->x + i;
                differ->result.plane = p;
                return;
            }
        }
}

static void look_for_row(struct ca_differ *differ);

static void looked_at_rows(struct ca_differ *differ)
{
    int64_t middle = differ->row_low + differ->batch[0].rows;

    if (differ->digest[0] == differ->digest[1])
        differ->row_low = middle;
    else
        differ->row_high = middle;
    look_for_row(differ);
}

static void look_for_row(struct ca_differ *differ)
{
    int64_t rows = differ->row_high - differ->row_low;

    if (rows == 1) {
        look_at_cells(differ, 0);
        return;
    }
    differ_ask_digests(differ, differ->row_low, rows / 2);
    differ_next_stage(differ, looked_at_rows);
}

void differ_locate(struct ca_differ *differ)
{
    if (differ->start.tolerance > 0) {
        found(differ, differ->place_x, differ->place_row);
        return;
    }
    differ->row_low = 0;
    differ->row_high = ca_rows(differ->start.size);
    look_for_row(differ);
}

void differ_take_cells(struct ca_differ *differ, const struct ca_differ_request *request,
                       const void *cells)
{
    if (differ->stage == looked_at_cells)
        compare_chunk(differ, request, cells);
    else if (differ->stage == took_after)
        take_block(differ, cells, differ->result.after[request->side]);
    else
        take_block(differ, cells, differ->result.before);
}
