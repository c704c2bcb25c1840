/* SPDX-License-Identifier: MIT */
/* Says whose burst is due of two kernels that are compared in speed, and what their times tell. */
#include "core/compare/ratio.h"

#include <math.h>
#include <stdio.h>

#include "core/base/quantity.h"
#include "core/base/statistics.h"

#define GROWTH 16       /* of a burst that was too short, because first calls are slow */
#define PAIRS_MIN 10    /* after which a narrow interval ends it */
#define WARM_UP_LEAST 2 /* a first burst opens what is opened late: pages, kernels, clocks */

void ca_ratio_begin(struct ca_ratio *ratio, const int64_t cells[2], uint64_t generations)
{
    *ratio = (struct ca_ratio){.generations = generations};
    for (int i = 0; i < 2; i++) {
        ratio->side[i].cells = (double)cells[i];
        ratio->side[i].calls = 1;
    }
}

static bool pair_counts(const struct ca_ratio *ratio, int pair)
{
    for (int i = 0; i < 2; i++) {
        const struct ca_ratio_burst *burst = &ratio->side[i].burst[pair];

        if (burst->quiet == CA_DISTURBED || ca_interference_slow(burst->speed, ratio->best_speed))
            return false;
    }
    return true;
}

static int pairs_that_count(const struct ca_ratio *ratio)
{
    int count = 0;

    for (int pair = 0; pair < ratio->bursts / 2; pair++)
        count += pair_counts(ratio, pair);
    return count;
}

static bool is_over(const struct ca_ratio *ratio)
{
    int made = ratio->bursts / 2, count = pairs_that_count(ratio);
    struct ca_ratio_result result;

    if (ratio->bursts % 2)
        return false;
    if (ratio->side[0].call_s > CA_RATIO_CALL_S || ratio->side[1].call_s > CA_RATIO_CALL_S)
        return count >= CA_RATIO_PAIRS_LEAST || made >= 2 * CA_RATIO_PAIRS_LEAST;
    if (count >= CA_RATIO_PAIRS || made == CA_RATIO_PAIRS_MADE)
        return true;
    if (made % 2)
        return false;
    if (ratio->paired_s >= (count == 0 ? CA_RATIO_HOPELESS_S : CA_RATIO_LONGEST_S))
        return true;
    if (count < PAIRS_MIN)
        return false;
    result = ca_ratio_result(ratio);
    return ratio->paired_s >= CA_RATIO_TIME_S ||
           result.high - result.low <=
               2 * (CA_RATIO_ERROR + CA_RATIO_PLACEMENT - 1) * result.median;
}

/* A B, B A, A B, ... */
static int side_of(int burst) { return burst % 2 ^ burst / 2 % 2; }

bool ca_ratio_next(const struct ca_ratio *ratio, struct ca_ratio_request *next)
{
    int i = !ratio->side[0].warm ? 0 : !ratio->side[1].warm ? 1 : side_of(ratio->bursts);

    if (ratio->generations == 0) {
        *next = (struct ca_ratio_request){ratio->probes, 1, 1, true};
        return true;
    }
    *next = (struct ca_ratio_request){.side = i,
                                      .generations = ratio->generations,
                                      .calls = ratio->side[i].calls,
                                      .warm_up = !ratio->side[i].warm};
    return next->warm_up || !is_over(ratio);
}

/* Calls that fill a burst, by one that would have taken so many seconds on idle cores. */
static void fill_burst(struct ca_ratio_side *side, double idle_s, double growth)
{
    double calls = (double)side->calls * fmin(CA_RATIO_BURST_S / idle_s, growth);

    side->calls = calls > 1 ? (uint64_t)fmin(ceil(calls), CA_RATIO_CALLS) : 1;
}

/* A burst of half the length that is wanted, or longer, shows how many calls fill it. */
static void warm_up(struct ca_ratio_side *side, bool first, double idle_s)
{
    side->warm = side->call_s > CA_RATIO_CALL_S ||
                 (!first && (idle_s >= CA_RATIO_BURST_S / 2 || side->calls == CA_RATIO_CALLS));
    fill_burst(side, idle_s, side->warm ? INFINITY : GROWTH);
}

void ca_ratio_take(struct ca_ratio *ratio, double seconds, const struct ca_interference *others)
{
    const struct ca_interference unknown = {0};
    struct ca_ratio_request next;
    struct ca_ratio_side *side;
    double idle_s;
    bool first;

    if (ratio->generations == 0) {
        ratio->slower_s = fmax(ratio->slower_s, seconds);
        if (++ratio->probes < 2)
            return;
        ratio->generations = CA_RATIO_GENERATIONS; /* one of each side has been timed */
        while (ratio->generations > 1 &&
               (double)ratio->generations * ratio->slower_s > CA_RATIO_BURST_S)
            ratio->generations /= 2;
        return;
    }
    others = others ? others : &unknown;
    ca_ratio_next(ratio, &next);
    side = &ratio->side[next.side];
    first = side->call_s <= 0;
    seconds = fmax(seconds, 1e-9);
    idle_s = ca_interference_idle_s(others, seconds);
    ratio->seconds += seconds;
    ratio->best_speed = fmax(ratio->best_speed, others->speed);
    if (first || idle_s / (double)side->calls < side->call_s)
        side->call_s = idle_s / (double)side->calls;
    if (next.warm_up) {
        warm_up(side, first, idle_s);
        return;
    }
    ca_disturbance_add(&ratio->disturbance, others, ratio->best_speed);
    side->burst[ratio->bursts / 2] =
        (struct ca_ratio_burst){seconds, others->speed, others->others.value, side->calls,
                                ca_interference_judge(others, 0)};
    ratio->bursts++;
    ratio->paired_s += seconds;
    if (seconds < CA_RATIO_BURST_S / 2)
        fill_burst(side, seconds, INFINITY);
}

static double rate_of(const struct ca_ratio *ratio, int i, int pair)
{
    const struct ca_ratio_side *side = &ratio->side[i];

    return side->cells * (double)ratio->generations * (double)side->burst[pair].calls /
           side->burst[pair].seconds;
}

/* The medians are taken of logarithms, so that B against A is the inverse of A against B, and the
 * middle two of a drifting pair cancel. */
struct ca_ratio_result ca_ratio_result(const struct ca_ratio *ratio)
{
    struct ca_ratio_result result = {.made = ratio->bursts / 2, .disturbance = ratio->disturbance};
    double of[2][CA_RATIO_PAIRS_MADE], times[CA_RATIO_PAIRS_MADE], length[2][CA_RATIO_PAIRS_MADE];
    double others[CA_RATIO_PAIRS_MADE];
    int n = 0, rank;

    if (result.made == 0)
        return result;
    result.pairs = pairs_that_count(ratio);
    result.unsure = result.pairs < CA_RATIO_PAIRS_LEAST;
    for (int pair = 0; pair < result.made; pair++) {
        if (result.pairs > 0 && !pair_counts(ratio, pair))
            continue;
        for (int i = 0; i < 2; i++) {
            of[i][n] = log(rate_of(ratio, i, pair));
            length[i][n] = ratio->side[i].burst[pair].seconds;
        }
        times[n] = of[0][n] - of[1][n];
        others[n] = (ratio->side[0].burst[pair].others + ratio->side[1].burst[pair].others) / 2;
        n++;
    }
    rank = ca_median_rank(n);
    for (int i = 0; i < 2; i++) {
        ca_sort(of[i], n);
        result.rate[i] = exp(ca_median(of[i], n));
        ca_sort(length[i], n);
        result.burst_s[i] = ca_median(length[i], n);
    }
    ca_sort(others, n);
    result.others = ca_median(others, n);
    ca_sort(times, n);
    result.median = exp(ca_median(times, n));
    result.low = exp(times[rank - 1]) / CA_RATIO_PLACEMENT;
    result.high = exp(times[n - rank]) * CA_RATIO_PLACEMENT;
    result.same = result.low <= 1 && result.high >= 1;
    return result;
}

/* Why too few pairs count. */
static char *unsure_text(char text[CA_DISTURBANCE_TEXT], const struct ca_ratio_result *result)
{
    if (result->disturbance.disturbed > 0)
        return ca_disturbance_text(text, &result->disturbance);
    snprintf(text, CA_DISTURBANCE_TEXT, "%d pairs are too few", result->pairs);
    return text;
}

char *ca_ratio_verdict(char text[CA_RATIO_VERDICT], const struct ca_ratio_result *result)
{
    char why[CA_DISTURBANCE_TEXT];

    if (result->made == 0)
        text[0] = '\0';
    else if (result->unsure)
        snprintf(text, CA_RATIO_VERDICT, "unsure: %s", unsure_text(why, result));
    else
        snprintf(text, CA_RATIO_VERDICT, "%s%s", result->same ? "same" : "clear of noise",
                 result->disturbance.unknown > 0 ? "; others unknown" : "");
    return text;
}

/* "25.1 ms", or "25.1 ms and 100 ms" where they differ by more than a fifth. */
static void lengths_text(char text[2 * CA_QUANTITY_TEXT + 8], double first, double second)
{
    char one[CA_QUANTITY_TEXT], other[CA_QUANTITY_TEXT];

    if (fabs(first - second) <= 0.2 * fmin(first, second))
        ca_duration(text, (first + second) / 2);
    else
        sprintf(text, "%s and %s", ca_duration(one, first), ca_duration(other, second));
}

char *ca_ratio_sentence(char *text, size_t size, const struct ca_ratio_result *result,
                        const char *a, const char *b)
{
    char median[CA_QUANTITY_TEXT], low[CA_QUANTITY_TEXT], high[CA_QUANTITY_TEXT];
    char length[2 * CA_QUANTITY_TEXT + 8];
    char why[CA_DISTURBANCE_TEXT];
    bool turned = result->median < 1 && !result->same;

    if (result->made == 0) {
        snprintf(text, size, "not measured");
        return text;
    }
    if (result->unsure) {
        snprintf(text, size, "%s and %s: unsure, %s (%d of %d pairs of bursts count)", a, b,
                 unsure_text(why, result), result->pairs, result->made);
        return text;
    }
    ca_three_digits(median, turned ? 1 / result->median : result->median);
    ca_three_digits(low, turned ? 1 / result->high : result->low);
    ca_three_digits(high, turned ? 1 / result->low : result->high);
    lengths_text(length, result->burst_s[turned], result->burst_s[!turned]);
    if (result->same)
        snprintf(text, size, "%s and %s are the same (%s ... %s, %d pairs of bursts of %s)", a, b,
                 low, high, result->pairs, length);
    else
        snprintf(text, size, "%s is %s x %s (%s ... %s, %d pairs of bursts of %s)", turned ? b : a,
                 median, turned ? a : b, low, high, result->pairs, length);
    return text;
}
