/* SPDX-License-Identifier: MIT */
/* Takes the sequences of kitty's graphics protocol, and sixels, and knows what of them is on the
 * screen. */
#include "tests/support/pixel_terminal.h"

#include <check.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vterm.h>

#include "tests/support/sixel.h"
#include "tests/support/support.h"
#include "tui/workbench/terminal/pixels.h"

#define IMAGES_MAX 16
#define SEQUENCE_MAX (1 << 22)
#define PASSED_MAX 16384
#define PLACEHOLDER 0x10eeee
/* The diacritics that libvterm knows, which stand for those of placeholders. */
#define FIRST_KNOWN 0x300
#define KNOWN 112

/* The pixels of the screen, and which of the pictures they are of. */
struct canvas {
    int rows, columns; /* of cells */
    uint32_t *rgba;
    int *picture;
};

struct pixel_terminal {
    struct pixel_options options;
    void (*answer)(const char *bytes, size_t count, void *user);
    void *user;
    char sequence[SEQUENCE_MAX]; /* that has begun */
    size_t length;
    unsigned char utf8[4]; /* a character that has begun */
    int utf8_length;
    char late[1024];
    struct pixel_image image[IMAGES_MAX];
    int images, sent, questions;
    struct pixel_image coming; /* in several sequences */
    char *data;                /* of it, in base64 */
    size_t data_length;
    struct pixel_image last;
    struct sixels due; /* sixels that have come and are not drawn */
    struct canvas canvas;
};

struct pixel_terminal *
pixel_terminal_new(const struct pixel_options *options,
                   void (*answer)(const char *bytes, size_t count, void *user), void *user)
{
    struct pixel_terminal *terminal = calloc(1, sizeof *terminal);

    ck_assert_ptr_nonnull(terminal);
    terminal->options = *options;
    terminal->answer = answer;
    terminal->user = user;
    return terminal;
}

void pixel_terminal_free(struct pixel_terminal *terminal)
{
    if (!terminal)
        return;
    for (int i = 0; i < terminal->images; i++)
        free(terminal->image[i].rgba);
    free(terminal->data);
    free(terminal->due.rgba);
    free(terminal->canvas.rgba);
    free(terminal->canvas.picture);
    free(terminal);
}

/* --- answers ---------------------------------------------------------------------------------- */

static void terminal_reply(struct pixel_terminal *terminal, const char *text)
{
    terminal->questions++;
    if (terminal->options.late)
        strncat(terminal->late, text, sizeof terminal->late - strlen(terminal->late) - 1);
    else
        terminal->answer(text, strlen(text), terminal->user);
}

void pixel_terminal_answer(struct pixel_terminal *terminal)
{
    terminal->answer(terminal->late, strlen(terminal->late), terminal->user);
    terminal->late[0] = 0;
}

static int cell_width(const struct pixel_options *o) { return o->cell_width ? o->cell_width : 10; }
static int cell_height(const struct pixel_options *o)
{
    return o->cell_height ? o->cell_height : 20;
}

static bool has_sixels(const struct pixel_options *o)
{
    return o->attributes && strstr(o->attributes, ";4");
}

/* Answers a question in a control sequence; false: it is none. `outer`: of the terminal around
 * tmux.
 */
static bool question_take(struct pixel_terminal *terminal, const char *text, bool outer)
{
    const struct pixel_options *o = &terminal->options;
    const char *version = o->tmux && !outer ? o->tmux : o->version;
    char reply[128] = "";

    if (strcmp(text, "\033[>q") == 0 && version)
        snprintf(reply, sizeof reply, "\033P>|%s\033\\", version);
    else if (strcmp(text, "\033[16t") == 0 && o->cell_width >= 0)
        snprintf(reply, sizeof reply, "\033[6;%d;%dt", cell_height(o), cell_width(o));
    else if (strcmp(text, "\033[?1;1;0S") == 0 && has_sixels(o) && o->registers)
        snprintf(reply, sizeof reply, "\033[?1;0;%dS", o->registers);
    else if (strcmp(text, "\033[?2;1;0S") == 0 && has_sixels(o) && o->most_width)
        snprintf(reply, sizeof reply, "\033[?2;0;%d;%dS", o->most_width, o->most_height);
    else if (strcmp(text, "\033[c") == 0)
        snprintf(reply, sizeof reply, "\033[%sc", o->attributes ? o->attributes : "?62;22");
    else
        return strcmp(text, "\033[>q") == 0;
    terminal_reply(terminal, reply);
    return true;
}

/* --- pictures --------------------------------------------------------------------------------- */

/* The value of a key of "a=T,i=5", or `other`. */
static long key_of(const char *control, char key, long other)
{
    for (const char *at = control; at && *at && *at != ';'; at = strpbrk(at, ",;")) {
        at += *at == ',';
        if (at[0] == key && at[1] == '=')
            return at[2] >= '0' && at[2] <= '9' ? strtol(at + 2, NULL, 10) : at[2];
        if (*at == ';')
            break;
    }
    return other;
}

static size_t decoded(const char *text, size_t length, uint8_t *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t used = 0;
    uint32_t bits = 0;
    int count = 0;

    for (size_t i = 0; i < length && text[i] != '='; i++) {
        const char *digit = strchr(digits, text[i]);

        ck_assert_msg(digit != NULL, "no base64: %c", text[i]);
        bits = bits << 6 | (uint32_t)(digit - digits);
        count += 6;
        if (count >= 8) {
            count -= 8;
            out[used++] = (uint8_t)(bits >> count & 255);
        }
    }
    return used;
}

/* libpng reads what calab has written by itself. */
static void png_decode(struct pixel_image *image, const uint8_t *bytes, size_t count)
{
    png_image png = {.version = PNG_IMAGE_VERSION};
    uint8_t *rgba;

    ck_assert_msg(png_image_begin_read_from_memory(&png, bytes, count), "%s", png.message);
    png.format = PNG_FORMAT_RGBA;
    rgba = malloc(PNG_IMAGE_SIZE(png));
    ck_assert_ptr_nonnull(rgba);
    ck_assert_msg(png_image_finish_read(&png, NULL, rgba, 0, NULL), "%s", png.message);
    image->width = (int)png.width;
    image->height = (int)png.height;
    image->rgba = malloc((size_t)png.width * png.height * sizeof *image->rgba);
    ck_assert_ptr_nonnull(image->rgba);
    for (size_t i = 0; i < (size_t)png.width * png.height; i++)
        image->rgba[i] = (uint32_t)rgba[4 * i] << 24 | (uint32_t)rgba[4 * i + 1] << 16 |
                         (uint32_t)rgba[4 * i + 2] << 8 | rgba[4 * i + 3];
    free(rgba);
}

static int place_of(const struct pixel_terminal *terminal, uint32_t id)
{
    int i = 0;

    while (i < terminal->images && terminal->image[i].id != id)
        i++;
    return i;
}

static void image_delete(struct pixel_terminal *terminal, uint32_t id)
{
    int i = place_of(terminal, id);

    if (i == terminal->images)
        return;
    free(terminal->image[i].rgba);
    terminal->image[i] = terminal->image[--terminal->images];
}

static void image_show(struct pixel_terminal *terminal)
{
    uint8_t *bytes = malloc(terminal->data_length + 1);
    size_t count;

    ck_assert_ptr_nonnull(bytes);
    count = decoded(terminal->data, terminal->data_length, bytes);
    png_decode(&terminal->coming, bytes, count);
    free(bytes);
    image_delete(terminal, terminal->coming.id);
    ck_assert_int_lt(terminal->images, IMAGES_MAX);
    terminal->image[terminal->images++] = terminal->last = terminal->coming;
    terminal->coming = (struct pixel_image){0};
    terminal->data_length = 0;
    terminal->sent++;
}

/* "_G...": the letters between APC and ST. */
static void graphics_take(struct pixel_terminal *terminal, const char *text)
{
    const char *control = text + 2, *payload = strchr(text, ';');
    long action = key_of(control, 'a', 0);
    size_t length = payload ? strlen(++payload) : 0;
    char reply[128];

    if (action == 'q') {
        snprintf(reply, sizeof reply, "\033_Gi=%ld;%s\033\\", key_of(control, 'i', 0),
                 terminal->options.accepts ? terminal->options.accepts : "");
        if (terminal->options.accepts)
            terminal_reply(terminal, reply);
        return;
    }
    if (action == 'd') {
        ck_assert_int_eq(key_of(control, 'd', 0), 'I');
        image_delete(terminal, (uint32_t)key_of(control, 'i', 0));
        return;
    }
    if (action == 'T') {
        ck_assert_int_eq(terminal->data_length, 0);
        ck_assert_int_eq(key_of(control, 'U', 0), 1);
        ck_assert_int_eq(key_of(control, 'f', 0), 100);
        terminal->coming = (struct pixel_image){.id = (uint32_t)key_of(control, 'i', 0),
                                                .columns = (int)key_of(control, 'c', 0),
                                                .rows = (int)key_of(control, 'r', 0)};
    }
    ck_assert_int_eq(key_of(control, 'q', 0), 2); /* no answer is wanted */
    ck_assert_uint_le(length, 4096);
    if (!payload)
        ck_abort_msg("no data: %s", control);
    terminal->data = realloc(terminal->data, terminal->data_length + length + 1);
    ck_assert_ptr_nonnull(terminal->data);
    memcpy(terminal->data + terminal->data_length, payload, length);
    terminal->data_length += length;
    if (!key_of(control, 'm', 0))
        image_show(terminal);
}

/* --- sequences -------------------------------------------------------------------------------- */

/* What tmux passes on, with its Escs once. */
static void passed_take(struct pixel_terminal *terminal, const char *text)
{
    char inner[PASSED_MAX];
    size_t used = 0;

    ck_assert_uint_lt(strlen(text), sizeof inner);
    for (; *text; text++) {
        inner[used++] = *text;
        if (*text == '\033')
            ck_assert_int_eq(*++text, '\033');
    }
    inner[used] = 0;
    if (!terminal->options.passes)
        return;
    if (strncmp(inner, "\033_G", 3) == 0) {
        inner[used - 2] = 0;
        graphics_take(terminal, inner + 1);
    } else {
        ck_assert_msg(question_take(terminal, inner, true), "%s", inner + 1);
    }
}

/* A whole string (DCS or APC) without its end. */
static void string_take(struct pixel_terminal *terminal, const char *text)
{
    if (strncmp(text, "Ptmux;", 6) == 0)
        passed_take(terminal, text + 6);
    else if (strncmp(text, "_G", 2) == 0 && !terminal->options.tmux)
        graphics_take(terminal, text);
    else if (sixel_is(text) && has_sixels(&terminal->options))
        terminal->due = sixel_decode(text, terminal->options.registers ? terminal->options.registers
                                                                       : PIXELS_REGISTERS);
    else
        ck_abort_msg("an unknown sequence: %.40s", text);
}

/* Whether a sequence has its end. */
static bool is_whole(const char *text, size_t length)
{
    size_t escs = 0;

    if (length < 2)
        return false;
    if (text[1] == '[')
        return length > 2 && text[length - 1] >= 0x40;
    if (text[1] != 'P' && text[1] != '_')
        return true;
    if (length < 4 || text[length - 1] != '\\')
        return false;
    while (escs < length - 2 && text[length - 2 - escs] == '\033')
        escs++;
    return escs % 2 == 1;
}

/* libvterm would take diacritics that are younger than it for characters of their own. */
static size_t diacritic_put(uint32_t c, char *out)
{
    for (int i = 0; i < PIXELS_CELLS; i++)
        if (pixels_diacritic(i) == c) {
            ck_assert_int_lt(i, KNOWN);
            out[0] = (char)(0xc0 | (FIRST_KNOWN + i) >> 6);
            out[1] = (char)(0x80 | ((FIRST_KNOWN + i) & 63));
            return 2;
        }
    return 0;
}

/* A byte of a character of UTF-8. Returns how many are written. */
static size_t utf8_take(struct pixel_terminal *terminal, unsigned char byte, char *out)
{
    const unsigned char *c = terminal->utf8;
    int length;
    uint32_t code;
    size_t used;

    if (byte >= 0xc0)
        terminal->utf8_length = 0;
    terminal->utf8[terminal->utf8_length++] = byte;
    length = c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : c[0] >= 0xc0 ? 2 : 1;
    if (terminal->utf8_length < length)
        return 0;
    code = c[0] & (0x7fu >> length);
    for (int i = 1; i < length; i++)
        code = code << 6 | (c[i] & 63);
    terminal->utf8_length = 0;
    used = diacritic_put(code, out);
    if (used == 0)
        memcpy(out, c, used = (size_t)length);
    return used;
}

size_t pixel_terminal_take(struct pixel_terminal *terminal, const char *bytes, size_t count,
                           char *out, size_t *taken)
{
    size_t used = 0, i;

    for (i = 0; i < count && !terminal->due.rgba; i++) {
        if (terminal->length == 0 && (unsigned char)bytes[i] >= 0x80) {
            used += utf8_take(terminal, (unsigned char)bytes[i], out + used);
            continue;
        }
        if (terminal->length == 0 && bytes[i] != '\033') {
            out[used++] = bytes[i];
            continue;
        }
        must_hold(terminal->length < SEQUENCE_MAX - 1, "a sequence of %zu bytes", terminal->length);
        terminal->sequence[terminal->length++] = bytes[i];
        if (!is_whole(terminal->sequence, terminal->length))
            continue;
        terminal->sequence[terminal->length] = 0;
        if (terminal->sequence[1] == 'P' || terminal->sequence[1] == '_') {
            terminal->sequence[terminal->length - 2] = 0;
            string_take(terminal, terminal->sequence + 1);
        } else if (terminal->sequence[1] != '[' ||
                   !question_take(terminal, terminal->sequence, false)) {
            memcpy(out + used, terminal->sequence, terminal->length);
            used += terminal->length;
        }
        terminal->length = 0;
    }
    *taken = i;
    return used;
}

/* --- sixels ----------------------------------------------------------------------------------- */

/* Another size of the screen is an empty one. */
static void canvas_fit(struct canvas *canvas, const struct pixel_options *o, int rows, int columns)
{
    size_t pixels = (size_t)(rows * cell_height(o)) * (size_t)(columns * cell_width(o));

    if (canvas->rows == rows && canvas->columns == columns)
        return;
    free(canvas->rgba);
    free(canvas->picture);
    *canvas = (struct canvas){rows, columns, calloc(pixels, sizeof *canvas->rgba),
                              calloc(pixels, sizeof *canvas->picture)};
    ck_assert_ptr_nonnull(canvas->rgba);
    ck_assert_ptr_nonnull(canvas->picture);
}

int pixel_terminal_draw(struct pixel_terminal *terminal, int row, int column, int rows, int columns)
{
    const struct pixel_options *o = &terminal->options;
    struct sixels *due = &terminal->due;
    const int wide = columns * cell_width(o), left = column * cell_width(o);
    int taken;

    if (!due->rgba)
        return 0;
    ck_assert(!o->most_width || due->width <= o->most_width);
    ck_assert(!o->most_height || due->height <= o->most_height);
    ck_assert_int_le(left + due->width, wide);
    canvas_fit(&terminal->canvas, o, rows, columns);
    terminal->sent++;
    for (int y = 0; y < due->height; y++)
        for (int x = 0; x < due->width; x++) {
            int at = (row * cell_height(o) + y) * wide + left + x;

            terminal->canvas.rgba[at] = due->rgba[y * due->width + x];
            terminal->canvas.picture[at] = terminal->sent;
        }
    taken = (due->height + cell_height(o) - 1) / cell_height(o);
    free(due->rgba);
    *due = (struct sixels){0};
    return taken;
}

void pixel_terminal_erase(struct pixel_terminal *terminal, int row, int column)
{
    const struct pixel_options *o = &terminal->options;
    const struct canvas *canvas = &terminal->canvas;

    if (row >= canvas->rows || column >= canvas->columns)
        return;
    for (int y = row * cell_height(o); y < (row + 1) * cell_height(o); y++)
        memset(canvas->rgba + (y * canvas->columns + column) * cell_width(o), 0,
               (size_t)cell_width(o) * sizeof *canvas->rgba);
}

/* A pixel that is there, of a picture that is still kept. */
static bool sixel_at(const struct pixel_terminal *terminal, int row, int column, double x, double y,
                     uint32_t *rgba)
{
    const struct pixel_options *o = &terminal->options;
    const struct canvas *canvas = &terminal->canvas;
    int at;

    if (row >= canvas->rows || column >= canvas->columns)
        return false;
    at = (int)((row + y) * cell_height(o)) * canvas->columns * cell_width(o) +
         (int)((column + x) * cell_width(o));
    *rgba = canvas->rgba[at];
    return *rgba && (!o->most_pictures || canvas->picture[at] > terminal->sent - o->most_pictures);
}

/* --- what is seen ----------------------------------------------------------------------------- */

int pixel_images(const struct pixel_terminal *terminal) { return terminal->images; }
int pixel_images_sent(const struct pixel_terminal *terminal) { return terminal->sent; }
int pixel_questions(const struct pixel_terminal *terminal) { return terminal->questions; }
const struct pixel_image *pixel_image_last(const struct pixel_terminal *terminal)
{
    return &terminal->last;
}

/* The number that a cell has as one of its diacritics, -1: it has not. */
static int number_of(uint32_t character)
{
    return character >= FIRST_KNOWN && character < FIRST_KNOWN + KNOWN
               ? (int)(character - FIRST_KNOWN)
               : -1;
}

static bool cell_of(struct screen *screen, int row, int column, VTermScreenCell *cell)
{
    vterm_screen_get_cell(screen_terminal(screen), (VTermPos){row, column}, cell);
    return cell->chars[0] == PLACEHOLDER;
}

/* The picture is fitted into its cells, as large as its shape allows, in the middle. */
static bool fitted(const struct pixel_image *image, const struct pixel_options *o, double *x,
                   double *y)
{
    double wide = cell_width(o) * image->columns;
    double high = cell_height(o) * image->rows;
    double scale =
        wide / image->width < high / image->height ? wide / image->width : high / image->height;

    *x = (*x * wide - (wide - image->width * scale) / 2) / scale;
    *y = (*y * high - (high - image->height * scale) / 2) / scale;
    return *x >= 0 && *y >= 0 && *x < image->width && *y < image->height;
}

bool pixel_at(struct screen *screen, int row, int column, double x, double y, uint32_t *rgba)
{
    struct pixel_terminal *terminal = screen_pixels(screen);
    VTermScreenCell cell;
    const struct pixel_image *image;
    int part[3], i; /* row, column, the highest byte of the number */

    if (has_sixels(&terminal->options) && sixel_at(terminal, row, column, x, y, rgba))
        return true;
    if (!cell_of(screen, row, column, &cell) || !VTERM_COLOR_IS_INDEXED(&cell.fg))
        return false;
    for (i = 0; i < 3; i++)
        part[i] = number_of(cell.chars[1 + i]);
    i = place_of(terminal, (uint32_t)part[2] << 24 | cell.fg.indexed.idx);
    image = &terminal->image[i];
    if (i == terminal->images || part[0] < 0 || part[1] < 0 || part[0] >= image->rows ||
        part[1] >= image->columns)
        return false;
    x = (part[1] + x) / image->columns;
    y = (part[0] + y) / image->rows;
    *rgba = 0;
    if (fitted(image, &terminal->options, &x, &y))
        *rgba = image->rgba[(size_t)y * (size_t)image->width + (size_t)x];
    return true;
}

int pixel_cells(struct screen *screen)
{
    VTermScreenCell cell;
    uint32_t rgba;
    int count = 0;

    for (int row = 0; row < screen_rows(screen); row++)
        for (int column = 0; column < screen_columns(screen); column++)
            count += cell_of(screen, row, column, &cell) ||
                     sixel_at(screen_pixels(screen), row, column, 0.5, 0.5, &rgba);
    return count;
}
