/* SPDX-License-Identifier: MIT */
/* A measurement runs an experiment and fits the series of its amplitudes. */
#include "core/sim/measure.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/statistics.h"
#include "core/files/config.h"
#include "core/sim/fields.h"

#define TWO_PI 6.28318530717958647692
#define SAMPLES 80       /* of a series */
#define DECAYS 2.0       /* by theory, exponents of a series of an amplitude that decays */
#define PERIODS 3.0      /* by theory, of a series of one that oscillates */
#define LEAST_SHARE 0.08 /* of the first amplitude; below it a decay is lost in noise */

#define SHED_SAMPLES 6000 /* of a flow that sheds */
#define SPECTRUM_SAMPLES_MIN 64
#define SHED_STRENGTH 20 /* of a line, by the median of the spectrum */

struct series {
    double t[SAMPLES], a[SAMPLES];
    int count;
};

/* Twice the mean of the field times the sine of the start's wave: the wave's amplitude. */
static double amplitude(const struct ca_measurement *quantity, const struct ca_field *field,
                        const struct ca_window *window, double *values)
{
    const struct ca_blocks *blocks = &window->blocks;
    int64_t n = quantity->down ? blocks->count.h : blocks->count.w;
    struct ca_block_means means = ca_window_means(window);
    double sum = 0;

    ca_field_values(field, &means, values);
    for (int64_t i = 0; i < n; i++)
        sum += values[i * field->components + quantity->component] *
               sin(TWO_PI * (double)i / (double)n);
    return 2 * sum / (double)n;
}

static enum ca_status keep_watch(bool (*watch)(void *), void *context, struct ca_error *error)
{
    return !watch || watch(context) ? CA_OK : ca_fail(error, CA_TIMEOUT, "stopped");
}

/* Fills the series, of so many generations, with the amplitudes of the wave. */
static enum ca_status follow_wave(struct series *series, const struct ca_measurement *quantity,
                                  double length, struct ca_simulation *simulation,
                                  bool (*watch)(void *), void *context, struct ca_error *error)
{
    struct ca_size size = ca_simulation_setup(simulation)->size, block = size;
    uint64_t every = (uint64_t)fmax(1, ceil(length / SAMPLES));
    const struct ca_field *field;
    struct ca_window window;
    enum ca_status status;
    double *values;

    CA_TRY(ca_field_find(&field, ca_simulation_setup(simulation)->model, quantity->field, error));
    *(quantity->down ? &block.h : &block.w) = 1;
    CA_TRY(ca_window_open(&window, simulation, block, error));
    values = malloc((size_t)ca_window_values(&window, field) * sizeof *values);
    status = values ? CA_OK : ca_fail(error, CA_NO_MEMORY, "no memory for a profile");
    while (status == CA_OK && series->count < SAMPLES &&
           (double)ca_simulation_generation(simulation) <= length) {
        int i = series->count++;

        status = keep_watch(watch, context, error);
        ca_window_clear(&window);
        if (status == CA_OK)
            status = ca_window_sample(&window, simulation, error);
        if (status == CA_OK) {
            series->t[i] = (double)ca_simulation_generation(simulation);
            series->a[i] = amplitude(quantity, field, &window, values);
            status = ca_simulation_step(simulation, every, error);
        }
    }
    free(values);
    ca_window_close(&window);
    return status;
}

static enum ca_status run_wave(struct ca_measure *measure, double *value,
                               struct ca_simulation *simulation, bool (*watch)(void *),
                               void *context, struct ca_error *error)
{
    const struct ca_setup *setup = ca_simulation_setup(simulation);
    const struct ca_measurement *quantity = measure->quantity;
    double k = TWO_PI / quantity->length(setup), theory = measure->theory, rate;
    double length = quantity->wave == CA_WAVE_DECAYS ? DECAYS / (theory * k * k)
                                                     : PERIODS * TWO_PI / (theory * k);
    struct series *series = calloc(1, sizeof *series);
    enum ca_status status;

    if (!series)
        return ca_fail(error, CA_NO_MEMORY, "no memory for a series");
    status = follow_wave(series, quantity, length, simulation, watch, context, error);
    if (status == CA_OK && quantity->wave == CA_WAVE_OSCILLATES)
        *value = ca_fit_oscillation(series->t, series->a, series->count, theory * k) / k;
    else if (status == CA_OK &&
             ca_fit_decay(series->t, series->a, series->count, LEAST_SHARE * series->a[0], &rate))
        *value = rate / (k * k);
    else if (status == CA_OK)
        status = ca_fail(error, CA_WRONG,
                         "%s: the wave is lost in noise after %d samples: take a larger lattice",
                         quantity->name, series->count);
    free(series);
    return status;
}

/* Runs the flow of one seed and finds the line in the spectrum of its observable. */
static enum ca_status run_flow(struct ca_measure *measure, double *value,
                               struct ca_simulation *simulation, bool (*watch)(void *),
                               void *context, struct ca_error *error)
{
    const struct ca_setup *setup = ca_simulation_setup(simulation);
    const struct ca_measurement *quantity = measure->quantity;
    uint64_t steps = measure->experiment.steps, every = steps / SHED_SAMPLES + 1;
    int index = 0, count = 0, used;
    double means[CA_OBSERVABLES_MAX] = {0}, now[CA_OBSERVABLES_MAX] = {0}, strength, line;
    double *series = malloc(SHED_SAMPLES * sizeof *series);
    enum ca_status status = CA_OK;

    if (!series)
        return ca_fail(error, CA_NO_MEMORY, "no memory for a series");
    while (strcmp(ca_observables(setup->model)[index].name, quantity->field) != 0)
        index++;
    while (status == CA_OK && count < SHED_SAMPLES &&
           ca_simulation_generation(simulation) + every <= steps) {
        status = keep_watch(watch, context, error);
        if (status == CA_OK)
            status = ca_simulation_step(simulation, every, error);
        if (status == CA_OK)
            status = ca_simulation_observe(simulation, now, error);
        series[count++] = now[index];
        for (int i = 0; i < CA_OBSERVABLES_MAX; i++)
            means[i] += now[i] * (ca_simulation_generation(simulation) > steps / 3);
    }
    used = count - count / 3;
    for (int i = 0; i < CA_OBSERVABLES_MAX && used > 0; i++)
        means[i] /= used;
    if (status == CA_OK) {
        line = ca_spectral_line(series + count / 3, used, &strength) / (double)every;
        measure->speed = quantity->speed(setup, means);
        *value = line * quantity->length(setup) / measure->speed;
        if (!(strength >= SHED_STRENGTH))
            status = ca_fail(error, CA_WRONG,
                             "%s: no line stands out of the noise: the strongest has %.3g times "
                             "the median's power, not %d: the flow may be too slow",
                             quantity->name, strength, SHED_STRENGTH);
    }
    free(series);
    return status;
}

/* Checks that a setup whose size is known, and the length of the run, suit the quantity. */
static enum ca_status check_setup(const struct ca_measure *measure, const struct ca_setup *setup,
                                  struct ca_error *error)
{
    const struct ca_measurement *quantity = measure->quantity;
    uint64_t steps = measure->experiment.steps;
    uint64_t samples = steps / (steps / SHED_SAMPLES + 1);

    CA_TRY(quantity->check(setup, error));
    /* The last two thirds of the samples are in the spectrum. */
    if (quantity->wave == CA_WAVE_SHEDS && samples - samples / 3 < SPECTRUM_SAMPLES_MIN)
        return ca_fail(error, CA_USAGE, "%s: steps = %llu are too few for a spectrum",
                       quantity->name, (unsigned long long)steps);
    return CA_OK;
}

enum ca_status ca_measure_check(struct ca_measure *measure, struct ca_error *error)
{
    struct ca_setup setup;

    CA_TRY(ca_simulation_check(&measure->experiment, error));
    setup = ca_setup_of(&measure->experiment);
    return check_setup(measure, &setup, error);
}

enum ca_status ca_measure_run(struct ca_measure *measure, bool (*watch)(void *context),
                              void *context, struct ca_error *error)
{
    double values[CA_MEASURE_SEEDS_MAX];

    for (int i = 0; i < measure->seeds; i++) {
        struct ca_experiment experiment = measure->experiment;
        struct ca_simulation *simulation;
        enum ca_status status;

        experiment.seed += (uint64_t)i;
        status = ca_simulation_open(&simulation, &experiment, error);
        if (status == CA_OK)
            status = check_setup(measure, ca_simulation_setup(simulation), error);
        if (status == CA_OK) {
            measure->theory = measure->quantity->theory(ca_simulation_setup(simulation));
            status = (measure->quantity->wave == CA_WAVE_SHEDS ? run_flow : run_wave)(
                measure, &values[i], simulation, watch, context, error);
            measure->generations = ca_simulation_generation(simulation);
        }
        ca_simulation_close(simulation);
        CA_TRY(status);
    }
    measure->value = ca_mean(values, measure->seeds, &measure->error);
    return CA_OK;
}

bool ca_measure_agrees(const struct ca_measure *measure)
{
    double ratio = measure->value / measure->theory;

    return ratio >= measure->quantity->low && ratio <= measure->quantity->high;
}

/* --- the key `measure` of experiment files: every combination of the values that it lists ----- */

#define LINES_MAX 4096
#define LISTS_MAX 16

/* A setting of a case with one value or several. */
struct list {
    const config_setting_t *setting;
    int parameter; /* its index, -1: the size */
};

struct reader {
    const char *path;
    struct ca_measures *measures;
    const struct ca_experiment *experiment;
    struct ca_error *error;
    struct list list[LISTS_MAX];
    int lists;
};

static bool has_several(const config_setting_t *setting)
{
    return config_setting_is_array(setting) || config_setting_is_list(setting);
}

/* All combinations of the lists from number i on. */
static enum ca_status combine(struct reader *reader, const struct ca_measure *line, int i)
{
    struct ca_measures *measures = reader->measures;
    const struct list *list = &reader->list[i < reader->lists ? i : 0];
    int values = i == reader->lists           ? 0
                 : has_several(list->setting) ? config_setting_length(list->setting)
                                              : 1;
    struct ca_measure *lines;
    char text[CA_TEXT_MAX], where[CA_TEXT_MAX];

    for (int v = 0; v < values; v++) {
        const config_setting_t *value = has_several(list->setting)
                                            ? config_setting_get_elem(list->setting, (unsigned)v)
                                            : list->setting;
        struct ca_measure next = *line;

        if (list->parameter >= 0) {
            CA_TRY(ca_config_value(&next.experiment.params, list->parameter, value,
                                   CA_FROM_EXPERIMENT, reader->path, reader->error));
        } else {
            CA_TRY(ca_config_text(text, value, reader->path, reader->error));
            CA_TRY(ca_config_refused(
                ca_experiment_set(&next.experiment, "size", text, CA_FROM_EXPERIMENT,
                                  ca_config_where(where, list->setting, reader->path),
                                  reader->error),
                reader->error));
        }
        CA_TRY(combine(reader, &next, i + 1));
    }
    if (i < reader->lists)
        return CA_OK;
    if (measures->count == LINES_MAX)
        return ca_fail(reader->error, CA_SETTINGS, "%s: measure: more than %d combinations",
                       reader->path, LINES_MAX);
    lines = realloc(measures->line, (size_t)(measures->count + 1) * sizeof *lines);
    if (!lines)
        return ca_fail(reader->error, CA_NO_MEMORY, "no memory for %d measurements",
                       measures->count + 1);
    measures->line = lines;
    lines[measures->count++] = *line;
    return CA_OK;
}

static enum ca_status find_quantity(const struct ca_measurement **found, struct reader *reader,
                                    const config_setting_t *group)
{
    const config_setting_t *setting = config_setting_get_member(group, "quantity");
    const struct ca_measurement *rows = ca_measurements(reader->experiment->model);
    char text[CA_TEXT_MAX], names[200] = "";

    if (!rows->name)
        return ca_config_fail(group, reader->path, reader->error, "%s has nothing to measure",
                              reader->experiment->model->name);
    if (!setting)
        return ca_config_fail(group, reader->path, reader->error, "the key 'quantity' is missing");
    CA_TRY(ca_config_text(text, setting, reader->path, reader->error));
    for (*found = rows; (*found)->name; ++*found) {
        if (strcmp((*found)->name, text) == 0)
            return CA_OK;
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
                 *found == rows ? "" : ", ", (*found)->name);
    }
    return ca_config_fail(setting, reader->path, reader->error, "'%s' is not allowed: one of %s",
                          text, names);
}

static enum ca_status read_case(struct reader *reader, const config_setting_t *group)
{
    static const char *const keys[] = {"quantity", "size", "seeds", "parameters"};
    const config_setting_t *size, *seeds, *params;
    const struct ca_values *values = &reader->experiment->params;
    struct ca_measure line = {.experiment = *reader->experiment, .seeds = 1};
    char hint[CA_TEXT_MAX];

    CA_TRY(ca_config_group(group, reader->path, reader->error));
    CA_TRY(ca_config_keys(group, reader->path, keys, sizeof keys / sizeof keys[0], "a measurement",
                          reader->error));
    CA_TRY(find_quantity(&line.quantity, reader, group));
    size = config_setting_get_member(group, "size");
    seeds = config_setting_get_member(group, "seeds");
    params = config_setting_get_member(group, "parameters");
    if (seeds) {
        line.seeds = config_setting_get_int(seeds);
        if (!ca_config_is_whole(seeds) || line.seeds < 1 || line.seeds > CA_MEASURE_SEEDS_MAX)
            return ca_config_fail(seeds, reader->path, reader->error,
                                  "a whole number from 1 to %d is allowed", CA_MEASURE_SEEDS_MAX);
    }
    reader->lists = 0;
    if (params)
        CA_TRY(ca_config_group(params, reader->path, reader->error));
    for (int i = 0; params && i < config_setting_length(params); i++) {
        const config_setting_t *setting = config_setting_get_elem(params, (unsigned)i);
        int index = ca_values_find(values, config_setting_name(setting));

        if (index < 0 || reader->lists == LISTS_MAX - 1)
            return ca_config_fail(setting, reader->path, reader->error,
                                  "is not a parameter of %s%s", reader->experiment->model->name,
                                  ca_suggest(hint, config_setting_name(setting), values->count,
                                             ca_param_name, values->table));
        reader->list[reader->lists++] = (struct list){setting, index};
    }
    if (size)
        reader->list[reader->lists++] = (struct list){size, -1};
    assert(line.quantity);
    if (line.quantity->start)
        CA_TRY(ca_experiment_set(&line.experiment, "init", line.quantity->start, CA_FROM_EXPERIMENT,
                                 reader->path, reader->error));
    return combine(reader, &line, 0);
}

enum ca_status ca_measures_read(struct ca_measures *measures, const char *path,
                                const struct ca_experiment *experiment, struct ca_error *error)
{
    struct reader reader = {
        .path = path, .measures = measures, .experiment = experiment, .error = error};
    const config_setting_t *root, *list = NULL;
    enum ca_status status;
    config_t config;

    *measures = (struct ca_measures){0};
    status = ca_config_read(&config, path, NULL, error);
    if (status == CA_OK) {
        root = config_root_setting(&config);
        list = config_setting_get_member(root, "measure");
    }
    if (list && !config_setting_is_list(list))
        status = ca_config_fail(list, path, error, "a list of groups is expected: ( { ... } )");
    for (int i = 0; status == CA_OK && list && i < config_setting_length(list); i++)
        status = read_case(&reader, config_setting_get_elem(list, (unsigned)i));
    config_destroy(&config);
    if (status != CA_OK)
        ca_measures_free(measures);
    return status;
}

void ca_measures_free(struct ca_measures *measures)
{
    free(measures->line);
    *measures = (struct ca_measures){0};
}
