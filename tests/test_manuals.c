/* SPDX-License-Identifier: MIT */
/*
 * That the manual pages fit each other, the sources and the other documents: references lead
 * somewhere, and what a version promises is all that there is.
 */
#include <ctype.h>
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/error.h"
#include "tests/support/support.h"

/* --- references ------------------------------------------------------------------------------- */

/* The words of a macro up to its punctuation, kept; NULL where the line is another. */
static char *words_of(const char *line, const char *macro)
{
    const size_t length = strlen(macro);
    char *words;

    if (strncmp(line, macro, length) != 0 || line[length] != ' ')
        return NULL;
    words = test_keep(strndup(line + length + 1, strcspn(line + length + 1, "\n")));
    for (size_t n = strlen(words);
         n > 2 && words[n - 2] == ' ' && ispunct((unsigned char)words[n - 1]); n -= 2)
        words[n - 2] = '\0';
    return words;
}

static const char *line_after(const char *line)
{
    line = strchr(line, '\n');
    return line ? line + 1 : "";
}

/* The text of a page by "calab-bench 7"; NULL: it is none of these. */
static const char *page_called(const char *words)
{
    const char *path;
    char name[64], section[8];

    if (sscanf(words, "%63s %7s", name, section) != 2 || strncmp(name, "calab", 5) != 0)
        return NULL;
    path = test_source(test_text("man/%s.%s", name, section));
    ck_assert_msg(access(path, R_OK) == 0, "there is no page %s(%s)", name, section);
    return test_read(path, NULL);
}

static bool has_section(const char *page, const char *name)
{
    for (; *page; page = line_after(page)) {
        char *title = words_of(page, ".Sh");

        if (!title)
            title = words_of(page, ".Ss");
        if (title && strcmp(strncmp(title, "\\&", 2) == 0 ? title + 2 : title, name) == 0)
            return true;
    }
    return false;
}

/* A section is one of the page that ".Xr" behind ".Sx" and "in", or before it, names, else of this.
 */
static void check_section(const char *path, const char *page, const char *before, const char *line)
{
    const char *name = words_of(line, ".Sx"), *next = line_after(line), *other;

    other = strncmp(next, "in\n", 3) == 0 ? words_of(line_after(next), ".Xr") : NULL;
    if (!other && before)
        other = words_of(before, ".Xr");
    if (other)
        page = page_called(other);
    ck_assert_msg(page && has_section(page, name), "%s: there is no section '%s'%s%s", path, name,
                  other ? " in " : "", other ? other : "");
}

static void check_page(const char *path)
{
    const char *page = test_read(path, NULL), *before = NULL;

    for (const char *line = page; *line; before = line, line = line_after(line)) {
        const char *other = words_of(line, ".Xr");

        if (other)
            page_called(other);
        if (words_of(line, ".Sx"))
            check_section(path, page, before, line);
    }
}

START_TEST(references_lead_somewhere)
{
    glob_t pages = {0};

    ck_assert_int_eq(glob(test_source("man/*.[1-9]"), 0, NULL, &pages), 0);
    ck_assert_uint_ge(pages.gl_pathc, 12);
    for (size_t i = 0; i < pages.gl_pathc; i++)
        check_page(test_text("%s", pages.gl_pathv[i]));
    globfree(&pages);
}
END_TEST

/* What pages quote of BENCHMARKS.md is a heading there. */
START_TEST(figures_that_are_quoted_are_there)
{
    static const char *const pages[] = {"man/calab-reports.7", "man/calab-scaling.7"};
    const char *figures = test_read(test_source("BENCHMARKS.md"), NULL);
    int quoted = 0;

    for (size_t i = 0; i < COUNT(pages); i++)
        for (const char *line = test_read(test_source(pages[i]), NULL); *line;
             line = line_after(line)) {
            const char *title = words_of(line, ".Dq");

            if (title)
                ck_assert_msg(strstr(figures, test_text("# %s\n", title)) != NULL,
                              "%s: BENCHMARKS.md has no '%s'", pages[i], title);
            quoted += title != NULL;
        }
    ck_assert_int_ge(quoted, 8);
}
END_TEST

static bool is_path(const char *text)
{
    static const char *const roots[] = {"core/",    "kernels/", "tui/",        "tests/",
                                        "configs/", "man/",     ".packaging/", ".ci/"};

    for (size_t i = 0; i < COUNT(roots); i++)
        if (strncmp(text, roots[i], strlen(roots[i])) == 0)
            return true;
    return false;
}

static const struct {
    const char *name;
    int at_least; /* so many paths */
} documents[] = {{"README.md", 3}, {"CONTRIBUTING.md", 80}};

/* What stands between ` and `, or between ( and ) of a link, and begins as a path does. */
START_TEST(files_that_are_named_are_there)
{
    const char *text = test_read(test_source(documents[_i].name), NULL);
    int found = 0;

    for (const char *at = text; (at = strpbrk(at, "`(")) != NULL;) {
        const size_t length = strcspn(++at, "`) <>\n");
        const char *path = test_text("%.*s", (int)length, at);
        glob_t files = {0};

        if (!is_path(at) || at[length] == '<')
            continue;
        ck_assert_msg(glob(test_source(path), 0, NULL, &files) == 0, "%s: there is no '%s'",
                      documents[_i].name, path);
        globfree(&files);
        found++;
    }
    ck_assert_int_ge(found, documents[_i].at_least);
}
END_TEST

/* --- what is promised ------------------------------------------------------------------------- */

static const char *promised;
static int forms;

/* Each form of JSON objects that a source names, as "calab-run/2". */
static int find_forms(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    const char *ending = strrchr(path, '.');
    char form[64];

    (void)status, (void)walk;
    if (type != FTW_F || !ending || (strcmp(ending, ".c") != 0 && strcmp(ending, ".h") != 0))
        return 0;
    for (const char *at = test_read(path, NULL); (at = strstr(at, "\"calab-")) != NULL; at++) {
        int version, length = 0;

        if (sscanf(at, "\"%63[a-z-]/%d%n", form, &version, &length) != 2 || at[length] != '"')
            continue;
        ck_assert_contains(promised, test_text(".Ql %.*s ", length - 1, at + 1));
        forms++;
    }
    return 0;
}

START_TEST(every_form_is_promised)
{
    char *page = test_read(test_source("man/calab.1"), NULL), *end;

    promised = strstr(page, ".Sh COMPATIBILITY\n");
    ck_assert_ptr_nonnull(promised);
    end = strstr(promised + 1, ".Sh ");
    ck_assert_ptr_nonnull(end);
    *end = '\0';
    ck_assert_int_eq(nftw(test_source("core"), find_forms, 8, FTW_PHYS), 0);
    ck_assert_int_eq(nftw(test_source("tui"), find_forms, 8, FTW_PHYS), 0);
    ck_assert_int_ge(forms, 12);
}
END_TEST

START_TEST(every_status_is_described)
{
    const char *page = strstr(test_read(test_source("man/calab.1"), NULL), ".Sh EXIT STATUS\n");

    ck_assert_ptr_nonnull(page);
    for (int status = CA_OK; status <= CA_NO_MEMORY; status++)
        ck_assert_contains(page, test_text("\n.It %d\n", status));
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {references_lead_somewhere, figures_that_are_quoted_are_there,
                              every_form_is_promised, every_status_is_described},
                     .table = {{files_that_are_named_are_there, COUNT(documents)}});
}
