/* SPDX-License-Identifier: MIT */
/* This file takes colours out of a stream of bytes and puts fewer of them in. */
#include "tui/workbench/terminal/sgr.h"

#include <stdio.h>
#include <string.h>

#define FULL_BLOCK "\xe2\x96\x88"
#define MOVES "ABCDGHd`" /* the last letters of sequences that move the cursor and draw nothing */
#define SHOWN_BY_BLANKS (1u << 4 | 1u << 7 | 1u << 9) /* lines, and the colours exchanged */
#define ATTRIBUTES_MAX 9

static const struct sgr_look ordinary = {.front = -1, .back = -1};

void sgr_begin(struct sgr *sgr, int colours)
{
    *sgr = (struct sgr){
        .wanted = ordinary, .there = ordinary, .unknown = true, .verbatim = colours < 256};
}

void sgr_forget(struct sgr *sgr) { sgr->unknown = true; }

/* --- out -------------------------------------------------------------------------------------- */

struct sgr_output {
    char *to; /* or NULL, to count */
    size_t count;
};

static void bytes_put(struct sgr_output *out, const char *bytes, size_t count)
{
    if (out->to)
        memcpy(out->to + out->count, bytes, count);
    out->count += count;
}

/* A sequence that is made of parameters. */
struct parameters {
    char text[SGR_HELD];
    int length;
};

static void parameter_add(struct parameters *p, const char *form, int number)
{
    p->length += snprintf(p->text + p->length, sizeof p->text - (size_t)p->length, "%s",
                          p->length > 0 ? ";" : "\033[");
    p->length += snprintf(p->text + p->length, sizeof p->text - (size_t)p->length, form, number);
}

/* A colour in front, whose numbers begin at 30, or behind, where they begin at 40. */
static void colour_add(struct parameters *p, int base, int colour)
{
    if (colour < 0)
        parameter_add(p, "%d", base + 9);
    else if (colour < 8)
        parameter_add(p, "%d", base + colour);
    else if (colour < 16)
        parameter_add(p, "%d", base + 60 + colour - 8);
    else
        parameter_add(p, base == 30 ? "38;5;%d" : "48;5;%d", colour);
}

/* Has the terminal take what is shown of the look that is wanted. */
static void look_put(struct sgr *sgr, enum sgr_shown shown, struct sgr_output *out)
{
    const struct sgr_look *wanted = &sgr->wanted;
    struct sgr_look *there = &sgr->there;
    struct parameters p = {.length = 0};
    const char set[] = {'\033', '(', wanted->set};

    if (wanted->attributes & SHOWN_BY_BLANKS)
        shown = SGR_ALL;
    if (wanted->set && (sgr->unknown || there->set != wanted->set))
        bytes_put(out, set, sizeof set);
    there->set = wanted->set;
    if (sgr->unknown || (there->attributes & ~wanted->attributes)) {
        parameter_add(&p, "%d", 0);
        *there = (struct sgr_look){.front = -1, .back = -1, .set = wanted->set};
        sgr->unknown = false;
    }
    for (int i = 1; i <= ATTRIBUTES_MAX; i++)
        if (wanted->attributes & ~there->attributes & 1u << i)
            parameter_add(&p, "%d", i);
    there->attributes = wanted->attributes;
    if (shown != SGR_BACK && there->front != wanted->front)
        colour_add(&p, 30, there->front = wanted->front);
    if (shown != SGR_FRONT && there->back != wanted->back)
        colour_add(&p, 40, there->back = wanted->back);
    if (p.length == 0)
        return;
    bytes_put(out, p.text, (size_t)p.length);
    bytes_put(out, "m", 1);
}

/* --- in --------------------------------------------------------------------------------------- */

/* Reads a number of the parameters; none is 0, as it is to the terminal. -1: it is no number. */
static int number_read(const char **at)
{
    int number = 0;

    for (; **at >= '0' && **at <= '9' && number < 1000; ++*at)
        number = 10 * number + **at - '0';
    if (**at && **at != ';')
        return -1;
    *at += **at == ';';
    return number;
}

/* Takes one parameter, or the three of a colour. False: it is of another kind. */
static bool parameter_take(struct sgr_look *look, const char **at)
{
    int number = number_read(at);

    if (number < 0)
        return false;
    if (number == 0)
        *look = (struct sgr_look){.front = -1, .back = -1, .set = look->set};
    else if (number <= ATTRIBUTES_MAX)
        look->attributes |= 1u << number;
    else if (number >= 23 && number <= 29)
        look->attributes &= ~(1u << (number - 20));
    else if (number == 22)
        look->attributes &= ~(1u << 1 | 1u << 2);
    else if ((number == 38 || number == 48) && number_read(at) == 5)
        *(number == 38 ? &look->front : &look->back) = number_read(at);
    else if (number >= 30 && number <= 39 && number != 38)
        look->front = number == 39 ? -1 : number - 30;
    else if (number >= 40 && number <= 49 && number != 48)
        look->back = number == 49 ? -1 : number - 40;
    else if (number >= 90 && number <= 97)
        look->front = number - 90 + 8;
    else if (number >= 100 && number <= 107)
        look->back = number - 100 + 8;
    else
        return false;
    return true;
}

/* Takes a sequence of colours and attributes into the look that is wanted. False: one that is of
 * another kind, which changes nothing here. */
static bool look_take(struct sgr *sgr)
{
    struct sgr_look look = sgr->wanted;
    char text[SGR_HELD];
    const char *at = text;

    snprintf(text, sizeof text, "%.*s", sgr->length - 3, sgr->held + 2);
    do
        if (!parameter_take(&look, &at))
            return false;
    while (*at);
    sgr->wanted = look;
    return true;
}

static void held_put(struct sgr *sgr, struct sgr_output *out)
{
    bytes_put(out, sgr->held, (size_t)sgr->length);
    sgr->length = 0;
}

static void character_take(struct sgr *sgr, struct sgr_output *out)
{
    sgr->shown = sgr->length == 1 && sgr->held[0] == ' '                     ? SGR_BACK
                 : sgr->length == 3 && memcmp(sgr->held, FULL_BLOCK, 3) == 0 ? SGR_FRONT
                                                                             : SGR_ALL;
    look_put(sgr, sgr->shown, out);
    held_put(sgr, out);
}

static void sequence_take(struct sgr *sgr, struct sgr_output *out)
{
    const char last = sgr->held[sgr->length - 1];

    if (last == 'm' && look_take(sgr)) {
        sgr->length = 0;
        return;
    }
    if (last == 'm')
        sgr->verbatim = true; /* after what was taken until here */
    if (last == 'b')
        look_put(sgr, sgr->shown, out);
    else if (!strchr(MOVES, last)) /* such as one that erases in the colour behind */
        look_put(sgr, SGR_ALL, out);
    held_put(sgr, out);
}

/* Whether the bytes that are held are a whole character, or a whole sequence. */
static bool is_whole(const char *held, int length)
{
    const unsigned char first = (unsigned char)held[0], last = (unsigned char)held[length - 1];

    if (first != 033)
        return length >= (first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4);
    if (length == 1 || (length == 2 && (last == '[' || last == '(' || last == ')')))
        return false;
    return held[1] != '[' || (last >= '@' && last <= '~');
}

static void byte_take(struct sgr *sgr, char byte, struct sgr_output *out)
{
    sgr->held[sgr->length++] = byte;
    if (sgr->length == SGR_HELD && !sgr->verbatim) { /* no sequence is so long */
        look_put(sgr, SGR_ALL, out);
        sgr->verbatim = true;
    }
    if (sgr->verbatim)
        held_put(sgr, out);
    else if (!is_whole(sgr->held, sgr->length))
        return;
    else if (sgr->length == 3 && memcmp(sgr->held, "\033(", 2) == 0) {
        sgr->wanted.set = byte;
        sgr->length = 0;
    } else if (sgr->held[0] == 033)
        sequence_take(sgr, out);
    else if ((unsigned char)sgr->held[0] >= ' ')
        character_take(sgr, out);
    else {
        if (byte == '\n') /* may scroll, and fills the line with the colour behind */
            look_put(sgr, SGR_BACK, out);
        held_put(sgr, out);
    }
}

size_t sgr_shorten(struct sgr *sgr, const char *bytes, size_t count, bool end, char *out)
{
    struct sgr_output output = {.to = out};

    for (size_t i = 0; i < count; i++)
        byte_take(sgr, bytes[i], &output);
    if (end && sgr->length > 0)
        held_put(sgr, &output);
    if (end && !sgr->verbatim)
        look_put(sgr, SGR_ALL, &output);
    return output.count;
}
