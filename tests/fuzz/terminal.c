/* SPDX-License-Identifier: MIT */
/*
 * What a terminal sends: characters and sequences as keys, by curses and by ours, and the line of a
 * prompt that they edit, with completion. The terminal is a file in memory, and its screen nowhere.
 */
#include <curses.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"
#include "tui/workbench/base/dialog.h"
#include "tui/workbench/base/part.h"
#include "tui/workbench/workbench.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/terminal/terminal_keys.h"

#define BYTES_MAX 128 /* curses takes four system calls for each */
#define KEYS_MAX 512

static int input = -1;
static struct workbench wb;

static void open_terminal(void)
{
    struct ca_error error;
    static struct contender side;
    FILE *from, *to = fopen("/dev/null", "w");

    if (!setlocale(LC_CTYPE, "C.UTF-8"))
        setlocale(LC_CTYPE, "");
    fuzz_folder();
    input = memfd_create("terminal", MFD_CLOEXEC);
    from = fdopen(input, "r");
    if (!to || !from || !newterm("xterm-256color", to, from))
        fuzz_fails(__FILE__, __LINE__, "newterm(\"xterm-256color\")");
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    set_escdelay(0);
    ca_experiment_default(&side.experiment, ca_models[0]);
    ca_settings_open(&wb.settings, "", &error);
    keymap_preset(&wb.keys, "default");
    parts_begin(&wb, workbench_parts, &error);
    wb.pane_count = 1;
    wb.pane = wb.panes;
    pane_init(&wb.panes[0], &wb, &side);
}

/* The line is taken, and stays, so that it can be edited on. */
static bool accept_line(struct workbench *bench, int item, const char *text, struct ca_error *error)
{
    (void)bench, (void)item;
    ca_error_set(error, CA_USAGE, "'%.100s' stays", text);
    return false;
}

static void edit(int code)
{
    static const struct prompt_source source = {
        .label = ":", .accept = accept_line, .complete = line_complete, .history = true};
    const struct dialog *dialog;

    if (dialogs_depth(&wb) == 0)
        prompt_open(&wb, &source, 0, "set density", NULL);
    dialog_key(&wb, code);
    dialog = dialog_top(&wb);
    if (!dialog)
        return;
    FUZZ_HOLDS(memchr(dialog->text, 0, sizeof dialog->text));
    FUZZ_HOLDS(dialog->cursor >= 0 && (size_t)dialog->cursor <= strlen(dialog->text));
}

void fuzz_terminal(const uint8_t *data, size_t size)
{
    struct terminal_keys keys = {.length = 0};
    int idle = 0;

    if (input < 0)
        open_terminal();
    size = size < BYTES_MAX ? size : BYTES_MAX;
    if (pwrite(input, data, size, 0) != (ssize_t)size || ftruncate(input, (off_t)size) != 0 ||
        lseek(input, 0, SEEK_SET) != 0)
        return;
    for (size_t i = 0; i + 1 < size; i++)
        if (data[i] == 27)
            terminal_sequence((const char *)data + i + 1, size - i - 1);
    dialogs_close(&wb);
    for (int i = 0; i < KEYS_MAX && idle < 3; i++) {
        wint_t key = 0;
        int kind = terminal_keys_next(&keys, stdscr, &key);

        idle = kind == ERR ? idle + 1 : 0;
        if (kind == ERR)
            continue;
        FUZZ_HOLDS(keys.length < sizeof keys.text);
        edit(kind == KEY_CODE_YES || key < 128 ? (int)key : (int)key + KEY_WIDE);
        keymap_find(&wb.keys, KEYS_EVERYWHERE, (int)key);
    }
    flushinp();
}
