/* contact_impulses.c - the impulses of all contacts in a step (contact_impulses.h).
 *
 * Impulses of one contact are summed: P and its moments about the centres of mass of both bodies, at the
 * times at which they act. The sums are the change of momentum by this contact, to rounding:
 *
 *   m (v+ - v-) = sum of P + ...,   L+ - L- = sum of moments + ...
 *
 * The normal and the point of action are means, weighted by the impulses. */
#include "event/contact_impulses.h"
#include "base/vec.h"
#include "system/contact_blocks.h"

#include <stdlib.h>
#include <string.h>

struct hn_contact_impulses {
  hn_contact_impulse *of; /* [count] */
  int count, room;
  int mark;   /* impulses before it stay as they are */
  bool noted; /* the solver has noted the impulses of this step, */
  bool full;  /* and not all, as memory ran out */
};

int hn_solver_keep_impulses(hn_solver *solver, hn_error *error)
{
  if (!solver->impulses) solver->impulses = calloc(1, sizeof *solver->impulses);
  return solver->impulses ? 0 : hn_fail(error, "out of memory");
}

void hn_impulses_free(struct hn_contact_impulses *list)
{
  if (!list) return;
  free(list->of);
  free(list);
}

const hn_contact_impulse *hn_solver_impulses(const hn_solver *solver, int *count)
{
  static const hn_contact_impulse none;
  *count = solver->impulses ? solver->impulses->count : 0;
  return !solver->impulses ? NULL : *count > 0 ? solver->impulses->of : &none;
}

void hn_impulses_begin(hn_solver *solver)
{
  struct hn_contact_impulses *list = solver->impulses;
  if (list) list->count = list->mark = 0, list->noted = list->full = false;
}

int hn_impulses_mark(hn_solver *solver)
{
  struct hn_contact_impulses *list = solver->impulses;
  return list ? list->mark = list->count : 0;
}

void hn_impulses_take_back(hn_solver *solver, int mark)
{
  if (solver->impulses) solver->impulses->count = solver->impulses->mark = mark;
}

/* ---- Sums ---------------------------------------------------------------------------------------------- */

/* Computes the impulse P of ONE on body b. */
static void whole_impulse(const hn_contact_impulse *one, double p[3])
{
  vec_scale(p, one->push, one->normal);
  vec_add(p, p, one->friction);
}

/* Sets the normal part and the friction of ONE from its impulse P. */
static void split_impulse(hn_contact_impulse *one, const double p[3])
{
  one->push = vec_dot(p, one->normal);
  vec_copy(one->friction, p);
  vec_add_scaled(one->friction, -one->push, one->normal);
}

/* Sets SUM to the mean of itself and OTHER, with these weights. */
static void average(double sum[3], double weight, const double other[3], double other_weight)
{
  const double all = weight + other_weight;
  for (int c = 0; c < 3; c++) sum[c] = (weight * sum[c] + other_weight * other[c]) / all;
}

/* Adds the impulse of OTHER to SUM, of the same contact. */
static void add_impulse(hn_contact_impulse *sum, const hn_contact_impulse *other)
{
  if (!(other->weight > 0.0)) return;
  if (!(sum->weight > 0.0)) {
    *sum = *other;
    return;
  }
  const bool turned = memcmp(sum->normal, other->normal, sizeof sum->normal) != 0;
  double p[3], more[3];
  whole_impulse(sum, p), whole_impulse(other, more);
  vec_add(p, p, more);
  if (turned && sum->push > 0.0 && other->push > 0.0) {
    average(sum->normal, sum->push, other->normal, other->push);
    vec_scale(sum->normal, 1.0 / vec_norm(sum->normal), sum->normal);
  }
  if (turned) split_impulse(sum, p);
  else sum->push += other->push, vec_add(sum->friction, sum->friction, other->friction);
  vec_add(sum->moment_a, sum->moment_a, other->moment_a);
  vec_add(sum->moment_b, sum->moment_b, other->moment_b);
  average(sum->point, sum->weight, other->point, other->weight);
  average(sum->arm_a, sum->weight, other->arm_a, other->weight);
  average(sum->arm_b, sum->weight, other->arm_b, other->weight);
  sum->weight += other->weight, sum->parts += other->parts;
}

/* Doubles the room; -1 if out of memory. */
static int grow(struct hn_contact_impulses *list)
{
  const int room = list->room > 0 ? 2 * list->room : 16;
  hn_contact_impulse *grown = realloc(list->of, sizeof *grown * (size_t)room);
  if (grown) list->of = grown, list->room = room;
  else list->full = true;
  return grown ? 0 : -1;
}

/* Adds ONE to the impulses of its contact since the mark. PLACE: where it is likely to be found. */
static void enter(struct hn_contact_impulses *list, const hn_contact_impulse *one, int place)
{
  const int likely = list->mark + place;
  int at = likely < list->count && list->of[likely].key == one->key ? likely : list->mark;
  while (at < list->count && list->of[at].key != one->key) at++;
  if (at < list->count) {
    add_impulse(&list->of[at], one);
    return;
  }
  if (list->count == list->room && grow(list)) return;
  list->of[list->count] = *one, list->of[list->count].order = list->count;
  list->count++;
}

/* ---- Impulses of a contact ----------------------------------------------------------------------------- */

/* Computes the position X, in world axes, of the point ARM of a body at POSE. */
static void place_point(double x[3], const hn_pose *pose, const double arm[3])
{
  quat_rotate(x, pose->q, arm);
  vec_add(x, x, pose->x);
}

/* Returns contact C at STATE, without an impulse: gap, normal, point of action on the surface of b. The point
 * is moved with its body, b or a if b is fixed, to the poses BEFORE the step. */
static hn_contact_impulse describe(const hn_model *model, const hn_contact *c, const hn_state *state,
                                   const hn_state *before)
{
  hn_contact_impulse one = { .key = c->key, .a = c->a, .b = c->b };
  const int body = model->body[c->b].kind != HN_FIXED ? c->b : c->a;
  double x_a[3], x_b[3], span[3], moved[3];
  quat_rotate(one.normal, state->pose[c->a].q, c->frame);
  place_point(x_a, &state->pose[c->a], c->point_a);
  place_point(x_b, &state->pose[c->b], c->point_b);
  vec_sub(span, x_b, x_a);
  one.gap = vec_dot(one.normal, span) - c->skin_a - c->skin_b;
  vec_add_scaled(x_b, -c->skin_b, one.normal);
  vec_sub(one.arm_a, x_b, state->pose[c->a].x);
  vec_sub(one.arm_b, x_b, state->pose[c->b].x);
  vec_sub(moved, before->pose[body].x, state->pose[body].x);
  vec_add(one.point, x_b, moved);
  return one;
}

/* Computes the moments of the impulse P of ONE. */
static void set_moments(hn_contact_impulse *one, const double p[3])
{
  vec_cross(one->moment_b, one->arm_b, p);
  vec_cross(one->moment_a, p, one->arm_a);
}

/* Sets the impulse of ONE, of contact C at STATE, to P[n] along its axes, with moments. */
static void set_impulse(hn_contact_impulse *one, const hn_contact *c, const hn_state *state, int n,
                        const double *p)
{
  double whole[3], axis[3];
  one->push = p[0];
  for (int r = 1; r < n; r++) {
    quat_rotate(axis, state->pose[c->a].q, c->frame + 3 * r);
    vec_add_scaled(one->friction, p[r], axis);
  }
  whole_impulse(one, whole);
  set_moments(one, whole);
  one->weight = vec_norm(whole), one->parts = one->weight > 0.0;
}

/* Adds the moments of rolling and torsional friction of contact C at STATE to ONE. */
static void add_friction_moments(hn_contact_impulse *one, const hn_contact *c, const hn_state *state)
{
  if (!(c->rolling > 0.0 || c->torsion > 0.0)) return;
  for (int k = 0; k < 3; k++) {
    double axis[3];
    quat_rotate(axis, state->pose[c->a].q, c->frame + 3 * k);
    vec_add_scaled(one->moment_b, c->moment[k], axis), vec_add_scaled(one->moment_a, -c->moment[k], axis);
  }
}

void hn_impulses_note_block(hn_solver *solver, int k, const hn_state *state, const double *p)
{
  struct hn_contact_impulses *list = solver->impulses;
  const hn_system *s = solver->system;
  const hn_block *block = &s->block[k];
  if (!list) return;
  list->noted = true;
  if (k < s->model->njoint || !(norm_of(p, block->n) > 0.0)) return;
  const hn_contact contact = hn_contact_of(block);
  double along[3];
  hn_contact_impulse one = describe(s->model, &contact, state, solver->backup);
  hn_contact_components(&contact, block->n, p, along);
  set_impulse(&one, &contact, state, block->n < 3 ? block->n : 3, along);
  enter(list, &one, k - s->model->njoint);
}

void hn_impulses_note(hn_solver *solver, const hn_state *state, const double *p)
{
  const hn_system *s = solver->system;
  if (!solver->impulses) return;
  solver->impulses->noted = true;
  for (int k = s->model->njoint; k < s->nblock; k++)
    hn_impulses_note_block(solver, k, state, p + s->block[k].row);
}

void hn_impulses_note_wrench(hn_solver *solver, const hn_contact *contact, const hn_state *state,
                             const double force[3], const double moment_a[3], const double moment_b[3])
{
  if (!solver->impulses) return;
  solver->impulses->noted = true;
  const hn_model *model = solver->system->model;
  hn_contact_impulse one = describe(model, contact, state, solver->backup);
  split_impulse(&one, force);
  set_moments(&one, force);
  if (model->body[one.a].kind != HN_FIXED) vec_copy(one.moment_a, moment_a);
  if (model->body[one.b].kind != HN_FIXED) vec_copy(one.moment_b, moment_b);
  one.weight = vec_norm(force), one.parts = 2; /* its point follows from its moments */
  enter(solver->impulses, &one, 0);
}

/* ---- The end of a step --------------------------------------------------------------------------------- */

/* Enters the contacts of STATE, at START: with their impulses, unless the solver has noted them; else
 * without. */
static void enter_contacts(hn_solver *solver, const hn_state *start, const hn_state *state)
{
  struct hn_contact_impulses *list = solver->impulses;
  const hn_model *model = solver->system->model;
  list->mark = list->count;
  for (int i = 0; i < state->ncontact; i++) {
    const hn_contact *contact = &state->contact[i];
    hn_contact_impulse one = describe(model, contact, start, solver->backup);
    if (!list->noted) set_impulse(&one, contact, start, 3, contact->impulse);
    if (!list->noted) add_friction_moments(&one, contact, start);
    enter(list, &one, i);
  }
}

void hn_impulses_begin_part(hn_solver *solver)
{
  if (solver->impulses) solver->impulses->noted = false;
}

void hn_impulses_end_part(hn_solver *solver, const hn_state *start, const hn_state *state)
{
  struct hn_contact_impulses *list = solver->impulses;
  if (!list) return;
  if (!list->noted) enter_contacts(solver, start, state);
  list->noted = true; /* for the end of the step */
}

static int by_key(const void *one, const void *other)
{
  const hn_contact_impulse *a = one, *b = other;
  if (a->key != b->key) return a->key < b->key ? -1 : 1;
  return a->order < b->order ? -1 : 1;
}

/* Moves ARM, from a centre of mass, across the impulse P, so that its moment is MOMENT, less any part along
 * P. The vector MOVED, which may be NULL, moves by as much. */
static void fit_arm(double arm[3], const double p[3], const double moment[3], double *moved)
{
  double off[3], across[3];
  const double size = vec_dot(p, p);
  if (!(size > 0.0)) return;
  vec_cross(off, arm, p);
  vec_sub(off, moment, off);
  vec_cross(across, p, off);
  vec_add_scaled(arm, 1.0 / size, across);
  if (moved) vec_add_scaled(moved, 1.0 / size, across);
}

/* Fits the points of action of sums to their moments. */
static void fit_points(const hn_model *model, hn_contact_impulse *one)
{
  double p[3], opposite[3];
  if (one->parts < 2) return;
  const bool by_a = model->body[one->b].kind == HN_FIXED;
  whole_impulse(one, p);
  vec_scale(opposite, -1.0, p);
  fit_arm(one->arm_b, p, one->moment_b, by_a ? NULL : one->point);
  fit_arm(one->arm_a, opposite, one->moment_a, by_a ? one->point : NULL);
}

hn_reason hn_impulses_end(hn_solver *solver, const hn_state *state)
{
  struct hn_contact_impulses *list = solver->impulses;
  if (!list) return HN_CONVERGED;
  enter_contacts(solver, solver->backup, state);
  if (list->count > 1) qsort(list->of, (size_t)list->count, sizeof *list->of, by_key);
  int count = 0;
  for (int i = 0; i < list->count; i++)
    if (count > 0 && list->of[count - 1].key == list->of[i].key)
      add_impulse(&list->of[count - 1], &list->of[i]);
    else list->of[count++] = list->of[i];
  list->count = count;
  for (int i = 0; i < count; i++) fit_points(solver->system->model, &list->of[i]);
  if (list->full) return hn_step_failed(solver, HN_NO_MEMORY, "record of contacts", -1, 0.0);
  return HN_CONVERGED;
}
