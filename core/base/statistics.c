/* SPDX-License-Identifier: MIT */
/* This file sorts samples, finds their medians, and fits series. */
#include "core/base/statistics.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void ca_sort(double value[], int n) { qsort(value, (size_t)n, sizeof value[0], ascending); }

double ca_median(const double sorted[], int n)
{
    return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

int ca_median_rank(int n)
{
    double term = pow(0.5, n), below = term; /* P(B = r - 1), P(B < r) */
    int r = 1;

    for (;;) {
        term *= (double)(n - r + 1) / r;
        if (below + term > 0.025 || r >= n / 2)
            return r;
        below += term;
        r++;
    }
}

/* --- fits ------------------------------------------------------------------------------------- */

#define UNKNOWNS 2

/* Solves the normal equations m c = r by elimination with pivots. */
static void solve(double m[UNKNOWNS][UNKNOWNS], double r[UNKNOWNS], double c[UNKNOWNS])
{
    for (int i = 0; i < UNKNOWNS; i++) {
        int pivot = i;

        for (int k = i + 1; k < UNKNOWNS; k++)
            if (fabs(m[k][i]) > fabs(m[pivot][i]))
                pivot = k;
        for (int k = 0; k < UNKNOWNS; k++) {
            double kept = m[i][k];

            m[i][k] = m[pivot][k];
            m[pivot][k] = kept;
        }
        c[i] = r[pivot];
        r[pivot] = r[i];
        r[i] = c[i];
        for (int k = i + 1; k < UNKNOWNS; k++) {
            double factor = m[k][i] / m[i][i];

            for (int j = i; j < UNKNOWNS; j++)
                m[k][j] -= factor * m[i][j];
            r[k] -= factor * r[i];
        }
    }
    for (int i = UNKNOWNS - 1; i >= 0; i--) {
        c[i] = r[i];
        for (int k = i + 1; k < UNKNOWNS; k++)
            c[i] -= m[i][k] * c[k];
        c[i] /= m[i][i];
    }
}

/* Adds one equation, the sum of c[i] basis[i] being y, with a weight. */
static void fit_add(double m[UNKNOWNS][UNKNOWNS], double r[UNKNOWNS], const double basis[UNKNOWNS],
                    double y, double weight)
{
    for (int i = 0; i < UNKNOWNS; i++) {
        for (int k = 0; k < UNKNOWNS; k++)
            m[i][k] += weight * basis[i] * basis[k];
        r[i] += weight * basis[i] * y;
    }
}

double ca_mean(const double value[], int n, double *error)
{
    double sum = 0, squares = 0;

    for (int i = 0; i < n; i++)
        sum += value[i];
    for (int i = 0; i < n; i++)
        squares += (value[i] - sum / n) * (value[i] - sum / n);
    *error = n > 1 ? sqrt(squares / (n - 1) / n) : NAN;
    return sum / n;
}

bool ca_fit_decay(const double t[], const double a[], int n, double least, double *rate)
{
    double m[UNKNOWNS][UNKNOWNS] = {{0}}, r[UNKNOWNS] = {0}, c[UNKNOWNS];
    int used = 0;

    for (; used < n && a[used] > least && a[used] > 0; used++) {
        const double basis[UNKNOWNS] = {1, t[used]};

        fit_add(m, r, basis, log(a[used]), a[used] * a[used]);
    }
    if (used < 3)
        return false;
    solve(m, r, c);
    *rate = -c[1];
    return true;
}

/* Returns the squares that are left by a damped oscillation with the best p and q. */
static double left_of(const double t[], const double a[], int n, double w, double g)
{
    double m[UNKNOWNS][UNKNOWNS] = {{0}}, r[UNKNOWNS] = {0}, c[UNKNOWNS], left = 0;

    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < n; i++) {
            double envelope = exp(-g * t[i]);
            const double basis[UNKNOWNS] = {envelope * cos(w * t[i]), envelope * sin(w * t[i])};

            if (pass == 0) {
                fit_add(m, r, basis, a[i], 1);
            } else {
                double miss = a[i] - c[0] * basis[0] - c[1] * basis[1];

                left += miss * miss;
            }
        }
        if (pass == 0)
            solve(m, r, c);
    }
    return left;
}

double ca_fit_oscillation(const double t[], const double a[], int n, double guess)
{
    /* A search along both axes, whose steps are halved where neither way is better. */
    double at[2] = {guess, 0}, step = guess / 32, best = left_of(t, a, n, guess, 0);

    while (step > 1e-7 * guess) {
        bool better = false;

        for (int i = 0; i < 4; i++) {
            double next[2], left;

            memcpy(next, at, sizeof next);
            next[i / 2] += i % 2 ? step : -step;
            left = left_of(t, a, n, next[0], next[1]);
            if (left < best && next[0] > 0) {
                best = left;
                memcpy(at, next, sizeof at);
                better = true;
            }
        }
        if (!better)
            step /= 2;
    }
    return hypot(at[0], at[1]);
}

/* The power at k periods in all samples. */
static double power_at(const double a[], int n, double mean, int k)
{
    const double two_pi = 6.28318530717958647692;
    double re = 0, im = 0;

    for (int i = 0; i < n; i++) {
        double windowed = (a[i] - mean) * (1 - cos(two_pi * i / n));
        double angle = two_pi * (double)((int64_t)k * i % n) / n;

        re += windowed * cos(angle);
        im += windowed * sin(angle);
    }
    return re * re + im * im;
}

double ca_spectral_line(const double a[], int n, double *strength)
{
    int count = n / 8 + 2, best = 3;
    double *power = calloc((size_t)count, sizeof *power), error, mean = ca_mean(a, n, &error);
    double below, here, above, shift;

    if (!power)
        return NAN;
    for (int k = 0; k < count; k++)
        power[k] = power_at(a, n, mean, k);
    for (int k = 3; k < count - 1; k++)
        if (power[k] > power[best])
            best = k;
    below = log(power[best - 1]);
    here = log(power[best]);
    above = log(power[best + 1]);
    shift = (below - above) / (2 * (below - 2 * here + above));
    *strength = power[best];
    ca_sort(power, count);
    *strength /= ca_median(power, count);
    free(power);
    return (best + fmax(-1, fmin(1, shift))) / n;
}
