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
    STAGE_DONE
};

#define ASK_VERSION "\033[>q"
#define ASK_CELL "\033[16t"
#define ASK_ATTRIBUTES "\033[c"

void pixels_init(struct pixels *pixels, unsigned process)
{
    /* A terminal, or tmux, may have pictures of other processes. The lowest byte is a colour of
     * xterm's cube, and the highest a diacritic. */
    memset(pixels, 0, sizeof *pixels);
    pixels->id = (1 + process / 50 % 100) << 24 | (16 + PIXELS_PICTURES * (process % 50));
}

void pixels_free(struct pixels *pixels)
{
    for (int i = 0; i < PIXELS_PICTURES; i++) {
        free(pixels->picture[i].bitmap.dot);
        free(pixels->picture[i].sent);
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
    if (stage != STAGE_KITTY)
        pixels_wrap(pixels->tmux, ASK_VERSION, out);
    if (stage == STAGE_VERSION)
        fputs(ASK_CELL, out);
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
        pixels->stage = STAGE_DONE;
        return decide(pixels, PIXELS_REFUSED);
    case STAGE_KITTY:
        pixels->stage = STAGE_DONE;
        return decide(pixels, pixels->accepts ? PIXELS_SHOWN : PIXELS_REFUSED);
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

const char *pixels_answer(struct pixels *pixels, const char *text, double now)
{
    int height, width;
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
    else if (is_attributes(text))
        return pixels_answered(pixels);
    if (pixels->stage == STAGE_TMUX && pixels->name[0] && text[0] == '_') {
        pixels->stage = STAGE_DONE;
        return decide(pixels, pixels->accepts && has_placeholders(pixels->name) ? PIXELS_SHOWN
                                                                                : PIXELS_REFUSED);
    }
    return "";
}

double pixels_expire(struct pixels *pixels, double now)
{
    if (pixels->state != PIXELS_ASKED)
        return -1;
    if (now - pixels->asked <= PIXELS_ANSWER_S)
        return pixels->asked + PIXELS_ANSWER_S - now + 1e-3;
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
        [PIXELS_REFUSED] = "this terminal has none that can be used; kitty and Ghostty have",
        [PIXELS_SILENT] = "the terminal has not answered whether it has them",
        [PIXELS_NOT_PASSED] = "tmux passes nothing on; 'tmux set -g allow-passthrough on' does"};

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

    return least > pixels->coarse ? least : pixels->coarse;
}

void pixels_begin(struct pixels *pixels) { pixels->count = 0; }

struct bitmap *pixels_last(struct pixels *pixels)
{
    return pixels->count > 0 ? &pixels->picture[pixels->count - 1].bitmap : NULL;
}

struct bitmap *pixels_add(struct pixels *pixels, struct rect at, int width, int height)
{
    struct pixels_picture *picture = &pixels->picture[pixels->count];
    size_t dots = (size_t)width * (size_t)height;

    if (pixels->state != PIXELS_SHOWN || pixels->withheld || pixels->count == PIXELS_PICTURES ||
        width < 1 || height < 1 || at.columns > PIXELS_CELLS || at.rows > PIXELS_CELLS)
        return NULL;
    if (picture->bitmap.width != width || picture->bitmap.height != height) {
        uint8_t *dot = malloc(dots);

        if (!dot)
            return NULL;
        free(picture->bitmap.dot);
        picture->bitmap.dot = dot;
        picture->bitmap.width = width;
        picture->bitmap.height = height;
    }
    memset(picture->bitmap.dot, 0, dots);
    picture->at = at;
    pixels->count++;
    return &picture->bitmap;
}

/* Where the picture stands on the screen is told by its cells. */
static bool picture_is_sent(const struct pixels_picture *picture)
{
    return picture->has && picture->sent_width == picture->bitmap.width &&
           picture->sent_height == picture->bitmap.height &&
           picture->sent_at.rows == picture->at.rows &&
           picture->sent_at.columns == picture->at.columns &&
           memcmp(picture->sent, picture->bitmap.dot,
                  (size_t)picture->sent_width * (size_t)picture->sent_height) == 0;
}

bool pixels_changed(const struct pixels *pixels)
{
    for (int i = 0; i < PIXELS_PICTURES; i++)
        if (i < pixels->count ? !picture_is_sent(&pixels->picture[i]) : pixels->picture[i].has)
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

        if (i < pixels->count && !picture_is_sent(picture)) {
            kitty_put(pixels, i, out);
            picture_note(picture);
        } else if (i >= pixels->count && picture->has) {
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
    for (int i = 0; i < PIXELS_PICTURES; i++)
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
