/* SPDX-License-Identifier: MIT */
/*
 * Each allocation and each call that reads or writes a file fails in its turn, in each place that
 * tests/stand_in/faults.c tells from others: a command ends with a message and its status, or as if
 * nothing had happened; its output is whole or its status is not 0, files are the old ones or the
 * new ones, and no others are left. Of each command a few are tried, drawn by the seed; all
 * with CALAB_FAULTS=all, the n-th of each alone with CALAB_FAULTS=n, and with
 * CALAB_FAULTS=all:engine or n:engine those of commands that begin so. Under AddressSanitizer
 * nothing leaks, either.
 */
#include <jansson.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/model/model.h"
#include "tests/support/injected.h"
#include "tests/support/program.h"
#include "tests/support/support.h"

#define TRIED (SANITIZED ? 3 : 8)
#define FILES_MAX 4
#define NOT_WATCHED                                                                                \
    "    its accesses were not watched: "            /* what a check says that it lacks, and why */
#define BESIDE "; cuda-naive runs in calab-emulated" /* where that is found */

enum { MEMORY, FILES, WALLS, KINDS };
static const char *const kinds[KINDS] = {"memory", "files", "walls"};
static int failures; /* of what is expected of a command */

/* Requests of an engine, a reply each. */
#define SESSION                                                                                    \
    "{\"id\":1,\"op\":\"list\"}\n"                                                                 \
    "{\"id\":2,\"op\":\"open\",\"model\":\"anneal\",\"size\":[96,64],\"backend\":\"reference\"}\n" \
    "{\"id\":3,\"op\":\"view\",\"width\":20,\"height\":10}\n"                                      \
    "{\"id\":4,\"op\":\"step\",\"n\":3,\"hash\":true}\n"                                           \
    "{\"id\":5,\"op\":\"mark\"}\n"                                                                 \
    "{\"id\":6,\"op\":\"step\",\"n\":2,\"frame\":true}\n"                                          \
    "{\"id\":7,\"op\":\"observe\"}\n"                                                              \
    "{\"id\":8,\"op\":\"cells\",\"width\":8,\"height\":4}\n"                                       \
    "{\"id\":9,\"op\":\"save\",\"file\":\"%s/s.npy\"}\n"                                           \
    "{\"id\":10,\"op\":\"save\",\"file\":\"%s/s.h5\"}\n"                                           \
    "{\"id\":11,\"op\":\"reset\"}\n"                                                               \
    "{\"id\":12,\"op\":\"put\",\"x\":5,\"y\":5,\"file\":\"%s/in.npy\"}\n"                          \
    "{\"id\":13,\"op\":\"digest\",\"first\":0,\"rows\":4}\n"                                       \
    "{\"id\":14,\"op\":\"device\"}\n"                                                              \
    "{\"id\":15,\"op\":\"open\",\"model\":\"fhp\",\"size\":[40,20]}\n"                             \
    "{\"id\":16,\"op\":\"quit\"}\n"
#define REPLIES 16
#define FIRST_SAVE 9

static const struct {
    const char *arguments; /* with %s for the folder, up to five times */
    const char *files[FILES_MAX];
    const char *table; /* that grows, so that a part of it is one, too */
    bool same;         /* what it prints is the same each time */
    bool session;      /* it gets SESSION */
    int status;        /* it ends with */
    int tried;         /* in place of TRIED: it takes long */
    bool folder;       /* it makes the folder "new" */
    bool walls;        /* it builds some */
    const char *needs; /* a file beside the program, which `make emulated` builds */
} commands[] = {
    {"run anneal -s 33x20 -n 3 -b reference -o %s/F.npy -o %s/G.h5 -o %s/o.png --json",
     {"F.npy", "G.h5", "o.png"}},
    {"run cloud -s 9x8x7 -n 4 -b bitslice --every 2 -o %s/c%%d.pgm -o observables:%s/o.csv",
     {"c0.pgm", "c2.pgm", "c4.pgm"},
     "o.csv"},
    {"run -c %s/in.h5 -n 3 --json -o %s/x.npy", {"x.npy"}},
    {"run -c configs/anneal-exercise.cfg -s 32x32 -n 2 -q -o %s/y.pbm", {"y.pbm"}},
    {"convert anneal %s/in.npy %s/f.rle", {"f.rle"}, .same = true},
    {"list --json"},
    {"list backends", .same = true},
    {"config show", .same = true},
    {"verify anneal --small --cases 1 -q --json"},
    {"bench anneal -s 32x32 -b reference --time 0.001 --json -q"},
    {"engine", {"s.npy", "s.h5"}, .session = true},
    {"lab new anneal %s/new", .same = true, .folder = true},
    {"lab check %s/lab", .same = true, .status = CA_WRONG, .tried = 4, .walls = true},
    {"emulate tests/emulated/aligned_vectors.cu", .same = true, .tried = 3,
     .needs = "libcalab-emulated.a"},
};

/* Runs a command of the shell in the test's folder; whether it succeeds. */
static bool succeeds(const char *command)
{
    char whole[1000];

    snprintf(whole, sizeof whole, "cd %s && { %s; }", test_folder(), command);
    return system(whole) == 0;
}

/* A compiler that keeps what it has made of the same sources, since it is not what is tested; for
 * labs it cannot, as it writes nowhere but to their folder. */
static void put_compiler(const char *name)
{
    char path[600], script[2000];

    ck_assert(succeeds("mkdir -p .cache/made"));
    snprintf(path, sizeof path, "%s/.cache/%s", test_folder(), name);
    snprintf(
        script, sizeof script,
        "#!/bin/sh\n"
        "last= out=\n"
        "for word; do [ \"$last\" = -o ] && out=$word; last=$word; done\n"
        "[ \"$out\" ] || exec %s \"$@\"\n"
        "key=$({ for word; do\n"
        "    case $word in */*) [ ! -f \"$word\" ] || cat \"$word\";; *) echo \"$word\";; esac\n"
        "done; cat ./*.[ch]; echo \"${out##*/}\"; } 2>/dev/null | cksum)\n"
        "made=%s/.cache/made/${key%%%% *}\n"
        "[ -e \"$made\" ] || {\n"
        "    %s \"$@\" || exit\n"
        "    cp \"$out\" \"$made\" 2>/dev/null\n"
        "    exit 0\n"
        "}\n"
        "cp \"$made\" \"$out\"\n",
        name, test_folder(), name);
    test_write(path, script, strlen(script));
    ck_assert_int_eq(chmod(path, 0700), 0);
}

static struct outcome run_with_fault(int i, const char *fault)
{
    const char *folder = test_folder();
    char library[600], counts[600], wanted[64], process[64], session[4000], c[600], cxx[600];
    const char *variables[] = {library, counts, wanted, process, c, cxx, NULL};
    struct surroundings s = {.variable = variables, .stdin_text = session};

    snprintf(session, sizeof session, SESSION, folder, folder, folder);
    if (commands[i].session) {
        test_put("said", "");
        s.stdout_file = test_path("said");
    } else {
        session[0] = '\0';
    }
    snprintf(c, sizeof c, "CC=%s/.cache/cc", folder);
    snprintf(cxx, sizeof cxx, "CXX=%s/.cache/g++", folder);
    snprintf(process, sizeof process, "CALAB_FAULT_PROCESS=%.*s",
             (int)strcspn(commands[i].arguments, " "), commands[i].arguments);

    faults_load(library, sizeof library);
    snprintf(counts, sizeof counts, "CALAB_FAULT_COUNTS=%s", test_path("counts"));
    snprintf(wanted, sizeof wanted, "CALAB_FAULT=%s", fault);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    return calab_in(&s, commands[i].arguments, folder, folder, folder, folder, folder);
#pragma GCC diagnostic pop
}

static uint64_t counted(int kind)
{
    size_t bytes;
    char *counts = test_read(test_path("counts"), &bytes);
    uint64_t count;

    ck_assert_uint_eq(bytes, 8 * KINDS);
    memcpy(&count, counts + 8 * kind, 8);
    return count;
}

/* Whether it says what could not be read, or one of its items does. */
static bool tells(const json_t *json)
{
    const json_t *item;
    size_t i;

    json_array_foreach(json, i, item) if (json_object_get(item, "error")) return true;
    return json_object_get(json, "error") != NULL;
}

/* Whether two have the same keys all the way down, and arrays as many items. What could not be read
 * is null. */
static bool same_shape(const json_t *a, const json_t *b)
{
    const char *key;
    json_t *value;
    size_t i;

    if (json_is_null(a) || json_is_null(b) || tells(a))
        return true;
    if (json_is_number(a) || json_is_number(b))
        return json_is_number(a) && json_is_number(b);
    if (json_is_boolean(a) && json_is_boolean(b)) /* such as whether others disturbed it */
        return true;
    if (json_typeof(a) != json_typeof(b) || json_object_size(a) != json_object_size(b))
        return false;
    if (json_is_number(
            json_array_get(a, 0))) /* samples, of which there are as many as time allows */
        return json_is_number(json_array_get(b, 0));
    if (json_at(a, "0.loop_per_s")) /* calls, likewise */
        return same_shape(json_array_get(a, 0), json_array_get(b, 0));
    if (json_array_size(a) != json_array_size(b))
        return false;
    json_object_foreach((json_t *)(uintptr_t)a, key,
                        value) if (!json_object_get(b, key) ||
                                   !same_shape(value, json_object_get(b, key))) return false;
    json_array_foreach(a, i, value) if (!same_shape(value, json_array_get(b, i))) return false;
    return true;
}

/* Whether an engine has replied so to a request; of what it said, bytes of frames included. */
static bool replied(const char *said, size_t count, int id, const char *how)
{
    char reply[96];

    snprintf(reply, sizeof reply, "{\"id\":%d,\"ok\":%s", id, how);
    return memmem(said, count, reply, strlen(reply)) != NULL;
}

/* Whether there is a reply to each request, of which one that failed says why. */
static bool has_replies(const char *said, size_t count)
{
    bool whole = true;

    for (int id = 1; id <= REPLIES; id++)
        whole &= replied(said, count, id, "true") ||
                 replied(said, count, id, "false,\"error\":{\"code\":\"");
    return whole;
}

/* Whether the one is as the other but for a hint that it lacks. */
static bool lacks_hint(const char *out, const char *wanted, const char *hint)
{
    const char *at = strstr(wanted, hint);

    return at && strncmp(out, wanted, (size_t)(at - wanted)) == 0 &&
           strcmp(out + (at - wanted), at + strlen(hint)) == 0;
}

static bool is_same(int i, const char *out, const char *wanted)
{
    json_t *a = json_loads(out, 0, NULL), *b = json_loads(wanted, 0, NULL);
    bool whole = b ? a && same_shape(a, b)
                   : !commands[i].same || strcmp(out, wanted) == 0 || strstr(out, NOT_WATCHED) ||
                         lacks_hint(out, wanted, BESIDE);

    json_decref(a);
    json_decref(b);
    return whole;
}

static bool is_whole(int i, const struct outcome *o, const char *wanted)
{
    size_t count = 0;
    char *said = commands[i].session ? test_read(test_path("said"), &count) : NULL;
    bool whole = said ? has_replies(said, count) : is_same(i, o->out, wanted);

    return whole;
}

/* Whether the command says that it has written file f. */
static bool is_written(int i, int f, const struct outcome *o)
{
    size_t count = 0;
    char *said = commands[i].session ? test_read(test_path("said"), &count) : NULL;
    bool written = said ? replied(said, count, FIRST_SAVE + f, "true") : o->status == 0;

    return written;
}

/* Failures are told as they come and counted, so that one does not hide the others. */
__attribute__((format(printf, 2, 3))) static void expect(bool good, const char *format, ...)
{
    va_list arguments;

    if (good)
        return;
    failures++;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

/* The folder that is made holds files of the whole one alone, and all of them if that was the end.
 */
static void check_folder(const char *fault, bool done)
{
    expect(succeeds("[ ! -e new ] || for f in $(cd new && find . -type f); do "
                    "cmp -s new/$f whole/$f || exit 1; done"),
           "%s: a file of the folder is not whole", fault);
    expect(!done || succeeds("diff -r new whole >/dev/null"), "%s: the folder is not whole", fault);
    ck_assert(succeeds("rm -rf new"));
}

static void put_old(int i)
{
    for (int f = 0; f < FILES_MAX && commands[i].files[f]; f++)
        test_write(test_path(commands[i].files[f]), "old", 3);
    if (commands[i].table)
        unlink(test_path(commands[i].table));
}

struct contents {
    char *bytes;
    size_t count;
};

static void check_file(const char *fault, const char *name, const struct contents *wanted,
                       bool done)
{
    size_t count;
    char *bytes = test_read(test_path(name), &count);
    bool is_new = count == wanted->count && memcmp(bytes, wanted->bytes, count) == 0;
    bool is_old = count == 3 && memcmp(bytes, "old", 3) == 0;

    expect(is_new || (is_old && !done), "%s: %s is neither old nor new", fault, name);
}

static void try_one(int i, int kind, uint64_t n, const struct outcome *wanted,
                    const struct contents files[FILES_MAX], int left)
{
    struct outcome o;
    char fault[64];

    snprintf(fault, sizeof fault, "%s:%llu", kinds[kind], (unsigned long long)n);
    put_old(i);
    o = run_with_fault(i, fault);
    expect(o.status <= CA_NO_MEMORY, "%s: status %d: %.300s", fault, o.status, o.err);
    if (o.status == commands[i].status)
        expect(is_whole(i, &o, wanted->out), "%s: not whole: %.300s", fault, o.out);
    else if (kind != FILES) /* of the other kind it may be the message that is not written */
        expect(o.err[0], "%s: status %d without a message", fault, o.status);
    for (int f = 0; f < FILES_MAX && commands[i].files[f]; f++)
        check_file(fault, commands[i].files[f], &files[f], is_written(i, f, &o));
    if (commands[i].table)
        unlink(test_path(commands[i].table));
    if (commands[i].folder)
        check_folder(fault, o.status == 0);
    expect(test_files() == left, "%s: %d files in place of %d", fault, test_files(), left);
}

/* Whether the program lacks a file that is wanted beside it. */
static bool lacks(const char *name)
{
    char path[4096];

    snprintf(path, sizeof path, "%.*s/%s", (int)(strrchr(test_program(), '/') - test_program()),
             test_program(), name ? name : "");
    return name && access(path, F_OK) != 0;
}

START_TEST(one_by_one)
{
    const int i = _i / KINDS, kind = _i % KINDS;
    const char *all = getenv("CALAB_FAULTS"), *of = all ? strchr(all, ':') : NULL;
    uint64_t random = test_seed() + (uint64_t)_i, count;
    struct contents files[FILES_MAX] = {0};
    struct outcome wanted;
    char none[32];
    int left, tried = commands[i].tried ? commands[i].tried : TRIED;

    if ((kind != MEMORY && faults_are_linked()) || (kind == WALLS && !commands[i].walls) ||
        lacks(commands[i].needs) ||
        (of && strncmp(commands[i].arguments, of + 1, strlen(of + 1)) != 0))
        return;

    calab_good("run anneal -s 33x20 -n 3 -q -o %s -o %s", test_path("in.npy"), test_path("in.h5"));
    calab("lab new anneal %s", test_path("lab"));
    put_compiler("cc");
    put_compiler("g++");
    put_old(i);
    snprintf(none, sizeof none, "%s:0", kinds[kind]);
    wanted = run_with_fault(i, none);
    ck_assert_msg(wanted.status == commands[i].status, "%s%s", wanted.out, wanted.err);
    count = counted(kind);
    ck_assert(count > 0 || faults_are_linked()); /* which may have none of its own */
    for (int f = 0; f < FILES_MAX && commands[i].files[f]; f++)
        files[f].bytes = test_read(test_path(commands[i].files[f]), &files[f].count);
    if (commands[i].table)
        unlink(test_path(commands[i].table));
    if (commands[i].folder)
        ck_assert(succeeds("mv new whole"));
    left = test_files();
    for (uint64_t n = 1; n <= count; n++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        if (all && *all ? strncmp(all, "all", 3) == 0 || strtoull(all, NULL, 10) == n
                        : n == 1 || n == count || (random >> 33) % count < (uint64_t)tried)
            try_one(i, kind, n, &wanted, files, left);
    }
    for (int f = 0; f < FILES_MAX; f++)
        free(files[f].bytes);
    ck_assert_msg(failures == 0, "calab %s: %d failures, told above", commands[i].arguments,
                  failures);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.timeout_s = 3600,
                     .table = {{faults_exist() ? one_by_one : NULL, KINDS * COUNT(commands)}});
}
