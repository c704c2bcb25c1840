/* SPDX-License-Identifier: MIT */
/* The state of a split, for its own files alone: split*.c and compare.c. */
#ifndef CALAB_TUI_WORKBENCH_ENGINE_SPLIT_INSIDE_H
#define CALAB_TUI_WORKBENCH_ENGINE_SPLIT_INSIDE_H

#include "core/compare/drive.h"
#include "tui/workbench/engine/session_requests.h"
#include "tui/workbench/engine/split.h"

enum split_phase {
    SPLIT_CLOSED,
    SPLIT_PART,   /* A finishes what it does, and B's engine has not been told what to open */
    SPLIT_SAVE,   /* A writes its state, which B opens */
    SPLIT_MEET,   /* B, on another host, opens what A's state is then sent to */
    SPLIT_SEND,   /* piece by piece, a round each */
    SPLIT_GATHER, /* both become idle at one generation */
    SPLIT_READY,  /* they are, and nothing is asked */
    /* A round of requests: */
    SPLIT_HASH,  /* the state before the first call is compared */
    SPLIT_MARK,  /* both keep their state, to which a search goes back */
    SPLIT_STEP,  /* one call each */
    SPLIT_BURST, /* timed calls of one side */
    SPLIT_FIND,  /* one request of the search for the first difference */
};

/* The search for the first difference. */
enum find {
    FIND_NOT,
    FIND_UNDER_WAY,
    FIND_DONE,
    FIND_IMPOSSIBLE, /* there is no state to go back to */
    FIND_STOPPED,    /* by the user, or an engine refused */
};

#define SPLIT_SAMPLES 512

/* Bursts of one side, for the figures of its row. */
struct split_samples {
    double step_s[SPLIT_SAMPLES]; /* seconds a generation of each call; the newest replace others */
    int count;
};

/* A state on its way to another host. */
struct split_travel {
    int64_t asked, taken; /* rows that A was asked for, and that B has */
    int64_t piece;        /* bytes of the next piece */
    uint8_t *bytes;       /* of the piece that A has given; NULL: none */
    size_t count;
    json_t *what; /* the request by which B takes it */
};

/* The self of an engine as a side. */
struct split_side {
    struct workbench *wb;
    int index;
    size_t count; /* of cells that were asked for */
    void *cells;  /* that came, until they are compared */
};

struct split {
    enum split_phase phase;
    bool hidden;       /* B is not shown: it is there for the difference that A draws */
    int64_t round;     /* replies to requests of an earlier one are dropped */
    json_t *answer[2]; /* of this round */
    bool due[2];       /* of this round: no reply yet */
    double asked;      /* time of the round */
    bool running;      /* until the user pauses */
    bool pause_first;  /* the ratio is measured before a run that a split has interrupted */
    uint64_t wanted;   /* generations to go, besides */
    uint64_t chosen;   /* generations of the next call, for which a mark is made first; 0: none */
    uint64_t home;     /* where A was, while both repeat the way there; 0: they are there */
    uint64_t call;     /* generations of a call */
    double step_s;     /* seconds a generation of the slower side, 0: unknown */
    double next;       /* time from which the next call may begin */

    uint64_t checks;   /* comparisons since the start, all equal but the last */
    uint64_t equal_at; /* the last generation at which they were equal */
    bool differs;
    uint64_t differs_at;
    char trouble[CA_TEXT_MAX]; /* why it does not go on, "" */

    bool marked;               /* both can go back to `mark`, where they were equal */
    bool kept;                 /* the engines keep the state of `mark`, whatever it is good for */
    uint64_t mark, mark_calls; /* calls of `call` generations since the mark */
    char no_mark[CA_TEXT_MAX]; /* why an engine keeps no mark, "" */

    struct split_side side[2];
    enum find find;
    struct ca_differ differ;

    struct ca_ratio ratio;
    bool measured;              /* the ratio is complete */
    char no_ratio[CA_TEXT_MAX]; /* why there is none, "" */
    double shown_s;             /* when the bursts so far were last drawn */
    struct split_samples samples[2];

    char state_path[CA_TEXT_MAX]; /* the file by which A's state came to B, "" */
    struct split_travel travel;
};

struct split *split_of(const struct workbench *wb);
/* Frees what a split holds, when the workbench ends. */
void split_end(struct workbench *wb);

/* Takes the reply to a request of a round. */
take_reply split_taken;

/* split_compare.c: the ratio. */
void ratio_restart(struct workbench *wb);
/* Asks for the next burst; false: there is none. */
bool ratio_ask(struct workbench *wb);
void ratio_take(struct workbench *wb);

/* The search of a difference begins after a comparison that failed. */
void find_begin(struct workbench *wb);
/* Asks for the next of its requests; false: there is none. */
bool find_ask(struct workbench *wb);
void find_take(struct workbench *wb);

/* split_open.c: begins to bring A's state to B, false, with a message, if that cannot be; goes on
 * when B has opened, and after each piece; keeps a piece that A has given, false without memory;
 * frees what is left of it. */
bool state_begin(struct workbench *wb);
void state_meet(struct workbench *wb);
bool state_keep(struct workbench *wb, const struct ca_message *message);
void state_go_on(struct workbench *wb);
void state_drop(struct workbench *wb);

/* For split.c: nothing that was asked of an engine can still change its state; B is
 * told what to open; both become idle at one generation; the hidden pane follows what is drawn. */
bool split_is_idle(const struct pane *pane);
void split_begin(struct workbench *wb);
void split_gather(struct workbench *wb);
void split_follow_drawn(struct workbench *wb);

/* split.c, for the other files: asks pane `side` in the present round; a round begins with
 * split_round. */
void split_round(struct workbench *wb, enum split_phase phase);
void split_send(struct workbench *wb, int side, const char *op, json_t *body, const void *bytes,
                size_t count);
void split_ask_both(struct workbench *wb, enum split_phase phase, const char *op, json_t *body);
/* Returns the difference that was found, if its neighbourhood can be shown, else NULL. */
const struct ca_differ_result *split_placed(const struct workbench *wb);
/* The lines of the comparison: a sentence of so many, and what is below it. */
#define SPLIT_LINES 5
#define SPLIT_SENTENCE_LINES 3

#endif
