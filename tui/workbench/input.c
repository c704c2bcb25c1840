/* SPDX-License-Identifier: MIT */
/* Keys and the mouse go to dialogs first, then to the focused panel, then to all others. */
#include "tui/workbench/input.h"

#include <stdio.h>
#include <string.h>

#include "tui/workbench/base/dialog.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/base/panels.h"
#include "tui/workbench/base/part.h"
#include "tui/workbench/base/shared.h"
#include "tui/workbench/engine/cursor.h"
#include "tui/workbench/engine/frame.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/view.h"
#include "tui/workbench/panels/lattice.h"
#include "tui/workbench/terminal/layout.h"
#include "tui/workbench/terminal/picture.h"

extern const struct part input_part;

struct paste {
    bool blank;   /* a pasted line has ended, and more may come */
    bool ignored; /* of this paste it was said that it is not taken */
};

/* On a screen that is too small to show a result, only these keys have an effect. */
static bool is_allowed(const struct workbench *wb, enum request request)
{
    return !wb->layout.too_small || request == REQUEST_QUIT || request == REQUEST_QUIT_NOW ||
           request == REQUEST_INTERRUPT || request == REQUEST_REDRAW || request == REQUEST_SUSPEND;
}

void workbench_key(struct workbench *wb, int code)
{
    enum request request = keymap_find(&wb->keys, KEYS_EVERYWHERE, code);

    if (dialogs_depth(wb) == 0)
        message_clear(wb);
    if (!is_allowed(wb, request))
        return;
    if (wb->layout.too_small)
        dialogs_close(wb);
    if (parts_key(wb, request, code))
        return;
    if (request == REQUEST_NONE)
        request = keymap_find(&wb->keys, KEYS_LATTICE, code);
    if (request == REQUEST_INTERRUPT)
        dialogs_close(wb);
    parts_perform(wb, request);
}

/* A line of input that takes text: of a prompt, or the filter of a list. NULL: there is none. */
static struct dialog *text_input(struct workbench *wb)
{
    struct dialog *top = wb->layout.too_small ? NULL : dialog_top(wb);

    return top && (top->prompt || top->list->filter) ? top : NULL;
}

/* Puts a character into a line of input, which may be full. */
static void paste_into(struct workbench *wb, struct dialog *input, int code)
{
    size_t length = strlen(input->text);
    bool fresh = input->fresh;

    if (code == ' ' && (length == 0 || fresh))
        return;
    dialog_key(wb, code);
    if (!fresh && strlen(input->text) == length)
        snprintf(input->message, sizeof input->message,
                 "the line is full: the rest of what was pasted is left out");
}

/* A paste is text where text is asked for, with blanks between its lines; elsewhere its letters
 * would be commands. */
void workbench_paste(struct workbench *wb, int code)
{
    struct paste *paste = part_state(wb, &input_part);
    struct dialog *input = text_input(wb);
    char key[16];

    if (code == 0) {
        *paste = (struct paste){.blank = false};
    } else if (!input) {
        if (!paste->ignored)
            message_show(
                wb, "pasted text is not taken for keys; it goes into a line of input, as %s opens",
                keys_first(wb->keys.keys[REQUEST_COMMAND], key));
        paste->ignored = true;
    } else if (code == '\n' || code == '\t') {
        paste->blank = true;
    } else if (code >= ' ' && code != 127) {
        if (paste->blank && code != ' ')
            paste_into(wb, input, ' ');
        paste->blank = false;
        paste_into(wb, input, code);
    }
}

static bool inside(struct rect rect, int row, int column)
{
    return row >= rect.row && row < rect.row + rect.rows && column >= rect.column &&
           column < rect.column + rect.columns;
}

/* A click focuses a panel; in the lattice it also sets the cursor, and the wheel zooms. */
void workbench_mouse(struct workbench *wb)
{
    struct pane *pane = wb->pane;
    const struct ca_view *view = view_of(pane);
    struct rect area = beside_first(pane, view_room(wb));
    struct picture picture;
    int column, line;
    MEVENT event;

    if (getmouse(&event) != OK || dialogs_depth(wb) > 0)
        return;
    for (int i = 0; i < panels_count(wb); i++)
        if (inside(wb->layout.panel[i], event.y, event.x))
            panels_focus(wb, i);
    wb->dirty = true;
    if (!inside(area, event.y, event.x) || !frame_of(pane)->known)
        return;
    if (event.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED)) {
        picture = lattice_picture(pane);
        picture_at(&picture, area, event.y, event.x, &column, &line);
        cursor_put(pane, view->x + column * view->zoom, view->y + line * ca_view_down(view));
        view_changed(pane);
    } else if (event.bstate & BUTTON4_PRESSED) {
        parts_perform(wb, REQUEST_DOUBLE);
#ifdef BUTTON5_PRESSED
    } else if (event.bstate & BUTTON5_PRESSED) {
        parts_perform(wb, REQUEST_HALVE);
#endif
    }
}

const struct part input_part = {.name = "input", .state_bytes = sizeof(struct paste)};
