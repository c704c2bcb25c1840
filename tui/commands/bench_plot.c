/* SPDX-License-Identifier: MIT */
/* Owns drawing a benchmark: bars of the rates, by gnuplot where it is installed. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tui/commands/bench.h"

static const char *terminal_of(const char *path)
{
    const char *dot = strrchr(path, '.');

    if (dot && strcmp(dot, ".svg") == 0)
        return "svg size 900,500 dynamic";
    if (dot && strcmp(dot, ".png") == 0)
        return "pngcairo size 900,500";
    return NULL;
}

static bool installed(const char *program)
{
    const char *path = getenv("PATH");

    while (path && *path) {
        size_t length = strcspn(path, ":");
        char file[4096];
        struct stat status;

        snprintf(file, sizeof file, "%.*s/%s", (int)length, path, program);
        if (stat(file, &status) == 0 && S_ISREG(status.st_mode) && access(file, X_OK) == 0)
            return true;
        path += length + (path[length] == ':');
    }
    return false;
}

enum ca_status bench_plot_check(const char *path, struct ca_error *error)
{
    if (!terminal_of(path))
        return ca_fail(error, CA_USAGE, "--plot: '%.200s' does not end in .svg or .png", path);
    if (strpbrk(path, "'\n\\"))
        return ca_fail(error, CA_USAGE,
                       "--plot: a name with quotes, backslashes or newlines is not taken");
    if (!installed("gnuplot"))
        return ca_fail(error, CA_NO_DEVICE,
                       "--plot: gnuplot is not installed; install it (Debian: apt-get install "
                       "gnuplot-nox), or take --csv");
    return CA_OK;
}

/* Gnuplot's script, data included. */
static void write_script(FILE *out, const char *path, const struct bench_report *report)
{
    const struct ca_bench *bench = report->bench;

    fprintf(out,
            "set terminal %s\nset output '%s'\nset title 'calab %s on %s'\n"
            "set ylabel 'Mups'\nset logscale y\nset style data histograms\nset style fill solid "
            "0.6\nset boxwidth 0.8\nset grid ytics\nset xtics rotate by -90\nunset key\n"
            "$rates << EOD\n",
            terminal_of(path), path, report->provenance.version, report->provenance.cpu);
    for (int i = 0; i < bench->count; i++) {
        const struct ca_bench_line *l = &bench->line[i];
        char size[64];

        if (ca_bench_good(l))
            fprintf(out, "\"%s %s %s%s%s x%d\" %.6g\n", l->experiment.model->name,
                    ca_size_format(size, l->experiment.size, l->experiment.model->dimensions),
                    l->label, l->label[0] ? " " : "", l->experiment.backend->name, l->threads,
                    ca_bench_mups(l));
    }
    fputs("EOD\nplot $rates using 2:xtic(1)\n", out);
}

enum ca_status bench_plot(const char *path, const struct bench_report *report,
                          struct ca_error *error)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, kept; /* it may end without reading */
    FILE *gnuplot;
    int status;

    sigaction(SIGPIPE, &ignore, &kept);
    gnuplot = popen("gnuplot", "we");
    if (!gnuplot)
        return ca_fail(error, CA_IO, "--plot: gnuplot cannot be started: %s", strerror(errno));
    write_script(gnuplot, path, report);
    status = pclose(gnuplot);
    sigaction(SIGPIPE, &kept, NULL);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return ca_fail(error, CA_IO, "--plot: gnuplot could not draw %.200s", path);
    return CA_OK;
}
