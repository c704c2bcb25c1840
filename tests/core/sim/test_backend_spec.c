/* SPDX-License-Identifier: MIT */
/* [HOST:]BACKEND[/OPTION=VALUE...] lists: what they are read as, and what is refused. */
#include <string.h>

#include "core/model/registry.h"
#include "core/sim/backend_spec.h"
#include "tests/support/support.h"

static struct ca_backend_spec spec[3];
static struct ca_error error;
static int count;

static enum ca_status parse(const char *list, int max)
{
    return ca_backend_specs_parse(spec, max, &count, list, "-b", &error);
}

START_TEST(reads)
{
    static const struct {
        const char *item, *host, *backend, *options;
    } rows[] = {
        {"threads", "", "threads", ""},
        {"threads/threads=2", "", "threads", "threads=2"},
        {"a/b=1/c=d=e", "", "a", "b=1/c=d=e"},
        {"lab:cuda", "lab", "cuda", ""},
        {"me@lab.org:cuda/device=1", "me@lab.org", "cuda", "device=1"},
        {"::1:cuda", "::1", "cuda", ""},
        {"a/b=x:y", "", "a", "b=x:y"},
        {"a/devices=0,3", "", "a", "devices=0,3"},
        {"a/devices=0,3,12/b=1", "", "a", "devices=0,3,12/b=1"},
    };
    char text[3 * CA_TEXT_MAX];

    for (size_t i = 0; i < COUNT(rows); i++) {
        ck_assert_msg(parse(rows[i].item, 1) == CA_OK, "%s", error.text);
        ck_assert_int_eq(count, 1);
        ck_assert_str_eq(spec[0].host, rows[i].host);
        ck_assert_str_eq(spec[0].backend, rows[i].backend);
        ck_assert_str_eq(spec[0].options, rows[i].options);
        ck_assert_str_eq(ca_backend_spec_format(text, sizeof text, &spec[0]), rows[i].item);
    }
    ck_assert_int_eq(parse("avx2,lab:threads/threads=2,x", 3), CA_OK);
    ck_assert_int_eq(count, 3);
    ck_assert_str_eq(spec[0].backend, "avx2");
    ck_assert_str_eq(spec[1].host, "lab");
    ck_assert_str_eq(spec[2].backend, "x");
    /* A comma before a number goes on with a value, and with nothing else. */
    ck_assert_int_eq(parse("a/devices=0,3,b,7", 3), CA_OK);
    ck_assert_int_eq(count, 3);
    ck_assert_str_eq(spec[0].options, "devices=0,3");
    ck_assert_str_eq(spec[1].backend, "b");
    ck_assert_str_eq(spec[2].backend, "7");
    ck_assert_int_eq(parse("a/devices=0,3d", 3), CA_OK);
    ck_assert_int_eq(count, 2);
    ck_assert_str_eq(spec[1].backend, "3d");
}
END_TEST

START_TEST(refuses)
{
    static const struct {
        const char *list, *message;
    } rows[] = {
        {"", "-b: '': the backend is empty; allowed: [HOST:]BACKEND[/OPTION=VALUE...], separated "
             "by commas"},
        {"a,", "-b: '': the backend is empty"},
        {",a", "-b: '': the backend is empty"},
        {"lab:", "-b: 'lab:': the backend is empty"},
        {":a", "-b: ':a': the host before ':' is empty"},
        {"-oProxyCommand=x:a", "'-oProxyCommand=x:a': a host does not begin with '-'"},
        {"my lab:a", "a host holds no blanks"},
        {"\033[1mlab:a", "-b: '?[1mlab:a': a host holds no blanks"},
        {"a/", "an option has the form OPTION=VALUE"},
        {"a/b", "an option has the form OPTION=VALUE"},
        {"a/b=", "an option has the form OPTION=VALUE"},
        {"a/=1", "an option has the form OPTION=VALUE"},
        {"a/b=1/", "an option has the form OPTION=VALUE"},
        {"a/b=1//c=2", "an option has the form OPTION=VALUE"},
        {"a/b/c=2", "an option has the form OPTION=VALUE"},
        {"a,b,c", "-b: at most 2 backends are allowed, got 'a,b,c'"},
    };
    char longest[CA_TEXT_MAX + 1];

    for (size_t i = 0; i < COUNT(rows); i++) {
        ck_assert_msg(parse(rows[i].list, 2) == CA_USAGE, "%s", rows[i].list);
        ck_assert_contains(error.text, rows[i].message);
    }
    memset(longest, 'a', CA_TEXT_MAX);
    longest[CA_TEXT_MAX] = '\0';
    ck_assert_int_eq(parse(longest, 2), CA_USAGE);
    ck_assert_contains(error.text, "at most");
    ck_assert_int_eq(parse(longest + 1, 2), CA_OK);
}
END_TEST

START_TEST(applies)
{
    static struct ca_experiment experiment;

    ca_experiment_default(&experiment, test_model("anneal"));
    ck_assert_int_eq(parse("threads/threads=3", 1), CA_OK);
    ck_assert_ok(ca_backend_spec_apply(&spec[0], &experiment, CA_FROM_COMMAND_LINE, "-b", &error));
    ck_assert_str_eq(experiment.backend->name, "threads");
    ck_assert_int_eq(ca_int(&experiment.options, "threads"), 3);
    ck_assert_int_eq(experiment.options.value[0].origin, CA_FROM_COMMAND_LINE);
}
END_TEST

START_TEST(applies_only_what_there_is)
{
    static const char *const rows[][2] = {
        {"thread", "-b: "},
        {"reference/threads=2", "'threads' is neither a parameter of anneal nor an option of its "
                                "backend reference"},
        {"threads/threads=many", "-b: "},
        {"threads/density=0.2",
         "-b: 'density' is a parameter of anneal and no option of a backend; "
         "set it with --set"},
    };
    static struct ca_experiment experiment;

    for (size_t i = 0; i < COUNT(rows); i++) {
        ca_experiment_default(&experiment, test_model("anneal"));
        ck_assert_int_eq(parse(rows[i][0], 1), CA_OK);
        ck_assert_int_eq(
            ca_backend_spec_apply(&spec[0], &experiment, CA_FROM_COMMAND_LINE, "-b", &error),
            CA_USAGE);
        ck_assert_contains(error.text, rows[i][1]);
    }
}
END_TEST

int main(void) { return RUN_TESTS(.test = {reads, refuses, applies, applies_only_what_there_is}); }
