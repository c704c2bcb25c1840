/* SPDX-License-Identifier: MIT */
/* The lessons of calab-tutorial(7), each typed from its beginning to its end in an empty folder. */
#include "tests/support/document.h"
#include "tests/support/support.h"

static const struct {
    const char *name;
    int at_least; /* commands, keys and texts */
} lessons[] = {
    {"FIRST STEPS", 20},
    {"A KERNEL OF YOUR OWN", 25},
    {"TWO KERNELS COMPARED", 25},
    {"A RUN WATCHED OVER SSH", 25},
};

START_TEST(lesson)
{
    ck_assert_int_ge(document_type("man/calab-tutorial.7", lessons[_i].name), lessons[_i].at_least);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.timeout_s = SANITIZED ? 900 : 400, .table = {{lesson, COUNT(lessons)}});
}
