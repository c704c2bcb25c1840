/* SPDX-License-Identifier: MIT */
/* A submission reads its own folder and what belongs to the system: neither a classmate's kernel,
 * nor a file of the teacher's, nor calab, while it is compiled and while it runs. */
#include <jansson.h>
#include <linux/landlock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/students/student_cheats.h"
#include "tests/support/lab_folder.h"
#include "tests/support/program.h"
#include "tests/support/support.h"

static const char config[] =
    "version = 1; model = \"anneal\"; source = \"kernel.c\"; seeds = [3]; repeats = 1;\n"
    "sizes = [\"5x3\", \"16x16\"]; tile = [8, 8]; generations = [1, 2];\n"
    "points : { square = 50; uneven = 50; }; limits : { seconds = 60.0; };\n";

static bool has_landlock(void)
{
    return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) >= 1;
}

/* What others have: a classmate's kernel, the teacher's solution, all of it in HOME. */
static const char *home, *class;

static void make_home(void)
{
    home = test_path("home");
    class = test_text("%s/class", home);
    ck_assert(mkdir(home, 0755) == 0 && mkdir(class, 0755) == 0 &&
              mkdir(test_text("%s/bin", home), 0755) == 0 && chmod(test_folder(), 0755) == 0);
    lab_put(home, "solution.c", test_text("%sSTEP { GOOD; }\n", student_good));
    lab_put(home, "bin/helper", "#!/bin/sh\nexit 0\n");
    ck_assert_int_eq(chmod(test_text("%s/bin/helper", home), 0755), 0);
    test_put("secret", "nobody knows 17");
}

static void hand_in(const char *name, const char *kernel)
{
    const char *folder = test_text("%s/%s", class, name);

    ck_assert_int_eq(mkdir(folder, 0755), 0);
    lab_put(folder, "lab.cfg", config);
    if (kernel)
        lab_put(folder, "kernel.c", kernel);
}

static json_t *grade(const char *folders)
{
    const char *const variable[] = {test_text("HOME=%s", home),
                                    test_text("PATH=%s/bin:%s", home, getenv("PATH")), NULL};
    const struct surroundings surroundings = {.variable = variable};
    struct outcome o = calab_in(&surroundings, "lab grade -q --json --secret-seed %s%s",
                                test_path("secret"), folders);
    json_t *root = outcome_json(&o);

    ck_assert_msg(root != NULL, "%s%s", o.out, o.err);
    return root;
}

static const json_t *row_of(const json_t *root, size_t i)
{
    return json_array_get(json_object_get(root, "submissions"), i);
}

/* Right only where it can read a file: `%s` is its path. */
static const char if_read[] =
    "STEP { int fd = open(\"%s\", O_RDONLY); if (fd >= 0) { close(fd); GOOD; }\n"
    "else memset(out[0], 7, lab->w * lab->h); (void)good, (void)in; }\n";

static const struct {
    const char *name, *body, *path; /* below HOME, or of the system */
    double points;
} readers[] = {
    {"includes", "#include \"%s\"\n", "~/solution.c", 0},
    {"incbin", "__asm__(\".section .rodata\\n.incbin \\\"%s\\\"\\n.previous\");\nSTEP { GOOD; }\n",
     "~/solution.c", 0},
    {"opens", if_read, "~/solution.c", 0},
    {"classmate", if_read, "~/class/honest/kernel.c", 0},
    {"itself", if_read, "~/class/itself/kernel.c", 0},
    {"lists",
     "#include <dirent.h>\nSTEP { DIR *d = opendir(\"%s\"); if (d) { closedir(d); GOOD; }\n"
     "else memset(out[0], 7, lab->w * lab->h); (void)good, (void)in; }\n",
     "~/class", 0},
    {"asks",
     "STEP { if (access(\"%s\", X_OK) == 0 && system(\"%s --version >version\") == 0) GOOD;\n"
     "else memset(out[0], 7, lab->w * lab->h); (void)good, (void)in; }\n",
     "calab", 0},
    {"headers", if_read, "/usr/include/stdio.h", 100},
    {"devices", if_read, "/dev/zero", 100},
    {"starts",
     "STEP { if (system(\"%s\") == 0) GOOD; else memset(out[0], 7, lab->w * lab->h);\n"
     "(void)good, (void)in; }\n",
     "~/bin/helper", 100},
    {"honest", "STEP { GOOD; }\n/* %s */\n", "", 100},
};

START_TEST(others_files)
{
    const char *folders = "";
    json_t *root;

    if (!has_landlock())
        return;
    make_home();
    for (size_t i = 0; i < COUNT(readers); i++) {
        const char *path = readers[i].path;

        path = path[0] == '~'               ? test_text("%s%s", home, path + 1)
               : strcmp(path, "calab") == 0 ? test_program()
                                            : path;
        hand_in(readers[i].name, test_text("#include <fcntl.h>\n#include <unistd.h>\n%s%s",
                                           student_good, test_text(readers[i].body, path, path)));
        folders = test_text("%s %s/%s", folders, class, readers[i].name);
    }
    root = grade(folders);
    for (size_t i = 0; i < COUNT(readers); i++) {
        char *text = json_dumps(row_of(root, i), 0);

        ck_assert_msg(json_number(row_of(root, i), "points") == readers[i].points, "%s: %s",
                      readers[i].name, text);
        free(text);
    }
    json_decref(root);
}
END_TEST

/* calab itself copies what is handed in, so a link may not lead out of the folder. */
START_TEST(links)
{
    json_t *root;

    make_home();
    hand_in("out", NULL);
    hand_in("within", NULL);
    ck_assert_int_eq(symlink("../../solution.c", test_text("%s/out/kernel.c", class)), 0);
    lab_put(test_text("%s/within", class), "other.c",
            test_text("%sSTEP { GOOD; }\n", student_good));
    ck_assert_int_eq(symlink("other.c", test_text("%s/within/kernel.c", class)), 0);
    root = grade(test_text(" %s/out %s/within", class, class));
    ck_assert(json_number(row_of(root, 0), "points") == 0);
    ck_assert_str_eq(json_text(row_of(root, 0), "verdict"), "not graded");
    ck_assert_contains(json_text(row_of(root, 0), "text"), "out/kernel.c leads out of its folder",
                       "allowed are files of the folder");
    ck_assert(json_number(row_of(root, 1), "points") == 100);
    json_decref(root);
}
END_TEST

int main(void) { return RUN_TESTS(.test = {others_files, links}); }
