/* SPDX-License-Identifier: MIT */
/*
 * The engine's end of its two streams: requests in, answers and events out, with the bytes that
 * follow some of them. It knows the format of messages, not their meaning. It never blocks; the
 * engine's loop polls.
 */
#ifndef CALAB_CORE_ENGINE_CHANNEL_H
#define CALAB_CORE_ENGINE_CHANNEL_H

#include <jansson.h>
#include <stdint.h>
#include <sys/uio.h>

#include "core/engine/buffer.h"
#include "core/base/error.h"

#define CA_REQUEST_MAX ((size_t)1 << 20) /* bytes of a request line */

struct ca_channel {
    int in, out;
    int out_flags; /* before the channel made it non-blocking */
    struct ca_buffer received, sent;
    size_t searched;    /* leading bytes of `received` without an end of line */
    size_t line;        /* bytes of the line that the last ca_channel_request returned */
    bool skipping;      /* discards the rest of a line that was too long */
    json_t *waiting;    /* a request whose bytes have not all come */
    size_t bytes;       /* so many are its */
    uint64_t unwanted;  /* bytes of a request that was refused, to be passed over */
    bool ended;         /* no more input */
    uint64_t requests;  /* lines received */
    unsigned shortages; /* of memory for JSON, when the channel was opened */
    struct ca_error error;
    bool broken; /* `out` cannot be used any more; error says why */
};

enum ca_status ca_channel_open(struct ca_channel *channel, int in, int out, struct ca_error *error);
void ca_channel_close(struct ca_channel *channel); /* leaves the descriptors open */

/* Reads from `in`, which poll has reported readable. */
void ca_channel_receive(struct ca_channel *channel);
/*
 * Takes the next request. 1: *request is an object, to be released by json_decref; its "bytes" are
 * a text that holds those that followed it, whatever they are. 0: none is complete. -1: a line is
 * no request, *error says why, and *request is the object, if it is one, or NULL.
 */
int ca_channel_request(struct ca_channel *channel, json_t **request, struct ca_error *error);

/* Queues a message, which is stolen, and a payload in so many parts, and writes without blocking. A
 * NULL message stands for too little memory and breaks the channel, and so does one that may lack
 * members. */
void ca_channel_send(struct ca_channel *channel, const char *magic, json_t *message,
                     const struct iovec parts[], int count);
void ca_channel_flush(struct ca_channel *channel);

#endif
