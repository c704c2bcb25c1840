/* SPDX-License-Identifier: MIT */
/* A prompt is an input line with editing, completion and history. It replaces the message line. A
 * text that stands there when it opens is selected: a character replaces it, any other key edits
 * it. */
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "tui/workbench/base/dialog_inside.h"
#include "tui/workbench/base/shared.h"
#include "tui/workbench/terminal/draw.h"
#include "tui/workbench/terminal/layout.h"

#define HISTORY_LINES 50

/* Earlier input of prompts with a history, oldest first. */
static struct {
    char line[HISTORY_LINES][PROMPT_MAX];
    int count;
} past;

static void past_add(const char *text)
{
    if (!text[0] || (past.count > 0 && strcmp(past.line[past.count - 1], text) == 0))
        return;
    if (past.count == HISTORY_LINES) {
        memmove(past.line[0], past.line[1], sizeof past.line - sizeof past.line[0]);
        past.count--;
    }
    snprintf(past.line[past.count++], PROMPT_MAX, "%s", text);
}

static void recall(struct dialog *dialog, int by)
{
    int back = dialog->recall + by;

    if (!dialog->prompt->history || back < 0 || back > past.count)
        return;
    dialog->recall = back;
    snprintf(dialog->text, sizeof dialog->text, "%s", back ? past.line[past.count - back] : "");
    dialog->cursor = (int)strlen(dialog->text);
}

/* The cursor moves over, and deletion removes, all bytes of a UTF-8 character. */
static int before(const struct dialog *dialog)
{
    int at = dialog->cursor - (dialog->cursor > 0);

    while (at > 0 && ((unsigned char)dialog->text[at] & 0xc0) == 0x80)
        at--;
    return at;
}

static int after(const struct dialog *dialog)
{
    int at = dialog->cursor + (dialog->text[dialog->cursor] != 0);

    while (((unsigned char)dialog->text[at] & 0xc0) == 0x80)
        at++;
    return at;
}

static void prompt_cut(struct dialog *dialog, int from, int to)
{
    memmove(dialog->text + from, dialog->text + to, strlen(dialog->text + to) + 1);
    dialog->cursor = from;
}

static void insert(struct dialog *dialog, int code)
{
    mbstate_t state = {0};
    char bytes[16];
    size_t n = 1, length = strlen(dialog->text);

    bytes[0] = (char)code;
    if (code >= KEY_WIDE)
        n = wcrtomb(bytes, (wchar_t)(code - KEY_WIDE), &state);
    if (n == (size_t)-1 || length + n >= sizeof dialog->text)
        return;
    memmove(dialog->text + dialog->cursor + n, dialog->text + dialog->cursor,
            length - (size_t)dialog->cursor + 1);
    memcpy(dialog->text + dialog->cursor, bytes, n);
    dialog->cursor += (int)n;
}

static void accept(struct workbench *wb, struct dialog *dialog)
{
    struct dialog typed = *dialog; /* accept may open another dialog over this one */
    struct ca_error error = {.text = ""};
    int depth = dialogs_depth(wb);
    bool done;

    if (typed.prompt->history)
        past_add(typed.text);
    done = typed.prompt->accept(wb, typed.item, typed.text, &error);
    if (dialogs_depth(wb) < depth)
        return;
    if (!done) {
        snprintf(dialog->message, sizeof dialog->message, "%.255s", error.text);
        return;
    }
    dialog_remove(wb, depth - 1);
}

static bool is_character(int code) { return (code >= ' ' && code < 127) || code >= KEY_WIDE; }

void prompt_key(struct workbench *wb, struct dialog *dialog, int code)
{
    bool fresh = dialog->fresh;

    dialog->message[0] = 0;
    dialog->fresh = false;
    if (fresh && is_character(code))
        prompt_cut(dialog, 0, (int)strlen(dialog->text));
    switch (code) {
    case 27:
        dialog_close(wb);
        break;
    case '\n':
    case '\r':
    case KEY_ENTER:
        accept(wb, dialog);
        break;
    case KEY_LEFT:
        dialog->cursor = before(dialog);
        break;
    case KEY_RIGHT:
        dialog->cursor = after(dialog);
        break;
    case KEY_HOME:
    case 1:
        dialog->cursor = 0;
        break;
    case KEY_END:
    case 5:
        dialog->cursor = (int)strlen(dialog->text);
        break;
    case KEY_BACKSPACE:
    case 127:
    case 8:
        if (!dialog->text[0] && dialog->prompt->history)
            dialog_close(wb);
        else
            prompt_cut(dialog, before(dialog), dialog->cursor);
        break;
    case KEY_DC:
        prompt_cut(dialog, dialog->cursor, after(dialog));
        break;
    case 21:
        prompt_cut(dialog, 0, dialog->cursor);
        break;
    case 11:
        dialog->text[dialog->cursor] = 0;
        break;
    case KEY_UP:
        recall(dialog, 1);
        break;
    case KEY_DOWN:
        recall(dialog, -1);
        break;
    case '\t':
        if (dialog->prompt->complete) {
            dialog->prompt->complete(wb, dialog->text, dialog->message, sizeof dialog->message);
            dialog->cursor = (int)strlen(dialog->text);
        }
        break;
    default:
        if (is_character(code))
            insert(dialog, code);
    }
}

void prompt_draw(struct workbench *wb, struct dialog *dialog)
{
    struct rect line = wb->layout.message;
    const char *above = dialog->message[0] ? dialog->message : dialog->help;
    char head[PROMPT_MAX];
    int label = text_width(dialog->prompt->label), at, width;
    const char *from = dialog->text;

    if (above[0]) {
        int rows = put_wrapped(NULL, (struct rect){0, 0, 6, line.columns - 4}, STYLE_PLAIN, above);
        struct rect box = {line.row - rows - 2, 0, rows + 2, line.columns};

        put_fill(&wb->palette, box, STYLE_PLAIN);
        put_box(&wb->palette, box, NULL, false);
        put_wrapped(&wb->palette, (struct rect){box.row + 1, 2, rows, line.columns - 4},
                    dialog->message[0] ? STYLE_ALARM : STYLE_PLAIN, above);
    }
    put_fill(&wb->palette, line, STYLE_PLAIN);
    put(&wb->palette, line.row, 0, line.columns, STYLE_KEY, dialog->prompt->label);
    snprintf(head, sizeof head, "%.*s", dialog->cursor, dialog->text);
    at = text_width(head);
    width = line.columns - label - 1;
    /* If the line is too long, the part before the cursor is shown. */
    for (; at >= width && *from; from++)
        if (((unsigned char)from[1] & 0xc0) != 0x80)
            at--;
    put(&wb->palette, line.row, label, width, dialog->fresh ? STYLE_SELECTED : STYLE_PLAIN, from);
    style_set(&wb->palette, STYLE_SELECTED);
    mvchgat(line.row, label + at, 1, A_REVERSE, 0, NULL);
}
