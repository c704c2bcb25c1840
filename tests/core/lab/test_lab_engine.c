/* SPDX-License-Identifier: MIT */
/* The kernel of a lab as a backend: calab engine --lab, and what goes with it. */
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/lab/backend/backend.h"
#include "core/lab/backend/builds.h"
#include "core/lab/process/resources.h"
#include "core/model/registry.h"
#include "tests/support/process.h"
#include "tests/support/program.h"
#include "tests/support/support.h"
#include "tests/support/support_lab.h"

static struct ca_error error;

#define DO(id, op, more) "{\"id\":" #id ",\"op\":\"" op "\"" more "}\n"
#define ON(backend) ",\"backend\":\"" backend "\""
#define OPEN(id, backend) DO(id, "open", ",\"model\":\"anneal\",\"size\":[96,64]" ON(backend))
#define STEP(id) DO(id, "step", ",\"n\":5,\"hash\":true")
#define TWO(id) DO(id, "step", ",\"n\":2,\"hash\":true")
#define PUT(id) DO(id, "put", ",\"x\":3,\"y\":4,\"planes\":{\"cell\":[1]}")

/* What an engine with a lab replies to requests. */
static struct outcome asks(const char *folder, const char *more, const char *requests)
{
    const struct surroundings s = {.stdin_text = requests};
    struct outcome o = calab_in(&s, "engine --lab %s%s", folder, more);

    ck_assert_msg(o.status == 0, "status %d: %s", o.status, o.err);
    return o;
}

/* The line with the reply to a request. */
static json_t *reply(const struct outcome *o, int id)
{
    const char *line = o->out;

    for (; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        json_t *json = *line == '{' ? json_loads(line, JSON_DISABLE_EOF_CHECK, NULL) : NULL;

        if (json && json_whole(json, "id") == id)
            return json;
        json_decref(json);
    }
    ck_abort_msg("no reply %d in:\n%s%s", id, o->out, o->err);
}

static char *text_of(const struct outcome *o, int id)
{
    json_t *json = reply(o, id);
    char *text = json_dumps(json, JSON_SORT_KEYS);

    json_decref(json);
    return text;
}

static void says(const struct outcome *o, int id, const char *part)
{
    char *text = text_of(o, id);

    ck_assert_msg(strstr(text, part), "'%s' is not in: %s", part, text);
    free(text);
}

static const char *hash_of(const struct outcome *o, int id)
{
    static char hash[4][32];
    static int number;
    char *to = hash[number++ % 4];
    json_t *json = reply(o, id);
    const char *text = json_text(json, "hash");

    ck_assert_ptr_nonnull(text);
    snprintf(to, sizeof hash[0], "%s", text);
    json_decref(json);
    return to;
}

/* Side by side with the instance before, which is closed when the next one is there. */
START_TEST(steps_as_the_reference)
{
    static const char requests[] = OPEN(1, "lab") STEP(2) OPEN(3, "lab") STEP(4)
        DO(5, "change", ON("reference")) DO(6, "reset", "") STEP(7) DO(8, "change", ON("lab"))
            STEP(9) DO(10, "change", ON("reference")) DO(11, "reset", "") STEP(12) STEP(13);
    struct outcome o = asks(lab_folder("right", ""), "", requests);

    ck_assert_str_eq(hash_of(&o, 2), hash_of(&o, 7));
    ck_assert_str_eq(hash_of(&o, 4), hash_of(&o, 7));
    ck_assert_str_eq(hash_of(&o, 9), hash_of(&o, 13));
}
END_TEST

/* The state that is kept is the one that it goes back to, though the kernel's process has another;
 * and a cell that is put goes there. */
START_TEST(keeps_and_changes_a_state)
{
    static const char requests[] = OPEN(1, "lab") STEP(2) DO(3, "mark", "") STEP(4)
        DO(5, "back", "") STEP(6) DO(7, "unmark", "")
            DO(8, "burst", ",\"n\":2,\"calls\":3,\"seconds\":1") DO(9, "hash", "") PUT(10) STEP(11)
                OPEN(12, "reference") STEP(13) STEP(14) PUT(15) STEP(16);
    struct outcome o = asks(lab_folder("marked", ""), "", requests);

    ck_assert_str_eq(hash_of(&o, 4), hash_of(&o, 6));
    ck_assert_str_eq(hash_of(&o, 6), hash_of(&o, 9));
    ck_assert_str_eq(hash_of(&o, 9), hash_of(&o, 14));
    ck_assert_str_eq(hash_of(&o, 11), hash_of(&o, 16));
    says(&o, 8, "\"seconds\": [");
}
END_TEST

/* Parts of the lattice are those of the reference: rows from the middle, and a block. */
START_TEST(parts_as_the_reference)
{
    static const char requests[] =
        OPEN(1, "lab") STEP(2) DO(3, "digest", ",\"first\":5,\"rows\":40,\"parts\":4")
            DO(4, "cells", ",\"x\":90,\"y\":61,\"width\":6,\"height\":3") OPEN(5, "reference")
                STEP(6) DO(7, "digest", ",\"first\":5,\"rows\":40,\"parts\":4")
                    DO(8, "cells", ",\"x\":90,\"y\":61,\"width\":6,\"height\":3");
    struct outcome o = asks(lab_folder("parts", ""), "", requests);

    for (int id = 3; id <= 4; id++) {
        json_t *lab = reply(&o, id), *reference = reply(&o, id + 4);

        ck_assert(json_is_true(json_object_get(lab, "ok")));
        json_object_del(lab, "id");
        json_object_del(reference, "id");
        ck_assert(json_equal(lab, reference));
        json_decref(lab);
        json_decref(reference);
    }
}
END_TEST

/* Values of observables, which take cells and their neighbours, are those of the reference. */
START_TEST(observes_as_the_reference)
{
    static const char requests[] = OPEN(1, "lab") STEP(2) DO(3, "observe", "") OPEN(4, "reference")
        STEP(5) DO(6, "observe", "") DO(
            7, "verify", ",\"model\":\"anneal\",\"small\":true,\"cases\":40,\"backends\":\"lab\"")
            DO(8, "bench",
               ",\"model\":\"anneal\",\"size\":[64,48],\"seconds\":0.2,"
               "\"backends\":\"reference,lab\"");
    struct outcome o = asks(lab_folder("observed", ""), "", requests);
    json_t *first = reply(&o, 3), *second = reply(&o, 6);

    ck_assert(
        json_equal(json_object_get(first, "observables"), json_object_get(second, "observables")));
    ck_assert_uint_eq(json_object_size(json_object_get(first, "observables")), 2);
    says(&o, 7, "\"result\": \"ok\"");
    says(&o, 8, "\"backend\": \"lab\"");
    ck_assert(!strstr(o.out, "\"state\":\"wrong\""));
    json_decref(first);
    json_decref(second);
}
END_TEST

static const struct {
    const char *body, *says;
} faults[] = {
    {"if (lab->t > 2) *(volatile int *)0 = 1;",
     "kernel.c: the kernel crashed in a step: Segmentation fault"},
    {"if (lab->t > 2) abort();", "kernel.c: the kernel crashed in a step: Aborted"},
    {"if (lab->t > 2) { write(1, \"I am lost\\n\", 10); exit(3); }",
     "with exit status 3; it said 'I am lost'"},
    {"if (lab->t > 2) for (;;) pause();", "no result in a step after 1"},
    {"if (lab->t > 2) cell[-1] = 1;", "writes 1 cells before the beginning of plane cell"},
};

/* A kernel that fails is an error of its call; the engine goes on, also with that kernel. */
START_TEST(survives)
{
    static const char requests[] =
        OPEN(1, "lab") TWO(2) STEP(3) OPEN(4, "lab") TWO(5) OPEN(6, "reference") TWO(7);
    struct outcome o = asks(lab_folder("failing", faults[_i].body), "", requests);

    says(&o, 2, "\"ok\": true");
    says(&o, 3, "\"code\": \"wrong\"");
    says(&o, 3, faults[_i].says);
    ck_assert_str_eq(hash_of(&o, 5), hash_of(&o, 7));
}
END_TEST

START_TEST(does_not_compile)
{
    struct outcome o = asks(lab_folder("broken", "int a = ;"), "",
                            DO(1, "list", "") OPEN(2, "lab") OPEN(3, "reference"));

    says(&o, 1, "kernel.c does not compile: kernel.c:17:");
    says(&o, 2, "\"code\": \"no-device\"");
    says(&o, 2, "kernel.c:17:");
    says(&o, 3, "\"ok\": true");
}
END_TEST

/* Each simulation runs the program that the link leads to when it is opened. */
START_TEST(follows_the_link)
{
    const char *folder = lab_folder("linked", "cell[0] ^= 1;");
    struct ca_lab_builds builds = {.link = test_path("program")};
    static struct ca_lab lab;
    char more[340], first[32];
    const char *link = test_path("program");
    struct outcome o;

    builds.link = link;
    snprintf(more, sizeof more, " --built %s", link);
    o = asks(folder, more, OPEN(1, "lab"));
    says(&o, 1, "is not compiled yet");
    ck_assert_ok(ca_lab_read(&lab, folder, &error));
    ck_assert_ok(ca_lab_builds_make(&builds, &lab, &error));
    o = asks(folder, more, OPEN(1, "lab") STEP(2) OPEN(3, "reference") STEP(4));
    snprintf(first, sizeof first, "%s", hash_of(&o, 2));
    ck_assert_str_ne(first, hash_of(&o, 4));
    lab_save(folder, "int a = ;");
    ck_assert_int_eq(ca_lab_builds_make(&builds, &lab, &error), CA_COMPILE);
    o = asks(folder, more, OPEN(1, "lab") STEP(2)); /* the last that compiled */
    ck_assert_str_eq(first, hash_of(&o, 2));
    lab_save(folder, "");
    ck_assert_ok(ca_lab_builds_make(&builds, &lab, &error));
    o = asks(folder, more, OPEN(1, "lab") STEP(2) OPEN(3, "reference") STEP(4));
    ck_assert_str_eq(hash_of(&o, 2), hash_of(&o, 4));
    ca_lab_builds_close(&builds);
    ck_assert_int_ne(access(link, F_OK), 0);
}
END_TEST

static const struct refusal refusals[] = {
    {"engine --built /tmp/x/y", 2, "--built", "--lab"},
    {"engine --lab /no/such/folder", 8, "/no/such/folder", ""},
    {"engine --lab core", 8, "not the folder of a lab", "calab lab new"},
    {"lab watch core", 8, "not the folder of a lab", ""},
};

START_TEST(refuses_a_link_without_a_folder)
{
    const char *folder = lab_folder("nowhere", "");

    calab_fails(2, "'program' is not a path with a folder in it", "engine --lab %s --built program",
                folder);
}
END_TEST

/* Waits until the file that takes the program's output has a text; without, the program ends. */
static void expect_output(pid_t pid, const char *path, const char *text)
{
    double end = seconds_now() + DEADLINE_S;
    char *all;
    bool found;

    do {
        usleep(20000);
        all = test_read(path, NULL);
        found = strstr(all, text) != NULL;
        if (!found && seconds_now() > end) {
            kill(pid, SIGKILL);
            ck_abort_msg("'%s' is not in: %s", text, all);
        }
    } while (!found);
}

static void saves(pid_t pid, void *folder)
{
    const char *path = test_path("output");

    expect_output(pid, path, "kernel.c: right: 2 cases");
    lab_save(folder, "int a = ;");
    expect_output(pid, path, "kernel.c does not compile: kernel.c:17:13: error");
    lab_save(folder, "cell[0] ^= 1;");
    expect_output(pid, path, "kernel.c: wrong, on the CPU");
    kill(pid, SIGINT);
}

/* Without a screen: each save is told, a signal ends it, and nothing is left behind. */
START_TEST(watches)
{
    char temporary[300], *folder = strdup(lab_folder("saved", ""));
    const char *const variables[] = {temporary, NULL};
    const struct surroundings s = {.stdout_file = test_path("output"),
                                   .variable = variables,
                                   .meanwhile = saves,
                                   .context = folder};
    struct outcome o;

    test_put("output", "");
    ck_assert_int_eq(mkdir(test_path("tmp"), 0700), 0);
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", test_path("tmp"));
    o = calab_in(&s, "lab watch %s", folder);
    ck_assert_msg(o.status == 128 + SIGINT, "%d %s", o.status, o.err);
    ck_assert_int_eq(rmdir(test_path("tmp")), 0);
    free(folder);
}
END_TEST

/* --- the parts -------------------------------------------------------------------------------- */

/* A backend behind those of the model, in the lists, in no choice of the fastest, and only one. */
START_TEST(one_backend_more)
{
    static const struct ca_backend twice = {.name = "reference"}, again = {.name = "again"};
    const struct ca_backend *found;
    int own = 0;

    ck_assert_int_eq(ca_backend_add(&anneal_model, &twice, &error), CA_USAGE);
    ck_assert_contains(error.text, "has a backend reference already");
    ck_assert_ok(ca_lab_backend_add(lab_folder("row", "int a = ;"), NULL, &error));
    ck_assert_ok(ca_backend_find(&found, &anneal_model, "lab", &error));
    ck_assert(!ca_backend_chooses(ca_backend_auto(&anneal_model), found));
    while (ca_backend_at(&anneal_model, own))
        own++;
    ck_assert_ptr_eq(ca_backend_at(&anneal_model, own - 1), found);
    ck_assert_ptr_null(anneal_model.backends[own - 1].name);
    ck_assert_ptr_null(ca_backend_next(&anneal_model, found));
    ck_assert_ptr_null(ca_backend_at(&fhp_model, 1000));
    ck_assert_int_eq(ca_backend_available(found, &error), CA_NO_DEVICE);
    ck_assert_contains(error.text, "kernel.c:17:");
    ck_assert_int_eq(ca_backend_add(&fhp_model, &again, &error), CA_USAGE);
    ck_assert_contains(error.text, "only one can be");
    ck_assert_int_eq(ca_lab_backend_add(test_path("row"), NULL, &error), CA_USAGE);
    ca_lab_backend_end();
}
END_TEST

/* A file that is renamed to the place of another counts, the same file at rest does not, and what
 * is no source does not. */
START_TEST(sees_a_change)
{
    const char *folder = lab_folder("watched", "");
    struct ca_lab_change change;

    ca_lab_change_open(&change, folder);
    ck_assert(!ca_lab_changed(&change, true));
    test_write(test_text("%s/notes.txt", folder), "x", 1);
    ck_assert(!ca_lab_changed(&change, true));
    lab_save(folder, "");
    ck_assert(ca_lab_changed(&change, false));
    ck_assert(ca_lab_changed(&change, true));
    ck_assert(!ca_lab_changed(&change, true));
    test_write(test_text("%s/lab.cfg", folder), "version = 1;", 12);
    ck_assert(ca_lab_changed(&change, true));
    ca_lab_change_close(&change);
    lab_save(folder, "cell[0] = 1;"); /* without inotify, as on a file system of the network */
    ca_lab_change_wait(&change, -1);
    ck_assert(ca_lab_changed(&change, true));
}
END_TEST

static const struct {
    const char *text, *file;
    int line;
} places[] = {
    {"kernel.c does not compile: kernel.c:23:9: error: expected", "kernel.c", 23},
    {"kernel.c(7): error: identifier \"x\" is undefined", "kernel.c", 7},
    {"kernel.c:5: race: block (1,0,0) thread (3,0,0)", "kernel.c", 5},
    {"generation 1, x 32, y 19: expected 0, got 1", "", 0},
    {"other.c:23:9: error", "", 0},
    {"nothing at all: (3)", "", 0},
    {"kernel.c:9999999: the longest number", "kernel.c", 9999999},
    {"kernel.c:10000000: is none", "", 0},
    {"kernel.c:23 without an end", "", 0},
    {"kernel.c(23: another end", "", 0},
    {"kernel.c:23) another end", "", 0},
    {"kernel.c:: no number", "", 0},
    {"kernel.c(): no number", "", 0},
    {"kernel.c:0: is no line; kernel.c:8: is", "kernel.c", 8},
    {"(kernel.c:4:)", "kernel.c", 4},
};

START_TEST(place)
{
    char file[256] = "";

    ck_assert_int_eq(ca_lab_place(lab_folder("places", ""), places[_i].text, file, sizeof file),
                     places[_i].line);
    ck_assert_str_eq(file, places[_i].file);
}
END_TEST

static const char ptxas[] =
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function '_Z6annealPKhPhll' for 'sm_90'\n"
    "ptxas info    : Function properties for _Z6annealPKhPhll\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 18 registers, 324 bytes smem, 560 bytes cmem[0]\n"
    "ptxas info    : Compiling entry function 'plain' for 'sm_100'\n"
    "ptxas info    : Function properties for plain\n"
    "    88 bytes stack frame, 84 bytes spill stores, 96 bytes spill loads\n"
    "ptxas info    : Used 255 registers, 560 bytes cmem[0]\n";

START_TEST(registers)
{
    struct ca_lab_resources r;
    char text[300];

    ca_lab_ptxas(&r, ptxas);
    ck_assert_int_eq(r.count, 2);
    ck_assert_str_eq(ca_lab_kernel_text(&r.kernel[0], text, sizeof text),
                     "anneal: 18 registers, 324 bytes of shared memory, no spills");
    ck_assert_str_eq(r.kernel[0].cc, "9.0");
    ck_assert_str_eq(ca_lab_kernel_text(&r.kernel[1], text, sizeof text),
                     "plain: 255 registers, 0 bytes of shared memory, 180 bytes of spills");
    ck_assert_str_eq(r.kernel[1].cc, "10.0");
    ca_lab_ptxas(&r, "kernel.cu(3): warning #177-D: variable was declared\n");
    ck_assert_int_eq(r.count, 0);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {steps_as_the_reference, keeps_and_changes_a_state,
                              parts_as_the_reference, observes_as_the_reference, does_not_compile,
                              follows_the_link, refuses_a_link_without_a_folder, watches,
                              one_backend_more, sees_a_change, registers},
                     .table = {{survives, COUNT(faults)},
                               {refusals_test(refusals), COUNT(refusals)},
                               {place, COUNT(places)}});
}
