/* SPDX-License-Identifier: MIT */
/* Order statistics of a few samples. */
#ifndef CALAB_CORE_BASE_STATISTICS_H
#define CALAB_CORE_BASE_STATISTICS_H

/* Sorts n values in ascending order. */
void ca_sort(double value[], int n);
/* The median of n > 0 values that are sorted; the mean of the middle two where n is even. */
double ca_median(const double sorted[], int n);

#endif
