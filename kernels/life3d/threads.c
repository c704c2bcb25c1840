/* SPDX-License-Identifier: MIT */
/* Backend threads of life3d: the reference's pass, its rows shared out among a team. */
#include "kernels/life3d/life3d.h"

enum ca_status life3d_threads_create(void **self, const struct ca_setup *setup,
                                     struct ca_error *error)
{
    return plain_create(self, setup, &life3d_plain, (int)ca_int(&setup->options, "threads"), error);
}
