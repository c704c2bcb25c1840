/* SPDX-License-Identifier: MIT */
/* Settings of tests: each function fails the test where it is refused. */
#ifndef CALAB_TESTS_SUPPORT_SETTINGS_H
#define CALAB_TESTS_SUPPORT_SETTINGS_H

#include "core/settings/settings.h"

struct ca_settings *test_settings_open(const char *path);
void test_settings_save(struct ca_settings *settings);
/* Saves and closes them; the text of their file, kept, NULL where there is none. */
char *test_settings_end(struct ca_settings *settings, const char *path);
/* As the workbench does it. */
void test_settings_set(struct ca_settings *settings, const char *name, const char *text);
/* The text of a file of settings. */
void test_settings_write(const char *path, const char *text);
/* Takes the settings' own rows from the environment, whatever the machine that tests has there. */
void test_settings_unset(void);

#endif
