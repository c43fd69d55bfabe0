/* tape.h - functions as tapes: the arithmetic of a function of a few numbers, recorded once. The library
 * evaluates the tape, its derivatives and its power series of any order without calling the function again.
 * Internal.
 *
 * A tape is code over slots. Slots 0 .. inputs - 1 are the inputs. Each operation fills one slot; some fill a
 * second one that their series need. A comparison in the function is a branch of the code, and every path
 * ends with its own outputs. For a power series the constant terms select the path. A function with branches
 * is therefore exact on each side of a branch, but smooth only between branches. */
#ifndef HN_TAPE_H
#define HN_TAPE_H

#include "joints.h"

enum {
  HN_TAPE_SLOTS = 4096, /* maximum size of a tape; callers of hn_tape_run have the slots on their stack */
  HN_TAPE_PATHS = 256,  /* maximum number of paths */
  HN_TAPE_DEPTH = 64,   /* maximum number of comparisons on a path */
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
  HN_TAPE_SINE, /* sin a; second slot: cos a */
  HN_TAPE_TAN,  /* second slot: 1 + tan^2 a */
  HN_TAPE_ASIN,
  HN_TAPE_ACOS,  /* second slot: sqrt(1 - a^2); also of HN_TAPE_ASIN */
  HN_TAPE_ATAN2, /* angle of a over b; second slot: a^2 + b^2 */
  HN_TAPE_EXP,
  HN_TAPE_LOG,
  HN_TAPE_LOG2,
  HN_TAPE_LOG10,
  HN_TAPE_POWER, /* a^c */
  HN_TAPE_RAISE, /* a^b without a series; for positive a, exp(b log a) is recorded instead */
  HN_TAPE_ABS,
  HN_TAPE_MIN,
  HN_TAPE_MAX,
  HN_TAPE_FLOOR,
  HN_TAPE_CEIL, /* constant between two jumps, like HN_TAPE_FLOOR */
  HN_TAPE_MOD,
  HN_TAPE_FMOD, /* a modulo b: HN_TAPE_MOD with the sign of b, as in Lua; HN_TAPE_FMOD with the sign of a */
  HN_TAPE_SIGN, /* -1, 0, 1 */
  HN_TAPE_STEP, /* 1 where a < b, else 0 */
  /* Branches: continue if the comparison holds, else jump to operation `out`. There is no branch for a == b,
   * because equality at a single value says nothing about the derivatives there. */
  HN_TAPE_LESS,
  HN_TAPE_LESS_EQUAL,
  HN_TAPE_END /* end of a path with the outputs of leaf `out` */
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

void hn_tape_free(hn_tape *tape);         /* NULL is allowed */
size_t hn_tape_size(const hn_tape *tape); /* bytes */
int hn_tape_results(hn_tape_kind kind);   /* number of slots that an operation fills: 1 or 2 */

/* ---- Evaluation ---------------------------------------------------------------------------------------- */

/* Computes out[outputs] from the inputs in slot[0 .. inputs - 1]; SLOT is scratch of tape->slots numbers. */
void hn_tape_run(const hn_tape *tape, double *slot, double *out);
/* Computes coefficient K of the power series of every slot and of out[outputs]. Coefficient i of slot s is at
 * slot[s * stride + i]. Coefficients 0 .. K of the inputs are given; the lower ones of all slots are left
 * from previous calls. */
void hn_tape_series(const hn_tape *tape, size_t k, size_t stride, double *slot, double *out);
/* True if an output or a branch can depend on one of COUNT inputs from INPUT on. */
bool hn_tape_depends(const hn_tape *tape, int input, int count);

/* True if output OUTPUT is the constant zero on all paths. */
bool hn_tape_is_zero(const hn_tape *tape, int output);

/* ---- Writing ------------------------------------------------------------------------------------------- */

/* A tape being recorded. The function is followed from its start once per path. Operations shared by two
 * paths are recorded once and must be the same each time. */
typedef struct hn_tape_writer {
  hn_tape *tape;
  const char *problem;         /* reason for a failure; NULL: none so far */
  int at;                      /* index of the current operation in the code */
  bool fresh;                  /* the path continues with new operations */
  int path[2 * HN_TAPE_SLOTS]; /* operations of this path */
  int length;
  bool choice[HN_TAPE_DEPTH]; /* directions taken at its branches */
  int depth, choices;         /* number of branches so far; number of preset choices */
  bool simplifies;            /* omits products with 0 and 1 and sums with 0 */
} hn_tape_writer;

/* Creates a writer of a new tape; NULL if out of memory. OUTPUTS = 0: the number of outputs of the first
 * path, at most HN_MAX_ROWS. */
hn_tape_writer *hn_tape_write(int inputs, int outputs);
void hn_tape_start_path(hn_tape_writer *writer);
int hn_tape_constant(hn_tape_writer *writer, double c);
/* Records an operation and returns its first slot; an operation that is already on the path is not recorded
 * again. */
int hn_tape_emit(hn_tape_writer *writer, hn_tape_kind kind, int a, int b, double c);
/* Records a comparison and returns its result on this path. */
bool hn_tape_branch(hn_tape_writer *writer, hn_tape_kind kind, int a, int b);
/* Ends the path with COUNT output slots. */
void hn_tape_end_path(hn_tape_writer *writer, const int *outputs, int count);
/* Selects a path that has not been followed yet; false if there is none. */
bool hn_tape_next_path(hn_tape_writer *writer);
/* Frees the writer and returns the tape, or NULL if there was a problem. */
hn_tape *hn_tape_finish(hn_tape_writer *writer);

/* ---- Derivatives --------------------------------------------------------------------------------------- */

/* Computes the outputs of a derived tape into out[]. VALUE are the slots of the outputs of the tape; SLOPE[o
 * * inputs + i] is the slot of the derivative of output o by input i. Further operations are recorded with
 * WRITER. */
typedef void hn_tape_compose(hn_tape_writer *writer, const void *context, int outputs, int inputs,
                             const int *value, const int *slope, int *out);
/* Creates a tape with the same inputs and OUTPUTS outputs, which COMPOSE computes on every path of TAPE.
 * Returns NULL and an error if out of memory or if the tape becomes too long. */
hn_tape *hn_tape_derive(const hn_tape *tape, int outputs, hn_tape_compose *compose, const void *context,
                        hn_error *error);

#endif
