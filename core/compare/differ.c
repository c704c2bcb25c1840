/* SPDX-License-Identifier: MIT */
/* The search for the first difference says which request follows from which results. Each stage is
 * a function that looks at the answers of its batch and asks for the next one. */
#include "core/compare/differ.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/quantity.h"

static void scanned(struct ca_differ *differ);
static void repeated(struct ca_differ *differ);
static void tried(struct ca_differ *differ);
static void repeat_again(struct ca_differ *differ);

/* --- batches --------------------------------------------------------------------------------- */

static struct ca_differ_request *ask(struct ca_differ *differ, enum ca_differ_verb verb, int side)
{
    struct ca_differ_request *request = &differ->batch[differ->requests++];

    *request = (struct ca_differ_request){.verb = verb, .side = side};
    return request;
}

static void ask_steps(struct ca_differ *differ, int side, uint64_t generations, uint64_t calls)
{
    struct ca_differ_request *request;

    if (generations == 0 || calls == 0)
        return;
    request = ask(differ, CA_DIFFER_STEP, side);
    request->generations = generations;
    request->calls = calls;
}

static void ask_digests(struct ca_differ *differ, int64_t first, int64_t rows)
{
    for (int side = 0; side < 2; side++) {
        struct ca_differ_request *request = ask(differ, CA_DIFFER_DIGEST, side);

        request->block = (struct ca_block_of_cells){.first = first, .rows = rows};
    }
}

static void ask_cells(struct ca_differ *differ, int side, int64_t x, int64_t columns, int64_t first,
                      int64_t rows)
{
    struct ca_differ_request *request = ask(differ, CA_DIFFER_CELLS, side);

    request->block = (struct ca_block_of_cells){first, rows, x, columns};
}

static void ask_call(struct ca_differ *differ, uint64_t generations)
{
    for (int side = 0; side < 2; side++)
        ask_steps(differ, side, generations, 1);
    ask_digests(differ, 0, ca_rows(differ->start.size));
}

/* From the mark through the calls after which both agreed. */
static void ask_base(struct ca_differ *differ, int side)
{
    ask(differ, CA_DIFFER_BACK, side);
    ask_steps(differ, side, differ->start.generations, differ->equal_calls);
}

static void ask_bases(struct ca_differ *differ)
{
    ask_base(differ, 0);
    ask_base(differ, 1);
}

static bool agree(const struct ca_differ *differ) { return differ->digest[0] == differ->digest[1]; }

static void next_stage(struct ca_differ *differ, void (*stage)(struct ca_differ *differ))
{
    differ->stage = stage;
}

static uint64_t base_generation(const struct ca_differ *differ)
{
    return differ->start.mark + differ->equal_calls * differ->start.generations;
}

static void finished(struct ca_differ *differ) { (void)differ; }

static void finish(struct ca_differ *differ, enum ca_differ_kind kind)
{
    differ->result.kind = kind;
    next_stage(differ, finished);
}

/* --- the first cell that differs -------------------------------------------------------------- */

static void take_block(const struct ca_differ *differ, const uint8_t *cells,
                       double to[CA_PLANES_MAX][CA_DIFFER_AROUND * CA_DIFFER_AROUND])
{
    int count = differ->result.columns * differ->result.rows;

    for (int p = 0; p < differ->start.model->planes; p++)
        for (int i = 0; i < count; i++, cells += differ->cell_bytes) {
            float real = 0;

            if (differ->start.model->type == CA_F32)
                memcpy(&real, cells, sizeof real);
            to[p][i] = differ->start.model->type == CA_F32 ? (double)real : *cells;
        }
}

static int64_t row_of(const struct ca_differ *differ, const struct ca_differ_cell *cell)
{
    return cell->z * differ->start.size.h + cell->y;
}

static double value_of(const struct ca_differ_result *r, const double block[])
{
    return block[(r->cell.y - r->corner.y) * r->columns + (r->cell.x - r->corner.x)];
}

static void took_before(struct ca_differ *differ)
{
    struct ca_differ_result *r = &differ->result;

    r->value_before = value_of(r, r->before[r->plane]);
    finish(differ, r->kind);
}

/* A alone goes back to the state before, and comes again. */
static void took_after(struct ca_differ *differ)
{
    struct ca_differ_result *r = &differ->result;

    for (int side = 0; side < 2; side++)
        r->value[side] = value_of(r, r->after[side][r->plane]);
    ask_base(differ, 0);
    ask_steps(differ, 0, differ->before_call, 1);
    ask_steps(differ, 0, 1, differ->before_singles);
    ask_cells(differ, 0, r->corner.x, r->columns, row_of(differ, &r->corner), r->rows);
    ask_steps(differ, 0, r->length, 1);
    next_stage(differ, took_before);
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
        ask_cells(differ, side, r->corner.x, r->columns, row_of(differ, &r->corner), r->rows);
    next_stage(differ, took_after);
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
    repeat_again(differ);
}

static void looked_at_cells(struct ca_differ *differ);

static void look_at_cells(struct ca_differ *differ, int64_t x)
{
    int64_t left = differ->start.size.w - x;
    int64_t columns = left < CA_DIFFER_CHUNK ? left : CA_DIFFER_CHUNK;

    differ->place_x = -1;
    for (int side = 0; side < 2; side++)
        ask_cells(differ, side, x, columns, differ->row_low, 1);
    next_stage(differ, looked_at_cells);
}

static void looked_at_cells(struct ca_differ *differ)
{
    int64_t next = differ->batch[0].block.x + differ->batch[0].block.columns;

    if (differ->place_x >= 0)
        found(differ, differ->place_x, differ->row_low);
    else if (next < differ->start.size.w)
        look_at_cells(differ, next);
    else if (differ->result.kind == CA_DIFFER_VARYING)
        repeat_again(differ);
    else /* digests that differ above cells that do not: the place stays unknown */
        finish(differ, differ->result.kind);
}

/* The first cell of the chunk that both sides have sent, in index order, then plane order. */
static void compare_chunk(struct ca_differ *differ, const struct ca_differ_request *request,
                          const uint8_t *cells)
{
    const struct ca_block_of_cells *block = &request->block;
    size_t bytes = differ->cell_bytes, plane_bytes = (size_t)block->columns * bytes;

    if (request->side == 0) {
        memcpy(differ->chunk, cells, (size_t)differ->start.model->planes * plane_bytes);
        return;
    }
    for (int64_t i = 0; i < block->columns; i++)
        for (int p = 0; p < differ->start.model->planes; p++) {
            size_t at = (size_t)p * plane_bytes + (size_t)i * bytes;

            if (memcmp(differ->chunk + at, cells + at, bytes) != 0) {
                differ->place_x = block->x + i;
                differ->result.plane = p;
                return;
            }
        }
}

static void look_for_row(struct ca_differ *differ);

static void looked_at_rows(struct ca_differ *differ)
{
    int64_t middle = differ->row_low + differ->batch[0].block.rows;

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
    ask_digests(differ, differ->row_low, rows / 2);
    next_stage(differ, looked_at_rows);
}

static void locate(struct ca_differ *differ)
{
    differ->row_low = 0;
    differ->row_high = ca_rows(differ->start.size);
    look_for_row(differ);
}

/* --- calls that differ -------------------------------------------------------------------------
 */

/* The state before is reached by a call of so many generations and so many single ones; a call of
 * `length` leads on to the state in which both are, and differ. */
static void differs(struct ca_differ *differ, enum ca_differ_kind kind, uint64_t call,
                    uint64_t singles, uint64_t length)
{
    struct ca_differ_result *r = &differ->result;

    r->kind = kind;
    differ->before_call = call;
    differ->before_singles = singles;
    r->equal_at = base_generation(differ) + call + singles;
    r->length = length;
    r->generation = r->equal_at + length;
    locate(differ);
}

/* --- not deterministic ----------------------------------------------------------------------- */

static void attribute(struct ca_differ *differ, const uint64_t before[2])
{
    for (int side = 0; side < 2; side++)
        differ->result.guilty[side] |= differ->digest[side] != before[side];
}

static void repeated_again(struct ca_differ *differ)
{
    attribute(differ, differ->start.hash);
    if (agree(differ))
        repeat_again(differ);
    else
        locate(differ);
}

static void repeat_again(struct ca_differ *differ)
{
    if (differ->result.varying == CA_DIFFER_VARYING_MAX || differ->repeats++ == CA_DIFFER_REPEATS ||
        differ->repeat_s > CA_DIFFER_SCAN_S) {
        finish(differ, CA_DIFFER_VARYING);
        return;
    }
    for (int side = 0; side < 2; side++) {
        ask(differ, CA_DIFFER_BACK, side);
        ask_steps(differ, side, differ->start.generations, differ->start.calls);
    }
    ask_call(differ, 0);
    next_stage(differ, repeated_again);
}

static void varies(struct ca_differ *differ)
{
    differ->result.kind = CA_DIFFER_VARYING;
    differ->result.equal_at = differ->start.mark;
    differ->result.call = differ->start.generations;
    differ->result.generation =
        differ->start.mark + differ->start.generations * differ->start.calls;
    repeat_again(differ);
}

/* --- calls of other lengths ------------------------------------------------------------------ */

/* The longer call differed before, and has to do so again. */
static void arrived(struct ca_differ *differ)
{
    if (agree(differ)) {
        attribute(differ, differ->high_hash);
        varies(differ);
        return;
    }
    differs(differ, CA_DIFFER_LENGTH, 0, 0, differ->high);
}

static void arrive(struct ca_differ *differ)
{
    ask_bases(differ);
    ask_call(differ, differ->high);
    next_stage(differ, arrived);
}

/* A call of `low` agrees, one of a generation more does not. Is it that generation? */
static void went_on(struct ca_differ *differ)
{
    if (agree(differ))
        arrive(differ);
    else
        differs(differ, CA_DIFFER_FROM, differ->low, 0, 1);
}

static void try_next(struct ca_differ *differ)
{
    if (differ->high - differ->low == 1) {
        differ->result.bisected = differ->bisect;
        if (differ->singles_agree) {
            arrive(differ);
            return;
        }
        ask_base(differ, 0);
        ask_steps(differ, 0, differ->low, 1);
        ask_base(differ, 1);
        ask_steps(differ, 1, differ->low, 1);
        ask_call(differ, 1);
        next_stage(differ, went_on);
        return;
    }
    differ->tried = differ->low + (differ->bisect ? (differ->high - differ->low) / 2 : 1);
    ask_bases(differ);
    ask_call(differ, differ->tried);
    next_stage(differ, tried);
}

static void tried(struct ca_differ *differ)
{
    if (agree(differ)) {
        differ->low = differ->tried;
    } else {
        differ->high = differ->tried;
        memcpy(differ->high_hash, differ->digest, sizeof differ->high_hash);
    }
    try_next(differ);
}

/* Calls of 1 agree, the call that was repeated does not. */
static void try_lengths(struct ca_differ *differ, bool bisect)
{
    differ->low = 1;
    differ->high = differ->start.generations;
    memcpy(differ->high_hash, differ->call_hash, sizeof differ->high_hash);
    differ->bisect = bisect;
    try_next(differ);
}

/* --- single generations ---------------------------------------------------------------------- */

static void scan(struct ca_differ *differ)
{
    if (differ->single == 0)
        ask_bases(differ);
    ask_call(differ, 1);
    next_stage(differ, scanned);
}

/* All single generations agree. Whose call had another result than they have is wrong in longer
 * calls, or, where the call was itself a single generation, at random. */
static void scan_is_over(struct ca_differ *differ)
{
    double seconds = differ->scan_s * (double)differ->start.generations / 2;

    attribute(differ, differ->call_hash);
    if (differ->start.generations == 1) {
        varies(differ);
        return;
    }
    differ->singles_agree = true;
    try_lengths(differ, seconds > CA_DIFFER_SCAN_S);
}

static void scanned(struct ca_differ *differ)
{
    uint64_t all = differ->start.generations;

    if (!agree(differ)) {
        differs(differ, CA_DIFFER_FROM, 0, differ->single, 1);
        return;
    }
    differ->single++;
    if (differ->single == all)
        scan_is_over(differ);
    else if (differ->single > 2 &&
             differ->scan_s * (double)all / (double)(differ->single - 1) > CA_DIFFER_SCAN_S)
        try_lengths(differ, true);
    else
        scan(differ);
}

/* --- the repeat ------------------------------------------------------------------------------ */

static void repeat(struct ca_differ *differ)
{
    if (differ->call == 0)
        for (int side = 0; side < 2; side++)
            ask(differ, CA_DIFFER_BACK, side);
    ask_call(differ, differ->start.generations);
    next_stage(differ, repeated);
}

static void repeated(struct ca_differ *differ)
{
    if (!differ->differed && !agree(differ)) {
        differ->differed = true;
        differ->equal_calls = differ->call;
        memcpy(differ->call_hash, differ->digest, sizeof differ->call_hash);
    }
    if (++differ->call < differ->start.calls) {
        repeat(differ);
        return;
    }
    attribute(differ, differ->start.hash);
    if (differ->result.guilty[0] || differ->result.guilty[1] || !differ->differed)
        varies(differ);
    else
        scan(differ);
}

/* --------------------------------------------------------------------------------------------- */

void ca_differ_begin(struct ca_differ *differ, const struct ca_differ_case *start)
{
    memset(differ, 0, sizeof *differ);
    differ->start = *start;
    differ->cell_bytes = ca_type_bytes(start->model->type);
    repeat(differ);
}

struct ca_differ_request ca_differ_next(const struct ca_differ *differ)
{
    static const struct ca_differ_request done = {.verb = CA_DIFFER_DONE};

    return differ->stage == finished ? done : differ->batch[differ->answered];
}

void ca_differ_take(struct ca_differ *differ, const struct ca_differ_reply *reply)
{
    const struct ca_differ_request *request = &differ->batch[differ->answered];

    if (differ->stage == finished)
        return;
    if (differ->stage == scanned && differ->single > 0)
        differ->scan_s += reply->seconds;
    if (differ->result.kind == CA_DIFFER_VARYING)
        differ->repeat_s += reply->seconds;
    if (request->verb == CA_DIFFER_DIGEST)
        differ->digest[request->side] = reply->digest;
    else if (request->verb == CA_DIFFER_CELLS && differ->stage == looked_at_cells)
        compare_chunk(differ, request, reply->cells);
    else if (request->verb == CA_DIFFER_CELLS)
        take_block(differ, reply->cells,
                   differ->stage == took_after ? differ->result.after[request->side]
                                               : differ->result.before);
    if (++differ->answered < differ->requests)
        return;
    differ->answered = differ->requests = 0;
    differ->stage(differ);
}

char *ca_differ_progress(char text[64], const struct ca_differ *differ)
{
    char at[CA_QUANTITY_TEXT], to[CA_QUANTITY_TEXT];
    uint64_t base = base_generation(differ);

    if (differ->result.kind == CA_DIFFER_VARYING)
        snprintf(text, 64, "repeat %d of %d", differ->repeats, CA_DIFFER_REPEATS);
    else if (differ->stage == repeated)
        snprintf(text, 64, "repeating");
    else if (differ->stage == scanned)
        snprintf(text, 64, "generation %s of %s", ca_thousands(at, base + differ->single + 1),
                 ca_thousands(to, base + differ->start.generations));
    else if (differ->stage == tried || differ->stage == arrived || differ->stage == went_on)
        snprintf(text, 64, "calls of %s generations", ca_thousands(at, differ->tried));
    else
        snprintf(text, 64, "looking for the first cell");
    return text;
}
