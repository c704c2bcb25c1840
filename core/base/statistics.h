
#include <stdbool.h>
/* SPDX-License-Identifier: MIT */
/* Order statistics of a few samples, and fits of series. */
#ifndef CALAB_CORE_BASE_STATISTICS_H
#define CALAB_CORE_BASE_STATISTICS_H

/* Sorts n values in ascending order. */
void ca_sort(double value[], int n);
/* The median of n > 0 values that are sorted; the mean of the middle two where n is even. */
double ca_median(const double sorted[], int n);
/*
 * The rank r, counted from 1, for which the r-th smallest and the r-th largest of n independent
 * samples hold the median of their distribution between them with a probability of at least 95 %:
 * the largest r with P(B < r) <= 2.5 %, where B, the number of samples below the median, is
 * binomial(n, 1/2) whatever the distribution (David and Nagaraja, "Order Statistics", 3rd ed.,
 * 2003, section 7.1). 6 of 20; 1 where n < 6, which is less than 95 %: 93.8 % of 5 samples.
 */
int ca_median_rank(int n);

/* --- fits by least squares of what a simulation's series are expected to be --------------------
 */

/*
 * The rate g of an amplitude that decays, a(t) ~ exp(-g t), by the logarithms of those before it
 * first falls to `least` or below, weighted by a^2, since the error of log a is that of a divided
 * by a. False where fewer than three are above.
 */
bool ca_fit_decay(const double t[], const double a[], int n, double least, double *rate);

/*
 * The angular frequency w of a damped oscillation, a(t) ~ exp(-g t) (p cos w t + q sin w t), p and
 * q being free: the nearest minimum to `guess`, which has to be right within an eighth of the
 * number of periods that the series has. The frequency without damping, sqrt(w^2 + g^2), is
 * returned.
 */
double ca_fit_oscillation(const double t[], const double a[], int n, double guess);

/*
 * The strongest line in the spectrum of n >= 16 samples, of at least three periods and at least
 * eight samples a period: its frequency, in periods a sample, and its power by the median of the
 * spectrum, which is noise. Hann's window; the maximum of the parabola through the logarithms of
 * the line and its neighbours.
 */
double ca_spectral_line(const double a[], int n, double *strength);

/* The mean of n > 0 values, and its standard error (NaN of one). */
double ca_mean(const double value[], int n, double *error);

#endif
