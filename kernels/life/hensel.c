/* SPDX-License-Identifier: MIT */
/* Hensel's classes of the squares of nine cells, by the letters that Golly gives them. */
#include <string.h>

#include "kernels/life/life.h"
#include "kernels/life/rule.h"

#define CLASSES_MAX 13

static const char *const letters[] = {"", "ce", "ceaikn", "ceaiknjqry", "ceaiknjqrytwz"};

/* A square of each class with 0 to 4 live neighbours. Those with more are the complements of those
 * with as many empty ones, by the same letter. */
static const uint16_t squares[][CLASSES_MAX] = {
    {0},
    {1, 2},
    {5, 10, 3, 40, 33, 68},
    {69, 42, 11, 7, 98, 13, 14, 70, 41, 97},
    {325, 170, 15, 45, 99, 71, 106, 102, 43, 101, 105, 78, 108},
};

static int fewer(int n) { return n <= 4 ? n : 8 - n; }

const char *life_letters(int n) { return letters[fewer(n)]; }

unsigned life_all_letters(int n)
{
    size_t count = strlen(life_letters(n));

    return count ? (1u << count) - 1 : 1;
}

/* One of the eight rotations and reflections of a square. */
static unsigned image_of(unsigned square, unsigned k)
{
    unsigned image = 0;

    for (unsigned i = 0; i < 9; i++) {
        unsigned x = i % 3, y = i / 3;

        x = k & 1 ? 2 - x : x;
        y = k & 2 ? 2 - y : y;
        image |= (square >> i & 1) << (k & 4 ? 3 * x + y : 3 * y + x);
    }
    return image;
}

/* The square of class c with n live neighbours and this centre, as image k has it. */
static unsigned square_of(int n, int c, bool live, unsigned k)
{
    unsigned square = squares[fewer(n)][c];

    if (n > 4)
        square ^= (LIFE_SQUARES - 1) & ~(unsigned)LIFE_CENTRE;
    return image_of(square, k) | (live ? LIFE_CENTRE : 0);
}

void life_mark_classes(uint64_t table[8], int n, bool live, unsigned classes)
{
    for (int c = 0; classes >> c; c++)
        for (unsigned k = 0; k < 8 && classes >> c & 1; k++) {
            unsigned square = square_of(n, c, live, k);

            table[square / 64] |= UINT64_C(1) << square % 64;
        }
}

bool life_find_classes(const uint64_t table[8], int n, bool live, unsigned *classes)
{
    *classes = 0;
    for (int c = 0; life_all_letters(n) >> c; c++) {
        int set = life_next(table, square_of(n, c, live, 0));

        for (unsigned k = 1; k < 8; k++)
            if (life_next(table, square_of(n, c, live, k)) != set)
                return false;
        *classes |= (unsigned)set << c;
    }
    return true;
}
