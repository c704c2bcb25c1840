/* SPDX-License-Identifier: MIT */
/* This file reads the lists and numbers of verify and bench from the command line. */
#include <string.h>

#include "core/base/number.h"
#include "core/model/backend_glob.h"
#include "tui/commands/bench.h"
#include "tui/commands/commands.h"

enum ca_status choose_models(const struct ca_model *models[], const struct options *options,
                             struct ca_error *error)
{
    int count = 0;

    for (int i = 0; i < options->operands; i++) {
        const struct ca_model *model;

        CA_TRY(ca_model_find(&model, options->operand[i], error));
        for (int j = 0; j < count; j++)
            if (models[j] == model)
                return ca_fail(error, CA_USAGE, "model '%s' is named twice", model->name);
        models[count++] = model;
    }
    for (int i = 0; options->operands == 0 && ca_models[i]; i++)
        models[count++] = ca_models[i];
    models[count] = NULL;
    return CA_OK;
}

enum ca_status choose_list(char text[CA_TEXT_MAX], const struct options *options, enum option_id id,
                           struct ca_error *error)
{
    text[0] = '\0';
    for (int i = 0; i < options->count; i++) {
        const char *given = options->given[i].text;
        char where[32];

        if (options->given[i].id != id)
            continue;
        if (strlen(text) + strlen(given) + 2 > CA_TEXT_MAX)
            return ca_fail(error, CA_USAGE, "--%s: the text is longer than %d bytes",
                           option_rows[id].name, CA_TEXT_MAX - 1);
        if (!given[0])
            return ca_fail(error, CA_USAGE, "--%s: the argument is empty", option_rows[id].name);
        snprintf(where, sizeof where, "--%s", option_rows[id].name);
        CA_TRY(ca_list_check(given, where, error));
        if (text[0])
            strcat(text, ",");
        strcat(text, given);
    }
    return CA_OK;
}

enum ca_status choose_whole(int64_t *value, const struct options *options, enum option_id id,
                            int64_t low, int64_t high, struct ca_error *error)
{
    const char *text = options_value(options, id);
    int64_t number;

    if (!text)
        return CA_OK;
    if (!ca_read_whole(text, &number) || number < low || number > high)
        return ca_fail(error, CA_USAGE,
                       "--%s: '%.80s' is not allowed; allowed: a whole number %lld ... %lld",
                       option_rows[id].name, text, (long long)low, (long long)high);
    *value = number;
    return CA_OK;
}

enum ca_status choose_number(double *value, const struct options *options, enum option_id id,
                             double low, double high, struct ca_error *error)
{
    const char *text = options_value(options, id);
    char least[CA_NUMBER_MAX], most[CA_NUMBER_MAX];
    double number;

    if (!text)
        return CA_OK;
    if (!ca_read_real(text, &number) || number < low || number > high)
        return ca_fail(error, CA_USAGE, "--%s: '%.80s' is not allowed; allowed: a number %s ... %s",
                       option_rows[id].name, text, ca_number_format(least, low),
                       ca_number_format(most, high));
    *value = number;
    return CA_OK;
}

/* --- cuts and scaling ------------------------------------------------------------------------- */

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
