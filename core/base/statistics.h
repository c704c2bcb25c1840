/* SPDX-License-Identifier: MIT */
/* Order statistics of a few samples. */
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

#endif
