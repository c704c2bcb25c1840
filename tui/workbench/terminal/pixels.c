/* SPDX-License-Identifier: MIT */
/* A terminal is asked for pixels, and its pictures are kept as it has them. */
#include "tui/workbench/terminal/pixels.h"

#include <stdlib.h>
#include <string.h>

#include "tui/workbench/terminal/pixels_inside.h"

/* What is asked, in this order; the attributes (DA1) are asked last each time, as all terminals
 * answer that, and answer in order. */
enum stage {
    STAGE_VERSION, /* the name and version of the program, and the size of a character */
    STAGE_KITTY,   /* whether it accepts pictures */
    STAGE_TMUX,    /* both of the terminal around tmux, which has no last answer */
    STAGE_SIXEL,   /* how many colours it has, and how large a picture may be */
    STAGE_DONE
};

#define ASK_VERSION "\033[>q"
#define ASK_CELL "\033[16t"
#define ASK_ATTRIBUTES "\033[c"
#define SIXELS 4 /* among the attributes */

void pixels_init(struct pixels *pixels, unsigned process)
{
    /* A terminal, or tmux, may have pictures of other processes. The lowest byte is a colour of
     * xterm's cube, and the highest a diacritic. */
    memset(pixels, 0, sizeof *pixels);
    pixels->registers = PIXELS_REGISTERS;
    pixels->id = (1 + process / 50 % 100) << 24 | (16 + PIXELS_PICTURES * (process % 50));
}

void pixels_free(struct pixels *pixels)
{
    for (int i = 0; i < PIXELS_PICTURES; i++) {
        free(pixels->picture[i].bitmap.dot);
        free(pixels->picture[i].sent);
        free(pixels->picture[i].open);
    }
}

/* --- questions -------------------------------------------------------------------------------- */

static const char *ask(const struct pixels *pixels, enum stage stage)
{
    static char text[256];
    FILE *out = fmemopen(text, sizeof text, "w");

    text[0] = 0;
    if (!out)
        return text;
    if (stage == STAGE_VERSION || stage == STAGE_TMUX)
        pixels_wrap(pixels->tmux, ASK_VERSION, out);
    if (stage == STAGE_VERSION)
        fputs(ASK_CELL, out);
    else if (stage == STAGE_SIXEL)
        sixel_ask(out);
    else
        kitty_ask(pixels, out);
    if (stage != STAGE_TMUX)
        fputs(ASK_ATTRIBUTES, out);
    fclose(out);
    return text;
}

const char *pixels_ask(struct pixels *pixels, double now)
{
    if (pixels->state != PIXELS_UNASKED)
        return "";
    pixels->state = PIXELS_ASKED;
    pixels->stage = STAGE_VERSION;
    pixels->asked = now;
    return ask(pixels, STAGE_VERSION);
}

static const char *decide(struct pixels *pixels, enum pixels_state state)
{
    pixels->state = state;
    pixels->news = true;
    return "";
}

/* Programs that are known to show placeholders; others accept pictures, and show these as text. */
static bool has_placeholders(const char *name)
{
    int version[2] = {0, 0};

    if (sscanf(name, "kitty(%d.%d", &version[0], &version[1]) == 2)
        return version[0] > 0 || version[1] >= 28;
    return strncmp(name, "ghostty", 7) == 0;
}

static const char *go_on(struct pixels *pixels, enum stage stage)
{
    pixels->stage = stage;
    return ask(pixels, stage);
}

static const char *show(struct pixels *pixels, enum pixels_protocol protocol)
{
    pixels->stage = STAGE_DONE;
    pixels->protocol = protocol;
    return decide(pixels, protocol == PIXELS_KITTY || pixels->cell_width > 0 ? PIXELS_SHOWN
                                                                             : PIXELS_NO_CELL);
}

/* Kitty's protocol it has not: sixels are next, of which tmux is asked for its own. */
static const char *refuse_kitty(struct pixels *pixels)
{
    if (pixels->sixels)
        return go_on(pixels, STAGE_SIXEL);
    pixels->stage = STAGE_DONE;
    return decide(pixels, PIXELS_REFUSED);
}

/* All answers to what was asked have come. */
static const char *pixels_answered(struct pixels *pixels)
{
    switch ((enum stage)pixels->stage) {
    case STAGE_VERSION:
        if (has_placeholders(pixels->name))
            return go_on(pixels, STAGE_KITTY);
        if (strncmp(pixels->name, "tmux", 4) == 0) {
            pixels->tmux = true;
            pixels->name[0] = 0;
            return go_on(pixels, STAGE_TMUX);
        }
        return refuse_kitty(pixels);
    case STAGE_KITTY:
        return pixels->accepts ? show(pixels, PIXELS_KITTY) : refuse_kitty(pixels);
    case STAGE_SIXEL:
        return show(pixels, PIXELS_SIXEL);
    case STAGE_TMUX:
    case STAGE_DONE:
        break;
    }
    return "";
}

/* The answer of the program that stands in "P>|NAME". */
static void name_take(struct pixels *pixels, const char *text)
{
    snprintf(pixels->name, sizeof pixels->name, "%.*s", (int)strcspn(text, "\033"), text);
}

static bool is_attributes(const char *text)
{
    return strncmp(text, "[?", 2) == 0 && text[strlen(text) - 1] == 'c';
}

/* Whether one of the numbers behind the first, which is the class of the terminal, is this. */
static bool has_attribute(const char *text, int attribute)
{
    char *at;

    strtol(text + 2, &at, 10);
    while (*at == ';')
        if (strtol(at + 1, &at, 10) == attribute)
            return true;
    return false;
}

const char *pixels_answer(struct pixels *pixels, const char *text, double now)
{
    int height, width, number;
    unsigned id;
    char code[8];

    if (pixels->state != PIXELS_ASKED || now - pixels->asked > PIXELS_ANSWER_S) {
        if (is_attributes(text))
            pixels->stage = STAGE_DONE; /* the last one has come, too late */
        return "";
    }
    if (strncmp(text, "P>|", 3) == 0)
        name_take(pixels, text + 3);
    else if (sscanf(text, "[6;%d;%dt", &height, &width) == 2)
        pixels_cell(pixels, width, height);
    else if (sscanf(text, "_Gi=%u;%7[A-Z]", &id, code) == 2 && id == pixels->id)
        pixels->accepts = strcmp(code, "OK") == 0;
    else if (sscanf(text, "[?1;0;%d", &number) == 1 && number > 1)
        pixels->registers = number;
    else if (sscanf(text, "[?2;0;%d;%d", &width, &height) == 2)
        pixels->most_width = width, pixels->most_height = height;
    else if (is_attributes(text)) {
        pixels->sixels = has_attribute(text, SIXELS);
        return pixels_answered(pixels);
    }
    if (pixels->stage == STAGE_TMUX && pixels->name[0] && text[0] == '_')
        return pixels->accepts && has_placeholders(pixels->name) ? show(pixels, PIXELS_KITTY)
                                                                 : refuse_kitty(pixels);
    return "";
}

double pixels_expire(struct pixels *pixels, double now)
{
    if (pixels->state != PIXELS_ASKED)
        return -1;
    if (now - pixels->asked <= PIXELS_ANSWER_S)
        return pixels->asked + PIXELS_ANSWER_S - now + 1e-3;
    if (pixels->stage == STAGE_TMUX && pixels->sixels && pixels->cell_width > 0) {
        pixels->protocol = PIXELS_SIXEL;
        decide(pixels, PIXELS_SHOWN); /* while the answers from around tmux may still come */
    } else
        decide(pixels, pixels->stage == STAGE_TMUX ? PIXELS_NOT_PASSED : PIXELS_SILENT);
    return -1;
}

bool pixels_awaits(const struct pixels *pixels)
{
    return pixels->state != PIXELS_UNASKED && pixels->stage != STAGE_DONE;
}

bool pixels_news(struct pixels *pixels)
{
    bool news = pixels->news;

    pixels->news = false;
    return news;
}

const char *pixels_reason(const struct pixels *pixels)
{
    static const char *const reasons[] = {
        [PIXELS_UNASKED] = "this terminal is of no type that has them",
        [PIXELS_ASKED] = "the terminal has not yet answered whether it has them",
        [PIXELS_SHOWN] = "this terminal has them",
        [PIXELS_REFUSED] = ("this terminal has none that can be used; kitty, Ghostty and "
                            "terminals with sixels have"),
        [PIXELS_SILENT] = "the terminal has not answered whether it has them",
        [PIXELS_NOT_PASSED] = "tmux passes nothing on; 'tmux set -g allow-passthrough on' does",
        [PIXELS_NO_CELL] = "the terminal has sixels, but does not tell the size of a character"};

    return reasons[pixels->state];
}

/* --- frames ----------------------------------------------------------------------------------- */

void pixels_cell(struct pixels *pixels, int width, int height)
{
    if (width < 1 || height < 1 || (width == pixels->cell_width && height == pixels->cell_height))
        return;
    pixels->cell_width = width;
    pixels->cell_height = height;
    pixels->news = pixels->state == PIXELS_SHOWN;
    pixels_forget(pixels);
}

void pixels_paint(struct pixels *pixels, const uint32_t colours[PIXELS_COLOURS])
{
    if (memcmp(pixels->colours, colours, sizeof pixels->colours) == 0)
        return;
    memcpy(pixels->colours, colours, sizeof pixels->colours);
    pixels_forget(pixels);
}

/* How many dots of a character can be seen: not more than it has pixels. */
int pixels_coarse(const struct pixels *pixels)
{
    int least = pixels->cell_width == 0 || pixels->cell_width >= 8 ? 0
                : pixels->cell_width >= 4                          ? 1
                                                                   : 2;

    return least > pixels->coarse || pixels->rests ? least : pixels->coarse;
}

void pixels_rest(struct pixels *pixels, bool rests)
{
    int before = pixels_coarse(pixels);

    pixels->rests = rests;
    pixels->news |= pixels_coarse(pixels) != before;
}

void pixels_begin(struct pixels *pixels, int rows)
{
    pixels->count = 0;
    pixels->rows = rows;
}

struct bitmap *pixels_last(struct pixels *pixels)
{
    return pixels->count > 0 ? &pixels->picture[pixels->count - 1].bitmap : NULL;
}

static bool has_room(const struct pixels *pixels, struct rect at)
{
    if (pixels->protocol == PIXELS_SIXEL)
        return at.row + at.rows < pixels->rows;
    return at.columns <= PIXELS_CELLS && at.rows <= PIXELS_CELLS;
}

static bool picture_reserve(struct pixels_picture *picture, struct rect at, int width, int height)
{
    struct bitmap *b = &picture->bitmap;

    if (b->width != width || b->height != height) {
        uint8_t *dot = malloc((size_t)width * (size_t)height);

        if (!dot)
            return false;
        free(b->dot);
        b->width = width;
        b->height = height;
        b->dot = dot;
    }
    if (!picture->open || picture->at.rows != at.rows || picture->at.columns != at.columns) {
        uint8_t *open = malloc((size_t)at.rows * (size_t)at.columns);

        if (!open)
            return false;
        free(picture->open);
        picture->open = open;
    }
    picture->at = at;
    return true;
}

struct bitmap *pixels_add(struct pixels *pixels, struct rect at, int width, int height)
{
    struct pixels_picture *picture = &pixels->picture[pixels->count];

    if (pixels->state != PIXELS_SHOWN || pixels->withheld || pixels->count == PIXELS_PICTURES ||
        width < 1 || height < 1 || !has_room(pixels, at) ||
        !picture_reserve(picture, at, width, height))
        return NULL;
    memset(picture->bitmap.dot, 0, (size_t)width * (size_t)height);
    memset(picture->open, 1, (size_t)at.rows * (size_t)at.columns);
    pixels->count++;
    return &picture->bitmap;
}

void pixels_cells(const struct pixels *pixels)
{
    if (pixels->protocol == PIXELS_SIXEL)
        sixel_cells(pixels);
    else
        kitty_cells(pixels);
}

/* Where a picture of kitty's stands on the screen is told by its cells; sixels stand where they
 * were sent, and are perhaps not kept for ever. */
static bool picture_is_sent(const struct pixels *pixels, const struct pixels_picture *picture)
{
    const struct rect *at = &picture->at, *sent = &picture->sent_at;
    bool sixel = pixels->protocol == PIXELS_SIXEL;

    if (sixel && (at->row != sent->row || at->column != sent->column ||
                  pixels->parts - picture->sent_part >= PIXELS_PARTS_KEPT))
        return false;
    return picture->has && picture->sent_width == picture->bitmap.width &&
           picture->sent_height == picture->bitmap.height && sent->rows == at->rows &&
           sent->columns == at->columns &&
           memcmp(picture->sent, picture->bitmap.dot,
                  (size_t)picture->sent_width * (size_t)picture->sent_height) == 0;
}

bool pixels_changed(const struct pixels *pixels)
{
    for (int i = 0; i < PIXELS_PICTURES; i++)
        if (i < pixels->count ? !picture_is_sent(pixels, &pixels->picture[i])
                              : pixels->picture[i].has && pixels->protocol == PIXELS_KITTY)
            return true;
    return false;
}

/* Without memory for the copy it is sent again each time. */
static void picture_note(struct pixels_picture *picture)
{
    size_t dots = (size_t)picture->bitmap.width * (size_t)picture->bitmap.height;
    uint8_t *sent = realloc(picture->sent, dots);

    picture->has = sent != NULL;
    if (!sent)
        return;
    memcpy(sent, picture->bitmap.dot, dots);
    picture->sent = sent;
    picture->sent_at = picture->at;
    picture->sent_width = picture->bitmap.width;
    picture->sent_height = picture->bitmap.height;
}

void pixels_put(struct pixels *pixels, FILE *out)
{
    for (int i = 0; i < PIXELS_PICTURES; i++) {
        struct pixels_picture *picture = &pixels->picture[i];

        if (i < pixels->count && !picture_is_sent(pixels, picture)) {
            if (pixels->protocol == PIXELS_SIXEL)
                sixel_put(pixels, i, out);
            else
                kitty_put(pixels, i, out);
            picture_note(picture);
        } else if (i >= pixels->count && picture->has) {
            if (pixels->protocol == PIXELS_KITTY) /* sixels are gone with their cells */
                kitty_delete(pixels, i, out);
            picture->has = false;
        }
    }
}

void pixels_forget(struct pixels *pixels)
{
    for (int i = 0; i < PIXELS_PICTURES; i++)
        pixels->picture[i].has = false;
}

void pixels_delete(const struct pixels *pixels, char *text, size_t size)
{
    FILE *out;

    text[0] = 0;
    if (pixels->state != PIXELS_SHOWN || !(out = fmemopen(text, size, "w")))
        return;
    fputs("\033\\", out);
    for (int i = 0; i < PIXELS_PICTURES && pixels->protocol == PIXELS_KITTY; i++)
        kitty_delete(pixels, i, out);
    fclose(out);
}

void pixels_took(struct pixels *pixels, double seconds)
{
    int before = pixels->coarse;

    pixels->quick = seconds <= PIXELS_QUICK_S ? pixels->quick + 1 : 0;
    pixels->slow = seconds > PIXELS_SLOW_S ? pixels->slow + 1 : 0;
    if (pixels->slow == PIXELS_SLOW_FRAMES && pixels->coarse < PIXELS_COARSEST)
        pixels->coarse++;
    if (pixels->quick == PIXELS_QUICK_FRAMES && pixels->coarse > 0)
        pixels->coarse--;
    pixels->slow %= PIXELS_SLOW_FRAMES;
    pixels->quick %= PIXELS_QUICK_FRAMES;
    pixels->news |= pixels->coarse != before;
}
