/* SPDX-License-Identifier: MIT */
/*
 * Backend `threads` of water: the passes of `reference` shared out over a team, each member a range
 * of rows. One core's arithmetic limits `reference`, not memory, so this one grows with the cores.
 */
#include "kernels/water/water.h"

enum ca_status water_threads_create(void **self, const struct ca_setup *setup,
                                    struct ca_error *error)
{
    return plain_create(self, setup, &water_plain, (int)ca_int(&setup->options, "threads"), error);
}
