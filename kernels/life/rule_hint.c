/* SPDX-License-Identifier: MIT */
/* A text that is not a rule of life may be of another family, have a name, or be misspelt. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/text.h"
#include "kernels/life/life.h"
#include "kernels/life/rule.h"

/* Names that people use for rules. */
static const struct named_rule {
    const char *name, *rule;
} named[] = {
    {"Life", "B3/S23"},
    {"Conway", "B3/S23"},
    {"GameOfLife", "B3/S23"},
    {"HighLife", "B36/S23"},
    {"DayAndNight", "B3678/S34678"},
    {"Day&Night", "B3678/S34678"},
    {"Seeds", "B2/S"},
    {"Replicator", "B1357/S1357"},
    {"Fredkin", "B1357/S02468"},
    {"Anneal", "B4678/S35678"},
    {"Majority", "B5678/S45678"},
    {"Diamoeba", "B35678/S5678"},
    {"2x2", "B36/S125"},
    {"Morley", "B368/S245"},
    {"Move", "B368/S245"},
    {"Maze", "B3/S12345"},
    {"Coral", "B3/S45678"},
    {"LongLife", "B345/S5"},
    {"34Life", "B34/S34"},
    {"LifeWithoutDeath", "B3/S012345678"},
    {"LiveFreeOrDie", "B2/S0"},
    {"JustFriends", "B2-a/S12"},
    {"tLife", "B3/S2-i34q"},
};

static const char *name_of_rule(const void *table, int i)
{
    return ((const struct named_rule *)table)[i].name;
}

/* Rules of several states that Golly keeps in files, by how their names begin. */
static const char *const tables[] = {"WireWorld", "LifeHistory", "LifeSuper", "JvN",    "Nobili",
                                     "Hutton",    "Langtons",    "Banks",     "Worm-",  "Devore",
                                     "Codd",      "Evoloop",     "SDSR",      "Perrier"};

static size_t digits(const char *text) { return strspn(text, "0123456789"); }

/* A rule with a third part is one of Generations: B2/S/C3, B2/S/3, 345/2/4, G3/B2/S. */
static bool is_generations(const char *text, char what[CA_TEXT_MAX])
{
    const char *slash = strchr(text, '/'), *last = slash ? strchr(slash + 1, '/') : NULL;
    bool first = (text[0] == 'G' || text[0] == 'C') && digits(text + 1) > 0;
    const char *number = first  ? text + 1
                         : last ? last + 1 + (isalpha((unsigned char)last[1]) != 0)
                                : "";

    if (digits(number) == 0)
        return false;
    snprintf(what, CA_TEXT_MAX, "Generations, with %.*s states", (int)digits(number), number);
    return true;
}

static bool ends_with_any(const char *text, const char *letters)
{
    size_t length = strlen(text);

    return length > 2 && strpbrk(text, "/BbSs") && strchr(letters, text[length - 1]);
}

/* The family of a text, in words that follow "a rule of". */
static bool family_of(const char *text, char what[CA_TEXT_MAX])
{
    const char *comma = strchr(text, ',');
    size_t map = strncasecmp(text, "MAP", 3) == 0 ? strlen(text + 3) : 0;
    const char *said = NULL;

    if (is_generations(text, what))
        return true;
    if (toupper((unsigned char)text[0]) == 'R' && digits(text + 1) > 0)
        said = comma && strstr(text, ",M") ? "Larger than Life" : "a range above 1 (HROT)";
    else if (toupper((unsigned char)text[0]) == 'W' && digits(text + 1) > 0)
        said = "one dimension, by Wolfram's number";
    else if (text[0] == '3' && toupper((unsigned char)text[1]) == 'D')
        said = "three dimensions, which the model life3d takes";
    else if (toupper((unsigned char)text[0]) == 'M' && (strchr(text, ';') || comma))
        said = "Margolus blocks of 2x2 cells";
    else if (map == 22 || ends_with_any(text, "Hh"))
        said = "the hexagonal neighbourhood";
    else if (map == 6 || ends_with_any(text, "Vv"))
        said = "the von Neumann neighbourhood of four cells";
    for (size_t i = 0; !said && i < sizeof tables / sizeof tables[0]; i++)
        if (strncasecmp(text, tables[i], strlen(tables[i])) == 0)
            said = "several states, which Golly keeps in a file";
    if (said)
        snprintf(what, CA_TEXT_MAX, "%s", said);
    return said != NULL;
}

/* The rule that a text is without all that does not belong into one, with other signs for a slash,
 * or with a letter before its first part. */
static bool repair(const char *text, char repaired[CA_TEXT_MAX])
{
    static const char *const before[] = {"", "B", "S"};
    struct life_rule rule;
    char kept[CA_TEXT_MAX] = "";
    size_t used = 0;

    for (; *text && used < sizeof kept - 1; text++)
        if (strchr("\\|,;:_/", *text))
            kept[used++] = '/';
        else if (*text == 'O' || *text == 'o')
            kept[used++] = '0';
        else if (strchr("BbSs012345678-ceaiknjqrytwz", *text))
            kept[used++] = *text;
    kept[used] = '\0';
    for (size_t i = 0; i < sizeof before / sizeof before[0] && digits(kept) < used; i++) {
        snprintf(repaired, CA_TEXT_MAX, "%s%.400s", before[i], kept);
        if (life_rule_reads(&rule, repaired)) {
            life_rule_format(&rule, repaired);
            return true;
        }
    }
    return false;
}

void life_rule_hint(const char *text, char hint[CA_TEXT_MAX])
{
    int count = (int)(sizeof named / sizeof named[0]);
    char what[CA_TEXT_MAX];
    const char *name;

    hint[0] = '\0';
    if (family_of(text, what)) {
        snprintf(hint, CA_TEXT_MAX,
                 ": it is a rule of %.120s, and life has rules of nine cells with two states",
                 what);
        return;
    }
    if (strlen(text) > 2 && (name = ca_nearest(text, count, name_of_rule, named))) {
        for (int i = 0; i < count; i++)
            if (named[i].name == name)
                snprintf(hint, CA_TEXT_MAX, "; did you mean %s (%s)?", named[i].rule, name);
        return;
    }
    if (repair(text, what))
        snprintf(hint, CA_TEXT_MAX, "; did you mean %.120s?", what);
}
