/* SPDX-License-Identifier: MIT */
/* Owns the search for the first difference: which request follows from which results. Each stage
 * is a function that looks at the answers of its batch and asks for the next one. */
#include "core/bench/differ_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/quantity.h"

static void scanned(struct ca_differ *differ);
static void repeated(struct ca_differ *differ);
static void tried(struct ca_differ *differ);

/* --- batches --------------------------------------------------------------------------------- */

static struct ca_differ_request *ask(struct ca_differ *differ, enum ca_differ_verb verb, int side)
{
    struct ca_differ_request *request = &differ->batch[differ->requests++];

    *request = (struct ca_differ_request){.verb = verb, .side = side};
    return request;
}

void differ_ask_steps(struct ca_differ *differ, int side, uint64_t generations, uint64_t calls)
{
    struct ca_differ_request *request;

    if (generations == 0 || calls == 0)
        return;
    request = ask(differ, CA_DIFFER_STEP, side);
    request->generations = generations;
    request->calls = calls;
}

void differ_ask_digests(struct ca_differ *differ, int64_t first, int64_t rows)
{
    for (int side = 0; side < 2; side++) {
        struct ca_differ_request *request = ask(differ, CA_DIFFER_DIGEST, side);

        request->first = first;
        request->rows = rows;
    }
}

void differ_ask_cells(struct ca_differ *differ, int side, int64_t x, int64_t columns, int64_t first,
                      int64_t rows)
{
    struct ca_differ_request *request = ask(differ, CA_DIFFER_CELLS, side);

    request->x = x;
    request->columns = columns;
    request->first = first;
    request->rows = rows;
}

/* Both make a call of so many generations, and are compared. */
static void ask_call(struct ca_differ *differ, uint64_t generations)
{
    for (int side = 0; side < 2; side++)
        differ_ask_steps(differ, side, generations, 1);
    differ_ask_digests(differ, 0, ca_rows(differ->start.size));
    if (differ->start.tolerance > 0)
        ask(differ, CA_DIFFER_COMPARE, 0);
}

/* From the mark through the calls after which both agreed. */
void differ_ask_base(struct ca_differ *differ, int side)
{
    ask(differ, CA_DIFFER_BACK, side);
    differ_ask_steps(differ, side, differ->start.generations, differ->equal_calls);
}

static void ask_share(struct ca_differ *differ)
{
    if (differ->start.tolerance > 0)
        ask(differ, CA_DIFFER_SHARE, 1);
}

static void ask_bases(struct ca_differ *differ)
{
    differ_ask_base(differ, 0);
    differ_ask_base(differ, 1);
    ask_share(differ);
}

static bool agree(const struct ca_differ *differ)
{
    return differ->start.tolerance > 0 ? differ->agree : differ->digest[0] == differ->digest[1];
}

void differ_next_stage(struct ca_differ *differ, void (*stage)(struct ca_differ *differ))
{
    differ->stage = stage;
}

static uint64_t base_generation(const struct ca_differ *differ)
{
    return differ->start.mark + differ->equal_calls * differ->start.generations;
}

static void finished(struct ca_differ *differ) { (void)differ; }

void differ_finish(struct ca_differ *differ, enum ca_differ_kind kind)
{
    differ->result.kind = kind;
    differ_next_stage(differ, finished);
}

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
    differ_locate(differ);
}

/* --- not deterministic ----------------------------------------------------------------------- */

static void blame(struct ca_differ *differ, const uint64_t before[2])
{
    for (int side = 0; side < 2; side++)
        differ->result.guilty[side] |= differ->digest[side] != before[side];
}

static void repeated_again(struct ca_differ *differ)
{
    blame(differ, differ->start.hash);
    if (agree(differ))
        differ_repeat_again(differ);
    else
        differ_locate(differ);
}

void differ_repeat_again(struct ca_differ *differ)
{
    if (differ->result.varying == CA_DIFFER_VARYING_MAX || differ->repeats++ == CA_DIFFER_REPEATS ||
        differ->repeat_s > CA_DIFFER_SCAN_S) {
        differ_finish(differ, CA_DIFFER_VARYING);
        return;
    }
    for (int side = 0; side < 2; side++) {
        ask(differ, CA_DIFFER_BACK, side);
        differ_ask_steps(differ, side, differ->start.generations, differ->start.calls);
    }
    ask_call(differ, 0);
    differ_next_stage(differ, repeated_again);
}

static void varies(struct ca_differ *differ)
{
    differ->result.kind = CA_DIFFER_VARYING;
    differ->result.equal_at = differ->start.mark;
    differ->result.call = differ->start.generations;
    differ->result.generation =
        differ->start.mark + differ->start.generations * differ->start.calls;
    differ_repeat_again(differ);
}

/* --- calls of other lengths ------------------------------------------------------------------ */

static void try_length(struct ca_differ *differ, uint64_t length)
{
    differ->tried = length;
    ask_bases(differ);
    ask_call(differ, length);
    differ_next_stage(differ, tried);
}

/* The longer call differed before, and has to do so again. */
static void arrived(struct ca_differ *differ)
{
    if (agree(differ)) {
        blame(differ, differ->high_hash);
        varies(differ);
        return;
    }
    differs(differ, CA_DIFFER_LENGTH, 0, 0, differ->high);
}

static void arrive(struct ca_differ *differ)
{
    ask_bases(differ);
    ask_call(differ, differ->high);
    differ_next_stage(differ, arrived);
}

/* A call of `low` agrees, one of a generation more does not. Is it that generation? */
static void went_on(struct ca_differ *differ)
{
    if (agree(differ))
        arrive(differ);
    else
        differs(differ, CA_DIFFER_FROM, differ->low, 0, 1);
}

static void go_on(struct ca_differ *differ)
{
    differ->result.bisected = differ->bisect;
    if (differ->singles_agree) {
        arrive(differ);
        return;
    }
    differ_ask_base(differ, 0);
    differ_ask_steps(differ, 0, differ->low, 1);
    differ_ask_base(differ, 1);
    differ_ask_steps(differ, 1, differ->low, 1);
    ask_share(differ);
    ask_call(differ, 1);
    differ_next_stage(differ, went_on);
}

static void try_next(struct ca_differ *differ)
{
    if (differ->high - differ->low == 1)
        go_on(differ);
    else
        try_length(differ, differ->bisect ? differ->low + (differ->high - differ->low) / 2
                                          : differ->low + 1);
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
    else
        ask_share(differ);
    ask_call(differ, 1);
    differ_next_stage(differ, scanned);
}

/* All single generations agree. Whose call had another result than they have is wrong in longer
 * calls, or, where the call was itself a single generation, at random. */
static void scan_is_over(struct ca_differ *differ)
{
    double seconds = differ->scan_s * (double)differ->start.generations / 2;

    blame(differ, differ->call_hash);
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
    differ_next_stage(differ, repeated);
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
    blame(differ, differ->start.hash);
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
    else if (request->verb == CA_DIFFER_CELLS)
        differ_take_cells(differ, request, reply->cells);
    if (request->verb == CA_DIFFER_COMPARE) {
        differ->agree = reply->equal;
        differ->place_x = reply->x;
        differ->place_row = reply->row;
        differ->result.plane = reply->plane;
    }
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
