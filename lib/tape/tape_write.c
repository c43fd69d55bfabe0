/* tape_write.c - recording of tapes: each operation once per path; branches, whose other sides follow */
#include "tape/tape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void hn_tape_free(hn_tape *tape)
{
  if (!tape) return;
  free(tape->code);
  free(tape->leaf);
  free(tape);
}

size_t hn_tape_size(const hn_tape *tape)
{
  return sizeof *tape + (size_t)tape->count * sizeof *tape->code +
         (size_t)(tape->leaves * tape->outputs) * sizeof *tape->leaf;
}

enum { MAX_CODE = 2 * HN_TAPE_SLOTS }; /* operations that fill slots, and branches and ends */

hn_tape_writer *hn_tape_write(int inputs, int outputs)
{
  hn_tape_writer *w = calloc(1, sizeof *w);
  hn_tape *tape = calloc(1, sizeof *tape);
  if (tape) {
    *tape = (hn_tape){ .inputs = inputs, .outputs = outputs, .slots = inputs };
    tape->code = calloc(MAX_CODE, sizeof *tape->code);
    tape->leaf = calloc((size_t)HN_TAPE_PATHS * (size_t)(outputs ? outputs : HN_MAX_ROWS),
                        sizeof *tape->leaf);
  }
  if (w && tape && tape->code && tape->leaf) {
    w->tape = tape;
    w->fresh = true;
    return w;
  }
  free(w);
  hn_tape_free(tape);
  return NULL;
}

static int fail(hn_tape_writer *w, const char *problem)
{
  if (!w->problem) w->problem = problem;
  return 0;
}

static const char *const too_long = "it is too long: more than 4000 operations";
static const char *const differs =
  "called twice it does not do the same: it must depend on its arguments alone, and draw no random numbers";

/* ---- Paths --------------------------------------------------------------------------------------------- */

void hn_tape_start_path(hn_tape_writer *w)
{
  w->at = w->length = w->depth = 0;
  w->fresh = w->tape->count == 0;
}

/* Puts OP at the current position of the path: appends it, or compares it with the operation recorded
 * there. */
static bool put(hn_tape_writer *w, const hn_tape_op *op)
{
  hn_tape *t = w->tape;
  if (w->problem) return false;
  if (w->length >= (int)(sizeof w->path / sizeof *w->path)) return fail(w, too_long);
  if (w->fresh) {
    if (t->count >= MAX_CODE) return fail(w, too_long);
    w->at = t->count;
    t->code[t->count++] = *op;
  } else {
    const hn_tape_op *was = &t->code[w->at];
    if (was->kind != op->kind || was->a != op->a || was->b != op->b ||
        memcmp(&was->c, &op->c, sizeof op->c) != 0)
      return fail(w, differs);
  }
  w->path[w->length++] = w->at++;
  return true;
}

int hn_tape_results(hn_tape_kind kind)
{
  switch (kind) {
  case HN_TAPE_SINE:
  case HN_TAPE_TAN:
  case HN_TAPE_ASIN:
  case HN_TAPE_ACOS:
  case HN_TAPE_ATAN2: return 2;
  default: return 1;
  }
}

/* Returns the index of the same operation on this path, -1 if there is none. */
static int find(const hn_tape_writer *w, hn_tape_kind kind, int a, int b, double c)
{
  for (int i = w->length; i-- > 0;) {
    const hn_tape_op *op = &w->tape->code[w->path[i]];
    if (op->kind == kind && op->a == a && op->b == b && memcmp(&op->c, &c, sizeof c) == 0) return w->path[i];
  }
  return -1;
}

static bool is_constant(const hn_tape_writer *w, int slot, double *c)
{
  for (int i = w->length; i-- > 0;) {
    const hn_tape_op *op = &w->tape->code[w->path[i]];
    if (op->kind == HN_TAPE_CONSTANT && op->out == slot) {
      *c = op->c;
      return true;
    }
  }
  return false;
}

/* Returns a slot that equals a product, quotient, sum or difference with 0 or 1, or of constants; -1 if there
 * is none. */
static int simpler(hn_tape_writer *w, hn_tape_kind kind, int a, int b)
{
  double x = NAN, y = NAN;
  if (kind == HN_TAPE_CONSTANT) return -1;
  bool first = is_constant(w, a, &x), second = is_constant(w, b, &y);
  if (kind == HN_TAPE_NEG && first) return hn_tape_constant(w, 0.0 - x);
  if (kind == HN_TAPE_MUL && first && second) return hn_tape_constant(w, x * y);
  if (kind == HN_TAPE_MUL && (x == 0 || y == 0)) return hn_tape_constant(w, 0.0);
  if (kind == HN_TAPE_MUL && x == 1) return b;
  if ((kind == HN_TAPE_MUL || kind == HN_TAPE_DIV) && y == 1) return a;
  if (kind == HN_TAPE_ADD && x == 0) return b;
  if ((kind == HN_TAPE_ADD || kind == HN_TAPE_SUB) && y == 0) return a;
  if (kind == HN_TAPE_SUB && x == 0) return hn_tape_emit(w, HN_TAPE_NEG, b, b, 0.0);
  return -1;
}

int hn_tape_emit(hn_tape_writer *w, hn_tape_kind kind, int a, int b, double c)
{
  hn_tape *t = w->tape;
  if (w->problem) return 0;
  int known = w->simplifies ? simpler(w, kind, a, b) : -1;
  if (known >= 0) return known;
  known = find(w, kind, a, b, c);
  if (known >= 0) return t->code[known].out;
  if (w->fresh && t->slots + hn_tape_results(kind) > HN_TAPE_SLOTS) return fail(w, too_long);
  const hn_tape_op op = { kind, a, b, t->slots, c };
  if (!put(w, &op)) return 0;
  if (w->fresh) t->slots += hn_tape_results(kind);
  return t->code[w->at - 1].out;
}

int hn_tape_constant(hn_tape_writer *w, double c)
{
  return hn_tape_emit(w, HN_TAPE_CONSTANT, 0, 0, c);
}

/* ---- Branches ------------------------------------------------------------------------------------------ */

/* True if this path has made the same comparison before; stores its result in *TAKEN. */
static bool compared(const hn_tape_writer *w, hn_tape_kind kind, int a, int b, bool *taken)
{
  int seen = 0;
  for (int i = 0; i < w->length; i++) {
    const hn_tape_op *op = &w->tape->code[w->path[i]];
    if (op->kind != HN_TAPE_LESS && op->kind != HN_TAPE_LESS_EQUAL) continue;
    *taken = w->choice[seen++];
    if (op->kind == kind && op->a == a && op->b == b) return true;
  }
  return false;
}

bool hn_tape_branch(hn_tape_writer *w, hn_tape_kind kind, int a, int b)
{
  bool taken = true;
  if (w->problem || compared(w, kind, a, b, &taken)) return taken;
  if (w->depth >= HN_TAPE_DEPTH) return fail(w, "more than 64 comparisons, one after the other");
  const hn_tape_op op = { kind, a, b, -1, 0.0 };
  if (!put(w, &op)) return true;
  if (w->depth >= w->choices) w->choice[w->choices++] = true;
  taken = w->choice[w->depth++];
  if (taken) return true;
  hn_tape_op *branch = &w->tape->code[w->at - 1];
  if (branch->out < 0) branch->out = w->tape->count, w->fresh = true;
  w->at = branch->out;
  return false;
}

void hn_tape_end_path(hn_tape_writer *w, const int *outputs, int count)
{
  hn_tape *t = w->tape;
  const bool fresh = w->fresh;
  if (t->outputs == 0) t->outputs = count;
  if (count != t->outputs) fail(w, "it does not give the same number of values everywhere");
  if (!w->problem && fresh && t->leaves == HN_TAPE_PATHS)
    fail(w, "more than 256 ways through it: too many comparisons");
  const hn_tape_op op = { HN_TAPE_END, 0, 0, t->leaves, 0.0 };
  if (!put(w, &op)) return;
  int *leaf = t->leaf + t->code[w->at - 1].out * t->outputs;
  for (int i = 0; i < t->outputs; i++) {
    if (fresh) leaf[i] = outputs[i];
    else if (leaf[i] != outputs[i]) fail(w, differs);
  }
  if (fresh) t->leaves++;
}

bool hn_tape_next_path(hn_tape_writer *w)
{
  int last = w->choices;
  while (last > 0 && !w->choice[last - 1]) last--;
  if (last == 0 || w->problem) return false;
  w->choice[last - 1] = false;
  w->choices = last;
  return true;
}

/* Returns the block reduced to COUNT elements. */
static void *shrunk(void *block, int count, size_t size)
{
  void *moved = realloc(block, (size_t)count * size);
  return moved ? moved : block;
}

hn_tape *hn_tape_finish(hn_tape_writer *w)
{
  hn_tape *tape = w->tape;
  const bool bad = w->problem || tape->leaves == 0;
  free(w);
  if (bad) {
    hn_tape_free(tape);
    return NULL;
  }
  tape->code = shrunk(tape->code, tape->count, sizeof *tape->code);
  tape->leaf = shrunk(tape->leaf, tape->leaves * tape->outputs, sizeof *tape->leaf);
  return tape;
}

/* One pass suffices: on every path, the operations before one in the code have set its arguments. */
bool hn_tape_depends(const hn_tape *tape, int input, int count)
{
  bool does[HN_TAPE_SLOTS + 1] = { false };
  for (int i = 0; i < count; i++) does[input + i] = true;
  for (const hn_tape_op *op = tape->code; op < tape->code + tape->count; op++) {
    const bool some = op->kind != HN_TAPE_CONSTANT && (does[op->a] || does[op->b]);
    if (op->kind == HN_TAPE_LESS || op->kind == HN_TAPE_LESS_EQUAL) {
      if (some) return true;
    } else if (op->kind == HN_TAPE_END) {
      for (int i = 0; i < tape->outputs; i++)
        if (does[tape->leaf[op->out * tape->outputs + i]]) return true;
    } else {
      for (int i = 0; i < hn_tape_results(op->kind); i++) does[op->out + i] = some;
    }
  }
  return false;
}

bool hn_tape_is_zero(const hn_tape *tape, int output)
{
  bool zero[HN_TAPE_SLOTS + 1] = { false };
  for (const hn_tape_op *op = tape->code; op < tape->code + tape->count; op++)
    if (op->kind == HN_TAPE_CONSTANT) zero[op->out] = op->c == 0;
  for (int i = 0; i < tape->leaves; i++)
    if (!zero[tape->leaf[i * tape->outputs + output]]) return false;
  return true;
}
