/* SPDX-License-Identifier: MIT */
/* Halos pass between ranks in slots. This file must not know any backend.
 *
 * Ranks meet at a barrier: before it, each sends the layers at its ends, behind it, it receives its
 * neighbours'. The slots are double buffers, so that nobody fills one that is still being read.
 * Halos of ranks in other processes are messages, which the first thread sends and receives between
 * two barriers. */
#include "core/ranks/slab_parts.h"

#include <string.h>

#include "core/machine/thread_pool.h"
#include "core/ranks/processes.h"

static int halo_slot(int buffer, int side) { return 2 * buffer + side; }

int slabs_remote_process(const struct ca_slabs *slabs, int rank, int side)
{
    int next = ca_cut_neighbour(&slabs->cut, rank, side == LOW ? -1 : 1);

    if (next < 0 || (next >= slabs->first && next < slabs->first + slabs->count))
        return -1;
    return slabs->cut.place[next].process;
}

static void planes_at(const struct ca_slabs *slabs, char *memory, void *planes[])
{
    for (int p = 0; p < slabs->model->planes; p++)
        planes[p] = memory + (size_t)p * slabs->plane_bytes;
}

static char *slot_at(const struct ca_slabs *slabs, const struct rank *rank, int slot)
{
    return rank->slots + (size_t)slot * slabs->slot_bytes;
}

/* The first row, in its slab, of the halo that a rank sends or receives on a side. */
static int64_t sent_row(const struct ca_slabs *slabs, const struct rank *rank, int side)
{
    int64_t layer = side == LOW ? rank->low : rank->low + rank->own - slabs->cut.halo;

    return layer * slabs->cut.rows;
}

static int64_t received_row(const struct ca_slabs *slabs, const struct rank *rank, int side)
{
    return side == LOW ? 0 : (rank->low + rank->own) * slabs->cut.rows;
}

/* The neighbour of a rank of this process, -1 where the lattice ends. */
static int neighbour(const struct ca_slabs *slabs, const struct rank *rank, int side)
{
    int r = slabs->first + (int)(rank - slabs->rank);

    return ca_cut_neighbour(&slabs->cut, r, side == LOW ? -1 : 1);
}

static bool by_message(const struct ca_slabs *slabs, const struct rank *rank, int side)
{
    int r = slabs->first + (int)(rank - slabs->rank);

    return slabs_remote_process(slabs, r, side) >= 0 && !slabs->remote[side].from;
}

/* Whether there is a halo on a side that goes by the backend's own slots, or that does not. */
static bool by_slot(const struct ca_slabs *slabs, const struct rank *rank, int side)
{
    return neighbour(slabs, rank, side) >= 0 && slabs->stepper->transfer &&
           !by_message(slabs, rank, side);
}

static bool alone(const struct ca_slabs *slabs, const struct rank *rank, int side)
{
    return neighbour(slabs, rank, side) >= 0 && !by_slot(slabs, rank, side);
}

static enum ca_status send_alone(struct ca_slabs *slabs, struct rank *rank, int side, int slot)
{
    const struct ca_stepper_transfer *transfer = slabs->stepper->transfer;
    int64_t rows = slabs->cut.halo * slabs->cut.rows, first = sent_row(slabs, rank, side);
    bool message = by_message(slabs, rank, side);
    struct ca_halo halo = {.slot = slot, .first = first};
    void *planes[CA_PLANES_MAX];

    if (message && transfer && transfer->fetch) {
        CA_TRY(transfer->send(rank->self, &halo, 1, rows, &rank->error));
        return transfer->fetch(rank->self, slot, slabs->remote[side].out, slabs->slot_bytes,
                               &rank->error);
    }
    planes_at(slabs, message ? slabs->remote[side].out : slot_at(slabs, rank, slot), planes);
    return slabs->stepper->store(rank->self, planes, first, rows, &rank->error);
}

/* Both sides at once by the backend's own slots; messages after them. */
static enum ca_status halos_send(struct ca_slabs *slabs, struct rank *rank, int buffer)
{
    const struct ca_stepper *stepper = slabs->stepper;
    struct ca_halo halos[SIDES];
    int count = 0;

    for (int side = LOW; side < SIDES; side++)
        if (by_slot(slabs, rank, side))
            halos[count++] = (struct ca_halo){.slot = halo_slot(buffer, side),
                                              .first = sent_row(slabs, rank, side)};
    if (count > 0)
        CA_TRY(stepper->transfer->send(rank->self, halos, count, slabs->cut.halo * slabs->cut.rows,
                                       &rank->error));
    for (int side = LOW; side < SIDES; side++)
        if (alone(slabs, rank, side))
            CA_TRY(send_alone(slabs, rank, side, halo_slot(buffer, side)));
    return CA_OK;
}

static enum ca_status receive_alone(struct ca_slabs *slabs, struct rank *rank, int side, int slot)
{
    const struct ca_stepper_transfer *transfer = slabs->stepper->transfer;
    int64_t rows = slabs->cut.halo * slabs->cut.rows, first = received_row(slabs, rank, side);
    bool message = by_message(slabs, rank, side);
    void *planes[CA_PLANES_MAX];

    if (message && transfer && transfer->deliver)
        return transfer->deliver(rank->self, first, rows, slabs->remote[side].in, &rank->error);
    if (message)
        planes_at(slabs, slabs->remote[side].in, planes);
    else
        planes_at(slabs,
                  slot_at(slabs, &slabs->rank[neighbour(slabs, rank, side) - slabs->first], slot),
                  planes);
    return slabs->stepper->load(rank->self, (const void *const *)planes, first, rows, &rank->error);
}

static enum ca_status receive(struct ca_slabs *slabs, struct rank *rank, int buffer)
{
    const struct ca_stepper *stepper = slabs->stepper;
    struct ca_halo halos[SIDES];
    int count = 0;

    for (int side = LOW; side < SIDES; side++)
        if (by_slot(slabs, rank, side)) {
            int next = neighbour(slabs, rank, side) - slabs->first;
            bool here = next >= 0 && next < slabs->count;

            halos[count++] =
                (struct ca_halo){.slot = halo_slot(buffer, side == LOW),
                                 .first = received_row(slabs, rank, side),
                                 .from = here ? slabs->rank[next].self : slabs->remote[side].from};
        }
    if (count > 0)
        CA_TRY(stepper->transfer->receive(rank->self, halos, count,
                                          slabs->cut.halo * slabs->cut.rows, &rank->error));
    for (int side = LOW; side < SIDES; side++)
        if (alone(slabs, rank, side))
            CA_TRY(receive_alone(slabs, rank, side, halo_slot(buffer, side == LOW)));
    return CA_OK;
}

/* Gives the neighbours in other processes out[side] and takes as many bytes from them. */
static void swap(const struct ca_slabs *slabs, void *const out[SIDES], void *const in[SIDES],
                 const size_t bytes[SIDES])
{
    static const enum ca_process_tag tags[] = {[LOW] = CA_TAG_DOWN, [HIGH] = CA_TAG_UP};
    struct ca_process_message messages[CA_SWAP_MAX];
    int count = 0;

    for (int side = LOW; side < SIDES; side++) {
        int process = slabs->remote[side].process;

        if (process < 0)
            continue;
        messages[count++] =
            (struct ca_process_message){true, process, tags[side == LOW], in[side], bytes[side]};
        messages[count++] =
            (struct ca_process_message){false, process, tags[side], out[side], bytes[side]};
    }
    ca_process_swap(messages, count);
}

enum ca_status slabs_exchange(struct ca_slabs *slabs, struct rank *rank, int buffer,
                              enum ca_status status)
{
    char filled[SIDES] = {0}, heard[SIDES];
    void *out[SIDES], *in[SIDES];
    size_t bytes[SIDES];

    if (status == CA_OK)
        status = halos_send(slabs, rank, buffer);
    ca_thread_pool_barrier(slabs->pool);
    if (slabs->remote[LOW].process >= 0 || slabs->remote[HIGH].process >= 0) {
        /* A neighbour that takes rows out of this rank's slots is only told that they are filled.
         */
        for (int side = LOW; side < SIDES; side++) {
            const struct remote *remote = &slabs->remote[side];

            out[side] = remote->from ? &filled[side] : remote->out;
            in[side] = remote->from ? &heard[side] : remote->in;
            bytes[side] = remote->from ? 1 : slabs->slot_bytes;
        }
        if (rank == slabs->rank)
            swap(slabs, out, in, bytes);
        ca_thread_pool_barrier(slabs->pool);
    }
    return status == CA_OK ? receive(slabs, rank, buffer) : status;
}

/* --- halos without messages ------------------------------------------------------------------ */

struct offer {
    bool made;
    struct ca_shared_slots slots;
};

static struct rank *outer_rank(struct ca_slabs *slabs, int side)
{
    return &slabs->rank[side == LOW ? 0 : slabs->count - 1];
}

void slabs_detach(struct ca_slabs *slabs, int side)
{
    const struct ca_stepper_transfer *transfer = slabs->stepper->transfer;

    if (transfer && slabs->remote[side].from)
        transfer->detach(outer_rank(slabs, side)->self, slabs->remote[side].from);
    slabs->remote[side].from = NULL;
}

void slabs_connect(struct ca_slabs *slabs)
{
    static const size_t bytes[] = {sizeof(struct offer), sizeof(struct offer)}, flag[] = {1, 1};
    const struct ca_stepper_transfer *transfer = slabs->stepper->transfer;
    struct offer mine[SIDES] = {{.made = false}}, theirs[SIDES] = {{.made = false}};
    char open_here[SIDES] = {0}, open_there[SIDES] = {0};
    struct ca_error why; /* messages do as well */

    for (int side = LOW; side < SIDES; side++)
        mine[side].made =
            slabs->remote[side].process >= 0 && transfer && transfer->share &&
            strcmp(ca_process_facts(slabs->remote[side].process).host,
                   ca_process_facts(ca_process_self()).host) == 0 &&
            transfer->share(outer_rank(slabs, side)->self, slabs->cut.halo * slabs->cut.rows,
                            &mine[side].slots, &why) == CA_OK;
    swap(slabs, (void *[]){&mine[LOW], &mine[HIGH]}, (void *[]){&theirs[LOW], &theirs[HIGH]},
         bytes);
    for (int side = LOW; side < SIDES; side++)
        open_here[side] = transfer && mine[side].made && theirs[side].made &&
                          transfer->attach(outer_rank(slabs, side)->self, &theirs[side].slots,
                                           &slabs->remote[side].from, &why) == CA_OK;
    swap(slabs, (void *[]){&open_here[LOW], &open_here[HIGH]},
         (void *[]){&open_there[LOW], &open_there[HIGH]}, flag);
    for (int side = LOW; side < SIDES; side++)
        if (!open_there[side])
            slabs_detach(slabs, side);
}

bool slabs_send_messages(const struct ca_slabs *slabs)
{
    for (int side = LOW; side < SIDES; side++)
        if (slabs->remote[side].process >= 0 && !slabs->remote[side].from)
            return true;
    return false;
}
