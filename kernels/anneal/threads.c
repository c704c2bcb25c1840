/* SPDX-License-Identifier: MIT */
/* Backend threads of anneal: the reference's pass, its rows shared out among a team. */
#include "kernels/anneal/anneal.h"

enum ca_status anneal_threads_create(void **self, const struct ca_setup *setup,
                                     struct ca_error *error)
{
    return plain_create(self, setup, &anneal_plain, (int)ca_int(&setup->options, "threads"), error);
}
