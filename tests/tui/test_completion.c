/* SPDX-License-Identifier: MIT */
/*
 * Completion in real shells, in a pseudo-terminal: bash, and zsh and fish where they are installed.
 * PATH begins with the working folder, in which another `calab` lies that must never be run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/screen.h"
#include "tests/support/script.h"
#include "tests/support/support.h"

static const struct shell {
    const char *name, *words[6];
    const char *setup; /* typed first; %s: the folder of completion files */
} shells[] = {
    {"bash", {"--norc", "--noprofile", "-i"}, "source %s/completion.bash; PS1='> '\r"},
    {"zsh",
     {"-f", "-i"},
     "PS1='> ' fpath=($HOME/zsh $fpath); autoload -U compinit; compinit -D; compdef _calab "
     "calab\r"},
    {"fish",
     {"--no-config", "-i"},
     "source %s/completion.fish; function fish_prompt; echo -n '> '; end\r"},
};

static bool is_installed(const char *name)
{
    char path[64];

    snprintf(path, sizeof path, "/usr/bin/%s", name);
    if (access(path, X_OK) == 0)
        return true;
    snprintf(path, sizeof path, "/bin/%s", name);
    return access(path, X_OK) == 0;
}

static void install_at(const char *from, const char *to) { ck_assert_int_eq(symlink(from, to), 0); }

/* An installed calab, one that nobody has installed, and zsh's folder of functions. */
static void lay_out(void)
{
    static const char script[] = "#!/bin/sh\n: >\"$HOME/ran\"\necho anneal-not-installed\n";
    char program[4096];

    ck_assert_int_eq(mkdir(test_path("bin"), 0700), 0);
    ck_assert_int_eq(mkdir(test_path("zsh"), 0700), 0);
    ck_assert_int_eq(mkdir(test_path("here"), 0700), 0);
    ck_assert_ptr_nonnull(realpath(test_program(), program));
    install_at(program, test_path("bin/calab"));
    install_at(test_source("tui/completion.zsh"), test_path("zsh/_calab"));
    test_put("here/calab", script);
    test_put("here/last-state.npy", "");
    ck_assert_int_eq(chmod(test_path("here/calab"), 0700), 0);
}

static int body(const void *data)
{
    const struct shell *shell = data;
    const char *words[8] = {shell->name};
    const char *home = getenv("HOME");
    char path[8192];

    for (int i = 0; i < 6; i++)
        words[i + 1] = shell->words[i];
    snprintf(path, sizeof path, "%s/here", home);
    if (chdir(path) != 0)
        return 126;
    snprintf(path, sizeof path, ".:../here:%s/bin:/usr/bin:/bin", home);
    setenv("PATH", path, 1);
    execvp(shell->name, (char *const *)words);
    return 127;
}

static const struct {
    const char *typed, *shown;
} lines[] = {
    {"calab lis\t", "> calab list "},
    {"calab run life3\t", "> calab run life3d "},
    {"calab run anneal -b threads,refe\t", "> calab run anneal -b threads,reference "},
    {"calab run anneal -b avx2,threads/thr\t", "> calab run anneal -b avx2,threads/threads="},
    {"calab run fhp --set coll\t", "> calab run fhp --set collisions="},
    {"calab run fhp --set geometry=cy\t", "> calab run fhp --set geometry=cylinder "},
    {"calab run life3d --init=cr\t", "> calab run life3d --init=crand "},
    {"calab life3d -b lab:refe\t", "> calab life3d -b lab:reference "},
    {"calab run anneal --init last\t", "> calab run anneal --init last-state.npy "},
    {"calab lab gra\t", "> calab lab grade "},
    {"calab run gra\t", "> calab run gra"},
    {"./calab run life3\t", "> ./calab run life3d "},
};

START_TEST(completes)
{
    const struct shell *shell = &shells[_i];
    const struct screen_options options = {.body = body, .data = shell, .columns = 100, .rows = 40};
    char setup[1024];
    struct screen *screen;

    if (!is_installed(shell->name)) {
        fprintf(stderr, "%s is not installed: not tested\n", shell->name);
        return;
    }
    lay_out();
    screen = screen_start(&options);
    snprintf(setup, sizeof setup, shell->setup, test_source("tui"));
    screen_send(screen, setup);
    for (size_t i = 0; i < COUNT(lines); i++) {
        char typed[128], shown[160];

        snprintf(typed, sizeof typed, "\025%s", lines[i].typed);
        snprintf(shown, sizeof shown, "%sX", lines[i].shown);
        user_does(screen, STEPS(PRESS(typed),
                                PRESS("X") /* shows where the cursor is: behind a blank, or not */,
                                SHOWS(shown)));
    }
    ck_assert_msg(access(test_path("ran"), F_OK) != 0, "what lies in the working folder has run");
    screen_close(screen);
}
END_TEST

int main(void) { return RUN_TESTS(.table = {{completes, COUNT(shells)}}); }
