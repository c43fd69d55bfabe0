/* tape.h - functions as tapes: the arithmetic of a function of a few numbers, written down once and carried out by the
 * library, so that it has values, derivatives and power series to any order without being called again. Internal.
 *
 * A tape is code over slots. Slots 0 .. inputs - 1 are the inputs; each operation fills one slot, some a second one
 * that their series need. Where the function compares, the code branches, and every way through it ends with outputs of
 * its own. Of a power series the constant terms decide which way it goes: a function with branches is right on either
 * side of where they part, and smooth only between. */
#ifndef HN_TAPE_H
#define HN_TAPE_H

#include "joints.h"

enum {
  HN_TAPE_SLOTS = 4096, /* of one tape at most: callers of hn_tape_run have them on their stack */
  HN_TAPE_PATHS = 256,  /* ways through it */
  HN_TAPE_DEPTH = 64,   /* comparisons on one way */
  HN_TAPE_OUTPUTS = 96
};

typedef enum hn_tape_kind {
  HN_TAPE_CONSTANT, /* c */
  HN_TAPE_ADD,
  HN_TAPE_SUB,
  HN_TAPE_MUL,
  HN_TAPE_DIV,
  HN_TAPE_NEG,
  HN_TAPE_SQRT,
  HN_TAPE_SINE, /* sin a, and cos a in the next slot */
  HN_TAPE_TAN,  /* and 1 + tan^2 a */
  HN_TAPE_ASIN,
  HN_TAPE_ACOS,  /* and sqrt(1 - a^2) */
  HN_TAPE_ATAN2, /* of a over b, and a^2 + b^2 */
  HN_TAPE_EXP,
  HN_TAPE_LOG,
  HN_TAPE_LOG2,
  HN_TAPE_LOG10,
  HN_TAPE_POWER, /* a^c */
  HN_TAPE_RAISE, /* a^b, a value without a series: where that is positive there is exp(b log a) */
  HN_TAPE_ABS,
  HN_TAPE_MIN,
  HN_TAPE_MAX,
  HN_TAPE_FLOOR,
  HN_TAPE_CEIL, /* constant between two jumps */
  HN_TAPE_MOD,
  HN_TAPE_FMOD, /* a modulo b, as Lua has it: with the sign of b; of a */
  HN_TAPE_SIGN, /* -1, 0, 1 */
  HN_TAPE_STEP, /* 1 where a < b, else 0 */
  /* Branches: on to the next operation where it holds, to that in `out` where not. None for a == b: what is so at one
   * value alone says nothing of the derivatives there. */
  HN_TAPE_LESS,
  HN_TAPE_LESS_EQUAL,
  HN_TAPE_END /* the outputs of leaf number `out` */
} hn_tape_kind;

typedef struct hn_tape_op {
  hn_tape_kind kind;
  int a, b, out; /* slots */
  double c;
} hn_tape_op;

typedef struct hn_tape {
  int inputs, outputs;
  int slots, count, leaves;
  hn_tape_op *code; /* [count] */
  int *leaf;        /* [leaves * outputs] slots */
} hn_tape;

void hn_tape_free(hn_tape *tape);         /* which may be NULL */
size_t hn_tape_size(const hn_tape *tape); /* bytes */
int hn_tape_results(hn_tape_kind kind);   /* slots that an operation fills: 1 or 2 */

/* ---- Evaluation -------------------------------------------------------------------------------------------------- */

/* out[outputs] of the inputs in slot[0 .. inputs - 1]; SLOT is scratch of tape->slots numbers. */
void hn_tape_run(const hn_tape *tape, double *slot, double *out);
/* The same of power series: slot s has its coefficient i at slot[s * stride + i]. Fills coefficient k of every slot and
 * of the outputs, given coefficients 0 .. k of the inputs and the lower ones of all slots from the calls before. */
void hn_tape_series(const hn_tape *tape, size_t k, size_t stride, double *slot, double *out);
/* Can an output depend on one of COUNT inputs from INPUT on, or the way that is taken? */
bool hn_tape_depends(const hn_tape *tape, int input, int count);

/* Is output OUTPUT the number zero, whatever way is taken? */
bool hn_tape_is_zero(const hn_tape *tape, int output);

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

/* A tape being written. The function is followed from its start as often as it has ways through it; what two ways
 * share is written once, and must be the same each time. */
typedef struct hn_tape_writer {
  hn_tape *tape;
  const char *problem;         /* why it is no tape; NULL: it is one so far */
  int at;                      /* in the code, of what is followed; */
  bool fresh;                  /* or what comes is new */
  int path[2 * HN_TAPE_SLOTS]; /* operations of this way */
  int length;
  bool choice[HN_TAPE_DEPTH]; /* by which its branches go */
  int depth, choices;         /* branches so far, and how many choices are set */
  bool simplifies;            /* products with 0 and 1, sums with 0 are not written */
} hn_tape_writer;

/* A writer of a new tape, or NULL without memory. OUTPUTS 0: as the first path has, HN_MAX_ROWS at most. */
hn_tape_writer *hn_tape_write(int inputs, int outputs);
void hn_tape_start_path(hn_tape_writer *writer);
int hn_tape_constant(hn_tape_writer *writer, double c);
/* The slot of an operation; of those with two that of the first. */
int hn_tape_emit(hn_tape_writer *writer, hn_tape_kind kind, int a, int b, double c);
/* Which way this path goes at a comparison. */
bool hn_tape_branch(hn_tape_writer *writer, hn_tape_kind kind, int a, int b);
/* The path ends with these slots, COUNT of them. */
void hn_tape_end_path(hn_tape_writer *writer, const int *outputs, int count);
/* Turns to a way that has not been followed yet; false: there is none left. */
bool hn_tape_next_path(hn_tape_writer *writer);
/* The tape, or NULL when there was a problem; frees the writer. */
hn_tape *hn_tape_finish(hn_tape_writer *writer);

/* ---- Derivatives ------------------------------------------------------------------------------------------------- */

/* What a derived tape has as outputs: SLOPE[o * inputs + i] is the slot of the derivative of output o of the tape by
 * input i, VALUE those of its outputs; the operations it needs beside go to WRITER. Into out[]. */
typedef void hn_tape_compose(hn_tape_writer *writer, const void *context, int outputs, int inputs,
                             const int *value, const int *slope, int *out);
/* A tape of the same inputs with OUTPUTS outputs, as COMPOSE makes them on every way through TAPE. NULL and an error
 * when memory is out or it is too long. */
hn_tape *hn_tape_derive(const hn_tape *tape, int outputs, hn_tape_compose *compose, const void *context,
                        hn_error *error);

#endif
