/* SPDX-License-Identifier: MIT */
/* Types what a document says, in a shell and in the workbench. */
#include <ctype.h>
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

#include "tests/support/document.h"
#include "tests/support/sent_keys.h"
#include "tests/support/support.h"
#include "tests/support/user.h"
#include "tests/support/whole_screen.h"

#define PATIENCE_S 2
#define LONG_PATIENCE_S 20 /* of a command whose file is read later */
#define SHOWN_PATIENCE_S 100
#define END_PATIENCE_S 40 /* after ^C */

struct typist {
    const char *name; /* of the document */
    const struct document_line *line;
    const char *home; /* a folder of the test, in which `bin` and `empty` are */
    char *said;       /* by the last command, its blanks one by one; NULL: it was left out */
    struct screen *screen;
    int typed;
};

static bool is_left_out(const char *text)
{
    return strstr(text, "cuda") || strstr(text, "--devices") ||
           (strstr(text, ".mp4") && system("command -v ffmpeg >/dev/null") != 0);
}

/* Whether a command names a file, as a word with a dot in it, that a later one names, too. */
static bool is_read_later(const struct document_line *line)
{
    char *copy = strdup(line->text), *rest = copy, *word;
    bool found = false;

    while (!found && (word = strsep(&rest, " ,:;'\n")) != NULL)
        for (const struct document_line *later = line + 1; later->kind && strchr(word, '.');
             later++)
            found |= later->kind == DOCUMENT_COMMAND && strstr(later->text, word) != NULL;
    free(copy);
    return found;
}

static int status_of(const char *text)
{
    const char *said = strstr(text, "# status ");

    return said ? atoi(said + strlen("# status ")) : 0;
}

/* Puts one blank in place of all that lie between two words. */
static char *one_blank(char *text)
{
    char *out = text;

    for (const char *in = text; *in; in++)
        if (!isspace((unsigned char)*in))
            *out++ = *in;
        else if (out > text && out[-1] != ' ')
            *out++ = ' ';
    while (out > text && out[-1] == ' ')
        out--;
    *out = '\0';
    return text;
}

/* Whether a text has the words of a line, in which "..." stands for any others. */
static bool shows(const char *text, const char *words)
{
    char *copy = one_blank(test_keep(strdup(words))), *part;

    while (text && (part = copy) != NULL) {
        char *end = strstr(copy, "...");

        if (end)
            *end = '\0';
        copy = end ? end + 3 : NULL;
        text = strstr(text, one_blank(part));
    }
    return text != NULL;
}

/* --- a command -------------------------------------------------------------------------------- */

static void become_shell(const struct typist *typist, const char *text)
{
    char folder[4200], said[4200];
    int out;

    snprintf(folder, sizeof folder, "%s/empty", typist->home);
    snprintf(said, sizeof said, "%s/said", typist->home);
    out = open(said, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    setpgid(0, 0);
    signal(SIGINT, SIG_DFL);
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
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

static int patience_s(const struct document_line *line)
{
    return line[1].kind == DOCUMENT_SHOWN ? SHOWN_PATIENCE_S
           : is_read_later(line)          ? LONG_PATIENCE_S
                                          : PATIENCE_S;
}

static void type_command(struct typist *typist)
{
    const struct document_line *line = typist->line;
    int process, status;
    bool stopped;
    pid_t pid;

    pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0)
        become_shell(typist, line->text);
    setpgid(pid, pid); /* whoever of both comes first */
    process = pidfd_open(pid, 0);
    ck_assert_int_ge(process, 0);
    stopped = !ends(process, patience_s(line));
    if (stopped)
        kill(-pid, SIGINT);
    if (!ends(process, END_PATIENCE_S)) {
        kill(-pid, SIGKILL);
        ck_abort_msg("%s:%d: %s: does not end by ^C", typist->name, line->number, line->text);
    }
    close(process);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    typist->said = one_blank(test_read(test_path("said"), NULL));
    if (status != status_of(line->text) && !(stopped && status == 128 + SIGINT))
        ck_abort_msg("%s:%d: %s: status %d%s: %.2000s", typist->name, line->number, line->text,
                     status, stopped ? " after ^C" : "", typist->said);
}

/* --- the workbench ---------------------------------------------------------------------------- */

static void open_workbench(struct typist *typist)
{
    struct screen_options options = {.name = typist->line->text};
    char *rest = test_keep(strdup(typist->line->text)), *word = strsep(&rest, " ");

    ck_assert_str_eq(word, "calab");
    for (size_t i = 0; (word = strsep(&rest, " ")) != NULL && word[0] != '#'; i += *word != '\0') {
        ck_assert_uint_lt(i, COUNT(options.arguments));
        options.arguments[i] = *word ? word : NULL;
    }
    typist->screen = user_starts(&options);
}

static void press(struct screen *screen, const char *key)
{
    char name[16], bytes[SENT_MAX];

    snprintf(name, sizeof name, "%s", key);
    for (char *c = name; name[1] && *c; c++)
        *c = (char)tolower((unsigned char)*c);
    screen_send(screen, sent_by(NULL, name, bytes));
}

static bool is_asked(struct screen *screen, const void *data)
{
    (void)data;
    return whole_dialog(screen);
}

static void type_text(struct screen *screen, const char *text)
{
    screen_until(screen, is_asked, NULL, "a line of input or a list");
    screen_send(screen, text);
    screen_expect(screen, strlen(text) > 40 ? text + strlen(text) - 40 : text);
}

static void type_keys(struct typist *typist)
{
    char *rest = test_keep(strdup(typist->line->text)), *word, text[200] = "";
    bool key = true;

    while ((word = strsep(&rest, " ")) != NULL) {
        const bool macro = strcmp(word, "Cm") == 0 || strcmp(word, "Ar") == 0;

        if (macro)
            key = word[0] == 'C';
        else if (strncmp(word, "\\&", 2) == 0)
            word += 2;
        if (!macro && !key)
            snprintf(text + strlen(text), sizeof text - strlen(text), text[0] ? " %s" : "%s", word);
        if (key && text[0]) {
            type_text(typist->screen, text);
            text[0] = '\0';
        }
        if (!macro && key)
            press(typist->screen, word);
    }
    ck_assert_msg(!text[0], "%s:%d: no key follows '%s'", typist->name, typist->line->number, text);
}

static void quit_workbench(struct typist *typist)
{
    ck_assert_int_eq(screen_end(typist->screen), 0);
    screen_close(typist->screen);
    typist->screen = NULL;
}

/* --- all of it -------------------------------------------------------------------------------- */

/* A folder of programs before all others: calab, and an ssh whose hosts are all this one. */
static void prepare(struct typist *typist)
{
    char program[4096];

    typist->home = test_folder();
    ck_assert_int_eq(mkdir(test_path("bin"), 0700), 0);
    ck_assert_int_eq(mkdir(test_path("empty"), 0700), 0);
    ck_assert_ptr_nonnull(realpath(test_program(), program));
    ck_assert_int_eq(symlink(program, test_path("bin/calab")), 0);
    test_put("bin/ssh",
             "#!/bin/sh\n"
             "while [ \"${1#-}\" != \"$1\" ]; do [ \"$1\" != -o ] || shift; shift; done\n"
             "shift\nexec \"$@\"\n");
    ck_assert_int_eq(chmod(test_path("bin/ssh"), 0700), 0);
    setenv("PATH", test_text("%s:%s", test_path("bin"), getenv("PATH")), 1);
    setenv("CALAB", program, 1);
    test_hurry_by(4); /* some kernels are timed until it is known which is faster */
    ck_assert_int_eq(chdir(test_path("empty")), 0);
}

/* Whether keys follow a command: then it opens the workbench. */
static bool is_session(const struct document_line *line)
{
    do
        line++;
    while (line->kind == DOCUMENT_SHOWN);
    return line->kind == DOCUMENT_KEYS;
}

static void type_line(struct typist *typist)
{
    const struct document_line *line = typist->line;

    if (line->kind == DOCUMENT_COMMAND && typist->screen)
        quit_workbench(typist);
    if (line->kind == DOCUMENT_COMMAND && is_left_out(line->text)) {
        typist->said = NULL;
        typist->typed--;
    } else if (line->kind == DOCUMENT_COMMAND && is_session(line)) {
        open_workbench(typist);
    } else if (line->kind == DOCUMENT_COMMAND) {
        type_command(typist);
    } else if (line->kind == DOCUMENT_KEYS) {
        ck_assert_msg(typist->screen != NULL,
                      "%s:%d: keys before a command that opens the workbench", typist->name,
                      line->number);
        type_keys(typist);
    } else if (typist->screen) {
        screen_expect_words(typist->screen, line->text);
    } else if (typist->said && !shows(typist->said, line->text)) {
        ck_abort_msg("%s:%d: '%s' is not in what the command said: %.2000s", typist->name,
                     line->number, line->text, typist->said);
    }
}

int document_type(const char *name, const char *section)
{
    struct typist typist = {.name = name, .line = document_read(name, section)};

    prepare(&typist);
    for (; typist.line->kind; typist.line++, typist.typed++)
        type_line(&typist);
    if (typist.screen)
        quit_workbench(&typist);
    return typist.typed;
}
