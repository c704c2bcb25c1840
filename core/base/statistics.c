/* SPDX-License-Identifier: MIT */
/* This file sorts samples and finds their medians. */
#include "core/base/statistics.h"

#include <math.h>
#include <stdlib.h>

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
