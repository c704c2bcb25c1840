/* SPDX-License-Identifier: MIT */
/*
 * The experiments, patterns and tasks that are part of the program: that all are in it and no
 * solution is, how they are read, and that calab finds them in an empty folder, behind files of the
 * same names.
 */
#include "core/files/embedded.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/files/config.h"
#include "tests/support/program.h"
#include "tests/support/support.h"
#include "tests/support/script.h"

static struct ca_error error;

/* --- what is in it ---------------------------------------------------------------------------- */

static bool is_solution(const char *path)
{
    return strncmp(strrchr(path, '/') + 1, "solution", strlen("solution")) == 0;
}

static int files_seen, solutions_seen;

static int is_embedded(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    const char *name = path + strlen(test_source("configs/"));
    const struct ca_embedded *file;
    char *bytes;
    size_t size;

    (void)status, (void)walk;
    if (type != FTW_F)
        return 0;
    file = ca_embedded_find(test_path(name)); /* which is a path outside */
    ck_assert_ptr_null(file);
    for (int i = 0; (file = ca_embedded_at(i)) != NULL && strcmp(file->name, name) != 0; i++)
        ;
    if (is_solution(path)) {
        ck_assert_msg(!file, "%s", path);
        solutions_seen++;
        return 0;
    }
    ck_assert_msg(file != NULL, "%s is not part of the program", path);
    bytes = test_read(path, &size);
    ck_assert_msg((size_t)(file->end - file->bytes) == size && *file->end == '\0' &&
                      memcmp(file->bytes, bytes, size) == 0,
                  "%s is another in the program", path);
    files_seen++;
    return 0;
}

/* Headers of labs, of models and of kernels. */
static bool is_code(const char *name)
{
    return strncmp(name, "core/", 5) == 0 || strncmp(name, "kernels/", 8) == 0;
}

static void check_code(const struct ca_embedded *file)
{
    size_t size;
    char *bytes = test_read(test_source(file->name), &size);

    ck_assert_msg((size_t)(file->end - file->bytes) == size &&
                      memcmp(file->bytes, bytes, size) == 0,
                  "%s is another in the program", file->name);
}

START_TEST(all_of_configs)
{
    const struct ca_embedded *file;
    int others = 0;

    ck_assert_int_eq(nftw(test_source("configs"), is_embedded, 8, FTW_PHYS), 0);
    ck_assert_int_ge(solutions_seen, 6);
    for (int i = 0; (file = ca_embedded_at(i)) != NULL; i++)
        if (is_code(file->name))
            check_code(file);
        else
            others++;
    ck_assert_int_eq(others, files_seen);
    ck_assert_str_eq(ca_embedded_at(0)->name, "anneal-exercise.cfg");
}
END_TEST

/* A line that only solutions have. */
static bool is_secret(const char *line, size_t length)
{
    const struct ca_embedded *file;

    if (length < 30)
        return false;
    for (int i = 0; (file = ca_embedded_at(i)) != NULL; i++)
        if (memmem(file->bytes, (size_t)(file->end - file->bytes), line, length))
            return false;
    return true;
}

static int secrets;

static int is_secret_file(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    static char *program;
    static size_t size;
    char *text;

    (void)status, (void)walk;
    if (type != FTW_F || !is_solution(path))
        return 0;
    program = program ? program : test_read(test_program(), &size);
    text = test_read(path, NULL);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        size_t blanks = strspn(line, " "), length = strlen(line) - blanks;

        if (!is_secret(line + blanks, length))
            continue;
        secrets++;
        ck_assert_msg(!memmem(program, size, line + blanks, length), "%s: '%s' is in the program",
                      path, line);
    }
    return 0;
}

START_TEST(no_solution)
{
    ck_assert_int_eq(nftw(test_source("configs/lab"), is_secret_file, 8, FTW_PHYS), 0);
    ck_assert_int_ge(secrets, 30);
}
END_TEST

/* --- how it is read --------------------------------------------------------------------------- */

START_TEST(paths)
{
    char resolved[PATH_MAX], *bytes;
    size_t size;

    ck_assert(ca_file_exists("builtin:/water-dam.cfg"));
    ck_assert(!ca_file_exists("builtin:/water-dam"));
    ck_assert(!ca_file_exists("builtin:/lab/anneal/solution.c"));
    ck_assert(!ca_embedded_is_path("./builtin:/water-dam.cfg"));
    ck_assert_ok(ca_file_resolve("builtin:/patterns", resolved, &error));
    ck_assert_str_eq(resolved, "builtin:/patterns");
    ck_assert_int_eq(ca_file_resolve(test_path("none"), resolved, &error), CA_IO);
    ck_assert_contains(error.text, "none: No such file");
    ck_assert_ok(ca_file_read("builtin:/water-dam.cfg", 1 << 20, &bytes, &size, &error));
    ck_assert_uint_eq(strlen(bytes), size);
    ck_assert_contains(bytes, "init = \"dam\"");
    free(bytes);
    ck_assert_int_eq(ca_file_read("builtin:/water-dam.cfg", 10, &bytes, &size, &error), CA_IO);
    ck_assert_int_eq(ca_file_read("builtin:/none.cfg", 10, &bytes, &size, &error), CA_IO);
    ck_assert_str_eq(error.text,
                     "cannot read builtin:/none.cfg: there is no such file in the program");
}
END_TEST

static const struct {
    const char *folder, *names; /* "...": and others */
} listings[] = {
    {"builtin:/lab/anneal", "README.md kernel.c lab.cfg "},
    {"builtin:/lab", "anneal anneal-shared cloud-packed fhp-table life3d-tile rules "
                     "submission water-kernels "},
    {"builtin:/patterns", "anneal fhp life life3d patterns.cfg water "},
    {"builtin:/lab/anneal-", ""},
    {"builtin:/water-dam.cfg", ""},
    {"builtin:/none", ""},
};

START_TEST(folders)
{
    struct ca_listing listing;
    char names[400] = "";

    ck_assert_ok(ca_listing_read(&listing, listings[_i].folder, &error));
    for (int i = 0; i < listing.count; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s ", listing.name[i]);
    ck_assert_str_eq(names, listings[_i].names);
    ca_listing_free(&listing);
}
END_TEST

START_TEST(the_root)
{
    struct ca_listing listing;

    ck_assert_ok(ca_listing_read(&listing, CA_EMBEDDED, &error));
    ck_assert_str_eq(listing.name[0], "anneal-exercise.cfg");
    ck_assert_str_eq(listing.name[listing.count - 1], "wireworld-loops.cfg");
    ca_listing_free(&listing);
}
END_TEST

START_TEST(no_file_of_that_name)
{
    config_t config;
    char *text;

    ck_assert_int_ne(ca_config_read(&config, "builtin:/nowhere.cfg", &text, &error), CA_OK);
    ck_assert_contains(error.text, "cannot read builtin:/nowhere.cfg: there is no such file");
    ck_assert_ptr_null(text);
    config_destroy(&config);
}
END_TEST

/* --- in an empty folder ----------------------------------------------------------------------- */

/* Has calab run in an empty folder, from where nothing of the source tree is found. */
static void move_out(void)
{
    ck_assert_int_eq(mkdir(test_path("far"), 0700), 0);
    ck_assert_int_eq(mkdir(test_path("far/bin"), 0700), 0);
    ck_assert_int_eq(mkdir(test_path("empty"), 0700), 0);
    ck_assert_int_eq(system(test_text("cp '%s' '%s'", test_program(), test_path("far/bin/calab"))),
                     0);
    setenv("CALAB", test_path("far/bin/calab"), 1);
    setenv("CALAB_SOURCE", test_path("empty"), 1);
    ck_assert_int_eq(chdir(test_path("empty")), 0);
}

static const char *const no_home[] = {"HOME=", "XDG_CONFIG_HOME=", "XDG_STATE_HOME=", NULL};
static const struct surroundings homeless = {.variable = no_home};

static const struct {
    const char *command, *one, *two;
} commands[] = {
    {"list configs", "builtin:/water-dam.cfg ", "look for: "},
    {"list configs --json", "\"builtin:/bench-fhp.cfg\"", "\"model\": \"cloud\""},
    {"list patterns", "glider-4555    life3d   glider of 10", "dam-break"},
    {"list patterns --json", "\"builtin:/patterns/patterns.cfg\"", "\"airfoil\""},
    {"run -c water-dam -n 2", "init: dam", "volume: 163840"},
    {"run -c water-dam.cfg -n 2", "init: dam", "volume: 163840"},
    {"run -c configs/water-dam.cfg -n 2", "init: dam", "volume: 163840"},
    {"run -c configs/water-damm.cfg -n 2", "cannot read configs/water-damm.cfg: No such", ""},
    {"run -c builtin:/water-dam.cfg -n 2", "init: dam", "volume: 163840"},
    {"run -c airfoil -n 2", "geometry_file: builtin:/patterns/fhp/airfoil.pbm", "size: 512x256"},
    {"run -c valley -n 2", "terrain_file: builtin:/patterns/water/valley.asc", "hash"},
    {"run life3d --init glider-4555 -s 16x16x16 -n 8", "3D4,5/5", "live: 10"},
    {"run -c fhp-viscosity --frame", "builtin:/fhp-viscosity.cfg lists measurements", "--frame"},
    {"bench -c bench-anneal --relative nothing", "--relative: ", "nothing"},
    {"config check builtin:/bench-frontier.cfg", "builtin:/bench-frontier.cfg: correct", ""},
    {"lab tasks", "fhp-table        fhp      C ", "Water over terrain, in two kernels"},
    {"lab calibrate", "there is no solution of a task here", "solution.c"},
    {"lab new anneal --task fhp-tabel", "fhp-tabel", "fhp-table"},
};

START_TEST(from_an_empty_folder)
{
    struct outcome o;

    move_out();
    for (size_t i = 0; i < COUNT(commands); i++) {
        o = calab_in(&homeless, "%s", commands[i].command);
        ck_assert_contains(test_text("%s: %s%s", commands[i].command, o.out, o.err),
                           commands[i].one, commands[i].two);
    }
    ck_assert_int_ne(rmdir(test_path("far")), 0);
    ck_assert_int_eq(rmdir(test_path("empty")), 0); /* nothing was written */
}
END_TEST

/* The state is the one that the file of the source tree leads to. */
START_TEST(the_same_state)
{
    struct outcome there = calab("run -c configs/patterns/../water-hills.cfg -n 5"), here;

    move_out();
    here = calab_in(&homeless, "run -c water-hills -n 5");
    ck_assert_str_eq(outcome_value(&here, "hash"), outcome_value(&there, "hash"));
}
END_TEST

/* A task has all files but its solution, and can be built. */
START_TEST(a_task)
{
    struct stat file;
    struct outcome o;

    move_out();
    o = calab_good_in(&homeless, "lab new anneal mine --task anneal");
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq(stat((const char *[]){"mine/lab.cfg", "mine/README.md", "mine/kernel.c",
                                               "mine/Makefile", "mine/calab/lab_wire.h",
                                               "mine/calab/lab_runner.c"}[i],
                              &file),
                         0);
    ck_assert_int_ne(stat("mine/solution.c", &file), 0);
    o = calab("lab check mine");
    ck_assert_int_eq(o.status, 1);
    ck_assert_contains(o.out, "generation 1");
}
END_TEST

/* --- what goes before ------------------------------------------------------------------------- */

static void embedded_put(const char *path, const char *text)
{
    char folder[4200];

    snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = strchr(folder, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(folder, 0700);
        *slash = '/';
    }
    test_write(path, text, strlen(text));
}

static int count_of(const char *text, const char *part)
{
    int count = 0;

    for (; (text = strstr(text, part)) != NULL; text += strlen(part))
        count++;
    return count;
}

START_TEST(experiments_of_ones_own)
{
    struct outcome o;

    move_out();
    embedded_put("configs/water-dam.cfg",
                 "# Mine.\nmodel = \"water\"; size = \"32x16\"; init = \"dam\";\n");
    o = calab("run -c water-dam -n 1");
    ck_assert_str_eq(outcome_value(&o, "size"), "32x16");
    o = calab("list configs");
    ck_assert_contains(o.out, "configs/water-dam.cfg            Mine.");
    ck_assert_int_eq(count_of(o.out, "water-dam.cfg"), 1);
    ck_assert_contains(o.out, "builtin:/water-hills.cfg");
    embedded_put("water-hills", "model = \"anneal\";"); /* a file here goes before all */
    o = calab("run -c water-hills -n 1");
    ck_assert_str_eq(outcome_value(&o, "model"), "anneal");
}
END_TEST

/* What is installed beside the program is found as ever. */
START_TEST(installed_experiments)
{
    struct outcome o;

    move_out();
    embedded_put("../far/share/calab/configs/water-dam.cfg",
                 "model = \"water\"; size = \"48x16\";\n");
    o = calab("run -c water-dam -n 1");
    ck_assert_str_eq(outcome_value(&o, "size"), "48x16");
    embedded_put("configs/water-dam.cfg", "model = \"water\"; size = \"32x16\";\n");
    o = calab("run -c water-dam -n 1");
    ck_assert_str_eq(outcome_value(&o, "size"), "32x16");
}
END_TEST

START_TEST(patterns_of_ones_own)
{
    struct outcome o;

    move_out();
    /* A file in the place of that of a pattern in the program. */
    embedded_put("configs/patterns/anneal/disc.pbm", "P1\n3 2\n111111\n");
    o = calab("run -c disc -s 3x2 -n 0");
    ck_assert_contains(outcome_value(&o, "init"), "/empty/configs/patterns/anneal/disc.pbm");
    ck_assert_str_eq(outcome_value(&o, "observables.live"), "6");
    /* A list in which one has the name of a pattern in the program. */
    embedded_put("configs/patterns/patterns.cfg",
                 "patterns = ({ name = \"disc\"; title = \"My disc.\"; "
                 "origin = \"me\"; model = \"anneal\";\n"
                 "size = \"1x1\"; init = \"mine.pbm\"; });\n");
    embedded_put("configs/patterns/mine.pbm", "P1\n1 1\n1\n");
    o = calab("run -c disc -n 0");
    ck_assert_contains(outcome_value(&o, "init"), "/empty/configs/patterns/mine.pbm");
    o = calab("list patterns");
    ck_assert_int_eq(count_of(o.out, "\ndisc ") + count_of(o.out, "My disc."), 1);
    ck_assert_contains(o.out, "airfoil ");
}
END_TEST

START_TEST(tasks_of_ones_own)
{
    static const char config[] = "version = 1; model = \"anneal\"; source = \"kernel.c\";\n";
    struct outcome o;
    char *kernel;

    move_out();
    embedded_put("configs/lab/anneal/lab.cfg", config);
    embedded_put("configs/lab/anneal/README.md", "# My own task\n");
    embedded_put("configs/lab/anneal/kernel.c", "/* mine */\n");
    embedded_put("configs/lab/fhp-table/lab.cfg", "version = 1; model = \"fpp\";\n");
    o = calab("lab tasks");
    ck_assert_int_eq(o.status, 3); /* that of fhp is wrong, and no other is taken for it */
    ck_assert_int_eq(count_of(o.out, "anneal           anneal   C "), 1);
    ck_assert_contains(o.out, "My own task", "water-kernels");
    ck_assert_ptr_null(strstr(o.out, "fhp-table"));
    ck_assert_contains(o.err, "configs/lab/fhp-table/lab.cfg:1");
    o = calab("lab new fhp x --task fhp-table");
    ck_assert_int_eq(o.status, 3);
    o = calab_good("lab new anneal x --task anneal");
    kernel = test_read("x/kernel.c", NULL);
    ck_assert_str_eq(kernel, "/* mine */\n");
}
END_TEST

/* --- the workbench ---------------------------------------------------------------------------- */

START_TEST(in_the_workbench)
{
    const struct screen_options options = {
        .rows = 70, .columns = 120, .environment = {"CALAB_BACKEND=reference"}};
    struct screen *screen;
    char *saved;

    move_out();
    screen = user_starts(&options);
    user_does(screen,
              STEPS(PRESS("m"), SHOWS("anneal-exercise    The ANNEAL exercise"),
                    SHOWS("water-dam          "), SHOWS("glider-4555    life3d glider of 10"),
                    LACKS("bench-"), PRESS("water-dam\r"), STATUS("water  256x256"),
                    PRESS(":open airf\t"), SHOWS(":open airfoil"), PRESS("\r"),
                    STATUS("fhp  512x256"), COMMAND("open builtin:/cloud-cycle.cfg"),
                    STATUS("cloud"), COMMAND("open builtin:/nothing.cfg"),
                    SHOWS("there is no file 'builtin:/nothing.cfg'"), PRESS("\033"),
                    COMMAND("open glider-4555"), STATUS("life3d  24x24x24"), PRESS("."),
                    GENERATION(1), PRESS("y"), SHOWS("-n 1 --init")));
    screen_expect(screen,
                  " builtin:/patterns/life3d/glider-4555.rle3 --set rule="); /* the next line */
    screen_send(screen, "\033");
    user_quits(screen);
    saved = saved_settings();
    ck_assert_contains(saved, "init = \"builtin:/patterns/life3d/glider-4555.rle3\"");
    screen = user_starts(&options); /* as it was left */
    user_does(screen, STEPS(STATUS("life3d  24x24x24"), GENERATION(1), PRESS("r"), GENERATION(0),
                            SHOWS("live  10 ")));
    user_quits(screen);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {all_of_configs, no_solution, paths, the_root, no_file_of_that_name,
                              from_an_empty_folder, the_same_state, a_task, experiments_of_ones_own,
                              installed_experiments, patterns_of_ones_own, tasks_of_ones_own,
                              in_the_workbench},
                     .table = {{folders, COUNT(listings)}});
}
