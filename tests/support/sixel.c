/* SPDX-License-Identifier: MIT */
/* Reads sixels as DEC's manual of the VT340 describes them. */
#include "tests/support/sixel.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/support.h"

#define REGISTERS_MAX 1024

struct reader {
    const char *at;
    struct sixels picture;
    int registers;
    bool defined[REGISTERS_MAX];
    uint32_t colour[REGISTERS_MAX];
    int chosen, x, y;
};

bool sixel_is(const char *text)
{
    return text[0] == 'P' && text[1 + strspn(text + 1, "0123456789;")] == 'q';
}

/* Numbers with semicolons between them. Returns how many. */
static int numbers_read(struct reader *reader, int number[], int most)
{
    int count = 0;

    for (;;) {
        char *end;

        ck_assert_int_lt(count, most);
        number[count++] = (int)strtol(reader->at, &end, 10);
        ck_assert_msg(end != reader->at, "no number: %.20s", reader->at);
        reader->at = end;
        if (*end != ';')
            return count;
        reader->at++;
    }
}

static void colour_read(struct reader *reader)
{
    int number[5] = {0}, count = numbers_read(reader, number, 5);

    ck_assert_int_lt(number[0], reader->registers);
    reader->chosen = number[0];
    if (count == 1) {
        ck_assert_msg(reader->defined[number[0]], "register %d has no colour", number[0]);
        return;
    }
    ck_assert_int_eq(count, 5);
    ck_assert_int_eq(number[1], 2); /* red, green and blue, in percent */
    reader->defined[number[0]] = true;
    reader->colour[number[0]] = 255;
    for (int i = 0; i < 3; i++) {
        ck_assert_int_le(number[2 + i], 100);
        reader->colour[number[0]] |= (uint32_t)((number[2 + i] * 255 + 50) / 100) << (24 - 8 * i);
    }
}

static void pixels_set(struct reader *reader, int bits, int times)
{
    const struct sixels *p = &reader->picture;

    for (; times > 0; times--, reader->x++)
        for (int i = 0; i < 6; i++) {
            uint32_t *rgba;

            if (!(bits >> i & 1))
                continue;
            must_hold(reader->x < p->width, "column %d of %d", reader->x, p->width);
            must_hold(reader->y + i < p->height, "line %d of %d", reader->y + i, p->height);
            rgba = &p->rgba[(reader->y + i) * p->width + reader->x];
            must_hold(*rgba == 0, "pixel %d,%d has two colours", reader->x, reader->y + i);
            *rgba = reader->colour[reader->chosen];
        }
}

struct sixels sixel_decode(const char *text, int registers)
{
    struct reader *r = calloc(1, sizeof *r);
    struct sixels picture;
    int number[4];

    ck_assert_ptr_nonnull(r);
    ck_assert_int_le(registers, REGISTERS_MAX);
    r->registers = registers;
    r->at = strchr(text, 'q') + 1;
    ck_assert_int_eq(*r->at++, '"');
    ck_assert_int_eq(numbers_read(r, number, 4), 4);
    ck_assert_int_eq(number[0], number[1]); /* pixels are square */
    r->picture.width = number[2];
    r->picture.height = number[3];
    r->picture.rgba = calloc((size_t)number[2] * (size_t)number[3], sizeof *r->picture.rgba);
    ck_assert_ptr_nonnull(r->picture.rgba);
    while (*r->at) {
        int times = 1;
        char c = *r->at++;

        if (c == '!') {
            times = (int)strtol(r->at, (char **)&r->at, 10);
            c = *r->at++;
        }
        if (c == '#')
            colour_read(r);
        else if (c == '$')
            r->x = 0;
        else if (c == '-')
            r->x = 0, r->y += 6;
        else {
            must_hold(c >= '?' && c <= '~', "no sixel: character %d", c);
            pixels_set(r, c - '?', times);
        }
    }
    picture = r->picture;
    for (int i = 0; i < picture.width * picture.height; i++)
        must_hold(picture.rgba[i] != 0, "pixel %d,%d has no colour", i % picture.width,
                  i / picture.width);
    free(r);
    return picture;
}
