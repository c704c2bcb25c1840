/* SPDX-License-Identifier: MIT */
/*
 * Fits by least squares of what a simulation's series are expected to be.
 */
#ifndef CALAB_CORE_BASE_FIT_H
#define CALAB_CORE_BASE_FIT_H

#include <stdbool.h>

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
