/* SPDX-License-Identifier: MIT */
#include "tests/support/support_lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/support/support.h"

static const char config[] =
    "version = 1; model = \"anneal\"; source = \"kernel.c\"; seeds = [3];\n"
    "sizes = [\"5x3\", \"33x20\"]; repeats = 2;\n"
    "limits : { seconds = 1.0; memory_mb = 512; };\n";

static const char right[] =
    "#include \"calab_lab.h\"\n#include <stdlib.h>\n#include <unistd.h>\n"
    "void step(const struct lab *lab, lab_input *const in[], lab_cell *const out[])\n{\n"
    "    int64_t w = lab->w, h = lab->h;\n    lab_cell *cell = out[0];\n"
    "    for (int64_t y = 0; y < h; y++)\n        for (int64_t x = 0; x < w; x++) {\n"
    "            int live = 0;\n"
    "            for (int dy = -1; dy <= 1; dy++)\n"
    "                for (int dx = -1; dx <= 1; dx++)\n"
    "                    live += in[0][LAB_AT(lab, (x + dx + w) % w, (y + dy + h) % h, 0)];\n"
    "            cell[LAB_AT(lab, x, y, 0)] = live == 4 || live >= 6;\n"
    "        }\n    (void)cell;\n";

void lab_save(const char *folder, const char *body)
{
    char path[400], next[420], *text;

    ck_assert_int_gt(asprintf(&text, "%s    %s\n}\n", right, body), 0);
    snprintf(path, sizeof path, "%s/kernel.c", folder);
    snprintf(next, sizeof next, "%s/.kernel.c.new", folder);
    test_write(next, text, strlen(text));
    ck_assert_int_eq(rename(next, path), 0);
    free(text);
}

const char *lab_folder(const char *name, const char *body)
{
    static char folder[4][300];
    static int number;
    const char *made = strcpy(folder[number++ % 4], test_path(name));
    char path[400];

    ck_assert_int_eq(mkdir(made, 0700), 0);
    snprintf(path, sizeof path, "%s/lab.cfg", made);
    test_write(path, config, strlen(config));
    lab_save(made, body);
    return made;
}
