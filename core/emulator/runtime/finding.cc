/* SPDX-License-Identifier: MIT */
/* Counts the findings, reports each once, and writes their two forms. */
#include "core/emulator/runtime/finding.h"

#include <set>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string>
#include <string.h>
#include <unistd.h>

/* Never destroyed, since what is found at the process's end is told too. */
static std::set<std::string> &told()
{
    static auto *all = new std::set<std::string>;

    return *all;
}

static int found[EMULATED_SEVERITIES];

int emulated_found(enum emulated_severity severity) { return found[severity]; }

static std::string key_of(const struct place *place)
{
    return place ? std::string(place->file) + ":" + std::to_string(place->line) : std::string();
}

/* Whether it is new; two places in either order are the same. */
static bool is_new(const char *kind, const struct place *where, const struct place *other)
{
    std::string a = key_of(where), b = key_of(other);

    return told().insert(std::string(kind) + "\n" + (a < b ? a + "\n" + b : b + "\n" + a)).second;
}

bool finding_was_told(const char *kind)
{
    std::string first = std::string(kind) + "\n";
    auto found = told().lower_bound(first);

    return found != told().end() && found->compare(0, first.size(), first) == 0;
}

std::string finding_quoted(const char *text)
{
    std::string result = "\"";

    for (; *text; text++)
        if (*text == '"' || *text == '\\') {
            result += '\\';
            result += *text;
        } else if ((unsigned char)*text < ' ') {
            char code[8];

            snprintf(code, sizeof code, "\\u%04x", *text);
            result += code;
        } else {
            result += *text;
        }
    return result + "\"";
}

void finding_add_line(const std::string &line)
{
    const char *name = getenv("CALAB_EMULATED_JSON");
    FILE *file = name && *name ? fopen(name, "a") : NULL;

    if (file) {
        fprintf(file, "%s\n", line.c_str());
        fclose(file);
    } else if (name && *name) {
        fprintf(stderr, "calab: CALAB_EMULATED_JSON: %s cannot be written\n", name);
        unsetenv("CALAB_EMULATED_JSON");
    }
}

static std::string json_place(const char *prefix, const struct place *place)
{
    return std::string(",\"") + prefix + "file\":" + finding_quoted(place->file) + ",\"" + prefix +
           "line\":" + std::to_string(place->line);
}

void finding_summarize()
{
    const char *status = getenv("CALAB_EMULATED_STATUS");

    if (found[EMULATED_ERROR] + found[EMULATED_WARNING] + found[EMULATED_HINT] > 0)
        fprintf(stderr, "calab: %d error%s, %d warning%s, %d hint%s\n", found[EMULATED_ERROR],
                found[EMULATED_ERROR] == 1 ? "" : "s", found[EMULATED_WARNING],
                found[EMULATED_WARNING] == 1 ? "" : "s", found[EMULATED_HINT],
                found[EMULATED_HINT] == 1 ? "" : "s");
    finding_add_line("{\"errors\":" + std::to_string(found[EMULATED_ERROR]) +
                     ",\"warnings\":" + std::to_string(found[EMULATED_WARNING]) +
                     ",\"hints\":" + std::to_string(found[EMULATED_HINT]) + "}");
    if (status && *status && found[EMULATED_ERROR] > 0) {
        fflush(NULL);
        _exit(atoi(status));
    }
}

void finding_report(enum emulated_severity severity, const char *kind, const struct place *where,
                    const struct place *other, const char *format, ...)
{
    static const char *const names[] = {"error", "warning", "hint"};
    char text[2048];
    va_list arguments;

    if (!is_new(kind, where, other))
        return;
    found[severity]++;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "%s:%d: %s%s: %s\n", where->file, where->line,
            severity == EMULATED_HINT      ? "hint: "
            : severity == EMULATED_WARNING ? "warning: "
                                           : "",
            kind, text);
    finding_add_line(
        std::string("{\"kind\":") + finding_quoted(kind) + ",\"severity\":\"" + names[severity] +
        "\"" + json_place("", where) + ",\"function\":" + finding_quoted(where->function) +
        (other ? json_place("other_", other) : "") + ",\"text\":" + finding_quoted(text) + "}");
}
