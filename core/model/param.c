/* SPDX-License-Identifier: MIT */
/* This file parses, checks and formats the values of parameters. */
#include "core/model/param.h"

#include "core/base/number.h"
#include "core/base/text.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_text(const struct ca_param *param)
{
    return param->kind == CA_TEXT || param->kind == CA_FILE;
}

/* The texts that values point to, each once. They are few: texts that were typed or read from
 * files. */
static struct interned {
    struct interned *next;
    char text[];
} * interned;
static pthread_mutex_t interned_lock = PTHREAD_MUTEX_INITIALIZER;

/* NULL without memory. */
static const char *intern(const char *text)
{
    size_t size = strlen(text) + 1;
    struct interned *found;

    pthread_mutex_lock(&interned_lock);
    for (found = interned; found && strcmp(found->text, text) != 0;)
        found = found->next;
    if (!found && (found = malloc(sizeof *found + size)) != NULL) {
        memcpy(found->text, text, size);
        found->next = interned;
        interned = found;
    }
    pthread_mutex_unlock(&interned_lock);
    return found ? found->text : NULL;
}

static void set_choice(const struct ca_param *param, struct ca_value *value, int index)
{
    value->number = index;
    value->text = param->choices[index];
}

static void set_default(const struct ca_param *param, struct ca_value *value)
{
    value->text = "";
    if (param->kind == CA_CHOICE)
        set_choice(param, value, (int)param->number);
    else if (!is_text(param))
        value->number = param->number;
    else if (param->text)
        value->text = param->text;
}

void ca_values_default(struct ca_values *values, const struct ca_param *table)
{
    memset(values, 0, sizeof *values);
    values->table = table;
    for (int i = 0; table && table[i].name; i++) {
        assert(i < CA_PARAMS_MAX);
        values->count = i + 1;
        set_default(&table[i], &values->value[i]);
    }
}

int ca_values_find(const struct ca_values *values, const char *name)
{
    for (int i = 0; i < values->count; i++)
        if (strcmp(values->table[i].name, name) == 0)
            return i;
    return -1;
}

/* The end of every refusal: "<where>: <name> = '<text>' <why>, allowed: <range>". */
static enum ca_status param_refuse(const struct ca_param *param, const char *text, const char *why,
                                   const char *where, struct ca_error *error)
{
    char range[CA_TEXT_MAX];

    return ca_fail(error, CA_USAGE, "%s%s%s = '%.100s' %s, allowed: %.400s", where ? where : "",
                   where ? ": " : "", param->name, text, why, ca_param_range(range, param));
}

enum ca_status ca_values_set_number(struct ca_values *values, int index, double number,
                                    enum ca_origin origin, const char *where,
                                    struct ca_error *error)
{
    const struct ca_param *param = &values->table[index];
    struct ca_value *value = &values->value[index];
    char text[CA_NUMBER_MAX];

    ca_number_format(text, number);
    if (is_text(param) || param->kind == CA_CHOICE)
        return param_refuse(param, text, "is a number", where, error);
    if (!isfinite(number))
        return param_refuse(param, text, "is not a finite number", where, error);
    if (param->kind == CA_INT && number != floor(number))
        return param_refuse(param, text, "is not a whole number", where, error);
    if (!(number >= param->min && number <= param->max))
        return param_refuse(param, text, "is out of range", where, error);
    value->number = number == 0 ? 0 : number; /* no -0 */
    value->origin = origin;
    return CA_OK;
}

/* Whether all words of a text are allowed, if the row names some. */
static bool has_its_words(const struct ca_param *param, const char *text)
{
    while (param->choices && *(text += strspn(text, " "))) {
        size_t length = strcspn(text, " ");
        int i = 0;

        while (param->choices[i] && (strlen(param->choices[i]) != length ||
                                     strncmp(param->choices[i], text, length) != 0))
            i++;
        if (!param->choices[i])
            return false;
        text += length;
    }
    return true;
}

static enum ca_status set_named(struct ca_values *values, int index, const char *text,
                                enum ca_origin origin, const char *where, struct ca_error *error)
{
    const struct ca_param *param = &values->table[index];
    struct ca_value *value = &values->value[index];

    if (is_text(param)) {
        if (strlen(text) >= CA_TEXT_MAX)
            return param_refuse(param, text, "is too long", where, error);
        if (!has_its_words(param, text))
            return param_refuse(param, text, "has a word that it does not know", where, error);
        text = intern(text);
        if (!text)
            return ca_fail(error, CA_NO_MEMORY, "no memory for the text of %s", param->name);
        value->text = text;
        value->origin = origin;
        return CA_OK;
    }
    for (int i = 0; param->choices[i]; i++)
        if (strcmp(param->choices[i], text) == 0) {
            set_choice(param, value, i);
            value->origin = origin;
            return CA_OK;
        }
    return param_refuse(param, text, "is none of its choices", where, error);
}

enum ca_status ca_values_set(struct ca_values *values, int index, const char *text,
                             enum ca_origin origin, const char *where, struct ca_error *error)
{
    const struct ca_param *param = &values->table[index];
    int64_t whole;
    double number;

    if (is_text(param) || param->kind == CA_CHOICE)
        return set_named(values, index, text, origin, where, error);
    if (param->kind == CA_INT && ca_read_whole(text, &whole))
        return ca_values_set_number(values, index, (double)whole, origin, where, error);
    if (!ca_read_real(text, &number))
        return param_refuse(param, text, "is not a number", where, error);
    if (param->kind == CA_INT &&
        text[strspn(text, "-0123456789")]) /* else it has too many digits */
        return param_refuse(param, text, "is not a whole number, in digits", where, error);
    return ca_values_set_number(values, index, number, origin, where, error);
}

char *ca_number_format(char text[CA_NUMBER_MAX], double number)
{
    if (number == floor(number) && fabs(number) < 1e15) {
        snprintf(text, CA_NUMBER_MAX, "%.0f", number);
        return text;
    }
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, CA_NUMBER_MAX, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    return text;
}

char *ca_value_format(char text[CA_TEXT_MAX], const struct ca_param *param,
                      const struct ca_value *value)
{
    if (is_text(param) || param->kind == CA_CHOICE)
        return strcpy(text, value->text);
    if (param->kind == CA_INT) {
        snprintf(text, CA_TEXT_MAX, "%.0f", value->number);
        return text;
    }
    return ca_number_format(text, value->number);
}

char *ca_param_range(char text[CA_TEXT_MAX], const struct ca_param *param)
{
    char low[CA_NUMBER_MAX], high[CA_NUMBER_MAX];

    text[0] = '\0';
    if (param->choices) {
        const char *before = param->kind == CA_TEXT ? "words of " : "";

        for (int i = 0; param->choices[i]; i++)
            ca_text_add(text, CA_TEXT_MAX, "%s%s", i ? " | " : before, param->choices[i]);
    } else if (param->kind == CA_TEXT) {
        snprintf(text, CA_TEXT_MAX, "text below %d bytes", CA_TEXT_MAX);
    } else if (param->kind == CA_FILE) {
        snprintf(text, CA_TEXT_MAX, "the path of a file, below %d bytes", CA_TEXT_MAX);
    } else {
        snprintf(text, CA_TEXT_MAX, "%s ... %s%s", ca_number_format(low, param->min),
                 ca_number_format(high, param->max), param->kind == CA_INT ? ", whole" : "");
    }
    return text;
}

char *ca_param_default(char text[CA_TEXT_MAX], const struct ca_param *param)
{
    struct ca_value value = {0};

    set_default(param, &value);
    return ca_value_format(text, param, &value);
}

bool ca_value_is_default(const struct ca_param *param, const struct ca_value *value)
{
    if (is_text(param))
        return strcmp(value->text, param->text ? param->text : "") == 0;
    return value->number == param->number;
}

bool ca_value_equal(const struct ca_value *a, const struct ca_value *b)
{
    return a->number == b->number && strcmp(a->text, b->text) == 0;
}

bool ca_values_equal(const struct ca_values *a, const struct ca_values *b)
{
    for (int i = 0; i < a->count; i++)
        if (!ca_value_equal(&a->value[i], &b->value[i]))
            return false;
    return true;
}

void ca_values_take(struct ca_values *values, const struct ca_values *others)
{
    for (int i = 0; i < others->count; i++) {
        int at = ca_values_find(values, others->table[i].name);
        enum ca_origin origin = others->value[i].origin;
        struct ca_error ignored;
        char text[CA_TEXT_MAX];

        if (at >= 0 && origin > CA_TUNED && values->value[at].origin <= origin)
            ca_values_set(values, at, ca_value_format(text, &others->table[i], &others->value[i]),
                          origin, NULL, &ignored);
    }
}

bool ca_tunable(const struct ca_values *options, int index)
{
    return options->table[index].tune && options->value[index].origin <= CA_TUNED;
}

bool ca_values_untune(struct ca_values *options)
{
    struct ca_values untuned;
    bool any = false;

    ca_values_default(&untuned, options->table);
    for (int i = 0; i < options->count; i++)
        if (ca_tunable(options, i)) {
            options->value[i] = untuned.value[i];
            any = true;
        }
    return any;
}

const char *ca_kind_name(enum ca_kind kind)
{
    static const char *const names[] = {"int", "real", "probability", "choice", "text", "file"};

    return names[kind];
}

const char *ca_origin_name(enum ca_origin origin)
{
    static const char *const names[] = {"built-in",    "tuned",        "calab.cfg", "experiment",
                                        "environment", "command line", "workbench"};

    return names[origin];
}

static const struct ca_value *by_name(const struct ca_values *values, const char *name)
{
    int index = ca_values_find(values, name);

    assert(index >= 0);
    return &values->value[index];
}

double ca_real(const struct ca_values *values, const char *name)
{
    return by_name(values, name)->number;
}

int64_t ca_int(const struct ca_values *values, const char *name)
{
    return (int64_t)by_name(values, name)->number;
}

int ca_choice(const struct ca_values *values, const char *name)
{
    return (int)by_name(values, name)->number;
}

const char *ca_text(const struct ca_values *values, const char *name)
{
    return by_name(values, name)->text;
}

uint32_t ca_probability(const struct ca_values *values, const char *name)
{
    return (uint32_t)floor(by_name(values, name)->number * 65536 + 0.5);
}

#define WORD_MAX 40

static int param_least(int a, int b) { return a < b ? a : b; }

/* Optimal string alignment distance: insert, delete, replace, swap neighbours. */
static int distance(const char *a, const char *b)
{
    int rows[3][WORD_MAX + 1], n = (int)strlen(a), m = (int)strlen(b);
    int *before = rows[0], *last = rows[1], *now = rows[2];

    if (n > WORD_MAX || m > WORD_MAX)
        return WORD_MAX;
    for (int j = 0; j <= m; j++)
        last[j] = j;
    for (int i = 1; i <= n; i++) {
        int *done = before;

        now[0] = i;
        for (int j = 1; j <= m; j++) {
            int best = last[j - 1] + (a[i - 1] != b[j - 1]);

            best = param_least(best, last[j] + 1);
            best = param_least(best, now[j - 1] + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = param_least(best, before[j - 2] + 1);
            now[j] = best;
        }
        before = last;
        last = now;
        now = done;
    }
    return last[m];
}

const char *ca_nearest(const char *wrong, int count, const char *(*name)(const void *, int),
                       const void *context)
{
    const char *nearest = NULL;
    int best = (int)strlen(wrong) / 3 + 1; /* a larger distance is no typing mistake */

    for (int i = 0; i < count; i++) {
        const char *candidate = name(context, i);
        int d = distance(wrong, candidate);

        if (d < best && d < (int)strlen(candidate)) {
            best = d;
            nearest = candidate;
        }
    }
    return nearest;
}

char *ca_suggest(char text[CA_TEXT_MAX], const char *wrong, int count,
                 const char *(*name)(const void *, int), const void *context)
{
    const char *nearest = ca_nearest(wrong, count, name, context);

    if (nearest) {
        snprintf(text, CA_TEXT_MAX, "; did you mean '%s'?", nearest);
        return text;
    }
    snprintf(text, CA_TEXT_MAX, "; there %s: %s", count == 1 ? "is" : "are", count ? "" : "none");
    for (int i = 0; i < count; i++)
        ca_text_add(text, CA_TEXT_MAX, "%s%s", i ? ", " : "", name(context, i));
    return text;
}

const char *ca_name_at(const void *names, int i) { return ((const char *const *)names)[i]; }

const char *ca_param_name(const void *table, int i)
{
    return ((const struct ca_param *)table)[i].name;
}
