/* SPDX-License-Identifier: MIT */
/* This file prints measurements: a line for each, or calab-measure/1 JSON. */
#include "tui/commands/run_measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/bench/choose.h"
#include "core/bench/run_check.h"
#include "core/bench/tune.h"
#include "core/engine/experiment_json.h"
#include "tui/commands/commands.h"
#include "tui/commands/progress.h"
#include "tui/commands/result.h"
#include "tui/commands/json.h"

static bool run_measure_goes_on(void *context)
{
    const int *number = context;

    if (progress_due())
        progress_show("measurement %d of %d", number[0], number[1]);
    return !stopped_by;
}

/* The parameters that differ from the model's defaults, as key=value with spaces between. */
static char *settings_text(char text[CA_TEXT_MAX], const struct ca_measure *measure)
{
    const struct ca_values *values = &measure->experiment.params;
    size_t used = 0;

    text[0] = '\0';
    for (int i = 0; i < values->count && used < CA_TEXT_MAX; i++) {
        char value[CA_TEXT_MAX];

        if (values->value[i].origin != CA_BUILT_IN)
            used += (size_t)snprintf(text + used, CA_TEXT_MAX - used, "%s%s=%.200s",
                                     used ? " " : "", values->table[i].name,
                                     ca_value_format(value, &values->table[i], &values->value[i]));
    }
    return text;
}

static void print_line(const struct ca_measure *m, bool first)
{
    char size[64], settings[CA_TEXT_MAX], error[32] = "-";

    if (first)
        printf("%-12s %-12s %9s %9s %9s %7s  %-9s %s\n", "quantity", "size", "measured", "+-",
               "theory", "ratio", "allowed", "parameters");
    if (isfinite(m->error))
        snprintf(error, sizeof error, "%.4f", m->error);
    printf("%-12s %-12s %9.4f %9s %9.4f %7.3f  %.2f-%.2f %s%s\n", m->quantity->name,
           ca_size_format(size, m->experiment.size, m->experiment.model->dimensions), m->value,
           error, m->theory, m->value / m->theory, m->quantity->low, m->quantity->high,
           settings_text(settings, m), ca_measure_agrees(m) ? "" : "  OUTSIDE");
    fflush(stdout);
}

static json_t *run_measure_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *line_json(const struct ca_measure *m)
{
    return json_pack("{s:s, s:s, s:o, s:i, s:I, s:o, s:o, s:o, s:o, s:[f,f], s:b, s:o}", "quantity",
                     m->quantity->name, "unit", m->quantity->unit, "experiment",
                     ca_experiment_to_json(&m->experiment), "seeds", m->seeds, "generations",
                     (json_int_t)m->generations, "value", run_measure_number(m->value), "error",
                     run_measure_number(m->error), "theory", run_measure_number(m->theory), "ratio",
                     run_measure_number(m->value / m->theory), "allowed", m->quantity->low,
                     m->quantity->high, "agrees", ca_measure_agrees(m), "speed",
                     m->speed > 0 ? json_real(m->speed) : json_null());
}

static enum ca_status run_measure_all(struct ca_measure *line, int at[2], struct ca_error *error)
{
    CA_TRY(ca_choose_backend(&line->experiment, error));
    CA_TRY(ca_tuned_use(&line->experiment, error));
    return ca_measure_run(line, run_measure_goes_on, at, error);
}

int run_measure(struct ca_measures *measures, const struct options *options, struct ca_error *error)
{
    bool json = options_has(options, OPTION_JSON);
    enum ca_status status = CA_OK;
    json_t *lines;
    int outside = 0;

    CA_TRY(ca_measures_check(measures, error)); /* all lines, before hours of the first */
    lines = json_array();
    catch_signals();
    progress_open(options);
    for (int i = 0; i < measures->count && status == CA_OK; i++) {
        struct ca_measure *line = &measures->line[i];
        int at[2] = {i + 1, measures->count};

        status = run_measure_all(line, at, error);
        progress_clear();
        if (status != CA_OK)
            break;
        outside += !ca_measure_agrees(line);
        if (json)
            json_array_append_new(lines, line_json(line));
        else
            print_line(line, i == 0);
    }
    if (json && status != CA_USAGE &&
        json_print(json_pack("{s:s, s:O}", "schema", "calab-measure/1", "lines", lines), error) !=
            CA_OK)
        status = CA_IO;
    json_decref(lines);
    if (stopped_by) {
        ca_error_set(error, CA_WRONG, "stopped by signal %d (%s)", (int)stopped_by,
                     strsignal(stopped_by));
        return 128 + stopped_by;
    }
    if (status == CA_OK && outside > 0)
        return ca_fail(error, CA_WRONG, "%d of %d measurements are outside of what is allowed",
                       outside, measures->count);
    return (int)status;
}
