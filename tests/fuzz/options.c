/* SPDX-License-Identifier: MIT */
/* The command line: words, a line each, as main reads them, up to where a command would begin its
 * work; and what the last of them can become. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bench/bench.h"
#include "core/model/backend_glob.h"
#include "core/sim/output.h"
#include "tests/fuzz/fuzz.h"
#include "tui/commands/commands.h"

static struct ca_error error;

#define WORDS_MAX 40

static const char experiment[] =
    "model = \"life3d\"; backend = \"bitslice\"; size = \"16x8x9\"; seed = 7; steps = 3;\n"
    "init = \"crand\"; parameters : { density = 0.25; }; options : { threads = 2; };\n";

static FILE *nowhere(void)
{
    static FILE *stream;

    if (!stream)
        stream = fopen("/dev/null", "w");
    return stream;
}

/* What run, list and the workbench make of their options. */
static void choose(const struct options *options)
{
    static struct ca_experiment chosen[2];
    static struct contender contender[CONTENDERS_MAX];
    static struct ca_outputs outputs;
    struct ca_output output;
    char *command;
    int count;

    if (choose_two(chosen, &outputs, &count, options, NULL, &error) == CA_OK) {
        for (int i = 0; i < outputs.count; i++)
            ca_output_parse(&output, outputs.model, outputs.text[i], &error);
        command = ca_experiment_command(chosen, &outputs, 3);
        free(command);
    }
    choose_contenders(contender, &count, options, NULL, &error);
}

/* What bench and verify make of theirs. */
static void choose_many(const struct options *options)
{
    static const struct ca_model *models[64];
    char list[CA_TEXT_MAX];
    int64_t whole = 0;
    double number = 0;

    choose_list(list, options, OPTION_SIZE, &error);
    choose_whole(&whole, options, OPTION_CASES, 0, 1000, &error);
    choose_number(&number, options, OPTION_TIME, 0, 1000, &error);
    if (choose_models(models, options, &error) == CA_OK &&
        choose_list(list, options, OPTION_BACKEND, &error) == CA_OK && list[0])
        ca_backend_glob_check(list, models, "-b", &error);
}

static void parse(int count, char **word)
{
    const struct command *command = command_find(count, word);
    struct options options;

    if (options_parse(&options, command->bit, command->operands_max, count, word, &error) !=
        CA_OK) {
        if (options.operands > 0)
            command_check_model(options.operand[0], &error);
        return;
    }
    if (options_has(&options, OPTION_HELP)) {
        command_help(nowhere(), command, &options);
        return;
    }
    if (options_has(&options, OPTION_REMEMBERED) ||
        strchr(options_has(&options, OPTION_CONFIG) ? options_value(&options, OPTION_CONFIG) : "",
               '/'))
        return; /* of the folder's own files one is an experiment */
    if (command->bit & (FOR_BENCH | FOR_VERIFY))
        choose_many(&options);
    else if (command->bit & (FOR_RUN | FOR_WORKBENCH | FOR_LIST | FOR_CONVERT))
        choose(&options);
}

void fuzz_options(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), *word[WORDS_MAX + 1], *at = text;
    int count = 0;

    if (!text || !nowhere())
        return;
    memcpy(text, data, size);
    text[size] = '\0';
    fuzz_file("e.cfg", experiment, sizeof experiment - 1);
    word[count++] = "calab";
    while (count < WORDS_MAX && at) {
        word[count++] = at;
        at = strchr(at, '\n');
        if (at)
            *at++ = '\0';
    }
    word[count] = NULL;
    command_complete(nowhere(), count - 1, word + 1);
    parse(count, word); /* which may put options before operands */
    free(text);
}
