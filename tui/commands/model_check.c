/* SPDX-License-Identifier: MIT */
/* calab model check: prints what holds of a model in a file and what does not, a line each. */
#include <inttypes.h>
#include <stdio.h>

#include "core/verify/model_check.h"
#include "tui/commands/commands.h"
#include "tui/commands/progress.h"

#define LIMIT_S 10 /* in which cell() returns, even where each access is watched */
#define LIMIT_MAX 3600

static bool model_check_goes_on(void) { return !stopped_by; }

struct report {
    char path[CA_TEXT_MAX]; /* of the file, printable */
    uint64_t seed;
    bool begun;
};

static void print_heading(struct report *report)
{
    if (!report->begun)
        printf("# calab %s model check %s, seed %" PRIu64 "\n%-14s %-7s %s\n", CALAB_VERSION,
               report->path, report->seed, "property", "result",
               "what was tried, or what is wrong");
    report->begun = true;
}

static void print_finding(void *context, const struct ca_model_finding *finding)
{
    static const char *const results[] = {
        [CA_PROPERTY_HOLDS] = "ok",
        [CA_PROPERTY_BROKEN] = "WRONG",
        [CA_PROPERTY_UNTRIED] = "-",
    };

    progress_clear();
    print_heading(context);
    printf("%-14s %-7s %s\n", finding->property, results[finding->result], finding->text);
    fflush(stdout);
    if (model_check_goes_on())
        progress_show("checking");
}

enum ca_status model_check(const struct options *options, struct ca_error *error)
{
    struct report report = {.begun = false};
    struct ca_model_check check = {.limit_s = LIMIT_S,
                                   .go_on = model_check_goes_on,
                                   .report = print_finding,
                                   .context = &report};
    const char *seed = options_value(options, OPTION_SEED), *path = options->operand[1];
    struct ca_experiment scratch;
    enum ca_status status;

    snprintf(report.path, sizeof report.path, "%s", path);
    ca_plain(report.path);
    ca_experiment_default(&scratch, ca_models[0]);
    if (seed)
        CA_TRY(ca_experiment_set(&scratch, "seed", seed, CA_FROM_COMMAND_LINE, "--seed", error));
    check.seed = report.seed = scratch.seed;
    CA_TRY(choose_number(&check.limit_s, options, OPTION_LIMIT, 0.01, LIMIT_MAX, error));
    if (!ca_model_is_path(path))
        return ca_fail(error, CA_USAGE,
                       "'%.80s' is not the file of a model, whose name ends in .c; calab verify "
                       "checks built-in models",
                       report.path);
    catch_signals();
    progress_open(options);
    status = ca_model_check(&check, path, error);
    progress_clear();
    if (status == CA_TIMEOUT)
        return (enum ca_status)stopped_status(CA_TIMEOUT, "; only what was finished is printed",
                                              error);
    CA_TRY(status);
    if (check.broken)
        return ca_fail(error, CA_WRONG, "%.300s: %d of %d properties do not hold", report.path,
                       check.broken, check.tried);
    return CA_OK;
}
