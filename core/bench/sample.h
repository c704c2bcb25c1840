/* SPDX-License-Identifier: MIT */
/* One sample of a trial: some generations of a stepper, and whether others disturbed them. */
#ifndef CALAB_CORE_BENCH_SAMPLE_H
#define CALAB_CORE_BENCH_SAMPLE_H

#include "core/machine/interference.h"
#include "core/model/model.h"

struct sample {
    double seconds; /* of the wall */
    enum ca_quiet quiet;
};

/* A sampler takes all samples of a trial; zeroed but for the meter, which is open. */
struct sampler {
    struct ca_meter meter;
    double best_speed; /* of the fixed loop, of any sample so far */
    const struct ca_stepper *stepper;
    void *self;
};

/* Steps n generations. What the step returns. */
enum ca_status sample_take(struct sample *sample, struct sampler *sampler, uint64_t n,
                           struct ca_error *error);

#endif
