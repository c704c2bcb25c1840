/* SPDX-License-Identifier: MIT */
/* This file completes the command line: it lists what can stand behind the words that are there. */
#include <string.h>

#include "tui/commands/bench.h"
#include "tui/commands/commands.h"
#include "tui/complete.h"

static void listed(struct completion *completion, const char *(*word)(const void *, int))
{
    for (int i = 0; word(NULL, i); i++)
        completion_offer(completion, word(NULL, i));
}

static void argument_of_model(struct completion *completion, int id, const struct ca_model *model)
{
    if (id == OPTION_BACKEND || id == OPTION_RATIO)
        complete_specs(completion, model);
    if (id == OPTION_INIT)
        complete_starts(completion, model);
    if (id == OPTION_OUTPUT)
        complete_fields(completion, model);
    if (id != OPTION_SET)
        return;
    complete_settings(completion, model->params);
    for (const struct ca_backend *b = model->backends; b; b = ca_backend_next(model, b))
        complete_settings(completion, b->options);
}

/* The argument of an option, except paths and numbers; of all models where none is named. */
static void argument(struct completion *completion, int id, const struct ca_model *model)
{
    for (int i = 0; ca_models[i]; i++)
        if (!model || ca_models[i] == model)
            argument_of_model(completion, id, ca_models[i]);
    if (id == OPTION_CONFIG)
        complete_shipped(completion);
    if (id == OPTION_FIGURE)
        listed(completion, bench_figure);
    if (id == OPTION_FROM)
        listed(completion, model_example);
}

/* The option `word` of a command, of so many characters, if it takes an argument, else
 * OPTION_COUNT. */
static int option_with_argument(unsigned command, const char *word, size_t length)
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option_row *row = &option_rows[i];

        if ((row->commands & command) && row->argument &&
            ((length == strlen(row->name) + 2 && strncmp(word, "--", 2) == 0 &&
              strncmp(word + 2, row->name, length - 2) == 0) ||
             (length == 2 && row->letter && word[1] == row->letter)))
            return i;
    }
    return OPTION_COUNT;
}

void command_complete(FILE *out, int words, char **word)
{
    const struct command *command = command_find(words > 1 ? 2 : 1, word - 1);
    const struct ca_model *model = NULL;
    const char *typed = word[words - 1], *before = words > 1 ? word[words - 2] : "";
    int option = before[0] == '-' ? option_with_argument(command->bit, before, strlen(before))
                                  : OPTION_COUNT;
    struct completion completion;
    struct ca_error ignored;

    for (int i = 0; i < words - 1; i++)
        if (ca_model_find(&model, word[i], &ignored) == CA_OK)
            break;
    completion_begin(&completion, typed);
    if (option == OPTION_COUNT && strncmp(typed, "--", 2) == 0 && strchr(typed, '=')) {
        option = option_with_argument(command->bit, typed, strcspn(typed, "="));
        completion.from = strcspn(typed, "=") + 1;
    }
    if (option < OPTION_COUNT)
        argument(&completion, option, model);
    else if (typed[0] == '-') {
        char text[64];

        for (int i = 0; i < OPTION_COUNT; i++)
            if (option_rows[i].commands & command->bit) {
                snprintf(text, sizeof text, "--%s", option_rows[i].name);
                completion_offer(&completion, text);
            }
    } else {
        for (int i = 1; words == 1 && commands[i].name; i++)
            completion_offer(&completion, commands[i].name);
        if (command->bit &
            (FOR_RUN | FOR_WORKBENCH | FOR_VERIFY | FOR_BENCH | FOR_LIST | FOR_CONVERT))
            complete_models(&completion);
        if (command->bit == FOR_LIST)
            listed(&completion, list_topic);
        if (command->bit == FOR_CONFIG)
            listed(&completion, config_verb);
        if (command->bit == FOR_LAB && words > 1)
            complete_models(&completion);
        if (command->bit == FOR_LAB)
            listed(&completion, lab_verb);
        if (command->bit == FOR_MODEL)
            listed(&completion, model_verb);
    }
    for (int i = 0; i < completion.count; i++)
        fprintf(out, "%s\n", completion.word[i]);
    completion_end(&completion);
}
