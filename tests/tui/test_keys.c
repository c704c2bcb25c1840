/* SPDX-License-Identifier: MIT */
/* The key table is complete and without conflicts in either preset; rebinding; colour schemes. */
#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "core/settings/settings.h"
#include "tests/support/support.h"
#include "tui/workbench/base/part.h"
#include "tui/workbench/terminal/draw.h"
#include "tui/keys.h"

static const char *const presets[] = {"default", "golly"};

START_TEST(every_request_has_a_row)
{
    for (int request = 1; request < REQUEST_COUNT; request++) {
        const struct key_row *row = keys_row((enum request)request);

        ck_assert_msg(row != NULL, "request %d has no row", request);
        ck_assert_msg(row->keys[0] != 0, "%s has no key", row->name);
        ck_assert_msg(row->help[0] != 0, "%s has no help", row->name);
        ck_assert_msg(strlen(row->help) < 96, "the help of %s is too long", row->name);
    }
    ck_assert_ptr_null(keys_row(REQUEST_NONE));
}
END_TEST

static bool is_performed(enum request request)
{
    for (int i = 0; workbench_parts[i]; i++)
        for (const struct part_action *a = workbench_parts[i]->actions; a->request; a++)
            if (a->request == request)
                return true;
    return false;
}

/* A hint says which scenes it is for, is short, and no earlier one of its row hides it. */
START_TEST(hints_are_for_their_scenes)
{
    for (const struct key_row *row = keys_table; row->name; row++) {
        unsigned before = 0;

        for (int i = 0; i < KEY_HINTS && row->hints[i].scenes; i++) {
            ck_assert_msg(row->hints[i].scenes & ~before, "%s: '%s' is never shown", row->name,
                          row->hints[i].text);
            ck_assert_msg(strlen(row->hints[i].text) <= 20, "%s: '%s' is long", row->name,
                          row->hints[i].text);
            before |= row->hints[i].scenes;
        }
    }
}
END_TEST

START_TEST(ten_keys_matter_most)
{
    static const enum request expected[KEYS_FIRST] = {
        REQUEST_RUN,   REQUEST_HELP, REQUEST_MENU,    REQUEST_QUIT,  REQUEST_MODEL,
        REQUEST_SPLIT, REQUEST_STEP, REQUEST_BACKEND, REQUEST_RESET, REQUEST_PARAMETERS};
    const struct key_row *most[KEYS_FIRST];

    keys_most_important(most);
    for (int i = 0; i < KEYS_FIRST; i++)
        ck_assert_msg(most[i]->request == expected[i], "%d is %s", i, most[i]->name);
}
END_TEST

START_TEST(scenes_have_their_keys)
{
    ck_assert(keys_belong(keys_row(REQUEST_PAN_UP), SCENE_LATTICE));
    ck_assert(!keys_belong(keys_row(REQUEST_PAN_UP), SCENE_TIMING));
    ck_assert(keys_belong(keys_row(REQUEST_LADDER), SCENE_TIMING));
    ck_assert(!keys_belong(keys_row(REQUEST_LADDER), SCENE_DEVICE));
    ck_assert(keys_apply(keys_row(REQUEST_CROSSOVER), SCENE_SPLIT));
    ck_assert(!keys_apply(keys_row(REQUEST_CROSSOVER), SCENE_LATTICE));
    ck_assert(!keys_apply(keys_row(REQUEST_EDIT_NEXT), SCENE_LATTICE));
    ck_assert(keys_apply(keys_row(REQUEST_EDIT_NEXT), SCENE_EDIT));
    ck_assert(!keys_apply(keys_row(REQUEST_LIST_UP), SCENE_LATTICE));
}
END_TEST

/* The names of codes are those that lead to them. */
START_TEST(codes_have_names)
{
    static const char *const names[] = {"a",   "?",  "space",  "enter", "esc",
                                        "tab", "f3", "ctrl-g", "pgdn"};
    char name[16];

    for (size_t i = 0; i < COUNT(names); i++)
        ck_assert_str_eq(keys_name(keys_code(names[i]), name), names[i]);
    ck_assert_str_eq(keys_name(0x7fff, name), "");
    ck_assert_str_eq(keys_name(0, name), "");
}
END_TEST

START_TEST(every_request_does_something)
{
    for (const struct key_row *row = keys_table; row->name; row++)
        ck_assert_msg(row->context == KEYS_LIST || is_performed(row->request), "%s has no action",
                      row->name);
}
END_TEST

START_TEST(names_are_unique)
{
    for (const struct key_row *a = keys_table; a->name; a++)
        for (const struct key_row *b = a + 1; b->name; b++) {
            ck_assert_msg(strcmp(a->name, b->name) != 0, "%s twice", a->name);
            ck_assert_msg(a->request != b->request, "%s and %s have the same request", a->name,
                          b->name);
        }
}
END_TEST

/* The codes of all keys of a row. Returns their number. */
static int codes_of(const char *keys, int codes[8])
{
    char copy[64], *rest = NULL;
    int n = 0;

    snprintf(copy, sizeof copy, "%s", keys);
    for (char *key = strtok_r(copy, " ", &rest); key; key = strtok_r(NULL, " ", &rest)) {
        ck_assert_msg(keys_code(key) > 0, "'%s' is not a key", key);
        ck_assert_int_lt(n, 8);
        codes[n++] = keys_code(key);
    }
    return n;
}

/* No key is bound twice where both would apply, the handler finds each key, none is reserved. */
START_TEST(no_key_twice)
{
    struct keymap map;

    keymap_preset(&map, presets[_i]);
    for (const struct key_row *a = keys_table; a->name; a++) {
        int mine[8], n = codes_of(map.keys[a->request], mine);

        ck_assert_msg(n > 0, "%s has no key in preset %s", a->name, presets[_i]);
        for (int i = 0; i < n; i++) {
            ck_assert_int_eq(keymap_find(&map, a->context, mine[i]), a->request);
            ck_assert_msg(mine[i] != 19 && mine[i] != 17, "%s uses flow control", a->name);
        }
        for (const struct key_row *b = a + 1; b->name; b++) {
            int other[8], m = codes_of(map.keys[b->request], other);

            if (!keys_contexts_meet(a->context, b->context))
                continue;
            for (int i = 0; i < n; i++)
                for (int j = 0; j < m; j++)
                    ck_assert_msg(mine[i] != other[j], "preset %s: %s and %s share a key",
                                  presets[_i], a->name, b->name);
        }
    }
}
END_TEST

/* Each request has a key that every keyboard and terminal can send: a printable or control key. */
START_TEST(plain_key_for_all)
{
    struct keymap map;

    keymap_preset(&map, presets[_i]);
    for (const struct key_row *row = keys_table; row->name; row++) {
        int codes[8], n = codes_of(map.keys[row->request], codes), plain = 0;

        for (int i = 0; i < n; i++)
            plain += codes[i] < 128;
        /* Instead of Shift-Tab, Home and End, one can use Tab, J and K. */
        ck_assert_msg(plain > 0 || row->request == REQUEST_PREVIOUS_PANEL ||
                          row->request == REQUEST_SLICE_FIRST ||
                          row->request == REQUEST_SLICE_LAST || row->request == REQUEST_LIST_TOP ||
                          row->request == REQUEST_LIST_BOTTOM,
                      "%s has no plain key", row->name);
    }
}
END_TEST

START_TEST(golly_runs_by_enter)
{
    struct keymap map;

    keymap_preset(&map, "golly");
    ck_assert_int_eq(keymap_find(&map, KEYS_EVERYWHERE, ' '), REQUEST_STEP);
    ck_assert_int_eq(keymap_find(&map, KEYS_EVERYWHERE, '\n'), REQUEST_RUN);
    keymap_preset(&map, "default");
    ck_assert_int_eq(keymap_find(&map, KEYS_EVERYWHERE, ' '), REQUEST_RUN);
    ck_assert_int_eq(keymap_find(&map, KEYS_LATTICE, '\n'), REQUEST_INSPECT);
    ck_assert_int_eq(keymap_find(&map, KEYS_LATTICE, '\r'), REQUEST_INSPECT);
    ck_assert_int_eq(keymap_find(&map, KEYS_LATTICE, KEY_ENTER), REQUEST_INSPECT);
    ck_assert_int_eq(keymap_find(&map, KEYS_EVERYWHERE, 0x7fff), REQUEST_NONE);
}
END_TEST

static const struct {
    enum request request;
    const char *keys;
    const char *message; /* NULL: allowed */
} bindings[] = {
    {REQUEST_RUN, "Y", NULL},
    {REQUEST_RUN, "Y ctrl-r f5", NULL},
    {REQUEST_RUN, "space", NULL},        /* its present key is not a conflict */
    {REQUEST_LIST_CLOSE, "r esc", NULL}, /* bound elsewhere, but not in lists */
    {REQUEST_RUN, "r", "already used by reset"},
    {REQUEST_RUN, "left", "already used by pan-left"},
    {REQUEST_PAN_LEFT, "q", "already used by quit"},
    {REQUEST_LIST_UP, "j", "already used by list-down"},
    {REQUEST_RUN, "blank", "'blank' is not a key"},
    {REQUEST_RUN, "ctrl-1", "'ctrl-1' is not a key"},
    {REQUEST_RUN, "", "needs one to five keys"},
    {REQUEST_RUN, "   ", "needs one to five keys"},
    {REQUEST_RUN, "X Y X Y X Y X Y X Y X Y X Y X Y X Y X Y X Y X Y X Y X Y X Y X Y",
     "needs one to five keys"},
};

START_TEST(rebinding)
{
    struct keymap map;
    char message[200] = "", before[48];
    bool bound;

    keymap_preset(&map, "default");
    strcpy(before, map.keys[bindings[_i].request]);
    bound = keymap_bind(&map, bindings[_i].request, bindings[_i].keys, message, sizeof message);
    if (!bindings[_i].message) {
        ck_assert_msg(bound, "'%s': %s", bindings[_i].keys, message);
        ck_assert_str_eq(map.keys[bindings[_i].request], bindings[_i].keys);
    } else {
        ck_assert_msg(!bound, "'%s' was taken", bindings[_i].keys);
        ck_assert_contains(message, bindings[_i].message);
        ck_assert_str_eq(map.keys[bindings[_i].request], before);
    }
}
END_TEST

/* The setting `colours` allows exactly the schemes of the workbench. */
START_TEST(schemes_are_the_choices_of_colours)
{
    struct ca_settings *settings;
    const struct ca_values *values;
    const char *const *choices;
    struct ca_error error;
    int n = 0;

    ck_assert_ok(ca_settings_open(&settings, test_path("calab.cfg"), &error));
    values = ca_settings_values(settings);
    choices = values->table[ca_values_find(values, "colours")].choices;
    for (; choices[n]; n++) {
        ck_assert_msg(scheme_name(n) != NULL, "no scheme is named %s", choices[n]);
        ck_assert_str_eq(scheme_name(n), choices[n]);
        ck_assert_int_gt(strlen(scheme_help(n)), 0);
    }
    ck_assert_ptr_null(scheme_name(n));
    ca_settings_close(settings);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {every_request_has_a_row, every_request_does_something,
                              names_are_unique, golly_runs_by_enter, hints_are_for_their_scenes,
                              ten_keys_matter_most, scenes_have_their_keys, codes_have_names,
                              schemes_are_the_choices_of_colours},
                     .table = {
                         {no_key_twice, 2}, {plain_key_for_all, 2}, {rebinding, COUNT(bindings)}});
}
