/* SPDX-License-Identifier: MIT */
/* Owns the turns of two kernels that are compared in speed, and what follows from their times. */
#include "core/bench/ratio.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/quantity.h"
#include "core/base/statistics.h"

#define GROWTH 16       /* of a burst that was too short, because first calls are slow */
#define PAIRS_MIN 6     /* the fewest whose interval holds the median with 95 % */
#define WARM_UP_LEAST 2 /* a first burst opens what is opened late: pages, kernels, clocks */

void ca_ratio_begin(struct ca_ratio *ratio, const int64_t cells[2], uint64_t generations)
{
    *ratio = (struct ca_ratio){.generations = generations};
    for (int i = 0; i < 2; i++) {
        ratio->side[i].work = (double)cells[i] * (double)generations;
        ratio->side[i].calls = 1;
    }
}

static bool long_calls(const struct ca_ratio *ratio)
{
    return ratio->side[0].call_s > CA_RATIO_CALL_S || ratio->side[1].call_s > CA_RATIO_CALL_S;
}

static bool over(const struct ca_ratio *ratio)
{
    int pairs = ratio->turn / 2;
    struct ca_ratio_result result;

    if (ratio->turn % 2)
        return false;
    if (long_calls(ratio))
        return pairs >= CA_RATIO_PAIRS_LONG;
    if (pairs >= CA_RATIO_PAIRS)
        return true;
    if (pairs % 2 || pairs < PAIRS_MIN)
        return false;
    result = ca_ratio_result(ratio);
    return ratio->seconds >= CA_RATIO_TIME_S ||
           result.high - result.low <= 2 * CA_RATIO_ERROR * result.median;
}

/* A B, B A, A B, ... */
static int side_of(int turn) { return turn % 2 ^ turn / 2 % 2; }

bool ca_ratio_next(const struct ca_ratio *ratio, struct ca_ratio_turn *turn)
{
    int i = !ratio->side[0].warm ? 0 : !ratio->side[1].warm ? 1 : side_of(ratio->turn);

    *turn = (struct ca_ratio_turn){.side = i,
                                   .generations = ratio->generations,
                                   .calls = ratio->side[i].calls,
                                   .warm_up = !ratio->side[i].warm};
    return turn->warm_up || !over(ratio);
}

/* A burst of half the length that is wanted, or longer, tells how many calls fill it. */
static void warm_up(struct ca_ratio_side *side, bool first, double seconds)
{
    double calls = (double)side->calls * CA_RATIO_BURST_S / seconds;

    side->warm = side->call_s > CA_RATIO_CALL_S ||
                 (!first && (seconds >= CA_RATIO_BURST_S / 2 || side->calls == CA_RATIO_CALLS));
    if (!side->warm)
        calls = fmin(calls, (double)side->calls * GROWTH);
    side->calls = calls > 1 ? (uint64_t)fmin(ceil(calls), CA_RATIO_CALLS) : 1;
}

void ca_ratio_take(struct ca_ratio *ratio, double seconds)
{
    struct ca_ratio_turn turn;
    struct ca_ratio_side *side;
    bool first;

    ca_ratio_next(ratio, &turn);
    side = &ratio->side[turn.side];
    first = side->call_s <= 0;
    seconds = fmax(seconds, 1e-9);
    ratio->seconds += seconds;
    if (first || seconds / (double)side->calls < side->call_s)
        side->call_s = seconds / (double)side->calls;
    if (turn.warm_up) {
        warm_up(side, first, seconds);
        return;
    }
    side->burst_s[ratio->turn / 2] = seconds;
    side->burst_calls[ratio->turn / 2] = side->calls;
    ratio->turn++;
}

static double rate(const struct ca_ratio_side *side, int pair)
{
    return side->work * (double)side->burst_calls[pair] / side->burst_s[pair];
}

/* The medians are taken of logarithms, so that B against A is the inverse of A against B, and the
 * middle two of a drifting pair cancel. */
struct ca_ratio_result ca_ratio_result(const struct ca_ratio *ratio)
{
    struct ca_ratio_result result = {.pairs = ratio->turn / 2};
    double value[CA_RATIO_PAIRS];
    int n = result.pairs, rank = ca_median_rank(n);

    if (n == 0)
        return result;
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < n; k++)
            value[k] = log(rate(&ratio->side[i], k));
        ca_sort(value, n);
        result.rate[i] = exp(ca_median(value, n));
        memcpy(value, ratio->side[i].burst_s, sizeof value);
        ca_sort(value, n);
        result.burst_s[i] = ca_median(value, n);
    }
    for (int k = 0; k < n; k++)
        value[k] = log(rate(&ratio->side[0], k) / rate(&ratio->side[1], k));
    ca_sort(value, n);
    result.median = exp(ca_median(value, n));
    result.low = exp(value[rank - 1]);
    result.high = exp(value[n - rank]);
    result.same = result.low <= 1 && result.high >= 1;
    return result;
}

const char *ca_ratio_verdict(const struct ca_ratio_result *result)
{
    return result->pairs == 0 ? "" : result->same ? "same" : "clear of noise";
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
    bool turned = result->median < 1 && !result->same;

    if (result->pairs == 0) {
        snprintf(text, size, "not measured");
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
