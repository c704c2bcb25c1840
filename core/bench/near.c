/* SPDX-License-Identifier: MIT */
/* Owns the comparison of two simulations one generation at a time. */
#include "core/bench/near.h"

#include <stdio.h>

#include "core/base/clock.h"
#include "core/base/quantity.h"

static enum ca_status tell(const struct ca_near *near, uint64_t end, ca_watch *watch, void *context,
                           struct ca_error *error)
{
    char what[96], at[CA_QUANTITY_TEXT], of[CA_QUANTITY_TEXT];

    snprintf(what, sizeof what, "one generation at a time, %s of %s",
             ca_thousands(at, near->generations), ca_thousands(of, end));
    return !watch || watch(context, what) ? CA_OK : ca_fail(error, CA_TIMEOUT, "stopped");
}

enum ca_status ca_near_run(struct ca_near *near, struct ca_simulation *truth,
                           struct ca_simulation *tested, uint64_t end, double limit_s,
                           ca_watch *watch, void *context, struct ca_error *error)
{
    double start = ca_now();

    *near = (struct ca_near){.generations = 0};
    CA_TRY(ca_simulation_reset(tested, error));
    while (near->generations < end && (near->generations == 0 || ca_now() - start < limit_s)) {
        CA_TRY(tell(near, end, watch, context, error));
        CA_TRY(ca_simulation_copy(truth, tested, error));
        CA_TRY(ca_simulation_step(truth, 1, error));
        CA_TRY(ca_simulation_step(tested, 1, error));
        CA_TRY(ca_simulation_compare(truth, tested, &near->difference, error));
        if (near->difference.count > 0)
            break;
        near->generations++;
    }
    return CA_OK;
}
