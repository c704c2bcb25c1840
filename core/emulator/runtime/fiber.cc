/* SPDX-License-Identifier: MIT */
/* Makes the stacks of fibers, and switches between them: by hand on x86-64, else by ucontext. */
#include "core/emulator/runtime/fiber.h"

#include "core/emulator/runtime/sanitizer.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define STACK_BYTES ((size_t)256 << 10)

static struct fiber *pool;
static void (*pool_entry)();
static struct fiber *previous; /* who switched to the running one */

#if defined __x86_64__ && !defined EMULATED_UCONTEXT

/* Keeps what a called function has to keep, and takes the other stack's. */
asm(".text\n"
    ".type emulated_switch, @function\n"
    "emulated_switch:\n"
    "    pushq %rbp\n"
    "    pushq %rbx\n"
    "    pushq %r12\n"
    "    pushq %r13\n"
    "    pushq %r14\n"
    "    pushq %r15\n"
    "    movq %rsp, (%rdi)\n"
    "    movq %rsi, %rsp\n"
    "    popq %r15\n"
    "    popq %r14\n"
    "    popq %r13\n"
    "    popq %r12\n"
    "    popq %rbx\n"
    "    popq %rbp\n"
    "    ret\n"
    ".size emulated_switch, . - emulated_switch\n");
extern "C" void emulated_switch(void **from_sp, void *to_sp);

static void fiber_prepare(struct fiber *fiber)
{
    uintptr_t *top = (uintptr_t *)((char *)fiber->stack + fiber->bytes);

    *--top = 0; /* where the entry would return to; a function starts 8 bytes off 16 */
    *--top = (uintptr_t)pool_entry;
    for (int i = 0; i < 6; i++)
        *--top = 0;
    fiber->sp = top;
}

static void go(struct fiber *from, struct fiber *to) { emulated_switch(&from->sp, to->sp); }

#else

/* sp is the context. */
static ucontext_t *context(struct fiber *fiber)
{
    if (!fiber->sp)
        fiber->sp = calloc(1, sizeof(ucontext_t));
    return (ucontext_t *)fiber->sp;
}

static void fiber_prepare(struct fiber *fiber)
{
    ucontext_t *own = context(fiber);

    getcontext(own);
    own->uc_stack.ss_sp = fiber->stack;
    own->uc_stack.ss_size = fiber->bytes;
    own->uc_link = NULL;
    makecontext(own, pool_entry, 0);
}

static void go(struct fiber *from, struct fiber *to) { swapcontext(context(from), context(to)); }

#endif

/* A stack with a page below it that nobody may touch. */
static struct fiber *fiber_make()
{
    struct fiber *fiber = (struct fiber *)calloc(1, sizeof *fiber);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = (char *)mmap(NULL, STACK_BYTES + page, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (!fiber || memory == MAP_FAILED || mprotect(memory, page, PROT_NONE) != 0) {
        fprintf(stderr, "calab: no memory for the stack of another fiber\n");
        abort();
    }
    fiber->stack = memory + page;
    fiber->bytes = STACK_BYTES;
    fiber_prepare(fiber);
    return fiber;
}

struct fiber *fiber_take(void (*entry)())
{
    struct fiber *fiber = pool;

    pool_entry = entry;
    if (!fiber)
        return fiber_make();
    pool = fiber->next;
    return fiber;
}

void fiber_give(struct fiber *fiber)
{
    fiber->next = pool;
    pool = fiber;
}

void fiber_drop(struct fiber *fiber)
{
    sanitizer_open(fiber->stack, fiber->bytes);
    fiber->fake = NULL;
    fiber_prepare(fiber);
    fiber_give(fiber);
}

/* Whose stack was left is asked of the sanitizer, since the host's is known to it alone. */
static void arrived(void *fake)
{
    const void *stack;
    size_t bytes;

    if (!__sanitizer_finish_switch_fiber)
        return;
    __sanitizer_finish_switch_fiber(fake, &stack, &bytes);
    previous->stack = (void *)stack;
    previous->bytes = bytes;
}

void fiber_entered() { arrived(NULL); }

void fiber_switch(struct fiber *from, struct fiber *to)
{
    previous = from;
    if (__sanitizer_start_switch_fiber)
        __sanitizer_start_switch_fiber(&from->fake, to->stack, to->bytes);
    go(from, to);
    arrived(from->fake);
}
