/* SPDX-License-Identifier: MIT */
/* The steps of scripts, and a test for each of a table. */
#include "tests/support/script.h"

static const struct script *table;

static void step_do(struct screen *screen, const struct script_step *step)
{
    switch (step->verb) {
    case SCRIPT_PRESS:
        screen_send(screen, step->text);
        break;
    case SCRIPT_ENTER:
        user_types(screen, step->key, step->text);
        break;
    case SCRIPT_CHOOSE:
        user_chooses(screen, step->key, step->text);
        break;
    case SCRIPT_RESIZE:
        screen_resize(screen, step->number, step->columns);
        break;
    case SCRIPT_WAIT:
        screen_listen(screen, step->number / 1000.0);
        break;
    case SCRIPT_CALL:
        step->call(screen);
        break;
    case SCRIPT_SHOWS:
        screen_expect(screen, step->text);
        break;
    case SCRIPT_SHOWS_WORDS:
        screen_expect_words(screen, step->text);
        break;
    case SCRIPT_HIDES:
        screen_expect_not(screen, step->text);
        break;
    case SCRIPT_LACKS:
        ck_assert_msg(!screen_shows(screen, step->text), "'%s' is shown", step->text);
        break;
    case SCRIPT_LACKS_ROW:
        ck_assert_msg(!screen_row_shows(screen, step->number, step->text), "row %d shows '%s': %s",
                      step->number, step->text, screen_row(screen, step->number));
        break;
    case SCRIPT_ROW:
        screen_expect_row(screen, step->number, step->text);
        break;
    case SCRIPT_GENERATION:
        expect_generation(screen, step->number);
        break;
    case SCRIPT_REACHES:
        expect_generation_from(screen, step->number);
        break;
    case SCRIPT_END:
        break;
    }
}

void user_does(struct screen *screen, const struct script_step steps[])
{
    for (const struct script_step *step = steps; step->verb != SCRIPT_END; step++)
        step_do(screen, step);
}

START_TEST(follows_its_script)
{
    const struct script *script = &table[_i];
    struct screen_options options = {.name = NULL};
    struct screen *screen;

    if (script->options)
        options = *script->options;
    options.name = script->name;
    screen = user_starts(&options);
    user_does(screen, script->steps);
    user_quits(screen);
}
END_TEST

const TTest *scripts_test(const struct script scripts[])
{
    table = scripts;
    return follows_its_script;
}
