/* SPDX-License-Identifier: MIT */
/* Starts an addr2line process for each module, and caches the places that were asked for. */
#include "core/emulator/runtime/place.h"

#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <map>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <sys/types.h>
#include <unistd.h>
#include <vector>

#define LAST "0x0\n" /* no code is there: its answer ends the one before */

struct module {
    std::string file;
    uintptr_t base, first, end; /* of its code */
    FILE *ask, *answer;
    bool started;
};

/* Never destroyed, since what is found at the process's end is told too. */
static auto *const modules = new std::vector<struct module>;
static auto *const places = new std::map<uint32_t, struct place>;

/* --- modules ---------------------------------------------------------------------------------- */

static int add_module(struct dl_phdr_info *info, size_t, void *)
{
    const char *file = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";

    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t first = info->dlpi_addr + part->p_vaddr;
        bool known = false;

        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
            continue;
        for (const struct module &one : *modules)
            known |= one.first == first && one.file == file;
        if (!known)
            modules->push_back(
                {file, info->dlpi_addr, first, first + part->p_memsz, NULL, NULL, false});
    }
    return 0;
}

/* Finds the module that has code at an address with these lower bits. */
static struct module *module_of(uint32_t code, uintptr_t *address)
{
    dl_iterate_phdr(add_module, NULL);
    for (struct module &one : *modules) {
        *address = (one.first & ~(uintptr_t)UINT32_MAX) | code;
        if (*address < one.first)
            *address += (uintptr_t)UINT32_MAX + 1;
        if (*address < one.end)
            return &one;
    }
    return NULL;
}

/* --- addr2line -------------------------------------------------------------------------------- */

/* Resolves /proc/self/exe, which would be addr2line itself there. */
static std::string file_of(const struct module *module)
{
    char target[4096];
    ssize_t length = -1;

    if (module->file == "/proc/self/exe")
        length = readlink(module->file.c_str(), target, sizeof target);
    return length > 0 ? std::string(target, (size_t)length) : module->file;
}

static void start_addr2line(struct module *module)
{
    std::string file = file_of(module);
    const char *const arguments[] = {"addr2line", "-e", file.c_str(), "-a", "-f", "-i", "-C", NULL};
    posix_spawn_file_actions_t actions;
    int to[2], from[2];
    pid_t child;

    module->started = true;
    if (pipe2(to, O_CLOEXEC) != 0)
        return;
    if (pipe2(from, O_CLOEXEC) != 0) {
        close(to[0]);
        close(to[1]);
        return;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (posix_spawnp(&child, arguments[0], &actions, NULL, (char *const *)arguments, environ) ==
        0) {
        module->ask = fdopen(to[1], "w");
        module->answer = fdopen(from[0], "r");
    } else {
        close(to[1]);
        close(from[0]);
    }
    posix_spawn_file_actions_destroy(&actions);
    close(to[0]);
    close(from[1]);
}

static bool addr2line_line(FILE *from, std::string *line)
{
    char text[8192];

    if (!fgets(text, sizeof text, from))
        return false;
    *line = text;
    while (!line->empty() && line->back() == '\n')
        line->pop_back();
    return true;
}

/* "/where/this/runs/a/b.cu" as "a/b.cu". */
static std::string shortened(const std::string &file)
{
    char here[4096];
    size_t length;

    if (!getcwd(here, sizeof here))
        return file;
    length = strlen(here);
    return file.compare(0, length, here) == 0 && file[length] == '/' ? file.substr(length + 1)
                                                                     : file;
}

/* "name(int, int*)" as "name", "void name<int>(int*)" as "name<int>". */
static std::string name_of(const std::string &function)
{
    size_t end = function.find('('), blank;

    if (end == std::string::npos || end == 0)
        return function;
    blank = function.rfind(' ', end);
    return blank == std::string::npos || function.find('<') < blank
               ? function.substr(0, end)
               : function.substr(blank + 1, end - blank - 1);
}

static const char unknown[] = "?";

/* Puts a copy in the place of one or of what is unknown. */
static void replace(const char **text, const std::string &by)
{
    if (*text != unknown)
        free(const_cast<char *>(*text));
    *text = strdup(by.c_str());
}

/*
 * The answer: the address, then for each function, the innermost of those that are inlined first,
 * its name and "file:line", perhaps with " (discriminator N)" behind it.
 */
static struct place read_place(FILE *from)
{
    struct place place = {unknown, 0, unknown};
    std::string address, function, where;
    bool own = true;

    if (!addr2line_line(from, &address))
        return place;
    while (addr2line_line(from, &function) && function.compare(0, 2, "0x") != 0) {
        size_t colon;

        if (!addr2line_line(from, &where))
            break;
        replace(&place.function, name_of(function));
        colon = where.rfind(':');
        if (!own || colon == std::string::npos || atoi(where.c_str() + colon + 1) == 0)
            continue;
        own = where.find(PLACE_OWN_FOLDER) < colon || where.compare(0, 5, "/usr/") == 0;
        replace(&place.file, shortened(where.substr(0, colon)));
        place.line = atoi(where.c_str() + colon + 1);
    }
    addr2line_line(from, &function); /* of the address that ends it: "??" and "??:0" */
    addr2line_line(from, &where);
    return place;
}

const struct place *place_of(uint32_t code)
{
    struct place place = {unknown, 0, unknown};
    auto known = places->find(code);
    struct module *module;
    uintptr_t address;

    if (known != places->end())
        return &known->second;
    module = module_of(code - 1, &address);
    if (module && !module->started)
        start_addr2line(module);
    if (module && module->ask && module->answer) {
        fprintf(module->ask, "0x%zx\n" LAST, (size_t)(address - module->base));
        fflush(module->ask);
        place = read_place(module->answer);
    }
    return &((*places)[code] = place);
}

#define FRAMES 32

/* Loads what backtrace() needs. */
void place_ready()
{
    void *frame[1];

    backtrace(frame, 1);
}

static bool is_system(const struct module *module)
{
    return module->file.compare(0, 4, "/lib") == 0 || module->file.compare(0, 5, "/usr/") == 0;
}

/* The first two frames are this function's and the handler's, the third is the signal's. What a
 * library's line is says nothing to the user. */
__attribute__((noinline)) const struct place *place_interrupted()
{
    void *frame[FRAMES];
    int count = backtrace(frame, FRAMES);

    for (int i = 3; i < count; i++) {
        uint32_t code = (uint32_t)(uintptr_t)frame[i] + (i == 3);
        const struct place *where;
        const struct module *module;
        uintptr_t address;

        module = module_of(code - 1, &address);
        if (!module || is_system(module))
            continue;
        where = place_of(code);
        if (where->line > 0 && !strstr(where->file, PLACE_OWN_FOLDER))
            return where;
    }
    return NULL;
}
