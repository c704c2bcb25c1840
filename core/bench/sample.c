/* SPDX-License-Identifier: MIT */
/* Takes a sample beside the meter. It is a file of its own so that tests can put made readings in
 * its place. */
#include "core/bench/sample.h"

#include "core/base/clock.h"

enum ca_status sample_take(struct sample *sample, struct sampler *sampler, uint64_t n,
                           struct ca_error *error)
{
    struct ca_interference others;
    enum ca_status status;
    double start;

    ca_meter_start(&sampler->meter);
    start = ca_now();
    status = sampler->stepper->step(sampler->self, 0, n, error);
    sample->seconds = ca_now() - start;
    ca_meter_stop(&sampler->meter, &others);
    if (others.speed > sampler->best_speed)
        sampler->best_speed = others.speed;
    sample->quiet = ca_interference_judge(&others, sampler->best_speed);
    return status;
}
