/* SPDX-License-Identifier: MIT */
/* Says which cells a place holds, and puts places in words. */
#include "core/lab/cause/cause.h"

#include <stdio.h>

static bool along_holds(enum cause_along kind, int64_t k, int64_t p, int64_t at)
{
    switch (kind) {
    case ALONG_AT:
        return at == k;
    case ALONG_RESIDUE:
        return at % p == k;
    case ALONG_FROM:
        return at >= k;
    case ALONG_BELOW:
        return at < k;
    default:
        return true;
    }
}

bool place_holds(const struct cause_place *place, const int64_t at[3])
{
    for (int a = 0; a < 3; a++)
        if (!along_holds(place->along[a].kind, place->along[a].k, place->along[a].p, at[a]))
            return false;
    return true;
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
