/* SPDX-License-Identifier: MIT */
/*
 * Finds where a set of cells lies: planes, lines and corners, at edges of the lattice, of tiles of
 * any size, behind the last whole tile, or in rows of one parity.
 *
 * For each choice of axes the cells are projected on them. Coordinates onto which many fall, while
 * few fall onto the others, are a shape if they can be described: a coordinate, one modulo a
 * period, or all from one on. What the choices of few axes explain is left out for those of more.
 */
#include "core/lab/cause/cause.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DESCRIBED_MAX 8
#define CELLS_MIN 6  /* of a place: fewer may lie there by chance */
#define FILL_MIN 0.5 /* of a place's cells are in the set, or they spread along it */
#define SPREAD_MIN 0.7
#define TAIL_MIN 3    /* coordinates; the last two are as well an edge of the lattice */
#define TAIL_MAX 0.7  /* of the side: what is wrong in more is wrong everywhere */
#define REST_MAX 0.02 /* of the cells in no place may be wrong: else all may be */

struct described {
    enum cause_along kind;
    int64_t k, p;
};

/* --- places ----------------------------------------------------------------------------------- */

bool place_holds(const struct cause_place *place, const int64_t at[3])
{
    bool holds = true;

    for (int a = 0; a < 3 && holds; a++) {
        int64_t k = place->along[a].k;

        switch (place->along[a].kind) {
        case ALONG_AT:
            holds = at[a] == k;
            break;
        case ALONG_RESIDUE:
            holds = at[a] % place->along[a].p == k;
            break;
        case ALONG_FROM:
            holds = at[a] >= k;
            break;
        case ALONG_BELOW:
            holds = at[a] < k;
            break;
        default:
            break;
        }
    }
    return holds;
}

bool place_has(const struct cause_place *place, enum cause_along kind)
{
    return place->along[0].kind == kind || place->along[1].kind == kind ||
           place->along[2].kind == kind;
}

bool place_is_tail(const struct cause_place *place, struct ca_size size)
{
    const int64_t side[3] = {size.w, size.h, size.d};

    for (int a = 0; a < 3; a++) {
        int64_t k = place->along[a].k;

        if (place->along[a].kind == ALONG_FROM && side[a] - k < (k & -k))
            return true;
    }
    return false;
}

bool place_is_all(const struct cause_place *place)
{
    for (int a = 0; a < 3; a++)
        if (place->along[a].kind != ALONG_ANY)
            return false;
    return true;
}

char *place_text(char text[CAUSE_NAME_MAX], const struct cause_place *place)
{
    size_t used = 0;

    snprintf(text, CAUSE_NAME_MAX, "all cells");
    for (int a = 0; a < 3; a++) {
        long long k = place->along[a].k, p = place->along[a].p;
        const char *and = used ? " and " : "";
        char *at = text + used;
        size_t left = CAUSE_NAME_MAX - used;

        switch (place->along[a].kind) {
        case ALONG_AT:
            used += (size_t)snprintf(at, left, "%s%c = %lld", and, "xyz"[a], k);
            break;
        case ALONG_RESIDUE:
            used += (size_t)snprintf(at, left, "%s%c %% %lld = %lld", and, "xyz"[a], p, k);
            break;
        case ALONG_FROM:
            used += (size_t)snprintf(at, left, "%s%c >= %lld", and, "xyz"[a], k);
            break;
        case ALONG_BELOW:
            used += (size_t)snprintf(at, left, "%s%c < %lld", and, "xyz"[a], k);
            break;
        default:
            break;
        }
        if (used >= CAUSE_NAME_MAX)
            break;
    }
    return text;
}

/* --- sets of coordinates ---------------------------------------------------------------------- */

static bool is_end(int64_t n, int64_t i) { return i < 2 || i >= n - 2; }

/* Members of residue r modulo p; -1 where one of them is not in the set, or all are at the ends of
 * the lattice. There they may be missing, since a kernel may treat them apart. */
static int64_t members_of(const uint8_t *in, int64_t n, int64_t p, int64_t r)
{
    int64_t members = 0, inside = 0;

    for (int64_t i = r; i < n; i += p) {
        if (!in[i] && !is_end(n, i))
            return -1;
        members += in[i];
        inside += in[i] && !is_end(n, i);
    }
    return inside ? members : -1;
}

/* The residues modulo p that are in the set whole, marked in *left as explained. */
static int residues(const uint8_t *in, int64_t n, int64_t p, struct described *found, uint8_t *left)
{
    int64_t few = (p & (p - 1)) == 0 ? 2 : 3;
    int count = 0;

    memcpy(left, in, (size_t)n);
    for (int64_t r = 0; r < p; r++) {
        if (members_of(in, n, p, r) < few)
            continue;
        if (count == DESCRIBED_MAX || count + 1 >= p)
            return 0;
        found[count++] = (struct described){ALONG_RESIDUE, r, p};
        for (int64_t i = r; i < n; i += p)
            left[i] = 0;
    }
    return count;
}

/* Single coordinates, which have to be beside an edge unless they are very few. */
static int singles(const uint8_t *left, int64_t n, bool any, struct described *found, int count)
{
    int64_t set = 0;

    for (int64_t i = 0; i < n; i++)
        set += left[i];
    for (int64_t i = 0; i < n; i++) {
        if (!left[i])
            continue;
        if (count == DESCRIBED_MAX || (!is_end(n, i) && (!any || set > 2)))
            return 0;
        found[count++] = (struct described){ALONG_AT, i, 0};
    }
    return count;
}

/* The shortest description of a set of coordinates; 0: it has none, or all are in it; -1: no
 * memory. */
static int describe_coordinates(const uint8_t *in, int64_t n, bool any,
                                struct described found[DESCRIBED_MAX])
{
    struct described tried[DESCRIBED_MAX], end[1];
    uint8_t *rest = malloc((size_t)n), *left = malloc((size_t)n);
    int64_t tail = 0, head = 0;
    int best = 0, ends = 0;

    if (!rest || !left) {
        free(rest);
        free(left);
        return -1;
    }
    memcpy(rest, in, (size_t)n);
    while (tail < n && in[n - 1 - tail])
        tail++;
    while (head < n && in[head])
        head++;
    if (tail >= TAIL_MIN && tail < TAIL_MAX * n) {
        end[ends++] = (struct described){ALONG_FROM, n - tail, 0};
        memset(rest + n - tail, 0, (size_t)tail);
    } else if (head >= TAIL_MIN && head < TAIL_MAX * n) {
        end[ends++] = (struct described){ALONG_BELOW, head, 0};
        memset(rest, 0, (size_t)head);
    }
    if (tail < n) {
        /* Period n: none. */
        for (int64_t p = 2; p <= n; p++) {
            int count = p < n ? residues(rest, n, p, tried, left) : 0;

            if (p < n && count == 0)
                continue;
            if (p == n)
                memcpy(left, rest, (size_t)n);
            count = singles(left, n, any && count == 0, tried, count);
            if (count > 0 && count + ends <= DESCRIBED_MAX && (best == 0 || count < best)) {
                best = count;
                memcpy(found, tried, sizeof tried);
            }
        }
        if (ends && best + ends <= DESCRIBED_MAX &&
            (best > 0 || memchr(rest, 1, (size_t)n) == NULL))
            found[best++] = end[0];
    }
    free(rest);
    free(left);
    return best;
}

/* --- projections ------------------------------------------------------------------------------ */

struct projector {
    struct ca_size size;
    const uint8_t *set;
    uint8_t *covered; /* by the places found so far */
    struct cause_place *places;
    int count;
    bool failed; /* for lack of memory */
};

static int64_t side_of(struct ca_size size, int axis)
{
    return axis == 0 ? size.w : axis == 1 ? size.h : size.d;
}

/* The least part of the coordinates, along the axes that do not define the place, over which it has
 * cells of the set: 1 for a whole line, little for a few points on it. */
static double spread_of(struct projector *p, const struct cause_place *place)
{
    double least = 1;

    for (int a = 0; a < 3; a++) {
        int64_t n = side_of(p->size, a), seen = 0, at[3];
        uint8_t *in;

        if (place->along[a].kind != ALONG_ANY || n == 1)
            continue;
        in = calloc((size_t)n, 1);
        p->failed |= !in;
        for (int64_t i = 0; in && i < ca_cells(p->size); i++) {
            cell_at(p->size, i, at);
            if (p->set[i] && !p->covered[i] && place_holds(place, at) && !in[at[a]])
                in[at[a]] = 1, seen++;
        }
        free(in);
        least = (double)seen / (double)n < least ? (double)seen / (double)n : least;
    }
    return least;
}

/* Adds a place if enough cells of it that no place holds yet are in the set. */
static void projector_add(struct projector *p, struct cause_place place)
{
    int64_t cells = ca_cells(p->size), open = 0, at[3], least;
    bool corner = true;

    place.cells = 0;
    for (int a = 0; a < 3; a++)
        corner &= place.along[a].kind == ALONG_AT || side_of(p->size, a) == 1;
    least = corner ? 1 : CELLS_MIN;
    for (int64_t i = 0; i < cells; i++) {
        cell_at(p->size, i, at);
        if (p->covered[i] || !place_holds(&place, at))
            continue;
        open++;
        place.cells += p->set[i];
    }
    if (p->count == CAUSE_PLACES_MAX || place.cells < least ||
        ((double)place.cells < FILL_MIN * (double)open && spread_of(p, &place) < SPREAD_MIN))
        return;
    for (int64_t i = 0; i < cells; i++) {
        cell_at(p->size, i, at);
        if (place_holds(&place, at))
            p->covered[i] = 1;
    }
    p->places[p->count++] = place;
}

/* Adds each combination of what was described along the axes. */
static void add_combinations(struct projector *p, unsigned axes, struct described found[3][8],
                             const int counts[3])
{
    for (int i = 0; i < (axes & 1 ? counts[0] : 1); i++)
        for (int j = 0; j < (axes & 2 ? counts[1] : 1); j++)
            for (int k = 0; k < (axes & 4 ? counts[2] : 1); k++) {
                const int which[3] = {i, j, k};
                struct cause_place place = {0};

                for (int a = 0; a < 3; a++)
                    if (axes >> a & 1) {
                        place.along[a].kind = found[a][which[a]].kind;
                        place.along[a].k = found[a][which[a]].k;
                        place.along[a].p = found[a][which[a]].p;
                    }
                projector_add(p, place);
            }
}

/* The part of the open cells over each projection that are in the set; -1 where none is open. */
static void fill_of(const struct projector *p, unsigned axes, double *fill, double *open,
                    int64_t tuples)
{
    int64_t at[3];

    memset(fill, 0, (size_t)tuples * sizeof *fill);
    memset(open, 0, (size_t)tuples * sizeof *open);
    for (int64_t i = 0; i < ca_cells(p->size); i++) {
        int64_t tuple = 0;

        if (p->covered[i])
            continue;
        cell_at(p->size, i, at);
        for (int a = 2; a >= 0; a--)
            if (axes >> a & 1)
                tuple = tuple * side_of(p->size, a) + at[a];
        open[tuple]++;
        fill[tuple] += p->set[i];
    }
    for (int64_t i = 0; i < tuples; i++)
        fill[i] = open[i] > 0 ? fill[i] / open[i] : -1;
}

/* Describes the coordinates along each axis of the projections fuller than `least`. */
static bool describe_along(struct projector *p, unsigned axes, const double *fill, int64_t tuples,
                           double least, struct described found[3][DESCRIBED_MAX], int counts[3])
{
    for (int a = 0; a < 3; a++) {
        int64_t n = side_of(p->size, a), below = 1;
        uint8_t *in;

        counts[a] = 1;
        if (!(axes >> a & 1))
            continue;
        for (int b = 0; b < a; b++)
            below *= axes >> b & 1 ? side_of(p->size, b) : 1;
        in = calloc((size_t)n, 1);
        for (int64_t i = 0; in && i < tuples; i++)
            if (fill[i] >= least)
                in[i / below % n] = 1;
        counts[a] = in ? describe_coordinates(in, n, (axes & (axes - 1)) == 0, found[a]) : -1;
        free(in);
        p->failed |= counts[a] < 0;
        if (counts[a] <= 0)
            return false;
    }
    return true;
}

/* Finds the full projections: those near the fullest or, where they differ among themselves, those
 * that are not nearly empty. */
static void find_along(struct projector *p, unsigned axes, const double *fill, int64_t tuples)
{
    static const double parts[] = {0.75, 0.5, 0.3, 0.15};
    double most = 0;

    for (int64_t i = 0; i < tuples; i++)
        most = fill[i] > most ? fill[i] : most;
    for (size_t i = 0; most > 0 && i < sizeof parts / sizeof parts[0]; i++) {
        struct described found[3][DESCRIBED_MAX];
        int counts[3], before = p->count;

        if (describe_along(p, axes, fill, tuples, parts[i] * most, found, counts))
            add_combinations(p, axes, found, counts);
        if (p->count > before)
            return;
    }
}

static void find_on(struct projector *p, unsigned axes)
{
    double *fill, *open;
    int64_t tuples = 1;

    for (int a = 0; a < 3; a++)
        if (axes >> a & 1) {
            if (side_of(p->size, a) == 1)
                return;
            tuples *= side_of(p->size, a);
        }
    fill = calloc((size_t)tuples, sizeof *fill);
    open = calloc((size_t)tuples, sizeof *open);
    p->failed |= !fill || !open;
    if (fill && open) {
        fill_of(p, axes, fill, open, tuples);
        find_along(p, axes, fill, tuples);
    }
    free(fill);
    free(open);
}

int places_find(struct cause_place *places, const uint8_t *set, struct ca_size size)
{
    static const unsigned choices[] = {1, 2, 4, 3, 5, 6, 7}; /* axes, fewer first */
    int64_t cells = ca_cells(size), all = 0, rest = 0, wrong = 0;
    struct projector p = {size, set, calloc((size_t)cells, 1), places, 0, false};

    for (int64_t i = 0; i < cells; i++)
        all += set[i];
    for (size_t i = 0; all && p.covered && i < sizeof choices / sizeof choices[0]; i++)
        for (int before = -1; before < p.count;) {
            before = p.count;
            find_on(&p, choices[i]);
        }
    for (int64_t i = 0; p.covered && i < cells; i++) {
        rest += !p.covered[i];
        wrong += !p.covered[i] && set[i];
    }
    if (!p.covered || p.failed) {
        free(p.covered);
        return -1;
    }
    free(p.covered);
    if (all && (p.count == 0 || (double)wrong > REST_MAX * (double)rest)) {
        places[0] = (struct cause_place){.cells = all};
        p.count = 1;
    }
    return p.count;
}
