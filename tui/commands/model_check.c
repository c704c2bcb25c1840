/* SPDX-License-Identifier: MIT */
/* calab model check: prints what holds of a model in a file and what does not, a line each, or all
 * as JSON. */
#include <inttypes.h>
#include <stdio.h>

#include "core/engine/experiment_json.h"
#include "core/verify/model_check.h"
#include "tui/commands/commands.h"
#include "tui/commands/json.h"
#include "tui/commands/progress.h"

#define LIMIT_S 10 /* in which cell() returns, even where each access is watched */
#define LIMIT_MAX 3600

static bool model_check_goes_on(void) { return !stopped_by; }

struct report {
    char path[CA_TEXT_MAX]; /* of the file, printable */
    uint64_t seed;
    bool begun;
    json_t *properties; /* with --json: an object for each */
};

static void print_heading(struct report *report)
{
    if (!report->begun)
        printf("# calab %s model check %s, seed %" PRIu64 "\n%-14s %-7s %s\n", CALAB_VERSION,
               report->path, report->seed, "property", "result",
               "what was tried, or what is wrong");
    report->begun = true;
}

static void keep_finding(void *context, const struct ca_model_finding *finding)
{
    static const char *const results[] = {
        [CA_PROPERTY_HOLDS] = "ok",
        [CA_PROPERTY_BROKEN] = "WRONG",
        [CA_PROPERTY_UNTRIED] = "not checked",
    };
    struct report *report = context;

    json_array_append_new(report->properties,
                          json_pack("{s:s, s:s, s:s}", "property", finding->property, "result",
                                    results[finding->result], "text", finding->text));
    if (model_check_goes_on())
        progress_show("checking");
}

/* `incomplete`: why not all properties have been tried, NULL: all have. */
static enum ca_status print_json(struct report *report, const struct ca_model_check *check,
                                 const char *incomplete, struct ca_error *error)
{
    json_t *root =
        json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:O}", "schema", "calab-model-check/1", "version",
                  CALAB_VERSION, "file", report->path, "result", check->broken ? "WRONG" : "ok",
                  "tried", check->tried, "broken", check->broken, "properties", report->properties);

    json_object_set_new(root, "seed", ca_json_seed(report->seed));
    if (incomplete)
        json_object_set_new(root, "incomplete", json_string(incomplete));
    return json_print(root, error);
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

/* Checks the file and prints what is found; the status is the command's. */
static enum ca_status check_and_report(struct ca_model_check *check, struct report *report,
                                       const char *path, struct ca_error *error)
{
    enum ca_status status = ca_model_check(check, path, error);
    struct ca_error stopped;

    progress_clear();
    if (status == CA_TIMEOUT) {
        status = (enum ca_status)stopped_status(CA_TIMEOUT, "; only what was finished is printed",
                                                &stopped);
        if (report->properties)
            CA_TRY(print_json(report, check, stopped.text, error));
        *error = stopped;
        return status;
    }
    CA_TRY(status);
    if (report->properties)
        CA_TRY(print_json(report, check, NULL, error));
    if (check->broken)
        return ca_fail(error, CA_WRONG, "%.300s: %d of %d properties do not hold", report->path,
                       check->broken, check->tried);
    return CA_OK;
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
    if (options_has(options, OPTION_JSON)) {
        report.properties = json_array();
        check.report = keep_finding;
    }
    status = check_and_report(&check, &report, path, error);
    json_decref(report.properties);
    return status;
}
