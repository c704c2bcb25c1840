/* SPDX-License-Identifier: MIT */
/* Fits of series whose law is known, with and without noise. */
#include <math.h>

#include "core/base/statistics.h"
#include "tests/support/support.h"

#define N 200

static double x[N], y[N];

/* Between -1 and 1. */
static double noise(int i)
{
    uint64_t u = (test_seed() + (uint64_t)i) * UINT64_C(0x9E3779B97F4A7C15);

    u = (u ^ u >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    return (double)(u >> 11) / (double)(UINT64_C(1) << 52) - 1;
}

START_TEST(decay)
{
    double rate;

    for (int i = 0; i < N; i++) {
        x[i] = 3 * i;
        y[i] = 0.7 * exp(-0.004 * x[i]) * (1 + 0.02 * noise(i));
    }
    ck_assert(ca_fit_decay(x, y, N, 0.07, &rate));
    ck_assert_double_eq_tol(rate, 0.004, 0.00005);
    /* What comes after the first value below the bound does not count, whatever it is. */
    y[150] = 0.01;
    for (int i = 151; i < N; i++)
        y[i] = 5;
    ck_assert(ca_fit_decay(x, y, N, 0.07, &rate));
    ck_assert_double_eq_tol(rate, 0.004, 0.00005);
    y[2] = -0.1;
    ck_assert(!ca_fit_decay(x, y, N, 0, &rate));
    /* Values count by their squares, so that the noise of small ones hardly does. */
    for (int i = 0; i < 10; i++) {
        x[i] = i;
        y[i] = exp(-x[i]) * (i == 9 ? 10 : 1);
    }
    ck_assert(ca_fit_decay(x, y, 10, 0, &rate));
    ck_assert_double_eq_tol(rate, 1, 0.001);
}
END_TEST

/* Guesses may be 10 % off, above and below. */
START_TEST(oscillation)
{
    const double w = 0.03, g = 0.002, guess = w * (_i ? 0.92 : 1.08);

    for (int i = 0; i < N; i++) {
        x[i] = 3 * i;
        y[i] = exp(-g * x[i]) * cos(w * x[i] + 0.2) + 0.02 * noise(i);
    }
    ck_assert_double_eq_tol(ca_fit_oscillation(x, y, N, guess), hypot(w, g), 0.0002);
}
END_TEST

/* What is told is the frequency without damping. */
START_TEST(strong_damping)
{
    const double w = 0.03, g = 0.01;

    for (int i = 0; i < N; i++) {
        x[i] = 3 * i;
        y[i] = exp(-g * x[i]) * cos(w * x[i] + 0.2);
    }
    ck_assert_double_eq_tol(ca_fit_oscillation(x, y, N, w), hypot(w, g), 1e-5);
}
END_TEST

/* Between two bins too, and under noise of its own size. */
START_TEST(line)
{
    const double f = 0.0613, phase = 0.3;
    double strength;

    for (int i = 0; i < N; i++)
        y[i] = 5 + cos(2 * 3.14159265358979 * (f * i + phase)) + noise(i);
    ck_assert_double_eq_tol(ca_spectral_line(y, N, &strength), f, 0.0004);
    ck_assert_double_gt(strength, 50);
    for (int i = 0; i < N; i++)
        y[i] = noise(i);
    ca_spectral_line(y, N, &strength);
    ck_assert_double_lt(strength, 20);
}
END_TEST

START_TEST(mean)
{
    const double values[] = {1, 2, 3, 6};
    double error;

    ck_assert_double_eq(ca_mean(values, 4, &error), 3);
    ck_assert_double_eq_tol(error, sqrt(14.0 / 3 / 4), 1e-12);
    ck_assert_double_eq(ca_mean(values, 1, &error), 1);
    ck_assert(isnan(error));
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {decay, strong_damping, line, mean}, .table = {{oscillation, 2}});
}
