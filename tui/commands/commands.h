/* SPDX-License-Identifier: MIT */
/*
 * The commands: a table row each, one file each. A command gets its parsed options and returns the
 * program's exit status; when that is not 0, *error holds the line that main prints ("" when all
 * has been said).
 */
#ifndef CALAB_TUI_COMMANDS_H
#define CALAB_TUI_COMMANDS_H

#include "core/sim/experiment.h"
#include "core/settings/settings.h"
#include "tui/options.h"

struct command {
    const char *name;     /* "" of the workbench */
    const char *operands; /* as the usage line names them */
    const char *help;     /* one line */
    const char *more;     /* paragraph for the command's own --help, NULL for none */
    unsigned bit;         /* FOR_... */
    int operands_max;
    /* NULL for the workbench, which main starts. */
    int (*run)(const struct options *options, struct ca_error *error);
};

/* The workbench first; ends with name NULL. */
extern const struct command commands[];

/* The row that argv belongs to: commands[0] unless argv[1] names another. */
const struct command *command_find(int argc, char **argv);
/* CA_USAGE for a word that is neither command nor model, with the nearest of both. */
enum ca_status command_check_model(const char *word, struct ca_error *error);

/* --help: of the program with the workbench's row; of a model too where the operand names one. */
void command_help(FILE *out, const struct command *command, const struct options *options);

/* Prints what could stand at the last of the words, one a line, for tui/completion.bash. */
void command_complete(FILE *out, int words, char **word);

int command_run(const struct options *options, struct ca_error *error);
/* list MODEL, list_model.c. */
enum ca_status list_model(const struct options *options, struct ca_error *error);
int command_list(const struct options *options, struct ca_error *error);
int command_engine(const struct options *options, struct ca_error *error);
int command_config(const struct options *options, struct ca_error *error);
int command_doctor(const struct options *options, struct ca_error *error);
int command_verify(const struct options *options, struct ca_error *error);
int command_probe(const struct options *options, struct ca_error *error);
int command_bench(const struct options *options, struct ca_error *error);
int command_compare(const struct options *options, struct ca_error *error);

/*
 * What verify and bench share. The models that the operands name, all without; ends with NULL.
 * CA_USAGE for another word, or one twice.
 */
enum ca_status choose_models(const struct ca_model *models[], const struct options *options,
                             struct ca_error *error);
/* All arguments of an option that may be given often or with commas, joined by commas, "" none.
 * CA_USAGE when it is too long. */
enum ca_status choose_list(char text[CA_TEXT_MAX], const struct options *options, enum option_id id,
                           struct ca_error *error);
/* A number; *value stays where the option is not given. CA_USAGE out of low ... high. */
enum ca_status choose_whole(int64_t *value, const struct options *options, enum option_id id,
                            int64_t low, int64_t high, struct ca_error *error);
enum ca_status choose_number(double *value, const struct options *options, enum option_id id,
                             double low, double high, struct ca_error *error);

/*
 * The experiment of a command line: its options over CALAB_* over the file given by -c over what
 * is remembered (`settings`, NULL: nothing) over the built-in. CA_USAGE when nobody named a model
 * and `settings` is NULL.
 */
enum ca_status choose_experiment(struct ca_experiment *experiment, const struct options *options,
                                 const struct ca_settings *settings, struct ca_error *error);

/* The words that list and config take: number i, NULL behind the last. */
const char *list_topic(const void *none, int i);
const char *config_verb(const void *none, int i);

/* A folder with experiment files: i = 0 ./configs, 1 the installed one; NULL beyond. */
const char *config_folder(int i);

#endif
