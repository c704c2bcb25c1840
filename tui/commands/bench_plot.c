/* SPDX-License-Identifier: MIT */
/* Owns the plot of a benchmark: a bar chart of the rates, drawn by gnuplot. */
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/files/file.h"
#include "tui/commands/bench.h"

static const char *terminal_of(const char *path)
{
    const char *dot = strrchr(path, '.');

    if (dot && strcmp(dot, ".svg") == 0)
        return "svg size 900,500 dynamic noenhanced";
    if (dot && strcmp(dot, ".png") == 0)
        return "pngcairo size 900,500 noenhanced";
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
    CA_TRY(ca_file_writable(path, error));
    if (!installed("gnuplot"))
        return ca_fail(error, CA_NO_DEVICE,
                       "--plot: gnuplot is not installed; install it (Debian: apt-get install "
                       "gnuplot-nox), or use --csv");
    return CA_OK;
}

/* In single quotes gnuplot interprets only the quote; in double quotes it would execute `...`. */
static void write_quoted(FILE *out, const char *text)
{
    putc('\'', out);
    for (; *text; text++) {
        if (*text == '\'')
            putc('\'', out);
        putc((unsigned char)*text < ' ' ? ' ' : *text, out);
    }
    putc('\'', out);
}

/* The gnuplot script with the data; gnuplot writes the picture to its standard output. */
static void write_script(FILE *out, const char *path, const struct ca_bench_report *report)
{
    const struct ca_bench *bench = report->bench;
    char text[512];
    int bars = 0;

    snprintf(text, sizeof text, "calab %s on %s", report->provenance.version,
             report->provenance.cpu);
    fprintf(out, "set terminal %s\nset title ", terminal_of(path));
    write_quoted(out, text);
    fputs("\nset ylabel 'Mups'\nset logscale y\nset style data histograms\nset style fill solid "
          "0.6\nset boxwidth 0.8\nset grid ytics\nunset key\nset xtics rotate by -90\n"
          "set xtics ()\n",
          out);
    for (int i = 0; i < bench->count; i++) {
        const struct ca_bench_line *l = &bench->line[i];
        char size[64];

        if (!ca_bench_good(l))
            continue;
        snprintf(text, sizeof text, "%s %s %s%s%s x%d", l->experiment.model->name,
                 ca_size_format(size, l->experiment.size, l->experiment.model->dimensions),
                 l->label, l->label[0] ? " " : "", l->experiment.backend->name, l->threads);
        fputs("set xtics add (", out);
        write_quoted(out, text);
        fprintf(out, " %d)\n", bars++);
    }
    fputs("$rates << EOD\n", out);
    for (int i = 0; i < bench->count; i++)
        if (ca_bench_good(&bench->line[i]))
            fprintf(out, "%.6g\n", ca_bench_mups(&bench->line[i]));
    fputs("EOD\nplot $rates using 1\n", out);
}

/* Whether gnuplot has executed the file `script` and written its output to `picture`. */
static bool draw(int script, int picture)
{
    char name[] = "gnuplot", *const arguments[] = {name, NULL};
    posix_spawn_file_actions_t actions;
    int status = -1;
    pid_t child;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, script, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, picture, STDOUT_FILENO);
    if (posix_spawnp(&child, name, &actions, NULL, arguments, environ) == 0)
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            continue;
    posix_spawn_file_actions_destroy(&actions);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

enum ca_status bench_plot(const char *path, const struct ca_bench_report *report,
                          struct ca_error *error)
{
    struct ca_file_writer picture;
    FILE *script = tmpfile();
    bool drawn;

    if (!script)
        return ca_fail(error, CA_IO, "--plot: a temporary file cannot be created: %s",
                       strerror(errno));
    if (ca_file_begin(&picture, path, error) != CA_OK) {
        fclose(script);
        return error->status;
    }
    write_script(script, path, report);
    rewind(script); /* also flushes the script, which gnuplot reads */
    drawn = draw(fileno(script), fileno(picture.stream));
    fclose(script);
    if (drawn)
        return ca_file_commit(&picture, error);
    ca_file_abandon(&picture);
    return ca_fail(error, CA_IO, "--plot: gnuplot could not draw %.200s", path);
}
