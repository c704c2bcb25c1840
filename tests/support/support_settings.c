/* SPDX-License-Identifier: MIT */
#include "tests/support/support.h"
#include "tests/support/support_settings.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct ca_error error;

struct ca_settings *test_settings_open(const char *path)
{
    struct ca_settings *settings;

    ck_assert_ok(ca_settings_open(&settings, path, &error));
    return settings;
}

void test_settings_save(struct ca_settings *settings)
{
    ck_assert_ok(ca_settings_save(settings, &error));
}

char *test_settings_end(struct ca_settings *settings, const char *path)
{
    test_settings_save(settings);
    ca_settings_close(settings);
    return access(path, F_OK) == 0 ? test_read(path, NULL) : NULL;
}

void test_settings_set(struct ca_settings *settings, const char *name, const char *text)
{
    enum ca_setting setting;

    ck_assert_ok(ca_setting_find(&setting, name, &error));
    ck_assert_ok(ca_settings_set(settings, setting, text, CA_FROM_WORKBENCH, &error));
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
