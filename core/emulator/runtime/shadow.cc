/* SPDX-License-Identifier: MIT */
/* Manages the arena: the memory that was given out, what is known of its bytes, and reports of it.
 */
#include "core/emulator/runtime/shadow.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <vector>

#include "core/emulator/runtime/count.h"
#include "core/emulator/runtime/crash.h"
#include "core/emulator/runtime/device.h"
#include "core/emulator/runtime/finding.h"
#include "core/emulator/runtime/host.h"
#include "core/emulator/runtime/notes.h"
#include "core/emulator/runtime/order.h"

#define PIECES_MAX ((size_t)1 << 22)
#define RED_ZONE GRANULE /* between two pieces at least */
#define KEPT_BYTES                                                                                 \
    ((size_t)1 << 30) /* freed before any is given out again, so that uses are seen */
/* At the arena's start, whose cells are on large pages: fewer faults, but memory that is used here
 * and there alone would take much more than it needs. */
#define DENSE_BYTES ((size_t)32 << 20)
#define MODULES_MAX 16

struct shadow shadow;
bool watch_on;

/* The places of the next piece, and of the next one of shared memory. */
static size_t used[] = {GRANULE, ARENA_SHARED + GRANULE};
static size_t piece_count = 1; /* piece 0: no memory */
static size_t freed_bytes;
static auto *const freed = new std::vector<uint32_t>; /* pieces, the oldest first */

/* Data of the program's modules, where its __device__ variables are. */
static struct {
    uintptr_t from, end;
    size_t at;
} modules[MODULES_MAX];
static int module_count;

/* --- the arena -------------------------------------------------------------------------------- */

/* Address space; pages come when they are touched. */
static void *reserve(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (memory == MAP_FAILED) {
        fprintf(stderr, "calab: no %zu GiB of address space to watch memory with (see ulimit -v)\n",
                bytes >> 30);
        exit(1);
    }
    madvise(memory, bytes, MADV_DONTDUMP);
    return memory;
}

static struct piece *new_piece(size_t bytes, enum watch_kind kind)
{
    size_t extent = (bytes + RED_ZONE + GRANULE - 1) / GRANULE * GRANULE;
    size_t *end = &used[kind == WATCH_SHARED];
    struct piece *piece = &shadow.pieces[piece_count];

    if (piece_count == PIECES_MAX ||
        extent >= (kind == WATCH_SHARED ? ARENA_BYTES : ARENA_SHARED) - *end)
        return NULL;
    *piece = {*end, bytes, extent, kind, false, false, false, 0, INTERVAL_HOST, {NULL, 0, NULL, 0}};
    *end += extent;
    for (size_t i = piece->at / GRANULE; i < *end / GRANULE; i++)
        shadow.granules[i] = (uint32_t)piece_count;
    piece_count++;
    return piece;
}

/* Adds a module that has kernels: its variables. */
static int add_variables(struct dl_phdr_info *info, size_t, void *code)
{
    bool holds = false;

    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];

        holds |= part->p_type == PT_LOAD &&
                 (uintptr_t)code - (info->dlpi_addr + part->p_vaddr) < part->p_memsz;
    }
    for (int i = 0; holds && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + part->p_vaddr;
        struct piece *piece;

        if (part->p_type != PT_LOAD || !(part->p_flags & PF_W) || module_count == MODULES_MAX)
            continue;
        for (int j = 0; j < module_count; j++)
            if (modules[j].from == from / GRANULE * GRANULE)
                return 1;
        piece = new_piece(part->p_memsz + from % GRANULE, WATCH_VARIABLE);
        piece->since = 0;
        modules[module_count++] = {from / GRANULE * GRANULE, from + part->p_memsz, piece->at};
    }
    return holds;
}

bool shadow_of_variable(const void *memory, size_t *at)
{
    for (int i = 0; i < module_count; i++)
        if ((uintptr_t)memory >= modules[i].from && (uintptr_t)memory < modules[i].end) {
            *at = modules[i].at + ((uintptr_t)memory - modules[i].from);
            return true;
        }
    return false;
}

static int find_constant(struct dl_phdr_info *info, size_t, void *memory)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];

        if (part->p_type == PT_LOAD && !(part->p_flags & PF_W) &&
            (uintptr_t)memory - (info->dlpi_addr + part->p_vaddr) < part->p_memsz)
            return 1;
    }
    return 0;
}

bool shadow_is_constant(const void *memory)
{
    return dl_iterate_phdr(find_constant, (void *)memory) != 0;
}

static void report_leaks();

/* A program that an error ends is not asked for its memory. */
static void at_exit(int status, void *)
{
    queue_run_rest();
    if (!emulated_is_lost() && (status == 0 || emulated_found(EMULATED_ERROR) == 0))
        report_leaks();
    count_report();
    finding_summarize();
}

void shadow_begin(const void *code)
{
    if (!watch_on) {
        shadow.base = (char *)reserve(ARENA_BYTES);
        shadow.words = (struct cell *)reserve(ARENA_BYTES / 4 * sizeof(struct cell));
        shadow.bytes = (struct cell *)reserve(ARENA_BYTES * sizeof(struct cell));
        madvise(shadow.words, DENSE_BYTES / 4 * sizeof(struct cell), MADV_HUGEPAGE);
        madvise(shadow.bytes, DENSE_BYTES * sizeof(struct cell), MADV_HUGEPAGE);
        shadow.granules = (uint32_t *)reserve(ARENA_BYTES / GRANULE * sizeof(uint32_t));
        shadow.pieces = (struct piece *)reserve(PIECES_MAX * sizeof(struct piece));
        watch_on = true;
        count_begin();
        on_exit(at_exit, NULL);
        crash_begin();
    }
    dl_iterate_phdr(add_variables, (void *)code);
}

/* --- pieces ----------------------------------------------------------------------------------- */

static void drop_pages(void *from, size_t bytes)
{
    uintptr_t first = ((uintptr_t)from + 4095) / 4096 * 4096,
              end = ((uintptr_t)from + bytes) / 4096 * 4096;

    if (end > first)
        madvise((void *)first, end - first, MADV_DONTNEED);
}

static void clear(struct cell *first, size_t count)
{
    size_t bytes = count * sizeof *first;

    if (bytes < 65536) {
        memset((void *)first, 0, bytes);
    } else {
        drop_pages(first, bytes);
        memset((void *)first, 0, 4096);
        memset((void *)((char *)first + bytes - 4096), 0, 4096);
    }
}

/* Forgets all accesses to a piece. */
static void clear_cells(const struct piece *piece)
{
    size_t words = (piece->bytes + 3) / 4;

    clear(shadow_word(piece->at), words);
    clear(shadow_byte(piece->at), 4 * words);
}

/* A freed one of the same size; only when enough others were freed after it. */
static struct piece *freed_piece(size_t bytes, enum watch_kind kind)
{
    if (kind != WATCH_SHARED && freed_bytes < KEPT_BYTES && freed->size() < PIECES_MAX / 8)
        return NULL;
    for (size_t i = 0; i < freed->size(); i++) {
        struct piece *piece = &shadow.pieces[(*freed)[i]];

        if (piece->bytes == bytes && piece->kind == kind) {
            freed->erase(freed->begin() + (long)i);
            freed_bytes -= bytes;
            return piece;
        }
    }
    return NULL;
}

void *watch_take(size_t bytes, size_t, enum watch_kind kind, int device, struct watch_origin origin)
{
    struct piece *piece = freed_piece(bytes, kind);

    if (!piece)
        piece = new_piece(bytes, kind);
    if (!piece)
        return NULL;
    piece->freed = piece->copied = false;
    piece->any_value = false;
    piece->device = device;
    /* The host may write its own memory in code that is not watched. */
    piece->since = kind == WATCH_DEVICE || kind == WATCH_SHARED ? INTERVAL_HOST : INTERVAL_NEVER;
    piece->origin = origin;
    return shadow.base + piece->at;
}

/* The piece that begins at an address; NULL where none does. */
static struct piece *piece_at(const void *memory)
{
    size_t at = (size_t)((const char *)memory - shadow.base);
    struct piece *piece;

    if (!watch_on || at >= ARENA_BYTES)
        return NULL;
    piece = shadow_piece(at);
    return piece->bytes > 0 && piece->at == at ? piece : NULL;
}

void watch_give(void *memory)
{
    struct piece *piece = piece_at(memory);

    if (!piece || piece->freed)
        return;
    piece->freed = true;
    clear_cells(piece);
    drop_pages(memory, piece->bytes);
    freed->push_back((uint32_t)(piece - shadow.pieces));
    freed_bytes += piece->bytes;
}

void watch_forget(void *memory, size_t)
{
    struct piece *piece = piece_at(memory);

    if (!piece)
        return;
    piece->since = now.group;
    piece->any_value = false;
}

void watch_any_value(const void *memory)
{
    size_t at = (size_t)((const char *)memory - shadow.base);

    if (watch_on && at < ARENA_BYTES)
        shadow_piece(at)->any_value = true;
}

void shadow_fill(size_t at, size_t bytes, const struct access *write)
{
    struct cell cell = {*write, {}};

    cell.write.thread |= ACCESS_SPLIT;
    for (; bytes > 0 && (at % 4 != 0 || bytes < 4); at++, bytes--) {
        shadow_split(at);
        *shadow_byte(at) = cell;
    }
    cell.write.thread = write->thread;
    for (; bytes >= 4; at += 4, bytes -= 4) {
        shadow_join(at);
        *shadow_word(at) = cell;
    }
    if (bytes > 0)
        shadow_fill(at, bytes, write);
}

static bool in_arena(const void *memory, size_t *at)
{
    *at = (size_t)((const char *)memory - shadow.base);
    return watch_on && (*at < ARENA_BYTES || shadow_of_variable(memory, at));
}

void watch_written(void *memory, size_t bytes)
{
    const struct access host = {INTERVAL_HOST, 0, ACCESS_HOST, 0};
    struct piece *piece;
    size_t at;

    if (bytes == 0 || !in_arena(memory, &at))
        return;
    piece = shadow_piece(at);
    if (at == piece->at && bytes >= piece->bytes) {
        clear_cells(piece);
        piece->since = 0;
    } else {
        shadow_fill(at, bytes, &host);
    }
}

void watch_unwritten(void *memory, size_t bytes)
{
    const struct access never = {INTERVAL_NEVER, CODE_UNDER_WAY, 0, 0};
    size_t at;

    if (in_arena(memory, &at))
        shadow_fill(at, bytes, &never);
}

void watch_filled(void *memory, size_t bytes, const char *call, uint32_t code)
{
    size_t at;

    if (in_arena(memory, &at) && queue_has_beside())
        host_copied(&at, NULL, bytes, call, code);
    else
        watch_written(memory, bytes);
}

/* Bytes from `at` on that nobody wrote, up to the first that somebody did, or the other way. */
static size_t run_of(size_t at, size_t bytes, bool *written)
{
    const struct piece *piece = shadow_piece(at);
    size_t count = 0;

    for (; count < bytes; count++) {
        const struct access *write = &shadow_cell(at + count)->write;
        bool is = write->interval >= piece->since && !(write->thread & ACCESS_UNWRITTEN);

        if (count == 0)
            *written = is;
        if (is != *written)
            break;
    }
    return count;
}

/* Says that the host gets bytes that nobody wrote, or that a kernel has copied from such. Kernels
 * that copy too early what others write do so, too: that error is known. */
static void report_given(size_t at, size_t bytes, const char *call, uint32_t code)
{
    for (size_t i = 0, count; i < bytes; i += count) {
        struct notes_source source = notes_source(at + i);
        const struct place *where = place_of(code);

        for (count = 1; i + count < bytes && notes_source(at + i + count).code == source.code;)
            count++;
        if (source.code == 0)
            finding_report(EMULATED_WARNING, "unwritten", where, NULL,
                           "%s gives the host %zu bytes that nobody wrote, from %s on", call, count,
                           shadow_words(at + i).text);
        else if (!finding_was_told("race"))
            finding_report(EMULATED_WARNING, "unwritten", place_of(source.code), where,
                           "what is read here nobody wrote, and %s at %s:%d gives the host a copy: "
                           "%s, from %s",
                           call, where->file, where->line, shadow_words(at + i).text,
                           shadow_words(source.at).text);
    }
}

void watch_copied(void *to, const void *from, size_t bytes, const char *call, uint32_t code)
{
    const struct access never = {};
    size_t source, target, done = 0;
    bool from_device = in_arena(from, &source), to_device = in_arena(to, &target), written;

    if (from_device && shadow_piece(source)->kind != WATCH_DEVICE)
        host_copied_from(source, bytes, code);
    if ((from_device || to_device) && queue_has_beside()) {
        host_copied(to_device ? &target : NULL, from_device ? &source : NULL, bytes, call, code);
        return;
    }
    if (to_device && shadow_piece(target)->kind == WATCH_PINNED && strstr(call, "Async")) {
        const struct access copy = {order_next_interval(), code, ACCESS_HOST, 0};

        shadow_fill(target, bytes, &copy);
        return;
    }
    if (to_device)
        watch_written(to, bytes);
    if (!from_device || (shadow_piece(source)->since == 0 && !shadow_piece(source)->copied))
        return;
    while (done < bytes) {
        size_t count = run_of(source + done, bytes - done, &written);

        if (!written && to_device) {
            struct piece *piece = shadow_piece(target);

            if (piece->since == 0) {
                const struct access host = {INTERVAL_HOST, 0, ACCESS_HOST, 0};

                shadow_fill(piece->at, piece->bytes, &host);
                piece->since = INTERVAL_HOST;
            }
            shadow_fill(target + done, count, &never);
        } else if (!written) {
            report_given(source + done, count, call, code);
        }
        done += count;
    }
}

void watch_constant(const void *memory, size_t bytes, const char *name)
{
    (void)memory;
    (void)bytes;
    (void)name;
}

static void renumber(struct cell *cell)
{
    if (cell->write.interval > INTERVAL_HOST)
        cell->write.interval = INTERVAL_HOST;
    cell->reads[0].interval = cell->reads[1].interval = 0;
}

void shadow_renumber()
{
    for (size_t i = 1; i < piece_count; i++) {
        struct piece *piece = &shadow.pieces[i];

        if (piece->freed)
            continue;
        if (piece->kind == WATCH_SHARED) {
            clear_cells(piece);
            piece->since = INTERVAL_HOST;
            continue;
        }
        for (size_t at = piece->at; at < piece->at + piece->bytes; at++) {
            if (at % 4 == 0)
                renumber(shadow_word(at));
            if (shadow_word(at)->write.thread & ACCESS_SPLIT)
                renumber(shadow_byte(at));
        }
    }
}

/* --- in words --------------------------------------------------------------------------------- */

/* The piece that a place is in, or the nearest one. */
static const struct piece *nearest_piece(size_t at)
{
    const struct piece *piece = shadow_piece(at), *next;

    if (at - piece->at < piece->bytes)
        return piece;
    next = shadow_piece(piece->at + piece->extent);
    return next->at > at && next->at - at < at - (piece->at + piece->bytes) ? next : piece;
}

struct words shadow_words(size_t at)
{
    const struct piece *piece = nearest_piece(at);
    const struct watch_origin *origin = &piece->origin;
    static const char *const kinds[] = {
        "",           "device memory",  "shared memory", "pinned memory", "managed memory",
        "a variable", "constant memory"};
    struct words words;
    char where[300] = "";

    if (piece->kind == WATCH_VARIABLE || piece->bytes == 0) {
        snprintf(words.text, sizeof words.text, "%s",
                 piece->bytes == 0 ? "memory that nobody gave out" : "a variable");
        return words;
    }
    if (origin->file) {
        snprintf(where, sizeof where, "%s%s declared at %s:%d", origin->name ? " " : "",
                 origin->name ? origin->name : "", origin->file, origin->line);
    } else if (origin->name) {
        const struct place *place = place_of(origin->code);

        snprintf(where, sizeof where, " that %s gave at %s:%d", origin->name, place->file,
                 place->line);
    }
    snprintf(words.text, sizeof words.text, "byte %zd of %zu of %s%s", (ssize_t)(at - piece->at),
             piece->bytes, kinds[piece->kind], where);
    return words;
}

static void report_leaks()
{
    for (size_t i = 1; i < piece_count; i++) {
        const struct piece *piece = &shadow.pieces[i];

        if (piece->kind == WATCH_DEVICE && !piece->freed)
            finding_report(EMULATED_WARNING, "leak", place_of(piece->origin.code), NULL,
                           "%zu bytes of device memory that %s gave here are never freed",
                           piece->bytes, piece->origin.name);
    }
}

void watch_bad_free(const void *memory, const char *call, uint32_t code)
{
    size_t at = (size_t)((const char *)memory - shadow.base);
    const struct piece *piece = watch_on && at < ARENA_BYTES ? shadow_piece(at) : NULL;

    if (!watch_on)
        return;
    if (piece && piece->freed && piece->at == at)
        finding_report(EMULATED_ERROR, "free", place_of(code), place_of(piece->origin.code),
                       "%s of %zu bytes that were freed before", call, piece->bytes);
    else if (piece && piece->bytes > 0)
        finding_report(EMULATED_ERROR, "free", place_of(code), NULL, "%s of %s", call,
                       shadow_words(at).text);
    else
        finding_report(EMULATED_ERROR, "free", place_of(code), NULL,
                       "%s of %p, which no call gave out", call, memory);
}

/* "byte 0 of 40 of device memory ...", or that it is the host's. */
static struct words copy_words(const void *memory)
{
    struct words words;
    size_t at = (size_t)((const char *)memory - shadow.base);

    if (at < ARENA_BYTES)
        return shadow_words(at);
    snprintf(words.text, sizeof words.text, "memory of the host");
    return words;
}

void watch_bad_copy(const void *to, const void *from, size_t bytes, const char *call, uint32_t code)
{
    bool fills = strstr(call, "emset") != NULL;

    if (!watch_on || watch_is_missing(to, place_of(code), "%s is to write it", call) ||
        (!fills && watch_is_missing(from, place_of(code), "%s is to read it", call)))
        return;
    if (!fills)
        finding_report(
            EMULATED_ERROR, "copy", place_of(code), NULL,
            "%s of %zu bytes is refused: they do not fit, or not in this direction, from "
            "%s, to %s",
            call, bytes, copy_words(from).text, copy_words(to).text);
    else
        finding_report(EMULATED_ERROR, "copy", place_of(code), NULL,
                       "%s of %zu bytes is refused: they do not fit in %s", call, bytes,
                       copy_words(to).text);
}

void watch_launch_error(const void *kernel, const char *why, uint32_t code)
{
    if (watch_on)
        finding_report(EMULATED_ERROR, "launch", place_of(code), NULL,
                       "kernel %s is not launched: %s",
                       kernel ? place_of((uint32_t)(uintptr_t)kernel + 1)->function : "NULL", why);
}
