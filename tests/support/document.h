/* SPDX-License-Identifier: MIT */
/*
 * A document as it is read by somebody who types along: commands of a shell, keys of the workbench,
 * and texts that are then to be seen.
 *
 * Markdown has commands alone, the lines of its blocks of `sh` that begin with `calab`. A manual
 * page has commands behind a prompt `$`, which go on behind `>`, in .Dl and in blocks of .Bd, whose
 * other lines are to be seen; keys in items `.It Cm x Ar text Cm Enter`, where a word behind Cm is
 * a key and what stands behind Ar is typed; and texts that are to be seen in .Ql.
 */
#ifndef CALAB_TESTS_DOCUMENT_H
#define CALAB_TESTS_DOCUMENT_H

enum document_kind { DOCUMENT_END, DOCUMENT_COMMAND, DOCUMENT_KEYS, DOCUMENT_SHOWN };

struct document_line {
    enum document_kind kind;
    int number; /* in the document */
    char *text;
};

/* The lines of a file of the sources, or of one section (.Sh) of it, up to one of kind END; kept.
 */
struct document_line *document_read(const char *name, const char *section);

/*
 * Types them in order in an empty folder, on a screen of 24x80, and fails the test at the first one
 * that does something else than the document says. A command's status is 0, or what its comment
 * says
 * ("# status 1"). One that has not ended after some seconds is stopped as ^C does it, which every
 * command takes at any time, unless texts are to be seen of it or it names a file that a later one
 * names. A command before keys opens the workbench; the keys before the next command quit it. Left
 * out is what needs more than calab and a shell: a GPU (`cuda`, `--devices`), and ffmpeg (`.mp4`)
 * where it is not installed; every host that ssh is asked for is this one. Returns how many were
 * typed.
 */
int document_type(const char *name, const char *section);

#endif
