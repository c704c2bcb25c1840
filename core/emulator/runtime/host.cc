/* SPDX-License-Identifier: MIT */
/* Keeps accesses of the host that may have come too early until that is known. */
#include "core/emulator/runtime/host.h"

#include <vector>

#include "core/emulator/runtime/finding.h"
#include "core/emulator/runtime/order.h"
#include "core/emulator/runtime/queue.h"
#include "core/emulator/runtime/shadow.h"

#define EARLY_MOST 65536 /* further ones are not looked at */

struct early {
    size_t at, bytes;
    uint64_t serial; /* of the last work that was issued before */
    uint32_t code;
    enum watch_access how;
};

/* Never destroyed, since the host goes on while the process ends. */
static auto *const early = new std::vector<struct early>;

/* --- the host itself -------------------------------------------------------------------------- */

void host_note(size_t at, size_t bytes, enum watch_access how, uint32_t code)
{
    struct early *last = early->empty() ? NULL : &early->back();

    if (last && last->code == code && last->serial == queue_serial() &&
        last->at + last->bytes == at)
        last->bytes += bytes;
    else if (early->size() < EARLY_MOST)
        early->push_back({at, bytes, queue_serial(), code, how});
}

/* Finds the access of the work that conflicts with it; NULL: there is none. */
static const struct access *done_by(const struct early *one, size_t at, uint32_t first,
                                    uint32_t end)
{
    const struct cell *cell = shadow_cell(at);
    const struct access *all[] = {&cell->write, &cell->reads[0], &cell->reads[1]};

    for (int i = 0; i < (one->how == WATCH_READ ? 1 : 3); i++)
        if (all[i]->interval >= first && all[i]->interval < end)
            return all[i];
    return NULL;
}

static void settle(const struct early *one, uint32_t first, uint32_t end)
{
    for (size_t at = one->at; at < one->at + one->bytes; at++) {
        const struct access *other = done_by(one, at, first, end);
        const struct place *where;

        if (!other)
            continue;
        where = place_of(other->code);
        finding_report(EMULATED_ERROR, "synchronization", place_of(one->code), where,
                       "the host %s what %s at %s:%d %s, and has not waited for it: %s",
                       one->how == WATCH_READ ? "reads" : "writes",
                       other->thread & ACCESS_HOST ? "an asynchronous copy" : "a kernel",
                       where->file, where->line,
                       other == &shadow_cell(at)->write ? "writes" : "reads",
                       shadow_words(at).text);
        return;
    }
}

void host_settle(uint64_t serial, uint32_t first, uint32_t end)
{
    for (const struct early &one : *early)
        if (serial <= one.serial)
            settle(&one, first, end);
    if (!queue_waits())
        early->clear();
}

/* --- copies ----------------------------------------------------------------------------------- */

static bool collides(const struct access *access)
{
    return access->interval >= now.before && access->interval > INTERVAL_HOST &&
           queue_is_beside(access->interval);
}

static void host_check(size_t at, bool writes, const char *call, uint32_t code)
{
    const struct cell *cell = shadow_cell(at);
    const struct access *all[] = {&cell->write, &cell->reads[0], &cell->reads[1]};

    for (int i = 0; i < (writes ? 3 : 1); i++) {
        const struct place *other;

        if (!collides(all[i]))
            continue;
        other = place_of(all[i]->code);
        finding_report(EMULATED_ERROR, "race", place_of(code), other,
                       "%s %s what %s %s at %s:%d: %s", call, writes ? "writes" : "reads",
                       who_made(all[i]).text, i == 0 ? "wrote" : "read", other->file, other->line,
                       shadow_words(at).text);
    }
}

static void note_read(size_t at, const struct access *self)
{
    struct access *reads = shadow_cell(at)->reads;

    reads[reads[0].interval != self->interval && collides(&reads[0])] = *self;
}

void host_copied_from(size_t source, size_t bytes, uint32_t code)
{
    const struct access self = {early->empty() ? 0 : order_next_interval(), code, ACCESS_HOST, 0};

    for (size_t i = 0; i < bytes && !early->empty(); i++)
        note_read(source + i, &self);
}

void host_copied(const size_t *target, const size_t *source, size_t bytes, const char *call,
                 uint32_t code)
{
    const struct access self = {order_next_interval(), code, ACCESS_HOST, 0};

    now.before = queue_beside();
    now.launch = self.interval + 1; /* the last launch is one of those beside */
    for (size_t i = 0; i < bytes; i++) {
        if (source) {
            host_check(*source + i, false, call, code);
            note_read(*source + i, &self);
        }
        if (target)
            host_check(*target + i, true, call, code);
    }
    if (target)
        shadow_fill(*target, bytes, &self);
}
