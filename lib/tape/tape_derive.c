/* tape_derive.c - derivatives of tapes, as tapes: reverse-mode chain rule, recorded at the end of each path
 *
 *   adjoint of a slot = sum over the operations that use it of (their adjoint) (their partial derivative)
 *
 * A gradient therefore has values and power series like the function itself. */
#include "tape/tape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct derivation {
  const hn_tape *from;
  hn_tape_writer *to;
  hn_tape_compose *compose;
  const void *context;
  int way[2 * HN_TAPE_SLOTS]; /* operations of `from` on this path */
  int length;
  int *slot;    /* [from->slots] slots in `to` */
  int *adjoint; /* [from->slots] slots of the adjoints in `to`, -1: zero */
  int *slope;   /* [outputs * inputs] slots of the derivatives */
  bool *moves;  /* [from->slots] true if the slot depends on an input */
} derivation;

static int emit(const derivation *d, hn_tape_kind kind, int a, int b)
{
  return hn_tape_emit(d->to, kind, a, b, 0.0);
}

static int number(const derivation *d, double c)
{
  return hn_tape_constant(d->to, c);
}

/* Adds PART times PARTIAL to the adjoint of slot S of `from`. */
static void gain(const derivation *d, int s, int part, int partial)
{
  if (!d->moves[s]) return;
  int more = emit(d, HN_TAPE_MUL, part, partial);
  d->adjoint[s] = d->adjoint[s] < 0 ? more : emit(d, HN_TAPE_ADD, d->adjoint[s], more);
}

static void lose(const derivation *d, int s, int part, int partial)
{
  gain(d, s, emit(d, HN_TAPE_NEG, part, part), partial);
}

/* Returns 1 / ln b: the derivative of log_b a is 1 / (a ln b). */
static double per_logarithm(hn_tape_kind kind)
{
  return kind == HN_TAPE_LOG ? 1.0 : kind == HN_TAPE_LOG2 ? 1.4426950408889634 : 0.43429448190325182;
}

/* Returns the slot of c a^(c - 1). */
static int power_slope(const derivation *d, int a, double c)
{
  int power = c == 2.0 ? a : hn_tape_emit(d->to, HN_TAPE_POWER, a, a, c - 1.0);
  return emit(d, HN_TAPE_MUL, number(d, c), power);
}

/* Propagates the adjoint P of operation OP to its arguments. */
static void pull(const derivation *d, const hn_tape_op *op, int p)
{
  const int a = d->slot[op->a], b = d->slot[op->b], z = d->slot[op->out];
  int part;
  switch (op->kind) {
  case HN_TAPE_ADD: gain(d, op->a, p, number(d, 1)), gain(d, op->b, p, number(d, 1)); break;
  case HN_TAPE_SUB: gain(d, op->a, p, number(d, 1)), lose(d, op->b, p, number(d, 1)); break;
  case HN_TAPE_MUL: gain(d, op->a, p, b), gain(d, op->b, p, a); break;
  case HN_TAPE_DIV:
    part = emit(d, HN_TAPE_DIV, p, b);
    gain(d, op->a, part, number(d, 1)), lose(d, op->b, part, z);
    break;
  case HN_TAPE_NEG: lose(d, op->a, p, number(d, 1)); break;
  case HN_TAPE_SQRT: gain(d, op->a, emit(d, HN_TAPE_DIV, p, z), number(d, 0.5)); break;
  case HN_TAPE_SINE: gain(d, op->a, p, z + 1); break;
  case HN_TAPE_TAN: gain(d, op->a, p, z + 1); break;
  case HN_TAPE_ASIN: gain(d, op->a, emit(d, HN_TAPE_DIV, p, z + 1), number(d, 1)); break;
  case HN_TAPE_ACOS: lose(d, op->a, emit(d, HN_TAPE_DIV, p, z + 1), number(d, 1)); break;
  case HN_TAPE_ATAN2:
    part = emit(d, HN_TAPE_DIV, p, z + 1);
    gain(d, op->a, part, b), lose(d, op->b, part, a);
    break;
  case HN_TAPE_EXP: gain(d, op->a, p, z); break;
  case HN_TAPE_LOG:
  case HN_TAPE_LOG2:
  case HN_TAPE_LOG10: gain(d, op->a, emit(d, HN_TAPE_DIV, p, a), number(d, per_logarithm(op->kind))); break;
  case HN_TAPE_POWER: gain(d, op->a, p, power_slope(d, a, op->c)); break;
  case HN_TAPE_RAISE: gain(d, op->a, p, number(d, NAN)), gain(d, op->b, p, number(d, NAN)); break;
  case HN_TAPE_ABS: gain(d, op->a, p, emit(d, HN_TAPE_SIGN, a, a)); break;
  case HN_TAPE_MIN:
  case HN_TAPE_MAX: /* partial derivative 1 for the selected argument */
    part = op->kind == HN_TAPE_MIN ? emit(d, HN_TAPE_STEP, b, a) : emit(d, HN_TAPE_STEP, a, b);
    gain(d, op->a, p, emit(d, HN_TAPE_SUB, number(d, 1), part)), gain(d, op->b, p, part);
    break;
  case HN_TAPE_MOD:
  case HN_TAPE_FMOD: /* a - q b with q constant between two jumps: q = (a - z) / b */
    gain(d, op->a, p, number(d, 1));
    lose(d, op->b, p, emit(d, HN_TAPE_DIV, emit(d, HN_TAPE_SUB, a, z), b));
    break;
  default: break; /* constants and step functions */
  }
}

/* Computes the derivatives of output O: adjoints from the end of the path back to the inputs. */
static void differentiate(const derivation *d, int output, int o)
{
  const hn_tape *from = d->from;
  for (int s = 0; s < from->slots; s++) d->adjoint[s] = -1;
  d->adjoint[output] = number(d, 1.0);
  for (int i = d->length; i-- > 0;) {
    const hn_tape_op *op = &from->code[d->way[i]];
    if (op->kind == HN_TAPE_SINE && d->adjoint[op->out + 1] >= 0) /* the cosine in its second slot */
      lose(d, op->a, d->adjoint[op->out + 1], d->slot[op->out]);
    if (d->adjoint[op->out] >= 0) pull(d, op, d->adjoint[op->out]);
  }
  for (int i = 0; i < from->inputs; i++)
    d->slope[o * from->inputs + i] = d->adjoint[i] >= 0 ? d->adjoint[i] : number(d, 0.0);
}

static void end(const derivation *d, const hn_tape_op *op)
{
  const int *leaf = d->from->leaf + op->out * d->from->outputs;
  int value[HN_TAPE_OUTPUTS], out[HN_TAPE_OUTPUTS];
  for (int o = 0; o < d->from->outputs; o++) value[o] = d->slot[leaf[o]], differentiate(d, leaf[o], o);
  d->compose(d->to, d->context, d->from->outputs, d->from->inputs, value, d->slope, out);
  hn_tape_end_path(d->to, out, d->to->tape->outputs);
}

/* Follows `from` on the path that the writer takes. */
static void follow(derivation *d)
{
  const hn_tape_op *op = d->from->code;
  d->length = 0;
  hn_tape_start_path(d->to);
  for (int i = 0; i < d->from->inputs; i++) d->slot[i] = i, d->moves[i] = true;
  for (; op->kind != HN_TAPE_END; op++) {
    if (op->kind == HN_TAPE_LESS || op->kind == HN_TAPE_LESS_EQUAL) {
      if (!hn_tape_branch(d->to, op->kind, d->slot[op->a], d->slot[op->b])) op = d->from->code + op->out - 1;
      continue;
    }
    bool none = op->kind == HN_TAPE_CONSTANT;
    int z = hn_tape_emit(d->to, op->kind, none ? 0 : d->slot[op->a], none ? 0 : d->slot[op->b], op->c);
    for (int i = 0; i < hn_tape_results(op->kind); i++) {
      d->slot[op->out + i] = z + i;
      d->moves[op->out + i] = !none && (d->moves[op->a] || d->moves[op->b]);
    }
    d->way[d->length++] = (int)(op - d->from->code);
  }
  end(d, op);
}

hn_tape *hn_tape_derive(const hn_tape *tape, int outputs, hn_tape_compose *compose, const void *context,
                        hn_error *error)
{
  derivation *d = calloc(1, sizeof *d);
  int *room = calloc(2 * (size_t)tape->slots + (size_t)tape->outputs * (size_t)tape->inputs + 1,
                     sizeof *room);
  bool *moves = calloc((size_t)tape->slots + 1, sizeof *moves);
  hn_tape_writer *to = hn_tape_write(tape->inputs, outputs);
  if (!d || !room || !moves || !to) {
    hn_fail(error, "out of memory");
    if (to) hn_tape_free(hn_tape_finish(to));
    free(d), free(room), free(moves);
    return NULL;
  }
  *d = (derivation){ .from = tape,
                     .to = to,
                     .compose = compose,
                     .context = context,
                     .slot = room,
                     .adjoint = room + tape->slots,
                     .slope = room + 2 * tape->slots,
                     .moves = moves };
  to->simplifies = true;
  do follow(d);
  while (hn_tape_next_path(to));
  if (to->problem) hn_fail(error, "its derivative: %s", to->problem);
  free(d), free(room), free(moves);
  return hn_tape_finish(to);
}
