/* SPDX-License-Identifier: MIT */
/* Texts from outside do nothing to the terminal that they are printed on. */
#include <string.h>

#include "core/base/error.h"
#include "tests/support/support.h"

static const struct {
    const char *text, *plain;
} texts[] = {
    {"", ""},
    {"lift by generation", "lift by generation"},
    {"H\xc3\xb6he \xe2\x89\xa4 20 \xf0\x9f\x98\x80",
     "H\xc3\xb6he \xe2\x89\xa4 20 \xf0\x9f\x98\x80"},
    {"\033[31mred\a\n\t\x7f", "?[31mred????"},
    {"\xc2\x9b"
     "31mC1\xc2\x85\xc2\xa0",
     "?31mC1?\xc2\xa0"},
    {"a\xe2\x80\xaetxt.exe\xe2\x81\xa6\xe2\x80\x8f\xd8\x9c\xe2\x80\xa8", "a?txt.exe????"},
    {"\x9b"
     "31m\xff\xc3",
     "?31m??"},         /* no UTF-8 */
    {"\xe2\x82", "??"}, /* an end that is missing */
    {"\xc0\x9b\xe0\x82\x9b\xed\xa0\x80\xf5\x80\x80\x80",
     "????????????"}, /* forms that none may have */
};

START_TEST(plain)
{
    char text[80];

    ck_assert_str_eq(ca_plain(strcpy(text, texts[_i].text)), texts[_i].plain);
}
END_TEST

START_TEST(an_error_is_plain)
{
    struct ca_error error;

    ca_error_set(&error, CA_IO, "%s: no such file", "\033]0;title\xc2\x9b");
    ck_assert_str_eq(error.text, "?]0;title?: no such file");
}
END_TEST

int main(void) { return RUN_TESTS(.test = {an_error_is_plain}, .table = {{plain, COUNT(texts)}}); }
