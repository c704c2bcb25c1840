/* SPDX-License-Identifier: MIT */
/* Owns starting the program under test and reading its output. */
#include "tests/support/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utmp.h>

#include "tests/support/process.h"
#include "tests/support/support.h"

#define ARGUMENTS_MAX 64
#define PATIENCE_S 120

extern char **environ;

/* The program inherits only these variables. */
static void set_environment(const struct surroundings *s, const char *home)
{
    static const char *const kept[] = {
        "PATH",         "ASAN_OPTIONS",    "UBSAN_OPTIONS",
        "TSAN_OPTIONS", "GCOV_PREFIX",     "GCOV_PREFIX_STRIP",
        "LD_PRELOAD",   "CALAB_LAB_READS", "CALAB_HURRY", /* test_hurry() */
    };

    enum { KEPT = sizeof kept / sizeof kept[0] };
    char pairs[KEPT][4200], uncounted[4200];

    for (int i = 0; i < KEPT; i++) {
        const char *value = getenv(kept[i]);

        pairs[i][0] = '\0';
        if (value)
            snprintf(pairs[i], sizeof pairs[i], "%s=%.4000s", kept[i], value);
    }
    clearenv();
    for (int i = 0; i < KEPT; i++)
        if (pairs[i][0])
            putenv(strdup(pairs[i]));
    setenv("LANG", "C", 1);
    setenv("CALAB_TUNED", "off", 1); /* most tests do not ask which backend is the fastest */
    setenv("HOME", home, 1);
    setenv("XDG_CONFIG_HOME", home, 1);
    setenv("XDG_STATE_HOME", home, 1);
    if (s->term)
        setenv("TERM", s->term, 1);
    if (s->processes) { /* which the test may run as root, and whose own memory is not ours */
        setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
        setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
        setenv("ASAN_OPTIONS", "detect_leaks=0:allocator_may_return_null=1", 1);
    }
    if (s->file_limit) { /* which would cut a coverage build's counts, and be complained of */
        snprintf(uncounted, sizeof uncounted, "%s/.cache", home);
        setenv("GCOV_PREFIX", uncounted, 1);
        setenv("GCOV_ERROR_FILE", "/dev/null", 1);
    }
    for (const char *const *v = s->variable; v && *v; v++)
        putenv(strdup(*v));
}

static int stdin_with(const char *text)
{
    FILE *file = tmpfile();

    fputs(text ? text : "", file);
    rewind(file);
    return fileno(file);
}

static void set_streams(const struct surroundings *s, int out, int err, int terminal)
{
    if (s->term) {
        login_tty(terminal);
        return;
    }
    dup2(stdin_with(s->stdin_text), 0);
    dup2(s->stdout_file ? open(s->stdout_file, O_WRONLY) : out, 1);
    dup2(err, 2);
    for (int fd = 3; fd < 64; fd++)
        close(fd);
    if (s->no_stdin)
        close(0);
    if (s->no_stdout)
        close(1);
}

static void become(const struct surroundings *s, const char *home, char *arguments, int out,
                   int err, int terminal)
{
    char *argv[ARGUMENTS_MAX] = {NULL}, program[4096], mpirun[256];
    int count = 0;

    if (s->processes) {
        snprintf(mpirun, sizeof mpirun, "mpirun --oversubscribe %s", s->processes);
        for (char *word = strtok(mpirun, " "); word; word = strtok(NULL, " "))
            argv[count++] = word;
        argv[count++] = program;
    } else {
        argv[count++] = (char *)"calab";
    }
    for (char *word = strtok(arguments, " "); word && count < ARGUMENTS_MAX - 1;
         word = strtok(NULL, " "))
        argv[count++] = word;
    snprintf(program, sizeof program, "%s", test_program());
    if (program[0] != '/' && !realpath(test_program(), program))
        _exit(99);
    if (chdir(test_source(".")) != 0)
        _exit(99);
    signal(SIGINT, s->interrupts_ignored ? SIG_IGN : SIG_DFL);
    if (s->file_limit) {
        struct rlimit limit = {s->file_limit, s->file_limit};

        setrlimit(RLIMIT_FSIZE, &limit);
    }
    if (s->memory_limit) {
        struct rlimit limit = {s->memory_limit, s->memory_limit};

        setrlimit(RLIMIT_AS, &limit);
    }
    set_environment(s, home);
    set_streams(s, out, err, terminal);
    if (s->processes)
        execvp(argv[0], argv);
    else
        execv(program, argv);
    _exit(99);
}

struct text {
    char *bytes;
    size_t size;
};

/* Appends the available output; false at its end. */
static bool more(struct text *text, int fd)
{
    char buffer[65536];
    ssize_t n = read(fd, buffer, sizeof buffer);

    if (n <= 0)
        return n < 0 && errno == EINTR; /* EIO is the end of a terminal */
    text->bytes = realloc(text->bytes, text->size + (size_t)n + 1);
    ck_assert_ptr_nonnull(text->bytes);
    memcpy(text->bytes + text->size, buffer, (size_t)n);
    text->size += (size_t)n;
    text->bytes[text->size] = '\0';
    return true;
}

/* Waits for output. A program that says nothing may go on as long as it works, which is slow where
 * others use the cores: it has `patience_s` of CPU time, and may not rest that long. */
static void await_output(pid_t pid, struct pollfd polled[2], int patience_s, const char *so_far)
{
    double began_s = process_tree_s(pid), last_s = began_s;

    while (poll(polled, 2, patience_s * 1000) == 0) {
        double now_s = process_tree_s(pid);

        if (now_s - last_s < 0.1 || now_s - began_s >= patience_s) {
            kill(pid, SIGKILL);
            ck_abort_msg("the program says nothing, and took %.1f s of CPU time since; so far: %s",
                         now_s - began_s, so_far);
        }
        last_s = now_s;
    }
}

static void listen_to(const struct surroundings *s, pid_t pid, struct text text[2], int fd[2])
{
    struct pollfd polled[2] = {{fd[0], POLLIN, 0}, {fd[1], POLLIN, 0}};
    bool interrupted = false;

    while (polled[0].fd >= 0 || polled[1].fd >= 0) {
        await_output(pid, polled, s->patience_s ? s->patience_s : PATIENCE_S, text[1].bytes);
        for (int i = 0; i < 2; i++)
            if (polled[i].fd >= 0 && polled[i].revents && !more(&text[i], fd[i]))
                polled[i].fd = -1;
        if (s->interrupt_after && !interrupted && strstr(text[1].bytes, s->interrupt_after)) {
            interrupted = true;
            kill(pid, SIGINT);
        }
    }
}

static struct outcome start(const struct surroundings *s, char *arguments)
{
    /* Wide enough for every message, so that none is wrapped. */
    const struct winsize wide = {.ws_row = 24, .ws_col = 500};
    struct text text[2] = {{strdup(""), 0}, {strdup(""), 0}};
    int out[2], err[2], terminal[2], fd[2], status;
    bool err_tty = s->interrupt_after || s->term;
    const char *home;
    pid_t pid;

    ck_assert_int_eq(pipe(out), 0);
    ck_assert_int_eq(pipe(err), 0);
    ck_assert_int_eq(openpty(&terminal[0], &terminal[1], NULL, NULL, &wide), 0);
    home = test_folder(); /* before the fork, because the folder depends on the process */
    pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        if (!s->term)
            setsid(); /* without the terminal of the tests */
        become(s, home, arguments, out[1], err_tty ? terminal[1] : err[1], terminal[1]);
    }
    close(out[1]);
    close(err[1]);
    close(terminal[1]);
    fd[0] = out[0];
    fd[1] = err_tty ? terminal[0] : err[0];
    if (s->meanwhile)
        s->meanwhile(pid, s->context);
    listen_to(s, pid, text, fd);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    close(out[0]);
    close(err[0]);
    close(terminal[0]);
    return (struct outcome){WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
                            test_keep(text[0].bytes), test_keep(text[1].bytes)};
}

static const struct surroundings plain;

/* Runs a line, which must end with that status (-1: any) and say `part` on stderr (NULL: anything,
 * "": nothing). */
static struct outcome line_run(const struct surroundings *s, int status, const char *part,
                               const char *arguments, va_list list)
{
    char line[8192];
    struct outcome o;

    vsnprintf(line, sizeof line, arguments, list);
    o = start(s, line);
    ck_assert_msg(status < 0 || o.status == status, "calab %s: exit status %d, expected %d: %s",
                  line, o.status, status, o.err);
    ck_assert_msg(!part || (*part ? strstr(o.err, part) != NULL : !*o.err),
                  "calab %s: standard error is '%s', expected '%s'", line, o.err, part);
    return o;
}

struct outcome calab(const char *arguments, ...)
{
    va_list list;
    struct outcome o;

    va_start(list, arguments);
    o = line_run(&plain, -1, NULL, arguments, list);
    va_end(list);
    return o;
}

struct outcome calab_in(const struct surroundings *surroundings, const char *arguments, ...)
{
    va_list list;
    struct outcome o;

    va_start(list, arguments);
    o = line_run(surroundings, -1, NULL, arguments, list);
    va_end(list);
    return o;
}

struct outcome calab_good(const char *arguments, ...)
{
    va_list list;
    struct outcome o;

    va_start(list, arguments);
    o = line_run(&plain, 0, NULL, arguments, list);
    va_end(list);
    return o;
}

struct outcome calab_good_in(const struct surroundings *surroundings, const char *arguments, ...)
{
    va_list list;
    struct outcome o;

    va_start(list, arguments);
    o = line_run(surroundings, 0, NULL, arguments, list);
    va_end(list);
    return o;
}

struct outcome calab_done(const char *arguments, ...)
{
    va_list list;
    struct outcome o;

    va_start(list, arguments);
    o = line_run(&plain, 0, "", arguments, list);
    va_end(list);
    return o;
}

struct outcome calab_done_in(const struct surroundings *surroundings, const char *arguments, ...)
{
    va_list list;
    struct outcome o;

    va_start(list, arguments);
    o = line_run(surroundings, 0, "", arguments, list);
    va_end(list);
    return o;
}

struct outcome calab_fails(int status, const char *part, const char *arguments, ...)
{
    va_list list;
    struct outcome o;

    va_start(list, arguments);
    o = line_run(&plain, status, part, arguments, list);
    va_end(list);
    return o;
}

json_t *outcome_json(const struct outcome *outcome)
{
    json_error_t error;
    json_t *json = json_loads(outcome->out, 0, &error);

    ck_assert_msg(json != NULL, "no JSON: %s in: %s\n%s", error.text, outcome->out, outcome->err);
    return test_keep(json);
}

const char *outcome_value(const struct outcome *outcome, const char *key)
{
    static char value[4][512];
    static int next;
    char start[64];
    const char *found;

    snprintf(start, sizeof start, "\n%s: ", key);
    found = strstr(outcome->out, start);
    ck_assert_msg(found || strncmp(outcome->out, start + 1, strlen(start + 1)) == 0,
                  "no line '%s: ' in: %s\n%s", key, outcome->out, outcome->err);
    found = found ? found + strlen(start) : outcome->out + strlen(start + 1);
    next = (next + 1) % 4;
    snprintf(value[next], sizeof value[0], "%.*s", (int)strcspn(found, "\n"), found);
    return value[next];
}

void calab_refuses(const struct refusal *refusal)
{
    struct outcome o = calab_fails(refusal->status, refusal->one, "%s", refusal->arguments);

    ck_assert_contains(o.err, refusal->two);
    ck_assert_str_eq(o.out, "");
}

void calab_refuses_with(const struct refusal *refusal, const char *file)
{
    struct refusal filled = *refusal;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    filled.arguments = test_text(refusal->arguments, file);
#pragma GCC diagnostic pop
    calab_refuses(&filled);
}

static const struct refusal *refused;

START_TEST(is_refused) { calab_refuses(&refused[_i]); }
END_TEST

const TTest *refusals_test(const struct refusal refusals[])
{
    refused = refusals;
    return is_refused;
}
