/* SPDX-License-Identifier: MIT */
/*
 * Sessions of the workbench as rows of a table: what a user does, and what the screen then shows. A
 * step that expects something waits for it. After the last one q ends the program with status 0.
 */
#ifndef CALAB_TESTS_SCRIPT_H
#define CALAB_TESTS_SCRIPT_H

#include <check.h>

#include "tests/support/user.h"

enum script_verb {
    SCRIPT_END,
    SCRIPT_PRESS,
    SCRIPT_ENTER,
    SCRIPT_CHOOSE,
    SCRIPT_RESIZE,
    SCRIPT_WAIT,
    SCRIPT_CALL,
    SCRIPT_SHOWS,
    SCRIPT_SHOWS_WORDS,
    SCRIPT_HIDES,
    SCRIPT_LACKS,
    SCRIPT_LACKS_ROW,
    SCRIPT_ROW,
    SCRIPT_GENERATION,
    SCRIPT_REACHES,
};

struct script_step {
    enum script_verb verb;
    const char *text, *key;
    int number, columns;
    void (*call)(struct screen *screen);
};

struct script {
    const char *name;
    const struct screen_options *options; /* NULL: the defaults */
    const struct script_step *steps;
};

#define OPTIONS(...) (&(const struct screen_options){__VA_ARGS__})
#define STEPS(...) ((const struct script_step[]){__VA_ARGS__, {SCRIPT_END}})
#define PRESS(keys)                                                                                \
    {                                                                                              \
        SCRIPT_PRESS, keys                                                                         \
    }
#define ENTER(at, line)                                                                            \
    {                                                                                              \
        SCRIPT_ENTER, line, at                                                                     \
    } /* user_types, by the key `at` */
#define COMMAND(line) ENTER(":", line)
#define CHOOSE(at, item)                                                                           \
    {                                                                                              \
        SCRIPT_CHOOSE, item, at                                                                    \
    }
#define RESIZE(rows, across)                                                                       \
    {                                                                                              \
        SCRIPT_RESIZE, .number = (rows), .columns = (across)                                       \
    }
#define WAIT_MS(ms)                                                                                \
    {                                                                                              \
        SCRIPT_WAIT, .number = (ms)                                                                \
    }
#define CALL(function)                                                                             \
    {                                                                                              \
        SCRIPT_CALL, .call = (function)                                                            \
    }
#define SHOWS(words)                                                                               \
    {                                                                                              \
        SCRIPT_SHOWS, words                                                                        \
    }
#define SHOWS_WORDS(words)                                                                         \
    {                                                                                              \
        SCRIPT_SHOWS_WORDS, words                                                                  \
    }
#define HIDES(words)                                                                               \
    {                                                                                              \
        SCRIPT_HIDES, words                                                                        \
    }
#define LACKS(words)                                                                               \
    {                                                                                              \
        SCRIPT_LACKS, words                                                                        \
    } /* as the screen is, without waiting */
#define ROW(row, words)                                                                            \
    {                                                                                              \
        SCRIPT_ROW, words, .number = (row)                                                         \
    }
#define LACKS_ROW(row, words)                                                                      \
    {                                                                                              \
        SCRIPT_LACKS_ROW, words, .number = (row)                                                   \
    }
#define STATUS(words) ROW(0, words)
#define GENERATION(n)                                                                              \
    {                                                                                              \
        SCRIPT_GENERATION, .number = (n)                                                           \
    }
#define REACHES(n)                                                                                 \
    {                                                                                              \
        SCRIPT_REACHES, .number = (n)                                                              \
    }

/* Some steps of a session that no table has, up to SCRIPT_END. */
void user_does(struct screen *screen, const struct script_step steps[]);
/* The test of a row of this table, of which a program has one. */
const TTest *scripts_test(const struct script scripts[]);

#endif
