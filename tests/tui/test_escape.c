/* SPDX-License-Identifier: MIT */
/* Texts of others become no markup, no formula and no control sequence. */
#include <stdio.h>
#include <string.h>

#include "tests/support/support.h"
#include "tui/escape.h"

static const struct {
    const char *text, *terminal, *markdown, *begins, *csv;
} texts[] = {
    {"", "", "", "", ""},
    {"kernel.c:17: race", "kernel.c:17: race", "kernel.c:17: race", "kernel.c:17: race",
     "kernel.c:17: race"},
    {"\033[31m\xc2\x9b\xe2\x80\xae\x9b", "?[31m???", "?\\[31m???", "?\\[31m???", "?[31m???"},
    {"a\nb\n", "a\nb\n", "a?b?", "a?b?", "a?b?"},
    {"<img src=x>", "<img src=x>", "\\<img src=x\\>", "\\<img src=x\\>", "<img src=x>"},
    {"[a](b) *c* _d_ `e` ~f~ a|b &lt; \\", "[a](b) *c* _d_ `e` ~f~ a|b &lt; \\",
     "\\[a\\](b) \\*c\\* \\_d\\_ \\`e\\` \\~f\\~ a\\|b \\&lt; \\\\",
     "\\[a\\](b) \\*c\\* \\_d\\_ \\`e\\` \\~f\\~ a\\|b \\&lt; \\\\",
     "\"[a](b) *c* _d_ `e` ~f~ a|b &lt; \\\""},
    {"https://x www.y", "https://x www.y", "https\\://x www\\.y", "https\\://x www\\.y",
     "https://x www.y"},
    {"- a", "- a", "- a", "\\- a", "\"'- a\""},
    {"    + a", "    + a", "    + a", "\\+ a", "\"'    + a\""},
    {"12. a", "12. a", "12. a", "12\\. a", "12. a"},
    {"1) a", "1) a", "1) a", "1\\) a", "1) a"},
    {"12 of 13", "12 of 13", "12 of 13", "12 of 13", "12 of 13"},
    {"=1+1", "=1+1", "=1+1", "\\=1+1", "\"'=1+1\""},
    {"@SUM(A1)", "@SUM(A1)", "\\@SUM(A1)", "\\@SUM(A1)", "\"'@SUM(A1)\""},
    {"=cmd|' /C calc'!A0", "=cmd|' /C calc'!A0", "=cmd\\|' /C calc'\\!A0",
     "\\=cmd\\|' /C calc'\\!A0", "\"'=cmd|' /C calc'!A0\""},
    {"-1.5", "-1.5", "-1.5", "\\-1.5", "-1.5"},
    {"-1e3+A1", "-1e3+A1", "-1e3+A1", "\\-1e3+A1", "\"'-1e3+A1\""},
    {"-", "-", "-", "\\-", "-"},
    {"say \"a, b\"", "say \"a, b\"", "say \"a, b\"", "say \"a, b\"", "\"say \"\"a, b\"\"\""},
    {"a;b", "a;b", "a;b", "a;b", "\"a;b\""},
};

static void inline_part(FILE *out, const char *text) { escape_markdown(out, text, false); }
static void line_begins(FILE *out, const char *text) { escape_markdown(out, text, true); }

static void expect(void (*escape)(FILE *, const char *), const char *text, const char *expected)
{
    char written[256] = "";
    FILE *out = fmemopen(written, sizeof written, "w");

    escape(out, text);
    fclose(out);
    ck_assert_str_eq(written, expected);
}

START_TEST(each_sink)
{
    expect(escape_terminal, texts[_i].text, texts[_i].terminal);
    expect(inline_part, texts[_i].text, texts[_i].markdown);
    expect(line_begins, texts[_i].text, texts[_i].begins);
    expect(escape_csv, texts[_i].text, texts[_i].csv);
}
END_TEST

/* A format of calab's own is as it is; a text that begins one of its lines is escaped as such. */
START_TEST(formats)
{
    char written[256] = "";
    FILE *out = fmemopen(written, sizeof written, "w");

    escape_put_markdown(out, "# %s\n- %s: *%s*\n%s\n", "a*", "- b", "- c", "1. d");
    escape_put_terminal(out, "%s: %s\n", "a\nb", "*\033");
    fclose(out);
    ck_assert_str_eq(written, "# a\\*\n- \\- b: *- c*\n1\\. d\na?b: *?\n");
}
END_TEST

int main(void) { return RUN_TESTS(.test = {formats}, .table = {{each_sink, COUNT(texts)}}); }
