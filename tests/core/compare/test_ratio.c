/* SPDX-License-Identifier: MIT */
/* The ratio of two kernels from made durations: noise, drift, a pair that is the same, long calls;
 * the interval's ranks; numbers as people read them. */
#include <math.h>
#include <string.h>

#include "core/base/quantity.h"
#include "core/base/random.h"
#include "core/base/statistics.h"
#include "core/compare/ratio.h"
#include "tests/support/support.h"

#define CELLS 262144

/* Two machines that never were: seconds of a call, and what disturbs them. */
struct made {
    double call_s[2], first_s; /* of a call; what the very first one of a side takes longer */
    double noise;              /* the most that a burst is longer, relative */
    double drift;              /* how much the machine slows down in a second, relative */
    double load;               /* how much longer bursts are while others compute, relative */
    double busy_s, idle_s;     /* for how long others do, and do not */
    bool permanent;
    bool untold; /* the system does not tell what others do */
};

static struct ca_ratio ratio;
static int order[2 * CA_RATIO_PAIRS_MADE], bursts, warm_ups;
static int round_of; /* of many measurements, each with draws of its own */
static double longest_s;

/* Whether others compute at a moment. */
static bool is_loaded(const struct made *made, double now)
{
    return made->permanent ||
           (made->busy_s > 0 && fmod(now, made->busy_s + made->idle_s) < made->busy_s);
}

static double burst(const struct made *made, const struct ca_ratio_request *next, double now,
                    bool first)
{
    double u = ca_uniform(test_seed() + (uint64_t)round_of, (uint64_t)bursts + (uint64_t)warm_ups,
                          0, 0, 0, 0) /
               4294967296.0;
    double seconds = made->call_s[next->side] * (double)next->calls * (1 + made->noise * u);

    if (is_loaded(made, now))
        seconds *= 1 + made->load * u;

    return seconds * (1 + made->drift * now) + (first ? made->first_s : 0);
}

/* What the meter says of a burst: a thread waits while others compute. */
static const struct ca_interference *others_of(const struct made *made, double begin, double end)
{
    static struct ca_interference sample;
    bool loaded = is_loaded(made, begin) || is_loaded(made, end);

    sample = (struct ca_interference){.seconds = end - begin,
                                      .cores = 2,
                                      .threads = 1,
                                      .waited = {true, loaded ? 0.5 : 0},
                                      .others = {true, loaded ? 1.6 : 0},
                                      .speed = 1e9};
    return &sample;
}

static struct ca_ratio_result measure(const struct made *made)
{
    int64_t cells[2] = {CELLS, CELLS};
    struct ca_ratio_request next;
    bool seen[2] = {false, false};
    double now = 0;

    bursts = warm_ups = 0;
    longest_s = 0;
    ca_ratio_begin(&ratio, cells, 8);
    while (ca_ratio_next(&ratio, &next)) {
        double seconds = burst(made, &next, now, !seen[next.side]);

        ck_assert_uint_eq(next.generations, 8);
        seen[next.side] = true;
        now += seconds;
        if (next.warm_up) {
            warm_ups++;
        } else {
            ck_assert_int_lt(bursts, (int)COUNT(order));
            order[bursts++] = next.side;
            longest_s = fmax(longest_s, seconds);
        }
        ca_ratio_take(&ratio, seconds, made->untold ? NULL : others_of(made, now - seconds, now));
    }
    ck_assert_double_eq_tol(ratio.seconds, now, 1e-9);
    return ca_ratio_result(&ratio);
}

START_TEST(test_turns)
{
    struct ca_ratio_result r = measure(&(struct made){{1e-5, 153e-5}, 0.01, 0.1, 0});
    char verdict[CA_RATIO_VERDICT];

    ck_assert_int_ge(bursts, 20);
    for (int i = 0; i < bursts; i++)
        ck_assert_int_eq(order[i], "0110"[i % 4] - '0');
    ck_assert_int_eq(r.pairs, bursts / 2);
    ck_assert_double_eq_tol(r.median, 153, 8);
    ck_assert(r.low <= r.median && r.median <= r.high && !r.same);
    ck_assert_str_eq(ca_ratio_verdict(verdict, &r), "clear of noise");
    ck_assert_double_ge(longest_s, CA_RATIO_BURST_S * 0.8);
    ck_assert_double_le(longest_s, CA_RATIO_BURST_S * 1.5);
    ck_assert_double_eq_tol(r.rate[0] * 1e-5 / (8.0 * CELLS), 0.95, 0.06);
    ck_assert_double_eq_tol(r.rate[0] / r.rate[1], r.median, 8);
    for (int i = 0; i < 2; i++)
        ck_assert_double_eq_tol(r.burst_s[i], CA_RATIO_BURST_S * 1.05, CA_RATIO_BURST_S * 0.2);
}
END_TEST

/* A burst that was too short grows by no more than 16 times, since its calls may get faster. */
START_TEST(test_growth)
{
    static const uint64_t calls[] = {1, 16, 256, 2500};
    int64_t cells[2] = {CELLS, CELLS};
    struct ca_ratio_request next;

    ca_ratio_begin(&ratio, cells, 1);
    for (size_t i = 0; i < COUNT(calls); i++) {
        ck_assert(ca_ratio_next(&ratio, &next));
        ck_assert_int_eq(next.side, 0);
        ck_assert_uint_eq(next.calls, calls[i]);
        ca_ratio_take(&ratio, (double)next.calls * CA_RATIO_BURST_S / 2500, NULL);
    }
}
END_TEST

/* No burst has more calls than an engine takes, though they fill less of its time. */
START_TEST(test_short_calls)
{
    int64_t cells[2] = {CELLS, CELLS};
    struct ca_ratio_request next;
    uint64_t most = 0;

    ca_ratio_begin(&ratio, cells, 1);
    for (int i = 0; ca_ratio_next(&ratio, &next); i++) {
        ck_assert_int_lt(i, 100);
        most = next.calls > most ? next.calls : most;
        ca_ratio_take(&ratio, (double)next.calls * (next.side ? 2e-7 : 1e-7), NULL);
    }
    ck_assert_uint_eq(most, CA_RATIO_CALLS);
    ck_assert_double_eq_tol(ca_ratio_result(&ratio).median, 2, 1e-9);
}
END_TEST

/* It ends when the interval is narrow, at 40 pairs, or at 4 s; always after an even number. */
START_TEST(test_ends)
{
    struct ca_ratio_result r = measure(&(struct made){{1e-5, 2e-5}, 0, 0.001, 0});

    ck_assert_int_eq(r.pairs, 10);
    r = measure(&(struct made){{1e-5, 2e-5}, 0, 1.0, 0});
    ck_assert(r.pairs == 40 || r.high - r.low <= 0.07 * r.median);
    ck_assert_int_gt(r.pairs, 10);
    r = measure(&(struct made){{0.13, 0.13}, 0, 0.9, 0});
    ck_assert_int_lt(r.pairs, 40);
    ck_assert_int_ge(r.pairs, 10);
    ck_assert_int_eq(r.pairs % 2, 0);
}
END_TEST

/* Warm-ups that others make five times as long do not make bursts short: where the system tells
 * that threads waited none is, else none after the first of a side. */
START_TEST(test_disturbed_warm_up)
{
    int64_t cells[2] = {CELLS, CELLS};
    struct ca_interference loaded = {.waited = {true, 0.8}, .cores = 2, .threads = 1, .speed = 1e9};
    struct ca_interference quiet = {.waited = {true, 0}, .cores = 2, .threads = 1, .speed = 1e9};
    struct ca_ratio_request next;
    int counted = 0;

    ca_ratio_begin(&ratio, cells, 8);
    while (counted < 8) {
        double seconds;

        ck_assert(ca_ratio_next(&ratio, &next));
        seconds = 1e-4 * (double)next.calls;
        if (next.warm_up)
            seconds *= 5;
        else if (++counted > (_i ? 2 : 0))
            ck_assert_double_eq_tol(seconds, CA_RATIO_BURST_S, CA_RATIO_BURST_S / 10);
        ca_ratio_take(&ratio, seconds, _i ? NULL : next.warm_up ? &loaded : &quiet);
    }
}
END_TEST

/* The interval is made of the 6th and the 15th of 20, widened by what memory's place makes. */
START_TEST(test_interval)
{
    static const int paired[] = {13, 2,  9, 20, 5, 1,  17, 6, 15, 10,
                                 3,  19, 8, 12, 4, 14, 16, 7, 11, 18};
    int64_t cells[2] = {100,
                        200}; /* B has twice the cells, so that A is half as fast as it looks */
    struct ca_ratio_result r;

    ca_ratio_begin(&ratio, cells, 1);
    ratio.side[0].calls = ratio.side[1].calls = CA_RATIO_CALLS; /* these do not change */
    ratio.side[0].warm = ratio.side[1].warm = true;
    for (int i = 0; i < 40; i++) {
        struct ca_ratio_request next;
        int times = paired[i / 2];

        ck_assert(ca_ratio_next(&ratio, &next));
        ca_ratio_take(&ratio, next.side == 0 ? 0.001 : 0.002 * times, NULL);
    }
    r = ca_ratio_result(&ratio);
    ck_assert_int_eq(r.pairs, 20);
    ck_assert_double_eq_tol(r.low, 6 / 1.015, 1e-9);
    ck_assert_double_eq_tol(r.high, 15 * 1.015, 1e-9);
    ck_assert_double_eq_tol(r.median, sqrt(10 * 11), 1e-9);
}
END_TEST

/* A machine that slows down by a half within the measurement: the turns cancel it. */
START_TEST(test_drift)
{
    struct ca_ratio_result r = measure(&(struct made){{1e-5, 1e-5}, 0, 0, 5});
    char verdict[CA_RATIO_VERDICT];

    ck_assert_int_eq(r.pairs % 2, 0);
    ck_assert_double_eq_tol(r.median, 1, 0.01);
    ck_assert(r.same);
    ck_assert_str_eq(ca_ratio_verdict(verdict, &r), "same");
}
END_TEST

START_TEST(test_same)
{
    struct ca_ratio_result r = measure(&(struct made){{3e-6, 3e-6}, 0.1, 0.3, 0});
    char text[200];

    ck_assert(r.same);
    ck_assert_double_eq_tol(r.median, 1, 0.15);
    ca_ratio_sentence(text, sizeof text, &r, "one", "other");
    ck_assert_contains(text, "one and other are the same (");
}
END_TEST

START_TEST(test_long_calls)
{
    struct ca_ratio_result r = measure(&(struct made){{1.5, 0.003}, 0, 0.01, 0});

    ck_assert_int_eq(r.pairs, 6);
    ck_assert_int_eq(bursts, 12);
    ck_assert_double_eq_tol(r.median, 0.002, 0.0001);
    ck_assert(!r.same);
    r = measure(&(struct made){{0.003, 1.5}, 0, 0.01, 0});
    ck_assert_int_eq(r.pairs, 6);
    /* The very first call alone is long: that is what opening took. */
    r = measure(&(struct made){{1e-4, 2e-4}, 5, 1.0, 0});
    ck_assert_int_gt(r.pairs, 6);
}
END_TEST

/* --- on a busy machine ------------------------------------------------------------------------ */

#define ROUNDS 200

/* How many of ROUNDS measurements say that the sides differ. */
static int clear_of(const struct made *made)
{
    int clear = 0;

    for (round_of = 0; round_of < ROUNDS; round_of++) {
        struct ca_ratio_result r = measure(made);

        clear += !r.unsure && !r.same;
        ck_assert_double_le(ratio.seconds, 10);
    }
    round_of = 0;
    return clear;
}

/* A kernel against itself, idle and beside a load that comes and goes: at most 5 % say that one is
 * faster. A load that is not seen, as it is untold, makes no more of them. */
START_TEST(test_itself)
{
    ck_assert_int_le(clear_of(&(struct made){{1e-5, 1e-5}, 0, 0.02, 0.01}), ROUNDS / 20);
    ck_assert_int_le(clear_of(&(struct made){{1e-5, 1e-5}, 0, 0.02, 0.01, 3, 0.7, 0.9}),
                     ROUNDS / 20);
    ck_assert_int_le(
        clear_of(&(struct made){
            {1e-5, 1e-5}, 0, 0.02, 0.01, .load = 3, .busy_s = 0.7, .idle_s = 0.9, .untold = true}),
        ROUNDS / 20);
}
END_TEST

/* 5 % are found on an idle machine; a factor of 2 also beside a load that comes and goes. */
START_TEST(test_planted)
{
    ck_assert_int_ge(clear_of(&(struct made){{1e-5, 1.05e-5}, 0, 0.02, 0.01}), ROUNDS * 19 / 20);
    ck_assert_int_ge(clear_of(&(struct made){{1e-5, 2e-5}, 0, 0.02, 0.01, 3, 0.7, 0.9}),
                     ROUNDS * 19 / 20);
}
END_TEST

/* Without quiet bursts nothing is said of the two, but of what disturbs them. */
START_TEST(test_never_quiet)
{
    struct ca_ratio_result r =
        measure(&(struct made){{1e-5, 2e-5}, 0, 0.02, 0.01, .load = 3, .permanent = true});
    char text[200];

    ck_assert(r.unsure);
    ck_assert_int_eq(r.pairs, 0);
    ck_assert_int_gt(r.made, 10);
    ck_assert_double_gt(r.rate[0], r.rate[1]);
    ck_assert_str_eq(ca_ratio_verdict(text, &r), "unsure: others used 1.6 of 2 cores");
    ca_ratio_sentence(text, sizeof text, &r, "A", "B");
    ck_assert_contains(text, "A and B: unsure, others used 1.6 of 2 cores (0 of ");
}
END_TEST

/* Disturbed pairs are left out, whichever of their bursts it was, also if that shows later: the
 * fixed loop was slow before anybody knew how fast it can be. */
START_TEST(test_left_out)
{
    int64_t cells[2] = {CELLS, CELLS};
    struct ca_interference quiet = {.waited = {true, 0}, .cores = 2, .threads = 1, .speed = 1e9};
    struct ca_interference slow = quiet, waits = quiet;
    struct ca_ratio_result r;

    slow.speed = 0.7e9;
    waits.waited.value = 0.02;
    ca_ratio_begin(&ratio, cells, 1);
    ratio.side[0].calls = ratio.side[1].calls = CA_RATIO_CALLS; /* these do not change */
    ratio.side[0].warm = ratio.side[1].warm = true;
    for (int i = 0; i < 24; i++) {
        bool first = i < 4, second = i == 9;
        struct ca_ratio_request next;

        ck_assert(ca_ratio_next(&ratio, &next));
        ca_ratio_take(&ratio,
                      first || second ? 0.1
                      : next.side     ? 0.02
                                      : 0.01,
                      first    ? &slow
                      : second ? &waits
                               : &quiet);
    }
    r = ca_ratio_result(&ratio);
    ck_assert_int_eq(r.made, 12);
    ck_assert_int_eq(r.pairs, 9);
    ck_assert_double_eq_tol(r.median, 2, 1e-9);
    ck_assert_double_eq_tol(r.low, 2 / 1.015, 1e-9);
    ck_assert(!r.unsure && !r.same);
}
END_TEST

START_TEST(test_sentences)
{
    struct ca_ratio_result r = {.pairs = 20,
                                .made = 22,
                                .median = 153.4,
                                .low = 148.2,
                                .high = 159.1,
                                .burst_s = {0.0249, 0.0253}};
    char text[200], verdict[CA_RATIO_VERDICT];

    ck_assert_str_eq(ca_ratio_sentence(text, sizeof text, &r, "avx512", "threads"),
                     "avx512 is 153 x threads (148 ... 159, 20 pairs of bursts of 25.1 ms)");
    r = (struct ca_ratio_result){
        .pairs = 5, .made = 5, .median = 0.5, .low = 0.4, .high = 0.625, .burst_s = {1.5, 0.3}};
    ck_assert_str_eq(ca_ratio_sentence(text, sizeof text, &r, "A", "B"),
                     "B is 2.00 x A (1.60 ... 2.50, 5 pairs of bursts of 300 ms and 1.50 s)");
    r = (struct ca_ratio_result){
        .pairs = 6, .made = 6, .median = 2, .low = 1.9, .high = 2.1, .burst_s = {0.025, 0.032}};
    ck_assert_str_eq(ca_ratio_sentence(text, sizeof text, &r, "A", "B"),
                     "A is 2.00 x B (1.90 ... 2.10, 6 pairs of bursts of 25.0 ms and 32.0 ms)");
    r.disturbance.unknown = 1;
    ck_assert_str_eq(ca_ratio_verdict(verdict, &r), "clear of noise; others unknown");
    r.unsure = true;
    r.pairs = 3;
    ck_assert_str_eq(ca_ratio_verdict(verdict, &r), "unsure: 3 pairs are too few");
    r.made = 0;
    ck_assert_str_eq(ca_ratio_sentence(text, sizeof text, &r, "A", "B"), "not measured");
    ck_assert_str_eq(ca_ratio_verdict(verdict, &r), "");
}
END_TEST

/* By the definition, in whole numbers: C(n, 0) + ... + C(n, r - 1) <= 2^n / 40. */
static int rank_of(int n)
{
    uint64_t term = 1, sum = 1;
    int r = 0;

    while (sum * 40 <= UINT64_C(1) << n) {
        r++;
        term = term * (uint64_t)(n - r + 1) / (uint64_t)r;
        sum += term;
    }
    return r < 1 ? 1 : r;
}

START_TEST(test_ranks)
{
    ck_assert_int_eq(ca_median_rank(20), 6);
    ck_assert_int_eq(ca_median_rank(5), 1);
    ck_assert_int_eq(ca_median_rank(1), 1);
    for (int n = 1; n <= 50; n++)
        ck_assert_msg(ca_median_rank(n) == rank_of(n), "%d: %d, not %d", n, ca_median_rank(n),
                      rank_of(n));
}
END_TEST

START_TEST(test_quantities)
{
    static const struct {
        double value;
        const char *rate, *duration;
    } rows[] = {
        {150e9, "150 Gups", "150000000000 s"},
        {0.98e9, "980 Mups", "980000000 s"},
        {999.6e6, "1.00 Gups", NULL},
        {999.4e6, "999 Mups", NULL},
        {1, "1.00 ups", "1.00 s"},
        {1234, "1.23 kups", "1234 s"},
        {2.5e15, "2500 Tups", NULL},
        {0.25, "0.250 ups", "250 ms"},
        {1.75e-6, NULL, "1.75 us"},
        {0.9996e-3, NULL, "1.00 ms"},
        {5e-9, NULL, "5.00 ns"},
        {2e-11, NULL, "0.0200 ns"},
        {0, "-", "0 s"},
        {-1, "-", "-"},
        {NAN, "-", "-"},
        {INFINITY, "-", "-"},
    };
    char text[CA_QUANTITY_TEXT];

    for (size_t i = 0; i < COUNT(rows); i++) {
        if (rows[i].rate)
            ck_assert_str_eq(ca_rate(text, rows[i].value), rows[i].rate);
        if (rows[i].duration)
            ck_assert_str_eq(ca_duration(text, rows[i].value), rows[i].duration);
    }
    ck_assert_str_eq(ca_thousands(text, 3117), "3,117");
    ck_assert_str_eq(ca_thousands(text, 999), "999");
    ck_assert_str_eq(ca_thousands(text, UINT64_MAX), "18,446,744,073,709,551,615");
    ck_assert_str_eq(ca_three_digits(text, 0.0065), "0.00650");
    ck_assert_str_eq(ca_three_digits(text, -2), "-2.00");
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {test_turns, test_short_calls, test_growth, test_ends, test_interval,
                              test_drift, test_same, test_long_calls, test_itself, test_planted,
                              test_never_quiet, test_left_out, test_sentences, test_ranks,
                              test_quantities},
                     .table = {{test_disturbed_warm_up, 2}});
}
