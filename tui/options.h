/* SPDX-License-Identifier: MIT */
/*
 * The command line: one table of options, which parsing, --help and completion use, and the options
 * that were given. What an option means is not known here.
 */
#ifndef CALAB_TUI_OPTIONS_H
#define CALAB_TUI_OPTIONS_H

#include <stdio.h>

#include "core/model/model.h"
#include "tui/nvcc.h"

enum option_id {
    OPTION_BACKEND,
    OPTION_SIZE,
    OPTION_STEPS,
    OPTION_SECONDS,
    OPTION_SEED,
    OPTION_INIT,
    OPTION_AT,
    OPTION_GENERATION,
    OPTION_SET,
    OPTION_THREADS,
    OPTION_DEVICE,
    OPTION_DEVICES,
    OPTION_RANKS,
    OPTION_CONFIG,
    OPTION_OUTPUT,
    OPTION_EVERY,
    OPTION_CHECKPOINT,
    OPTION_EVERY_S,
    OPTION_RESUME,
    OPTION_SLICE,
    OPTION_PROJECT,
    OPTION_SCALE,
    OPTION_FRAME,
    OPTION_REMEMBERED,
    OPTION_JSON,
    OPTION_QUIET,
    OPTION_CASES,
    OPTION_SMALL,
    OPTION_FORCE,
    OPTION_TIME,
    OPTION_ERROR,
    OPTION_CHECK,
    OPTION_TUNE,
    OPTION_VERBOSE,
    OPTION_COLUMNS,
    OPTION_WEAK,
    OPTION_STRONG,
    OPTION_PRICE,
    OPTION_WATTS,
    OPTION_RELATIVE,
    OPTION_CSV,
    OPTION_MARKDOWN,
    OPTION_FIND,
    OPTION_RATIO,
    OPTION_PLOT,
    OPTION_FIGURE,
    OPTION_ORDER,
    OPTION_LIMIT,
    OPTION_CC,
    OPTION_PLAIN,
    OPTION_COUNT_ACCESSES,
    OPTION_CUDA,
    OPTION_C,
    OPTION_OWN,
    OPTION_GHOSTS,
    OPTION_TASK,
    OPTION_MAIN,
    OPTION_PROGRAM,
    OPTION_GLOB,
    OPTION_SECRET_SEED,
    OPTION_AGAIN,
    OPTION_REPORTS,
    OPTION_GRADESCOPE,
    OPTION_JUNIT,
    OPTION_SECRET_UNTIL,
    OPTION_FROM,
    OPTION_TRUST,
    OPTION_LAB,
    OPTION_BUILT,
    OPTION_HELP,
    OPTION_VERSION,
    OPTION_COUNT
};

/* The commands, as bits of the set of commands that an option belongs to. */
enum {
    FOR_WORKBENCH = 1,
    FOR_RUN = 2,
    FOR_LIST = 4,
    FOR_ENGINE = 8,
    FOR_CONFIG = 16,
    FOR_DOCTOR = 32,
    FOR_VERIFY = 64,
    FOR_PROBE = 128,
    FOR_BENCH = 256,
    FOR_COMPARE = 512,
    FOR_EMULATE = 1024,
    FOR_CONVERT = 2048,
    FOR_LAB = 4096,
    FOR_MODEL = 8192,
    FOR_ALL = 16383,
};

struct option_row {
    const char *name;     /* without the dashes */
    const char *argument; /* its name in --help, NULL: a flag */
    unsigned commands;    /* FOR_... */
    char letter;          /* short option, '\0': none */
    bool experiment;      /* ca_experiment_set accepts it under this name */
    const char *help;
    const char *many_help; /* for verify and bench; NULL: the same */
};

extern const struct option_row option_rows[OPTION_COUNT];

#define OPTIONS_GIVEN_MAX 256
#define OPERANDS_MAX 8       /* of a command that does not take a whole class */
#define SUBMISSIONS_MAX 1024 /* and of one that does */

struct options {
    struct {
        enum option_id id;
        const char *text; /* NULL for a flag */
    } given[OPTIONS_GIVEN_MAX];
    int count;
    const char *operand[SUBMISSIONS_MAX];
    int operands;
    const char *const *rest; /* for emulate: what follows `--`, ends with NULL; else NULL */
    struct nvcc_words nvcc;  /* for emulate */
};

/*
 * Parses argv[1] ... for the command with bit `command`, which takes up to `operands_max` operands.
 * CA_USAGE for an unknown option, with the nearest name, an abbreviated one, a missing or
 * unexpected argument, and an operand too many. After --help or --version, such errors are ignored.
 */
enum ca_status options_parse(struct options *options, unsigned command, int operands_max, int argc,
                             char **argv, struct ca_error *error);

bool options_has(const struct options *options, enum option_id id);
/* The argument of the last occurrence, NULL for none. */
const char *options_value(const struct options *options, enum option_id id);
/* The same of the option of an experiment that has the name of a setting. */
const char *options_setting(const struct options *options, const char *name);

/* Prints the options of a command for --help. */
void options_help(FILE *out, unsigned command);

#endif
