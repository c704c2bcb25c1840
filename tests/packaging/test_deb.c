/* SPDX-License-Identifier: MIT */
/*
 * The installed Debian package in a bare Debian, whose root CALAB_ROOT names: `make deb-check`
 * makes it. Only root can change into it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/support.h"
#include "tests/support/script.h"

#define PROGRAM "/usr/bin/calab"

static const char *root;

static int in_root(const void *data)
{
    const char *const *arguments = data;
    char *argv[12] = {PROGRAM};

    for (int i = 0; arguments[i]; i++)
        argv[i + 1] = (char *)(uintptr_t)arguments[i];
    setenv("HOME", "/tmp/home", 1);
    if (chroot(root) != 0 || chdir("/tmp") != 0)
        return 126;
    execv(argv[0], argv);
    return 127;
}

static struct screen *started(const char *const *arguments, const char *term)
{
    const struct screen_options options = {
        .term = term, .rows = 30, .columns = 120, .body = in_root, .data = arguments};

    return screen_start(&options);
}

static const struct {
    const char *arguments[10], *part;
} runs[] = {
    {{"--version"}, "calab " CALAB_VERSION},
    {{"run", "anneal", "-n", "10"}, "hash"},
    {{"run", "cloud", "-n", "10", "-s", "40x30x20", "-o", "/tmp/cloud.h5"}, "hash"},
    {{"run", "-c", "/tmp/cloud.h5", "-n", "10"}, "size: 40x30x20"},
    {{"list"}, "bitslice"},
    {{"list", "configs"}, "/usr/share/calab/configs/water-dam.cfg"},
    {{"run", "-c", "/usr/share/calab/configs/water-dam.cfg", "-n", "2"}, "volume"},
    {{"verify", "--cases", "2", "--small", "-b", "bits*,threads"}, "water    threads"},
};

START_TEST(commands)
{
    struct screen *screen = started(runs[_i].arguments, NULL);
    size_t count;
    int status = screen_end(screen);

    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d: %s", status,
                  screen_bytes(screen, &count));
    ck_assert_contains(screen_bytes(screen, &count), runs[_i].part);
    screen_close(screen);
}
END_TEST

static const char *const terminals[] = {"xterm-256color", "tmux-256color", "linux", "vt100"};

/* The workbench steps an engine of its own, and leaves in good order. */
START_TEST(workbench)
{
    static const char *const model[] = {"anneal", NULL};
    struct screen *screen = started(model, terminals[_i]);

    user_does(screen, STEPS(GENERATION(0), PRESS("."), GENERATION(1)));
    user_quits(screen);
}
END_TEST

int main(void)
{
    root = getenv("CALAB_ROOT");
    /* not passed on to programs under test */
    if (!root) {
        fputs("deb: CALAB_ROOT names no root; make deb-check makes one\n", stderr);
        return 1;
    }
    return RUN_TESTS(.table = {{commands, COUNT(runs)}, {workbench, COUNT(terminals)}});
}
