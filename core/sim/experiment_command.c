/* SPDX-License-Identifier: MIT */
/* Owns the shell command that repeats an experiment. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sim/experiment.h"

/* Writes a word as it is if no character is special to the shell, otherwise in single quotes. */
static void write_quoted(const char *text, FILE *stream)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=:,./@%";

    if (text[0] && text[strspn(text, plain)] == '\0') {
        fputs(text, stream);
        return;
    }
    putc('\'', stream);
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", stream);
        else
            putc(*text, stream);
    putc('\'', stream);
}

static void write_option(const char *option, const char *text, FILE *stream)
{
    fputs(option, stream);
    write_quoted(text, stream);
}

/* The options of a backend that are options of the command line, too. */
static bool write_long(const char *name, const char *text, FILE *stream)
{
    static const char *const names[] = {"threads", "device", "devices", "ranks"};
    char option[32];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], name) == 0) {
            snprintf(option, sizeof option, " --%s ", name);
            write_option(option, text, stream);
            return true;
        }
    return false;
}

static void write_values(const struct ca_values *values, FILE *stream)
{
    for (int i = 0; i < values->count; i++) {
        const struct ca_param *param = &values->table[i];
        char text[CA_TEXT_MAX], pair[CA_TEXT_MAX + 64];

        /* An option that is set to its default must be named, because otherwise it would be
         * tuned. */
        if (ca_value_is_default(param, &values->value[i]) &&
            (!param->tune || ca_tunable(values, i)))
            continue;
        ca_value_format(text, param, &values->value[i]);
        snprintf(pair, sizeof pair, "%s=%s", param->name, text);
        if (!write_long(param->name, text, stream))
            write_option(" --set ", pair, stream);
    }
}

char *ca_experiment_command(const struct ca_experiment *experiment, uint64_t steps)
{
    const struct ca_model *model = experiment->model;
    char text[64], *command = NULL;
    size_t length;
    FILE *stream = open_memstream(&command, &length);

    if (!stream)
        return NULL;
    write_option("calab run ", model->name, stream);
    write_option(" -b ", experiment->backend->name, stream);
    write_option(" -s ", ca_size_format(text, experiment->size, model->dimensions), stream);
    snprintf(text, sizeof text, "%" PRIu64, experiment->seed);
    write_option(" --seed ", text, stream);
    snprintf(text, sizeof text, "%" PRIu64, steps);
    write_option(" -n ", text, stream);
    if (strcmp(experiment->init, model->starts[0].name) != 0)
        write_option(" --init ", experiment->init, stream);
    if (experiment->at.given)
        write_option(" --at ", ca_at_format(text, experiment->at, model->dimensions), stream);
    snprintf(text, sizeof text, "%" PRIu64, experiment->generation);
    if (experiment->generation)
        write_option(" --generation ", text, stream);
    write_values(&experiment->params, stream);
    write_values(&experiment->options, stream);
    for (int i = 0; i < experiment->outputs; i++)
        write_option(" -o ", experiment->output[i], stream);
    snprintf(text, sizeof text, "%" PRIu64, experiment->every);
    if (ca_experiment_has_series(experiment))
        write_option(" --every ", text, stream);
    if (fclose(stream) == 0)
        return command;
    free(command);
    return NULL;
}
