/* SPDX-License-Identifier: MIT */
/* This file reads cuts and studies of scaling from the command line. */
#include "tui/commands/bench.h"
#include "tui/commands/commands.h"

enum ca_status bench_cuts(struct ca_bench_cuts *cuts, const struct options *options,
                          struct ca_error *error)
{
    const char *devices[OPTIONS_GIVEN_MAX];
    char ranks[CA_TEXT_MAX];
    int lists = 0;

    CA_TRY(choose_list(ranks, options, OPTION_RANKS, error));
    for (int i = 0; i < options->count; i++)
        if (options->given[i].id == OPTION_DEVICES)
            devices[lists++] = options->given[i].text;
    return ca_bench_cuts_make(cuts, ranks[0] ? ranks : NULL, devices, lists, error);
}

enum ca_status bench_scaling(struct ca_bench *bench, const struct options *options,
                             struct ca_error *error)
{
    bool weak = options_has(options, OPTION_WEAK), strong = options_has(options, OPTION_STRONG);
    const char *name = weak ? "weak" : "strong";
    struct ca_bench_cuts cuts;

    if (!weak && !strong)
        return CA_OK;
    if (weak && strong)
        return ca_fail(error, CA_USAGE, "--weak, --strong: only one of them is allowed");
    if (options_has(options, OPTION_CONFIG))
        return ca_fail(error, CA_USAGE, "--%s: not allowed with -c, whose file has no cuts", name);
    if (options_has(options, OPTION_TUNE))
        return ca_fail(error, CA_USAGE, "--%s: not allowed with --tune", name);
    CA_TRY(bench_cuts(&cuts, options, error));
    if (cuts.count < 2)
        return ca_fail(error, CA_USAGE,
                       "--%s: needs two cuts or more, as --ranks 1,2,4 or --devices 0 --devices "
                       "0,1; the first is what the others are held against",
                       name);
    bench->scaling = weak ? CA_SCALING_WEAK : CA_SCALING_STRONG;
    return CA_OK;
}

enum ca_status bench_nothing_cut(const struct ca_bench_spec *spec, struct ca_error *error)
{
    if (spec->cuts.count > 0 && spec->cuts.cut[0].devices[0])
        return ca_fail(error, CA_USAGE,
                       "--devices: none of these backends runs on a GPU, as those of -b 'cuda-*' "
                       "do; --ranks cuts the lattice of any backend");
    return CA_OK;
}
