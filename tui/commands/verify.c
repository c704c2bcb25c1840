/* SPDX-License-Identifier: MIT */
/* calab verify: checks backends against the reference; prints a table or JSON. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "core/model/backend_glob.h"
#include "core/model/ranks.h"
#include "core/verify/verify.h"
#include "tui/commands/commands.h"
#include "tui/commands/json.h"
#include "tui/commands/progress.h"
#include "core/engine/experiment_json.h"
#include "core/engine/verify_json.h"
#include "tui/table.h"

#define RESULTS_MAX 64 /* backends of a model */

struct verify {
    struct ca_verify_choice choice;
    char patterns[CA_TEXT_MAX];
    bool json;
    json_t *list; /* with json: an object for each backend */
    int checked, failed;
    char absent[768]; /* why the first unavailable backend cannot run */
};

static bool verify_command_show_progress(void *context, const struct ca_backend *backend, int done,
                                         int all)
{
    const struct ca_model *model = context;

    if (done == 0 || progress_due())
        progress_show("%s: case %d of %d, %s", model->name, done + 1, all, backend->name);
    return !stopped_by;
}

/* --- results --------------------------------------------------------------------------------- */

/* One that is unavailable has no cases, and no figures. A reason may be longer than a cell. */
static void print_line(const json_t *lines, int line, const char *before, const char *reason)
{
    static const struct table_column columns[] = {
        {"model", "model", .width = 8, .left = true},
        {"backend", "backend", .width = 20, .gap = 1, .left = true},
        {"cases", "cases", .given = "cases", .width = 6, .gap = 1},
        {"failed", "failed", .given = "cases", .width = 6, .gap = 1},
        {"cells", "cells", .given = "cases", .width = 14, .gap = 1},
        {"seconds", "seconds", .kind = TABLE_FIXED, .digits = 2, .given = "cases", .width = 8,
         .gap = 1},
        {"result", "result", .left = true},
    };
    const struct table table = {columns, sizeof columns / sizeof columns[0], .lines = lines,
                                .dash = true};
    char text[sizeof columns / sizeof columns[0] * (TABLE_CELL + TABLE_GAP)];

    printf("%s%s%s\n", table_line(text, sizeof text, &table, line), before, reason);
}

static void print_result(const struct verify *verify, const struct ca_model *model,
                         const struct ca_verify_result *r)
{
    char *command =
        r->available && r->failed ? ca_verify_command(&r->first, &verify->choice) : NULL;
    json_t *lines = json_pack("[o]", ca_verify_to_json(model, r, &verify->choice));

    print_line(lines, 0, r->available ? "" : ": ", r->available ? "" : r->reason);
    json_decref(lines);
    if (r->available && r->failed)
        printf("    %s\n    repeat: %s\n", r->first.text, command ? command : "(no memory)");
    free(command);
}

/* Cases that end early, where the reference itself goes no further, are the same for all backends
 * but those that small sizes were added for. */
static void print_divergence(const struct ca_verify_result *result, int count)
{
    const struct ca_verify_result *r = NULL;

    for (int i = 0; i < count; i++)
        if (result[i].diverged > (r ? r->diverged : 0))
            r = &result[i];
    if (!r)
        return;
    if (r->diverged == r->drawn)
        printf("    the reference becomes infinite or no number in all %d cases", r->drawn);
    else
        printf("    the reference becomes infinite or no number in %d of %d cases", r->diverged,
               r->drawn);
    printf(", which end at the generation before");
    if (r->left_out)
        printf("; %d without a generation to compare %s left out", r->left_out,
               r->left_out == 1 ? "is" : "are");
    printf("\n    the first: %s\n", r->divergence);
}

/* cuda stands for all CUDA backends here, cpu for those of the CPU, auto for both. */
static bool verify_command_is_chosen(const struct verify *verify, const struct ca_model *model,
                                     const struct ca_backend *backend)
{
    if (!verify->patterns[0])
        return backend != model->backends;
    if (ca_backend_glob(verify->patterns, backend->name))
        return true;
    for (const struct ca_backend *c = ca_backend_auto(model); c->choice; c++)
        if (ca_glob_names(verify->patterns, c->name) && ca_backend_chooses(c, backend) &&
            backend != model->backends)
            return true;
    return false;
}

static enum ca_status one_model(struct verify *verify, const struct ca_model *model,
                                struct ca_error *error)
{
    struct ca_verify_result *result = calloc(RESULTS_MAX, sizeof *result);
    enum ca_status status = CA_OK;
    int count = 0;

    if (!result)
        return ca_fail(error, CA_NO_MEMORY, "no memory");
    for (const struct ca_backend *b = model->backends; b && count < RESULTS_MAX;
         b = ca_backend_next(model, b))
        if (verify_command_is_chosen(verify, model, b))
            result[count++].backend = b;
    if (count > 0)
        status = ca_verify_model(model, result, count, &verify->choice,
                                 verify_command_show_progress, (void *)model, error);
    progress_clear();
    for (int i = 0; i < count && status == CA_OK; i++) {
        verify->checked += result[i].available;
        verify->failed += result[i].failed > 0;
        if (!result[i].available && !verify->absent[0])
            memcpy(verify->absent, result[i].reason, sizeof verify->absent);
        if (verify->json)
            json_array_append_new(verify->list,
                                  ca_verify_to_json(model, &result[i], &verify->choice));
        else
            print_result(verify, model, &result[i]);
    }
    if (status == CA_OK && !verify->json)
        print_divergence(result, count);
    free(result);
    fflush(stdout);
    return status;
}

/* --------------------------------------------------------------------------------------------- */

/* Prints the rest and returns the exit status. After a signal the finished cases are reported. */
static int verify_command_finish(struct verify *verify, struct ca_error *error)
{
    struct ca_error stopped;
    int code = stopped_by
                   ? stopped_status(CA_TIMEOUT, "; only the finished cases are counted", &stopped)
                   : 0;

    if (verify->json) {
        json_t *root = json_pack("{s:s, s:s, s:o}", "schema", "calab-verify/1", "version",
                                 CALAB_VERSION, "results", verify->list);

        json_object_set_new(root, "seed", ca_json_seed(verify->choice.seed));
        if (code != 0)
            json_object_set_new(root, "incomplete", json_string(stopped.text));
        CA_TRY(json_print(root, error));
    }
    if (code != 0) {
        *error = stopped;
        return code;
    }
    if (verify->failed)
        return ca_fail(error, CA_WRONG, "%d of %d backends are wrong", verify->failed,
                       verify->checked);
    if (verify->checked == 0)
        return ca_fail(error, CA_NO_DEVICE, "none of these backends is available: %.600s",
                       verify->absent);
    return CA_OK;
}

int command_verify(const struct options *options, struct ca_error *error)
{
    const struct ca_model *models[OPERANDS_MAX + 1];
    struct verify verify = {.choice.seed = 1};
    enum ca_status status;
    const char *seed, *rest;
    struct ca_experiment scratch;
    int64_t cases = 0;
    char list[CA_TEXT_MAX], item[CA_TEXT_MAX];
    int64_t ranks;

    CA_TRY(choose_models(models, options, error));
    seed = options_value(options, OPTION_SEED);
    CA_TRY(choose_list(verify.patterns, options, OPTION_BACKEND, error));
    CA_TRY(choose_whole(&cases, options, OPTION_CASES, 1, 1000000, error));
    verify.choice.count = (int)cases;
    verify.choice.small = options_has(options, OPTION_SMALL);
    verify.json = options_has(options, OPTION_JSON);
    ca_experiment_default(&scratch, ca_models[0]);
    if (seed)
        CA_TRY(ca_experiment_set(&scratch, "seed", seed, CA_FROM_COMMAND_LINE, "--seed", error));
    verify.choice.seed = scratch.seed;
    /* --ranks 1,2,7 */
    rest = list;
    CA_TRY(choose_list(list, options, OPTION_RANKS, error));
    while ((rest = ca_glob_next(rest, item)) != NULL) {
        if (!ca_read_whole(item, &ranks) || ranks < 1 || ranks > CA_RANKS_MAX ||
            verify.choice.rank_counts == CA_VERIFY_RANKS_MAX)
            return ca_fail(
                error, CA_USAGE,
                "--ranks: '%.80s' is not allowed: at most %d whole numbers 1 ... %d with "
                "commas",
                list, CA_VERIFY_RANKS_MAX, CA_RANKS_MAX);
        verify.choice.ranks[verify.choice.rank_counts++] = (int)ranks;
    }
    CA_TRY(verify.patterns[0] ? ca_backend_glob_check(verify.patterns, models, "--backend", error)
                              : CA_OK);
    if (verify.json)
        verify.list = json_array();
    if (!verify.json) {
        printf("# calab %s verify, seed %" PRIu64 "\n", CALAB_VERSION, verify.choice.seed);
        print_line(NULL, TABLE_HEADING, "", "");
    }
    catch_signals();
    progress_open(options);
    status = CA_OK;
    for (int i = 0; models[i] && status == CA_OK && !stopped_by; i++)
        status = one_model(&verify, models[i], error);
    if (status != CA_OK) {
        json_decref(verify.list);
        return (int)status;
    }
    return verify_command_finish(&verify, error);
}
