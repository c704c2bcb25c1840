/* SPDX-License-Identifier: MIT */
/* calab convert: writes the state of a file in another format, or a field or a picture of it. */
#include <string.h>

#include "core/files/file.h"
#include "core/files/formats.h"
#include "core/sim/simulation.h"
#include "tui/commands/commands.h"
#include "tui/commands/outputs.h"

/* The experiment of `model` that begins with the file; CA_USAGE where none of the model does. */
static enum ca_status begin_with(struct ca_experiment *experiment, struct ca_outputs *outputs,
                                 const struct ca_model *model, const char *path,
                                 const struct options *options, struct ca_error *error)
{
    const struct ca_format *format = ca_format_of(path);
    const struct ca_param *grid = model->params;
    char allowed[CA_TEXT_MAX];

    ca_experiment_default(experiment, model);
    *outputs = (struct ca_outputs){.model = model};
    experiment->origin[CA_KEY_MODEL] = CA_FROM_COMMAND_LINE;
    ca_experiment_backend(experiment, model->backends, CA_FROM_COMMAND_LINE);
    while (grid->name && grid->kind != CA_FILE)
        grid++;
    if (ca_state_has_run(path)) {
        CA_TRY(ca_experiment_read(experiment, NULL, path, error));
    } else if (ca_state_is_file(path, model)) {
        CA_TRY(ca_experiment_set(experiment, "init", path, CA_FROM_COMMAND_LINE, "convert", error));
    } else if (format && format->write_field == ca_asc_write_field && grid->name &&
               ca_start_find(model, "file") >= 0) {
        CA_TRY(
            ca_experiment_set(experiment, "init", "file", CA_FROM_COMMAND_LINE, "convert", error));
        CA_TRY(ca_experiment_value(experiment, grid->name, path, CA_FROM_COMMAND_LINE, "convert",
                                   error));
    } else {
        return ca_fail(error, CA_USAGE,
                       "'%.300s': a state of %s is read from a file that ends in %s", path,
                       model->name, ca_format_endings(allowed, model, ca_format_restores));
    }
    CA_TRY(choose_apply(experiment, outputs, options, error));
    CA_TRY(ca_experiment_resume(experiment, error));
    return ca_experiment_check(experiment, error);
}

/* The model that can begin with the file, if it is one alone. */
static enum ca_status find_model(struct ca_experiment *experiment, struct ca_outputs *outputs,
                                 const char *path, const struct options *options,
                                 struct ca_error *error)
{
    struct ca_experiment tried;
    struct ca_outputs wanted;
    const char *found[2] = {NULL};
    struct ca_error cause;
    bool known = false;

    for (int i = 0; ca_models[i]; i++) {
        enum ca_status status = begin_with(&tried, &wanted, ca_models[i], path, options, &cause);
        struct ca_setup setup = ca_setup_of(&tried);
        uint64_t generation;

        if (status == CA_OK && setup.start < 0)
            status = ca_state_read(path, &setup, NULL, &generation, &cause);
        if (status == CA_OK) {
            if (!found[0]) {
                *experiment = tried;
                *outputs = wanted;
            }
            found[found[0] != NULL] = ca_models[i]->name;
        } else if (!known && (i == 0 || status != CA_USAGE)) {
            *error = cause;
            known = status != CA_USAGE;
        }
    }
    if (found[1])
        return ca_fail(error, CA_USAGE,
                       "%.300s may be a state of %s or %s: name the model, as in calab convert %s "
                       "FROM TO",
                       path, found[0], found[1], found[0]);
    return found[0] ? CA_OK : error->status;
}

int command_convert(const struct options *options, struct ca_error *error)
{
    static struct ca_experiment experiment;
    struct options with_output = *options;
    bool named = options->operands == 3;
    const char *from = options->operand[named], *to = options->operand[named + 1];
    struct ca_simulation *simulation;
    const struct ca_model *model;
    struct ca_state_run run;
    struct ca_outputs wanted;
    struct outputs outputs;
    enum ca_status status;

    if (options->operands < 2)
        return ca_fail(error, CA_USAGE, "two files are needed: calab convert [MODEL] FROM TO");
    if (ca_format_of(to) && ca_format_of(to)->film)
        return ca_fail(error, CA_USAGE,
                       "%.300s: a film is of many generations; calab run --every N -o writes one",
                       to);
    if (options->count == OPTIONS_GIVEN_MAX)
        return ca_fail(error, CA_USAGE, "there are too many options");
    with_output.given[with_output.count].id = OPTION_OUTPUT;
    with_output.given[with_output.count++].text = to;
    if (named) {
        CA_TRY(ca_model_open(&model, options->operand[0], error));
        CA_TRY(begin_with(&experiment, &wanted, model, from, &with_output, error));
    } else if (ca_state_has_run(from)) {
        CA_TRY(ca_state_run(from, &run, error));
        CA_TRY(begin_with(&experiment, &wanted, run.model, from, &with_output, error));
    } else if (ca_format_of(from) && ca_format_of(from)->rule) {
        CA_TRY(ca_pattern_model(&model, from, error));
        CA_TRY(begin_with(&experiment, &wanted, model, from, &with_output, error));
    } else {
        CA_TRY(find_model(&experiment, &wanted, from, &with_output, error));
    }
    CA_TRY(outputs_open(&outputs, &wanted, &experiment, 0, error));
    CA_TRY(ca_simulation_open(&simulation, &experiment, error));
    status = outputs_begin(&outputs, simulation, error);
    if (status == CA_OK)
        status = outputs_last(&outputs, simulation, error);
    if (status == CA_OK)
        outputs_print(&outputs);
    outputs_close(&outputs);
    ca_simulation_close(simulation);
    return (int)status;
}
