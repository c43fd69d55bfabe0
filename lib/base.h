/* base.h - what everything stands on: errors and reasons, parameters, where files are */
#ifndef HOLONOM_BASE_H
#define HOLONOM_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* exported */

#define HN_ABI 11 /* version of the C interface and number of the soname; other plugins are refused */

/* ---- Errors (the world is wrong) and reasons (how a computation ended) ------------------------------------------- */

typedef struct hn_error {
  char text[512]; /* one line: what was wrong, and what would be right */
} hn_error;

/* Formats the text of ERROR (which may be NULL) and returns -1, so that a caller can `return hn_fail(error, ...)`. */
int hn_fail(hn_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

typedef enum hn_reason {
  HN_CONVERGED = 0, /* every step met its tolerances */
  HN_BUDGET,        /* the work allowed is spent */
  HN_STALLED,       /* a correction did not reach its tolerance within its iterations */
  HN_SINGULAR,      /* the constraint matrix is singular: redundant constraints or a singular position */
  HN_NOT_FINITE,    /* NaN or infinity appeared */
  HN_UNSUPPORTED,   /* the solver cannot do this scene */
  HN_FULL,          /* no room for more contacts */
  HN_DIVERGED, /* joints are further apart than the mechanism is large, or energy is off by more than there is */
  HN_INTERRUPTED /* the user stopped the run */
} hn_reason;

/* The word used for a reason in every output: "converged", "stalled", ... */
const char *hn_reason_name(hn_reason reason);

/* Returns the candidate nearest to WORD (edit distance; a swap of neighbours counts one), or NULL if more than a third of
 * the longer word's characters differ in all of them. */
const char *hn_nearest(const char *word, const char *const *candidates, size_t count);

/* ---- Parameters: one table per type drives Lua keys, options, listings and the manual -------------------------- */

/* A number in the fewest digits, from 15 on, that read back to the same bits, in any locale: "1e-06", "0.1", "nan". */
typedef struct hn_digits {
  char text[32];
} hn_digits;
hn_digits hn_exact(double number);

typedef enum hn_param_kind { HN_REAL, HN_INTEGER, HN_FLAG, HN_CHOICE, HN_TEXT, HN_PAIR } hn_param_kind;

typedef struct hn_param {
  const char *key;
  hn_param_kind
    kind;        /* stored as double, int, int (0 or 1), int (index of the choice), const char *, int[2] */
  size_t offset; /* in the owner's data */
  const char
    *initial;       /* default, as a user would write it (a pair "2:3"); "": none, NaN or zeros until given */
  double min, max;  /* HN_REAL, HN_INTEGER, HN_PAIR: inclusive range */
  const char *unit; /* "" when none */
  const char *choices; /* HN_CHOICE: words separated by commas */
  const char *help;
} hn_param;

/* ---- Files ------------------------------------------------------------------------------------------------------- */

/* Directories of scenes, of Lua modules and of the page of reports, and of loadable modules: those of the build tree
 * when run from it, else those of the installation. */
const char *hn_data_dir(const char *what); /* "scenes", "studies", "lua" or "web" */
const char *hn_module_dir(void);
const char *hn_version(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
