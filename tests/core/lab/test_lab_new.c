/* SPDX-License-Identifier: MIT */
/* calab lab new: folders that build by themselves, whose check fails, and the tasks' solutions,
 * whose check does not. What needs CUDA is in test_cuda_lab. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/random.h"
#include "core/lab/kernel/task.h"
#include "tests/support/lab_folder.h"
#include "tests/support/program.h"
#include "tests/support/support.h"

/* The status of `calab ARGUMENTS`, whose output must have a part. */
static void expect(int status, const char *part, const char *command, const char *folder)
{
    struct outcome o = calab("%s %s", command, folder);

    ck_assert_msg(o.status == status, "%s %s: status %d: %s%s", command, folder, o.status, o.out,
                  o.err);
    if (!strstr(o.out, part) && !strstr(o.err, part))
        ck_abort_msg("%s %s: '%s' is not in: %s%s", command, folder, part, o.out, o.err);
}

static const char *const forms[] = {"", " --own", " --ghosts 1"};

/* Of every model and form: it compiles, and is wrong as long as nobody has written anything. */
START_TEST(skeleton)
{
    const struct ca_model *model = ca_models[_i / (int)COUNT(forms)];
    char command[100], name[40];

    snprintf(command, sizeof command, "lab new %s", model->name);
    snprintf(name, sizeof name, "new-%d%s", _i, forms[_i % (int)COUNT(forms)]);
    name[strcspn(name, " ")] = '\0';
    expect(0, "write kernel.c", command, test_path(name));
    if (forms[_i % (int)COUNT(forms)][0]) {
        char again[140];

        expect(8, "not empty", command, test_path(name)); /* what is there stays */
        snprintf(again, sizeof again, "lab new %s%s", model->name, forms[_i % (int)COUNT(forms)]);
        strcat(name, "b");
        expect(0, "write kernel.c", again, test_path(name));
    }
    lab_put(test_path(name), "lab.cfg.new", "");
    expect(1, "generation 1", "lab check", test_path(name));
}
END_TEST

/* Without calab: make, and a program that runs. */
START_TEST(builds_by_itself)
{
    char command[600], text[1000] = "";
    FILE *out;

    expect(0, "kernel.c", "lab new fhp", test_path("alone"));
    snprintf(command, sizeof command,
             "cd '%s' && MAKEFLAGS= make -s CFLAGS='-O1 -Wall -Werror' 2>&1 && "
             "./kernel 7 6 1 3",
             test_path("alone"));
    out = popen(command, "r");
    ck_assert_ptr_nonnull(out);
    text[fread(text, 1, sizeof text - 1, out)] = '\0';
    ck_assert_msg(pclose(out) == 0, "%s", text);
    ck_assert_contains(text, "7 x 6 x 1 cells, 3 generations",
                       "plane 0: the sum of all cells is 0");
}
END_TEST

/* A border that the kernel fills, as in the exercise that the model is of. */
static const char ghosts[] =
    "#include \"calab_lab.h\"\n"
    "void step(const struct lab *lab, lab_input *const in[], lab_cell *const out[])\n{\n"
    "    int64_t w = lab->w, h = lab->h;\n    lab_cell *a = in[0];\n"
    "    for (int64_t y = 0; y < h; y++) {\n"
    "        a[LAB_AT(lab, -1, y, 0)] = a[LAB_AT(lab, w - 1, y, 0)];\n"
    "        a[LAB_AT(lab, w, y, 0)] = a[LAB_AT(lab, 0, y, 0)];\n    }\n"
    "    for (int64_t x = -1; x <= w; x++) {\n"
    "        a[LAB_AT(lab, x, -1, 0)] = a[LAB_AT(lab, x, h - 1, 0)];\n"
    "        a[LAB_AT(lab, x, h, 0)] = a[LAB_AT(lab, x, 0, 0)];\n    }\n"
    "    for (int64_t y = 0; y < h; y++)\n        for (int64_t x = 0; x < w; x++) {\n"
    "            int b = 0;\n            for (int j = -1; j <= 1; j++)\n"
    "                for (int i = -1; i <= 1; i++)\n"
    "                    b += a[LAB_AT(lab, x + i, y + j, 0)];\n"
    "            out[0][LAB_AT(lab, x, y, 0)] = b == 4 || b >= 6;\n        }\n}\n";

START_TEST(with_ghosts)
{
    expect(0, "", "lab new anneal --ghosts 1", test_path("ghosts"));
    lab_put(test_path("ghosts"), "kernel.c", ghosts);
    expect(0, "right: 24 cases", "lab check", test_path("ghosts"));
}
END_TEST

/* Each task whose kernel is in C, as it comes and with its solution. */
START_TEST(shipped)
{
    static struct ca_lab_task task;
    char *solution, name[80];
    struct stat file;

    if (!ca_lab_task(&task, _i) || task.lab.cuda)
        return;
    test_hurry_by(4);
    expect(0, "write kernel.c", test_text("lab new %s --task %s", task.lab.model->name, task.name),
           test_path(task.name));
    snprintf(name, sizeof name, "%s/solution.c", task.name);
    ck_assert_int_ne(stat(test_path(name), &file), 0);
    expect(1, "generation 1", "lab check", test_path(task.name));
    solution = lab_get(task.folder, "solution.c");
    lab_put(test_path(task.name), "kernel.c", solution);
    expect(0, "kernel.c: right", "lab check", test_path(task.name));
}
END_TEST

START_TEST(tasks_are_listed)
{
    expect(0, "The ANNEAL exercise, in C", "lab tasks", "");
    expect(0, "fhp-table        fhp      C ", "lab tasks", "");
}
END_TEST

/* Every file of a folder of which `calab lab update` may know nothing, with a text of one's own. */
static const char *const of_student[] = {"README.md",    "Makefile",    "kernel.c", "calab_lab.h",
                                         "lab_runner.c", "lab_model.h", "mine.h",   "lab_wire.h",
                                         "calab_draw.h", "notes.txt"};

/* A changed lab.cfg reaches calab's own files by update, and nothing else of the folder. */
START_TEST(updated)
{
    const char *folder = test_path("update");
    char *text;
    struct stat file;

    expect(0, "", "lab new life3d", folder);
    for (size_t i = 0; i < COUNT(of_student); i++)
        lab_put(folder, of_student[i], test_text("mine: %s", of_student[i]));
    lab_put(folder, "lab.cfg",
            "version = 1; model = \"life3d\"; source = \"kernel.c\"; ghosts = 2;\n"
            "parameters : { r1 = 3; };");
    expect(0, "remove the old ones", "lab update", folder);
    text = lab_get(folder, "calab/lab_model.h");
    ck_assert_contains(text, "#define LAB_GHOSTS 2", "{\"r1\", 3, \"\"}");
    for (size_t i = 0; i < COUNT(of_student); i++)
        ck_assert_str_eq(lab_get(folder, of_student[i]), test_text("mine: %s", of_student[i]));
    ck_assert_int_eq(remove(test_text("%s/Makefile", folder)), 0);
    expect(0, "", "lab update", folder);
    ck_assert_contains(lab_get(folder, "Makefile"), "include calab/lab.mk");
    ck_assert_int_eq(system(test_text("rm -r '%s/calab'", folder)), 0);
    lab_put(folder, "calab", "a file");
    expect(8, "rename it", "lab update", folder);
    ck_assert(stat(test_text("%s/calab", folder), &file) == 0 && S_ISREG(file.st_mode));
}
END_TEST

static const char flat_makefile[] =
    "# Builds the kernel of this folder as a program that needs no calab.\n"
    "kernel: kernel.c lab_runner.c calab_lab.h calab_draw.h lab_model.h lab_wire.h\n"
    "\t$(CC) -O1 -pthread -o $@ kernel.c lab_runner.c -lm\n";

/* A folder of an older calab, which has calab's files beside the kernel. */
static const char *flat(const char *name)
{
    static const char *const own[] = {"calab_lab.h", "calab_draw.h", "lab_model.h", "lab_wire.h",
                                      "lab_runner.c"};
    const char *folder = test_path(name);
    const char *kernel = test_read(test_source("configs/lab/anneal/solution.c"), &(size_t){0});
    const char *at;

    expect(0, "", "lab new anneal", folder);
    for (size_t i = 0; i < COUNT(own); i++)
        lab_put(folder, own[i], lab_get(folder, test_text("calab/%s", own[i])));
    ck_assert_int_eq(system(test_text("rm -r '%s/calab'", folder)), 0);
    lab_put(folder, "Makefile", flat_makefile);
    lab_put(folder, "lab.cfg",
            "version = 1; model = \"anneal\"; source = \"kernel.c\"; sizes = [\"33x20\"];\n"
            "seeds = [1]; repeats = 1; limits : { seconds = 20.0; };\n");
    at = strstr(kernel, "calab/calab_lab.h");
    ck_assert_ptr_nonnull(at);
    lab_put(folder, "kernel.c", test_text("%.*s%s", (int)(at - kernel), kernel, at + 6));
    return folder;
}

/* It is built by its own Makefile as before, and checked by the files of this calab, whatever its
 * old ones are; a task of it is one of this calab. */
START_TEST(an_older_folder)
{
    const char *folder = flat("older"), *made = test_path("of-older");
    struct stat file;

    test_hurry_by(4);
    ck_assert_int_eq(system(test_text("cd '%s' && MAKEFLAGS= make -s", folder)), 0);
    expect(0, "kernel.c: right", "lab check", folder);
    lab_put(folder, "calab_lab.h", "#error \"this is an old one\"\n");
    lab_put(folder, "lab_wire.h", "#error \"this is an old one\"\n");
    expect(0, "kernel.c: right", "lab check", folder);
    expect(0, "remove the old ones", "lab update", folder);
    ck_assert_str_eq(lab_get(folder, "Makefile"), flat_makefile);
    expect(0, "kernel.c: right", "lab check", folder);
    expect(0, "", test_text("lab new anneal --task %s", folder), made);
    ck_assert_int_ne(stat(test_text("%s/calab_lab.h", made), &file), 0);
    ck_assert_int_eq(system(test_text("cd '%s' && MAKEFLAGS= make -s", made)), 0);
}
END_TEST

/* The draws of a folder are those of the models: Random123's own check, and some cells. */
START_TEST(draws)
{
    static const char body[] =
        "#include \"calab_lab.h\"\n#include \"calab_draw.h\"\n#include <stdio.h>\n#include "
        "<stdlib.h>\n"
        "void step(const struct lab *l, lab_input *const in[], lab_cell *const out[])\n{\n"
        "    struct lab_words w = lab_philox(5 | 6ull << 32, 1, 2, 3, 4);\n"
        "    printf(\"%08x %08x\\n\", w.v[0], w.v[3]);\n"
        "    printf(\"u %u\\n\", lab_uniform(77, 13, 5, 2, 9, 3));\n"
        "    for (int x = 0; x < 300; x++)\n"
        "        printf(\"%d\", lab_event(77, x, 5, 2, 9, 32, 20000));\n"
        "    puts(\"\"); exit(1);\n}\n";
    char events[301] = "", number[40];
    struct outcome o;

    expect(0, "", "lab new anneal", test_path("draws"));
    lab_put(test_path("draws"), "kernel.c", body);
    o = calab("lab check %s", test_path("draws"));
    ck_assert_contains(o.out, "cceb838b 0e1a9304");
    snprintf(number, sizeof number, "u %u\n", ca_uniform(77, 13, 5, 2, 9, 3));
    ck_assert_contains(o.out, number);
    for (unsigned x = 0; x < 150; x++) /* lines are cut when they are printed */
        events[x] = ca_event(77, x, 5, 2, 9, 32, 20000) ? '1' : '0';
    ck_assert_contains(o.out, events);
}
END_TEST

static const struct refusal refusals[] = {
    {"lab", 2, "calab lab", "new"},
    {"lab chek", 2, "chek", "check"},
    {"lab new", 2, "needs a model", "anneal"},
    {"lab new aneal", 2, "aneal", "anneal"},
    {"lab new anneal x --task nothing", 2, "no task 'nothing'", "fhp-table"},
    {"lab new anneal x --task fhp-tabel", 2, "fhp-tabel", "fhp-table"},
    {"lab new anneal x --task fhp-table", 2, "a task of fhp", "not of anneal"},
    {"lab new fhp x --task fhp-table --cuda", 2, "--task", "--cuda"},
    {"lab new fhp x --task fhp-table --c", 2, "--task", "--c,"},
    {"lab new fhp x --task fhp-table --own", 2, "--task", "--own,"},
    {"lab new fhp x --task fhp-table --ghosts 1", 2, "--task", "--ghosts"},
    {"lab new fhp x --cuda --c", 2, "--cuda and --c exclude each other", "one language"},
    {"lab new fhp x --own --ghosts 1", 2, "--ghosts", "--own"},
    {"lab new fhp x --ghosts 9", 2, "--ghosts", "0 ... 4"},
    {"lab new fhp /no/such/folder/x", 8, "/no/such/folder/x", "No such file"},
    {"lab check /no/such", 8, "/no/such", "No such file"},
    {"lab check configs", 8, "configs", "no lab.cfg"},
    {"lab update configs", 8, "configs", "no lab.cfg"},
};

/* A folder of tasks, two of which cannot be read: each is named with its line, also where it is
 * asked for, and the others are there. */
START_TEST(tasks_that_are_wrong)
{
    static const char good[] = "version = 1;\nmodel = \"anneal\";\nsource = \"kernel.c\";\n";
    static const char *const folders[] = {"configs",          "configs/lab",
                                          "configs/lab/fine", "configs/lab/late",
                                          "configs/lab/none", "configs/lab/odd"};
    struct outcome o;

    for (size_t i = 0; i < COUNT(folders); i++)
        ck_assert_int_eq(mkdir(test_path(folders[i]), 0700), 0);
    lab_put(test_path("configs/lab/fine"), "lab.cfg", good);
    lab_put(test_path("configs/lab/late"), "lab.cfg", "version = 1;\nmodel = \"aneal\";\n");
    lab_put(test_path("configs/lab/odd"), "lab.cfg", "version = 1;\n\nmodel == 2;\n");
    setenv("CALAB_SOURCE", test_folder(), 1); /* where calab then runs */
    o = calab("lab tasks");
    ck_assert_int_eq(o.status, 3);
    ck_assert_contains(o.out, "fine             anneal");
    ck_assert_msg(!strstr(o.out, "late") && !strstr(o.out, "none"), "%s", o.out);
    ck_assert_contains(o.err, "configs/lab/late/lab.cfg:2:", "aneal", "configs/lab/odd/lab.cfg:3:");
    ck_assert(!strstr(o.err, "none"));
    o = calab_fails(3, "configs/lab/late/lab.cfg:2:", "lab new anneal %s --task late",
                    test_path("made"));
    o = calab_fails(3, "configs/lab/late/lab.cfg:2:", "lab calibrate -q");
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {builds_by_itself, with_ghosts, tasks_are_listed, tasks_that_are_wrong,
                              updated, an_older_folder, draws},
                     .table = {{skeleton, test_models() * (int)COUNT(forms)},
                               {shipped, 12},
                               {refusals_test(refusals), COUNT(refusals)}});
}
