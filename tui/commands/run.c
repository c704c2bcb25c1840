/* SPDX-License-Identifier: MIT */
/* calab run: runs an experiment in this process and prints its result as text or JSON. */
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/bench/choose.h"
#include "core/bench/run_check.h"
#include "core/bench/tune.h"
#include "core/engine/crash.h"
#include "core/engine/experiment_json.h"
#include "core/files/file.h"
#include "core/sim/measure.h"
#include "core/sim/shipped.h"
#include "core/sim/simulation.h"
#include "tui/commands/commands.h"
#include "tui/commands/json.h"
#include "tui/commands/outputs.h"
#include "tui/commands/progress.h"
#include "tui/commands/result.h"
#include "tui/commands/run_checkpoint.h"
#include "tui/commands/run_two.h"
#include "tui/options.h"

/* --- measurements ----------------------------------------------------------------------------- */

static bool run_measure_goes_on(void *context)
{
    const int *number = context;

    if (progress_due())
        progress_show("measurement %d of %d", number[0], number[1]);
    return !stopped_by;
}

static void print_line(const struct ca_measure *m, bool first)
{
    char size[64], settings[CA_TEXT_MAX], error[32] = "-";
    const struct ca_values *values;

    if (first)
        printf("%-12s %-12s %9s %9s %9s %7s  %-9s %s\n", "quantity", "size", "measured", "+-",
               "theory", "ratio", "allowed", "parameters");
    if (isfinite(m->error))
        snprintf(error, sizeof error, "%.4f", m->error);
    /* The parameters that differ from the model's defaults, as key=value with spaces between. */
    values = &m->experiment.params;
    settings[0] = '\0';
    for (int i = 0; i < values->count; i++) {
        char value[CA_TEXT_MAX];

        if (values->value[i].origin != CA_BUILT_IN)
            ca_text_add(settings, CA_TEXT_MAX, "%s%s=%.200s", settings[0] ? " " : "",
                        values->table[i].name,
                        ca_value_format(value, &values->table[i], &values->value[i]));
    }
    printf("%-12s %-12s %9.4f %9s %9.4f %7.3f  %.2f-%.2f %s%s\n", m->quantity->name,
           ca_size_format(size, m->experiment.size, m->experiment.model->dimensions), m->value,
           error, m->theory, m->value / m->theory, m->quantity->low, m->quantity->high, settings,
           ca_measure_agrees(m) ? "" : "  OUTSIDE");
    fflush(stdout);
}

static json_t *run_measure_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* Runs and prints all lines. CA_WRONG where one is outside of its range, 128 + n after a signal n;
 * the lines that were measured before are printed all the same. */
static int run_measure(struct ca_measures *measures, const struct options *options,
                       struct ca_error *error)
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

        status = ca_choose_backend(&line->experiment, error);
        if (status == CA_OK)
            status = ca_tuned_use(&line->experiment, error);
        if (status == CA_OK)
            status = ca_measure_run(line, run_measure_goes_on, at, error);
        progress_clear();
        if (status != CA_OK)
            break;
        outside += !ca_measure_agrees(line);
        if (json) {
            json_array_append_new(
                lines,
                json_pack("{s:s, s:s, s:o, s:i, s:I, s:o, s:o, s:o, s:o, s:[f,f], s:b, s:o}",
                          "quantity", line->quantity->name, "unit", line->quantity->unit,
                          "experiment", ca_experiment_to_json(&line->experiment), "seeds",
                          line->seeds, "generations", (json_int_t)line->generations, "value",
                          run_measure_number(line->value), "error", run_measure_number(line->error),
                          "theory", run_measure_number(line->theory), "ratio",
                          run_measure_number(line->value / line->theory), "allowed",
                          line->quantity->low, line->quantity->high, "agrees",
                          ca_measure_agrees(line), "speed",
                          line->speed > 0 ? json_real(line->speed) : json_null()));
        } else
            print_line(line, i == 0);
    }
    if (json && status != CA_USAGE &&
        json_print(json_pack("{s:s, s:O}", "schema", "calab-measure/1", "lines", lines), error) !=
            CA_OK)
        status = CA_IO;
    json_decref(lines);
    if (stopped_by)
        return stopped_status(CA_WRONG, "", error);
    if (status == CA_OK && outside > 0)
        return ca_fail(error, CA_WRONG, "%d of %d measurements are outside of what is allowed",
                       outside, measures->count);
    return (int)status;
}

#define CHUNK_S 0.1 /* between checks of the clock and of signals */

static enum ca_status parse_seconds(double *seconds, const struct options *options,
                                    struct ca_error *error)
{
    const char *text = options_value(options, OPTION_SECONDS);

    *seconds = 0;
    if (!text)
        return CA_OK;
    if (options_has(options, OPTION_STEPS))
        return ca_fail(error, CA_USAGE, "--seconds, --steps: only one of them is allowed");
    if (!ca_read_real(text, seconds) || *seconds <= 0 || *seconds > 1e7)
        return ca_fail(error, CA_USAGE,
                       "--seconds: '%.80s' is not allowed: a number above 0, at most 10000000",
                       text);
    return CA_OK;
}

/* The end of the run, by generation or by time, and its rate. */
struct pace {
    uint64_t goal;
    double seconds; /* 0: no time limit */
    double rate;    /* generations per second, 0: unlimited */
};

/* The number of generations that are due, at most `chunk`. If none is due, it waits and returns 0.
 */
static uint64_t due(const struct pace *pace, uint64_t done, double elapsed, uint64_t chunk)
{
    double ahead = (double)(done + 1) - elapsed * pace->rate;
    struct timespec wait = {0, (long)(1e9 * fmin(0.05, ahead / pace->rate))};

    if (pace->rate <= 0)
        return chunk < pace->goal - done ? chunk : pace->goal - done;
    if (ahead > 0) {
        nanosleep(&wait, NULL);
        return 0;
    }
    return (uint64_t)fmin((double)chunk, 1 - ahead);
}

/* Steps in chunks of about CHUNK_S, that end where a series has a file. */
static enum ca_status step_all(struct ca_simulation *simulation, const struct pace *pace,
                               struct outputs *outputs, struct run_checkpoint *checkpoint,
                               struct ca_error *error)
{
    double start = ca_now(), now = start;
    uint64_t chunk = 1, done = 0;

    CA_TRY(outputs_step(outputs, simulation, error));
    while (done < pace->goal && !stopped_by &&
           (pace->seconds <= 0 || now - start < pace->seconds)) {
        uint64_t left = outputs_distance(outputs, ca_simulation_generation(simulation));
        uint64_t n = due(pace, done, now - start, chunk < left ? chunk : left);
        double before = ca_now(), took;

        CA_TRY(ca_simulation_step(simulation, n, error));
        done += n;
        took = ca_now() - before;
        if (n > 0)
            CA_TRY(outputs_step(outputs, simulation, error));
        run_checkpoint_tick(checkpoint, simulation);
        now = ca_now();
        /* Growth is bounded, because the first calls of a run are slower than the rest. */
        if (took < CHUNK_S / 2 && chunk < UINT64_MAX / 32)
            chunk =
                took > 0 ? (uint64_t)fmin((double)n * 16, (double)n * CHUNK_S / took) + 1 : n * 16;
        else if (took > CHUNK_S * 2)
            chunk = (uint64_t)fmax(1, (double)n * CHUNK_S / took);
        if (progress_due()) {
            const struct ca_experiment *e = ca_simulation_experiment(simulation);
            char size[64], of[32] = "";

            if (pace->goal < UINT64_MAX)
                snprintf(of, sizeof of, " of %" PRIu64,
                         ca_simulation_first(simulation) + pace->goal);
            progress_show("%s %s %s: generation %" PRIu64 "%s, %.0f s", e->model->name,
                          ca_size_format(size, e->size, e->model->dimensions), e->backend->name,
                          ca_simulation_generation(simulation), of, ca_now() - start);
        }
    }
    return CA_OK;
}

static int run_command_stopped(const struct ca_simulation *simulation, struct outputs *outputs,
                               const struct run_checkpoint *checkpoint, struct ca_error *error)
{
    char text[128];
    uint64_t generation = ca_simulation_generation(simulation), files;
    enum ca_status status = outputs_stop(outputs, error);

    if (status != CA_OK && status != CA_TIMEOUT) /* a wait for a reader, which the signal ended */
        return (int)status;
    files = outputs_count(outputs);
    if (files > 0)
        snprintf(text, sizeof text,
                 " at generation %" PRIu64 "; the files written so far are whole: %" PRIu64,
                 generation, files);
    else
        snprintf(text, sizeof text, " at generation %" PRIu64 "; %s", generation,
                 checkpoint->path ? "--resume goes on from there" : "nothing was written");
    return stopped_status(CA_WRONG, text, error);
}

static int run_command_finish(struct ca_simulation *simulation, struct outputs *outputs,
                              struct run_checkpoint *checkpoint,
                              const struct ca_interference *others, const struct options *options,
                              struct ca_error *error)
{
    struct result result;
    enum ca_status status;

    CA_TRY(run_checkpoint_write(checkpoint, simulation, error));
    if (stopped_by)
        return run_command_stopped(simulation, outputs, checkpoint, error);
    CA_TRY(result_take(&result, simulation, options_has(options, OPTION_FRAME), error));
    status = outputs_last(outputs, simulation, error);
    if (stopped_by && (status == CA_OK || status == CA_TIMEOUT))
        return run_command_stopped(simulation, outputs, checkpoint, error);
    CA_TRY(status);
    result.outputs = outputs;
    ca_disturbance_add(&result.disturbance, others, 0);
    if (options_has(options, OPTION_JSON))
        return (int)result_print_json(&result, error);
    result_print_text(&result);
    return CA_OK;
}

/* With --remembered the run has the saved pace too, so that it equals that of the workbench. */
static enum ca_status run_command_choose(struct ca_experiment experiment[2],
                                         struct ca_outputs *outputs, int *count, double *rate,
                                         const struct options *options, struct ca_error *error)
{
    struct ca_settings *settings = NULL;
    enum ca_status status;
    bool given;

    if (!options_has(options, OPTION_REMEMBERED))
        return choose_two(experiment, outputs, count, options, NULL, error);
    status = ca_settings_open(&settings, ca_settings_path(), error);
    if (status == CA_NO_MEMORY)
        return status;
    if (status != CA_OK)
        fprintf(stderr, "calab run: %s; %s\n", error->text, ca_settings_instead(settings));
    status = choose_two(experiment, outputs, count, options, settings, error);
    given = ca_settings_values(settings)->value[CA_SETTING_SPEED].origin == CA_FROM_ENVIRONMENT;
    if (status == CA_OK)
        *rate = (given ? ca_setting_number(settings, CA_SETTING_SPEED)
                       : experiment[0].initial_view.value[CA_INITIAL_PACE].number) *
                ca_setting_number(settings, CA_SETTING_FPS);
    ca_settings_close(settings);
    return status;
}

static int run_one(struct ca_experiment *experiment, const struct ca_outputs *wanted,
                   struct pace *pace, const struct options *options, struct ca_error *error)
{
    struct ca_simulation *simulation;
    struct run_checkpoint checkpoint;
    struct outputs outputs;
    struct ca_meter meter;
    struct ca_interference others;
    char init[CA_TEXT_MAX], overridden[CA_TEXT_MAX];
    int status;

    memcpy(init, experiment->init, sizeof init);
    CA_TRY(ca_experiment_resume(experiment, error));
    CA_TRY(run_checkpoint_open(&checkpoint, options, wanted, experiment, error));
    pace->goal = pace->seconds > 0 ? UINT64_MAX : experiment->steps;
    if (ca_experiment_guesses(experiment))
        fprintf(stderr,
                "calab run: %s draws random numbers by generation, and %.200s does not say which "
                "one it is: taking 0, --generation tells another\n",
                experiment->model->name, ca_plain(init));
    CA_TRY(outputs_open(&outputs, wanted, experiment, pace->goal, error));
    experiment->swaps = true;
    CA_TRY(ca_simulation_open(&simulation, experiment, error));
    if (ca_experiment_flashes(experiment))
        fprintf(stderr, "calab run: %.200s" COMMAND_FLASHES "\n", ca_plain(init));
    if (ca_experiment_overrides(experiment, overridden))
        fprintf(stderr, "calab run: %.200s%s\n", ca_plain(init), overridden);
    catch_signals(); /* before this, a signal simply ends the process */
    if (checkpoint.path)
        catch_checkpoint_signal();
    progress_open(options);
    status = (int)outputs_begin(&outputs, simulation, error);
    ca_simulation_meter(simulation, &meter);
    ca_meter_start(&meter);
    if (status == CA_OK)
        status = (int)step_all(simulation, pace, &outputs, &checkpoint, error);
    ca_meter_stop(&meter, &others);
    progress_clear();
    if (status == CA_OK || (status == CA_TIMEOUT && stopped_by))
        status = run_command_finish(simulation, &outputs, &checkpoint, &others, options, error);
    outputs_close(&outputs);
    ca_simulation_close(simulation);
    return status;
}

/* The measurements of the experiment file: none where it lists none, or the command line says how
 * long a run is wanted. */
static enum ca_status read_measures(struct ca_measures *measures,
                                    const struct ca_experiment *experiment,
                                    const struct options *options, struct ca_error *error)
{
    static const enum option_id refused[] = {OPTION_INIT,     OPTION_AT,   OPTION_FRAME,
                                             OPTION_MARKDOWN, OPTION_FIND, OPTION_CHECKPOINT};
    const char *named = options_value(options, OPTION_CONFIG);
    char file[PATH_MAX];

    *measures = (struct ca_measures){0};
    if (!named || ca_state_has_run(named) || !ca_file_exists(ca_shipped_path(file, named)) ||
        options_has(options, OPTION_STEPS) || options_has(options, OPTION_SECONDS))
        return CA_OK;
    CA_TRY(ca_measures_read(measures, file, experiment, error));
    for (size_t i = 0; measures->count > 0 && i < sizeof refused / sizeof refused[0]; i++)
        if (options_has(options, refused[i])) {
            ca_measures_free(measures);
            return ca_fail(error, CA_USAGE, "--%s: %s lists measurements, which do not have it",
                           option_rows[refused[i]].name, file);
        }
    return CA_OK;
}

int command_run(const struct options *options, struct ca_error *error)
{
    static struct ca_experiment experiment[2];
    static struct ca_outputs outputs;
    struct pace pace = {0};
    struct ca_measures measures;
    int count;
    static const enum option_id one[] = {OPTION_SECONDS, OPTION_OUTPUT,     OPTION_EVERY,
                                         OPTION_FRAME,   OPTION_SLICE,      OPTION_PROJECT,
                                         OPTION_SCALE,   OPTION_GENERATION, OPTION_CHECKPOINT,
                                         OPTION_EVERY_S, OPTION_RESUME},
                                two[] = {OPTION_MARKDOWN, OPTION_FIND};
    const enum option_id *refused;
    size_t refusals;

    ca_crash_begin("run");
    if (options->operands > 0)
        CA_TRY(command_check_model(options->operand[0], error));
    if ((fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE) == O_RDONLY)
        return ca_fail(error, CA_IO, "standard output is closed; the result is written to it");
    CA_TRY(parse_seconds(&pace.seconds, options, error));
    CA_TRY(run_command_choose(experiment, &outputs, &count, &pace.rate, options, error));
    /* Options of one backend are refused with two, and the other way round. */
    refused = count == 2 ? one : two;
    refusals = count == 2 ? sizeof one / sizeof one[0] : sizeof two / sizeof two[0];
    for (size_t i = 0; i < refusals; i++)
        if (options_has(options, refused[i]))
            return ca_fail(error, CA_USAGE, "--%s: only allowed with %s",
                           option_rows[refused[i]].name,
                           count == 2 ? "one backend" : "two backends, as in -b A,B");
    if (count == 2 && (experiment->state[0] || experiment->generation))
        return ca_fail(
            error, CA_USAGE,
            "two backends begin at generation 0, and the experiment goes on from another: "
            "take one backend, or --init FILE");
    CA_TRY(read_measures(&measures, &experiment[0], options, error));
    if (measures.count > 0) {
        int status = run_measure(&measures, options, error);

        ca_measures_free(&measures);
        return status;
    }
    for (int i = 0; i < count; i++) {
        CA_TRY(ca_choose_backend(&experiment[i], error));
        CA_TRY(ca_tuned_use(&experiment[i], error));
    }
    return count == 2 ? run_two(experiment, options, error)
                      : run_one(&experiment[0], &outputs, &pace, options, error);
}
