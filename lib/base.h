/* base.h - foundations of the public interface: errors, reasons, parameters, directories */
#ifndef HOLONOM_BASE_H
#define HOLONOM_BASE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* exported */

/* version of the C interface and number of the soname; plugins of another version are refused */
#define HN_ABI 13

/* ---- Errors (bad input, missing resources) and reasons (how a computation ended) ----------------------- */

typedef struct hn_error {
  char text[1024]; /* one line: the mistake and how to mend it */
} hn_error;

/* Formats the text of ERROR (may be NULL) and returns -1, so that a caller can `return hn_fail(error,
 * ...)`. */
int hn_fail(hn_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

typedef enum hn_reason {
  HN_CONVERGED = 0, /* every step met its tolerances */
  HN_BUDGET,        /* the budget of work is spent */
  HN_STALLED,       /* an iteration did not reach its tolerance within its limit */
  HN_SINGULAR,      /* the constraint matrix is singular: redundant constraints or a singular position */
  HN_NOT_FINITE,    /* NaN or infinity appeared */
  HN_UNSUPPORTED,   /* the solver lacks a capability that the scene needs */
  HN_FULL,          /* there are more contacts than the state has room for */
  HN_DIVERGED,      /* joint errors exceed the size of the mechanism, or energy errors the energies in play */
  HN_INTERRUPTED,   /* the user stopped the run */
  HN_NO_MEMORY,     /* memory could not be allocated */
  HN_REASONS        /* number of reasons */
} hn_reason;

/* Returns the word for a reason in every output: "converged", "stalled", ... */
const char *hn_reason_name(hn_reason reason);

/* A request to stop, which long loops of a step look for: between iterations and before factorisations. */
typedef struct hn_stop {
  const volatile sig_atomic_t *flag; /* nonzero requests a stop; NULL: none */
  bool heard;                        /* a loop has ended because of it: its result is not that of a step */
} hn_stop;
/* True if a stop is requested, which is then heard. The loop returns HN_INTERRUPTED. STOP may be NULL. */
static inline bool hn_stopped(hn_stop *stop)
{
  return stop && stop->flag && *stop->flag && (stop->heard = true);
}

/* Returns the candidate that other programs call WORD ("revolute": "hinge"), or that is WORD with other
 * hyphens, underscores or capitals; NULL if there is none. */
const char *hn_other_word(const char *word, const char *const *candidates, size_t count);
/* Returns hn_other_word, or else the candidate nearest to WORD by edit distance, where a swap of neighbours
 * counts one. Returns NULL if all candidates differ in more than a third of the longer word's characters. */
const char *hn_nearest(const char *word, const char *const *candidates, size_t count);

/* ---- Parameters: one table per type drives Lua keys, options, listings and the manual ------------------ */

/* A number as text with the fewest digits, 15 to 17, that read back to the same bits: "1e-06", "0.1", "nan".
 * The text does not depend on the locale. */
typedef struct hn_digits {
  char text[32];
} hn_digits;
hn_digits hn_exact(double number);

typedef enum hn_param_kind { HN_REAL, HN_INTEGER, HN_FLAG, HN_CHOICE, HN_TEXT, HN_PAIR } hn_param_kind;

typedef struct hn_param {
  const char *key;
  hn_param_kind kind;  /* stored as double, int, int (0 or 1), int (index of choice), const char *, int[2] */
  size_t offset;       /* in the owner's data structure */
  const char *initial; /* default, as a user writes it (a pair "2:3"); "": none, the value is NaN or zeros */
  double min, max;     /* HN_REAL, HN_INTEGER, HN_PAIR: inclusive range */
  const char *unit;    /* "" when none */
  const char *choices; /* HN_CHOICE: words separated by commas */
  const char *help;
} hn_param;

/* ---- Files --------------------------------------------------------------------------------------------- */

/* Return the directories of data files, of loadable modules, and of modules of other engines
 * (doc/engines.md): those of the build tree if the library runs from it, otherwise those of the
 * installation. */
const char *hn_data_dir(const char *what); /* "scenes", "studies", "lua" or "web" */
const char *hn_module_dir(void);
const char *hn_engine_dir(void);
const char *hn_version(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
