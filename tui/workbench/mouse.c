/* SPDX-License-Identifier: MIT */
/*
 * A click on a hint is its key, and one in a list selects a row, or chooses the selected one. A
 * click in a panel gives it the focus; in the lattice it also sets the cursor, and on the title of
 * the focused panel it shows this one alone. On a word that the help explains it explains it. The
 * wheel scrolls lists and the log, and zooms the lattice.
 */
#include "tui/workbench/mouse.h"

#include "tui/workbench/base/dialog.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/base/panels.h"
#include "tui/workbench/engine/cursor.h"
#include "tui/workbench/engine/frame.h"
#include "tui/workbench/engine/split.h"
#include "tui/workbench/engine/view.h"
#include "tui/workbench/lists/lists.h"
#include "tui/workbench/panels/panels.h"

#define EVENTS_MAX 8 /* that curses keeps */

static bool inside(struct rect rect, int row, int column)
{
    return row >= rect.row && row < rect.row + rect.rows && column >= rect.column &&
           column < rect.column + rect.columns;
}

/* The panel at a place of the screen, -1: none is there. */
static int panel_under(const struct workbench *wb, int row, int column)
{
    for (int i = 0; i < panels_count(wb); i++)
        if (inside(wb->layout.panel[i], row, column))
            return i;
    return -1;
}

static void lattice_click(struct workbench *wb, int row, int column)
{
    struct pane *pane = wb->pane;
    const struct ca_frame asked = {.view = *view_of(pane)}; /* its frame need not be there yet */
    const struct rect area = beside_first(pane, view_room(wb));
    struct picture picture;
    int across, line;

    if (!inside(area, row, column) || !frame_of(pane)->known)
        return;
    picture = picture_of(&asked, pane->experiment.model, pane->experiment.size, view_glyphs(pane),
                         view_scale(pane));
    picture_at(&picture, area, row, column, &across, &line);
    cursor_put(pane, ca_view_column(&asked.view, across), ca_view_line(&asked.view, line));
    view_changed(pane);
}

static void panel_click(struct workbench *wb, int number, int row, int column)
{
    const bool focused = panel_at(wb, number) == panels_focused(wb);

    panels_focus(wb, number);
    if (row == wb->layout.panel[number].row && focused && !split_is_shown(wb))
        parts_perform(wb, REQUEST_FULL_SCREEN);
    else if (number == PANEL_MAIN)
        lattice_click(wb, row, column);
}

/* Returns the code of the key that an event stands for, 0: it stands for none, and is done. */
static int event_take(struct workbench *wb, const MEVENT *event)
{
    const bool click = event->bstate & BUTTON1_PRESSED;
    const int wheel = event->bstate & BUTTON4_PRESSED ? -1 : 1;
    const int panel = panel_under(wb, event->y, event->x);
    struct dialog *top = dialog_top(wb);

    wb->dirty = true;
    if (click && hints_code_at(wb, event->y, event->x) > 0)
        return hints_code_at(wb, event->y, event->x);
    if (top)
        return top->list ? list_mouse(wb, top, event->y, event->x, click ? 0 : wheel) : 0;
    if (click)
        message_clear(wb);
    if (click && panel != PANEL_MAIN)
        term_explain(wb, event->y, event->x);
    if (panel >= 0 && click)
        panel_click(wb, panel, event->y, event->x);
    else if (panel >= 0 && panel_at(wb, panel)->wheel)
        panel_at(wb, panel)->wheel(wb, wheel);
    return 0;
}

/* Curses gives those that came together in one go, the last of them first. */
void mouse_take(struct workbench *wb, void (*key)(struct workbench *wb, int code))
{
    MEVENT event[EVENTS_MAX];
    int count = 0;

    while (count < EVENTS_MAX && getmouse(&event[count]) == OK)
        count++;
    while (count-- > 0 && !wb->quit && !wb->layout.too_small) {
        const int code = event_take(wb, &event[count]);

        if (code > 0)
            key(wb, code);
    }
}
