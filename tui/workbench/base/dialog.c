/* SPDX-License-Identifier: MIT */
/* Dialogs lie on a stack, and each key goes to the top one. */
#include "tui/workbench/base/dialog_inside.h"

#include <stdio.h>
#include <string.h>

#include "tui/workbench/base/part.h"
#include "tui/workbench/base/shared.h"

struct dialogs *dialogs_of(const struct workbench *wb) { return part_state(wb, &dialogs_part); }

char *dialogs_search(const struct workbench *wb) { return dialogs_of(wb)->search; }

struct dialog *dialog_top(const struct workbench *wb)
{
    struct dialogs *d = dialogs_of(wb);

    return d->depth > 0 ? &d->stack[d->depth - 1] : NULL;
}

int dialogs_depth(const struct workbench *wb) { return dialogs_of(wb)->depth; }

static struct dialog *push(struct workbench *wb)
{
    struct dialogs *d = dialogs_of(wb);
    struct dialog *dialog;

    if (d->depth == DIALOGS_MAX)
        d->depth--;
    dialog = &d->stack[d->depth++];
    memset(dialog, 0, sizeof *dialog);
    wb->dirty = true;
    return dialog;
}

void list_open(struct workbench *wb, const struct list_source *source)
{
    struct dialog *dialog = push(wb);

    dialog->list = source;
    list_select(wb, dialog);
}

void prompt_open(struct workbench *wb, const struct prompt_source *source, int item,
                 const char *text, const char *help)
{
    struct dialog *dialog = push(wb);

    dialog->prompt = source;
    dialog->item = item;
    snprintf(dialog->text, sizeof dialog->text, "%s", text);
    snprintf(dialog->help, sizeof dialog->help, "%s", help ? help : "");
    dialog->cursor = (int)strlen(dialog->text);
    dialog->fresh = dialog->text[0] != 0;
}

bool list_is_open(const struct workbench *wb, const struct list_source *source)
{
    const struct dialogs *d = dialogs_of(wb);

    for (int i = 0; i < d->depth; i++)
        if (d->stack[i].list == source)
            return true;
    return false;
}

void list_reselect(struct workbench *wb, const struct list_source *source)
{
    struct dialogs *d = dialogs_of(wb);

    for (int i = 0; i < d->depth; i++)
        if (d->stack[i].list == source)
            list_select(wb, &d->stack[i]);
}

void dialog_remove(struct workbench *wb, int place)
{
    struct dialogs *d = dialogs_of(wb);

    memmove(&d->stack[place], &d->stack[place + 1],
            (size_t)(d->depth - place - 1) * sizeof d->stack[0]);
    d->depth--;
}

void dialog_close(struct workbench *wb)
{
    dialogs_of(wb)->depth -= dialogs_of(wb)->depth > 0;
    wb->dirty = true;
}

void dialogs_close(struct workbench *wb)
{
    dialogs_of(wb)->depth = 0;
    wb->dirty = true;
}

void dialog_key(struct workbench *wb, int code)
{
    struct dialog *dialog = dialog_top(wb);

    if (dialog->list)
        list_key(wb, dialog, code);
    else
        prompt_key(wb, dialog, code);
    wb->dirty = true;
}

void dialogs_draw(struct workbench *wb)
{
    struct dialogs *d = dialogs_of(wb);

    for (int i = 0; i < d->depth; i++)
        if (d->stack[i].list)
            list_draw(wb, &d->stack[i]);
        else
            prompt_draw(wb, &d->stack[i]);
}

/* Whether the source of a list has an answer to a request of its own, which is then given. */
static bool source_takes(struct workbench *wb, const struct list_source *source,
                         enum request request)
{
    const struct list_source *others = source->others ? source->others(wb) : NULL;

    for (const struct list_key *key = source->keys; key && key->request != REQUEST_NONE; key++) {
        if (key->request != request || !key->perform)
            continue;
        if (key->is_now && !key->is_now(wb))
            return false;
        key->perform(wb);
        wb->dirty = true;
        return true;
    }
    return others && source_takes(wb, others, request);
}

static bool list_takes(struct workbench *wb, enum request request, int code)
{
    const struct dialog *top = dialog_top(wb);

    if (request == REQUEST_NONE)
        request = keymap_find(&wb->keys, KEYS_LIST, code);
    return top && top->list && request != REQUEST_NONE && source_takes(wb, top->list, request);
}

/* An open dialog takes all keys but those of the terminal, and ctrl-c. */
static bool dialogs_take(struct workbench *wb, enum request request, int code)
{
    if (dialogs_depth(wb) == 0)
        return false;
    if (request == REQUEST_ANSWER) /* in a dialog the key closes it */
        request = REQUEST_NONE;
    if (list_takes(wb, request, code))
        return true;
    if (request == REQUEST_INTERRUPT || request == REQUEST_REDRAW || request == REQUEST_SUSPEND)
        return false;
    dialog_key(wb, code);
    return true;
}

const struct part dialogs_part = {
    .name = "dialogs", .state_bytes = sizeof(struct dialogs), .key = dialogs_take};
