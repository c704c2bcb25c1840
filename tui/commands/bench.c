/* SPDX-License-Identifier: MIT */
/* calab bench: times the backends of the models and checks their results. */
#include "tui/commands/bench.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/quantity.h"
#include "core/base/text.h"
#include "core/engine/bench_json.h"
#include "core/model/backend_glob.h"
#include "core/bench/tune.h"
#include "core/sim/shipped.h"
#include "tui/commands/commands.h"
#include "tui/commands/progress.h"
#include "tui/commands/json.h"

#define LAST 64 /* bytes of the last progress text */

static bool bench_command_show_progress(void *context, const struct ca_bench *bench,
                                        const struct ca_bench_line *line, const char *what)
{
    char *last = context, more[96] = "", left[CA_QUANTITY_TEXT];
    int calls = ca_bench_calls(bench, line);

    if (progress_due() || strncmp(what, last, LAST - 1) != 0) {
        if (strcmp(what, "timing") == 0 && calls > line->made)
            snprintf(more, sizeof more, ", %d of about %d calls, about %s left", line->made, calls,
                     ca_duration(left, ca_bench_left(bench)));
        progress_show("%d of %d: %s %s, %s%s", (int)(line - bench->line) + 1, bench->count,
                      line->experiment.model->name, line->experiment.backend->name, what, more);
        snprintf(last, LAST, "%s", what);
    }
    return !stopped_by;
}

/* --- what to time ---------------------------------------------------------------------------- */

/* --ranks and --devices as cuts. */
static enum ca_status bench_cuts(struct ca_bench_cuts *cuts, const struct options *options,
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

/* --weak and --strong. */
static enum ca_status bench_scaling(struct ca_bench *bench, const struct options *options,
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

static enum ca_status fill_spec(struct ca_bench_spec *spec, const struct options *options,
                                struct ca_error *error)
{
    CA_TRY(choose_list(spec->backends, options, OPTION_BACKEND, error));
    CA_TRY(choose_list(spec->sizes, options, OPTION_SIZE, error));
    CA_TRY(choose_list(spec->threads, options, OPTION_THREADS, error));
    for (int i = 0; i < CA_KEY_COUNT; i++) {
        const struct ca_key_row *row = &ca_key_rows[i];
        const char *given = row->places & CA_IN_CASE ? options_setting(options, row->name) : NULL;

        if (given && strlen(given) >= sizeof spec->setting[i])
            return ca_fail(error, CA_USAGE, "--%s: the text is longer than %zu bytes", row->name,
                           sizeof spec->setting[i] - 1);
        strcpy(spec->setting[i], given ? given : "");
    }
    CA_TRY(bench_cuts(&spec->cuts, options, error));
    for (int i = 0; i < options->count; i++) {
        if (options->given[i].id != OPTION_SET)
            continue;
        if (spec->sets == CA_PARAMS_MAX || strlen(options->given[i].text) >= CA_TEXT_MAX)
            return ca_fail(error, CA_USAGE, "--set: there are too many, or one is too long");
        strcpy(spec->set[spec->sets++], options->given[i].text);
    }
    return CA_OK;
}

static bool has_match(const struct ca_model *model, const char *patterns)
{
    for (const struct ca_backend *b = model->backends; b; b = ca_backend_next(model, b))
        if (!patterns[0] || ca_backend_glob(patterns, b->name))
            return true;
    for (const struct ca_backend *c = ca_backend_auto(model); c->choice; c++)
        if (ca_glob_names(patterns, c->name))
            return true;
    return false;
}

/* --------------------------------------------------------------------------------------------- */

static const char *figure_of(const struct options *options)
{
    const char *name = options_value(options, OPTION_FIGURE);

    return name ? name : BENCH_FIGURE;
}

static enum ca_status check_forms(const struct options *options, struct ca_error *error)
{
    int forms = options_has(options, OPTION_JSON) + options_has(options, OPTION_CSV) +
                options_has(options, OPTION_MARKDOWN);

    if (forms > 1)
        return ca_fail(error, CA_USAGE, "--json, --csv, --markdown: only one of them is allowed");
    if (options_has(options, OPTION_PLOT))
        return bench_plot_check(options_value(options, OPTION_PLOT), figure_of(options), error);
    if (options_has(options, OPTION_FIGURE))
        return ca_fail(error, CA_USAGE, "--figure: only with --plot FILE, which it is drawn into");
    return CA_OK;
}

static enum ca_status bench_command_prepare(struct ca_bench *bench, struct ca_bench_report *report,
                                            const struct options *options, struct ca_error *error)
{
    const char *named = options_value(options, OPTION_CONFIG);
    char path[PATH_MAX];
    double percent = bench->error * 100;

    CA_TRY(check_forms(options, error));
    CA_TRY(bench_scaling(bench, options, error));
    CA_TRY(choose_number(&bench->time_s, options, OPTION_TIME, 0, 86400, error));
    CA_TRY(choose_number(&percent, options, OPTION_ERROR, 0, 100, error));
    CA_TRY(choose_number(&bench->check_s, options, OPTION_CHECK, 0, 86400, error));
    CA_TRY(choose_number(&report->price, options, OPTION_PRICE, CA_BENCH_PRICE, error));
    CA_TRY(choose_number(&report->watts, options, OPTION_WATTS, CA_BENCH_WATTS, error));
    bench->error = percent / 100;
    bench->tuned = !options_has(options, OPTION_TUNE);
    report->verbose = options_has(options, OPTION_VERBOSE);
    if (named) {
        /* A file of cases is complete, so that options which it replaces are refused instead of
         * ignored. */
        if (options->operands > 0)
            return ca_fail(error, CA_USAGE, "'%s': the file of -c names the models",
                           options->operand[0]);
        for (int i = 0; i < options->count; i++)
            if (option_rows[options->given[i].id].experiment)
                return ca_fail(error, CA_USAGE, "--%s: not allowed with -c, whose file sets it",
                               option_rows[options->given[i].id].name);
        CA_TRY(ca_bench_read(bench, ca_shipped_path(path, named), error));
    } else {
        const struct ca_model *models[OPERANDS_MAX + 1];
        static struct ca_bench_spec spec;

        CA_TRY(choose_models(models, options, error));
        CA_TRY(fill_spec(&spec, options, error));
        if (spec.backends[0])
            CA_TRY(ca_backend_glob_check(spec.backends, models, "--backend", error));
        for (int i = 0; models[i]; i++) {
            spec.model = models[i];
            if (has_match(models[i], spec.backends))
                CA_TRY(ca_bench_add(bench, &spec, NULL, error));
        }
        if (bench->count == 0 && spec.cuts.count > 0 && spec.cuts.cut[0].devices[0])
            return ca_fail(error, CA_USAGE,
                           "--devices: none of these backends runs on a GPU, as those of -b "
                           "'cuda-*' do; --ranks cuts the lattice of any backend");
    }
    if (options_has(options, OPTION_RELATIVE))
        CA_TRY(
            ca_bench_relate(bench, options_value(options, OPTION_RELATIVE), "--relative", error));
    report->bench = bench;
    if (options_has(options, OPTION_PLOT))
        return bench_plot_needs(figure_of(options), report, error);
    return CA_OK;
}

static enum ca_status bench_command_print(const struct ca_bench_report *report,
                                          const struct options *options, struct ca_error *error)
{
    bool markdown = options_has(options, OPTION_MARKDOWN);

    if (options_has(options, OPTION_JSON))
        CA_TRY(json_print(ca_bench_to_json(report), error));
    else if (options_has(options, OPTION_CSV))
        CA_TRY(bench_print(stdout, report, TABLE_CSV, error));
    else if (report->verbose || options_has(options, OPTION_COLUMNS) || ca_bench_stated(report))
        CA_TRY(bench_print(stdout, report, markdown ? TABLE_MARKDOWN : TABLE_TEXT, error));
    else
        CA_TRY(bench_print_short(stdout, report, markdown, error));
    if (options_has(options, OPTION_PLOT))
        return bench_plot(options_value(options, OPTION_PLOT), figure_of(options), report, error);
    return CA_OK;
}

static bool is_missing(const struct ca_bench_line *line) { return !ca_bench_finished(line); }

static bool is_partial(const struct ca_bench_line *line)
{
    return ca_bench_finished(line) && line->partial;
}

/* A heading and the backends and sizes of these lines, as far as they fit; "" for none. */
static void name_lines(const struct ca_bench *bench, const char *heading, char *text, size_t size,
                       bool (*of)(const struct ca_bench_line *))
{
    text[0] = '\0';
    for (int i = 0; i < bench->count; i++) {
        const struct ca_experiment *e = &bench->line[i].experiment;
        char lattice[64];

        if (!of(&bench->line[i]))
            continue;
        if (strlen(text) + 100 > size) {
            ca_text_add(text, size, ", ...");
            return;
        }
        ca_text_add(text, size, "%s%s %.20s", text[0] ? ", " : heading, e->backend->name,
                    ca_size_format(lattice, e->size, e->model->dimensions));
    }
}

static int bench_command_run(struct ca_bench *bench, struct ca_bench_report *report,
                             const struct options *options, struct ca_error *error)
{
    enum ca_status status;
    char last[LAST] = "";
    int wrong = 0, ran = 0;

    catch_signals();
    progress_open(options);
    ca_bench_report_begin(report, bench);
    if (options_has(options, OPTION_TUNE))
        status = ca_tune_run(bench, bench_command_show_progress, last, error);
    else
        status = ca_bench_run(bench, bench_command_show_progress, last, error);
    ca_tuned_keep_lines(bench);
    ca_bench_report_gpus(report);
    progress_clear();
    if (status != CA_OK) {
        bool stopped = status == CA_TIMEOUT && stopped_by;
        int code = stopped ? stopped_status(status, "", error) : (int)status;
        int planned = bench->count;
        char missing[300], partial[300];
        size_t length; /* of what the error says */

        /*
         * After a signal or an error: prints the lines that were finished before. The error tells
         * how many they are.
         */
        name_lines(bench, "; missing: ", missing, sizeof missing, is_missing);
        name_lines(bench, "; of fewer calls than wanted: ", partial, sizeof partial, is_partial);
        ca_bench_keep_finished(bench);
        snprintf(report->ended, sizeof report->ended, "%.600s; %d of %d lines are finished",
                 error->text, bench->count, planned);
        length = strlen(report->ended);
        ca_text_add(report->ended, sizeof report->ended, "%s%s", partial, missing);
        /* A file that another program reads is whole, also without a line. */
        if ((bench->count > 0 || options_has(options, OPTION_JSON)) &&
            bench_command_print(report, options, error) != CA_OK)
            return code;
        if (bench->count > 0 || stopped)
            ca_error_set(error, status, "%.*s%s", (int)length, report->ended,
                         bench->count > 0 ? " and printed" : "");
        return code;
    }
    CA_TRY(bench_command_print(report, options, error));
    /* The command fails if a line is wrong, or if none could run. */
    for (int i = 0; i < bench->count; i++) {
        ran += bench->line[i].available;
        wrong += bench->line[i].available && bench->line[i].wrong != 0;
    }
    if (wrong)
        return ca_fail(error, CA_WRONG, "%d of %d lines are wrong and have no figures", wrong,
                       bench->count);
    if (!ran)
        return ca_fail(error, CA_NO_DEVICE, "none of these backends is available");
    return CA_OK;
}

int command_bench(const struct options *options, struct ca_error *error)
{
    struct ca_bench bench;
    struct ca_bench_report report = {.bench = NULL};
    int status;

    ca_bench_default(&bench);
    status = (int)bench_command_prepare(&bench, &report, options, error);
    if (status == CA_OK)
        status = bench_command_run(&bench, &report, options, error);
    ca_bench_free(&bench);
    return status;
}
