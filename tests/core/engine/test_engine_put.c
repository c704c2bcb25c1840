/* SPDX-License-Identifier: MIT */
/*
 * Cells that are changed, and a reset that is undone, through the engine: every backend of the CPU
 * goes on as the reference does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/registry.h"
#include "tests/support/engine_peer.h"
#include "tests/support/support.h"

static char *hash_of(struct peer *peer)
{
    json_t *json;
    char *hash;

    json = peer_ask(peer, "{'id':90,'op':'hash'}");
    hash = strdup(json_text(json, "hash"));
    return hash;
}

static bool runs_here(const struct ca_backend *backend)
{
    struct ca_error error;

    return backend->device == CA_CPU && backend->stepper &&
           ca_backend_available(backend, &error) == CA_OK;
}

static struct peer peer_greeted(void)
{
    struct peer peer = peer_start();

    peer_next(&peer, NULL);
    return peer;
}

/* False: the backend does not hold the lattice. */
static bool opens(struct peer *peer, const struct ca_model *model, const char *backend,
                  const char *more)
{
    json_t *json;
    bool ok;

    json = peer_ask(peer,
                    "{'id':1,'op':'open','model':'%s','size':'%s','backend':'%s',"
                    "'seed':5%s}",
                    model->name, model->dimensions == 3 ? "64x12x6" : "128x24", backend, more);
    ok = json_is_true(json_object_get(json, "ok"));
    return ok;
}

static void asks(struct peer *peer, const char *request)
{
    peer_gets(peer, NULL, "{'id':2,%s}", request);
}

/* --- changed cells ---------------------------------------------------------------------------- */

static const struct edit {
    const char *model, *open, *puts[6];
} edits[] = {
    {"anneal",
     "",
     {"\"x\":63,\"y\":23,\"next\":true", "\"x\":127,\"y\":0,\"next\":true",
      "\"x\":60,\"y\":4,\"width\":8,\"height\":2,\"planes\":{\"cell\":[1,1,1,1,1,1,1,1,0,0,0,0,0,0,"
      "0,0]}"}},
    {"life3d",
     "",
     {"\"x\":63,\"y\":11,\"z\":5,\"next\":true",
      "\"x\":1,\"y\":2,\"z\":3,\"width\":2,\"height\":2,\"depth\":2,\"planes\":{\"cell\":[1,1,1,1,"
      "1,1,1,0]}"}},
    {"cloud",
     "",
     {"\"x\":63,\"y\":11,\"z\":5,\"next\":true", "\"x\":0,\"next\":true", "\"x\":0,\"next\":true",
      "\"x\":5,\"width\":3,\"planes\":{\"act\":[1,1,1]}"}},
    {"fhp",
     "",
     {"\"x\":60,\"y\":12,\"next\":true", "\"x\":60,\"y\":12,\"next\":true",
      "\"x\":7,\"y\":23,\"planes\":{\"node\":[4]}", /* a hole in the wall */
      "\"x\":100,\"y\":9,\"width\":3,\"height\":2,\"planes\":{\"node\":[128,128,128,1,2,63]}"}},
    {"fhp",
     ",\"parameters\":{\"geometry\":\"none\"}",
     {"\"x\":60,\"y\":12,\"width\":2,\"planes\":{\"node\":[128,128]}", "\"y\":23,\"next\":true"}},
    {"water",
     "",
     {"\"x\":127,\"y\":23,\"next\":true", "\"x\":127,\"y\":23,\"next\":true",
      "\"x\":3,\"y\":3,\"width\":2,\"planes\":{\"level\":[500.5,499.25]}"}},
};

/* The edited state has its backend's tolerance no more: such backends are left out. */
START_TEST(every_backend_goes_on_from_changed_cells)
{
    const struct edit *edit = &edits[_i];
    const struct ca_model *model = test_model(edit->model);
    struct peer peer = peer_greeted();
    char *wanted[2] = {NULL}, *hash;
    int checked = 0;

    for (const struct ca_backend *b = model->backends; b->name; b++) {
        if (!runs_here(b) || b->tolerance > 0 || !opens(&peer, model, b->name, edit->open))
            continue;
        asks(&peer, "\"op\":\"step\",\"n\":3");
        for (int i = 0; i < 6 && edit->puts[i]; i++) {
            asks(&peer, test_text("\"op\":\"put\",%s", edit->puts[i]));
        }
        for (int i = 0; i < 2; i++) {
            hash = hash_of(&peer);
            if (!wanted[i])
                wanted[i] = strdup(hash);
            ck_assert_msg(strcmp(hash, wanted[i]) == 0, "%s of %s: %s %s, %s is wanted",
                          i ? "seven generations after" : "changed cells", b->name, model->name,
                          hash, wanted[i]);
            free(hash);
            asks(&peer, "\"op\":\"step\",\"n\":7");
        }
        checked++;
    }
    ck_assert_int_ge(checked, 2);
    free(wanted[0]);
    free(wanted[1]);
    peer_finish(&peer, 0);
}
END_TEST

static void expect_cell(struct peer *peer, int x, int y, const char *state)
{
    json_t *json;

    json = peer_ask(peer, "{'id':3,'op':'cell','x':%d,'y':%d}", x, y);
    ck_assert_str_eq(json_text(json, "state"), state);
}

START_TEST(next_goes_through_the_brushes)
{
    for (int m = 0; ca_models[m]; m++) {
        const struct ca_brush *brushes = ca_models[m]->brushes;
        struct peer peer = peer_greeted();
        int count = 0, at = 0;
        json_t *json;

        ck_assert(opens(&peer, ca_models[m], "reference", ""));
        while (brushes[count].name)
            count++;
        for (int i = 0; i <= count; i++) {
            const char *state;

            json = peer_ask(&peer, "{'id':2,'op':'put','x':9,'y':9,'next':true}");
            state = json_text(json, "state");
            ck_assert_ptr_nonnull(state);
            while (i == 0 && strcmp(brushes[at].name, state) != 0) /* what was there is not known */
                at++;
            ck_assert_str_eq(state, brushes[(at + i) % count].name);
        }
        peer_finish(&peer, 0);
    }
}
END_TEST

static const struct {
    const char *request, *says;
} wrong[] = {
    {"\"x\":96", "\"x\" is 96"},
    {"\"x\":1", "one of \"planes\""},
    {"\"planes\":{\"cell\":[2]}", "\"cell\", value 0 is not among"},
    {"\"planes\":{\"cell\":[0.5]}", "value 0 is not"},
    {"\"planes\":{\"cell\":[1,1]}", "is not a list of 1 numbers"},
    {"\"planes\":{\"sell\":[1]}", "no plane 'sell'"},
    {"\"x\":95,\"width\":2,\"planes\":{\"cell\":[1,1]}", "\"width\" is 2"},
    {"\"width\":96,\"height\":64,\"planes\":{\"cell\":[1]}", "6144 cells"},
    {"\"file\":\"none.pbm\"", "none.pbm"},
    {"\"file\":\"none.xyz\"", ".npy"},
};

START_TEST(what_is_not_allowed_changes_nothing)
{
    struct peer peer = peer_open_anneal();
    char *before = hash_of(&peer), *after;

    for (size_t i = 0; i < COUNT(wrong); i++) {
        json_t *json;

        json = peer_ask(&peer, "{'id':2,'op':'put',%s}", wrong[i].request);
        ck_assert(json_is_false(json_object_get(json, "ok")));
        ck_assert_contains(json_text(json, "error.message"), wrong[i].says);
    }
    after = hash_of(&peer);
    ck_assert_str_eq(before, after);
    free(before);
    free(after);
    peer_finish(&peer, 0);
}
END_TEST

/* Water below the ground is refused in the second row, and the first one is not loaded either. */
START_TEST(all_rows_are_checked_first)
{
    struct peer peer = peer_greeted();
    char *before, *after;

    ck_assert(opens(&peer, test_model("water"), "reference", ""));
    before = hash_of(&peer);
    peer_refuses(&peer, "usage", "below terrain",
                 "{'id':2,'op':'put','height':2,'planes':{'level':[9999,-9999]}}");
    after = hash_of(&peer);
    ck_assert_str_eq(before, after);
    free(before);
    free(after);
    peer_finish(&peer, 0);
}
END_TEST

START_TEST(patterns_from_files)
{
    static const char picture[] = "P1\n3 2\n1 1 1\n0 0 1\n",
                      rle[] = "#CXRLE Pos=-1,-1\nx = 3, y = 3, rule = B3/S23\nbo$2bo$3o!",
                      grid[] = "ncols 2\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 1\n3 0.01\n";
    struct peer peer = peer_open_anneal();

    test_put("glider.pbm", picture);
    test_put("depth.asc", grid);
    asks(&peer, "\"op\":\"put\",\"x\":5,\"y\":5,\"width\":3,\"height\":2,"
                "\"planes\":{\"cell\":[0,0,0,1,1,0]}");
    ck_assert_int_eq(peer_gets(&peer, "width", "{'id':2,'op':'put','x':5,'y':5,'file':'%s'}",
                               test_path("glider.pbm")),
                     3);
    expect_cell(&peer, 5, 5, "live");
    expect_cell(&peer, 7, 5, "live");
    expect_cell(&peer, 5, 6, "empty");
    expect_cell(&peer, 7, 6, "live");
    peer_refuses(&peer, "usage", "is 3x2, and at 94,5,0 does not fit into the lattice 96x64",
                 "{'id':2,'op':'put','x':94,'y':5,'file':'%s'}", test_path("glider.pbm"));
    test_put("glider.rle", rle);
    ck_assert_int_eq(peer_gets(&peer, "width", "{'id':2,'op':'put','x':20,'y':9,'file':'%s'}",
                               test_path("glider.rle")),
                     3);
    expect_cell(&peer, 20, 9, "empty");
    expect_cell(&peer, 21, 9, "live");
    expect_cell(&peer, 22, 10, "live");
    ck_assert(opens(&peer, test_model("fhp"), "reference", ""));
    peer_gets(&peer, NULL, "{'id':2,'op':'put','x':5,'y':5,'file':'%s'}", test_path("glider.pbm"));
    expect_cell(&peer, 5, 5, "solid");
    expect_cell(&peer, 5, 6, "empty");
    ck_assert(opens(&peer, test_model("water"), "reference", ""));
    peer_gets(&peer, NULL, "{'id':2,'op':'put','x':5,'y':5,'file':'%s'}", test_path("depth.asc"));
    expect_cell(&peer, 5, 5, "deep water");
    expect_cell(&peer, 6, 5, "film of water");
    peer_finish(&peer, 0);
}
END_TEST

/* What must not change is held against the state after the edit. */
START_TEST(invariants_begin_anew)
{
    struct peer peer = peer_greeted();
    uint8_t *payload;
    json_t *frame;

    ck_assert(opens(&peer, test_model("fhp"), "reference", ""));
    peer_say(&peer, "{'id':4,'op':'view','columns':2,'lines':1,'zoom':64,'fps':1000}");
    for (int i = 0; i < 2; i++) {
        frame = peer_frame(&peer, &payload);
        ck_assert_int_eq(json_whole(frame, "observables.broken"), -1);
        peer_say(&peer, "{'op':'ack'}");
        if (i == 0)
            peer_say(&peer, "{'id':5,'op':'put','x':9,'y':9,'planes':{'node':[63]}}");
    }
    asks(&peer, "\"op\":\"step\",\"n\":5");
    /* Its frame may have come before its answer. */
    peer_say(&peer, "{'op':'ack'}\n{'id':6,'op':'view'}");
    frame = peer_frame(&peer, &payload);
    ck_assert_int_eq(json_whole(frame, "observables.broken"), -1);
    peer_finish(&peer, 0);
}
END_TEST

/* --- undo ------------------------------------------------------------------------------------- */

START_TEST(a_reset_is_undone)
{
    const struct ca_model *model = ca_models[_i];
    struct peer peer = peer_greeted();
    char *wanted, *hash;

    for (const struct ca_backend *b = model->backends; b->name; b++) {
        if (!runs_here(b) || !opens(&peer, model, b->name, ""))
            continue;
        asks(&peer, "\"op\":\"step\",\"n\":9");
        wanted = hash_of(&peer);
        ck_assert(opens(&peer, model, b->name, ""));
        asks(&peer, "\"op\":\"step\",\"n\":4");
        ck_assert_int_eq(peer_gets(&peer, NULL, "{'id':5,'op':'reset','undo':true}"), 0);
        asks(&peer, "\"op\":\"step\",\"n\":2");
        asks(&peer, "\"op\":\"mark\"");
        ck_assert_int_eq(peer_gets(&peer, NULL, "{'id':6,'op':'undo'}"), 4);
        asks(&peer, "\"op\":\"step\",\"n\":5");
        hash = hash_of(&peer);
        ck_assert_msg(strcmp(hash, wanted) == 0, "%s: %s, %s is wanted", b->name, hash, wanted);
        free(hash);
        free(wanted);
        peer_refuses(&peer, "usage", "no reset has saved a state", "{'id':7,'op':'undo'}");
        peer_say(&peer, "{'id':8,'op':'back'}"); /* that was the other one's */
        peer_refused(&peer, 8, "usage", "no state is kept");
    }
    peer_finish(&peer, 0);
}
END_TEST

START_TEST(a_change_forgets_what_was_put_aside)
{
    struct peer peer = peer_open_anneal();

    asks(&peer, "\"op\":\"step\",\"n\":4");
    asks(&peer, "\"op\":\"reset\",\"undo\":true");
    asks(&peer, "\"op\":\"reset\""); /* which does not */
    asks(&peer, "\"op\":\"change\",\"backend\":\"threads\"");
    peer_refuses(&peer, "usage", "no reset has saved a state", "{'id':7,'op':'undo'}");
    asks(&peer, "\"op\":\"step\",\"n\":4");
    asks(&peer, "\"op\":\"reset\",\"undo\":true"); /* freed at the end, with the simulation */
    peer_finish(&peer, 0);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {next_goes_through_the_brushes, what_is_not_allowed_changes_nothing,
                              all_rows_are_checked_first, patterns_from_files,
                              invariants_begin_anew, a_change_forgets_what_was_put_aside},
                     .table = {{every_backend_goes_on_from_changed_cells, COUNT(edits)},
                               {a_reset_is_undone, test_models()}});
}
