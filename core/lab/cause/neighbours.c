/* SPDX-License-Identifier: MIT */
/*
 * Draws conclusions about a mistake from the neighbours that a kernel reads in a place, and finds
 * the value that it takes for those which it does not read: another value is put in their place,
 * and the reference has to make of it what the kernel made of the state as it was, in every cell
 * that is looked at.
 */
#include "core/lab/cause/cause.h"

#include <stdio.h>
#include <string.h>

#define ROUNDS_MAX 150
#define ENOUGH_EVERYWHERE 24
#define FAR_TRIES_MIN 100 /* that nothing far away is read is known */
#define ENOUGH_ELSEWHERE_RIGHT 8
#define AGREE_MIN 30 /* cells that were looked at */
#define SHOW_MIN 4   /* of them in which it matters */

/* The neighbours of a place in the rows of one parity, or of both. */
struct reading {
    uint8_t wanted[STENCIL_PAIRS_MAX], read[STENCIL_PAIRS_MAX];
    uint8_t missing[STENCIL_PAIRS_MAX], extra[STENCIL_PAIRS_MAX];
    int missed, added, reads;
};

static void take_reading(struct reading *reading, const struct stencil *stencil, int row)
{
    memset(reading, 0, sizeof *reading);
    for (int i = 0; i < stencil->pairs; i++) {
        enum stencil_verdict verdict = stencil_verdict(stencil, row, i);

        reading->wanted[i] = stencil->wanted[row][i] > 0;
        reading->read[i] = stencil_reads(stencil, row, i);
        reading->missing[i] = verdict == STENCIL_MISSING;
        reading->extra[i] = verdict == STENCIL_EXTRA;
        reading->missed += reading->missing[i];
        reading->added += reading->extra[i];
        reading->reads += reading->read[i];
    }
}

static const char *const in_rows[2] = {" in even rows", " in odd rows"};

static bool same_set(const struct stencil *stencil, const uint8_t *a, const uint8_t *b)
{
    return memcmp(a, b, (size_t)stencil->pairs) == 0;
}

/* Whether the reference itself reads others in odd rows. */
static bool has_parity(const struct stencil *stencil)
{
    for (int i = 0; i < stencil->pairs; i++)
        if ((stencil->wanted[0][i] > 0) != (stencil->wanted[1][i] > 0) &&
            (stencil->wanted[0][i] > 8 || stencil->wanted[1][i] > 8) && stencil->tries[0][i] > 60 &&
            stencil->tries[1][i] > 60)
            return true;
    return false;
}

/* Every second row, whatever else. */
static bool is_parity(const struct cause_place *place)
{
    return place->along[1].kind == ALONG_RESIDUE && place->along[1].p == 2 &&
           place->along[0].kind == ALONG_ANY && place->along[2].kind == ALONG_ANY;
}

/* The cells of place `which` that are in no other; of all cells those away from the edges. */
static int64_t set_targets(const struct prober *prober, const struct cause_place *places, int count,
                           int which)
{
    struct ca_size size = prober->setup.size;
    const int64_t side[3] = {size.w, size.h, size.d};
    const struct cause_place *place = &places[which];
    bool whole = place_is_all(place) || is_parity(place);
    int64_t targets = 0, at[3];

    for (int64_t i = 0; i < prober->cells; i++) {
        bool in = true;

        cell_at(size, i, at);
        for (int a = 0; whole && a < 3; a++)
            in &= side[a] == 1 ||
                  (at[a] >= prober->model->radius && at[a] < side[a] - prober->model->radius);
        in &= whole || place_holds(place, at);
        for (int j = 0; in && j < count; j++)
            in &= j == which || place_is_all(&places[j]) || is_parity(&places[j]) ||
                  !place_holds(&places[j], at);
        prober->set[0][i] = in;
        targets += in;
    }
    return targets;
}

/* The same step from each neighbour that is not read to one that is read in its place. */
static bool displaced(const struct stencil *stencil, const struct reading *r)
{
    const struct stencil_pair *first[2] = {NULL, NULL};
    int step[3];

    if (r->missed != r->added || r->missed == 0)
        return false;
    for (int i = 0; i < stencil->pairs; i++) {
        if (r->missing[i] && !first[0])
            first[0] = &stencil->pair[i];
        if (r->extra[i] && !first[1])
            first[1] = &stencil->pair[i];
    }
    if (!first[0] || !first[1])
        return false;
    for (int a = 0; a < 3; a++)
        step[a] = first[1]->offset[a] - first[0]->offset[a];
    for (int i = 0; i < stencil->pairs; i++) {
        bool found = false;

        for (int j = 0; r->missing[i] && j < stencil->pairs; j++)
            found |= r->extra[j] && stencil->pair[j].channel == stencil->pair[i].channel &&
                     stencil->pair[j].offset[0] == stencil->pair[i].offset[0] + step[0] &&
                     stencil->pair[j].offset[1] == stencil->pair[i].offset[1] + step[1] &&
                     stencil->pair[j].offset[2] == stencil->pair[i].offset[2] + step[2];
        if (r->missing[i] && !found)
            return false;
    }
    return true;
}

/* Whether all of a set lie beyond the edge of the lattice that the place is at. */
static bool all_beyond(const struct prober *prober, const struct cause_place *place,
                       const struct stencil *stencil, const uint8_t *set)
{
    struct ca_size size = prober->setup.size;
    const int64_t side[3] = {size.w, size.h, size.d};

    for (int i = 0; i < stencil->pairs; i++) {
        bool beyond = false;

        for (int a = 0; a < 3; a++) {
            int64_t to = place->along[a].k + stencil->pair[i].offset[a];

            beyond |= place->along[a].kind == ALONG_AT && (to < 0 || to >= side[a]);
        }
        if (set[i] && !beyond)
            return false;
    }
    return true;
}

/* Whether a place is a single coordinate inside the lattice: of the second and last tile. */
static bool is_inside(const struct prober *prober, const struct cause_place *place)
{
    const int64_t side[3] = {prober->setup.size.w, prober->setup.size.h, prober->setup.size.d};

    for (int a = 0; a < 3; a++)
        if (place->along[a].kind == ALONG_AT && place->along[a].k >= STENCIL_REACH_MAX &&
            place->along[a].k < side[a] - STENCIL_REACH_MAX)
            return true;
    return false;
}

enum ca_cause place_cause(const struct prober *prober, const struct cause_place *place)
{
    if (is_parity(place))
        return CA_CAUSE_PARITY;
    if (place_has(place, ALONG_FROM) || place_has(place, ALONG_BELOW))
        return CA_CAUSE_TAIL;
    if (place_has(place, ALONG_RESIDUE) || is_inside(prober, place))
        return CA_CAUSE_HALO;
    return place_has(place, ALONG_AT) ? CA_CAUSE_BOUNDARY : CA_CAUSE_NEIGHBOURS;
}

/* --- what stands in for neighbours ------------------------------------------------------------ */

enum instead { AS_0, AS_1, AS_EDGE, AS_MIRROR, AS_WRAPPED, INSTEAD };

static const char *const instead_words[INSTEAD] = {
    "they are taken as 0",
    "they are taken as 1",
    "the cells at the edge stand in for them",
    "the cells inside the edge stand in for them, as in a mirror",
    "cells of the same tile are read, as if it were a torus",
};

struct instead_trial {
    struct prober *prober;
    const struct cause_place *place;
    const struct stencil *stencil;
    const uint8_t *missing;
};

/* The cell that stands in for a neighbour beyond the edge of the place. */
static bool stand_in(const struct cause_place *place, enum instead how, int offset[3])
{
    bool moved = false;

    for (int a = 0; a < 3; a++) {
        bool low = place->along[a].k < (place->along[a].p ? place->along[a].p / 2 : 2);

        if (place->along[a].kind == ALONG_ANY || (low ? offset[a] >= 0 : offset[a] <= 0))
            continue;
        moved = true;
        if (how == AS_EDGE)
            offset[a] = 0;
        else if (how == AS_MIRROR)
            offset[a] = -offset[a];
        else if (place->along[a].kind != ALONG_RESIDUE)
            return false;
        else
            offset[a] += (int)(low ? place->along[a].p : -place->along[a].p);
    }
    return moved;
}

static void set_channel(const struct prober *prober, struct ca_lattice *state, int channel,
                        int64_t cell, const struct ca_lattice *from, int64_t other, int value)
{
    int plane = channel / prober->bits, bit = channel % prober->bits;

    if (state->type == CA_F32) {
        ((float *)state->plane[plane])[cell] =
            from ? ((float *)from->plane[plane])[other] : (float)value;
        return;
    }
    if (from)
        value = ((uint8_t *)from->plane[plane])[other] >> bit & 1;
    ((uint8_t *)state->plane[plane])[cell] = prober_state(
        prober->model,
        (unsigned)((((uint8_t *)state->plane[plane])[cell] & ~(1 << bit)) | value << bit));
}

/* Changes the state beside targets that are far from each other, which it chooses. */
static bool put_instead(struct instead_trial *trial, const struct ca_lattice *start,
                        enum instead how)
{
    struct prober *prober = trial->prober;
    struct ca_size size = prober->setup.size;
    uint8_t *const target = prober->set[0], *const blocked = prober->set[1];

    ca_lattice_copy(&prober->scratch[0], start);
    memset(blocked, 0, (size_t)prober->cells);
    memset(prober->set[2], 0, (size_t)prober->cells);
    for (int64_t i = 0; i < prober->cells; i++) {
        int64_t at[3];

        if (!target[i] || blocked[i])
            continue;
        cell_at(size, i, at);
        prober->set[2][i] = 1;
        prober_block(prober, blocked, at, trial->stencil->reach);
        for (int m = 0; m < trial->stencil->pairs; m++) {
            const struct stencil_pair *pair = &trial->stencil->pair[m];
            int other[3] = {pair->offset[0], pair->offset[1], pair->offset[2]};
            int64_t cell = cell_beside(size, at, pair->offset);

            if (!trial->missing[m])
                continue;
            if (how > AS_1 && !stand_in(trial->place, how, other))
                return false;
            set_channel(prober, &prober->scratch[0], pair->channel, cell, how > AS_1 ? start : NULL,
                        cell_beside(size, at, other), how == AS_1);
        }
    }
    return true;
}

static enum ca_status instead_fits(struct instead_trial *trial, enum instead how, bool *fits)
{
    struct prober *prober = trial->prober;
    struct ca_lattice *result = &prober->scratch[1];
    int looked = 0, showed = 0;

    *fits = false;
    for (int s = 0; s < prober->samples; s++) {
        const struct cause_sample *sample = &prober->sample[s];

        if (!put_instead(trial, &sample->start, how))
            return CA_OK;
        CA_TRY(prober_reference(prober, &prober->scratch[0], sample->t, 1, result));
        for (int64_t i = 0; i < prober->cells; i++) {
            if (!prober->set[2][i])
                continue;
            looked++;
            showed += cell_differs(&sample->expected, result, i);
            if (cell_differs(&sample->got, result, i))
                return CA_OK;
        }
    }
    *fits = looked >= AGREE_MIN && showed >= SHOW_MIN;
    return CA_OK;
}

/* --- sentences -------------------------------------------------------------------------------- */

/* Begins the sentence about a place. "Treated as a wall" is said only where `stands_in`: the prober
 * knows what value the kernel takes for the neighbours that it misses. */
static void opening(char text[CAUSE_LIST_MAX], const struct prober *prober,
                    const struct cause_place *place, const struct stencil *stencil,
                    const struct reading *r, bool stands_in)
{
    bool wall =
        stands_in && r->missed && !r->added && all_beyond(prober, place, stencil, r->missing);
    bool open = r->added && !r->missed && all_beyond(prober, place, stencil, r->extra);
    char where[CAUSE_NAME_MAX];

    place_text(where, place);
    switch (place_cause(prober, place)) {
    case CA_CAUSE_NEIGHBOURS:
        snprintf(text, CAUSE_LIST_MAX, "Cells");
        break;
    case CA_CAUSE_HALO:
        snprintf(text, CAUSE_LIST_MAX, "At %s of tiles the halo is wrong: cells with %s",
                 (place->along[0].kind != ALONG_ANY) + (place->along[1].kind != ALONG_ANY) +
                             (place->along[2].kind != ALONG_ANY) >
                         1
                     ? "corners"
                     : "edges",
                 where);
        break;
    case CA_CAUSE_TAIL:
        snprintf(text, CAUSE_LIST_MAX,
                 place_is_tail(place, prober->setup.size)
                     ? "Behind the last whole tile: cells with %s"
                     : "Cells with %s",
                 where);
        break;
    default:
        snprintf(text, CAUSE_LIST_MAX, "%scells at %s",
                 wall   ? "The torus is treated as a wall: "
                 : open ? "The edge of the lattice is treated as a torus: "
                        : "At an edge of the lattice ",
                 where);
        break;
    }
}

/* Says what is read and what not; false if that is right. */
static enum ca_status neighbour_finding(struct prober *prober, const struct cause_place *place,
                                        const struct stencil *stencil, const struct reading *r,
                                        const char *rows, bool parity)
{
    char open[CAUSE_LIST_MAX], missing[CAUSE_LIST_MAX], extra[CAUSE_LIST_MAX];
    enum ca_cause cause = parity ? CA_CAUSE_PARITY : place_cause(prober, place);
    struct instead_trial trial = {prober, place, stencil, r->missing};
    const char *words = ""; /* such as "they are taken as 0" */
    bool looks = r->reads > 0 && r->missed && !r->added;

    for (int how = 0; looks && !*words && how < INSTEAD; how++) {
        bool fit = false;

        CA_TRY(instead_fits(&trial, (enum instead)how, &fit));
        if (fit)
            words = instead_words[how];
    }
    opening(open, prober, place, stencil, r, *words);
    pairs_text(missing, prober, stencil, r->missing, r->wanted);
    pairs_text(extra, prober, stencil, r->extra, NULL);
    if (r->reads == 0 && stencil->far > 0)
        cause_add(prober, cause, 1,
                  "%s%s do not read those around them: cells farther away are read, as by a wrong "
                  "index.",
                  open, rows);
    else if (r->reads == 0 && stencil->far_tries >= FAR_TRIES_MIN)
        cause_add(prober, cause, 1,
                  "%s%s do not depend on the start: nothing of it is read, or it does not "
                  "count beside something else.",
                  open, rows);
    else if (displaced(stencil, r))
        cause_add(prober, cause, 1, "%s%s read %s in place of %s.", open, rows, extra, missing);
    else if (r->missed && r->added)
        cause_add(prober, cause, 1, "%s%s do not read %s, but read %s, which they should not.",
                  open, rows, missing, extra);
    else if (r->added)
        cause_add(prober, cause, 1, "%s%s read %s, which they should not.", open, rows, extra);
    else {
        if (!*words && stencil->far > 0)
            words = "cells farther away are read";
        cause_add(prober, cause, 1, "%s%s do not read %s%s%s.", open, rows, missing,
                  *words ? "; " : "", words);
    }
    return CA_OK;
}

/* The model has other neighbours in odd rows than in even ones. */
static enum ca_status judge_rows(struct prober *prober, const struct cause_place *place,
                                 const struct stencil *stencil, bool *same)
{
    struct reading r[2];
    bool other[2];

    for (int row = 0; row < 2; row++)
        take_reading(&r[row], stencil, row);
    for (int row = 0; row < 2; row++)
        other[row] = same_set(stencil, r[row].read, r[!row].wanted);
    *same = r[0].missed + r[0].added + r[1].missed + r[1].added == 0;
    if (*same)
        return CA_OK;
    if (other[0] && other[1])
        cause_add(prober, CA_CAUSE_PARITY, 1,
                  "The parity of rows is exchanged: even rows read the neighbours that odd rows "
                  "have, and odd rows those of even rows.");
    else if (other[0] || other[1])
        cause_add(prober, CA_CAUSE_PARITY, 1,
                  "The parity of rows is ignored: %s rows read the neighbours that %s rows have.",
                  other[0] ? "even" : "odd", other[0] ? "odd" : "even");
    else if (same_set(stencil, r[0].missing, r[1].missing) &&
             same_set(stencil, r[0].extra, r[1].extra))
        return neighbour_finding(prober, place, stencil, &r[0], "", false);
    else
        for (int row = 0; row < 2; row++)
            if (r[row].missed + r[row].added)
                CA_TRY(neighbour_finding(prober, place, stencil, &r[row], in_rows[row],
                                         r[!row].missed + r[!row].added == 0));
    return CA_OK;
}

enum ca_status cause_neighbours(struct prober *prober, const struct cause_place *places, int count,
                                int which, struct stencil *stencil, bool *same)
{
    int rounds = (prober->runs_max - prober->findings->runs) / 2 / (count - which);
    struct cause_place place = places[which];
    bool rows = is_parity(&place);

    *same = false;
    rounds = rounds > ROUNDS_MAX ? ROUNDS_MAX : rounds;
    if (set_targets(prober, places, count, which) > 0)
        CA_TRY(stencil_probe(prober, stencil, rounds,
                             place_is_all(&place) ? ENOUGH_EVERYWHERE : ENOUGH_ELSEWHERE_RIGHT));
    else
        memset(stencil, 0, sizeof *stencil);
    if (has_parity(stencil)) {
        if (rows)
            place = (struct cause_place){.cells = place.cells};
        return judge_rows(prober, &place, stencil, same);
    }
    *same = stencil->pairs > 0;
    for (int i = 0; !rows && i < stencil->pairs; i++) {
        stencil->tries[0][i] += stencil->tries[1][i];
        stencil->wanted[0][i] += stencil->wanted[1][i];
        stencil->read[0][i] += stencil->read[1][i];
        stencil->tries[1][i] = stencil->tries[0][i];
        stencil->wanted[1][i] = stencil->wanted[0][i];
        stencil->read[1][i] = stencil->read[0][i];
    }
    for (int row = 0; row < (rows ? 2 : 1); row++) {
        struct reading reading;

        take_reading(&reading, stencil, row);
        if (reading.missed + reading.added == 0)
            continue;
        *same = false;
        CA_TRY(
            neighbour_finding(prober, &place, stencil, &reading, rows ? in_rows[row] : "", rows));
    }
    return CA_OK;
}
