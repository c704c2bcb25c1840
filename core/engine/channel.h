/* SPDX-License-Identifier: MIT */
/*
 * The engine's side of its two streams: request lines in, answers and events out. It knows what a
 * message is made of, but not what it means. It never waits; the loop of the engine polls.
 */
#ifndef CALAB_CORE_ENGINE_CHANNEL_H
#define CALAB_CORE_ENGINE_CHANNEL_H

#include <jansson.h>
#include <stdint.h>

#include "core/engine/buffer.h"
#include "core/base/error.h"

#define CA_REQUEST_MAX ((size_t)1 << 20) /* bytes of a request line */

struct ca_channel {
    int in, out;
    int out_flags; /* as they were */
    struct ca_buffer received, sent;
    size_t searched;   /* of `received`, known to hold no end of line */
    size_t line;       /* of `received`, given out by the last ca_channel_request */
    bool skipping;     /* the rest of a line that was too long */
    bool ended;        /* no more input */
    uint64_t requests; /* lines so far */
    struct ca_error error;
    bool broken; /* `out` is of no more use, why stands in error */
};

enum ca_status ca_channel_open(struct ca_channel *channel, int in, int out, struct ca_error *error);
void ca_channel_close(struct ca_channel *channel); /* leaves the descriptors open */

/* Takes in what has come on `in`, which poll says is readable. */
void ca_channel_receive(struct ca_channel *channel);
/*
 * The next request that has come: 1 and an object (json_decref it); 0: none; -1: a line that is no
 * request, *error says why.
 */
int ca_channel_request(struct ca_channel *channel, json_t **request, struct ca_error *error);

/* Queues a message (steals it; NULL breaks the channel: no memory), a payload, writes what goes. */
void ca_channel_send(struct ca_channel *channel, const char *magic, json_t *message,
                     const void *bytes, size_t count);
void ca_channel_flush(struct ca_channel *channel);

#endif
