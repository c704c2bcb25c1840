/* SPDX-License-Identifier: MIT */
/* calab lab check on kernels in C, right and wrong: what it says of each, and that nothing that a
 * kernel does reaches beyond its process. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/lab_folder.h"
#include "tests/support/program.h"
#include "tests/support/support.h"

static const char small[] = "version = 1; model = \"anneal\"; source = \"kernel.c\"; seeds = [3];\n"
                            "sizes = [\"1x1\", \"5x3\", \"33x20\"]; repeats = 3; tile = [8, 8];\n"
                            "limits : { seconds = 1.0; memory_mb = 256; };\n";

/* A step of anneal, to which each kernel adds something. */
static const char head[] =
    "#include \"calab_lab.h\"\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "#include <unistd.h>\n#include <sys/wait.h>\n"
    "static void good(const struct lab *lab, lab_input *const in[], lab_cell *const out[])\n{\n"
    "    int64_t w = lab->w, h = lab->h;\n"
    "    for (int64_t y = 0; y < h; y++)\n        for (int64_t x = 0; x < w; x++) {\n"
    "            int b = 0;\n"
    "            for (int dy = -1; dy <= 1; dy++)\n                for (int dx = -1; dx <= 1; "
    "dx++)\n"
    "                    b += in[0][LAB_AT(lab, (x + dx + w) % w, (y + dy + h) % h, 0)];\n"
    "            out[0][LAB_AT(lab, x, y, 0)] = b == 4 || b >= 6;\n        }\n}\n"
    "void step(const struct lab *lab, lab_input *const in[], lab_cell *const out[])\n{\n"
    "    lab_cell *cell = out[0];\n    (void)cell;\n";

/* A folder of the test's with a lab.cfg and a kernel of that body. */
static const char *make_lab(const char *config, const char *body)
{
    static int number;
    const char *made = test_path(test_text("lab%d", number++));

    ck_assert_int_eq(mkdir(made, 0700), 0);
    lab_put(made, "lab.cfg", config);
    lab_put(made, "kernel.c", test_text("%s    %s\n}\n", head, body));
    return made;
}

/* So many megabytes of words. */
#define SAYS(mb) "for (int i = 0; i < " #mb " << 16; i++) puts(\"fifteen letters\");"

static const struct {
    const char *body;
    int status;
    const char *says, *too;
} kernels[] = {
    {"good(lab, in, out);", 0, "kernel.c: right: 3 cases", "on the CPU"},
    {"(void)good; (void)in;", 1, "expected", "1 of them never written"},
    {"good(lab, in, out); if (lab->w > 32) cell[LAB_AT(lab, 32, 19, 0)] ^= 1;", 1,
     "generation 1, x 32, y 19, z 0, plane cell: expected", "1 of 660 cells wrong"},
    {"good(lab, in, out); if (lab->w > 32) cell[LAB_AT(lab, 32, 19, 0)] ^= 1;", 1, "+-",
     "........|........|........|........|#"},
    {"good(lab, in, out); if (lab->t == 4 && lab->w == 5) cell[7] ^= 1;", 1,
     "generation 5, x 2, y 1, z 0, plane cell", "on 5x3, seed 3, from generation 0: 3 right"},
    {"static int n; good(lab, in, out); if (++n % 4 == 3) cell[0] ^= 1;", 1,
     "wrong, on the CPU: something static is kept between calls: this call is right alone in a "
     "process, "
     "and wrong after the calls before it: generation 3",
     "a call of 2"},
    {"good(lab, in, out); cell[lab->w * lab->h] = 1;", 1, "writes 1 cells behind the last",
     "kernel.c:23: an address outside of all planes"},
    {"good(lab, in, out); cell[-2] = 1;", 1, "writes 2 cells before the beginning",
     "an address outside of all planes"},
    {"good(lab, in, out); if (in[0][lab->w * lab->h]) cell[-1]++;", 1, "",
     "kernel.c:23: an address outside of all planes"},
    {"good(lab, in, out); ((lab_cell *)in[0])[lab->w * lab->h - 1] ^= 1;", 1,
     "changes plane cell of its input, in row y 0", ""},
    {"good(lab, in, out); int x = (int)lab->w + 0x7fffffff; cell[0] ^= x == 5;", 1,
     "signed integer overflow", "under the sanitizers"},
    {"good(lab, in, out); int x = (int)lab->w + 0x7ffffffa; cell[0] ^= lab->t && x == 5;", 1,
     "signed integer overflow", "on 33x20, seed 3; its cells are right there"},
    {"good(lab, in, out); if (system(\"rm -rf ../source/* ./* ../run >/dev/null 2>&1\")) {}", 0,
     "kernel.c: right", ""},
    {"good(lab, in, out); raise(SIGSEGV);", 1, "crashed in a step: Segmentation fault", "on 1x1"},
    {"good(lab, in, out); exit(0);", 1, "ended its process in a step, with exit status 0", ""},
    {"good(lab, in, out); puts(\"here I am\"); exit(3);", 1, "exit status 3", "here I am"},
    /* What has not ended may be slow, or never end: what was seen is said. */
    {"for (;;) (void)in;", 6, "kernel.c: too slow, on the CPU: no result in a step after ",
     "s of CPU), in the first case; 1 s are allowed: limits.seconds and sizes in lab.cfg say how "
     "long\n    on 1x1"},
    {"good(lab, in, out); for (;;) pause();", 6, "no result in a step after 1",
     "s (0 s of CPU): it waits, and computes nothing, in the first case; 1 s are allowed"},
    {"good(lab, in, out); while (lab->w > 32) (void)in;", 6,
     "kernel.c: too slow, on the CPU: 2 cases were right, then no result in a step after ",
     "on 33x20, seed 3, from generation 0: 0 right, then a call of 1\n"},
    {"good(lab, in, out); while (lab->w > 5 && lab->t > 2) (void)in;", 6, "2 cases were right",
     "on 33x20, seed 3, from generation 0: 3 right, then a call of 3\n"},
    {"good(lab, in, out); for (;;) puts(\"and so on and so on and so on and so on\");", 1,
     "prints more than it may, 16 MB", "and so on"},
    {"for (;;) { char *m = malloc(1 << 24); if (m) memset(m, 1, 1 << 24); write(2, m, 1); }", 1,
     "takes more memory than it may, 256 MB", ""},
    {"static int n; good(lab, in, out); if (lab->w > 32 && !n++) " SAYS(20), 1,
     "prints more than it may, 16 MB", "on 33x20"},
    {"static int n; good(lab, in, out); if (lab->w > 32 && !n++) " SAYS(12), 0,
     "kernel.c: right: 3 cases", ""},
    {"int a = ;", 4, "kernel.c does not compile: kernel.c:23:", "error:"},
    {"good(lab, in, out); absent();", 4, "does not compile", "absent"},
};

START_TEST(kernel)
{
    const char *folder = make_lab(small, kernels[_i].body);
    struct outcome o = calab("lab check %s", folder);

    ck_assert_msg(o.status == kernels[_i].status, "%s: status %d: %s%s", kernels[_i].body, o.status,
                  o.out, o.err);
    if (!strstr(o.out, kernels[_i].says) || !strstr(o.out, kernels[_i].too))
        ck_abort_msg("%s: %s%s", kernels[_i].body, o.out, o.err);
}
END_TEST

/* A case from generation 0 is shown before one of a smaller size that begins late. */
START_TEST(from_generation_0_first)
{
    const char *folder =
        make_lab("version = 1; model = \"anneal\"; source = \"kernel.c\"; seeds = [3, 4];\n"
                 "sizes = [\"5x3\", \"33x20\"]; repeats = 2;\n"
                 "limits : { seconds = 1.0; memory_mb = 256; };\n",
                 "good(lab, in, out); if (lab->w == 33 && lab->t == 0) cell[40] ^= 1;\n"
                 "    if (lab->w == 5 && lab->t > 1000) cell[7] ^= 1;");
    struct outcome o = calab("lab check %s", folder);

    ck_assert_int_eq(o.status, 1);
    ck_assert_contains(o.out, "on 33x20, seed 3, from generation 0: 0 right");
}
END_TEST

/* Also one that has left its group and lost its parent. */
START_TEST(what_it_forks_is_ended)
{
    char name[16], body[400];
    const char *folder;
    struct outcome o;

    snprintf(name, sizeof name, "deep%d", (int)getpid());
    snprintf(body, sizeof body,
             "if (fork() == 0) { setsid(); if (fork() == 0) {\n"
             "int prctl(int, ...); prctl(15, \"%s\"); /* PR_SET_NAME */"
             "puts(\"deep\"); fflush(stdout); for (;;) pause(); } _exit(0); } wait(NULL);\n"
             "sleep(20); (void)in;",
             name);
    folder = make_lab(small, body);
    o = calab("lab check %s", folder);
    ck_assert_int_eq(o.status, 6);
    ck_assert_contains(o.out, "deep");
    ck_assert_int_eq(test_process(name), 0);
}
END_TEST

/* It runs in a folder of its own: what it removes there is not the lab. */
START_TEST(its_folder_is_a_copy)
{
    const char *folder = make_lab(
        small, "good(lab, in, out); if (system(\"rm -rf ../source/* ./* ../run\")) _exit(9);");
    struct stat file;

    calab("lab check %s", folder);
    ck_assert_int_eq(stat(test_text("%s/kernel.c", folder), &file), 0);
    ck_assert_int_ne(stat(test_text("%s/calab", folder), &file),
                     0); /* and nothing is left there by the check */
}
END_TEST

START_TEST(json)
{
    const char *folder = make_lab(small, "good(lab, in, out); if (lab->w == 5) cell[8] ^= 1;");
    struct outcome o = calab("lab check --json %s", folder);
    json_t *root = outcome_json(&o);
    const char *verdict = NULL, *size = NULL, *plane = NULL;
    json_int_t generation = 0, x = 0, y = 0, wrong = 0;

    ck_assert_int_eq(o.status, 1);
    ck_assert_int_eq(json_unpack(root, "{s:s, s:s, s:I, s:{s:I, s:I, s:I, s:s}}", "verdict",
                                 &verdict, "size", &size, "wrong_cells", &wrong, "first",
                                 "generation", &generation, "x", &x, "y", &y, "plane", &plane),
                     0);
    ck_assert_str_eq(verdict, "cell");
    ck_assert_str_eq(size, "5x3");
    ck_assert_str_eq(plane, "cell");
    ck_assert_int_eq(wrong, 1);
    ck_assert_int_eq(generation, 1);
    ck_assert_int_eq(x, 3);
    ck_assert_int_eq(y, 1);
    ck_assert(json_number(root, "seconds") > 0 && json_number(root, "seconds") < 600);
}
END_TEST

/* The sentence of core/lab/cause/influence.h follows the map. */
START_TEST(why)
{
    const char *folder = make_lab(
        small, "(void)good; int64_t w = lab->w, h = lab->h; for (int64_t y = 0; y < h; y++)\n"
               "for (int64_t x = 0; x < w; x++) { int b = 0; for (int dy = -1; dy <= 1; dy++)\n"
               "for (int dx = -1; dx <= 1; dx++) { int64_t u = x + dx, v = y + dy;\n"
               "if (u >= 0 && v >= 0 && u < w && v < h) b += in[0][LAB_AT(lab, u, v, 0)]; }\n"
               "cell[LAB_AT(lab, x, y, 0)] = b == 4 || b >= 6; }");
    struct outcome o = calab("lab check %s", folder);

    ck_assert_int_eq(o.status, 1);
    ck_assert_contains(o.out, "cells at x = 0 do not read any neighbour at x-1");
}
END_TEST

/* In JSON, too: what was allowed and seen, beside how many cases were right. */
START_TEST(slow_json)
{
    const char *folder = make_lab(small, "good(lab, in, out); while (lab->w > 5) (void)in;");
    struct outcome o = calab("lab check --json %s", folder);
    json_t *root = outcome_json(&o);

    ck_assert_int_eq(o.status, 6);
    ck_assert_str_eq(json_text(root, "verdict"), "slow");
    ck_assert(json_number(root, "cases") == 2 && json_number(root, "limit_s") == 1);
    ck_assert(json_number(root, "took_s") >= 1 && json_number(root, "cpu_s") > 0.2);
    ck_assert(json_number(root, "cpu_s") < json_number(root, "took_s") + 0.1);
    ck_assert(!json_is_true(json_object_get(root, "right")));
}
END_TEST

START_TEST(no_compiler)
{
    const char *const variables[] = {"CC=/no/such/compiler", NULL};
    const struct surroundings s = {.variable = variables};
    struct outcome o = calab_in(&s, "lab check %s", make_lab(small, "good(lab, in, out);"));

    ck_assert_int_eq(o.status, 4);
    ck_assert_contains(o.out, "/no/such/compiler", "Debian package gcc");
}
END_TEST

START_TEST(another_version)
{
    const char *folder =
        make_lab("version = 7; model = \"anneal\"; source = \"kernel.c\";", "good(lab, in, out);");

    calab_fails(3, "version 7 of the interface, and this calab 1", "lab check %s", folder);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {from_generation_0_first, what_it_forks_is_ended, its_folder_is_a_copy,
                              json, slow_json, why, no_compiler, another_version},
                     .table = {{kernel, COUNT(kernels)}});
}
