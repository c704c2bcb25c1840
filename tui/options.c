/* SPDX-License-Identifier: MIT */
/* This table holds the options, and the parser reads them by getopt_long without abbreviations. */
#include "tui/options.h"

#include <getopt.h>
#include <string.h>

const struct option_row option_rows[OPTION_COUNT] = {
    [OPTION_BACKEND] = {"backend", "BACKEND",
                        FOR_WORKBENCH | FOR_RUN | FOR_VERIFY | FOR_BENCH | FOR_MODEL, 'b', true,
                        "backend (calab list backends), of `run` also A,B; default: the fastest",
                        "backends, with commas or wildcards (calab list backends); default: all"},
    [OPTION_SIZE] = {"size", "WxH[xD]",
                     FOR_WORKBENCH | FOR_RUN | FOR_BENCH | FOR_LIST | FOR_CONVERT | FOR_LAB, 's',
                     true, "size of the lattice; default: the model's",
                     "sizes of the lattice, with commas; default: the model's"},
    [OPTION_STEPS] = {"steps", "N", FOR_RUN | FOR_BENCH, 'n', true,
                      "number of generations; default: 100",
                      "generations per timed call; default: as many as take about 20 ms"},
    [OPTION_SECONDS] = {"seconds", "S", FOR_RUN, '\0', false,
                        "step for about S seconds instead of a number of generations"},
    [OPTION_SEED] = {"seed", "N",
                     FOR_WORKBENCH | FOR_RUN | FOR_VERIFY | FOR_BENCH | FOR_LAB | FOR_MODEL, '\0',
                     true, "seed of all random numbers, 64 bits, decimal or 0x...; default: 1"},
    [OPTION_INIT] = {"init", "NAME", FOR_WORKBENCH | FOR_RUN | FOR_BENCH | FOR_LIST, '\0', true,
                     "initial state: a start, a pattern (calab list patterns), or a state file"},
    [OPTION_AT] = {"at", "X,Y[,Z]", FOR_WORKBENCH | FOR_RUN | FOR_BENCH | FOR_LIST, '\0', true,
                   "cell at which the file of --init goes, on an empty lattice of size -s"},
    [OPTION_GENERATION] = {"generation", "N", FOR_WORKBENCH | FOR_RUN | FOR_CONVERT, '\0', true,
                           "generation of the state file that --init names, for its draws"},
    [OPTION_SET] = {"set", "KEY=VALUE",
                    FOR_WORKBENCH | FOR_RUN | FOR_BENCH | FOR_LIST | FOR_CONVERT, '\0', true,
                    "set a parameter of the model or an option of the backend; repeatable"},
    [OPTION_THREADS] = {"threads", "N", FOR_WORKBENCH | FOR_RUN | FOR_BENCH | FOR_LIST, '\0', true,
                        "threads of the backend; default: 0, one per core that has work",
                        "numbers of threads, with commas; default: 0, one per core that has work"},
    [OPTION_DEVICE] = {"device", "N", FOR_WORKBENCH | FOR_RUN | FOR_LIST, '\0', true,
                       "index of the GPU in `calab list devices`; default: 0"},
    [OPTION_DEVICES] = {"devices", "LIST", FOR_WORKBENCH | FOR_RUN | FOR_BENCH | FOR_LIST, '\0',
                        true, "GPUs that share the lattice, as in 0,1, or all",
                        "GPUs that share the lattice, as in 0,1, or all; repeatable"},
    [OPTION_RANKS] = {"ranks", "N", FOR_WORKBENCH | FOR_RUN | FOR_VERIFY | FOR_BENCH | FOR_LIST,
                      '\0', true, "slabs that step side by side; default: 1, or one a device",
                      "numbers of slabs that step side by side, with commas; default: 1"},
    [OPTION_CONFIG] = {"config", "FILE", FOR_WORKBENCH | FOR_RUN | FOR_BENCH | FOR_LIST, 'c', false,
                       "read an experiment: a file, or the name of one that ships",
                       "read the benchmark cases from a file"},
    [OPTION_OUTPUT] = {"output", "FILE", FOR_RUN, 'o', true,
                       "write the last state, or FIELD:FILE a field (calab.1); repeatable"},
    [OPTION_EVERY] = {"every", "N", FOR_RUN, '\0', true,
                      "write -o files that have %06d in their names, or observables, every N"},
    [OPTION_CHECKPOINT] = {"checkpoint", "FILE.h5", FOR_RUN, '\0', false,
                           "keep the state in FILE.h5, and write it at SIGUSR1 and SIGTERM, too"},
    [OPTION_EVERY_S] = {"every-s", "S", FOR_RUN, '\0', false,
                        "seconds from one checkpoint to the next; default: 600"},
    [OPTION_RESUME] = {"resume", NULL, FOR_RUN, '\0', false,
                       "go on from the checkpoint, if it is there"},
    [OPTION_SLICE] = {"slice", "AXIS[N]", FOR_RUN | FOR_CONVERT, '\0', false,
                      "of pictures: across x, y or z, at N, as z12; default: the middle across z"},
    [OPTION_PROJECT] = {"project", "HOW", FOR_RUN | FOR_CONVERT, '\0', false,
                        "of pictures: max or sum of all slices across the axis"},
    [OPTION_SCALE] = {"scale", "N", FOR_RUN | FOR_CONVERT, '\0', false,
                      "of pictures: pixels across a cell; default: 1"},
    [OPTION_FRAME] = {"frame", NULL, FOR_RUN, '\0', false,
                      "print the last state as text, at most 78x24 characters"},
    [OPTION_REMEMBERED] = {"remembered", NULL, FOR_RUN, '\0', false,
                           "start from the settings that the workbench has saved in calab.cfg"},
    [OPTION_JSON] = {"json", NULL,
                     FOR_RUN | FOR_LIST | FOR_VERIFY | FOR_PROBE | FOR_BENCH | FOR_COMPARE |
                         FOR_EMULATE | FOR_LAB | FOR_MODEL,
                     '\0', false, "print one JSON object instead of text"},
    [OPTION_QUIET] = {"quiet", NULL,
                      FOR_RUN | FOR_VERIFY | FOR_BENCH | FOR_PROBE | FOR_LAB | FOR_MODEL, 'q',
                      false, "show no progress"},
    [OPTION_CASES] = {"cases", "N", FOR_VERIFY, '\0', false,
                      "check a random subset of N cases per model; default: all"},
    [OPTION_SMALL] = {"small", NULL, FOR_VERIFY, '\0', false,
                      "check only small sizes and few generations"},
    [OPTION_FORCE] = {"force", NULL, FOR_PROBE, '\0', false,
                      "ignore the cached result and measure again"},
    [OPTION_TIME] = {"time", "S", FOR_BENCH, '\0', false,
                     "time limit per line, in seconds; default: 2"},
    [OPTION_ERROR] = {"error", "PERCENT", FOR_BENCH, '\0', false,
                      "target relative error of the median, in percent; default: 1"},
    [OPTION_CHECK] = {"check", "S", FOR_BENCH, '\0', false,
                      "time limit of the check against the reference, in seconds; default: 10"},
    [OPTION_TUNE] = {"tune", NULL, FOR_BENCH, '\0', false,
                     "search the fastest options of each backend and save them for this machine"},
    [OPTION_VERBOSE] = {"verbose", NULL, FOR_BENCH, 'v', false,
                        "print all columns, predictions, and where the figures come from"},
    [OPTION_COLUMNS] = {"columns", NULL, FOR_BENCH, '\0', false, "print all columns"},
    [OPTION_WEAK] = {"weak", NULL, FOR_BENCH, '\0', false,
                     "scaling over --ranks or --devices: the lattice is that of a rank"},
    [OPTION_STRONG] = {"strong", NULL, FOR_BENCH, '\0', false,
                       "scaling over --ranks or --devices: ranks share the lattice"},
    [OPTION_PRICE] = {"price", "AMOUNT", FOR_BENCH, '\0', false,
                      "price of the machine, in any currency; adds a column"},
    [OPTION_WATTS] = {"watts", "W", FOR_BENCH, '\0', false,
                      "machine power in watts, if no energy counter is available; adds a column"},
    [OPTION_RELATIVE] = {"relative", "NAME", FOR_BENCH, '\0', false,
                         "line that costs and powers are divided by; adds columns"},
    [OPTION_CSV] = {"csv", NULL, FOR_BENCH | FOR_LAB, '\0', false, "print comma-separated values"},
    [OPTION_MARKDOWN] = {"markdown", NULL, FOR_RUN | FOR_BENCH | FOR_LAB, '\0', false,
                         "print Markdown; `run`: with two backends, `lab`: grade"},
    [OPTION_FIND] = {"find", NULL, FOR_RUN, '\0', false,
                     "find where two backends begin to differ, however long it takes"},
    [OPTION_RATIO] = {"ratio", "A,B", FOR_COMPARE, '\0', false,
                      "the rate of backend A by that of B, for each lattice and file"},
    [OPTION_PLOT] = {"plot", "FILE", FOR_BENCH | FOR_COMPARE, '\0', false,
                     "plot --ratio to FILE.svg or FILE.png with gnuplot",
                     "plot the rates to FILE.svg or FILE.png with gnuplot"},
    [OPTION_FIGURE] = {"figure", "NAME", FOR_BENCH, '\0', false,
                       "what to plot: rates, acceleration, cost, power, or time by size"},
    [OPTION_ORDER] = {"order", "ORDER", FOR_EMULATE, '\0', false,
                      "order of threads and blocks: forward, reverse, random:SEED"},
    [OPTION_LIMIT] = {"limit", "S", FOR_EMULATE | FOR_MODEL, '\0', false,
                      "end what runs longer than S seconds, and say where it was"},
    [OPTION_CC] = {"cc", "X.Y", FOR_EMULATE, '\0', false,
                   "compute capability of the emulated GPU (9.0)"},
    [OPTION_PLAIN] = {"plain", NULL, FOR_EMULATE, '\0', false,
                      "run without watching accesses: faster, finds less"},
    [OPTION_COUNT_ACCESSES] = {"count", NULL, FOR_EMULATE, '\0', false,
                               "count sectors, bank conflicts and divergent branches; occupancy"},
    [OPTION_CUDA] = {"cuda", NULL, FOR_LAB, '\0', false, "new: a kernel in CUDA"},
    [OPTION_C] = {"c", NULL, FOR_LAB, '\0', false, "new: a kernel in C, the default"},
    [OPTION_OWN] = {"own", NULL, FOR_LAB, '\0', false,
                    "new: for a kernel that keeps the state in a layout of its own"},
    [OPTION_GHOSTS] = {"ghosts", "N", FOR_LAB, '\0', false,
                       "new: planes with a border of N cells, which the kernel fills; default: 0"},
    [OPTION_TASK] = {"task", "NAME", FOR_LAB, '\0', false,
                     "new, grade: a task of `calab lab tasks`, or the folder of one"},
    [OPTION_MAIN] = {"main", NULL, FOR_LAB, '\0', false,
                     "new: a whole program, with its main(), in place of a kernel"},
    [OPTION_PROGRAM] = {"program", "CMD", FOR_LAB, '\0', false,
                        "check: a command, as in './life {n} {w} {h}'; calab-lab(7)"},
    [OPTION_GLOB] =
        {"output", "GLOB", FOR_LAB, 'o', false,
         "check: the file that the program writes, as in out.pbm; who: a picture, FILE.png"},
    [OPTION_SECRET_SEED] = {"secret-seed", "FILE", FOR_LAB, '\0', false,
                            "grade: what cases are drawn from, - for standard input"},
    [OPTION_AGAIN] = {"again", "FILE", FOR_LAB, '\0', false,
                      "grade: put the new grades in place of those in FILE, made by --json"},
    [OPTION_REPORTS] = {"reports", "DIR", FOR_LAB, '\0', false,
                        "grade: write a report for each student, DIR/NAME.md"},
    [OPTION_GRADESCOPE] = {"gradescope", NULL, FOR_LAB, '\0', false,
                           "grade: print Gradescope's results.json of one submission"},
    [OPTION_JUNIT] = {"junit", NULL, FOR_LAB, '\0', false,
                      "grade: print JUnit's XML, as CI platforms read it"},
    [OPTION_SECRET_UNTIL] = {"secret-until", "WHEN", FOR_LAB, '\0', false,
                             "of these two: hide secret cases until now, due, published, never or "
                             "a day as 2027-01-31; default: published"},
    [OPTION_FROM] = {"from", "EXAMPLE", FOR_MODEL, '\0', false,
                     "new: the example that is copied; default: excitable"},
    [OPTION_TRUST] = {"trust", NULL, FOR_WORKBENCH | FOR_RUN | FOR_LIST | FOR_BENCH | FOR_CONVERT,
                      '\0', false, "compile and run the model's file that a state (.h5) keeps"},
    [OPTION_LAB] = {"lab", "DIR", FOR_ENGINE, '\0', false,
                    "add the kernel of a lab's folder to its model, as backend lab"},
    [OPTION_BUILT] = {"built", "LINK", FOR_ENGINE | FOR_LAB, '\0', false,
                      "watch: keep LINK on the newest program; engine: run what it leads to"},
    [OPTION_HELP] = {"help", NULL, FOR_ALL, 'h', false,
                     "print this help; after a model's name also the help of the model"},
    [OPTION_VERSION] = {"version", NULL, FOR_ALL, '\0', false, "print the version"},
};

#define LONG_BASE 256 /* the value of the first long option, above all letters */

/* "'--sede' is not an option here; did you mean '--seed'?" */
static enum ca_status unknown(const char *token, unsigned command, struct ca_error *error)
{
    const char *known[OPTION_COUNT], *nearest;
    char word[64];
    int count = 0;

    if (strncmp(token, "--", 2) != 0)
        return ca_fail(error, CA_USAGE, "'%.2s' is not an option here; see --help", token);
    snprintf(word, sizeof word, "%.*s", (int)strcspn(token + 2, "="), token + 2);
    for (int i = 0; i < OPTION_COUNT; i++)
        if (option_rows[i].commands & command)
            known[count++] = option_rows[i].name;
    for (int i = 0; i < count; i++)
        if (strncmp(known[i], word, strlen(word)) == 0 && word[0] != '\0')
            return ca_fail(
                error, CA_USAGE,
                "'--%s' is not an option here (options are not abbreviated); did you mean "
                "'--%s'?",
                word, known[i]);
    nearest = ca_nearest(word, count, ca_name_at, known);
    if (nearest)
        return ca_fail(error, CA_USAGE, "'--%s' is not an option here; did you mean '--%s'?", word,
                       nearest);
    return ca_fail(error, CA_USAGE, "'--%s' is not an option here; see --help", word);
}

/* The tables for getopt_long. The leading '-' keeps operands in order, even with POSIXLY_CORRECT.
 */
static void fill_tables(unsigned command, char letters[2 * OPTION_COUNT + 3],
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

/* Commands may use one letter for different options, as run and lab use -o. */
static int by_letter(int letter, unsigned command)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        if (option_rows[i].letter == letter && (option_rows[i].commands & command))
            return i;
    return OPTION_COUNT;
}

static enum ca_status add_operand(struct options *options, const char *text, int max,
                                  struct ca_error *error)
{
    if (options->operands >= max)
        return ca_fail(error, CA_USAGE, "unexpected argument '%s'; see --help", text);
    options->operand[options->operands++] = text;
    return CA_OK;
}

/* The error after getopt_long has returned '?' or ':'. */
static enum ca_status parse_error(int c, unsigned command, char **argv, struct ca_error *error)
{
    const struct option_row *row;
    char letter[3] = {'-', (char)optopt, '\0'};

    if (optopt == 0)
        return unknown(argv[optind - 1], command, error);
    if (optopt < LONG_BASE && c == '?')
        return unknown(letter, command, error);
    row = &option_rows[optopt >= LONG_BASE ? optopt - LONG_BASE : by_letter(optopt, command)];
    if (c == '?')
        return ca_fail(error, CA_USAGE, "--%s takes no argument", row->name);
    return ca_fail(error, CA_USAGE, "--%s needs an argument: %s", row->name, row->argument);
}

static enum ca_status add_option(struct options *options, int c, unsigned command, char **argv,
                                 struct ca_error *error)
{
    int id = c >= LONG_BASE ? c - LONG_BASE : by_letter(c, command);

    if (c >= LONG_BASE) {
        bool separate =
            optarg && optarg == argv[optind - 1]; /* the argument is a word of its own */
        const char *token = argv[optind - 1 - separate];

        if (strcspn(token + 2, "=") != strlen(option_rows[id].name))
            return unknown(token, command, error); /* getopt_long accepts abbreviations */
    }
    if (options->count == OPTIONS_GIVEN_MAX)
        return ca_fail(error, CA_USAGE, "there are more than %d options", OPTIONS_GIVEN_MAX);
    options->given[options->count].id = (enum option_id)id;
    options->given[options->count++].text = option_rows[id].argument ? optarg : NULL;
    return CA_OK;
}

/* Takes nvcc's options out of argv, which keeps its order. */
static int take_nvcc(struct options *options, int argc, char **argv)
{
    int kept = 1;

    for (int i = 1; i < argc;) {
        int taken = nvcc_read(&options->nvcc, argc, argv, i);

        if (taken == 0)
            argv[kept++] = argv[i++];
        i += taken;
    }
    return kept;
}

enum ca_status options_parse(struct options *options, unsigned command, int operands_max, int argc,
                             char **argv, struct ca_error *error)
{
    char letters[2 * OPTION_COUNT + 3];
    struct option longs[OPTION_COUNT + 1];
    enum ca_status status = CA_OK;
    int c;

    memset(options, 0, sizeof *options);
    for (int i = 1; command == FOR_EMULATE && i < argc; i++)
        if (strcmp(argv[i], "--") == 0) {
            options->rest = (const char *const *)&argv[i + 1];
            argc = i;
        }
    if (command == FOR_EMULATE)
        argc = take_nvcc(options, argc, argv);
    fill_tables(command, letters, longs);
    optind = 0; /* 0 makes glibc initialise getopt_long again */
    opterr = 0;
    while (status == CA_OK && (c = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
        if (c == '?' || c == ':')
            status = parse_error(c, command, argv, error);
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

const char *options_setting(const struct options *options, const char *name)
{
    const char *text = NULL;

    for (int i = 0; i < options->count; i++) {
        const struct option_row *row = &option_rows[options->given[i].id];

        if (row->experiment && strcmp(row->name, name) == 0)
            text = options->given[i].text;
    }
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
