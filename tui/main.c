/* SPDX-License-Identifier: MIT */
/* The program: finds the command, parses its options, runs it, says what went wrong. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/machine/cpu.h"
#include "tui/commands/commands.h"

/*
 * Standard streams that are closed get something that fails on use, or a file opened later would
 * take their number and be scribbled on.
 */
static void guard_streams(void)
{
    static const int mode[] = {O_WRONLY, O_RDONLY, O_RDONLY};

    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", mode[fd]) != fd)
            _exit(CA_IO);
}

static void complain(const struct command *command, const struct ca_error *error)
{
    if (error->text[0])
        fprintf(stderr, "calab%s%s: %s\n", command->name[0] ? " " : "", command->name, error->text);
}

/* Variables that say on what terms all figures come about: a slip in one would falsify them. */
static enum ca_status check_variables(struct ca_error *error)
{
    static const char *const off_on[] = {"off", "on", NULL};
    static const struct ca_param rows[] = {
        {.name = "CALAB_CPU", .kind = CA_CHOICE, .choices = ca_isa_names},
        {.name = "CALAB_TUNED", .kind = CA_CHOICE, .choices = off_on},
        {.name = NULL},
    };
    struct ca_values values;

    ca_values_default(&values, rows);
    for (int i = 0; i < values.count; i++) {
        const char *text = getenv(rows[i].name);

        if (text && text[0])
            CA_TRY(ca_values_set(&values, i, text, CA_FROM_ENVIRONMENT, NULL, error));
    }
    return CA_OK;
}

static int run(const struct command *command, int argc, char **argv, struct ca_error *error)
{
    struct options options;
    enum ca_status status =
        options_parse(&options, command->bit, command->operands_max, argc, argv, error);

    /* Of a line that starts with an unknown word, that word is the mistake. */
    if (status != CA_OK && command->bit == FOR_WORKBENCH && options.operands > 0)
        return command_check_model(options.operand[0], error) == CA_OK ? status : CA_USAGE;
    if (status != CA_OK)
        return status;
    if (options_has(&options, OPTION_HELP)) {
        command_help(stdout, command, &options);
        return CA_OK;
    }
    if (options_has(&options, OPTION_VERSION)) {
        printf("calab %s\n", CALAB_VERSION);
        return CA_OK;
    }
    CA_TRY(check_variables(error));
    return command->run(&options, error);
}

int main(int argc, char **argv)
{
    const struct command *command;
    struct ca_error error = {.text = ""};
    int status, skip;

    guard_streams();
    if (argc > 2 && strcmp(argv[1], "--complete") == 0) {
        command_complete(stdout, argc - 2, argv + 2);
        return CA_OK;
    }
    command = command_find(argc, argv);
    skip = command->name[0] != '\0';
    status = run(command, argc - skip, argv + skip, &error);
    if (status != CA_OK)
        complain(command, &error);
    /* What was printed has to have arrived: a full disk shows here at the latest. */
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == CA_OK) {
        status = ca_fail(&error, CA_IO, "cannot write to standard output: %m");
        complain(command, &error);
    }
    return status;
}
