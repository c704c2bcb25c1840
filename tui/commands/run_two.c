/* SPDX-License-Identifier: MIT */
/* calab run with two backends: runs both, compares states and speeds, and prints the result. */
#include "tui/commands/run_two.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/commands/progress.h"
#include "tui/commands/json.h"

static bool show(void *context, const char *what)
{
    (void)context;
    if (progress_due())
        progress_show("%s", what);
    return !stopped_by;
}

static enum ca_status ran(void *context, int side, struct ca_simulation *simulation,
                          struct ca_error *error)
{
    struct two_results *two = context;

    return result_take(&two->result[side], simulation, false, error);
}

/* Options tell two rows of the same backend apart. */
static void name_sides(struct two_results *two)
{
    const struct ca_experiment *e = two->pair.experiment;

    for (int side = 0; side < 2; side++) {
        const struct ca_values *options = &e[side].options;
        char *name = two->name[side], text[CA_TEXT_MAX];
        size_t used = (size_t)snprintf(name, CA_TEXT_MAX, "%s", e[side].backend->name);

        for (int i = 0; e[0].backend == e[1].backend && i < options->count; i++)
            if (!ca_value_is_default(&options->table[i], &options->value[i]) && used < 200)
                used += (size_t)snprintf(
                    name + used, CA_TEXT_MAX - used, "/%s=%.60s", options->table[i].name,
                    ca_value_format(text, &options->table[i], &options->value[i]));
    }
}

static enum ca_status run_two_print_text(const struct two_results *two,
                                         const struct options *options, struct ca_error *error)
{
    if (options_has(options, OPTION_JSON))
        return json_print(two_json(two), error);
    if (options_has(options, OPTION_MARKDOWN))
        two_print_markdown(stdout, two);
    else
        two_print_text(stdout, two);
    return CA_OK;
}

static int run_two_run(struct two_results *two, const struct options *options,
                       struct ca_error *error)
{
    enum ca_status status;

    name_sides(two);
    catch_signals();
    progress_open(options);
    status = ca_pair_run(&two->pair, error);
    progress_clear();
    if (status == CA_TIMEOUT && stopped_by) {
        ca_error_set(error, CA_WRONG, "stopped by signal %d (%s); nothing was written",
                     (int)stopped_by, strsignal(stopped_by));
        return 128 + stopped_by;
    }
    CA_TRY(status);
    for (int side = 0; side < 2; side++)
        two->result[side].experiment = &two->pair.experiment[side];
    CA_TRY(run_two_print_text(two, options, error));
    if (!two->pair.equal) {
        char text[CA_TEXT_MAX];

        return (int)ca_fail(
            error, CA_WRONG, "%s",
            ca_pair_sentence(text, sizeof text, &two->pair, two->name[0], two->name[1]));
    }
    return CA_OK;
}

int run_two(const struct ca_experiment experiment[2], const struct options *options,
            struct ca_error *error)
{
    struct two_results *two = calloc(1, sizeof *two);
    int status;

    if (options_has(options, OPTION_JSON) && options_has(options, OPTION_MARKDOWN)) {
        free(two);
        return ca_fail(error, CA_USAGE, "--json, --markdown: only one of them is allowed");
    }
    if (!two)
        return ca_fail(error, CA_NO_MEMORY, "no memory for the result");
    two->pair.watch = show;
    two->pair.ran = ran;
    two->pair.context = two;
    two->pair.find = options_has(options, OPTION_FIND);
    memcpy(two->pair.experiment, experiment, sizeof two->pair.experiment);
    status = run_two_run(two, options, error);
    free(two);
    return status;
}
