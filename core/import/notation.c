/* SPDX-License-Identifier: MIT */
/*
 * Rules as a line of text: Generations, "B2/S345/C4" or "345/2/4", whose live cells that do not
 * stay live pass through further states before they are dead, and Larger than Life,
 * "R2,C0,M1,S6..11,B6..9,NM", which counts in a larger neighbourhood. Some have a name of their
 * own.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "core/import/import.h"

static const struct {
    const char *name, *notation;
} named[] = {
    {"Brian's Brain", "/2/3"},
    {"Star Wars", "345/2/4"},
    {"Belzhab", "23/23/8"},
    {"Bombers", "345/24/25"},
    {"Brain 6", "6/246/3"},
    {"Caterpillars", "124567/378/4"},
    {"Bugs", "R5,C0,M1,S34..58,B34..45,NM"},
};

struct notation {
    const char *text, *at;
    struct import_rule *rule;
    struct ca_error *error;
};

static enum ca_status notation_refuse(const struct notation *notation, const char *expected)
{
    return ca_fail(notation->error, CA_USAGE, "'%.80s' cannot be imported, at character %d: %s",
                   notation->text, (int)(notation->at - notation->text) + 1, expected);
}

static bool notation_take(struct notation *notation, char letter)
{
    bool is = toupper((unsigned char)*notation->at) == letter;

    notation->at += is;
    return is;
}

static int notation_number(struct notation *notation, int max)
{
    int number = 0;

    if (!isdigit((unsigned char)*notation->at))
        return -1;
    for (; isdigit((unsigned char)*notation->at); notation->at++)
        number = number > max ? number : 10 * number + *notation->at - '0';
    return number > max ? -1 : number;
}

/* --- Generations -------------------------------------------------------------------------------
 */

static enum ca_status generations_counts(struct notation *notation, bool counts[])
{
    for (; isdigit((unsigned char)*notation->at); notation->at++) {
        if (*notation->at == '9')
            return notation_refuse(notation, "a cell has 0 ... 8 live neighbours");
        counts[*notation->at - '0'] = true;
    }
    return CA_OK;
}

/* "B2/S345/C4" in any order of B and S, or "345/2/4" and "B2/S345/4". */
static enum ca_status generations_read(struct notation *notation)
{
    struct import_rule *rule = notation->rule;
    bool *counts[2] = {rule->stays, rule->born};

    for (int i = 0; i < 2; i++) {
        if (notation_take(notation, 'B'))
            counts[i] = rule->born;
        else if (notation_take(notation, 'S'))
            counts[i] = rule->stays;
        CA_TRY(generations_counts(notation, counts[i]));
        if (!notation_take(notation, '/'))
            return notation_refuse(notation,
                                   "'/' is expected, as in B2/S345/C4 and 345/2/4; rules of "
                                   "two states, as B3/S23, are those of the model life");
    }
    if (!notation_take(notation, 'C'))
        notation_take(notation, 'G');
    rule->states = notation_number(notation, DIAGRAM_STATES_MAX);
    if (rule->states < 2 || *notation->at)
        return notation_refuse(notation, "the number of states, 2 ... 256, is expected at the end");
    rule->radius = 1;
    rule->shape = IMPORT_MOORE;
    return CA_OK;
}

/* --- Larger than Life --------------------------------------------------------------------------
 */

/* "34..58", or "34-58", or a number alone. */
static enum ca_status larger_interval(struct notation *notation, bool counts[])
{
    int most = IMPORT_COUNTS_MAX - 1, low, high;

    do {
        low = high = notation_number(notation, 1 << 20);
        if (strncmp(notation->at, "..", 2) == 0 || *notation->at == '-') {
            notation->at += *notation->at == '.' ? 2 : 1;
            high = notation_number(notation, 1 << 20);
        }
        if (low < 0 || high < low)
            return notation_refuse(notation, "an interval of counts is expected, as in S6..11");
        for (int n = low; n <= high && n <= most; n++)
            counts[n] = true;
    } while (notation_take(notation, ',') && isdigit((unsigned char)*notation->at));
    return CA_OK;
}

static enum ca_status larger_shape(struct notation *notation)
{
    notation->rule->shape = notation_take(notation, 'M')   ? IMPORT_MOORE
                            : notation_take(notation, 'N') ? IMPORT_VON_NEUMANN
                                                           : IMPORT_CIRCLE;
    if (notation->rule->shape == IMPORT_CIRCLE && !notation_take(notation, 'C'))
        return notation_refuse(notation, "of the neighbourhoods NM (square), NN (diamond) and NC "
                                         "(circle) can be imported");
    notation_take(notation, ',');
    return CA_OK;
}

/* "R2,C0,M1,S6..11,B6..9,NM": radius, states, whether the cell counts itself, S, B, neighbourhood.
 */
static enum ca_status larger_read(struct notation *notation)
{
    struct import_rule *rule = notation->rule;
    int number;

    notation_take(notation, 'R');
    rule->radius = notation_number(notation, 500);
    if (rule->radius < 1)
        return notation_refuse(notation, "a radius of at least 1 is expected behind R");
    if (rule->radius > IMPORT_RADIUS_MAX)
        return ca_fail(notation->error, CA_USAGE,
                       "'%.80s': the radius is %d, but a model can count cells up to %d away",
                       notation->text, rule->radius, IMPORT_RADIUS_MAX);
    rule->states = 2;
    while (notation_take(notation, ',') || *notation->at) {
        if (notation_take(notation, 'C')) {
            if ((number = notation_number(notation, DIAGRAM_STATES_MAX)) < 0)
                return notation_refuse(notation, "a number of states to 256 is expected behind C");
            rule->states = number < 3 ? 2 : number;
        } else if (notation_take(notation, 'M')) {
            if ((number = notation_number(notation, 1)) < 0)
                return notation_refuse(notation,
                                       "M0 or M1 is expected: whether a cell counts itself");
            rule->with_self = number == 1;
        } else if (notation_take(notation, 'S')) {
            CA_TRY(larger_interval(notation, rule->stays));
            notation->at -= notation->at[-1] == ',';
        } else if (notation_take(notation, 'B')) {
            CA_TRY(larger_interval(notation, rule->born));
            notation->at -= notation->at[-1] == ',';
        } else if (notation_take(notation, 'N')) {
            CA_TRY(larger_shape(notation));
        } else {
            return notation_refuse(notation, "R, C, M, S, B and N are expected, as in "
                                             "R2,C0,M1,S6..11,B6..9,NM");
        }
    }
    return CA_OK;
}

/* --- either ------------------------------------------------------------------------------------
 */

static void notation_names(struct import_rule *rule)
{
    snprintf(rule->state[0].name, IMPORT_NAME_MAX, "dead");
    snprintf(rule->state[1].name, IMPORT_NAME_MAX, "live");
    for (int s = 2; s < rule->states; s++)
        snprintf(rule->state[s].name, IMPORT_NAME_MAX, "dying, %d", s - 1);
}

static void notation_name(struct import_rule *rule, const char *name)
{
    size_t length = 0;

    for (const char *c = name; *c && length < sizeof rule->name - 1; c++)
        if (isalnum((unsigned char)*c))
            rule->name[length++] = (char)tolower((unsigned char)*c);
        else if (*c == ' ')
            rule->name[length++] = '_';
    rule->name[length] = '\0';
}

enum ca_status import_notation(const char *text, struct import_rule *rule, struct ca_error *error)
{
    struct notation notation = {text, text, rule, error};

    snprintf(rule->from, sizeof rule->from, "%.63s", text);
    snprintf(rule->title, sizeof rule->title, "%.63s", text);
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (strcasecmp(text, named[i].name) == 0) {
            notation.text = notation.at = named[i].notation;
            notation_name(rule, named[i].name);
            snprintf(rule->from, sizeof rule->from, "%s", named[i].notation);
        }
    if (strlen(text) >= sizeof rule->from)
        return notation_refuse(&notation, "a rule of at most 63 characters is expected");
    if (!rule->name[0]) {
        bool larger = toupper((unsigned char)*text) == 'R';

        snprintf(rule->name, sizeof rule->name, larger ? "larger_than_life" : "generations");
    }
    if (toupper((unsigned char)*notation.at) == 'R')
        CA_TRY(larger_read(&notation));
    else if (*notation.at &&
             (strchr("bBsS/", *notation.at) || isdigit((unsigned char)*notation.at)))
        CA_TRY(generations_read(&notation));
    else
        return notation_refuse(
            &notation, "a file.rule, a rule of Generations as B2/S345/C4, of Larger than Life "
                       "as R2,C0,M1,S6..11,B6..9,NM, or a name as Brian's Brain is expected");
    notation_names(rule);
    return CA_OK;
}
