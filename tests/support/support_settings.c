/* SPDX-License-Identifier: MIT */
#include "tests/support/support.h"
#include "tests/support/support_settings.h"

#include <stdlib.h>
#include <string.h>

struct ca_settings *test_settings_open(const char *path)
{
    struct ca_settings *settings;
    struct ca_error error;

    ck_assert_msg(ca_settings_open(&settings, path, &error) == CA_OK, "%s", error.text);
    return settings;
}

void test_settings_save(struct ca_settings *settings)
{
    struct ca_error error;

    ck_assert_msg(ca_settings_save(settings, &error) == CA_OK, "%s", error.text);
}

void test_settings_set(struct ca_settings *settings, const char *name, const char *text)
{
    enum ca_setting setting;
    struct ca_error error;

    ck_assert_int_eq(ca_setting_find(&setting, name, &error), CA_OK);
    ck_assert_msg(ca_settings_set(settings, setting, text, CA_FROM_WORKBENCH, &error) == CA_OK,
                  "%s", error.text);
}

void test_settings_write(const char *path, const char *text)
{
    test_write(path, text, strlen(text));
}

void test_settings_unset(void)
{
    for (int i = 0; ca_settings_table[i].name; i++) {
        char name[64] = "CALAB_";

        for (size_t c = 0; c <= strlen(ca_settings_table[i].name); c++)
            name[6 + c] = (char)(ca_settings_table[i].name[c] & ~32); /* upper case */
        unsetenv(name);
    }
    unsetenv("CALAB_CONFIG");
}
