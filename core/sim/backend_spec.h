/* SPDX-License-Identifier: MIT */
/*
 * Option -b takes, where one backend or several are compared, a list of
 *
 *     [HOST:]BACKEND[/OPTION=VALUE...]
 *
 * separated by commas, such as "avx2,threads/threads=2" or "lab:cuda-temporal/generations=4". A
 * value contains no slash, and a comma only before a whole number, as in "devices=0,3".
 */
#ifndef CALAB_CORE_SIM_BACKEND_SPEC_H
#define CALAB_CORE_SIM_BACKEND_SPEC_H

#include "core/sim/experiment.h"

struct ca_backend_spec {
    char host[CA_TEXT_MAX];    /* "": this machine */
    char backend[CA_TEXT_MAX]; /* a name, not looked up */
    char options[CA_TEXT_MAX]; /* "option=value/option=value", "": none */
};

/*
 * Reads a list of at most `max` backends; *count is their number, at least 1. CA_USAGE with what is
 * allowed, `where` opening the message: an empty item, host, backend or option, an option without a
 * value, a host that begins with '-' or holds a blank, and more than `max` items.
 */
enum ca_status ca_backend_specs_parse(struct ca_backend_spec spec[], int max, int *count,
                                      const char *list, const char *where, struct ca_error *error);
/*
 * Gives the experiment this backend with these options. CA_USAGE for a backend that the model does
 * not have, an option that the backend does not have, and a parameter of the model, which is not an
 * option. The host is not looked at.
 */
enum ca_status ca_backend_spec_apply(const struct ca_backend_spec *spec,
                                     struct ca_experiment *experiment, enum ca_origin origin,
                                     const char *where, struct ca_error *error);
/* The text that reads back to the same. Returns text. */
char *ca_backend_spec_format(char *text, size_t size, const struct ca_backend_spec *spec);

#endif
