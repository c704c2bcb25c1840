/* SPDX-License-Identifier: MIT */
/* This table holds all commands and their help. */
#include "tui/commands/commands.h"

#include <stdlib.h>
#include <string.h>

#include "core/files/formats.h"
#include "tui/wrapped.h"

#define HELP_COLUMNS 90 /* of a paragraph, at most */

const struct command commands[] = {
    {"", "[MODEL]", "the workbench: choose, step, watch and time a model on the screen",
     "Without MODEL it opens the model that was used last. The command line takes precedence\n"
     "over CALAB_* variables, these over the experiment file of -c, and that over calab.cfg.",
     "calab                                   # go on where it was left\n"
     "calab life3d -s 128x128x64 --seed 7     # open a model at generation 0\n"
     "calab -c fhp-cylinder                   # open an experiment\n"
     "calab glider.rle                        # open a pattern of Golly\n"
     "calab anneal -b threads,bitslice        # two backends side by side",
     FOR_WORKBENCH, 1, NULL},
    {"run", "[MODEL]", "run an experiment without a screen and print its result",
     "MODEL may also be given by CALAB_MODEL or by the file of -c. Progress goes to stderr, if\n"
     "that is a terminal, and the result to stdout. calab.cfg is read only with --remembered.",
     "calab run anneal -n 1000 --frame        # a thousand generations, and a picture\n"
     "calab run fhp -n 5000 -o last.npy       # write the last state\n"
     "calab run fhp --init last.npy -n 5000   # and go on from it\n"
     "calab run water --set rain=0.01 --seconds 5 --json\n"
     "calab run life3d -b bitslice,reference  # compare two backends",
     FOR_RUN, 1, command_run},
    {"verify", "[MODEL]...", "check backends against the reference, cell for cell",
     "Without MODEL and -b, all models and backends are checked. For a wrong backend the first\n"
     "wrong cell and a command that reproduces it are printed, and the exit status is 1.",
     "calab verify                            # everything that runs here\n"
     "calab verify anneal -b bitslice*        # some backends of one model\n"
     "calab verify cloud --small --cases 20   # a quick look",
     FOR_VERIFY, OPERANDS_MAX, command_verify},
    {"bench", "[MODEL]...", "time backends in the same run and check their results",
     "Without MODEL, -b and -c, all backends of all models are timed. Repeats are interleaved. A\n"
     "wrong result has no figures, and the exit status is 1. Options that --tune has found are\n"
     "used from then on by bench, run and the workbench, unless CALAB_TUNED=off. For --weak and\n"
     "--strong see calab-scaling(7).",
     "calab bench anneal                      # every backend of a model\n"
     "calab bench fhp -s 512x256,4096x2048 -b threads,bitslice\n"
     "calab bench water --json                # for compare and for scripts\n"
     "calab bench -c bench-life3d --plot rates.svg\n"
     "calab bench fhp -b cuda-temporal --devices 0 --devices 0,1 --weak\n"
     "calab bench cloud --tune                # find the fastest options",
     FOR_BENCH, OPERANDS_MAX, command_bench},
    {"compare", "A.json B.json...", "compare results of bench --json line by line", NULL,
     "calab compare before.json after.json    # what has changed\n"
     "calab compare run.json --ratio threads,reference",
     FOR_COMPARE, OPERANDS_MAX, command_compare},
    {"probe", "", "measure the limits of this machine: memory copy and logic",
     "The result is cached for each host in $XDG_CACHE_HOME/calab; bench gives its figures in\n"
     "percent of it.",
     "calab probe\n"
     "calab probe --force                     # measure again",
     FOR_PROBE, 0, command_probe},
    {"list", "[models|backends|devices|experiments|patterns|formats|MODEL]",
     "list models, backends, devices, experiments, patterns and formats",
     "With MODEL, every backend of it is listed for the given lattice and parameters: whether it\n"
     "can run and why not, how it would run, how fast, and which one `auto` chooses.",
     "calab list backends\n"
     "calab list anneal -s 4096x4096          # what would run, and how fast",
     FOR_LIST, 1, command_list},
    {"convert", "[MODEL] FROM TO", "write the state of a file in another format, or as a picture",
     "TO is as behind -o of `run`: a file, FIELD:FILE, or a picture; `calab list formats` has "
     "them.\n"
     "MODEL is needed where FROM may be a state of several. The generation is not kept.",
     "calab convert glider.rle3 glider.npy -s 32x32x32\n"
     "calab convert anneal last.npy last.rle\n"
     "calab convert cloud.npy cloud.png --slice y --project max --scale 4\n"
     "calab convert water.npy depth,block=1x1:depth.asc",
     FOR_CONVERT, 3, command_convert},
    {"emulate", "FILE.cu... [-- ARGUMENT...]",
     "compile a CUDA program for the CPU, run it, and name its mistakes",
     "No GPU is needed, but g++. Every access of a kernel is watched: races, memory that nobody\n"
     "wrote, addresses outside, and barriers that not all threads reach are named with their "
     "lines.\n"
     "The exit status is the program's, and 1 if errors were found.",
     "calab emulate sum.cu                    # compile and run it\n"
     "calab emulate main.cu sum.cu -- 1000    # of two files, with an argument\n"
     "calab emulate sum.cu --order random:7 --limit 10",
     FOR_EMULATE, OPERANDS_MAX, command_emulate},
    {"model", "new NAME|import RULE [NAME]|check FILE|show FILE|source STATE.h5",
     "a model of your own in one file of C",
     "new writes NAME.c, a copy of an example, to be changed. import writes what a rule of Golly\n"
     "(FILE.rule), of Generations (B2/S/C3) or of Larger than Life (R3,C2,M1,S14..22,B14..18,NM)\n"
     "does as such a file. The path of the file then stands wherever a model's name does; see\n"
     "calab-model(7). check says whether the file's function is right: for all neighbourhoods, in\n"
     "any order and on every backend; the exit status is 1 where it is not. show prints the "
     "source\n"
     "by which a backend steps it; source the file that a state is of, as it was.",
     "calab model new mine                    # mine.c, a copy of the example excitable\n"
     "calab model new fires --from forest     # fires.c, and `calab fires.c` opens it\n"
     "calab model import WireWorld.rule       # wireworld.c\n"
     "calab model import B2/S/C3 brain        # brain.c\n"
     "calab model check mine.c                # is it right?\n"
     "calab model show mine.c -b threads      # the loops around its function\n"
     "calab model source mine.h5 > mine.c     # the file of a state",
     FOR_MODEL, 7, command_model},
    {"lab", "DIR|new MODEL|check|watch|grade|calibrate|update|tasks [DIR]...",
     "kernels of your own: write one, and see whether it is right",
     "new makes a folder with a kernel to be written. check compiles the kernel of DIR, or of "
     "this\n"
     "folder, runs it as a process of its own, and compares it with the reference cell for cell. "
     "The\n"
     "exit status is 0 where it is right, 1 where it is wrong, 4 where it does not compile, 6 "
     "where\n"
     "it does not end. watch checks it each time that it is saved. grade gives points for many\n"
     "folders, calibrate times the tasks' solutions here. update writes calab's own files in a\n"
     "folder again; tasks lists the tasks. With DIR alone the workbench opens, with the kernel as\n"
     "backend lab.",
     "calab lab new anneal mine               # a folder for a kernel in C\n"
     "calab lab new anneal mine --task anneal-shared\n"
     "calab lab check mine                    # is it right?\n"
     "calab lab mine                          # on the screen, beside the other backends\n"
     "calab lab check mine --program './life {n} {w} {h} {seed}' --output out.pbm\n"
     "calab lab grade class/* --task anneal --secret-seed seed --json",
     FOR_LAB, SUBMISSIONS_MAX, command_lab},
    {"engine", "", "serve a simulation as JSON lines on stdin and stdout",
     "The workbench uses it, on this machine or by ssh; see calab-engine(7).",
     "calab engine                            # then type {\"op\":\"list\"}", FOR_ENGINE, 0,
     command_engine},
    {"config", "path|show|check [FILE]", "show the settings and their path, or check a file",
     "check without FILE checks calab.cfg; FILE may also be of an experiment, a\n"
     "benchmark or a lab.",
     "calab config check\n"
     "calab config check my.cfg",
     FOR_CONFIG, 2, command_config},
    {"doctor", "", "report on terminal, locale, libraries and devices", NULL, "calab doctor",
     FOR_DOCTOR, 0, command_doctor},
    {.name = NULL},
};

const struct command *command_find(int argc, char **argv)
{
    for (int i = 1; argc > 1 && commands[i].name; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return &commands[i];
    return &commands[0];
}

/* The names of the commands, then those of the models. */
static const char *word_at(const void *context, int i)
{
    int n = 0;

    (void)context;
    while (commands[n + 1].name)
        n++;
    return i < n ? commands[i + 1].name : ca_models[i - n]->name;
}

enum ca_status command_take_pattern(struct options *options, struct ca_error *error)
{
    const char *path = options->operands > 0 ? options->operand[0] : "";
    const struct ca_format *format = ca_format_of(path);
    const struct ca_model *model;

    if (!format || !format->rule)
        return CA_OK;
    if (options_has(options, OPTION_INIT) || options->count == OPTIONS_GIVEN_MAX)
        return ca_fail(error, CA_USAGE, "%.300s is a start, and --init is another", path);
    CA_TRY(ca_pattern_model(&model, path, error));
    options->given[options->count].id = OPTION_INIT;
    options->given[options->count++].text = path;
    options->operand[0] = model->name;
    return CA_OK;
}

enum ca_status command_check_model(const char *word, struct ca_error *error)
{
    const struct ca_model *model;
    struct ca_error ignored;
    char hint[CA_TEXT_MAX];
    int n = 0;

    if (ca_model_is_path(word))
        return ca_model_open(&model, word, error);
    if (ca_model_find(&model, word, &ignored) == CA_OK)
        return CA_OK;
    for (int i = 1; commands[i].name; i++, n++)
        if (strcmp(word, commands[i].name) == 0)
            return ca_fail(error, CA_USAGE, "the command must come first: calab %s ...", word);
    for (int i = 0; ca_models[i]; i++)
        n++;
    return ca_fail(error, CA_USAGE, "'%.80s' is neither a command nor a model%s", word,
                   ca_suggest(hint, word, n, word_at, NULL));
}

#define NAME_WIDTH 20

static void help_range(FILE *out, int indent, const struct ca_param *p)
{
    char range[CA_TEXT_MAX], text[CA_TEXT_MAX];

    ca_param_default(text, p);
    fprintf(out, "%*s%s%s%s; default %s%s%s\n", indent, "", ca_param_range(range, p),
            p->unit ? " " : "", p->unit ? p->unit : "", text[0] ? text : "empty",
            p->unit && text[0] ? " " : "", p->unit && text[0] ? p->unit : "");
}

static void help_row(FILE *out, const char *name, const char *text)
{
    fprintf(out, "  %-*s %s\n", NAME_WIDTH, name, text);
}

static bool is_written(const struct ca_format *format, const struct ca_model *model)
{
    bool any = ca_format_fits(format, model) || ca_format_tabulates(format);

    for (const struct ca_field *f = ca_fields(model); f->name; f++)
        any |= ca_format_fits_field(format, model, f);
    return any;
}

void command_help(FILE *out, const struct command *command, const struct options *options)
{
    const struct ca_model *model;
    struct ca_error ignored;
    bool named = command->name[0] != '\0';
    int columns = wrapped_columns(HELP_COLUMNS);

    fprintf(out, "usage: calab%s%s [OPTION]...%s%s\n       %s%s\n", named ? " " : "", command->name,
            command->operands[0] ? " " : "", command->operands,
            named ? "" : "calab COMMAND ...\n\n",
            named ? command->help : "A terminal workbench for cellular automata on CPUs and GPUs.");
    if (!named) {
        fprintf(out, "\nCommands:\n");
        for (const struct command *c = commands; c->name; c++)
            fprintf(out, "  %-14s %s\n", c->name[0] ? c->name : "(none)", c->help);
        fprintf(out, "\nModels:\n");
        for (int i = 0; ca_models[i]; i++)
            fprintf(out, "  %-14s %s\n", ca_models[i]->name, ca_models[i]->title);
    }
    if (command->more) {
        fputc('\n', out);
        wrapped_paragraph(out, command->more, columns < HELP_COLUMNS ? columns : HELP_COLUMNS);
    }
    fprintf(out, "\nExamples:\n");
    for (const char *line = command->examples; *line; line += strspn(line, "\n")) {
        fprintf(out, "  %.*s\n", (int)strcspn(line, "\n"), line);
        line += strcspn(line, "\n");
    }
    fprintf(out, "\nOptions%s:\n", named ? "" : " of the workbench");
    options_help(out, command->bit);
    if ((command->bit & (FOR_RUN | FOR_WORKBENCH | FOR_BENCH)) && options->operands > 0 &&
        ca_model_open(&model, options->operand[0], &ignored) == CA_OK) {
        char size[64], text[CA_TEXT_MAX];

        fprintf(out, "\n%s: %s\nDefault size %s.\n", model->name, model->title,
                ca_size_format(size, model->default_size, model->dimensions));
        fprintf(out, "\nParameters (--set KEY=VALUE):\n");
        for (const struct ca_param *p = model->params; p && p->name; p++) {
            help_row(out, p->name, p->help);
            help_range(out, NAME_WIDTH + 3, p);
        }
        fprintf(out, "\nInitial states (--init NAME):\n");
        for (const struct ca_start *s = model->start->named; s->name; s++)
            help_row(out, s->name, s->help);
        fprintf(out, "  %-*s the state and size in a file that ends in %s\n", NAME_WIDTH, "FILE",
                ca_format_endings(text, model, ca_format_restores));
        fprintf(out, "\nFiles (-o):\n");
        for (const struct ca_format *f = ca_formats; f->ending; f++)
            if (is_written(f, model))
                help_row(out, f->ending, f->holds);
        fprintf(out, "\nBackends (-b NAME) and their options (--set KEY=VALUE):\n");
        for (const struct ca_backend *b = model->backends; b; b = ca_backend_next(model, b)) {
            help_row(out, b->name, b->title);
            for (const struct ca_param *p = b->options; p && p->name; p++) {
                fprintf(out, "    %s=...: %s\n", p->name, p->help);
                help_range(out, 8, p);
            }
        }
    } else {
        fputc('\n', out);
        wrapped_paragraph(
            out,
            "Exit status: 0 success, 1 failed check, 2 usage error, 3 settings file "
            "error, 4 a program that does not compile, 5 CUDA error, 6 timeout, 7 no "
            "suitable device, 8 input or output error, 9 too little memory, 128 + n "
            "ended by signal n. Manual: calab(1); lessons to begin with: calab-tutorial(7).",
            columns < HELP_COLUMNS ? columns : HELP_COLUMNS);
    }
}
