/* base.h - errors and reasons, parameters, directories of files */
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

/* ---- Errors (a call cannot be carried out) and reasons (how a computation ended) --------------------- */

typedef struct hn_error {
  char text[512]; /* one line: the cause, and the remedy if there is one */
} hn_error;

/* Formats the text of ERROR (which may be NULL). Returns -1, so that a caller can `return hn_fail(error,
 * ...)`. */
int hn_fail(hn_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

typedef enum hn_reason {
  HN_CONVERGED = 0, /* every step met its tolerances */
  HN_BUDGET,        /* the work allowed is spent */
  HN_STALLED,       /* a correction did not reach its tolerance within its iterations */
  HN_SINGULAR,      /* the constraint matrix is singular: redundant constraints or a singular position */
  HN_NOT_FINITE,    /* NaN or infinity appeared */
  HN_UNSUPPORTED,   /* the solver does not support the scene */
  HN_FULL,          /* more contacts than the capacity of the model */
  HN_DIVERGED,      /* joint errors exceed the size of the mechanism, or energy errors the energy */
  HN_INTERRUPTED,   /* the user stopped the run */
  HN_NO_MEMORY,     /* memory could not be allocated */
  HN_REASONS        /* number of reasons */
} hn_reason;

/* Returns the word for REASON in every output: "converged", "stalled", ... */
const char *hn_reason_name(hn_reason reason);

/* Returns the candidate nearest to WORD (edit distance; a swap of neighbours counts one). Returns NULL if
 * more than a third of the longer word's characters differ in all of them. */
const char *hn_nearest(const char *word, const char *const *candidates, size_t count);

/* ---- Parameters: one table per type drives Lua keys, options, listings and the manual -------------- */

/* A number as text with the fewest digits, from 15 on, that read back to the same bits in any locale:
 * "1e-06", "0.1", "nan". */
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
    *initial;      /* default, as a user would write it (a pair "2:3"); "": none, NaN or zeros if not given */
  double min, max; /* HN_REAL, HN_INTEGER, HN_PAIR: inclusive range */
  const char *unit;    /* "" when none */
  const char *choices; /* HN_CHOICE: words separated by commas */
  const char *help;
} hn_param;

/* ---- Files ----------------------------------------------------------------------------------------- */

/* Return the directory of data files and that of loadable modules: of the build tree when run from it,
 * else of the installation. */
const char *hn_data_dir(const char *what); /* "scenes", "studies", "lua" or "web" */
const char *hn_module_dir(void);
const char *hn_version(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
