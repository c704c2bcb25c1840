/* SPDX-License-Identifier: MIT */
/* Random keys and sizes in the main screen with its lists and prompts, and in the split. */
#include "tests/support/random_keys.h"
#include "tests/support/support.h"
#include "tests/support/user.h"

START_TEST(keys_in_the_main_screen)
{
    const struct screen_options options = {.arguments = {"anneal", "-s", "64x64"}};

    random_keys_folder();
    random_keys(user_starts(&options), " .\r");
}
END_TEST

START_TEST(keys_in_the_split)
{
    const struct screen_options options = {
        .arguments = {"anneal", "-s", "64x64", "-b", "bitslice,threads"}};
    struct screen *screen;

    random_keys_folder();
    screen = user_starts(&options);
    expect_status(screen, "= EQUAL at 0, ");
    random_keys(screen, "x .\r");
}
END_TEST

START_TEST(keys_in_a_split_of_a_volume)
{
    const struct screen_options options = {
        .arguments = {"cloud", "-s", "32x32x16", "-b", "bitslice,threads"}};
    struct screen *screen;

    random_keys_folder();
    screen = user_starts(&options);
    expect_status(screen, "= EQUAL at 0, ");
    random_keys(screen, "x .v\r");
}
END_TEST

int main(void)
{
    return RUN_TESTS(.timeout_s = 600, .test = {keys_in_the_main_screen, keys_in_the_split,
                                                keys_in_a_split_of_a_volume});
}
