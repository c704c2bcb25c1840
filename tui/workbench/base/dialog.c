/* SPDX-License-Identifier: MIT */
/* Dialogs lie on a stack, and each key goes to the top one. A prompt is an input line with editing,
 * completion and history, which replaces the message line. A text that stands there when it opens
 * is selected: a character replaces it, any other key edits it. */
#include "tui/workbench/base/dialog.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#include "core/files/embedded.h"

#define DIALOGS_MAX 4
#define HISTORY_LINES 50

extern const struct part dialogs_part;

struct dialogs {
    struct dialog stack[DIALOGS_MAX];
    int depth;
    char search[DIALOGS_SEARCH];
    void (*searches)(struct workbench *wb, int direction); /* with what the prompt asks for */
    char refused[4096];                   /* the existing file that a second Enter replaces */
    char past[HISTORY_LINES][PROMPT_MAX]; /* input of prompts with a history, oldest first */
    int past_count;
};

static struct dialogs *dialogs_of(const struct workbench *wb)
{
    return part_state(wb, &dialogs_part);
}

char *dialogs_search(const struct workbench *wb) { return dialogs_of(wb)->search; }

struct dialog *dialog_top(const struct workbench *wb)
{
    struct dialogs *d = dialogs_of(wb);

    return d->depth > 0 ? &d->stack[d->depth - 1] : NULL;
}

int dialogs_depth(const struct workbench *wb) { return dialogs_of(wb)->depth; }

static struct dialog *dialog_push(struct workbench *wb)
{
    struct dialogs *d = dialogs_of(wb);
    struct dialog *dialog;

    if (d->depth == DIALOGS_MAX)
        d->depth--;
    dialog = &d->stack[d->depth++];
    memset(dialog, 0, sizeof *dialog);
    wb->dirty = true;
    return dialog;
}

void list_open(struct workbench *wb, const struct list_source *source)
{
    struct dialog *dialog = dialog_push(wb);

    dialog->list = source;
    list_select(wb, dialog);
}

void prompt_open(struct workbench *wb, const struct prompt_source *source, int item,
                 const char *text, const char *help)
{
    struct dialog *dialog = dialog_push(wb);

    dialog->prompt = source;
    dialog->item = item;
    snprintf(dialog->text, sizeof dialog->text, "%s", text);
    snprintf(dialog->help, sizeof dialog->help, "%s", help ? help : "");
    dialog->cursor = (int)strlen(dialog->text);
    dialog->fresh = dialog->text[0] != 0;
}

void prompt_open_file(struct workbench *wb, const struct prompt_source *source, const char *stem,
                      const char *ending, const char *help)
{
    char name[128];

    dialogs_of(wb)->refused[0] = 0;
    snprintf(name, sizeof name, "%s.%s", stem, ending);
    for (int i = 2; access(name, F_OK) == 0; i++)
        snprintf(name, sizeof name, "%s-%d.%s", stem, i, ending);
    prompt_open(wb, source, 0, name, help);
}

bool file_is_there(const char *path)
{
    struct stat facts;

    return ca_embedded_find(path) || (stat(path, &facts) == 0 && S_ISREG(facts.st_mode));
}

bool list_is_open(const struct workbench *wb, const struct list_source *source)
{
    const struct dialogs *d = dialogs_of(wb);

    for (int i = 0; i < d->depth; i++)
        if (d->stack[i].list == source)
            return true;
    return false;
}

void list_reselect(struct workbench *wb, const struct list_source *source)
{
    struct dialogs *d = dialogs_of(wb);

    for (int i = 0; i < d->depth; i++)
        if (d->stack[i].list == source)
            list_select(wb, &d->stack[i]);
}

void dialog_remove(struct workbench *wb, int place)
{
    struct dialogs *d = dialogs_of(wb);

    memmove(&d->stack[place], &d->stack[place + 1],
            (size_t)(d->depth - place - 1) * sizeof d->stack[0]);
    d->depth--;
}

void dialog_close(struct workbench *wb)
{
    dialogs_of(wb)->depth -= dialogs_of(wb)->depth > 0;
    wb->dirty = true;
}

void dialogs_close(struct workbench *wb)
{
    dialogs_of(wb)->depth = 0;
    wb->dirty = true;
}

/* --- searching -------------------------------------------------------------------------------- */

static void search_run(struct workbench *wb, const char *text)
{
    snprintf(dialogs_search(wb), DIALOGS_SEARCH, "%s", text);
    dialog_close(wb); /* so that the search finds the list on top */
    dialogs_of(wb)->searches(wb, 1);
}

bool search_key(struct workbench *wb, enum request request,
                void (*search)(struct workbench *wb, int direction))
{
    static const struct prompt_source source = {.label = "/", .run = search_run};

    if (request == REQUEST_SEARCH) {
        dialogs_of(wb)->searches = search;
        prompt_open(wb, &source, 0, "", NULL);
    } else if (request == REQUEST_SEARCH_NEXT || request == REQUEST_SEARCH_PREVIOUS) {
        search(wb, request == REQUEST_SEARCH_NEXT ? 1 : -1);
    } else {
        return false;
    }
    return true;
}

/* --- completion ------------------------------------------------------------------------------- */

void file_words(struct workbench *wb, struct completion *completion)
{
    (void)wb;
    complete_files(completion);
}

void completion_extend(const struct completion *completion, char *text, char *message, int size)
{
    size_t from = (size_t)(completion->typed - text), shared;
    int used = 0;

    message[0] = 0;
    if (completion->count == 0)
        return;
    shared = strlen(completion->word[0]);
    for (int i = 1; i < completion->count; i++)
        while (strncmp(completion->word[0], completion->word[i], shared) != 0)
            shared--;
    /* Several candidates: what each adds, as many as the message holds. */
    for (int i = 0; completion->count > 1 && i < completion->count && used < size; i++) {
        const char *part = completion->word[i] + completion->from;

        if (used + (int)strlen(part) + 6 >= size) {
            snprintf(message + used, (size_t)(size - used), " ...");
            break;
        }
        used += snprintf(message + used, (size_t)(size - used), "%s%s", used ? "  " : "", part);
    }
    if (from + shared < PROMPT_MAX)
        snprintf(text + from, PROMPT_MAX - from, "%.*s", (int)shared, completion->word[0]);
}

static void prompt_complete(struct workbench *wb, struct dialog *dialog)
{
    struct completion completion;

    if (dialog->prompt->complete) {
        dialog->prompt->complete(wb, dialog->text, dialog->message, sizeof dialog->message);
    } else if (dialog->prompt->offer) {
        completion_begin(&completion, dialog->text);
        dialog->prompt->offer(wb, &completion);
        completion_extend(&completion, dialog->text, dialog->message, sizeof dialog->message);
        completion_end(&completion);
    } else {
        return;
    }
    dialog->cursor = (int)strlen(dialog->text);
}

/* --- keys ------------------------------------------------------------------------------------- */

void key_no_meaning(int code, char *text, size_t size)
{
    char name[16];

    if (code >= KEY_WIDE)
        snprintf(text, size, "%lc has no meaning here", (wint_t)(code - KEY_WIDE));
    else
        snprintf(text, size, "%s has no meaning here",
                 keys_name(code, name)[0] ? name : "this key");
}

/* --- the line --------------------------------------------------------------------------------- */

/* The cursor moves over, and deletion removes, all bytes of a UTF-8 character. */
static int before(const struct dialog *dialog)
{
    int at = dialog->cursor - (dialog->cursor > 0);

    while (at > 0 && ((unsigned char)dialog->text[at] & 0xc0) == 0x80)
        at--;
    return at;
}

static int after(const struct dialog *dialog)
{
    int at = dialog->cursor + (dialog->text[dialog->cursor] != 0);

    while (((unsigned char)dialog->text[at] & 0xc0) == 0x80)
        at++;
    return at;
}

static void prompt_cut(struct dialog *dialog, int from, int to)
{
    memmove(dialog->text + from, dialog->text + to, strlen(dialog->text + to) + 1);
    dialog->cursor = from;
}

static void prompt_insert(struct dialog *dialog, int code)
{
    mbstate_t state = {0};
    char bytes[16];
    size_t n = 1, length = strlen(dialog->text);

    bytes[0] = (char)code;
    if (code >= KEY_WIDE)
        n = wcrtomb(bytes, (wchar_t)(code - KEY_WIDE), &state);
    if (n == (size_t)-1 || length + n >= sizeof dialog->text)
        return;
    memmove(dialog->text + dialog->cursor + n, dialog->text + dialog->cursor,
            length - (size_t)dialog->cursor + 1);
    memcpy(dialog->text + dialog->cursor, bytes, n);
    dialog->cursor += (int)n;
}

static void prompt_accept(struct workbench *wb, struct dialog *dialog)
{
    struct dialog typed = *dialog; /* accept may open another dialog over this one */
    const struct prompt_source *prompt = typed.prompt;
    struct ca_error error = {.text = ""};
    struct dialogs *d = dialogs_of(wb);
    int depth = d->depth;
    bool done = prompt->optional && !typed.text[0];

    if (prompt->history && typed.text[0] &&
        (d->past_count == 0 || strcmp(d->past[d->past_count - 1], typed.text) != 0)) {
        if (d->past_count == HISTORY_LINES) {
            memmove(d->past[0], d->past[1], sizeof d->past - sizeof d->past[0]);
            d->past_count--;
        }
        snprintf(d->past[d->past_count++], PROMPT_MAX, "%s", typed.text);
    }
    if (!done && prompt->writes && file_is_there(typed.text) &&
        strcmp(typed.text, d->refused) != 0) {
        snprintf(d->refused, sizeof d->refused, "%s", typed.text);
        ca_error_set(&error, CA_USAGE, "this file exists; press Enter again to replace it");
    } else if (!done) {
        done = !prompt->accept || prompt->accept(wb, typed.item, typed.text, &error);
        if (prompt->run)
            prompt->run(wb, typed.text);
    }
    if (d->depth < depth)
        return;
    if (done)
        dialog_remove(wb, depth - 1);
    else
        snprintf(dialog->message, sizeof dialog->message, "%.255s", error.text);
}

static bool is_character(int code) { return (code >= ' ' && code < 127) || code >= KEY_WIDE; }

static void prompt_key(struct workbench *wb, struct dialog *dialog, int code)
{
    const struct dialogs *d = dialogs_of(wb);
    bool fresh = dialog->fresh;
    int back;

    dialog->message[0] = 0;
    dialog->fresh = false;
    if (fresh && is_character(code))
        prompt_cut(dialog, 0, (int)strlen(dialog->text));
    switch (code) {
    case 27:
        dialog_close(wb);
        break;
    case '\n':
    case '\r':
    case KEY_ENTER:
        prompt_accept(wb, dialog);
        break;
    case KEY_LEFT:
        dialog->cursor = before(dialog);
        break;
    case KEY_RIGHT:
        dialog->cursor = after(dialog);
        break;
    case KEY_HOME:
    case 1:
        dialog->cursor = 0;
        break;
    case KEY_END:
    case 5:
        dialog->cursor = (int)strlen(dialog->text);
        break;
    case KEY_BACKSPACE:
    case 127:
    case 8:
        if (!dialog->text[0] && dialog->prompt->history)
            dialog_close(wb);
        else
            prompt_cut(dialog, before(dialog), dialog->cursor);
        break;
    case KEY_DC:
        prompt_cut(dialog, dialog->cursor, after(dialog));
        break;
    case 21:
        prompt_cut(dialog, 0, dialog->cursor);
        break;
    case 11:
        dialog->text[dialog->cursor] = 0;
        break;
    case KEY_UP:
    case KEY_DOWN:
        back = dialog->recall + (code == KEY_UP ? 1 : -1);
        if (!dialog->prompt->history || back < 0 || back > d->past_count)
            break;
        dialog->recall = back;
        snprintf(dialog->text, sizeof dialog->text, "%s",
                 back ? d->past[d->past_count - back] : "");
        dialog->cursor = (int)strlen(dialog->text);
        break;
    case '\t':
        prompt_complete(wb, dialog);
        break;
    default:
        if (is_character(code))
            prompt_insert(dialog, code);
    }
}

static void prompt_draw(const struct workbench *wb, const struct dialog *dialog)
{
    struct rect line = wb->layout.message;
    const char *above = dialog->message[0] ? dialog->message : dialog->help;
    char head[PROMPT_MAX];
    int label = text_width(dialog->prompt->label), at, width = line.columns - label - 1;
    const char *from = dialog->text;

    if (above[0])
        put_boxed(&wb->palette, line, dialog->message[0] ? STYLE_ALARM : STYLE_PLAIN, above);
    put_fill(&wb->palette, line, STYLE_PLAIN);
    put(&wb->palette, line.row, 0, line.columns, STYLE_KEY, dialog->prompt->label);
    snprintf(head, sizeof head, "%.*s", dialog->cursor, dialog->text);
    at = text_width(head);
    /* If the line is too long, the part before the cursor is shown. */
    for (; at >= width && *from; from++)
        if (((unsigned char)from[1] & 0xc0) != 0x80)
            at--;
    put(&wb->palette, line.row, label, width, dialog->fresh ? STYLE_SELECTED : STYLE_PLAIN, from);
    style_set(&wb->palette, STYLE_SELECTED);
    mvchgat(line.row, label + at, 1, A_REVERSE, 0, NULL);
}

/* --- all dialogs ------------------------------------------------------------------------------ */

void dialog_key(struct workbench *wb, int code)
{
    struct dialog *dialog = dialog_top(wb);

    if (dialog->list)
        list_key(wb, dialog, code);
    else
        prompt_key(wb, dialog, code);
    wb->dirty = true;
}

void dialogs_draw(struct workbench *wb)
{
    struct dialogs *d = dialogs_of(wb);

    for (int i = 0; i < d->depth; i++)
        if (d->stack[i].list)
            list_draw(wb, &d->stack[i]);
        else
            prompt_draw(wb, &d->stack[i]);
}

/* Whether the source of a list has an answer to a request of its own, which is then given. */
static bool source_takes(struct workbench *wb, const struct list_source *source,
                         enum request request)
{
    const struct list_source *others = source->others ? source->others(wb) : NULL;

    for (const struct list_key *key = source->keys; key->request != REQUEST_NONE; key++) {
        if (key->request != request || !key->perform)
            continue;
        if (key->is_now && !key->is_now(wb))
            return false;
        key->perform(wb);
        wb->dirty = true;
        return true;
    }
    return others && source_takes(wb, others, request);
}

/* The points of a plot lie side by side, those of its list one below the other. */
static int plotted_key(const struct workbench *wb, int code)
{
    enum request request = keymap_find(&wb->keys, KEYS_LATTICE, code);
    char key[16];

    if (request != REQUEST_PAN_LEFT && request != REQUEST_PAN_RIGHT)
        return code;
    request = request == REQUEST_PAN_LEFT ? REQUEST_LIST_UP : REQUEST_LIST_DOWN;
    return keys_code(keys_first(wb->keys.keys[request], key));
}

/* An open dialog takes all keys but those of the terminal, and ctrl-c. */
static bool dialogs_take(struct workbench *wb, enum request request, int code)
{
    const struct dialog *top = dialog_top(wb);

    if (!top)
        return false;
    if (request == REQUEST_ANSWER) /* in a dialog the key closes it */
        request = REQUEST_NONE;
    if (top->list) {
        enum request own;

        if (request == REQUEST_NONE && list_is_plotted(wb, top->list))
            code = plotted_key(wb, code);
        own = request == REQUEST_NONE ? keymap_find(&wb->keys, KEYS_LIST, code) : request;

        if (own != REQUEST_NONE && source_takes(wb, top->list, own))
            return true;
    }
    if (request == REQUEST_INTERRUPT || request == REQUEST_REDRAW || request == REQUEST_SUSPEND)
        return false;
    dialog_key(wb, code);
    return true;
}

const struct part dialogs_part = {
    .name = "dialogs", .state_bytes = sizeof(struct dialogs), .key = dialogs_take};
