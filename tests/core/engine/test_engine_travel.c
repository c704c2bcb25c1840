/* SPDX-License-Identifier: MIT */
/* A state that goes from one engine to another in packed rows, and requests with bytes. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/engine/packed.h"
#include "core/model/registry.h"
#include "tests/support/engine_peer.h"
#include "tests/support/support.h"

/* An engine with a simulation that is opened by `id` 1. */
static struct peer opened(const char *model, const char *size, const char *backend)
{
    struct peer peer = peer_start();

    peer_next(&peer, NULL);
    peer_gets(&peer, "generation", "{'id':1,'op':'open','model':'%s','size':'%s','backend':'%s'}",
              model, size, backend);
    return peer;
}

static char *hash_of(struct peer *peer, int id)
{
    json_t *json;
    char *hash;

    json = peer_ask(peer, "{'id':%d,'op':'hash'}", id);
    hash = strdup(json_text(json, "hash"));
    return hash;
}

struct piece {
    json_t *json; /* what came with it */
    uint8_t *bytes;
    size_t count;
};

static struct piece given(struct peer *peer, int id, int64_t first, int64_t rows)
{
    struct piece piece = {0};

    peer_say(peer, "{'id':%d,'op':'give','first':%lld,'rows':%lld}", id, (long long)first,
             (long long)rows);
    piece.json = peer_answer_bytes(peer, id, &piece.bytes);
    ck_assert_msg(json_is_true(json_object_get(piece.json, "ok")), "%s", json_dumps(piece.json, 0));
    piece.count = (size_t)json_whole(piece.json, "bytes");
    return piece;
}

static void send_piece(struct peer *peer, int id, const struct piece *piece)
{
    peer_say(peer,
             "{'id':%d,'op':'take','first':%lld,'rows':%lld,'generation':%lld,"
             "'digest':'%s','bytes':%zu}",
             id, (long long)json_whole(piece->json, "first"),
             (long long)json_whole(piece->json, "rows"),
             (long long)json_whole(piece->json, "generation"), json_text(piece->json, "digest"),
             piece->count);
    peer_send(peer, piece->bytes, piece->count);
}

static void piece_free(struct piece *piece)
{
    json_decref(piece->json);
    free(piece->bytes);
}

/* --- every model ------------------------------------------------------------------------------ */

static const struct {
    const char *model, *size, *from, *to;
    int64_t rows, bytes; /* of all rows; packed */
} models[] = {
    {"anneal", "70x41", "bitslice", "reference", 41, 9 * 41},
    {"anneal", "70x41", "reference", "bitslice", 41, 9 * 41},
    {"life3d", "37x24x9", "bitslice", "threads", 24 * 9, 5 * 24 * 9},
    {"cloud", "37x24x9", "bitslice", "reference", 24 * 9, 3 * 5 * 24 * 9},
    {"fhp", "70x40", "threads", "bitslice", 40, 8 * 9 * 40},
    {"water", "70x40", "threads", "reference", 40, 0},
};

/* Bit for bit: the hash at the other end is that of the state, and so is the next generation's. */
START_TEST(state_arrives)
{
    struct peer a = opened(models[_i].model, models[_i].size, models[_i].from);
    struct peer b = opened(models[_i].model, models[_i].size, models[_i].to);
    int64_t bytes = 0;
    char *hash, *other;
    json_t *json;
    int id = 10;

    peer_gets(&a, NULL, "{'id':2,'op':'step','n':7}");
    hash = hash_of(&a, 3);
    for (int64_t first = 0, rows = 1; first < models[_i].rows; first += rows, rows = rows * 2 + 1) {
        struct piece piece;

        rows = rows < models[_i].rows - first ? rows : models[_i].rows - first;
        piece = given(&a, id, first, rows);
        bytes += (int64_t)piece.count;
        send_piece(&b, id, &piece);
        json = peer_answer(&b, id++);
        ck_assert_msg(json_is_true(json_object_get(json, "ok")), "%s", json_dumps(json, 0));
        ck_assert_int_eq(json_whole(json, "rows"), first + rows);
        if (first + rows == models[_i].rows) {
            ck_assert_str_eq(json_text(json, "hash"), hash);
            ck_assert_int_eq(json_whole(json, "generation"), 7);
        }
        piece_free(&piece);
    }
    if (models[_i].bytes)
        ck_assert_int_eq(bytes, models[_i].bytes);
    free(hash);
    peer_say(&a, "{'id':4,'op':'step','n':3}");
    peer_say(&b, "{'id':4,'op':'step','n':3}");
    ck_assert_int_eq(peer_good(&a, 4, "generation"), 10);
    ck_assert_int_eq(peer_good(&b, 4, "generation"), 10);
    hash = hash_of(&a, 5);
    other = hash_of(&b, 5);
    ck_assert_str_eq(hash, other);
    free(hash);
    free(other);
    peer_finish(&b, CA_OK); /* which holds the other end of a's input, too */
    peer_finish(&a, CA_OK);
}
END_TEST

/* --- refusals --------------------------------------------------------------------------------- */

/* A piece that is wrong changes nothing, and can be sent again. */
START_TEST(wrong_pieces)
{
    struct peer a = opened("anneal", "64x8", "bitslice"), b = opened("anneal", "64x8", "bitslice");
    struct piece first = given(&a, 2, 0, 4), second = given(&a, 3, 4, 4);
    char *before = hash_of(&b, 2), *after;
    json_t *row = json_object_get(second.json, "first"), *json;

    peer_refuses(&b, "usage", "take: 0 bytes, but 4 rows of 64x8 in anneal are 32",
                 "{'id':3,'op':'take','rows':4,'digest':'0','generation':0}");
    first.count--;
    send_piece(&b, 4, &first);
    peer_refused(&b, 4, "usage", "take: 31 bytes, but 4 rows of 64x8 in anneal are 32");
    first.count++;
    first.bytes[5] ^= 4;
    send_piece(&b, 5, &first);
    peer_refused(&b, 5, "usage", "take: rows 0 ... 3 have the digest ");
    first.bytes[5] ^= 4;
    send_piece(&b, 6, &second);
    peer_refused(&b, 6, "usage", "take: row 0 is next, not 4");
    after = hash_of(&b, 7);
    ck_assert_str_eq(before, after);
    free(after);
    send_piece(&b, 8, &first);
    ck_assert_int_eq(peer_good(&b, 8, "rows"), 4);
    json_integer_set(row, 5);
    json_integer_set(json_object_get(second.json, "rows"), 3);
    second.count = 24;
    send_piece(&b, 9, &second);
    peer_refused(&b, 9, "usage", "take: row 4 is next, not 5");
    json_integer_set(row, 4);
    json_integer_set(json_object_get(second.json, "rows"), 4);
    second.count = 32;
    json_integer_set(json_object_get(second.json, "generation"), 1);
    send_piece(&b, 10, &second);
    peer_refused(&b, 10, "usage", "the rows before these are of generation 0, these of 1");
    json_integer_set(json_object_get(second.json, "generation"), 0);
    send_piece(&b, 11, &second);
    json = peer_answer(&b, 11);
    ck_assert_str_eq(json_text(json, "hash"), before);
    free(before);
    piece_free(&first);
    piece_free(&second);
    peer_finish(&b, CA_OK); /* which holds the other end of a's input, too */
    peer_finish(&a, CA_OK);
}
END_TEST

static const char *const refused[] = {
    "{\"id\":20,\"op\":\"step\"}",
    "{\"id\":20,\"op\":\"run\"}",
    "{\"id\":20,\"op\":\"hash\"}",
    "{\"id\":20,\"op\":\"observe\"}",
    "{\"id\":20,\"op\":\"cell\"}",
    "{\"id\":20,\"op\":\"mark\"}",
    "{\"id\":20,\"op\":\"burst\"}",
    "{\"id\":20,\"op\":\"seek\",\"generation\":3}",
    "{\"id\":20,\"op\":\"digest\"}",
    "{\"id\":20,\"op\":\"give\"}",
    "{\"id\":20,\"op\":\"save\",\"file\":\"/dev/null\"}",
};

/* Half a state is none: nothing but the rest of it, another start or another backend is taken. */
START_TEST(half_a_state_is_none)
{
    struct peer a = opened("anneal", "64x8", "bitslice"), b = opened("anneal", "64x8", "bitslice");
    struct piece first = given(&a, 2, 0, 5);
    char *before = hash_of(&b, 2), *after;

    send_piece(&b, 3, &first);
    peer_good(&b, 3, "rows");
    peer_gets(&b, NULL, "{'id':4,'op':'view','columns':8,'lines':8,'fps':1000}");
    for (size_t i = 0; i < COUNT(refused); i++) {
        peer_say(&b, "%s", refused[i]);
        peer_refused(&b, 20, "usage", "only 5 of the 8 rows of a state have come");
    }
    peer_gets(&b, NULL, "{'id':5,'op':'change','backend':'threads'}");
    peer_gets(&b, NULL, "{'id':6,'op':'reset'}");
    after = hash_of(&b, 7);
    ck_assert_str_eq(before, after);
    free(before);
    free(after);
    piece_free(&first);
    peer_finish(&b, CA_OK); /* which holds the other end of a's input, too */
    peer_finish(&a, CA_OK);
}
END_TEST

START_TEST(sizes)
{
    const struct ca_model *anneal = &anneal_model, *water = &water_model;
    struct ca_error error;

    ck_assert_ok(ca_packed_check(anneal, (struct ca_size){131072, 65536, 1}, &error)); /* 1 GiB */
    ck_assert_int_eq(ca_packed_check(anneal, (struct ca_size){131072, 65537, 1}, &error), CA_USAGE);
    ck_assert_contains(error.text, "1073758208 bytes, packed, and at most 1073741824 ");
    ck_assert_int_eq(ca_packed_check(water, (struct ca_size){65536, 65536, 1}, &error), CA_USAGE);
}
END_TEST

START_TEST(rows_of_requests)
{
    struct peer peer = opened("anneal", "64x8", "bitslice");

    peer_refuses(&peer, "usage", "\"first\" is 8: a whole number from 0 to 7",
                 "{'id':2,'op':'give','first':8}");
    peer_refuses(&peer, "usage", "\"rows\" is 4: a whole number from 1 to 3",
                 "{'id':3,'op':'give','first':5,'rows':4}");
    peer_refuses(&peer, "usage", "take: \"generation\" is missing",
                 "{'id':4,'op':'take','digest':'0'}");
    peer_refuses(&peer, "usage", "take: \"digest\" is missing",
                 "{'id':5,'op':'take','generation':0}");
    peer_finish(&peer, CA_OK);
}
END_TEST

/* --- bytes behind a request ------------------------------------------------------------------- */

/* They are no lines, whatever they look like, and belong to their request even while it waits. */
START_TEST(bytes_are_no_lines)
{
    static const char bytes[] = "\n{\"id\":9,\"op\":\"quit\"}\n\0\xff\n";
    struct peer peer = peer_start();

    peer_next(&peer, NULL);
    peer_say(&peer, "{'id':1,'op':'ping','bytes':%zu}", sizeof bytes);
    peer_send(&peer, bytes, sizeof bytes);
    peer_good(&peer, 1, NULL);
    peer_say(&peer, "{'id':2,'op':'ping','bytes':0}\n{'id':3,'op':'ping'}");
    peer_good(&peer, 2, NULL);
    peer_good(&peer, 3, NULL);
    peer_refuses(&peer, "usage", "\"bytes\" is the number of bytes that follow",
                 "{'id':4,'op':'ping','bytes':-1}");
    peer_refuses(&peer, "usage", "\"bytes\" is the number of bytes that follow",
                 "{'id':5,'op':'ping','bytes':'x'}");
    peer_say(&peer, "{'id':6,'op':'nothing','bytes':%zu}", sizeof bytes);
    peer_send(&peer, bytes, sizeof bytes);
    peer_refused(&peer, 6, "usage", "'nothing' is not an op");
    peer_finish(&peer, CA_OK);
}
END_TEST

/* Bytes of a request that was refused for their number are passed over. */
START_TEST(too_many_bytes)
{
    const size_t count = ((size_t)16 << 20) + 1;
    char *bytes = calloc(1, count);
    struct peer peer = peer_start();

    peer_next(&peer, NULL);
    peer_say(&peer, "{'id':1,'op':'ping','bytes':%zu}", count);
    for (size_t sent = 0; sent < count;) {
        ssize_t put = write(peer.to, bytes + sent, count - sent);

        ck_assert_int_gt(put, 0);
        sent += (size_t)put;
    }
    peer_refused(&peer, 1, "usage", "16777217 bytes: at most 16777216 are allowed");
    peer_gets(&peer, NULL, "{'id':2,'op':'ping'}");
    free(bytes);
    peer_finish(&peer, CA_OK);
}
END_TEST

START_TEST(end_in_the_middle)
{
    struct peer peer = opened("anneal", "64x8", "bitslice");

    peer_say(&peer, "{'id':2,'op':'take','generation':0,'digest':'0','bytes':64}");
    peer_send(&peer, "0123456789", 10);
    peer_finish(&peer, CA_OK);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {wrong_pieces, half_a_state_is_none, sizes, rows_of_requests,
                              bytes_are_no_lines, too_many_bytes, end_in_the_middle},
                     .table = {{state_arrives, COUNT(models)}});
}
