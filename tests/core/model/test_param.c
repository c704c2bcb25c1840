/* SPDX-License-Identifier: MIT */
/* core/param: values from text and numbers, ranges, formatting, nearest names. */
#include <math.h>
#include <string.h>

#include "core/model/param.h"
#include "tests/support/support.h"

static const char *const colours[] = {"red", "green", "blue", NULL};
static const struct ca_param table[] = {
    {.name = "count", .kind = CA_INT, .number = 3, .min = -5, .max = 27, .help = "a number"},
    {.name = "size", .kind = CA_REAL, .number = 0.5, .min = -1000, .max = 1000, .help = "a size"},
    {.name = "chance", .kind = CA_PROBABILITY, .number = 0, .min = 0, .max = 1, .help = "p"},
    {.name = "colour", .kind = CA_CHOICE, .number = 1, .choices = colours, .help = "a colour"},
    {.name = "label", .kind = CA_TEXT, .text = "none", .help = "a label"},
    {.name = "input", .kind = CA_FILE, .help = "a file"},
    {.name = "mix", .kind = CA_TEXT, .text = "red", .choices = colours, .help = "colours"},
    {.name = "many", .kind = CA_REAL, .min = 1e-9, .max = 1e9, .number = 1, .help = "many"},
    {.name = NULL},
};

START_TEST(defaults)
{
    struct ca_values values;
    char text[CA_TEXT_MAX], other[CA_TEXT_MAX];

    ca_values_default(&values, table);
    ck_assert_int_eq(values.count, 8);
    ck_assert_int_eq(ca_int(&values, "count"), 3);
    ck_assert_double_eq(ca_real(&values, "size"), 0.5);
    ck_assert_int_eq(ca_choice(&values, "colour"), 1);
    ck_assert_str_eq(values.value[3].text, "green");
    ck_assert_str_eq(ca_text(&values, "label"), "none");
    ck_assert_str_eq(ca_text(&values, "input"), "");
    for (int i = 0; i < values.count; i++) {
        ck_assert(ca_value_is_default(&table[i], &values.value[i]));
        ck_assert_str_eq(ca_param_default(text, &table[i]),
                         ca_value_format(other, &table[i], &values.value[i]));
    }
    ck_assert_str_eq(ca_param_default(text, &table[3]), "green");
    ck_assert_str_eq(ca_param_default(text, &table[5]), "");
    ca_values_default(&values, NULL);
    ck_assert_int_eq(values.count, 0);
    ck_assert_int_eq(ca_values_find(&values, "count"), -1);
}
END_TEST

static const struct {
    const char *name, *text, *formatted;
} good[] = {
    {"count", "-5", "-5"},
    {"count", "27", "27"},
    {"size", "0.1", "0.1"},
    {"size", "-0", "0"},
    {"size", "1e-300", "1e-300"},
    {"size", "0.30000000000000004", "0.30000000000000004"},
    {"chance", "1", "1"},
    {"chance", "0.0078125", "0.0078125"},
    {"colour", "blue", "blue"},
    {"label", "", ""},
    {"label", "a b=c", "a b=c"},
    {"input", "/x/y.pbm", "/x/y.pbm"},
    {"mix", "", ""},
    {"mix", "blue  red", "blue  red"},
    {"many", "1e6", "1000000"},
};

START_TEST(accepted)
{
    struct ca_values values;
    struct ca_error error;
    char text[CA_TEXT_MAX];
    int i;

    ca_values_default(&values, table);
    i = ca_values_find(&values, good[_i].name);
    ck_assert_ok(ca_values_set(&values, i, good[_i].text, CA_FROM_COMMAND_LINE, NULL, &error));
    ck_assert_str_eq(ca_value_format(text, &table[i], &values.value[i]), good[_i].formatted);
    ck_assert_int_eq(values.value[i].origin, CA_FROM_COMMAND_LINE);
}
END_TEST

static const struct {
    const char *name, *text, *says;
} bad[] = {
    {"count", "28", "count = '28' is out of range, allowed: -5 ... 27, whole"},
    {"count", "2.5", "is not a whole number"},
    {"count", "five", "is not a number"},
    {"count", "", "is not a number"},
    {"count", " 5", "is not a number"},
    {"count", "\t5", "is not a number"},
    {"count", "5 ", "is not a number"},
    {"size", "nan", "is not a number"},
    {"size", "-inf", "is not a number"},
    {"size", "0x10", "is not a number"},
    {"count", "0x10", "is not a number"},
    {"count", "1e1", "is not a whole number, in digits"},
    {"count", "2.0", "is not a whole number, in digits"},
    {"count", "99999999999999999999", "is out of range"},
    {"size", "1e999", "is not a finite number"},
    {"size", "1000.0001", "out of range, allowed: -1000 ... 1000"},
    {"chance", "-0.1", "chance = '-0.1' is out of range, allowed: 0 ... 1"},
    {"many", "1e10", "many = '10000000000' is out of range, allowed: 1e-09 ... 1000000000"},
    {"mix", "red reds",
     "mix = 'red reds' has a word that it does not know, allowed: words of "
     "red | green | blue"},
    {"mix", "re", "does not know"},
    {"chance", "50%", "is not a number"},
    {"colour", "pink", "is none of its choices, allowed: red | green | blue"},
    {"colour", "", "is none of its choices"},
};

START_TEST(refused)
{
    struct ca_values values, before;
    struct ca_error error = {0};
    int i;

    ca_values_default(&values, table);
    before = values;
    i = ca_values_find(&values, bad[_i].name);
    ck_assert_int_eq(ca_values_set(&values, i, bad[_i].text, CA_FROM_SETTINGS, "my.cfg:12", &error),
                     CA_USAGE);
    ck_assert_contains(error.text, bad[_i].says);
    ck_assert_int_eq(strncmp(error.text, "my.cfg:12: ", 11), 0);
    ck_assert_mem_eq(&values, &before, sizeof values);
}
END_TEST

START_TEST(text_too_long)
{
    struct ca_values values;
    struct ca_error error = {0};
    char text[CA_TEXT_MAX + 1];

    memset(text, 'x', CA_TEXT_MAX);
    text[CA_TEXT_MAX] = '\0';
    ca_values_default(&values, table);
    ck_assert_int_eq(ca_values_set(&values, 4, text, CA_FROM_SETTINGS, NULL, &error), CA_USAGE);
    ck_assert_contains(error.text, "is too long, allowed: text below 512 bytes");
    text[CA_TEXT_MAX - 1] = '\0';
    ck_assert_ok(ca_values_set(&values, 4, text, CA_FROM_SETTINGS, NULL, &error));
}
END_TEST

START_TEST(numbers_for_texts_are_refused)
{
    struct ca_values values;
    struct ca_error error = {0};

    ca_values_default(&values, table);
    for (int i = 3; i < 6; i++) {
        ck_assert_int_eq(ca_values_set_number(&values, i, 1, CA_FROM_SETTINGS, NULL, &error),
                         CA_USAGE);
        ck_assert_contains(error.text, "is a number");
    }
    ck_assert_int_eq(ca_values_set_number(&values, 1, NAN, CA_FROM_SETTINGS, NULL, &error),
                     CA_USAGE);
}
END_TEST

START_TEST(equal_values)
{
    struct ca_values a, b;
    struct ca_error error;

    ca_values_default(&a, table);
    ca_values_default(&b, table);
    ck_assert_ok(ca_values_set(&b, 0, "3", CA_FROM_SETTINGS, NULL, &error));
    ck_assert(ca_values_equal(&a, &b)); /* wherever it came from */
    ck_assert_ok(ca_values_set(&b, 0, "4", CA_FROM_SETTINGS, NULL, &error));
    ck_assert(!ca_values_equal(&a, &b));
    ca_values_default(&b, table);
    ck_assert_ok(ca_values_set(&b, 4, "other", CA_FROM_SETTINGS, NULL, &error));
    ck_assert(!ca_values_equal(&a, &b));
}
END_TEST

START_TEST(probabilities_round_to_the_nearest)
{
    static const struct {
        double p;
        uint32_t k;
    } cases[] = {{0, 0},    {1, 65536},       {0.5, 32768},      {1.0 / 128, 512},
                 {1e-9, 0}, {0.5 / 65536, 1}, {0.49 / 65536, 0}, {1 - 0.5 / 65536, 65536}};
    struct ca_values values;
    struct ca_error error;

    ca_values_default(&values, table);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ca_values_set_number(&values, 2, cases[i].p, CA_BUILT_IN, NULL, &error);
        ck_assert_uint_eq(ca_probability(&values, "chance"), cases[i].k);
    }
}
END_TEST

/* Copies share a text; setting one leaves the others, and the caller's buffer is not kept. */
START_TEST(copies_keep_their_texts)
{
    struct ca_values first, second;
    struct ca_error error;
    char text[] = "abc";

    ca_values_default(&first, table);
    ck_assert_ok(ca_values_set(&first, 4, text, CA_BUILT_IN, NULL, &error));
    second = first;
    text[0] = 'x';
    ck_assert_ok(ca_values_set(&first, 4, "new", CA_BUILT_IN, NULL, &error));
    ck_assert_str_eq(ca_text(&second, "label"), "abc");
    ck_assert_ok(ca_values_set(&first, 4, "abc", CA_BUILT_IN, NULL, &error));
    ck_assert_ptr_eq(ca_text(&first, "label"), ca_text(&second, "label"));
    /* Setting a value to its own text, too. */
    ck_assert_ok(ca_values_set(&first, 4, ca_text(&first, "label"), CA_BUILT_IN, NULL, &error));
    ck_assert(ca_values_equal(&first, &second));
    ck_assert_uint_le(sizeof first, 1024);
}
END_TEST

static const char *const names[] = {"anneal", "life3d", "cloud", "fhp", "water"};

START_TEST(nearest_name)
{
    ck_assert_str_eq(ca_nearest("aneal", 5, ca_name_at, names), "anneal");
    ck_assert_str_eq(ca_nearest("lief3d", 5, ca_name_at, names), "life3d");
    ck_assert_str_eq(ca_nearest("clouds", 5, ca_name_at, names), "cloud");
    ck_assert_str_eq(ca_nearest("fph", 5, ca_name_at, names), "fhp");
    ck_assert_ptr_null(ca_nearest("foo", 5, ca_name_at, names)); /* two of its three letters */
    ck_assert_ptr_null(ca_nearest("quantum", 5, ca_name_at, names));
    ck_assert_ptr_null(ca_nearest("", 5, ca_name_at, names));
    ck_assert_ptr_null(
        ca_nearest("a-name-that-is-longer-than-any-word-of-the-program", 5, ca_name_at, names));
}
END_TEST

/* A third of a word's letters may be wrong, by any of four mistakes. */
START_TEST(as_many_mistakes_as_are_allowed)
{
    static const struct {
        const char *wrong, *nearest;
    } typed[] = {
        {"bnnebl", "anneal"},    {"bnmebl", NULL},     /* two letters replaced, and three */
        {"annealxxx", "anneal"}, {"xxannealxx", NULL}, /* three too many, and four */
        {"annel", "anneal"},     {"anne", NULL},       /* one is missing, and two */
        {"nanela", "anneal"},    {"naenla", NULL},     /* two pairs swapped, and three */
        {"wwaater", "water"},    {"wwaatter", NULL},   /* two twice, and three */
    };

    for (size_t i = 0; i < COUNT(typed); i++) {
        const char *nearest = ca_nearest(typed[i].wrong, 5, ca_name_at, names);

        ck_assert_msg(typed[i].nearest ? nearest && strcmp(nearest, typed[i].nearest) == 0
                                       : nearest == NULL,
                      "%s: %s", typed[i].wrong, nearest ? nearest : "nothing");
    }
}
END_TEST

START_TEST(suggestions)
{
    char text[CA_TEXT_MAX], long_name[CA_TEXT_MAX];
    const char *const large[] = {long_name, long_name};

    ck_assert_str_eq(ca_suggest(text, "fph", 5, ca_name_at, names), "; did you mean 'fhp'?");
    ck_assert_str_eq(ca_suggest(text, "quantum", 5, ca_name_at, names),
                     "; there are: anneal, life3d, cloud, fhp, water");
    ck_assert_str_eq(ca_suggest(text, "quantum", 1, ca_name_at, names), "; there is: anneal");
    ck_assert_str_eq(ca_suggest(text, "quantum", 0, ca_name_at, names), "; there are: none");
    ck_assert_str_eq(ca_suggest(text, "siez", 6, ca_param_name, table), "; did you mean 'size'?");
    memset(long_name, 'x', sizeof long_name);
    long_name[sizeof long_name - 1] = '\0';
    ck_assert_uint_eq(strlen(ca_suggest(text, "quantum", 2, ca_name_at, large)), CA_TEXT_MAX - 1);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {defaults, text_too_long, numbers_for_texts_are_refused, equal_values,
                              copies_keep_their_texts, probabilities_round_to_the_nearest,
                              nearest_name, as_many_mistakes_as_are_allowed, suggestions},
                     .table = {{accepted, COUNT(good)}, {refused, COUNT(bad)}});
}
