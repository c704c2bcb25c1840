/* SPDX-License-Identifier: MIT */
/* What the two files of the search for the first difference share: its batches, and where the one
 * hands over to the other. */
#ifndef CALAB_CORE_BENCH_DIFFER_PARTS_H
#define CALAB_CORE_BENCH_DIFFER_PARTS_H

#include "core/bench/differ.h"

/* Add requests to the batch; steps of no generation or call are none. */
void differ_ask_steps(struct ca_differ *differ, int side, uint64_t generations, uint64_t calls);
void differ_ask_digests(struct ca_differ *differ, int64_t first, int64_t rows);
void differ_ask_cells(struct ca_differ *differ, int side, int64_t x, int64_t columns, int64_t first,
                      int64_t rows);
/* From the mark through the calls after which both agreed. */
void differ_ask_base(struct ca_differ *differ, int side);
/* What looks at the answers of the batch. */
void differ_next_stage(struct ca_differ *differ, void (*stage)(struct ca_differ *differ));
void differ_finish(struct ca_differ *differ, enum ca_differ_kind kind);

/* differ_place.c: both are in states that differ. It finishes, or, of a kernel that is not
 * deterministic, notes the cell and goes on with differ_repeat_again. */
void differ_locate(struct ca_differ *differ);
void differ_take_cells(struct ca_differ *differ, const struct ca_differ_request *request,
                       const void *cells);
void differ_repeat_again(struct ca_differ *differ);

#endif
