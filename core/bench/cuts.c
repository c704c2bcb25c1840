/* SPDX-License-Identifier: MIT */
/* This file reads the cuts of a benchmark and sets them in an experiment. */
#include "core/bench/cuts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "core/machine/device.h"
#include "core/model/backend_glob.h"
#include "core/model/ranks.h"
#include "core/ranks/cut.h"
#include "core/sim/simulation.h"

static enum ca_status too_many(struct ca_error *error)
{
    return ca_fail(error, CA_USAGE, "--ranks, --devices: more than %d cuts", CA_BENCH_CUTS);
}

static enum ca_status read_ranks(int ranks[CA_BENCH_CUTS], int *count, const char *text,
                                 struct ca_error *error)
{
    char item[CA_TEXT_MAX];
    int64_t number;

    while (text && (text = ca_glob_next(text, item)) != NULL) {
        if (!ca_read_whole(item, &number) || number < 1 || number > CA_RANKS_MAX)
            return ca_fail(error, CA_USAGE,
                           "--ranks: '%.80s' is not allowed; allowed: whole numbers 1 ... %d with "
                           "commas",
                           item, CA_RANKS_MAX);
        for (int i = 0; i < *count; i++)
            if (ranks[i] == (int)number)
                return ca_fail(error, CA_USAGE, "--ranks: %d is named twice", (int)number);
        if (*count == CA_BENCH_CUTS)
            return too_many(error);
        ranks[(*count)++] = (int)number;
    }
    return CA_OK;
}

static bool is_list(const char *text)
{
    int index[CA_RANKS_MAX], count = ca_device_numbers(text, index);

    return count > 0 || count == CA_DEVICES_ALL;
}

static enum ca_status check_devices(const char *const devices[], int lists, struct ca_error *error)
{
    if (lists > CA_BENCH_CUTS)
        return too_many(error);
    for (int i = 0; i < lists; i++) {
        if (strlen(devices[i]) >= CA_BENCH_DEVICES || !is_list(devices[i]))
            return ca_fail(error, CA_USAGE,
                           "--devices: '%.80s' is not allowed: numbers of GPUs with commas, each "
                           "once, as in 0,1, or all; each further list is a --devices of its own",
                           devices[i]);
        for (int j = 0; j < i; j++)
            if (strcmp(devices[i], devices[j]) == 0)
                return ca_fail(error, CA_USAGE, "--devices: '%.80s' is named twice", devices[i]);
    }
    return CA_OK;
}

enum ca_status ca_bench_cuts_make(struct ca_bench_cuts *cuts, const char *ranks,
                                  const char *const devices[], int lists, struct ca_error *error)
{
    int numbers[CA_BENCH_CUTS] = {0}, count = 0;

    CA_TRY(read_ranks(numbers, &count, ranks, error));
    CA_TRY(check_devices(devices, lists, error));
    if (count > 1 && lists > 1)
        return ca_fail(error, CA_USAGE,
                       "--ranks has %d values and --devices %d; only one of them may have several",
                       count, lists);
    *cuts = (struct ca_bench_cuts){.count = count > lists ? count : lists};
    for (int i = 0; i < cuts->count; i++) {
        struct ca_bench_cut *cut = &cuts->cut[i];

        cut->ranks = count == 0 ? 0 : numbers[count > 1 ? i : 0];
        if (lists > 0)
            snprintf(cut->devices, sizeof cut->devices, "%s", devices[lists > 1 ? i : 0]);
    }
    return CA_OK;
}

bool ca_bench_cuts_fit(const struct ca_bench_cuts *cuts, const struct ca_backend *backend)
{
    for (int i = 0; i < cuts->count; i++)
        if ((cuts->cut[i].ranks > 0 && !ca_backend_has_option(backend, "ranks")) ||
            (cuts->cut[i].devices[0] && !ca_backend_has_option(backend, "devices")))
            return false;
    return true;
}

enum ca_status ca_bench_cut_set(struct ca_experiment *experiment, const struct ca_bench_cut *cut,
                                const char *where, struct ca_error *error)
{
    char ranks[CA_NUMBER_MAX];

    snprintf(ranks, sizeof ranks, "%d", cut->ranks);
    if (cut->ranks > 0)
        CA_TRY(ca_experiment_set(experiment, "ranks", ranks, CA_FROM_COMMAND_LINE, where, error));
    if (cut->devices[0])
        CA_TRY(ca_experiment_set(experiment, "devices", cut->devices, CA_FROM_COMMAND_LINE, where,
                                 error));
    return CA_OK;
}

/* Without a number, there are as many ranks as there are places for them, also where the lattice is
 * too small for them all. */
int ca_bench_ranks(const struct ca_experiment *experiment)
{
    const struct ca_setup setup = ca_setup_of(experiment);
    int index[CA_RANKS_MAX], ranks = ca_values_find(&setup.options, "ranks");
    struct ca_error ignored;
    struct ca_cut cut;

    if (ranks >= 0 && setup.options.value[ranks].number > 0)
        return (int)setup.options.value[ranks].number;
    if (ca_cut_make(&cut, &setup, &(struct ca_plan){.generations = 1}, &ignored) == CA_OK)
        return cut.ranks;
    return ca_device_list(&setup.options, index);
}
