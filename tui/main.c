/* SPDX-License-Identifier: MIT */
/*
 * The program: finds the command, parses its options, runs it and reports what went wrong. The
 * workbench is started here, because tui/commands/ does not include the screens.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/confined.h"
#include "core/lab/backend/backend.h"
#include "core/machine/cuda.h"
#include "core/machine/driver.h"
#include "core/ranks/processes.h"
#include "core/ranks/remote.h"
#include "tui/commands/commands.h"
#include "tui/commands/json.h"
#include "tui/commands/lab.h"
#include "tui/wrapped.h"
#include "tui/workbench/workbench.h"

#ifndef CALAB_COMMIT
#define CALAB_COMMIT "" /* not built from a git checkout */
#endif

/* The user waits for a driver that does not answer. */
static void print_silence(const char *reason) { fprintf(stderr, "calab: %s\n", reason); }

static void print_error(const struct command *command, const struct ca_error *error)
{
    char text[sizeof error->text + 64];

    if (!error->text[0])
        return;
    snprintf(text, sizeof text, "calab%s%s: %s", command->name[0] ? " " : "", command->name,
             error->text);
    wrapped_print(stderr, text);
}

/* A misspelt value of a variable is an error, because each of them changes what is run or measured,
 * perhaps on another machine. */
static enum ca_status check_variables(struct ca_error *error)
{
    static const char *const off_on[] = {"off", "on", NULL};
    static const struct ca_param rows[] = {
        {.name = "CALAB_CPU", .kind = CA_CHOICE, .choices = ca_isa_names},
        {.name = "CALAB_TUNED", .kind = CA_CHOICE, .choices = off_on},
        {.name = "CALAB_DRIVER_WAIT", .kind = CA_REAL, .min = 0.001, .max = 86400, .unit = "s"},
        {.name = NULL},
    };
    struct ca_values values;

    ca_values_default(&values, rows);
    for (int i = 0; i < values.count; i++) {
        const char *text = getenv(rows[i].name);

        if (text && text[0])
            CA_TRY(ca_values_set(&values, i, text, CA_FROM_ENVIRONMENT, NULL, error));
    }
    return ca_environment_check(error);
}

/* The workbench opens with this. */
struct start {
    struct contender sides[CONTENDERS_MAX];
    int count;
    struct ca_settings *settings;
    const char *lab; /* the folder of a lab, NULL: none */
    struct ca_error notice;
};

/* The experiment of a lab: its start and parameters, and what the command line says of it. */
static enum ca_status choose_lab(struct start *start, const struct options *options,
                                 struct ca_error *error)
{
    static struct ca_lab lab;
    struct ca_experiment *experiment = &start->sides[0].experiment;

    CA_TRY(ca_lab_read(&lab, options->operand[0], error));
    start->lab = options->operand[0];
    start->count = 1;
    *experiment = ca_lab_experiment(&lab, ca_lab_shown_size(&lab), lab.seed[0]);
    return choose_apply(experiment, &start->sides[0].outputs, options, error);
}

/* A model of which nothing is saved, and of whose run nothing else is said, opens as an experiment
 * that ships. */
static void add_opening(struct options *options, const struct ca_settings *settings)
{
    const struct ca_model *model;
    struct ca_error ignored;

    for (int i = 0; i < options->count; i++)
        if (option_rows[options->given[i].id].experiment || options->given[i].id == OPTION_CONFIG)
            return;
    if (options->operands == 0 || options->count == OPTIONS_GIVEN_MAX ||
        ca_model_open(&model, options->operand[0], &ignored) != CA_OK || !model->opens ||
        ca_settings_knows(settings, model))
        return;
    options->given[options->count].id = OPTION_CONFIG;
    options->given[options->count++].text = model->opens;
}

/* `in_lab`: the operand is the folder of a lab. */
static int run_workbench(const struct options *given, bool in_lab, struct ca_error *error)
{
    struct options with = *given, *options = &with;
    static struct start start;
    char overridden[CA_TEXT_MAX];
    int status;

    if (ca_process_count() > 1)
        return (int)ca_fail(error, CA_USAGE,
                            "the workbench cannot run as %d processes; its engine can be, by the "
                            "setting engine_command (calab.cfg(5))",
                            ca_process_count());
    /* `calab state.h5` is `calab -c state.h5`. */
    if (!in_lab && with.operands == 1 && ca_state_has_run(with.operand[0]) &&
        with.count < OPTIONS_GIVEN_MAX && !options_has(given, OPTION_CONFIG)) {
        with.given[with.count].id = OPTION_CONFIG;
        with.given[with.count++].text = with.operand[0];
        with.operands = 0;
    }
    if (options->operands > 0 && !in_lab)
        CA_TRY(command_check_model(options->operand[0], error));
    /* Only the engine uses the GPUs; initialising them here would delay the first screen. */
    ca_cuda_leave();
    /* The screen shows the error of a file that does not parse; this run uses the defaults. */
    status = (int)ca_settings_open(&start.settings, ca_settings_path(), &start.notice);
    if (status == CA_NO_MEMORY) {
        *error = start.notice;
        return status;
    }
    if (status != CA_OK && status != CA_USAGE) {
        size_t used = strlen(start.notice.text);

        snprintf(start.notice.text + used, sizeof start.notice.text - used,
                 "; %s, and nothing is saved", ca_settings_instead(start.settings));
    }
    if (!in_lab)
        add_opening(&with, start.settings);
    status =
        in_lab ? (int)choose_lab(&start, options, error)
               : (int)choose_contenders(start.sides, &start.count, options, start.settings, error);
    if (status == CA_OK && !in_lab && !start.notice.text[0] &&
        ca_experiment_flashes(&start.sides[0].experiment))
        snprintf(start.notice.text, sizeof start.notice.text, "%.200s" COMMAND_FLASHES,
                 start.sides[0].experiment.init);
    if (status == CA_OK && !in_lab && !start.notice.text[0] &&
        ca_experiment_overrides(&start.sides[0].experiment, overridden))
        snprintf(start.notice.text, sizeof start.notice.text, "%.200s%s",
                 start.sides[0].experiment.init, overridden);
    if (status == CA_OK)
        status = (int)workbench_run(start.sides, start.count, start.settings, start.lab,
                                    start.notice.text[0] ? start.notice.text : NULL, error);
    ca_settings_close(start.settings);
    return status;
}

/* Whether a command prints sentences and tables for people, and no data or pictures. */
static bool prints_prose(const struct command *command, const struct options *options)
{
    static const enum option_id data[] = {OPTION_JSON, OPTION_CSV, OPTION_MARKDOWN};
    const unsigned prose = FOR_VERIFY | FOR_PROBE | FOR_LIST | FOR_LAB | FOR_CONFIG | FOR_DOCTOR |
                           FOR_BENCH | FOR_COMPARE;

    for (size_t i = 0; i < sizeof data / sizeof *data; i++)
        if (options_has(options, data[i]))
            return false;
    return command->bit & prose;
}

static int main_run(const struct command *command, int argc, char **argv, struct ca_error *error)
{
    const char *mpi = ca_processes_library();
    struct options options;
    enum ca_status status =
        options_parse(&options, command->bit, command->operands_max, argc, argv, error);

    /* If the first word is neither a command nor a model, that is the mistake to report. */
    if (status != CA_OK && command->bit == FOR_WORKBENCH && options.operands > 0)
        return command_check_model(options.operand[0], error) == CA_OK ? status : CA_USAGE;
    if (status != CA_OK)
        return status;
    if (options_has(&options, OPTION_HELP)) {
        wrapped_begin();
        command_help(stdout, command, &options);
        return CA_OK;
    }
    if (options_has(&options, OPTION_VERSION)) {
        printf("calab %s%s%s%s%s\n", CALAB_VERSION, CALAB_COMMIT[0] ? ", commit " : "",
               CALAB_COMMIT, mpi[0] ? ", with " : "", mpi);
        return CA_OK;
    }
    CA_TRY(check_variables(error));
    if (options_has(&options, OPTION_TRUST))
        ca_models_trust();
    if (command->bit & (FOR_WORKBENCH | FOR_RUN))
        CA_TRY(command_take_pattern(&options, error));
    if (command->bit & FOR_LAB && lab_is_folder(&options))
        return run_workbench(&options, true, error);
    if (prints_prose(command, &options))
        wrapped_begin();
    if (command->run)
        return command->run(&options, error);
    return run_workbench(&options, false, error);
}

/* However process 0 ends, the others, which serve it, end with it. */
static void end_job(void)
{
    static pid_t owner;

    if (owner == 0) /* called by main, before any child is there */
        owner = getpid();
    else if (owner == getpid()) {
        ca_remote_dismiss();
        ca_processes_end();
    }
}

int main(int argc, char **argv)
{
    static const int failing_mode[] = {O_WRONLY, O_RDONLY, O_RDONLY};
    const struct command *command;
    struct ca_error error = {.text = ""};
    int status, skip;

    if (ca_driver_helper(argc, argv))
        _exit(CA_OK); /* without the destructors of a driver's libraries, which take long */
    /* A closed standard stream is opened on /dev/null in a mode that fails on use. Otherwise the
     * next file to be opened would get its number, and messages would be written into that file. */
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", failing_mode[fd]) != fd)
            _exit(CA_IO);
    if (ca_is_confined()) {
        fputs("calab: it does not start within a submission that calab checks\n", stderr);
        return CA_USAGE;
    }
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is an error of the write instead */
    json_watch_memory(malloc);
    status = ca_processes_start(CALAB_VERSION " " CALAB_COMMIT, &error);
    if (status != CA_OK) {
        if (ca_process_self() == 0)
            fprintf(stderr, "calab: %s\n", error.text);
        ca_processes_end();
        return status;
    }
    if (ca_process_self() > 0) { /* of several (mpirun, srun) only the first runs the program */
        signal(SIGINT, SIG_IGN); /* process 0 is told too, and ends in good order */
        signal(SIGTERM, SIG_IGN);
        ca_remote_serve();
        ca_processes_end();
        return CA_OK;
    }
    end_job();
    atexit(end_job);
    if (argc > 2 && strcmp(argv[1], "--complete") == 0) {
        command_complete(stdout, argc - 2, argv + 2);
        return CA_OK;
    }
    command = command_find(argc, argv);
    if (!(command->bit & (FOR_ENGINE | FOR_WORKBENCH))) /* those have it in the engine's replies */
        ca_driver_on_silence(print_silence);
    skip = command->name[0] != '\0';
    status = main_run(command, argc - skip, argv + skip, &error);
    if (status != CA_OK)
        print_error(command, &error);
    wrapped_end();
    /* Buffered output may still fail to be written, for example on a full disk. */
    if ((fflush(stdout) != 0 || ferror(stdout)) && (status == CA_OK || status == CA_WRONG)) {
        status = ca_fail(&error, CA_IO, "cannot write to standard output: %m");
        print_error(command, &error);
    }
    return status;
}
