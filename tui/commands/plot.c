/* SPDX-License-Identifier: MIT */
/* Plots are drawn by gnuplot: it reads a script from a temporary file and writes the picture to its
 * standard output, which goes to a file that takes the wanted name once it is whole. */
#include "tui/commands/plot.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/files/file.h"

static const char *terminal_of(const char *path)
{
    const char *dot = strrchr(path, '.');

    if (dot && strcmp(dot, ".svg") == 0)
        return "svg size 900,700 dynamic noenhanced";
    if (dot && strcmp(dot, ".png") == 0)
        return "pngcairo size 900,700 noenhanced";
    return NULL;
}

enum ca_status plot_check(const char *path, struct ca_error *error)
{
    if (!terminal_of(path))
        return ca_fail(error, CA_USAGE, "--plot: '%.200s' does not end in .svg or .png", path);
    CA_TRY(ca_file_writable(path, error));
    if (!ca_file_is_program("gnuplot"))
        return ca_fail(error, CA_NO_DEVICE,
                       "--plot: gnuplot is not installed; install it (Debian: apt-get install "
                       "gnuplot-nox), or use --csv");
    return CA_OK;
}

/* In single quotes gnuplot interprets only the quote; in double quotes it would execute `...`. */
void plot_text(FILE *out, const char *text)
{
    putc('\'', out);
    for (; *text; text++) {
        if (*text == '\'')
            putc('\'', out);
        putc((unsigned char)*text < ' ' ? ' ' : *text, out);
    }
    putc('\'', out);
}

static bool gnuplot_draw(int script, int picture)
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

enum ca_status plot_draw(const char *path, const char *title, plot_script *script,
                         const void *context, struct ca_error *error)
{
    struct ca_file_writer picture;
    FILE *lines = tmpfile();
    bool drawn;

    if (!lines)
        return ca_fail(error, CA_IO, "--plot: a temporary file cannot be created: %s",
                       strerror(errno));
    if (ca_file_begin(&picture, path, error) != CA_OK) {
        fclose(lines);
        return error->status;
    }
    fprintf(lines, "set terminal %s\nset title ", terminal_of(path));
    plot_text(lines, title);
    putc('\n', lines);
    script(lines, context);
    rewind(lines); /* also flushes the script, which gnuplot reads */
    drawn = gnuplot_draw(fileno(lines), picture.fd);
    fclose(lines);
    if (drawn)
        return ca_file_commit(&picture, error);
    ca_file_abandon(&picture);
    return ca_fail(error, CA_IO, "--plot: gnuplot could not draw %.200s", path);
}
