/* SPDX-License-Identifier: MIT */
/* The keys that sequences of bytes are, and how long the rest of one is waited for. */
#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/manual_clock.h"
#include "tests/support/support.h"
#include "tui/workbench/terminal/terminal_keys.h"

/* --- what curses has read, by the test's clock ------------------------------------------------ */

#define KNOWN '\x01' /* in a script: a key that curses knows, the left one */

static const char *script;
static double gap_s; /* before each of its bytes, or of those within a paste */
static bool pastes;
static wint_t given_back[8];
static int given_count;
static char answers[256];
static struct terminal_keys keys;

int wget_wch(WINDOW *window, wint_t *key)
{
    (void)window;
    if (given_count > 0) {
        *key = given_back[--given_count];
        return OK;
    }
    if (!*script)
        return ERR;
    if (keys.pasting || !pastes)
        manual_clock_s += gap_s;
    *key = (unsigned char)*script++;
    if (*key != KNOWN)
        return OK;
    *key = KEY_LEFT;
    return KEY_CODE_YES;
}

int unget_wch(const wchar_t key)
{
    ck_assert_int_lt(given_count, (int)COUNT(given_back));
    given_back[given_count++] = (wint_t)key;
    return OK;
}

/* All keys of a script: characters as they are, "<N>" for others; "{" begins a paste, whose own are
 * in quotes. */
static const char *keys_of(const char *bytes, double gap)
{
    static char text[256];
    size_t used = 0;

    wint_t key;
    int kind;

    script = bytes;
    gap_s = gap;
    pastes = strstr(bytes, "[200~") != NULL;
    text[0] = '\0';
    while ((kind = terminal_keys_next(&keys, NULL, &key)) != ERR)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 kind == TERMINAL_PASTED && !key    ? "{"
                                 : kind == TERMINAL_PASTED          ? "'%c'"
                                 : kind == KEY_CODE_YES || key < 32 ? "<%d>"
                                                                    : "%c",
                                 (int)key);
    return text;
}

static void setup(void) { memset(&keys, 0, sizeof keys); }

/* --------------------------------------------------------------------------------------------- */

/* Everything behind an Esc; 0: no key has it. */
static const struct {
    const char *text;
    int key;
} sequences[] = {
    {"[1~", KEY_HOME},   {"[2~", KEY_IC},     {"[3~", KEY_DC},
    {"[4~", KEY_END},    {"[5~", KEY_PPAGE},  {"[6~", KEY_NPAGE},
    {"[7~", KEY_HOME},   {"[8~", KEY_END},    {"[11~", KEY_F(1)},
    {"[12~", KEY_F(2)},  {"[13~", KEY_F(3)},  {"[14~", KEY_F(4)},
    {"[15~", KEY_F(5)},  {"[17~", KEY_F(6)},  {"[18~", KEY_F(7)},
    {"[19~", KEY_F(8)},  {"[20~", KEY_F(9)},  {"[21~", KEY_F(10)},
    {"[23~", KEY_F(11)}, {"[24~", KEY_F(12)}, {"[9~", 0},
    {"[16~", 0},         {"[22~", 0},         {"[A", KEY_UP},
    {"[B", KEY_DOWN},    {"[C", KEY_RIGHT},   {"[D", KEY_LEFT},
    {"[H", KEY_HOME},    {"[F", KEY_END},     {"[P", KEY_F(1)},
    {"[Q", KEY_F(2)},    {"[R", KEY_F(3)},    {"[S", KEY_F(4)},
    {"[Z", KEY_BTAB},    {"[a", KEY_UP},      {"[b", KEY_DOWN},
    {"[c", KEY_RIGHT},   {"[d", KEY_LEFT},    {"[1;9C", KEY_RIGHT},
    {"[3;5~", KEY_DC},   {"[3$", KEY_DC},     {"[3^", KEY_DC},
    {"[3@", KEY_DC},     {"[?3$", -1},        {"[?1;2c", 0},
    {"[>0;276;0c", 0},   {"[<0;3;4M", 0},     {"[E", 0},
    {"[[A", KEY_F(1)},   {"[[E", KEY_F(5)},   {"[[F", 0},
    {"[[@", 0},          {"[[", -1},          {"[", -1},
    {"[1;5", -1},        {"[ ", -1},          {"[/p", 0},
    {"[1 p", 0},         {"[M !", -1},        {"[M !!", 0},
    {"OA", KEY_UP},      {"OD", KEY_LEFT},    {"OP", KEY_F(1)},
    {"OS", KEY_F(4)},    {"O0C", KEY_RIGHT},  {"O5C", KEY_RIGHT},
    {"O9C", KEY_RIGHT},  {"O10C", KEY_RIGHT}, {"O", -1},
    {"O5", -1},          {"O/", 0},           {"O:", 0},
    {"OM", '\n'},        {"Oj", '*'},         {"Ok", '+'},
    {"Ol", ','},         {"Om", '-'},         {"On", '.'},
    {"Oo", '/'},         {"Op", '0'},         {"Oq", '1'},
    {"Or", '2'},         {"Os", '3'},         {"Ot", '4'},
    {"Ou", '5'},         {"Ov", '6'},         {"Ow", '7'},
    {"Ox", '8'},         {"Oy", '9'},         {"OX", '='},
    {"Oa", KEY_UP},      {"Oz", 0},
};

START_TEST(sequences_have_their_keys)
{
    ck_assert_int_eq(terminal_sequence(sequences[_i].text, strlen(sequences[_i].text)),
                     sequences[_i].key);
}
END_TEST

static const struct {
    const char *bytes;
    double gap_s;
    const char *keys;
} scripts[] = {
    {"ab\003", 0, "ab<3>"},
    {"\033", 0, "<27>"},
    {"\033a", 0, "<27>a"},
    {"\033\033", 0, "<27><27>"},
    {"\033\001x", 0, "<27><260>x"},
    {"\001", 0, "<260>"},
    {"\033[A\033OB", 0, "<259><258>"},
    {"\033[1;5Dx", 0.19, "<260>x"}, /* within a second of its beginning */
    {"\033[1;5Dx", 0.24, "Dx"},     /* and not of its last byte */
    {"\033[1\033[A", 0, "<259>"},   /* another one begins, with a second of its own */
    {"\033[\033[A", 0, "<259>"},
    {"\033[1;1\033[1;A", 0.19, "<259>"},
    {"\033[1\001x", 0, "<260>x"}, /* a key that curses knows */
    {"\033[99~x", 0, "x"},
    {"\033[000000000000000000000000000000~x", 0, "~x"}, /* 32 bytes are no sequence */
    {"\033[0000000000000000000000000003~x", 0, "<330>x"},
    {"\033[200~a\033[Ab\033[201~c", 0, "{'a''b'c"}, /* a key within a paste is none */
    {"\033[200~a\003b\033[201~\033[201~", 0, "{'a''\003''b'"},
    {"\033[200~aaa", 1.9, "{'a''a''a'"},
    {"\033[200~aaa", 2.1, "{aaa"}, /* its end has got lost */
};

static void answer_note(void *context, const char *text)
{
    (void)context;
    snprintf(answers + strlen(answers), sizeof answers - strlen(answers), "(%s)", text);
}

/* What a terminal answers is no key, and what only begins like it is. */
static const struct {
    const char *bytes;
    double gap_s;
    bool awaits;
    const char *keys, *answers;
} replies[] = {
    {"\033[?62;4ca", 0, false, "a", "([?62;4c)"},
    {"\033[?64;1;2;6;9;15;16;17;18;21;22;28;29c", 0, true, "",
     "([?64;1;2;6;9;15;16;17;18;21;22;28;29c)"},
    {"x\033P>|kitty(0.35.2)\033\\y", 0, true, "xy", "(P>|kitty(0.35.2)\033\\)"},
    {"\033_Gi=3;OK\033\\\033[?62c", 0, true, "", "(_Gi=3;OK\033\\)([?62c)"},
    {"\033_Gi=3;OK\033\\z", 0.2, true, "z", "(_Gi=3;OK\033\\)"}, /* it comes slowly */
    {"\033P>|abc", 0, true, "", ""},                             /* and is not yet whole */
    {"\033P>|abc\033[A", 0, true, "<259>", ""},                  /* its end has got lost */
    {"\033Pq", 0, true, "<27>Pq", ""},
    {"\033_H", 0, true, "<27>_H", ""},
    {"\033P>|", 0, false, "<27>P>|", ""},
    {"\033_G", 0, false, "<27>_G", ""},
    {"\033Pa", 6, true, "<27>Pa", ""},
    {"\033P>a", 2, true, "a", ""}, /* it has been waited for too long */
};

START_TEST(answers_are_no_keys)
{
    keys.awaits = replies[_i].awaits;
    keys.answer = answer_note;
    ck_assert_str_eq(keys_of(replies[_i].bytes, replies[_i].gap_s), replies[_i].keys);
    ck_assert_str_eq(answers, replies[_i].answers);
}
END_TEST

/* One that is longer than there is space for is swallowed all the same. */
START_TEST(long_answers_are_swallowed)
{
    char text[600] = "\033P>|";

    memset(text + 4, 'n', 500);
    strcpy(text + 504, "\033\\k");
    keys.awaits = true;
    keys.answer = answer_note;
    ck_assert_str_eq(keys_of(text, 0), "k");
    ck_assert_contains(answers, "(P>|nnnn", "\033\\)");
}
END_TEST

START_TEST(scripts_are_keys)
{
    ck_assert_str_eq(keys_of(scripts[_i].bytes, scripts[_i].gap_s), scripts[_i].keys);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.setup = setup, .test = {long_answers_are_swallowed},
                     .table = {{answers_are_no_keys, COUNT(replies)},
                               {sequences_have_their_keys, COUNT(sequences)},
                               {scripts_are_keys, COUNT(scripts)}});
}
