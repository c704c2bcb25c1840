/* SPDX-License-Identifier: MIT */
/* Owns the table of options and its parser, a strict use of getopt_long. */
#include "tui/options.h"

#include <getopt.h>
#include <string.h>

const struct option_row option_rows[OPTION_COUNT] = {
    [OPTION_BACKEND] = {"backend", "BACKEND", FOR_WORKBENCH | FOR_RUN | FOR_VERIFY | FOR_BENCH, 'b',
                        true,
                        "kernel of the model (calab list backends); default: the fastest here",
                        "kernels, with commas or wildcards (calab list backends); default: all"},
    [OPTION_SIZE] = {"size", "WxH[xD]", FOR_WORKBENCH | FOR_RUN | FOR_BENCH | FOR_LIST, 's', true,
                     "size of the lattice; default: the model's",
                     "sizes of the lattice, with commas; default: the model's"},
    [OPTION_STEPS] = {"steps", "N", FOR_RUN | FOR_BENCH, 'n', true,
                      "generations to step; default: 100",
                      "generations of each timed call; default: about 20 ms of them"},
    [OPTION_SECONDS] = {"seconds", "S", FOR_RUN, '\0', false,
                        "step for about S seconds in place of a number of generations"},
    [OPTION_SEED] = {"seed", "N", FOR_WORKBENCH | FOR_RUN | FOR_VERIFY | FOR_BENCH, '\0', true,
                     "seed of all random draws, 64 bits, decimal or 0x...; default: 1"},
    [OPTION_INIT] = {"init", "NAME", FOR_WORKBENCH | FOR_RUN | FOR_BENCH | FOR_LIST, '\0', true,
                     "initial state: a start of the model or a file that ends in .npy"},
    [OPTION_SET] = {"set", "KEY=VALUE", FOR_WORKBENCH | FOR_RUN | FOR_BENCH | FOR_LIST, '\0', true,
                    "a parameter of the model or an option of the backend; repeatable"},
    [OPTION_THREADS] = {"threads", "N", FOR_WORKBENCH | FOR_RUN | FOR_BENCH | FOR_LIST, '\0', true,
                        "threads of the backend; 0, the default: every core that it gives work to",
                        "numbers of threads, with commas; default: 0, every core that has work"},
    [OPTION_DEVICE] = {"device", "N", FOR_WORKBENCH | FOR_RUN | FOR_LIST, '\0', true,
                       "GPU to run on, as `calab list devices` counts them; default: 0"},
    [OPTION_CONFIG] = {"config", "FILE", FOR_WORKBENCH | FOR_RUN | FOR_BENCH | FOR_LIST, 'c', false,
                       "experiment file to start from",
                       "file of cases, which says all that is timed"},
    [OPTION_OUTPUT] = {"output", "FILE", FOR_RUN, 'o', true,
                       "last state: .npy, or .pbm (anneal's cells, fhp's solid nodes); repeatable"},
    [OPTION_FRAME] = {"frame", NULL, FOR_RUN, '\0', false,
                      "print the last state as text, at most 78x24 characters"},
    [OPTION_REMEMBERED] = {"remembered", NULL, FOR_RUN, '\0', false,
                           "start from what the workbench remembers in calab.cfg"},
    [OPTION_JSON] = {"json", NULL,
                     FOR_RUN | FOR_LIST | FOR_VERIFY | FOR_PROBE | FOR_BENCH | FOR_COMPARE, '\0',
                     false, "print one JSON object in place of text"},
    [OPTION_QUIET] = {"quiet", NULL, FOR_RUN | FOR_VERIFY | FOR_BENCH | FOR_PROBE, 'q', false,
                      "no progress on a terminal"},
    [OPTION_CASES] = {"cases", "N", FOR_VERIFY, '\0', false,
                      "a random subset of N cases a model, chosen by the seed; default: all"},
    [OPTION_SMALL] = {"small", NULL, FOR_VERIFY, '\0', false,
                      "only the small sizes and few generations"},
    [OPTION_FORCE] = {"force", NULL, FOR_PROBE, '\0', false,
                      "measure anew, whatever has been kept"},
    [OPTION_TIME] = {"time", "S", FOR_BENCH, '\0', false,
                     "seconds of timed calls for each line at most; default: 2"},
    [OPTION_ERROR] = {"error", "PERCENT", FOR_BENCH, '\0', false,
                      "stop earlier once the median is known so well; default: 1"},
    [OPTION_CHECK] = {"check", "S", FOR_BENCH, '\0', false,
                      "seconds to check a lattice by the reference; 0: smaller ones; default: 10"},
    [OPTION_TUNE] = {"tune", NULL, FOR_BENCH, '\0', false,
                     "search the options of each backend, and keep what is the fastest here"},
    [OPTION_VERBOSE] = {"verbose", NULL, FOR_BENCH, 'v', false,
                        "also print what each call was predicted to take"},
    [OPTION_PRICE] = {"price", "AMOUNT", FOR_BENCH, '\0', false,
                      "price of this machine, in any currency: adds a column per Mups"},
    [OPTION_WATTS] = {"watts", "W", FOR_BENCH, '\0', false,
                      "its power, where that cannot be measured: adds a column per Mups"},
    [OPTION_CSV] = {"csv", NULL, FOR_BENCH, '\0', false, "print comma separated values"},
    [OPTION_MARKDOWN] = {"markdown", NULL, FOR_BENCH, '\0', false, "print a Markdown table"},
    [OPTION_PLOT] = {"plot", "FILE", FOR_BENCH, '\0', false,
                     "draw the rates into FILE.svg or FILE.png by gnuplot"},
    [OPTION_HELP] = {"help", NULL, FOR_ALL, 'h', false,
                     "this text; after a model's name its parameters, starts and backends"},
    [OPTION_VERSION] = {"version", NULL, FOR_ALL, '\0', false, "the version"},
};

#define LONG_BASE 256 /* getopt_long's values of long options, above all letters */

/* "'--sede' is not an option here; did you mean '--seed'?" */
static enum ca_status unknown(const char *token, unsigned command, struct ca_error *error)
{
    const char *known[OPTION_COUNT], *nearest;
    char word[64];
    int count = 0;

    if (strncmp(token, "--", 2) != 0)
        return ca_fail(error, CA_USAGE, "'%.2s' is not an option here; --help lists them", token);
    snprintf(word, sizeof word, "%.*s", (int)strcspn(token + 2, "="), token + 2);
    for (int i = 0; i < OPTION_COUNT; i++)
        if (option_rows[i].commands & command)
            known[count++] = option_rows[i].name;
    for (int i = 0; i < count; i++)
        if (strncmp(known[i], word, strlen(word)) == 0 && word[0] != '\0')
            return ca_fail(error, CA_USAGE,
                           "'--%s' is not an option here (they are not abbreviated); did you mean "
                           "'--%s'?",
                           word, known[i]);
    nearest = ca_nearest(word, count, ca_name_at, known);
    if (nearest)
        return ca_fail(error, CA_USAGE, "'--%s' is not an option here; did you mean '--%s'?", word,
                       nearest);
    return ca_fail(error, CA_USAGE, "'--%s' is not an option here; --help lists them", word);
}

/* What getopt_long wants. A leading '-' keeps operands in order whatever POSIXLY_CORRECT says. */
static void fill(unsigned command, char letters[2 * OPTION_COUNT + 3],
                 struct option longs[OPTION_COUNT + 1])
{
    int n = 0;

    letters += sprintf(letters, "-:");
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option_row *row = &option_rows[i];

        if (!(row->commands & command))
            continue;
        if (row->letter)
            letters += sprintf(letters, "%c%s", row->letter, row->argument ? ":" : "");
        longs[n++] = (struct option){row->name, row->argument ? required_argument : no_argument,
                                     NULL, LONG_BASE + i};
    }
    longs[n] = (struct option){0};
}

static int by_letter(int letter)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        if (option_rows[i].letter == letter)
            return i;
    return OPTION_COUNT;
}

/* The word on the command line that getopt_long has just taken a long option from. */
static const char *long_token(char **argv)
{
    return optarg && optarg == argv[optind - 1] ? argv[optind - 2] : argv[optind - 1];
}

static enum ca_status add_operand(struct options *options, const char *text, int max,
                                  struct ca_error *error)
{
    if (options->operands >= max)
        return ca_fail(error, CA_USAGE, "unexpected argument '%s'; --help says what is taken",
                       text);
    options->operand[options->operands++] = text;
    return CA_OK;
}

/* The answer to getopt_long's '?' and ':'. */
static enum ca_status mistake(int c, unsigned command, char **argv, struct ca_error *error)
{
    const struct option_row *row;
    char letter[3] = {'-', (char)optopt, '\0'};

    if (optopt == 0)
        return unknown(argv[optind - 1], command, error);
    if (optopt < LONG_BASE && c == '?')
        return unknown(letter, command, error);
    row = &option_rows[optopt >= LONG_BASE ? optopt - LONG_BASE : by_letter(optopt)];
    if (c == '?')
        return ca_fail(error, CA_USAGE, "--%s takes no argument", row->name);
    return ca_fail(error, CA_USAGE, "--%s needs an argument: %s", row->name, row->argument);
}

static enum ca_status add_option(struct options *options, int c, unsigned command, char **argv,
                                 struct ca_error *error)
{
    int id = c >= LONG_BASE ? c - LONG_BASE : by_letter(c);

    if (c >= LONG_BASE) {
        const char *token = long_token(argv) + 2;

        if (strcspn(token, "=") != strlen(option_rows[id].name))
            return unknown(token - 2, command, error);
    }
    if (options->count == OPTIONS_GIVEN_MAX)
        return ca_fail(error, CA_USAGE, "more than %d options", OPTIONS_GIVEN_MAX);
    options->given[options->count].id = (enum option_id)id;
    options->given[options->count++].text = option_rows[id].argument ? optarg : NULL;
    return CA_OK;
}

enum ca_status options_parse(struct options *options, unsigned command, int operands_max, int argc,
                             char **argv, struct ca_error *error)
{
    char letters[2 * OPTION_COUNT + 3];
    struct option longs[OPTION_COUNT + 1];
    enum ca_status status = CA_OK;
    int c;

    memset(options, 0, sizeof *options);
    fill(command, letters, longs);
    optind = 0; /* 0 makes glibc start over, optstring's first character included */
    opterr = 0;
    while (status == CA_OK && (c = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
        if (c == '?' || c == ':')
            status = mistake(c, command, argv, error);
        else if (c == 1)
            status = add_operand(options, optarg, operands_max, error);
        else
            status = add_option(options, c, command, argv, error);
    }
    for (; status == CA_OK && optind < argc; optind++)
        status = add_operand(options, argv[optind], operands_max, error);
    if (options_has(options, OPTION_HELP) || options_has(options, OPTION_VERSION))
        return CA_OK;
    return status;
}

bool options_has(const struct options *options, enum option_id id)
{
    for (int i = 0; i < options->count; i++)
        if (options->given[i].id == id)
            return true;
    return false;
}

const char *options_value(const struct options *options, enum option_id id)
{
    const char *text = NULL;

    for (int i = 0; i < options->count; i++)
        if (options->given[i].id == id)
            text = options->given[i].text;
    return text;
}

void options_help(FILE *out, unsigned command)
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option_row *row = &option_rows[i];
        char left[64];

        if (!(row->commands & command))
            continue;
        if (row->letter)
            snprintf(left, sizeof left, "-%c, --%s%s%s", row->letter, row->name,
                     row->argument ? " " : "", row->argument ? row->argument : "");
        else
            snprintf(left, sizeof left, "    --%s%s%s", row->name, row->argument ? " " : "",
                     row->argument ? row->argument : "");
        fprintf(out, "  %-24s %s\n", left,
                row->many_help && (command & (FOR_VERIFY | FOR_BENCH)) ? row->many_help
                                                                       : row->help);
    }
}
