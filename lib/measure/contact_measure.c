/* contact_measure.c - measures of contact: violation of the law, balance of impulses, overlap of shapes
 *
 *   law      r = k (p - P_C(p - w / k)) for every contact of the step (contact.h): p its impulse, w its
 *            velocities at the end of the step along the axes at its start, minus the target of an impact,
 *            plus De Saxce's shift
 *   balance  m |(v, w)+ - (v, w)- - h a - W G' p| of a body, in the norm of its kinetic energy, N s: a the
 *            acceleration without constraints at the start, p all impulses
 *   overlap  of the shapes at the end, detected anew
 *
 * A gap g > 0 that does not bounce may close during the step. Solvers close it with velocities u- and u+ in
 * different ways. Its normal velocity in the law is one of these, the same for all gaps, that gives the least
 * residual:
 *
 *   g / h + G u+                          motion with the last velocity
 *   max(2 g / h + G u-, 0) + G u+         motion with the mean velocity
 *   gap at the end / h
 *
 * The first two are linear in the motion, like a contact problem. If bodies rotate, a gap that they close
 * remains open by an amount of order h^2. In the balance, a solver may use gyroscopic torques at the start or
 * a free rotation: the smaller result counts, the same choice for all bodies of a step. */
#include "measure/contact_measure.h"
#include "base/array.h"
#include "base/vec.h"
#include "contact.h"
#include "system/contact_blocks.h"

#include <stdlib.h>
#include <string.h>

enum { BY_LAST_VELOCITY, BY_MEAN_VELOCITY, BY_FINAL_GAP, RULES };

/* A gap that may close: m, and its rate, m/s, before and after the step. */
typedef struct open_gap {
  double before, rate_before, after, rate_after;
} open_gap;

struct hn_contact_meter {
  hn_system *system;
  hn_problem *problem;
  hn_contact_law law; /* of the solver */
  hn_state *state, *flown;
  hn_twist *acceleration; /* accelerations without constraints [nbody] */
  hn_arrays arrays;       /* of the arrays below */
  double *p, *v;          /* impulses and velocities [max_rows] */
  bool *may_close;        /* [max_blocks] true for gaps that are open and do not bounce */
  open_gap *gap;          /* [max_blocks] distances and rates of gaps */
};

hn_contact_meter *hn_contact_meter_create(const hn_model *model, const hn_contact_law *law, hn_error *error)
{
  hn_contact_meter *m = calloc(1, sizeof *m);
  if (!m) {
    hn_fail(error, "out of memory");
    return NULL;
  }
  m->law = *law;
  if ((m->system = hn_system_create(model, error)) && (m->problem = hn_problem_create(m->system, error)) &&
      hn_system_list_asymmetric(m->system, error) == 0) {
    const size_t rows = (size_t)m->system->max_rows;
    m->state = hn_state_create(model), m->flown = hn_state_create(model);
    if (hn_arrays_allocate(&m->arrays, NULL, HN_ARRAY(m->p, rows), HN_ARRAY(m->v, rows),
                           HN_ARRAY(m->acceleration, model->nbody),
                           HN_ARRAY(m->may_close, m->system->max_blocks),
                           HN_ARRAY(m->gap, m->system->max_blocks)) == 0 &&
        m->state && m->flown)
      return m;
    hn_fail(error, "out of memory");
  }
  hn_contact_meter_free(m);
  return NULL;
}

void hn_contact_meter_free(hn_contact_meter *m)
{
  if (!m) return;
  hn_system_free(m->system);
  hn_problem_free(m->problem);
  hn_state_free(m->state), hn_state_free(m->flown);
  hn_arrays_free(&m->arrays);
  free(m);
}

/* Sets the meter's state: poses and inputs of BEFORE, contacts of AFTER. */
static void set_state(hn_contact_meter *m, const hn_state *before, const hn_state *after)
{
  hn_state_copy_motion(m->state, before);
  memcpy(m->state->input, before->input, sizeof *before->input * (size_t)before->ninput);
  memcpy(m->state->contact, after->contact, sizeof *after->contact * (size_t)after->ncontact);
  m->state->ncontact = after->ncontact;
}

/* Finds the gaps that may close during the step, from the rates before it. */
static void find_closing_gaps(hn_contact_meter *m, double h)
{
  hn_system *s = m->system;
  hn_system_residual(s, m->state, NULL);
  hn_system_velocity_residual(s, m->state, m->v, NULL);
  for (int k = s->model->njoint; k < s->nblock; k++) {
    const int row = s->block[k].row;
    const double target = hn_system_target(s, k), rate = m->v[row] + target;
    const bool bounces = target > 0.0 && s->g[row] + h * rate <= 0.0;
    m->may_close[k] = s->g[row] > 0.0 && !bounces;
    m->gap[k] = (open_gap){ .before = s->g[row], .rate_before = rate };
  }
}

/* Computes the velocities of the rows after the step minus their targets, and the data of gaps that may
 * close. */
static void read_velocities(hn_contact_meter *m, const hn_state *after, double h)
{
  hn_system *s = m->system;
  find_closing_gaps(m, h);
  memcpy(m->state->twist, after->twist, sizeof *after->twist * (size_t)after->nbody);
  hn_system_velocity_residual(s, m->state, m->v, NULL);
  hn_system_residual(s, after, NULL);
  for (int k = s->model->njoint; k < s->nblock; k++)
    m->gap[k].after = s->g[s->block[k].row],
    m->gap[k].rate_after = m->v[s->block[k].row] + hn_system_target(s, k);
}

/* Returns the normal velocity of a gap that may close, by one of the rules. */
static double closing_velocity(const open_gap *gap, int rule, double h)
{
  if (rule == BY_FINAL_GAP) return gap->after / h;
  return gap->rate_after +
         (rule == BY_LAST_VELOCITY ? gap->before / h : fmax(2.0 * gap->before / h + gap->rate_before, 0.0));
}

/* Returns the larger of two residuals; NAN if one is. */
static double larger(double one, double other)
{
  return other > one || isnan(other) ? other : one;
}

/* Returns the largest residual of LAW of the gaps that may close, by RULE, or of the other contacts, which no
 * rule changes. */
static double largest_residual(hn_contact_meter *m, const hn_contact_law *law, bool may_close, int rule,
                               double h)
{
  const hn_system *s = m->system;
  double largest = 0.0;
  for (int k = s->model->njoint; k < s->nblock; k++) {
    if (m->may_close[k] != may_close) continue;
    if (may_close) m->v[s->block[k].row] = closing_velocity(&m->gap[k], rule, h);
    largest = larger(largest, hn_contact_law_block_error(law, m->problem, k, m->p, m->v));
  }
  return largest;
}

/* Returns the largest residual of LAW by the rule of least residual. NAN: impulses or velocities are no
 * numbers. */
static double least_residual(hn_contact_meter *m, const hn_contact_law *law, double h)
{
  const double others = largest_residual(m, law, false, BY_LAST_VELOCITY, h);
  double least = larger(others, largest_residual(m, law, true, BY_LAST_VELOCITY, h));
  for (int rule = BY_LAST_VELOCITY + 1; rule < RULES; rule++)
    least = fmin(least, larger(others, largest_residual(m, law, true, rule, h)));
  return least;
}

static void read_law(hn_contact_meter *m, double h, hn_contact_measure *out)
{
  const hn_system *s = m->system;
  static const hn_contact_law coulomb = { .corners = 0 };
  out->residual = least_residual(m, &coulomb, h);
  out->own_residual = m->law.relaxed || m->law.corners > 0 ? least_residual(m, &m->law, h) : out->residual;
  if (m->law.either) out->own_residual = fmin(out->own_residual, out->residual);
  for (int k = s->model->njoint; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    const double *p = m->p + block->row;
    hn_disc disc[HN_MAX_DISCS];
    const int count = hn_set_discs(block->joint->set, block->n, disc);
    for (int d = 0; d < count; d++) {
      const double across = norm_of(p + disc[d].row, disc[d].n) - disc[d].mu * p[0];
      if (exceeds(across, out->cone_excess)) out->cone_excess = across;
    }
  }
}

/* Returns the unbalanced impulse of body I, from the unexplained change CHANGE of its twist. */
static double unbalanced(const hn_model *model, const hn_state *before, int i, const hn_twist *change)
{
  const hn_body *body = &model->body[i];
  double w[3], energy = body->mass * vec_dot(change->v, change->v);
  if (body->kind == HN_FIXED) return 0.0;
  quat_unrotate(w, before->pose[i].q, change->w);
  for (int c = 0; c < 3; c++) energy += body->J[c] * w[c] * w[c];
  return sqrt(body->mass * energy);
}

/* Returns the largest unbalanced impulse; the twists in m->state are those before the step plus the effect of
 * impulses. */
static double largest_unbalanced(const hn_contact_meter *m, const hn_state *before, const hn_state *after,
                                 double h)
{
  double largest = 0.0;
  for (int i = 1; i < before->nbody; i++) {
    hn_twist change;
    for (int c = 0; c < 3; c++) {
      change.v[c] = after->twist[i].v[c] - m->state->twist[i].v[c] - h * m->acceleration[i].v[c];
      change.w[c] = after->twist[i].w[c] - m->state->twist[i].w[c] - h * m->acceleration[i].w[c];
    }
    const double rest = unbalanced(m->system->model, before, i, &change);
    if (exceeds(rest, largest)) largest = rest;
  }
  return largest;
}

static double read_balance(hn_contact_meter *m, const hn_state *before, const hn_state *after, double h,
                           const double *multipliers)
{
  hn_system *s = m->system;
  if (!multipliers && s->model->njoint > 0) return NAN;
  for (int i = 0; i < s->model->nrow; i++) m->p[i] = h * multipliers[i];
  memcpy(m->state->twist, before->twist, sizeof *before->twist * (size_t)before->nbody);
  hn_system_free_acceleration(s, m->state, m->acceleration);
  hn_system_apply(s, m->p, 1.0, m->state);
  const double with_initial_torques = largest_unbalanced(m, before, after, h);
  hn_system_rotate_asymmetric(s, before, h, m->flown, m->acceleration);
  return fmin(with_initial_torques, largest_unbalanced(m, before, after, h));
}

static double read_overlap(hn_contact_meter *m, const hn_state *after)
{
  hn_system *s = m->system;
  double deepest = 0.0;
  hn_state_copy(m->state, after);
  if (hn_system_begin(s, m->state) != HN_CONVERGED) return NAN;
  hn_system_residual(s, m->state, NULL);
  for (int k = s->model->njoint; k < s->nblock; k++) deepest = fmax(deepest, -s->g[s->block[k].row]);
  return deepest;
}

void hn_contact_meter_read(hn_contact_meter *m, const hn_state *before, const hn_state *after, double h,
                           const double *multipliers, hn_contact_measure *out)
{
  hn_system *s = m->system;
  *out = (hn_contact_measure){ .contacts = after->ncontact };
  set_state(m, before, after);
  if (hn_system_list(s, m->state) != HN_CONVERGED) return;
  hn_system_hold_all(s);
  hn_system_jacobian(s, m->state);
  hn_system_bias(s, m->state);
  hn_problem_assemble(m->problem, s, m->state, h);
  memset(m->p, 0, sizeof *m->p * (size_t)s->nrow);
  hn_system_load_impulses(s, m->state, 1.0, m->p);
  read_velocities(m, after, h);
  read_law(m, h, out);
  out->balance = read_balance(m, before, after, h, multipliers);
  out->penetration = read_overlap(m, after);
}
