/* SPDX-License-Identifier: MIT */
/* calab without a command: what to open, resolved; then the screen takes over. */
#include "tui/workbench/workbench.h"

#include "core/machine/cuda.h"
#include "tui/commands/commands.h"

int command_workbench(const struct options *options, struct ca_error *error)
{
    static struct ca_experiment experiment;
    struct ca_settings *settings;
    struct ca_error notice = {.text = ""};
    enum ca_status status = CA_OK;

    if (options->operands > 0)
        CA_TRY(command_check_model(options->operand[0], error));
    ca_cuda_leave(); /* the engine has them, and the screen need not wait until they are awake */
    /* A file that does not parse is told about on the screen; this run has defaults then. */
    ca_settings_open(&settings, ca_settings_path(), &notice);
    status = choose_experiment(&experiment, options, settings, error);
    if (status == CA_OK)
        status = workbench_run(&experiment, settings, notice.text[0] ? notice.text : NULL, error);
    ca_settings_close(settings);
    return (int)status;
}
