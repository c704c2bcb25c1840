/* SPDX-License-Identifier: MIT */
/* The text form of a rule of life: by counts, by Hensel's letters, or a table as MAP. */
#include "kernels/life/rule.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/base/text.h"
#include "kernels/life/life.h"

/* Characters of base64 behind MAP, of six bits each: 512 bits, and four that say nothing. */
#define MAP_LENGTH 86

static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

enum part { STAYS, BORN };

struct reader {
    const char *text, *at;
    const char *problem; /* NULL: none */
    uint64_t table[8];
    bool begun[2];       /* by part */
    unsigned numbers[2]; /* that have been read, a bit each, */
    unsigned minus[2];   /* and of these, those with a '-' */
};

/* --- reading ---------------------------------------------------------------------------------- */

static bool life_rule_stop(struct reader *reader, const char *problem)
{
    reader->problem = problem;
    return false;
}

static char upper(char c) { return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c; }
static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* Hensel's letters behind a number: those that count, or behind a '-' those that do not. */
static bool read_letters(struct reader *reader, int n, unsigned *classes, bool *minus)
{
    const char *letters = life_letters(n), *letter;

    *minus = *reader->at == '-';
    reader->at += *minus;
    *classes = 0;
    for (; *reader->at && (letter = strchr(life_letters(4), lower(*reader->at))); reader->at++) {
        letter = strchr(letters, *letter);
        if (!letter)
            return life_rule_stop(reader, *letters ? "a letter that this number does not have"
                                                   : "a letter behind 0 or 8, which have none");
        *classes |= 1u << (letter - letters);
    }
    if (*minus && !*classes)
        return life_rule_stop(reader, "no letter behind a '-'");
    if (*minus)
        *classes = life_all_letters(n) & ~*classes;
    else if (!*classes)
        *classes = life_all_letters(n);
    return true;
}

static bool read_number(struct reader *reader, enum part part)
{
    int n = *reader->at - '0';
    unsigned classes;
    bool minus;

    if (*reader->at == '9')
        return life_rule_stop(reader, "a number above 8");
    reader->at++;
    if (!read_letters(reader, n, &classes, &minus))
        return false;
    if (reader->numbers[part] >> n & 1 && (minus || reader->minus[part] >> n & 1))
        return life_rule_stop(reader, "a number that stands twice, with '-',");
    reader->numbers[part] |= 1u << n;
    reader->minus[part] |= (unsigned)minus << n;
    life_mark_classes(reader->table, n, part == STAYS, classes);
    return true;
}

static bool begin_part(struct reader *reader, enum part part)
{
    if (reader->begun[part])
        return life_rule_stop(reader, part == BORN ? "the births, which stand before,"
                                                   : "the survivals, which stand before,");
    reader->begun[part] = true;
    return true;
}

/* Births and survivals in any order, each behind its letter or, without one, survivals first. */
static bool read_counts(struct reader *reader)
{
    enum part part = STAYS;
    bool slash = false;

    for (; *reader->at;) {
        char c = upper(*reader->at);

        if (c == 'B' || c == 'S') {
            part = c == 'B' ? BORN : STAYS;
            if (!begin_part(reader, part))
                return false;
            reader->at++;
        } else if (c == '/' || c == '_') { /* the second in names of files */
            if (slash)
                return life_rule_stop(reader, "a second '/'");
            slash = true;
            if (!reader->begun[BORN])
                reader->begun[STAYS] = true;
            part = reader->begun[BORN] ? STAYS : BORN;
            reader->at++;
            c = upper(*reader->at);
            if (c != 'B' && c != 'S' && !begin_part(reader, part))
                return false;
        } else if (c >= '0' && c <= '9') {
            if (!reader->begun[BORN])
                reader->begun[STAYS] = true;
            if (!read_number(reader, part))
                return false;
        } else {
            return life_rule_stop(reader, "neither a number 0 ... 8 nor B, S or '/'");
        }
    }
    return reader->begun[BORN] || slash || upper(reader->text[0]) == 'S'
               ? true
               : life_rule_stop(reader, "neither B, S nor '/' before the end,");
}

static bool read_map(struct reader *reader)
{
    for (unsigned i = 0; i < MAP_LENGTH; i++, reader->at++) {
        const char *digit = *reader->at ? strchr(base64, *reader->at) : NULL;

        if (!digit)
            return life_rule_stop(reader, *reader->at ? "no character of base64"
                                                      : "the end of a MAP, which has 86,");
        for (unsigned bit = 0; bit < 6 && 6 * i + bit < LIFE_SQUARES; bit++) {
            unsigned square = 6 * i + bit, set = (unsigned)(digit - base64) >> (5 - bit) & 1;

            reader->table[square / 64] |= (uint64_t)set << square % 64;
        }
    }
    return *reader->at ? life_rule_stop(reader, "more than 86 characters") : true;
}

void life_rule_of_table(struct life_rule *rule, const uint64_t table[LIFE_SQUARES / 64])
{
    memcpy(rule->table, table, sizeof rule->table);
    rule->totalistic = true;
    rule->born = rule->stays = 0;
    for (int n = 0; n <= 8; n++)
        for (int live = 0; live < 2; live++) {
            unsigned classes;

            rule->totalistic &= life_find_classes(rule->table, n, live, &classes) &&
                                (classes == 0 || classes == life_all_letters(n));
            *(live ? &rule->stays : &rule->born) |= (uint16_t)((classes != 0) << n);
        }
}

static bool life_rule_read(struct life_rule *rule, struct reader *reader, const char *text)
{
    bool map = strncasecmp(text, "MAP", 3) == 0;

    *reader = (struct reader){.text = text, .at = map ? text + 3 : text};
    if (!*text)
        return life_rule_stop(reader, "no rule");
    if (!(map ? read_map(reader) : read_counts(reader)))
        return false;
    life_rule_of_table(rule, reader->table);
    return true;
}

bool life_rule_reads(struct life_rule *rule, const char *text)
{
    struct reader reader;

    return life_rule_read(rule, &reader, text);
}

enum ca_status life_rule_parse(struct life_rule *rule, const char *text, struct ca_error *error)
{
    struct reader reader;
    char hint[CA_TEXT_MAX];

    if (life_rule_read(rule, &reader, text))
        return CA_OK;
    life_rule_hint(text, hint);
    return ca_fail(error, CA_USAGE,
                   "rule '%.100s': %s at character %d%.250s; allowed are B<births>/S<survivals> "
                   "with numbers 0 ... 8 and Hensel's letters (B3/S23, B2-a/S12), "
                   "<survivals>/<births> (23/3), or MAP and 86 characters of base64",
                   text, reader.problem, (int)(reader.at - text) + 1, hint);
}

enum ca_status life_rule_of_setup(struct life_rule *rule, const struct ca_setup *setup,
                                  struct ca_error *error)
{
    return life_rule_parse(rule, ca_text(&setup->params, "rule"), error);
}

/* --- writing ---------------------------------------------------------------------------------- */

/* Numbers with the letters of their classes, in the alphabet's order; false where a class is set in
 * part, which no letter says. */
static bool write_part(const struct life_rule *rule, bool live, char *text, size_t size)
{
    for (int n = 0; n <= 8; n++) {
        unsigned classes, all = life_all_letters(n);
        const char *letters = life_letters(n), *letter;
        bool minus;

        if (!life_find_classes(rule->table, n, live, &classes))
            return false;
        if (!classes)
            continue;
        ca_text_add(text, size, "%d", n);
        if (classes == all)
            continue;
        minus = 2 * __builtin_popcount(classes) > __builtin_popcount(all);
        ca_text_add(text, size, "%s", minus ? "-" : "");
        for (int c = 'a'; c <= 'z'; c++)
            if ((letter = strchr(letters, c)) && (classes >> (letter - letters) & 1) != minus)
                ca_text_add(text, size, "%c", c);
    }
    return true;
}

static void write_map(const struct life_rule *rule, char text[CA_TEXT_MAX])
{
    strcpy(text, "MAP");
    for (unsigned i = 0; i < MAP_LENGTH; i++) {
        unsigned digit = 0;

        for (unsigned square = 6 * i; square < 6 * i + 6; square++)
            digit =
                digit << 1 | (square < LIFE_SQUARES ? (unsigned)life_next(rule->table, square) : 0);
        text[3 + i] = base64[digit];
    }
    text[3 + MAP_LENGTH] = '\0';
}

void life_rule_format(const struct life_rule *rule, char text[CA_TEXT_MAX])
{
    strcpy(text, "B");
    if (write_part(rule, false, text, CA_TEXT_MAX)) {
        ca_text_add(text, CA_TEXT_MAX, "/S");
        if (write_part(rule, true, text, CA_TEXT_MAX))
            return;
    }
    write_map(rule, text);
}

void life_rule_text(const struct ca_setup *setup, char text[CA_TEXT_MAX])
{
    struct life_rule rule = {.totalistic = true};
    struct ca_error ignored; /* check has refused what is no rule */

    life_rule_of_setup(&rule, setup, &ignored);
    life_rule_format(&rule, text);
}

bool life_is_rule(const struct ca_setup *setup, const char *text)
{
    struct life_rule own, other;

    return life_rule_reads(&own, ca_text(&setup->params, "rule")) &&
           life_rule_reads(&other, text) && memcmp(own.table, other.table, sizeof own.table) == 0;
}

bool life_flashes(const struct ca_setup *setup)
{
    struct life_rule rule;

    return life_rule_reads(&rule, ca_text(&setup->params, "rule")) && life_next(rule.table, 0);
}
