/* SPDX-License-Identifier: MIT */
/* calab lab who: whose cells are whose, what is told of kernels without LAB_AT, and what a process
 * may have written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/lab/process/who.h"
#include "tests/core/lab/skeletons.h"

static const char *kernel(const char *name, const char *flags, const char *before,
                          const char *inside)
{
    const char *folder = test_path(name);

    calab_done("lab new anneal %s", folder);
    lab_put(folder, "lab.cfg",
            test_text("%s\nsizes = [\"12x9\"]; seeds = [1]; repeats = 1; flags = \"%s\";\n"
                      "limits : { seconds = 20.0; };\n",
                      lab_get(folder, "lab.cfg"), flags));
    lab_put(folder, "kernel.c",
            test_text("#include \"calab/calab_lab.h\"\n"
                      "void step(const struct lab *lab, lab_input *const in[], lab_cell *const "
                      "out[])\n{\n%s\nfor (int64_t y = 0; y < lab->h; y++)\n"
                      "for (int64_t x = 0; x < lab->w; x++) {\nint64_t z = 0;\n%s\n}\n}\n",
                      before, inside));
    return folder;
}

START_TEST(bands_of_threads)
{
    const char *folder =
        kernel("bands", "-fopenmp", "#pragma omp parallel for schedule(static) num_threads(3)",
               skeletons[0].body);
    struct outcome o = calab_good("lab who -s 6x9 -o %s %s", test_path("bands.png"), folder);
    size_t size;

    ck_assert_contains(o.out, "kernel.c: one generation of 6x9 by 3 threads",
                       "000000\n000000\n000000\n111111\n111111\n111111\n222222\n222222\n222222\n",
                       "0 thread 0: 18 cells, from ", "2 thread 2: 18 cells, from ", "idle ");
    ck_assert_int_eq(memcmp(test_read(test_path("bands.png"), &size), "\x89PNG", 4), 0);
}
END_TEST

START_TEST(as_json)
{
    const char *folder = kernel("json", "", "", skeletons[0].body);
    struct outcome o = calab_good("lab who --json -s 5x4 %s", folder);
    json_t *root = outcome_json(&o), *worker = json_array_get(json_object_get(root, "workers"), 0);
    const char *schema, *kind, *map, *size, *letter;
    json_int_t cells, asks, stride;
    double idle, start, end, span;

    ck_assert_int_eq(json_unpack(root, "{s:s, s:s, s:s, s:s, s:I, s:F}", "schema", &schema, "kind",
                                 &kind, "map", &map, "size", &size, "stride", &stride, "span_s",
                                 &span),
                     0);
    ck_assert_str_eq(schema, "calab-lab-who/1");
    ck_assert_str_eq(kind, "thread");
    ck_assert_str_eq(size, "5x4");
    ck_assert_str_eq(map, "00000\n00000\n00000\n00000\n");
    ck_assert_int_eq(stride, 1);
    ck_assert_int_eq(json_unpack(worker, "{s:I, s:I, s:F, s:F, s:F, s:s}", "cells", &cells, "asks",
                                 &asks, "idle", &idle, "start_s", &start, "end_s", &end, "letter",
                                 &letter),
                     0);
    ck_assert_int_eq(cells, 20);
    ck_assert_int_eq(asks, 200); /* nine reads and a write of each, of one generation */
    ck_assert(idle == 0 && start == 0 && end == span && span > 0);
    ck_assert_str_eq(letter, "0");
}
END_TEST

/* The picture shows no ghost cells. */
START_TEST(with_ghosts)
{
    const char *folder =
        skeleton_filled(0, "--ghosts 2", "kernel.c", skeletons[0].body, SKELETON_GHOST);

    ck_assert_contains(calab_good("lab who -s 4x2 %s", folder).out, "\n0000\n0000\n0 thread 0: 8 ");
}
END_TEST

START_TEST(told_where_it_cannot)
{
    const char *folder = kernel("without", "", "", "out[0][y * lab->w + x] = 0; (void)z;");

    calab_fails(1, "kernel.c calls LAB_AT nowhere", "lab who %s", folder);
    calab_fails(2, "the picture is a .png", "lab who -s 4x4 -o a.jpg %s",
                kernel("jpg", "", "", skeletons[0].body));
    calab_fails(1, "the kernel", "lab who %s", kernel("crash", "", "__builtin_trap();", ""));
    calab_fails(4, "does not compile", "lab who %s", kernel("broken", "", "oops", ""));
    calab_done("lab new anneal %s --main", test_path("whole"));
    calab_fails(2, "is a whole program", "lab who %s", test_path("whole"));
}
END_TEST

/* What is checked and timed has no notes. */
START_TEST(no_other_build_has_notes)
{
    const char *folder =
        kernel("plain", "", "#ifdef LAB_WHO\n#error \"notes\"\n#endif\n", skeletons[0].body);
    struct outcome o = calab("lab check -q %s", folder);

    ck_assert_msg(o.status == 0, "%s%s", o.out, o.err);
    calab_fails(4, "notes", "lab who %s", folder);
}
END_TEST

#define CELLS 6

static const struct forged {
    struct lab_who_file head;
    size_t bytes; /* more than there should be */
    uint16_t most;
    bool good;
} forged[] = {
    {{LAB_WHO_MAGIC, LAB_WHO_THREAD, 1, 0, 0, CELLS, 0, 0}, 0, 1, true},
    {{LAB_WHO_MAGIC, LAB_WHO_THREAD, 1, 0, 0, CELLS, 0, 0}, 0, 65535, true}, /* nobody's */
    {{LAB_WHO_MAGIC, LAB_WHO_SM, 1, 1, 0, CELLS, 0, 0}, 0, 1, true},
    {{LAB_WHO_MAGIC + 1, LAB_WHO_THREAD, 1, 0, 0, CELLS, 0, 0}, 0, 1, false},
    {{LAB_WHO_MAGIC, 3, 1, 0, 0, CELLS, 0, 0}, 0, 1, false},
    {{LAB_WHO_MAGIC, LAB_WHO_THREAD, 0, 0, 0, CELLS, 0, 0}, 0, 1, false},
    {{LAB_WHO_MAGIC, LAB_WHO_THREAD, LAB_WHO_THREADS + 1, 0, 0, CELLS, 0, 0}, 0, 1, false},
    {{LAB_WHO_MAGIC, LAB_WHO_THREAD, 1, LAB_WHO_BLOCKS + 1, 0, CELLS, 0, 0}, 0, 1, false},
    {{LAB_WHO_MAGIC, LAB_WHO_THREAD, 1, 0, 0, CELLS + 1, 0, 0}, 0, 1, false},
    {{LAB_WHO_MAGIC, LAB_WHO_THREAD, 1, 0, 0, CELLS, 0, 0}, 1, 1, false},
};

START_TEST(nothing_is_trusted)
{
    const struct forged *f = &forged[_i];
    static struct ca_lab lab;
    static struct ca_lab_who who;
    static uint8_t bytes[1 << 20];
    size_t spans = f->head.workers + (size_t)f->head.blocks, count = sizeof f->head;
    struct lab_who_span span = {.first = 7, .last = 1000000007, .asks = 3, .worker = 123456789};
    const struct ca_model *model;
    struct ca_error error;
    enum ca_status status;

    ck_assert_ok(ca_model_find(&model, "anneal", &error));
    ca_lab_default(&lab, model);
    memcpy(bytes, &f->head, sizeof f->head);
    for (size_t i = 0; i < spans; i++, count += sizeof span)
        memcpy(bytes + count, &span, sizeof span);
    for (uint64_t i = 0; i < f->head.cells; i++, count += sizeof f->most)
        memcpy(bytes + count, &f->most, sizeof f->most);
    test_write(test_path("who"), (const char *)bytes, count + f->bytes);
    status = ca_lab_who_read(&who, &lab, (struct ca_size){3, 2, 1}, test_path("who"), &error);
    ck_assert_int_eq(status, f->good ? CA_OK : CA_WRONG);
    if (f->good) {
        ck_assert_int_eq(ca_lab_who_of(&who, 2, 1, 0), f->most == 1 ? 0 : -1);
        ck_assert_int_eq(who.worker[0].cells, f->most == 1 ? CELLS : 0);
        ck_assert_double_eq_tol(who.span_s, 1, 1e-9);
        ck_assert_double_eq_tol(ca_lab_who_idle(&who, 0), 0, 1e-9);
    } else
        ck_assert_contains(error.text, "has left no notes");
    ca_lab_who_free(&who);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {bands_of_threads, as_json, with_ghosts, told_where_it_cannot,
                              no_other_build_has_notes},
                     .table = {{nothing_is_trusted, COUNT(forged)}});
}
