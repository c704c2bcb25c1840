/* SPDX-License-Identifier: MIT */
/* The line below a picture tells what its glyphs and colours stand for. */
#include "tui/workbench/terminal/legend.h"

#include <stdio.h>
#include <string.h>

#include "core/sim/projection.h"

static void character_put(const struct palette *palette, int row, int column,
                          struct character character)
{
    ink_set(palette, character.ink);
    mvaddnwstr(row, column, &character.text, 1);
}

/* Where the range comes from: the data, the user, or, which needs no word, the model. */
static const char *range_word(const struct picture *picture)
{
    const struct ca_view *view = &picture->frame->view;

    if (view->projection == CA_VIEW_DEPTH || view->drawn == CA_CHANGE)
        return "";
    if (view->range == CA_RANGE_FIXED)
        return ", set";
    return view->range == CA_RANGE_AUTO && ca_frame_by_level(picture->frame, picture->model, false)
               ? ", auto"
               : "";
}

/* The ramp between the ends of its range, the unit, and where the range comes from. */
static void ramp_legend(const struct picture *picture, const struct palette *palette,
                        struct rect rect)
{
    int steps = palette->shades > 0 && picture->raster.down > 1 ? palette->ramp_steps : 10, used;
    int least = picture->frame->view.projection == CA_VIEW_DEPTH ? CA_DEPTH_LEVEL_LEAST : 0;
    struct ca_point point;
    const char *rest, *name;
    char text[96];

    ca_frame_range_text(picture->frame, picture->model, text, sizeof text);
    rest = strstr(text, " ... ");
    used = 1 + putf(palette, rect.row, rect.column, rect.columns, STYLE_PLAIN, "%.*s",
                    (int)(rest - text), text);
    if (picture->raster.down > 1 && palette->shades == 0)
        steps = 2; /* the dots between are dithered */
    for (int i = 0; i < steps && used < rect.columns; i++) {
        uint8_t level = (uint8_t)(least + (2 * i + 1) * (255 - least) / (2 * steps));

        point = (struct ca_point){.glyph = ca_ramp_glyph(level), .level = level, .by_level = true};
        character_put(palette, rect.row, rect.column + used++,
                      picture_sample(picture, palette, point));
    }
    used += 1;
    if (used < rect.columns)
        used += putf(palette, rect.row, rect.column + used, rect.columns - used, STYLE_PLAIN,
                     "%s%s", rest + 5, range_word(picture));
    for (int i = 0; ca_frame_entry(picture->frame, picture->model, i, &point, &name); i++)
        if (point.colour == CA_COLOUR_SOLID && used + 4 + (int)strlen(name) <= rect.columns) {
            point.glyph = 'X';
            character_put(palette, rect.row, rect.column + used + 2,
                          picture_sample(picture, palette, point));
            put(palette, rect.row, rect.column + used + 4, rect.columns - used - 4, STYLE_PLAIN,
                name);
        }
}

/* Whether two characters of a picture cannot be told apart on this terminal. */
static bool looks_alike(const struct palette *palette, struct character a, struct character b)
{
    if (a.text != b.text || a.ink.coloured != b.ink.coloured)
        return false;
    if (a.text == L' ')
        return a.ink.coloured == false || a.ink.back == b.ink.back;
    if (a.ink.coloured)
        return ink_equal(a.ink, b.ink);
    return palette->attributes[a.ink.style] == palette->attributes[b.ink.style] &&
           palette->pair[a.ink.style] == palette->pair[b.ink.style];
}

int legend_entries(const struct picture *picture, const struct palette *palette, bool shown_only,
                   struct legend_entry entries[LEGEND_ENTRIES])
{
    const struct ca_view *view = &picture->frame->view;
    size_t points = (size_t)view->columns * (size_t)view->lines;
    struct ca_point point;
    int count = 0, same;
    const char *name;

    for (int i = 0; ca_frame_entry(picture->frame, picture->model, i, &point, &name); i++) {
        struct character sample = picture_sample(picture, palette, point);
        size_t used;

        if (shown_only && !memchr(picture->frame->code, point.code, points))
            continue;
        for (same = 0; same < count && !looks_alike(palette, entries[same].sample, sample); same++)
            continue;
        if (same == LEGEND_ENTRIES)
            break;
        if (same == count)
            entries[count++] = (struct legend_entry){.sample = sample};
        used = strlen(entries[same].names);
        snprintf(entries[same].names + used, sizeof entries[same].names - used, "%s%s",
                 used ? ", " : "", name);
    }
    return count;
}

/* All states or, where there is no room for them, those that are shown. */
static void states_legend(const struct picture *picture, const struct palette *palette,
                          struct rect rect)
{
    struct legend_entry entries[LEGEND_ENTRIES];
    int count = legend_entries(picture, palette, false, entries), used = 0, all = -2;

    for (int i = 0; i < count; i++)
        all += 4 + (int)strlen(entries[i].names);
    if (all > rect.columns)
        count = legend_entries(picture, palette, true, entries);
    for (int i = 0; i < count; i++) {
        /* The last one that is shown is followed by " ...". */
        int more = i + 1 < count ? 4 : 0;

        if (used + 2 + (int)strlen(entries[i].names) + more > rect.columns) {
            put(palette, rect.row, rect.column + (used > 2 ? used - 2 : 0), rect.columns - used + 2,
                STYLE_PLAIN, " ...");
            return;
        }
        character_put(palette, rect.row, rect.column + used, entries[i].sample);
        used += 4 + put(palette, rect.row, rect.column + used + 2, rect.columns - used - 2,
                        STYLE_PLAIN, entries[i].names);
    }
}

void legend_draw(const struct picture *picture, const struct palette *palette, struct rect rect)
{
    if (ca_frame_by_level(picture->frame, picture->model, picture->glyphs == GLYPHS_RAMP10))
        ramp_legend(picture, palette, rect);
    else
        states_legend(picture, palette, rect);
}
