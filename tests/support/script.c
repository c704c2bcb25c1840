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

START_TEST(follows_its_script)
{
    const struct script *script = &table[_i];
    struct screen_options options = {.name = NULL};
    struct screen *screen;

    if (script->options)
        options = *script->options;
    options.name = script->name;
    screen = user_starts(&options);
    for (const struct script_step *step = script->steps; step->verb != SCRIPT_END; step++)
        step_do(screen, step);
    user_quits(screen);
}
END_TEST

void scripts_add(TCase *tests, const struct script scripts[], size_t count)
{
    table = scripts;
    tcase_add_loop_test(tests, follows_its_script, 0, (int)count);
}
