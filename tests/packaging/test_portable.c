/* SPDX-License-Identifier: MIT */
/*
 * The portable program in a root that has glibc's libraries and nothing else: no terminfo, no
 * shell, of /dev the terminal and null, of /proc the link by which it finds itself. Only root can
 * do this.
 */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/script.h"
#include "tests/support/support.h"

static char root[4200];

static void make_root(void)
{
    static const char script[] =
        "set -e; mkdir -p \"$ROOT/proc/self\" \"$ROOT/dev\"; mknod -m 666 \"$ROOT/dev/tty\" c 5 0; "
        "mknod -m 666 \"$ROOT/dev/null\" c 1 3; "
        "cp \"$CALAB\" \"$ROOT/calab\"; "
        "ln -s /calab \"$ROOT/proc/self/exe\"; "
        "for l in $(ldd \"$CALAB\" | grep -o ' */[^ ]* (' | tr -d ' ('); do "
        "mkdir -p \"$ROOT${l%/*}\"; cp -L \"$l\" \"$ROOT$l\"; done";

    snprintf(root, sizeof root, "%s/root", test_folder());
    setenv("ROOT", root, 1);
    ck_assert_int_eq(system(script), 0);
}

static int in_root(const void *data)
{
    const char *const *arguments = data;
    char *argv[12] = {"/calab"};

    for (int i = 0; arguments[i]; i++)
        argv[i + 1] = (char *)(uintptr_t)arguments[i];
    if (chroot(root) != 0 || chdir("/") != 0)
        return 126;
    execv(argv[0], argv);
    return 127;
}

static struct screen *started(const char *const *arguments, const char *term)
{
    const struct screen_options options = {
        .term = term, .rows = 30, .columns = 120, .body = in_root, .data = arguments};

    make_root();
    return screen_start(&options);
}

static const struct {
    const char *arguments[10], *part;
} runs[] = {
    {{"--version"}, "calab " CALAB_VERSION},
    {{"run", "anneal", "-n", "20", "-q"}, "hash: "},
    {{"run", "cloud", "-n", "20", "-s", "40x30x20", "--json"}, "\"calab-run/2\""},
    {{"list"}, "bitslice"},
    {{"list", "patterns"}, "glider-4555    life3d"},
    {{"run", "-c", "water-dam", "-n", "2"}, "volume: 163840"},
    {{"run", "-c", "airfoil", "-n", "2"}, "/patterns/fhp/airfoil.pbm"},
    {{"lab", "tasks"}, "fhp-table        fhp"},
    {{"lab", "new", "anneal", "/mine", "--task", "anneal"}, "write kernel.c"},
    {{"doctor"}, "cursor addressing: yes"},
    {{"verify", "--cases", "2", "--small", "-b", "bits*,threads"}, "water    threads"},
    {{"bench", "fhp", "-s", "64x64", "--time", "0.01", "-b", "bitslice"}, "x before"},
    {{"probe", "--help"}, "usage: calab probe"},
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

static const struct {
    const char *term, *part; /* of the screen */
} terminals[] = {
    {"xterm-256color", "anneal"},
    {"xterm", "anneal"},
    {"tmux-256color", "anneal"},
    {"screen", "anneal"},
    {"linux", "anneal"},
    {"vt100", "anneal"},
    {"kitty", "using xterm-256color instead"}, /* not known, but plainer ones are */
};

/* The workbench steps an engine of its own, writes its settings, and leaves in good order. */
START_TEST(workbench)
{
    static const char *const none[] = {"anneal", NULL};
    struct screen *screen = started(none, terminals[_i].term);

    user_does(screen,
              STEPS(GENERATION(0), SHOWS(terminals[_i].part), PRESS("."), GENERATION(1),
                    CHOOSE("m", "water-dam") /* it is in the program */, STATUS("water  256x256")));
    user_quits(screen);
}
END_TEST

START_TEST(unknown_terminal)
{
    static const char *const none[] = {NULL};
    struct screen *screen = started(none, "teletype-33");
    int status = screen_end(screen);
    size_t count;

    ck_assert_int_eq(WEXITSTATUS(status), 2);
    ck_assert_contains(screen_bytes(screen, &count), "TERM is 'teletype-33'");
    screen_close(screen);
}
END_TEST

/* Whether this process may do what the tests need, found out by a child. */
static bool may_change_root(void)
{
    pid_t pid = fork();
    int status = 1;

    if (pid == 0)
        _exit(chroot("/") != 0);
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

int main(void)
{
    if (!may_change_root()) {
        puts("portable: not run in an empty root: only root may change it");
        return 0;
    }
    return RUN_TESTS(.test = {unknown_terminal},
                     .table = {{commands, COUNT(runs)}, {workbench, COUNT(terminals)}});
}
