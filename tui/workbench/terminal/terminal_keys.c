/* SPDX-License-Identifier: MIT */
/* This file decodes the sequences of keys. */
#include "tui/workbench/terminal/terminal_keys.h"

#include <curses.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "core/base/clock.h"

#define ESC 27
#define PATIENCE_S 1.0        /* for the rest of a sequence */
#define STRING_PATIENCE_S 5.0 /* for that of an answer, which is longer */
#define KEY_BYTES 32          /* more are no sequence of a key */
#define PASTE_PATIENCE_S 2.0  /* for more of a paste whose end has got lost */

/* These keys begin and end a paste, with numbers that no key of curses has. */
enum { PASTE_BEGIN = 0x2000, PASTE_END };

/* CSI number ~, with and without modifiers ("5;2~"), and rxvt's ("5$", "5^", "5@"). */
static const struct {
    int number, key;
} numbered[] = {
    {1, KEY_HOME},      {2, KEY_IC},      {3, KEY_DC},     {4, KEY_END},    {5, KEY_PPAGE},
    {6, KEY_NPAGE},     {7, KEY_HOME},    {8, KEY_END},    {11, KEY_F(1)},  {12, KEY_F(2)},
    {13, KEY_F(3)},     {14, KEY_F(4)},   {15, KEY_F(5)},  {17, KEY_F(6)},  {18, KEY_F(7)},
    {19, KEY_F(8)},     {20, KEY_F(9)},   {21, KEY_F(10)}, {23, KEY_F(11)}, {24, KEY_F(12)},
    {200, PASTE_BEGIN}, {201, PASTE_END},
};

/* The last letter of CSI or SS3, with and without modifiers; rxvt's small letters, too. */
static const struct {
    char letter;
    int key;
} lettered[] = {
    {'A', KEY_UP},   {'B', KEY_DOWN}, {'C', KEY_RIGHT}, {'D', KEY_LEFT},  {'H', KEY_HOME},
    {'F', KEY_END},  {'P', KEY_F(1)}, {'Q', KEY_F(2)},  {'R', KEY_F(3)},  {'S', KEY_F(4)},
    {'Z', KEY_BTAB}, {'a', KEY_UP},   {'b', KEY_DOWN},  {'c', KEY_RIGHT}, {'d', KEY_LEFT},
};

/* A keypad in application mode: SS3 and one of these is the character below it. */
static const char keypad_sent[] = "MjklmnopqrstuvwxyX";
static const char keypad_keys[] = "\n*+,-./0123456789=";

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

static int letter_key(char letter)
{
    for (size_t i = 0; i < COUNT(lettered); i++)
        if (lettered[i].letter == letter)
            return lettered[i].key;
    return 0;
}

static int number_key(int number)
{
    for (size_t i = 0; i < COUNT(numbered); i++)
        if (numbered[i].number == number)
            return numbered[i].key;
    return 0;
}

/* After ESC O: one letter, in old xterms after the number of a modifier ("O5C"). */
static int ss3(const char *text, size_t length)
{
    const char *at;
    size_t i = 0;

    while (i < length && text[i] >= '0' && text[i] <= '9')
        i++;
    if (i == length)
        return -1;
    at = strchr(keypad_sent, text[i]);
    if (at && !letter_key(text[i]))
        return keypad_keys[at - keypad_sent];
    return letter_key(text[i]);
}

/* After ESC [: parameters, intermediates, a final character (ECMA-48, 5.4). */
static int csi(const char *text, size_t length)
{
    size_t i = 0;

    if (text[0] == '[') /* the Linux console: F1 to F5 are ESC [ [ A to E */
        return length < 2 ? -1 : text[1] >= 'A' && text[1] <= 'E' ? KEY_F(text[1] - 'A' + 1) : 0;
    if (text[0] == 'M') /* the mouse: three bytes follow */
        return length < 4 ? -1 : 0;
    while (i < length && text[i] >= 0x30 && text[i] <= 0x3f)
        i++;
    if (i < length && i > 0 && text[i] == '$' && text[0] != '?') /* rxvt's shifted keys */
        return number_key(atoi(text));
    while (i < length && text[i] >= 0x20 && text[i] <= 0x2f)
        i++;
    if (i == length)
        return -1;
    if (text[0] == '?' || text[0] == '>' || text[0] == '<')
        return 0;
    return strchr("~^@", text[i]) ? number_key(atoi(text)) : letter_key(text[i]);
}

int terminal_sequence(const char *text, size_t length)
{
    if (length < 2)
        return -1;
    if (text[0] == 'P' || text[0] == '_') /* DCS and APC, up to ST */
        return length > 3 && text[length - 2] == ESC && text[length - 1] == '\\' ? 0 : -1;
    return text[0] == 'O' ? ss3(text + 1, length - 1) : csi(text + 1, length - 1);
}

/* In application mode a keypad's digits are what terminfo calls its corners and middle. */
static int plain_of(int key)
{
    switch (key) {
    case KEY_A1:
        return '7';
    case KEY_A3:
        return '9';
    case KEY_B2:
        return '5';
    case KEY_C1:
        return '1';
    case KEY_C3:
        return '3';
    case KEY_ENTER:
        return '\n';
    case KEY_FIND:
        return KEY_HOME;
    case KEY_SELECT:
        return KEY_END;
    case KEY_SLEFT:
        return KEY_LEFT;
    case KEY_SRIGHT:
        return KEY_RIGHT;
    case KEY_SF:
        return KEY_DOWN;
    case KEY_SR:
        return KEY_UP;
    default: /* F13 and so on are F1 with a modifier */
        return key > KEY_F(12) && key <= KEY_F(63) ? KEY_F((key - KEY_F(1)) % 12 + 1) : key;
    }
}

/* Modified keys that only extended terminfo has, as "kLFT5": curses numbers them as it likes. */
static int extended(int key)
{
    static const struct {
        const char *name;
        int key;
    } names[] = {{"kUP", KEY_UP},    {"kDN", KEY_DOWN}, {"kLFT", KEY_LEFT},  {"kRIT", KEY_RIGHT},
                 {"kHOM", KEY_HOME}, {"kEND", KEY_END}, {"kPRV", KEY_PPAGE}, {"kNXT", KEY_NPAGE},
                 {"kDC", KEY_DC},    {"kIC", KEY_IC},   {"kcbt", KEY_BTAB},  {"kpADD", '+'},
                 {"kpSUB", '-'},     {"kpMUL", '*'},    {"kpDIV", '/'},      {"kpDOT", '.'},
                 {"kpCMA", ','},     {"kpZRO", '0'}};
    const char *name = key > KEY_MAX ? keyname(key) : NULL;

    for (size_t i = 0; name && i < COUNT(names); i++)
        if (strncmp(name, names[i].name, strlen(names[i].name)) == 0)
            return names[i].key;
    return plain_of(key);
}

/*
 * Curses reads by this clock how long it has waited for the rest of a sequence, and where the wall
 * clock goes back meanwhile, it waits for as long again: an hour, say. The linker takes this
 * function before glibc's, and gives curses the clock that never goes back.
 */
int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    const double seconds = ca_now();

    (void)zone;
    now->tv_sec = (time_t)seconds;
    now->tv_usec = (suseconds_t)((seconds - (double)now->tv_sec) * 1e6);
    return 0;
}

/* Adds a character to a sequence; of an answer that is too long only its end is kept. */
static void text_add(struct terminal_keys *keys, wint_t key)
{
    if (key >= 0x80)
        return;
    if (keys->length == sizeof keys->text - 1) {
        keys->text[keys->length - 2] = keys->text[keys->length - 1];
        keys->length--;
    }
    keys->text[keys->length++] = (char)key;
}

/* A sequence without a key may be an answer. */
static void answer_take(struct terminal_keys *keys)
{
    keys->text[keys->length] = 0;
    if (keys->answer)
        keys->answer(keys->context, keys->text + 1);
}

/* Whether a sequence is longer than any of a key, and begins no answer. */
static bool is_too_long(const struct terminal_keys *keys)
{
    return keys->length == KEY_BYTES && keys->text[2] != '?';
}

/* Whether what has come so far begins with DCS or APC. */
static bool is_string(const struct terminal_keys *keys)
{
    return keys->length > 1 && (keys->text[1] == 'P' || keys->text[1] == '_');
}

/* What began like an answer is none: the key Esc, and what followed it. */
static int key_given_back(struct terminal_keys *keys, wint_t *key)
{
    while (keys->length > 1)
        unget_wch((wchar_t)(unsigned char)keys->text[--keys->length]);
    keys->length = 0;
    *key = ESC;
    return OK;
}

/* The next character of an answer, which is taken once it is whole. True: it is none, as the letter
 * tells that follows DCS or APC, and that character has been put back. */
static bool string_next(struct terminal_keys *keys, wint_t key)
{
    bool late = ca_now() - keys->began > STRING_PATIENCE_S;
    bool cut = keys->text[keys->length - 1] == ESC && key != '\\';

    if (keys->length == 2 && (late || key != (keys->text[1] == 'P' ? '>' : 'G'))) {
        unget_wch((wchar_t)key);
        return true;
    }
    if (late || cut) { /* it has no end; after an Esc that is the one of another sequence */
        unget_wch((wchar_t)key);
        keys->length = cut && !late;
        keys->began = ca_now();
        return false;
    }
    text_add(keys, key);
    if (terminal_sequence(keys->text + 1, keys->length - 1) == 0) {
        answer_take(keys);
        keys->length = 0;
    }
    return false;
}

static int next_key(struct terminal_keys *keys, void *window, wint_t *key)
{
    for (;;) {
        int kind = keys->next ? KEY_CODE_YES : wget_wch(window, key), found;

        if (keys->next) {
            *key = keys->next;
            keys->next = 0;
        } else if (kind == KEY_CODE_YES &&
                   keys->length == 1) { /* Esc, then a key that curses knows */
            keys->next = *key;
            keys->length = 0;
            *key = ESC;
            return OK;
        }
        if (kind == KEY_CODE_YES) {
            keys->length = 0; /* curses knows this one: what came before it has no end */
            *key = (wint_t)extended((int)*key);
            return *key < KEY_MIN ? OK : kind;
        }
        if (kind == ERR && keys->length == 1) /* nothing follows: the key Esc */
            return key_given_back(keys, key);
        if (kind == ERR)
            return ERR;
        if (is_string(keys)) {
            if (string_next(keys, *key))
                return key_given_back(keys, key);
            continue;
        }
        if (keys->length > 1 && ca_now() - keys->began > PATIENCE_S)
            keys->length = 0;
        if (keys->length == 0 && *key != ESC)
            return kind;
        if (keys->length == 1 && *key != '[' && *key != 'O' &&
            !(keys->awaits && (*key == 'P' || *key == '_'))) { /* Esc, then another key */
            unget_wch((wchar_t)*key);
            return key_given_back(keys, key);
        }
        if (keys->length == 0)
            keys->began = ca_now();
        if (*key == ESC && keys->length > 1) { /* another one begins */
            keys->length = 0;
            keys->began = ca_now();
        }
        text_add(keys, *key);
        found = terminal_sequence(keys->text + 1, keys->length - 1);
        if (keys->length > 1 && (found >= 0 || is_too_long(keys))) {
            if (found == 0)
                answer_take(keys);
            keys->length = 0; /* what has been waited for too long is dropped */
            if (found > 0) {
                *key = (wint_t)found;
                return found < KEY_MIN ? OK : KEY_CODE_YES;
            }
        }
    }
}

/* Keys within a paste are its text, and what is no text is left out of it. */
int terminal_keys_next(struct terminal_keys *keys, void *window, wint_t *key)
{
    int kind;

    while ((kind = next_key(keys, window, key)) != ERR) {
        const double now = ca_now();
        bool special = kind == KEY_CODE_YES;

        if (keys->pasting && now - keys->pasted > PASTE_PATIENCE_S)
            keys->pasting = false;
        if (special && *key == PASTE_BEGIN) {
            keys->pasting = true;
            keys->pasted = now;
            *key = 0;
            return TERMINAL_PASTED;
        }
        if (special && *key == PASTE_END) {
            keys->pasting = false;
            continue;
        }
        if (!keys->pasting || (special && (*key == KEY_RESIZE || *key == KEY_MOUSE)))
            return kind;
        keys->pasted = now;
        if (!special && *key != ESC)
            return TERMINAL_PASTED;
    }
    return ERR;
}
