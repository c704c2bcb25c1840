/* SPDX-License-Identifier: MIT */
/* This file writes the shell command that repeats an experiment. */
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

char *ca_shell_word(const char *text)
{
    char *word = NULL;
    size_t length;
    FILE *stream = open_memstream(&word, &length);

    if (!stream)
        return NULL;
    write_quoted(text, stream);
    return fclose(stream) == 0 ? word : NULL;
}

static void write_option(const char *option, const char *text, FILE *stream)
{
    fputs(option, stream);
    write_quoted(text, stream);
}

static void write_setting(const struct ca_key_row *row, const char *text, FILE *stream)
{
    char option[32];

    if (row->letter)
        snprintf(option, sizeof option, " -%c ", row->letter);
    else
        snprintf(option, sizeof option, " --%s ", row->name);
    write_option(option, text, stream);
}

/* `all`: also what decides the rule and the edges, where it has the default's value. */
static void command_write_values(const struct ca_values *values, bool all, FILE *stream)
{
    for (int i = 0; i < values->count; i++) {
        const struct ca_param *param = &values->table[i];
        char text[CA_TEXT_MAX], pair[CA_TEXT_MAX + 64];
        int key = CA_KEY_THREADS;

        /* An option that is set to its default must be named, because otherwise it would be
         * tuned. */
        if (ca_value_is_default(param, &values->value[i]) && !(all && !param->initial) &&
            (!param->tune || ca_tunable(values, i)))
            continue;
        ca_value_format(text, param, &values->value[i]);
        /* The option of a backend is one of the command line, too, or a pair of --set. */
        while (key < CA_KEY_SET && strcmp(ca_key_rows[key].name, param->name) != 0)
            key++;
        snprintf(pair, sizeof pair, "%s=%s", param->name, text);
        if (key < CA_KEY_SET)
            write_setting(&ca_key_rows[key], text, stream);
        else
            write_option(" --set ", pair, stream);
    }
}

char *ca_experiment_command(const struct ca_experiment *experiment,
                            const struct ca_outputs *outputs, uint64_t steps)
{
    struct ca_experiment e = *experiment;
    char text[CA_TEXT_MAX], *command = NULL;
    size_t length;
    FILE *stream = open_memstream(&command, &length);

    if (!stream)
        return NULL;
    e.choice = NULL;
    e.steps = steps;
    write_option("calab run ", ca_model_word(e.model), stream);
    for (int i = 0; i < CA_KEY_COUNT; i++)
        if (ca_experiment_tells(&e, (enum ca_key)i, CA_IN_COMMAND))
            write_setting(&ca_key_rows[i], ca_experiment_format(text, &e, (enum ca_key)i), stream);
    /* The file of the start would replace a rule that is not named. */
    command_write_values(&e.params, ca_experiment_overrides(&e, text), stream);
    command_write_values(&e.options, false, stream);
    for (int i = 0; outputs && outputs->model == e.model && i < outputs->count; i++)
        write_option(" -o ", outputs->text[i], stream);
    if (outputs && outputs->model == e.model && ca_outputs_have_series(outputs)) {
        snprintf(text, sizeof text, "%" PRIu64, outputs->every);
        write_option(" --every ", text, stream);
    }
    if (fclose(stream) == 0)
        return command;
    free(command);
    return NULL;
}
