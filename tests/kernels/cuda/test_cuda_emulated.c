/* SPDX-License-Identifier: MIT */
/* A program whose GPU is this CPU: wherever a rate would stand, it says that it is no speed. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/program.h"
#include "tests/support/support.h"
#include "tests/support/script.h"

#define SIZE(array) (sizeof(array) / sizeof *(array))
#define NOT_A_SPEED "emulated: not a speed"

/* No text has a rate, which every one here would, since its backends are emulated ones. */
static const struct {
    const char *arguments, *has[2];
} texts[] = {
    {"run anneal -s 64x64 -b cuda-naive -n 3", {"rate: " NOT_A_SPEED, "device: emulated GPU"}},
    {"run anneal -s 64x64 -b cuda-naive,cuda-shared -n 3",
     {"a.rate: " NOT_A_SPEED, "b.rate: " NOT_A_SPEED}},
    {"run anneal -s 64x64 -b cuda-naive,cuda-shared -n 3 --markdown", {NOT_A_SPEED, "are equal"}},
    {"bench anneal -s 64x64 -b cuda-naive --time 0.02 --check 0", {"emulated", "1 " NOT_A_SPEED}},
    {"bench anneal -s 64x64 -b cuda-naive,cuda-shared --time 0.02 --verbose",
     {"emulated     -", "emulated GPU"}},
    {"bench anneal -s 64x64 -b cuda-naive,cuda-shared --time 0.02 --markdown",
     {"| emulated |", "2 " NOT_A_SPEED "; all equal"}},
    {"list anneal -s 4096x4096", {"-  emulated", "cuda-naive"}}, /* for which a GPU is asked */
};

START_TEST(text_has_no_rate)
{
    struct outcome o = calab("%s", texts[_i].arguments);

    ck_assert_msg(o.status == 0, "%s: %s", texts[_i].arguments, o.err);
    for (int i = 0; i < 2; i++)
        ck_assert_contains(o.out, texts[_i].has[i]);
    if (strncmp(texts[_i].arguments, "list", 4) != 0) /* whose other backends have rates */
        ck_assert_msg(!strstr(o.out, "ups"), "%s: %s", texts[_i].arguments, o.out);
}
END_TEST

/* Finds an object with "emulated": true; nowhere near it is a rate. */
static bool marks(const json_t *json)
{
    static const char *const rates[] = {"mups",         "cells_per_s",      "gb_per_s",
                                        "to_reference", "to_before",        "predicted_s",
                                        "median_s",     "ms_per_generation"};
    bool found = json_is_true(json_object_get(json, "emulated"));
    const char *key;
    json_t *value;
    size_t i;

    for (size_t r = 0; found && r < SIZE(rates); r++)
        ck_assert_msg(!json_is_number(json_object_get(json, rates[r])), "%s is a number", rates[r]);
    json_object_foreach((json_t *)json, key, value) found |= marks(value);
    json_array_foreach(json, i, value) found |= marks(value);
    return found;
}

static const char *const objects[] = {
    "run anneal -s 64x64 -b cuda-naive -n 3 --json",
    "run anneal -s 64x64 -b cuda-naive,cuda-shared -n 3 --json",
    "bench anneal -s 64x64 -b cuda-naive --time 0.02 --json",
    "list anneal -s 64x64 --json",
};

START_TEST(json_is_marked)
{
    struct outcome o = calab("%s", objects[_i]);
    json_t *json = outcome_json(&o);

    ck_assert_msg(o.status == 0 && json, "%s: %s", objects[_i], o.err);
    ck_assert_msg(marks(json), "%s: %s", objects[_i], o.out);
}
END_TEST

/* Of two benchmarks of an emulated GPU none is the faster one. */
START_TEST(compare_judges_nothing)
{
    struct outcome o = calab("bench anneal -s 64x64 -b cuda-naive --time 0.02 --json");
    const char *path;

    ck_assert_msg(o.status == 0, "%s", o.err);
    path = test_path("bench.json");
    test_write(path, o.out, strlen(o.out));
    o = calab_good("compare %s %s", path, path);
    ck_assert_contains(o.out, "emulated     emulated        -  emulated");
}
END_TEST

static const struct refusal tunes = {"bench anneal -b cuda-naive --tune", 2, "an option to search",
                                     "emulated GPU"};

START_TEST(tunes_nothing) { calab_refuses(&tunes); }
END_TEST

static const struct script scripts[] = {
    {"workbench has no rate",
     OPTIONS(.rows = 40, .columns = 120,
             .arguments = {"anneal", "-s", "64x64", "-b", "cuda-naive"}),
     STEPS(PRESS("."), GENERATION(1), STATUS(NOT_A_SPEED), SHOWS(", " NOT_A_SPEED) /* step p50 */,
           LACKS("GB/s"), LACKS("ups"), PRESS("T"),
           SHOWS("cuda-naive          " NOT_A_SPEED "  = reference"), PRESS("q"),
           HIDES("every backend"))},
    /* A split has no ratio, and no rows by length and size. */
    {"split has no ratio",
     OPTIONS(.rows = 40, .columns = 120,
             .arguments = {"anneal", "-s", "64x64", "-b", "cuda-naive,threads"}),
     STEPS(SHOWS("no ratio: A is " NOT_A_SPEED))},
};

int main(void)
{
    return RUN_TESTS(.test = {compare_judges_nothing, tunes_nothing},
                     .table = {{scripts_test(scripts), COUNT(scripts)},
                               {text_has_no_rate, COUNT(texts)},
                               {json_is_marked, COUNT(objects)}});
}
