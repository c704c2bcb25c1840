/* SPDX-License-Identifier: MIT */
/* The commands of README.md, typed in order in an empty folder. */
#include "tests/support/document.h"
#include "tests/support/support.h"

START_TEST(each_line) { ck_assert_int_ge(document_type("README.md", NULL), 8); }
END_TEST

int main(void) { return RUN_TESTS(.timeout_s = SANITIZED ? 600 : 240, .test = {each_line}); }
