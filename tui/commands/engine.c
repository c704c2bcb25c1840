/* SPDX-License-Identifier: MIT */
/* calab engine: the protocol uses the real stdin and stdout; all other output goes to stderr. */
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "core/engine/crash.h"
#include "core/engine/engine.h"
#include "core/lab/backend/backend.h"
#include "tui/commands/commands.h"

int command_engine(const struct options *options, struct ca_error *error)
{
    int in, out, status;
    const char *folder, *built;

    signal(SIGPIPE, SIG_IGN); /* a peer that has ended is reported as an error */
    if ((fcntl(STDIN_FILENO, F_GETFL) & O_ACCMODE) == O_WRONLY)
        return ca_fail(error, CA_IO, "standard input is closed, but requests are read from it");
    if ((fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE) == O_RDONLY)
        return ca_fail(error, CA_IO, "standard output is closed, but replies are written to it");
    in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (in < 0 || out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return ca_fail(error, CA_IO, "cannot duplicate a standard stream: %m");
    /* The kernel of a lab, before anything goes through the tables of models. */
    folder = options_value(options, OPTION_LAB);
    built = options_value(options, OPTION_BUILT);
    if (built && !folder)
        return ca_fail(error, CA_USAGE, "--built goes with --lab DIR");
    CA_TRY(folder ? ca_lab_backend_add(folder, built, error) : CA_OK);
    ca_crash_begin("engine");
    status = (int)ca_engine_serve(in, out, error);
    ca_lab_backend_end();
    return status;
}
