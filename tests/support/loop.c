/* SPDX-License-Identifier: MIT */
/* Owns the program that the tests of the terminal run. */
#include "tests/support/loop.h"
#include "tui/workbench/terminal/terminal_keys.h"

#include <curses.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct ca_error error;

void loop_show(int row, const char *text)
{
    mvaddstr(row, 0, text);
    wnoutrefresh(stdscr);
    doupdate();
}

struct terminal *loop_open(void)
{
    struct terminal *terminal;
    enum ca_status status = terminal_open(&terminal, &error);

    if (status != CA_OK) {
        printf("REFUSED %s\n", error.text);
        fflush(stdout);
        _exit(status);
    }
    return terminal;
}

void loop_leave_mark(const char *name)
{
    char path[256];

    snprintf(path, sizeof path, "%s/%s", getenv("HOME"), name);
    close(open(path, O_WRONLY | O_CREAT, 0600));
}

static void show_key(int kind, wint_t key)
{
    char text[64];

    if (kind == KEY_CODE_YES && key == KEY_RESIZE)
        snprintf(text, sizeof text, "size %dx%d;", LINES, COLS);
    else
        snprintf(text, sizeof text, "key %s%u;",
                 kind == KEY_CODE_YES      ? "code "
                 : kind == TERMINAL_PASTED ? "pasted "
                                           : "",
                 key);
    loop_show(1, text);
}

/* A main loop like that of the workbench; 'q' ends it. */
static int main_loop(struct terminal *terminal)
{
    for (;;) {
        wint_t key;
        int kind;

        terminal_poll(terminal, NULL, 0, -1);
        if (terminal_gone(terminal)) {
            loop_leave_mark("gone");
            terminal_die(terminal, SIGHUP);
        }
        if (terminal_signal(terminal)) {
            loop_leave_mark("saved");
            terminal_die(terminal, terminal_signal(terminal));
        }
        while ((kind = terminal_key(terminal, &key)) != ERR) {
            if (kind == OK && key == 'q') {
                terminal_close(terminal);
                return 0;
            }
            if (kind == OK && key == 26)
                terminal_suspend(terminal);
            else if (kind == OK && key == 12)
                terminal_redraw(terminal);
            show_key(kind, key);
        }
    }
}

int loop_body(const void *data)
{
    struct terminal *terminal = loop_open();
    char log[256], text[256];

    snprintf(log, sizeof log, "%s/deep/er/log", getenv("HOME"));
    terminal_redirect(terminal, log, &error);
    if (data)
        terminal_mouse(terminal, true);
    snprintf(text, sizeof text, "ready %dx%d utf8=%d colours=%d %.1f", LINES, COLS,
             terminal_utf8(terminal), terminal_colours(terminal), 0.5);
    if (terminal_colours(terminal)) {
        init_pair(1, COLOR_GREEN, -1);
        attrset(COLOR_PAIR(1));
    }
    loop_show(0, text);
    attrset(0);
    loop_show(2, terminal_notice(terminal));
    snprintf(text, sizeof text, "locale notice: %s", terminal_locale_notice(terminal));
    loop_show(3, text);
    return main_loop(terminal);
}
