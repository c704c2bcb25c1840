/* SPDX-License-Identifier: MIT */
/*
 * The commands of README.md, typed in order in an empty folder, and those of its tour.
 *
 * Each line of a block of shell that begins with `calab` is run, so that a new one is, too, but
 * what needs more than calab and a shell: a GPU (`cuda`, `--devices`), and ffmpeg (`.mp4`) where it
 * is not installed. Its status is 0, or what its comment says ("status 1"). A line that has not
 * ended after some seconds is stopped as ^C does it, which every command takes at any time, unless
 * it names a file that a later line names.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/support.h"
#include "tests/support/script.h"

#define PATIENCE_S 2
#define LONG_PATIENCE_S 20 /* of a line whose file is read later */
#define END_PATIENCE_S 40  /* after ^C */
#define LINES_MAX 100

struct line {
    int number; /* in README.md */
    char *text;
};

static struct line lines[LINES_MAX];
static int line_count;

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static char *readme(void) { return test_read(test_source("README.md"), NULL); }

static void find_lines(void)
{
    char *text = readme(), *rest = text, *line;
    bool in_block = false, shell = false;

    for (int number = 1; (line = strsep(&rest, "\n")) != NULL; number++) {
        if (begins(line, "```")) {
            shell = !in_block && strcmp(line, "```sh") == 0;
            in_block = !in_block;
        } else if (shell && begins(line, "calab ")) {
            ck_assert_int_lt(line_count, LINES_MAX);
            lines[line_count++] = (struct line){number, strdup(line)};
        }
    }
    free(text);
}

static bool is_left_out(const char *text)
{
    return strstr(text, "cuda") || strstr(text, "--devices") ||
           (strstr(text, ".mp4") && system("command -v ffmpeg >/dev/null") != 0);
}

/* Whether a line names a file, as a word with a dot in it, that a later one names, too. */
static bool is_read_later(int i)
{
    char *copy = strdup(lines[i].text), *rest = copy, *word;
    bool found = false;

    while (!found && (word = strsep(&rest, " ,:;'")) != NULL)
        for (int later = i + 1; later < line_count && strchr(word, '.'); later++)
            found |= strstr(lines[later].text, word) != NULL;
    free(copy);
    return found;
}

static int status_of(const char *text)
{
    const char *said = strstr(text, "# status ");

    return said ? atoi(said + strlen("# status ")) : 0;
}

/* --- one line --------------------------------------------------------------------------------- */

/* `home` is a folder of the test, in which `bin` and `empty` are. */
static void become_shell(const char *text, const char *home)
{
    char path[4600], folder[4200], said[4200];
    int out;

    snprintf(folder, sizeof folder, "%s/empty", home);
    snprintf(said, sizeof said, "%s/said", home);
    snprintf(path, sizeof path, "%s/bin:%.400s", home, getenv("PATH"));
    out = open(said, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    setpgid(0, 0);
    signal(SIGINT, SIG_DFL);
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    setenv("PATH", path, 1);
    setenv("TERM", "xterm-256color", 1);
    setenv("HOME", folder, 1);
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("XDG_STATE_HOME");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("CALAB_TUNED");
    if (chdir(folder) == 0)
        execl("/bin/sh", "sh", "-c", text, (char *)NULL);
    _exit(99);
}

/* Waits for the end of a process, at most so long; false: it goes on. */
static bool ends(int process, int seconds)
{
    struct pollfd polled = {.fd = process, .events = POLLIN};
    int got;

    do
        got = poll(&polled, 1, seconds * 1000);
    while (got < 0 && errno == EINTR);
    return got > 0;
}

static void type(int i)
{
    const char *home = test_folder(); /* which is another in a child */
    int process, status;
    bool stopped;
    char *said;
    pid_t pid;

    pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0)
        become_shell(lines[i].text, home);
    setpgid(pid, pid); /* whoever of both comes first */
    process = pidfd_open(pid, 0);
    ck_assert_int_ge(process, 0);
    stopped = !ends(process, is_read_later(i) ? LONG_PATIENCE_S : PATIENCE_S);
    if (stopped)
        kill(-pid, SIGINT);
    if (!ends(process, END_PATIENCE_S)) {
        kill(-pid, SIGKILL);
        ck_abort_msg("README.md:%d: %s: does not end by ^C", lines[i].number, lines[i].text);
    }
    close(process);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    said = test_read(test_path("said"), NULL);
    if (status != status_of(lines[i].text) && !(stopped && status == 128 + SIGINT))
        ck_abort_msg("README.md:%d: %s: status %d%s: %.2000s", lines[i].number, lines[i].text,
                     status, stopped ? " after ^C" : "", said);
}

START_TEST(each_line)
{
    char program[4096];
    int typed = 0;

    find_lines();
    ck_assert_int_eq(mkdir(test_path("bin"), 0700), 0);
    ck_assert_int_eq(mkdir(test_path("empty"), 0700), 0);
    ck_assert_ptr_nonnull(realpath(test_program(), program));
    ck_assert_int_eq(symlink(program, test_path("bin/calab")), 0);
    for (int i = 0; i < line_count; i++) {
        if (is_left_out(lines[i].text))
            continue;
        type(i);
        typed++;
    }
    ck_assert_int_ge(typed, 25);
}
END_TEST

/* --- the tour --------------------------------------------------------------------------------- */

/* The next `...` of a text, and what follows it; NULL: there is none. */
static char *next_code(char **rest)
{
    char *start = strchr(*rest, '`'), *end = start ? strchr(start + 1, '`') : NULL;

    if (!end)
        return NULL;
    *end = '\0';
    *rest = end + 1;
    return start + 1;
}

/* What of the tour's code is no key alone: an experiment, a file to write, a command. */
static bool do_of_tour(struct screen *screen, const char *code)
{
    struct stat file;

    if (strcmp(code, "water-dam") == 0) {
        user_does(screen, STEPS(CHOOSE("m", code), STATUS("water"),
                                SHOWS(" 163840 cells") /* the volume, of which the tour speaks */));
    } else if (begins(code, "w ")) {
        user_types(screen, "w", code + 2);
        screen_expect(screen, code + 2);
        for (int i = 0; i < 400 && stat(code + 2, &file) != 0; i++)
            screen_listen(screen, 0.05);
        if (stat(code + 2, &file) != 0) {
            puts(screen_text(screen));
            ck_abort_msg("%s was not written", code + 2);
        }
    } else if (begins(code, "goto ")) {
        user_types(screen, ":", code);
        expect_generation(screen, atoi(code + strlen("goto ")));
    } else if (begins(code, "set ")) {
        user_types(screen, ":", code);
        screen_expect(screen, test_text("%.*s changed", (int)strcspn(code + 4, "="), code + 4));
    } else {
        return false;
    }
    return true;
}

START_TEST(the_tour)
{
    const struct screen_options options = {.rows = 40, .columns = 120};
    struct screen *screen;
    char *text = readme(), *tour = strstr(text, "\n## A tour"), *end, *code;
    int done = 0;

    ck_assert_ptr_nonnull(tour);
    end = strstr(tour + 1, "\n```");
    ck_assert_ptr_nonnull(end);
    *end = '\0';
    ck_assert_int_eq(chdir(test_folder()), 0);
    screen = user_starts(&options);
    while ((code = next_code(&tour)) != NULL)
        done += do_of_tour(screen, code);
    ck_assert_int_ge(done, 6);
    user_quits(screen);
    free(text);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.timeout_s = SANITIZED ? 600 : 240, .test = {each_line, the_tour});
}
