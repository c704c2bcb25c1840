/* SPDX-License-Identifier: MIT */
/* The lines of a recording: whole characters, times, and what comes of a file that ends early. */
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/support.h"
#include "tui/commands/cast.h"

static struct cast opens(const char *path)
{
    struct ca_error error = {.text = ""};
    struct cast cast;

    ck_assert_msg(cast_open(&cast, path, false, &error) == CA_OK, "%s", error.text);
    cast_begin(&cast, 80, 24, "calab");
    return cast;
}

static void closes(struct cast *cast)
{
    struct ca_error error = {.text = ""};

    ck_assert_msg(cast_close(cast, &error) == CA_OK, "%s", error.text);
}

/* All output of a file, put together; each line must be valid JSON, and times must not decrease. */
static char *output_of(const char *path)
{
    char *text = test_read(path, NULL), *all = calloc(1, strlen(text) + 1), *end;
    double last = 0;

    ck_assert_ptr_nonnull(all);
    for (char *line = text; *line; line = end + 1) {
        json_error_t where;
        json_t *json;

        end = strchr(line, '\n');
        ck_assert_msg(end != NULL, "the last line is not whole: %s", line);
        *end = 0;
        json = json_loads(line, 0, &where);
        ck_assert_msg(json != NULL, "%s: %s", where.text, line);
        if (json_is_array(json)) {
            ck_assert(json_number_value(json_array_get(json, 0)) >= last);
            last = json_number_value(json_array_get(json, 0));
            if (strcmp(json_string_value(json_array_get(json, 1)), "o") == 0)
                strcat(all, json_string_value(json_array_get(json, 2)));
        }
        json_decref(json);
    }
    free(text);
    return all;
}

/* What comes of bytes that are no UTF-8, or that come in pieces. */
#define NO "\357\277\275"
static const struct {
    const char *bytes, *text;
} texts[] = {
    {"plain", "plain"},
    {"\"\\\033[1m\t", "\"\\\033[1m\t"},
    {"\302\242\340\244\271\342\202\254\360\220\215\210",
     "\302\242\340\244\271\342\202\254\360\220\215\210"},
    {"\364\217\277\277\355\237\277\356\200\200", "\364\217\277\277\355\237\277\356\200\200"},
    {"a\377b\376", "a" NO "b" NO},
    {"\200\277", NO NO},
    {"\300\200x", NO NO "x"},               /* longer than needed */
    {"\340\237\277x", NO NO NO "x"},        /* the same */
    {"\360\217\277\277x", NO NO NO NO "x"}, /* the same */
    {"\355\240\200x", NO NO NO "x"},        /* a surrogate */
    {"\364\220\200\200x", NO NO NO NO "x"}, /* above U+10FFFF */
    {"\365\200x", NO NO "x"},
    {"\342\202x", NO "x"}, /* cut off by another character */
    {"\360\220\215\303\244", NO "\303\244"},
    {"x\342\202", "x" NO}, /* by the end */
    {"x\360", "x" NO},
};

START_TEST(characters_are_whole_and_valid)
{
    const char *bytes = texts[_i].bytes;
    size_t count = strlen(bytes);

    for (size_t cut = 0; cut <= count; cut++) {
        char name[32], *text;
        struct cast cast;

        snprintf(name, sizeof name, "%zu.cast", cut);
        cast = opens(test_path(name));
        if (cut == count) /* byte by byte */
            for (size_t i = 0; i < count; i++)
                cast_output(&cast, (double)i, bytes + i, 1);
        cast_output(&cast, 20, bytes, cut < count ? cut : 0);
        cast_output(&cast, 21, bytes + cut, count - cut);
        closes(&cast);
        text = output_of(test_path(name));
        ck_assert_msg(strcmp(text, texts[_i].text) == 0, "cut at %zu: '%s'", cut, text);
        free(text);
    }
}
END_TEST

START_TEST(nul_is_kept)
{
    const char *path = test_path("nul.cast");
    struct cast cast = opens(path);
    char *text;

    cast_output(&cast, 0, "a\0b", 3);
    closes(&cast);
    text = test_read(path, NULL);
    ck_assert_contains(text, "\"a\\u0000b\"");
    free(text);
}
END_TEST

START_TEST(lines)
{
    const char *path = test_path("lines.cast");
    struct cast cast;
    json_t *header;
    char *text, *events;

    ck_assert_int_eq(setenv("TERM", "vt\377", 1), 0);
    ck_assert_int_eq(unsetenv("SHELL"), 0);
    cast = opens(path);
    cast_output(&cast, 0.1234564, "one", 3);
    cast_resize(&cast, 1.5, 100, 30);
    cast_output(&cast, 1.25, "two", 3); /* no earlier than the line before */
    closes(&cast);
    text = test_read(path, NULL);
    events = strchr(text, '\n');
    ck_assert_str_eq(events, "\n[0.123456, \"o\", \"one\"]\n[1.5, \"r\", \"100x30\"]\n"
                             "[1.5, \"o\", \"two\"]\n");
    header = json_loads(text, JSON_DISABLE_EOF_CHECK, NULL);
    ck_assert_int_eq(json_integer_value(json_object_get(header, "version")), 2);
    ck_assert_int_eq(json_integer_value(json_object_get(header, "width")), 80);
    ck_assert_int_eq(json_integer_value(json_object_get(header, "height")), 24);
    ck_assert_int_gt(json_integer_value(json_object_get(header, "timestamp")), 1700000000);
    ck_assert_str_eq(json_string_value(json_object_get(header, "title")), "calab");
    ck_assert_str_eq(json_string_value(json_object_get(json_object_get(header, "env"), "TERM")),
                     "vt" NO);
    ck_assert_ptr_null(json_object_get(json_object_get(header, "env"), "SHELL"));
    json_decref(header);
    free(text);
}
END_TEST

/* Of a line that does not fit, nothing stays, and later ones are not tried, even if they would. */
START_TEST(a_full_disk_keeps_whole_lines)
{
    const struct rlimit limit = {600, 600};
    const char *path = test_path("full.cast");
    struct ca_error error = {.text = ""};
    struct cast cast = opens(path);
    char long_line[1000], *text;

    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    memset(long_line, 'x', sizeof long_line);
    cast_output(&cast, 1, "kept", 4);
    cast_output(&cast, 2, long_line, sizeof long_line);
    cast_output(&cast, 3, "late", 4);
    ck_assert_int_eq(cast_close(&cast, &error), CA_IO);
    ck_assert_contains(error.text, path);
    ck_assert_contains(error.text, "File too large; the recording ends after 2.0 s");
    text = output_of(path);
    ck_assert_str_eq(text, "kept");
    free(text);
}
END_TEST

START_TEST(refuses)
{
    const char *path = test_path("old.cast");
    struct ca_error error = {.text = ""};
    struct cast cast;
    char *text;

    test_write(path, "old", 3);
    ck_assert_int_eq(cast_open(&cast, path, false, &error), CA_USAGE);
    ck_assert_contains(error.text, "old.cast exists; --force replaces it");
    ck_assert_int_eq(cast_open(&cast, "/proc/none/x.cast", false, &error), CA_IO);
    ck_assert_contains(error.text, "cannot write /proc/none/x.cast: No such file or directory");
    ck_assert_int_eq(cast_open(&cast, path, true, &error), CA_OK);
    closes(&cast);
    text = test_read(path, NULL);
    ck_assert_str_eq(text, "");
    free(text);
}
END_TEST

START_TEST(names)
{
    ck_assert(cast_path("x.cast"));
    ck_assert(cast_path("a/b.cast"));
    ck_assert(!cast_path(".cast"));
    ck_assert(!cast_path("cast"));
    ck_assert(!cast_path("x.cast.gz"));
    ck_assert(!cast_path("x.CAST"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cast");
    TCase *tests = tcase_create("cast");

    tcase_add_loop_test(tests, characters_are_whole_and_valid, 0, COUNT(texts));
    tcase_add_test(tests, nul_is_kept);
    tcase_add_test(tests, lines);
    tcase_add_test(tests, a_full_disk_keeps_whole_lines);
    tcase_add_test(tests, refuses);
    tcase_add_test(tests, names);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
