/* SPDX-License-Identifier: MIT */
/*
 * A library to preload: an allocation or a system call that reads, writes or places a file fails,
 * by
 *
 *     CALAB_FAULT=memory:N | files:N | walls:N
 *     CALAB_FAULT_COUNTS=FILE
 *     CALAB_FAULT_PROCESS=WORD
 *
 * and with CALAB_FAULT_TOLD=1 the functions that it comes to are told on stderr. FILE holds three
 * numbers of 64 bits: the allocations, the system calls and libseccomp's allocations so far. N is 0
 * for none, and WORD the first argument of the process that is meant, of those that are started.
 * Counted is what is worth to fail: of those that the same functions make, one called by the other,
 * the first, second, fourth, eighth and so on, since the others in a loop fare alike. Allocations
 * are taken over by their names. System calls, most of which libc makes without names, trap by a
 * filter (seccomp(2)) if they come from where libc lies, and a handler of SIGSYS makes them from
 * here or has them fail. The filter stays with programs that the process executes, whose libc lies
 * elsewhere, as good as always; there is none while it is memory that fails.
 */
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { MEMORY, FILES, WALLS, KINDS };

static struct {
    _Atomic uint64_t *count; /* by kind; NULL: before the start */
    uint64_t fails[KINDS];   /* which, 0: none */
    bool told;
} fault;

/* Where the functions lie of the libraries that do not look: of HDF5, which is part of the program,
 * of libconfig and of curses; and of libseccomp, whose allocations are a kind of their own: they
 * would be most of those of a lab. */
enum { HDF5, LIBCONFIG, NCURSES, TINFO, SECCOMP, LIBRARIES };
static struct {
    uintptr_t first, end;
} spared[LIBRARIES] = {
    {UINTPTR_MAX, 0}, {UINTPTR_MAX, 0}, {UINTPTR_MAX, 0}, {UINTPTR_MAX, 0}, {UINTPTR_MAX, 0}};

static void spare(int i, uintptr_t first, uintptr_t end)
{
    spared[i].first = first < spared[i].first ? first : spared[i].first;
    spared[i].end = end > spared[i].end ? end : spared[i].end;
}

/* By the program's table of symbols, behind which lies that of their names. */
static void spare_hdf5(void)
{
    const struct link_map *program = _r_debug.r_map;
    const ElfW(Sym) *symbols = NULL;
    const char *names = NULL;

    for (const ElfW(Dyn) *d = program->l_ld; d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_SYMTAB)
            symbols = (const void *)d->d_un.d_ptr;
        if (d->d_tag == DT_STRTAB)
            names = (const void *)d->d_un.d_ptr;
    }
    for (const ElfW(Sym) *s = symbols; s && (const char *)s < names; s++)
        if (ELF64_ST_TYPE(s->st_info) == STT_FUNC && strncmp(names + s->st_name, "H5", 2) == 0)
            spare(HDF5, program->l_addr + s->st_value, program->l_addr + s->st_value + s->st_size);
}

static int spare_libraries(struct dl_phdr_info *library, size_t size, void *context)
{
    static const char *const names[] = {[LIBCONFIG] = "/libconfig.",
                                        [NCURSES] = "/libncursesw.",
                                        [TINFO] = "/libtinfo.",
                                        [SECCOMP] = "/libseccomp."};

    (void)size, (void)context;
    for (int n = LIBCONFIG; n < LIBRARIES; n++)
        for (int i = 0; strstr(library->dlpi_name, names[n]) && i < library->dlpi_phnum; i++)
            if (library->dlpi_phdr[i].p_type == PT_LOAD)
                spare(n, library->dlpi_addr + library->dlpi_phdr[i].p_vaddr,
                      library->dlpi_addr + library->dlpi_phdr[i].p_vaddr +
                          library->dlpi_phdr[i].p_memsz);
    return 0;
}

/* -1: it is spared. */
static int kind_of_allocation(const void *caller)
{
    for (int i = 0; i < LIBRARIES; i++)
        if ((uintptr_t)caller >= spared[i].first && (uintptr_t)caller < spared[i].end)
            return i == SECCOMP ? WALLS : -1;
    return MEMORY;
}

/* --- places ----------------------------------------------------------------------------------- */

#define DEPTH 64
#define MODULES 64
#define PLACES 65536

/* The program and its libraries, which lie elsewhere in each run. */
static struct {
    uintptr_t first, end;
} modules[MODULES];
static size_t module_count;

/* How often a call was made with the same functions on the stack, whose hash is the key; forked
 * processes share it. */
static struct place {
    _Atomic uint64_t key; /* 0: none yet */
    _Atomic uint64_t times;
} * places;

static int add_module(struct dl_phdr_info *library, size_t size, void *context)
{
    uintptr_t end = 0;

    (void)size, (void)context;
    for (int i = 0; i < library->dlpi_phnum; i++)
        if (library->dlpi_phdr[i].p_type == PT_LOAD)
            end = library->dlpi_phdr[i].p_vaddr + library->dlpi_phdr[i].p_memsz;
    if (module_count < MODULES) {
        modules[module_count].first = library->dlpi_addr;
        modules[module_count++].end = library->dlpi_addr + end;
    }
    return 0;
}

/* An address as it is in every run. */
static uint64_t settled(uintptr_t address)
{
    for (size_t i = 0; i < module_count; i++)
        if (address >= modules[i].first && address < modules[i].end)
            return ((uint64_t)i << 48) + address - modules[i].first;
    return 0;
}

static uint64_t stack_key(void)
{
    void *address[DEPTH];
    int depth = backtrace(address, DEPTH);
    uint64_t key = 1;

    for (int i = 0; i < depth; i++) {
        key = (key ^ settled((uintptr_t)address[i])) * 0x9e3779b97f4a7c15u;
        key ^= key >> 29;
    }
    return key ? key : 1;
}

/* How often a call has been made in this place, this time included. What the table has no room for
 * is not told apart. */
static uint64_t times_here(void)
{
    uint64_t key = stack_key();

    for (size_t i = 0; i < PLACES; i++) {
        struct place *place = &places[(key + i) % PLACES];
        uint64_t before = 0;

        if (atomic_compare_exchange_strong(&place->key, &before, key) || before == key)
            return atomic_fetch_add(&place->times, 1) + 1;
    }
    return 1;
}

/* backtrace loads a library when it is called first. */
static bool open_places(void)
{
    void *address[1], *memory = mmap(NULL, PLACES * sizeof *places, PROT_READ | PROT_WRITE,
                                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    backtrace(address, 1);
    dl_iterate_phdr(add_module, NULL);
    places = memory;
    return memory != MAP_FAILED;
}

/* For addr2line. */
static void tell_place(void)
{
    void *address[DEPTH];

    backtrace_symbols_fd(address, backtrace(address, DEPTH), STDERR_FILENO);
}

static bool fails(int kind)
{
    uint64_t times = fault.count ? times_here() : 0;

    if (times == 0 || (times & (times - 1)) != 0 ||
        atomic_fetch_add(&fault.count[kind], 1) + 1 != fault.fails[kind])
        return false;
    if (fault.told)
        tell_place();
    return true;
}

/* --- memory ----------------------------------------------------------------------------------- */

#ifdef FAULTS_WRAPPED
#define OURS(name) __wrap_##name
#define THEIRS(name) __real_##name
int __real_posix_memalign(void **memory, size_t alignment, size_t bytes);
#else
#define OURS(name) name
#define THEIRS(name) __libc_##name
#define __libc_aligned_alloc __libc_memalign
#endif

void *THEIRS(malloc)(size_t bytes);
void *THEIRS(calloc)(size_t count, size_t bytes);
void *THEIRS(realloc)(void *old, size_t bytes);
void *THEIRS(aligned_alloc)(size_t alignment, size_t bytes);
void *OURS(malloc)(size_t bytes);
void *OURS(calloc)(size_t count, size_t bytes);
void *OURS(realloc)(void *old, size_t bytes);
void *OURS(aligned_alloc)(size_t alignment, size_t bytes);
int OURS(posix_memalign)(void **memory, size_t alignment, size_t bytes);
char *OURS(strdup)(const char *text);

static void *none(void)
{
    errno = ENOMEM;
    return NULL;
}

static bool allocation_fails(const void *caller)
{
    int kind = kind_of_allocation(caller);

    return kind >= 0 && fails(kind);
}

/* An allocation of the function that calls this one's. */
#define ALLOCATION_FAILS (fault.count && allocation_fails(__builtin_return_address(0)))

void *OURS(malloc)(size_t bytes) { return ALLOCATION_FAILS ? none() : THEIRS(malloc)(bytes); }

char *OURS(strdup)(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = ALLOCATION_FAILS ? none() : THEIRS(malloc)(bytes);

    return copy ? memcpy(copy, text, bytes) : NULL;
}

void *OURS(calloc)(size_t count, size_t bytes)
{
    return ALLOCATION_FAILS ? none() : THEIRS(calloc)(count, bytes);
}

void *OURS(realloc)(void *old, size_t bytes)
{
    return ALLOCATION_FAILS ? none() : THEIRS(realloc)(old, bytes);
}

void *OURS(aligned_alloc)(size_t alignment, size_t bytes)
{
    return ALLOCATION_FAILS ? none() : THEIRS(aligned_alloc)(alignment, bytes);
}

int OURS(posix_memalign)(void **memory, size_t alignment, size_t bytes)
{
    if (ALLOCATION_FAILS)
        return ENOMEM;
#ifdef FAULTS_WRAPPED
    return __real_posix_memalign(memory, alignment, bytes);
#else
    *memory = __libc_memalign(alignment, bytes);
    return *memory ? 0 : ENOMEM;
#endif
}

#ifndef FAULTS_WRAPPED
char *__strdup(const char *text);
char *__strdup(const char *text)
{
    return kind_of_allocation(__builtin_return_address(0)) != MEMORY
               ? memcpy(__libc_malloc(strlen(text) + 1), text, strlen(text) + 1)
               : strdup(text);
}

/* --- signals ---------------------------------------------------------------------------------- */

/* A blocked SIGSYS would end the process. */
int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    sigset_t others;

    if (!set)
        return sigprocmask(how, NULL, old) == 0 ? 0 : errno;
    others = *set;
    sigdelset(&others, SIGSYS);
    return sigprocmask(how, &others, old) == 0 ? 0 : errno;
}

/* --- system calls ----------------------------------------------------------------------------- */

/* A call from here, which the filter lets pass. */
long fault_call(long number, long a, long b, long c, long d, long e, long f);
__asm__(".text\n"
        "fault_call:\n"
        "    mov %rdi, %rax\n"
        "    mov %rsi, %rdi\n"
        "    mov %rdx, %rsi\n"
        "    mov %rcx, %rdx\n"
        "    mov %r8, %r10\n"
        "    mov %r9, %r8\n"
        "    mov 8(%rsp), %r9\n"
        "    syscall\n"
        "    ret\n");

static const int traps[] = {SYS_read,  SYS_pread64,    SYS_write,     SYS_pwrite64, SYS_openat,
                            SYS_fsync, SYS_rename,     SYS_ftruncate, SYS_lseek,    SYS_newfstatat,
                            SYS_mkdir, SYS_getdents64, SYS_pipe2,     SYS_sendfile, SYS_readlink};
#define TRAPS (sizeof traps / sizeof traps[0])

static void handle(int number, siginfo_t *info, void *context)
{
    greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    int before = errno;

    (void)number;
    r[REG_RAX] = fails(FILES) ? -(info->si_syscall == SYS_write ? ENOSPC : EIO)
                              : fault_call(info->si_syscall, r[REG_RDI], r[REG_RSI], r[REG_RDX],
                                           r[REG_R10], r[REG_R8], r[REG_R9]);
    errno = before;
}

/* Where the functions of libc lie, from which all calls come. */
static int find_libc(struct dl_phdr_info *library, size_t size, void *found)
{
    uint64_t *range = found;

    (void)size;
    for (int i = 0; strstr(library->dlpi_name, "/libc.so") && i < library->dlpi_phnum; i++)
        if (library->dlpi_phdr[i].p_type == PT_LOAD && library->dlpi_phdr[i].p_flags & PF_X) {
            range[0] = library->dlpi_addr + library->dlpi_phdr[i].p_vaddr;
            range[1] = range[0] + library->dlpi_phdr[i].p_memsz;
        }
    return 0;
}

static void trap(void)
{
    uint64_t libc[2] = {0, 0};
    struct sock_filter filter[TRAPS + 8];
    struct sock_fprog program = {.filter = filter};
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_NODEFER};
    unsigned short n = 0;

    dl_iterate_phdr(find_libc, libc);
    if (libc[1] >> 32 != libc[0] >> 32) /* rare: what lies beyond is left alone */
        libc[1] = libc[0] | UINT32_MAX;
    filter[n++] = (struct sock_filter)BPF_STMT(
        BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4);
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(libc[0] >> 32),
                                               0, TRAPS + 4);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                               offsetof(struct seccomp_data, instruction_pointer));
    filter[n++] =
        (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (uint32_t)libc[0], 0, TRAPS + 2);
    filter[n++] =
        (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (uint32_t)libc[1], TRAPS + 1, 0);
    filter[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < TRAPS; i++)
        filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)traps[i],
                                                   (uint8_t)(TRAPS - i), 0);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    program.len = n;
    sigaction(SIGSYS, &action, NULL);
    if (libc[0] == 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
        _exit(98);
}

#else
static void trap(void) {}
#endif

/* Whether it is the process that is meant. */
static bool is_meant(void)
{
    const char *word = getenv("CALAB_FAULT_PROCESS");
    char line[256] = "";
    int fd = word ? open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC) : -1;
    ssize_t length = fd >= 0 ? read(fd, line, sizeof line - 1) : 0;
    size_t first = strlen(line) + 1;

    if (fd >= 0)
        close(fd);
    return length > (ssize_t)first && strcmp(line + first, word) == 0;
}

/* Ends the faults with main. A build that counts lines writes the counts after it, and crashes by
 * itself where it lacks memory. */
static void end(void) { fault.count = NULL; }

__attribute__((constructor)) static void begin(void)
{
    static const char *const names[KINDS] = {"memory", "files", "walls"};
    const char *wanted = getenv("CALAB_FAULT"), *counts = getenv("CALAB_FAULT_COUNTS");
    void *memory = MAP_FAILED;
    int fd;

    if (!wanted || !counts || !is_meant())
        return;
    fd = open(counts, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd >= 0 && ftruncate(fd, KINDS * sizeof(uint64_t)) == 0)
        memory = mmap(NULL, KINDS * sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED || !open_places())
        _exit(97);
    close(fd);
    for (int kind = 0; kind < KINDS; kind++) {
        size_t length = strlen(names[kind]);

        if (strncmp(wanted, names[kind], length) == 0 && wanted[length] == ':')
            fault.fails[kind] = strtoull(wanted + length + 1, NULL, 10);
    }
    fault.told = getenv("CALAB_FAULT_TOLD") != NULL;
    spare_hdf5();
    dl_iterate_phdr(spare_libraries, NULL);
    if (strncmp(wanted, "files:", 6) == 0)
        trap();
    fault.count = memory;
    atexit(end);
}
