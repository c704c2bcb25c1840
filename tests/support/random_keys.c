/* SPDX-License-Identifier: MIT */
/* Owns the drawing of keys and sizes, and what must hold after them. */
#include "tests/support/random_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/process.h"
#include "tests/support/sent_keys.h"
#include "tests/support/support.h"
#include "tests/support/user.h"
#include "tui/keys.h"

#define EVENTS 150
#define EVENT_S 0.01 /* the program may be slower: then keys are many at a time */
#define ROWS 60
#define COLUMNS 200
#define LAST RANDOM_KEYS_LAST

unsigned random_below(struct random_keys *draw, unsigned n)
{
    uint64_t u = draw->state += UINT64_C(0x9E3779B97F4A7C15);

    u = (u ^ u >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    u = (u ^ u >> 27) * UINT64_C(0x94D049BB133111EB);
    return (unsigned)((u ^ u >> 31) % n);
}

void random_note(struct random_keys *draw, const char *what)
{
    size_t n = strlen(what) + 1, used = strlen(draw->last);
    size_t drop = used + n + 1 > LAST ? used + n + 1 - LAST : 0;

    memmove(draw->last, draw->last + drop, used - drop + 1);
    strcat(strcat(draw->last, " "), what);
}

static bool ends_the_program(enum request request)
{
    return request == REQUEST_QUIT || request == REQUEST_QUIT_NOW || request == REQUEST_SUSPEND ||
           request == REQUEST_INTERRUPT;
}

const struct key_row *random_row(struct random_keys *draw)
{
    unsigned rows = 1;

    while (keys_table[rows].name)
        rows++;
    return &keys_table[random_below(draw, rows)];
}

void random_press(struct screen *screen, struct random_keys *draw, const struct key_row *row)
{
    const char *keys = row->keys;
    char name[16], bytes[SENT_MAX];

    do {
        keys_first(keys, name);
        keys += strspn(keys, " ") + strlen(name);
    } while (keys[strspn(keys, " ")] && random_below(draw, 2));
    if (strcmp(name, "q") == 0) /* closes a list, and ends the program without one */
        strcpy(name, "esc");
    random_note(draw, name);
    draw->keys++;
    screen_send(screen, sent_by(NULL, name, bytes));
}

static void press(struct screen *screen, struct random_keys *draw)
{
    const struct key_row *row;

    do
        row = random_row(draw);
    while (ends_the_program(row->request) || (draw->left_out && draw->left_out(row->request)));
    random_press(screen, draw, row);
}

void random_resize(struct screen *screen, struct random_keys *draw)
{
    bool usual = random_below(draw, 3) == 0;
    int rows = usual ? 24 : 1 + (int)random_below(draw, ROWS);
    int columns = usual ? 80 : 1 + (int)random_below(draw, COLUMNS);
    char text[32];

    snprintf(text, sizeof text, "%dx%d", columns, rows);
    random_note(draw, text);
    draw->resizes++;
    screen_resize(screen, rows, columns);
}

void random_event(struct screen *screen, struct random_keys *draw, const char *often)
{
    char one[2] = "";

    if (random_below(draw, 12) == 0) {
        random_resize(screen, draw);
    } else if (often[0] && random_below(draw, 4) == 0) {
        one[0] = often[random_below(draw, (unsigned)strlen(often))];
        random_note(draw, one[0] == '\r' ? "enter" : one);
        draw->keys++;
        screen_send(screen, one);
    } else {
        press(screen, draw);
    }
    screen_listen(screen, EVENT_S * random_below(draw, 3));
    ck_assert_msg(screen_is_alive(screen), "the program has ended after%s", draw->last);
}

/* --- the end ---------------------------------------------------------------------------------- */

/* Waits until nothing changes any more; then a redraw leaves every character as it is. */
static void expect_whole(struct screen *screen, const struct random_keys *draw)
{
    const double deadline = seconds_now() + DEADLINE_S;
    bool same = false;

    while (!same) {
        char *before;

        ck_assert_msg(seconds_now() < deadline, "the screen does not come to rest after%s:\n%s",
                      draw->last, screen_text(screen));
        if (screen_listen(screen, 0.3) > 0)
            continue;
        before = strdup(screen_text(screen));
        screen_send(screen, "\f");
        same = screen_listen(screen, 0.3) > 0 && strcmp(before, screen_text(screen)) == 0;
        free(before);
    }
}

void random_keys(struct screen *screen, const char *often)
{
    const char *text = getenv("CALAB_EVENTS");
    struct random_keys draw = {.state = test_seed()};
    long events = text ? atol(text) : EVENTS;

    for (long i = 0; i < events; i++)
        random_event(screen, &draw, often);
    screen_resize(screen, 24, 80);
    screen_expect(screen, "gen ");
    screen_send(screen, "\003"); /* ends a run, or what a list does, or closes what is open */
    expect_status(screen, "PAUSE");
    for (int i = 0; i < 4; i++) { /* what is still open */
        screen_send(screen, "\033");
        screen_listen(screen, 0.1);
    }
    expect_whole(screen, &draw);
    screen_send(screen, "Q");
    ck_assert_int_eq(screen_end(screen), 0);
    screen_close(screen);
}

void random_keys_folder(void) { ck_assert_int_eq(chdir(test_folder()), 0); }
