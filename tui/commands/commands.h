/* SPDX-License-Identifier: MIT */
/*
 * The commands: each has a table row and a file. A command gets its parsed options and returns the
 * exit status of the program. If that is not 0, *error holds the line that main prints, "" if there
 * is nothing more to print.
 */
#ifndef CALAB_TUI_COMMANDS_H
#define CALAB_TUI_COMMANDS_H

#include "core/sim/experiment.h"
#include "core/settings/settings.h"
#include "tui/contender.h"
#include "tui/options.h"

struct command {
    const char *name;     /* "" for the workbench */
    const char *operands; /* their names in the usage line */
    const char *help;     /* one line */
    const char *more;     /* further paragraph of its --help, NULL for none */
    const char *examples; /* command lines with what they do behind '#', separated by newlines */
    unsigned bit;         /* FOR_... */
    int operands_max;
    /* NULL for the workbench, which main starts. */
    int (*run)(const struct options *options, struct ca_error *error);
};

/* The first row is the workbench; the last one has name NULL. */
extern const struct command commands[];

/* The row that argv[1] names, else commands[0]. */
const struct command *command_find(int argc, char **argv);
/* CA_USAGE for a word that is neither a command nor a model, with the nearest name. */
enum ca_status command_check_model(const char *word, struct ca_error *error);
/* What is said of a file whose experiment ca_experiment_flashes. */
#define COMMAND_FLASHES                                                                            \
    " is a pattern of an unbounded plane, all of which its rule makes live (B0): here the cells "  \
    "of the lattice alone become so"
/*
 * A command line whose model is the file of a pattern, `calab glider.rle`, becomes one with the
 * pattern as the start and the model of its rule. CA_USAGE, CA_IO.
 */
enum ca_status command_take_pattern(struct options *options, struct ca_error *error);

/* Prints --help of a command, and that of a model if the operand names one. For the workbench it is
 * the help of the program. */
void command_help(FILE *out, const struct command *command, const struct options *options);

/* completion.c: prints what the last word can become, a word per line, for tui/completion.*. */
void command_complete(FILE *out, int words, char **word);

int command_run(const struct options *options, struct ca_error *error);
/* list MODEL, list_model.c. */
enum ca_status list_model(const struct options *options, struct ca_error *error);
int command_list(const struct options *options, struct ca_error *error);
int command_engine(const struct options *options, struct ca_error *error);
int command_config(const struct options *options, struct ca_error *error);
int command_convert(const struct options *options, struct ca_error *error);
int command_emulate(const struct options *options, struct ca_error *error);
int command_lab(const struct options *options, struct ca_error *error);
int command_model(const struct options *options, struct ca_error *error);
/* model check FILE, model_check.c. */
enum ca_status model_check(const struct options *options, struct ca_error *error);
int command_doctor(const struct options *options, struct ca_error *error);
int command_verify(const struct options *options, struct ca_error *error);
int command_probe(const struct options *options, struct ca_error *error);
int command_bench(const struct options *options, struct ca_error *error);
int command_compare(const struct options *options, struct ca_error *error);

/*
 * For verify and bench: the models that the operands name, all models without operands. The array
 * ends with NULL. CA_USAGE for another word, or for the same model twice.
 */
enum ca_status choose_models(const struct ca_model *models[], const struct options *options,
                             struct ca_error *error);
/* All arguments of an option that may be repeated, joined by commas, "" for none. CA_USAGE if that
 * is too long. */
enum ca_status choose_list(char text[CA_TEXT_MAX], const struct options *options, enum option_id id,
                           struct ca_error *error);
/* A number; *value is unchanged without the option. CA_USAGE outside low ... high. */
enum ca_status choose_whole(int64_t *value, const struct options *options, enum option_id id,
                            int64_t low, int64_t high, struct ca_error *error);
enum ca_status choose_number(double *value, const struct options *options, enum option_id id,
                             double low, double high, struct ca_error *error);

/*
 * The experiment of a command line, and the files that its run writes. Its options take precedence
 * over CALAB_*, these over the file of -c, that over the saved view in `settings` (may be NULL),
 * and that over the built-in values. CA_USAGE if no model is named and `settings` is NULL.
 */
enum ca_status choose_experiment(struct ca_experiment *experiment, struct ca_outputs *outputs,
                                 const struct options *options, const struct ca_settings *settings,
                                 struct ca_error *error);
/* The same for -b with one backend or two, whose number it tells: experiments that differ in
 * backend and options alone. */
enum ca_status choose_two(struct ca_experiment experiment[2], struct ca_outputs *outputs,
                          int *count, const struct options *options,
                          const struct ca_settings *settings, struct ca_error *error);
/* The same for the workbench, whose engines may run on other hosts. */
enum ca_status choose_contenders(struct contender contender[CONTENDERS_MAX], int *count,
                                 const struct options *options, const struct ca_settings *settings,
                                 struct ca_error *error);
/* Sets what the options say of an experiment, but for the model and the backend. */
enum ca_status choose_apply(struct ca_experiment *experiment, struct ca_outputs *outputs,
                            const struct options *options, struct ca_error *error);

/* Word i of those that list, config, lab and model accept, NULL after the last. */
const char *list_topic(const void *none, int i);
const char *config_verb(const void *none, int i);
const char *lab_verb(const void *none, int i);
const char *model_verb(const void *none, int i);
/* Example i of `model new --from`, NULL after the last. */
const char *model_example(const void *none, int i);

#endif
