/* SPDX-License-Identifier: MIT */
/*
 * Patterns of Golly: run-length encoded, .rle in two dimensions and .rle3 in three.
 *
 * A pattern stands in a lattice of its own where the file says so: a torus by the suffix :TW,H of
 * the rule, or one with dead edges by :PW,H, about whose middle `Pos` of a line #CXRLE counts, or
 * the cube of an .rle3's first line, from whose corner `pos` counts. Otherwise, and without a
 * position, it goes to the middle of the lattice that is wanted. The generation is written, and
 * ignored. As in Golly the cells may reach beyond the box that the header says, which grows with
 * them, and the final ! may be missing, but no cell behind a count. Cells of models of more states
 * are letters: A ... X for states 1 ... 24, pA ... yO for those to 255.
 */
#include "core/files/formats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SIDE_MAX (INT64_C(1) << 31)
#define FAR (INT64_C(1) << 40) /* beyond every pattern */

struct pattern {
    const char *path, *at, *end;
    char *bytes;
    int line;
    const struct ca_model *model;
    bool deep;             /* .rle3 */
    struct ca_size box;    /* of the pattern */
    bool bounded, placed;  /* has a lattice, and a place in it */
    bool dead;             /* the lattice's edges are dead */
    struct ca_size bounds; /* the lattice */
    int64_t px, py, pz;    /* the place */
    char rule[CA_TEXT_MAX];
    struct ca_size size;            /* of the lattice that it goes to, */
    int64_t from_x, from_y, from_z; /* and the first cell of the box there */
    int64_t x, y, z;                /* of the next run */
    uint8_t state;                  /* of the run that was read, if it is live */
    bool over;                      /* the final ! has been read */
    struct ca_error *error;
};

static enum ca_status rle_refuse(const struct pattern *pattern, const char *text)
{
    return ca_fail(pattern->error, CA_IO, "%.300s:%d: %s", pattern->path, pattern->line, text);
}

/* --- headers ---------------------------------------------------------------------------------- */

static void rle_skip_blanks(struct pattern *pattern) { pattern->at += strspn(pattern->at, " \t"); }

static void skip_line(struct pattern *pattern)
{
    pattern->at += strcspn(pattern->at, "\r\n");
    pattern->at += *pattern->at == '\r';
    pattern->line += *pattern->at == '\n';
    pattern->at += *pattern->at == '\n';
}

/* Skips blanks and then `word`, if it is next. */
static bool rle_take(struct pattern *pattern, const char *word)
{
    size_t length = strlen(word);

    rle_skip_blanks(pattern);
    if (strncmp(pattern->at, word, length) != 0)
        return false;
    pattern->at += length;
    return true;
}

/* A whole number of at most 10 digits. */
static bool take_number(struct pattern *pattern, int64_t *number)
{
    bool minus = rle_take(pattern, "-");
    size_t digits = strspn(pattern->at, "0123456789");

    *number = digits > 0 && digits <= 10 ? strtoll(pattern->at, NULL, 10) : -1;
    pattern->at += digits;
    if (*number < 0 || *number > SIDE_MAX)
        return false;
    *number = minus ? -*number : *number;
    return true;
}

static bool take_numbers(struct pattern *pattern, int64_t *const numbers[], int count)
{
    for (int i = 0; i < count; i++)
        if ((i > 0 && !rle_take(pattern, ",")) || !take_number(pattern, numbers[i]))
            return false;
    return true;
}

/* ":T100,200" or ":T100", a square; ":P100,200" with dead edges. */
static enum ca_status read_topology(struct pattern *pattern, char *suffix)
{
    struct pattern inner = *pattern;

    *suffix = '\0';
    inner.at = suffix + 1;
    pattern->dead = !pattern->deep && rle_take(&inner, "P");
    if (pattern->deep || (!pattern->dead && !rle_take(&inner, "T")) ||
        !take_number(&inner, &inner.bounds.w))
        return rle_refuse(pattern, "the rule's lattice is neither a torus nor a plane: only "
                                   ":TWIDTH,HEIGHT and :PWIDTH,HEIGHT are allowed");
    inner.bounds.h = inner.bounds.w;
    if ((rle_take(&inner, ",") && !take_number(&inner, &inner.bounds.h)) || *inner.at ||
        inner.bounds.w < 1 || inner.bounds.h < 1)
        return rle_refuse(pattern, "the sides of the lattice are not as in :T100,200");
    pattern->bounds = (struct ca_size){inner.bounds.w, inner.bounds.h, 1};
    pattern->bounded = true;
    return CA_OK;
}

static enum ca_status read_rule(struct pattern *pattern)
{
    size_t length = 0;
    char *suffix;

    rle_skip_blanks(pattern);
    while ((unsigned char)pattern->at[length] > ' ')
        length++;
    if (length == 0 || length >= sizeof pattern->rule)
        return rle_refuse(pattern, "a rule of 1 ... 511 characters is expected");
    memcpy(pattern->rule, pattern->at, length);
    pattern->rule[length - (pattern->rule[length - 1] == ',')] = '\0';
    pattern->at += length;
    suffix = strchr(pattern->rule, ':');
    return suffix ? read_topology(pattern, suffix) : CA_OK;
}

/* "x = 3, y = 3, rule = B3/S23", or with blanks in place of commas, and a z. */
static enum ca_status read_box(struct pattern *pattern)
{
    int64_t *const side[] = {&pattern->box.w, &pattern->box.h, &pattern->box.d};
    int sides = pattern->deep ? 3 : 2;

    for (int i = 0; i < sides; i++) {
        static const char *const names[] = {"x", "y", "z"};

        if (i > 0)
            rle_take(pattern, ",");
        if (!rle_take(pattern, names[i]) || !rle_take(pattern, "=") ||
            !take_number(pattern, side[i]) || *side[i] < 0)
            return rle_refuse(pattern, pattern->deep
                                           ? "x=WIDTH y=HEIGHT z=DEPTH rule=RULE is expected"
                                           : "x = WIDTH, y = HEIGHT is expected");
    }
    rle_take(pattern, ",");
    if (rle_take(pattern, "rule")) {
        if (!rle_take(pattern, "="))
            return rle_refuse(pattern, "'=' is expected after 'rule'");
        CA_TRY(read_rule(pattern));
    }
    rle_skip_blanks(pattern);
    if (*pattern->at && !strchr("\r\n", *pattern->at))
        return rle_refuse(pattern, "the end of the header line is expected");
    skip_line(pattern);
    return CA_OK;
}

/* "#CXRLE Pos=-5,3 Gen=7"; other comments say nothing that counts. */
static enum ca_status read_comment(struct pattern *pattern)
{
    if (!pattern->deep && rle_take(pattern, "#CXRLE")) {
        size_t length = strcspn(pattern->at, "\r\n");
        const char *at = strstr(pattern->at, "Pos=");

        if (at && at < pattern->at + length) {
            int64_t *const place[] = {&pattern->px, &pattern->py};

            pattern->at = at + 4;
            if (!take_numbers(pattern, place, 2))
                return rle_refuse(pattern, "two whole numbers are expected after 'Pos='");
            pattern->placed = true;
        }
    } else if (!pattern->deep && rle_take(pattern, "#r")) {
        CA_TRY(read_rule(pattern));
    }
    skip_line(pattern);
    return CA_OK;
}

/* "3D version=1 size=40 pos=1,2,3 gen=7". */
static enum ca_status read_universe(struct pattern *pattern)
{
    int64_t *const place[] = {&pattern->px, &pattern->py, &pattern->pz};
    int64_t number;

    for (; *pattern->at && !strchr("\r\n", *pattern->at); rle_skip_blanks(pattern)) {
        if (rle_take(pattern, "version=")) {
            if (!take_number(pattern, &number) || number != 1)
                return rle_refuse(pattern, "'version=1' is expected");
        } else if (rle_take(pattern, "size=")) {
            if (!take_number(pattern, &number) || number < 1)
                return rle_refuse(pattern,
                                  "a whole number of at least 1 is expected after 'size='");
            pattern->bounds = (struct ca_size){number, number, number};
            pattern->bounded = pattern->placed = true;
        } else if (rle_take(pattern, "pos=")) {
            if (!take_numbers(pattern, place, 3))
                return rle_refuse(pattern, "three whole numbers are expected after 'pos='");
        } else {
            pattern->at += strcspn(pattern->at, " \t\r\n");
        }
    }
    skip_line(pattern);
    return CA_OK;
}

/* A pattern without a line x = WIDTH begins, behind comments, with one of these. */
static bool begins_cells(char c) { return c && strchr("bo.A$!0123456789", c) != NULL; }

static enum ca_status rle_read_header(struct pattern *pattern)
{
    const char *start = pattern->at + strspn(pattern->at, " \t\r\n");
    bool any;
    char what[400];

    pattern->box.d = 1;
    if (pattern->deep ? strncmp(start, "3D", 2) != 0 : !*start || !strchr("#x", *start))
        return rle_refuse(pattern,
                          pattern->deep
                              ? "this is not an RLE3 pattern, which begins with 3D"
                              : "this is not an RLE pattern, which begins with # or x = WIDTH");
    for (rle_skip_blanks(pattern); *pattern->at && strchr("\r\n", *pattern->at);
         rle_skip_blanks(pattern))
        skip_line(pattern);
    if (pattern->deep && rle_take(pattern, "3D"))
        CA_TRY(read_universe(pattern));
    for (any = false; rle_skip_blanks(pattern), *pattern->at && strchr("#\r\n", *pattern->at);
         any = true)
        CA_TRY(read_comment(pattern));
    if (pattern->deep || !any || !begins_cells(*pattern->at))
        CA_TRY(read_box(pattern));
    if (!pattern->bounded)
        return CA_OK;
    snprintf(what, sizeof what, "%.300s: its lattice", pattern->path);
    if (ca_size_check(pattern->bounds, pattern->deep ? 3 : 2, what, pattern->error) != CA_OK)
        return pattern->error->status = CA_IO;
    return CA_OK;
}

/* --- cells ------------------------------------------------------------------------------------ */

enum run_kind { RUN_DEAD, RUN_LIVE, RUN_ROWS, RUN_LAYERS, RUN_END };

/* Goes to the next tag and reads the number before it, 1 without. At the end of the file `at` is
 * there: the final ! may be missing, but no tag behind a number. */
static enum ca_status read_count(struct pattern *pattern, int64_t *count)
{
    bool given = false;

    for (*count = 1; pattern->at < pattern->end; pattern->at++) {
        char c = *pattern->at;

        if (c == '#' && (pattern->at == pattern->bytes || pattern->at[-1] == '\n')) {
            pattern->at += strcspn(pattern->at, "\n");
            pattern->at--;
        } else if (c >= '0' && c <= '9') {
            if (given || !take_number(pattern, count) || *count < 1)
                return rle_refuse(pattern, "a count of 1 ... 2147483648 is expected");
            given = true;
            pattern->at--;
        } else if (c == '\n') {
            pattern->line++;
        } else if (!strchr(" \t\r", c) || !c) {
            return CA_OK;
        }
    }
    return given ? rle_refuse(pattern, "the file ends behind a count, before what is counted")
                 : CA_OK;
}

/* The state of a cell by its letter, 'o' or 'A' to 'X', from p on with another behind it; 0: none.
 */
static int state_of_tag(const struct pattern *pattern)
{
    char tag = *pattern->at, next = tag >= 'p' && tag <= 'y' ? pattern->at[1] : '\0';

    if (tag == 'o')
        return 1;
    if (tag >= 'A' && tag <= 'X')
        return tag - 'A' + 1;
    return next >= 'A' && next <= 'X' ? 24 * (tag - 'p' + 1) + next - 'A' + 1 : 0;
}

static enum ca_status refuse_state(const struct pattern *pattern, int state)
{
    char text[160];

    if (!state)
        return rle_refuse(pattern, pattern->deep ? "b, o, $, / or ! is expected"
                                                 : "b, o, $ or ! is expected");
    if (pattern->model->max_value == 1)
        snprintf(text, sizeof text,
                 "a cell of state %d: a cell is dead (b or .) or live (o or A, state 1)", state);
    else
        snprintf(text, sizeof text, "a cell of state %d: the states of %.40s are 0 ... %d", state,
                 pattern->model->name, pattern->model->max_value);
    return rle_refuse(pattern, text);
}

/* Reads a run, behind whose tag `at` is then. */
static enum ca_status rle_read_run(struct pattern *pattern, int64_t *count, enum run_kind *kind)
{
    int state;
    char tag;

    CA_TRY(read_count(pattern, count));
    tag = pattern->at < pattern->end ? *pattern->at : '!';
    switch (tag) {
    case 'b':
    case '.':
        *kind = RUN_DEAD;
        break;
    case '$':
        *kind = RUN_ROWS;
        break;
    case '/':
        if (!pattern->deep)
            return rle_refuse(pattern, "'/', the end of a layer, in a pattern of one layer");
        *kind = RUN_LAYERS;
        break;
    case '!':
        *kind = RUN_END;
        break;
    default:
        state = state_of_tag(pattern);
        if (state == 0 || state > pattern->model->max_value)
            return refuse_state(pattern, state);
        pattern->state = (uint8_t)state;
        pattern->at += state > 24;
        *kind = RUN_LIVE;
    }
    pattern->at += pattern->at < pattern->end;
    return CA_OK;
}

static int64_t further(int64_t at, int64_t count) { return at + count < FAR ? at + count : FAR; }

/* Goes to where the next run begins. */
static void pass_run(struct pattern *pattern, int64_t count, enum run_kind kind)
{
    if (kind == RUN_DEAD || kind == RUN_LIVE) {
        pattern->x = further(pattern->x, count);
        return;
    }
    pattern->x = 0;
    if (kind == RUN_ROWS)
        pattern->y = further(pattern->y, count);
    if (kind != RUN_LAYERS)
        return;
    pattern->y = 0;
    pattern->z = further(pattern->z, count);
}

/* Makes the box as large as the cells, which may lie beyond what the header says. */
static enum ca_status grow_box(struct pattern *pattern)
{
    struct pattern ahead = *pattern;
    struct ca_size *box = &pattern->box;
    enum run_kind kind = RUN_END;
    int64_t count;

    for (;;) {
        CA_TRY(rle_read_run(&ahead, &count, &kind));
        if (kind == RUN_END)
            return CA_OK;
        if (kind == RUN_LIVE) {
            if (ahead.x + count > SIDE_MAX || ahead.y >= SIDE_MAX || ahead.z >= SIDE_MAX)
                return rle_refuse(&ahead, "a live cell lies beyond 2147483648 cells");
            box->w = ahead.x + count > box->w ? ahead.x + count : box->w;
            box->h = ahead.y >= box->h ? ahead.y + 1 : box->h;
            box->d = ahead.z >= box->d ? ahead.z + 1 : box->d;
        }
        pass_run(&ahead, count, kind);
    }
}

/* Reads the file, its header and how far its cells reach. The caller closes it, also after a
 * failure.
 */
static enum ca_status rle_begin(struct pattern *pattern, const char *path,
                                const struct ca_model *model, struct ca_error *error)
{
    size_t size;

    *pattern = (struct pattern){
        .path = path, .line = 1, .model = model, .deep = model->dimensions == 3, .error = error};
    CA_TRY(ca_file_read_text(path, INT64_C(1) << 40, &pattern->bytes, &size, error));
    pattern->at = pattern->bytes;
    pattern->end = pattern->bytes + size;
    CA_TRY(rle_read_header(pattern));
    return grow_box(pattern);
}

/* --- its place -------------------------------------------------------------------------------- */

static bool fits(struct ca_size box, struct ca_size size)
{
    return box.w <= size.w && box.h <= size.h && box.d <= size.d;
}

static enum ca_status rle_place(struct pattern *pattern, struct ca_size wanted)
{
    struct ca_size box = pattern->box, size = pattern->bounded ? pattern->bounds : wanted;
    char what[400];

    if (!pattern->bounded && !fits(box, size)) {
        size = box;
        snprintf(what, sizeof what, "%.300s: its cells", pattern->path);
        if (ca_size_check(size, pattern->deep ? 3 : 2, what, pattern->error) != CA_OK)
            return pattern->error->status = CA_IO;
    }
    pattern->size = size;
    pattern->from_x = size.w / 2 - box.w / 2;
    pattern->from_y = size.h / 2 - box.h / 2;
    pattern->from_z = size.d / 2 - box.d / 2;
    if (pattern->bounded && pattern->placed) {
        pattern->from_x = pattern->px + (pattern->deep ? 0 : size.w / 2);
        pattern->from_y = pattern->py + (pattern->deep ? 0 : size.h / 2);
        pattern->from_z = pattern->pz;
    }
    if (pattern->from_x < 0 || pattern->from_y < 0 || pattern->from_z < 0 ||
        !fits((struct ca_size){pattern->from_x + box.w, pattern->from_y + box.h,
                               pattern->from_z + box.d},
              size))
        return rle_refuse(pattern,
                          "the pattern lies outside the lattice that the file says it is in");
    return CA_OK;
}

/* Opens the file and finds its place in a lattice, of the size that is wanted or its own; of a size
 * of 0: alone, in a lattice of the size of its box. */
static enum ca_status begin_in(struct pattern *pattern, const char *path,
                               const struct ca_model *model, struct ca_size wanted,
                               struct ca_error *error)
{
    CA_TRY(rle_begin(pattern, path, model, error));
    pattern->bounded &= wanted.w > 0;
    return rle_place(pattern, wanted);
}

enum ca_status ca_rle_size(const char *path, const struct ca_model *model, struct ca_size *size,
                           struct ca_error *error)
{
    struct pattern pattern;
    enum ca_status status = begin_in(&pattern, path, model, *size, error);

    free(pattern.bytes);
    if (status == CA_OK)
        *size = pattern.size;
    return status;
}

enum ca_status ca_rle_rule(const char *path, const struct ca_model *model,
                           struct ca_state_rule *rule, struct ca_error *error)
{
    struct pattern pattern;
    enum ca_status status = rle_begin(&pattern, path, model, error);

    free(pattern.bytes);
    if (status != CA_OK)
        return status;
    memcpy(rule->text, pattern.rule, sizeof pattern.rule);
    if (pattern.bounded)
        rule->edges = pattern.dead ? CA_EDGES_DEAD : CA_EDGES_TORUS;
    return CA_OK;
}

/* --- rows ------------------------------------------------------------------------------------- */

static enum ca_status rle_read_rows(void *context, void *const planes[], int64_t first,
                                    int64_t rows, struct ca_error *error)
{
    struct pattern *pattern = context;
    struct ca_size size = pattern->size;
    uint8_t *cells = planes[0];

    (void)error; /* it is the pattern's */
    memset(cells, 0, (size_t)(rows * size.w));
    while (!pattern->over) {
        const char *before = pattern->at;
        int line = pattern->line;
        enum run_kind kind = RUN_END;
        int64_t count, row;

        CA_TRY(rle_read_run(pattern, &count, &kind));
        if (kind == RUN_LIVE) {
            row = (pattern->from_z + pattern->z) * size.h + pattern->from_y + pattern->y;
            if (row >= first + rows) { /* of the next rows */
                pattern->at = before;
                pattern->line = line;
                return CA_OK;
            }
            memset(cells + (row - first) * size.w + pattern->from_x + pattern->x, pattern->state,
                   (size_t)count);
        }
        pass_run(pattern, count, kind);
        pattern->over = kind == RUN_END;
    }
    return CA_OK;
}

enum ca_status ca_rle_read(const char *path, const struct ca_model *model, struct ca_size size,
                           const struct ca_row_sink *sink, uint64_t *generation,
                           struct ca_error *error)
{
    struct pattern pattern;
    enum ca_status status = begin_in(&pattern, path, model, size, error);
    struct ca_row_source source = {pattern.size, CA_U8, 1, rle_read_rows, &pattern};

    (void)generation;
    if (status == CA_OK)
        status = ca_rows_pass(&source, sink, error);
    free(pattern.bytes);
    return status;
}
