/* SPDX-License-Identifier: MIT */
/* This file draws the progress line on stderr and keeps the signal that has arrived. */
#include "tui/commands/progress.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/files/file.h"

#define PAUSE_S 0.1
#define WIDTH 78

static bool wanted, shown;
static double last_s;

void progress_open(const struct options *options)
{
    wanted = !options_has(options, OPTION_QUIET) && isatty(STDERR_FILENO);
    last_s = ca_now();
}

bool progress_due(void) { return wanted && ca_now() - last_s >= PAUSE_S; }

void progress_show(const char *format, ...)
{
    char text[WIDTH + 1];
    va_list list;

    if (!wanted)
        return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    fprintf(stderr, "\r%-*s\r", WIDTH, ca_plain(text));
    shown = true;
    last_s = ca_now();
}

void progress_clear(void)
{
    if (shown)
        fprintf(stderr, "\r%-*s\r", WIDTH, "");
    shown = false;
}

volatile sig_atomic_t stopped_by;

static void on_signal(int number) { stopped_by = number; }

static bool none_has_arrived(void) { return !stopped_by; }

void catch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND}, old;

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    ca_file_wait_while(none_has_arrived);
}

int stopped_status(enum ca_status status, const char *rest, struct ca_error *error)
{
    ca_error_set(error, status, "stopped by signal %d (%s)%s", (int)stopped_by,
                 strsignal(stopped_by), rest);
    return 128 + stopped_by;
}

volatile sig_atomic_t checkpoint_asked;

static void on_checkpoint_signal(int number)
{
    (void)number;
    checkpoint_asked = 1;
}

void catch_checkpoint_signal(void)
{
    struct sigaction action = {.sa_handler = on_checkpoint_signal, .sa_flags = SA_RESTART};

    sigaction(SIGUSR1, &action, NULL);
}
