/* SPDX-License-Identifier: MIT */
/* Owns the files of a lab's folder, as tests write them. */
#include "tests/support/lab_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/program.h"
#include "tests/support/support.h"

void lab_put(const char *folder, const char *name, const char *text)
{
    char path[PATH_MAX + 300];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    test_write(path, text, strlen(text));
}

char *lab_get(const char *folder, const char *name)
{
    char path[PATH_MAX + 300];
    size_t count;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return test_read(path, &count);
}

const char *lab_solved(const struct ca_lab_task *task, const char *folder, const char *text,
                       const char *from, const char *to)
{
    struct outcome o = calab("lab new %s %s --task %s", task->lab.model->name, folder, task->name);
    const char *kernel, *at;

    ck_assert_msg(o.status == 0, "%s", o.err);
    kernel = text ? text : lab_get(task->folder, "solution.cu");
    at = from ? strstr(kernel, from) : kernel;
    ck_assert_msg(at != NULL, "%s: '%s' is not in the kernel", task->name, from);
    lab_put(folder, "kernel.cu",
            test_text("%.*s%s%s", (int)(at - kernel), kernel, from ? to : "",
                      at + (from ? strlen(from) : 0)));
    return folder;
}
