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
enum { COULOMB, OWN, LAWS };

/* A gap that may close: m, and its rate, m/s, before and after the step. */
typedef struct open_gap {
  double before, rate_before, after, rate_after;
} open_gap;

/* The largest residuals of a law: of the gaps that may close, by each rule, and of the other contacts, which
 * no rule changes. */
typedef struct residuals {
  double closing[RULES], others;
} residuals;

/* Contacts are measured one at a time, so that memory does not grow with their number. */
struct hn_contact_meter {
  const hn_model *model;
  hn_model joints, single;          /* the model without contacts; with one contact, and without joints */
  hn_system *joint_system, *system; /* of these two */
  hn_problem *problem;              /* of one contact */
  hn_collision *collision, *own;    /* detection of the overlaps; `own` if it is the meter's */
  hn_contact_law law[LAWS];
  int laws; /* that are measured: without OWN if that is Coulomb's */
  hn_state *flown;
  hn_twist *acceleration; /* [nbody] accelerations without constraints */
  hn_twist *twist;        /* [nbody] velocities before the step plus the effect of impulses */
  double *p;              /* impulses of the joints */
  hn_arrays arrays;       /* of the arrays above */
  residuals largest[LAWS];
};

/* Creates the systems of the joints and of one contact. */
static int create_systems(hn_contact_meter *m, hn_error *error)
{
  m->joints = m->single = *m->model;
  m->joints.max_contacts = 0;
  m->single.max_contacts = 1, m->single.margin = 0.0, m->single.njoint = m->single.nrow = 0;
  m->joint_system = hn_system_create(&m->joints, error);
  m->system = m->joint_system ? hn_system_create(&m->single, error) : NULL;
  m->problem = m->system ? hn_problem_create(m->system, error) : NULL;
  return m->problem ? hn_system_list_asymmetric(m->joint_system, error) : -1;
}

hn_contact_meter *hn_contact_meter_create_with(const hn_model *model, hn_collision *collision,
                                               const hn_contact_law *law, hn_error *error)
{
  hn_contact_meter *m = calloc(1, sizeof *m);
  if (!m) {
    hn_fail(error, "out of memory");
    return NULL;
  }
  m->model = model, m->collision = collision, m->law[OWN] = *law;
  m->laws = law->relaxed || law->corners > 0 ? LAWS : OWN;
  if (create_systems(m, error) == 0) {
    m->flown = hn_state_create_empty(&m->joints);
    if (hn_arrays_allocate(&m->arrays, NULL, HN_ARRAY(m->acceleration, model->nbody),
                           HN_ARRAY(m->twist, model->nbody), HN_ARRAY(m->p, model->nrow)) == 0 &&
        m->flown)
      return m;
    hn_fail(error, "out of memory");
  }
  hn_contact_meter_free(m);
  return NULL;
}

hn_contact_meter *hn_contact_meter_create(const hn_model *model, const hn_contact_law *law, hn_error *error)
{
  hn_collision *own = model->margin > 0 ? hn_collision_create(model, error) : NULL;
  hn_contact_meter *m = own || !(model->margin > 0) ? hn_contact_meter_create_with(model, own, law, error)
                                                    : NULL;
  if (m) m->own = own;
  else hn_collision_free(own);
  return m;
}

void hn_contact_meter_free(hn_contact_meter *m)
{
  if (!m) return;
  hn_system_free(m->joint_system), hn_system_free(m->system);
  hn_problem_free(m->problem);
  hn_collision_free(m->own);
  hn_state_free(m->flown);
  hn_arrays_free(&m->arrays);
  free(m);
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

/* Updates the largest residuals by the contact of m->problem, with the impulse P and the velocities V
 * after the step minus their targets. GAP: data of a gap that may close, else NULL. */
static void note_residuals(hn_contact_meter *m, const open_gap *gap, double h, const double *p, double *v)
{
  const double normal = v[0];
  for (int law = 0; law < m->laws; law++) {
    residuals *largest = &m->largest[law];
    v[0] = normal;
    if (!gap)
      largest->others = larger(largest->others,
                               hn_contact_law_block_error(&m->law[law], m->problem, 0, p, v));
    for (int rule = 0; rule < RULES && gap; rule++) {
      v[0] = closing_velocity(gap, rule, h);
      largest->closing[rule] = larger(largest->closing[rule],
                                      hn_contact_law_block_error(&m->law[law], m->problem, 0, p, v));
    }
  }
}

/* Returns the largest residual by the rule of least residual. NAN: impulses or velocities are no numbers. */
static double least_residual(const residuals *largest)
{
  double least = larger(largest->others, largest->closing[BY_LAST_VELOCITY]);
  for (int rule = BY_LAST_VELOCITY + 1; rule < RULES; rule++)
    least = fmin(least, larger(largest->others, largest->closing[rule]));
  return least;
}

static void note_cone_excess(const hn_block *block, const double *p, hn_contact_measure *out)
{
  hn_disc disc[HN_MAX_DISCS];
  const int count = hn_set_discs(block->joint->set, block->n, disc);
  for (int d = 0; d < count; d++) {
    const double across = norm_of(p + disc[d].row, disc[d].n) - disc[d].mu * p[0];
    if (exceeds(across, out->cone_excess)) out->cone_excess = across;
  }
}

/* Lists the contact of VIEW, a state with one contact, as the block of m->system. */
static void list_single(hn_contact_meter *m, const hn_state *view)
{
  hn_system_list(m->system, view);
  hn_system_hold_all(m->system);
}

/* Measures the law of CONTACT and adds the effect of its impulse to m->twist. */
static void read_contact(hn_contact_meter *m, hn_contact *contact, const hn_state *before,
                         const hn_state *after, double h, hn_contact_measure *out)
{
  hn_system *s = m->system;
  hn_state view = *before;
  double p[HN_MAX_ROWS], v[HN_MAX_ROWS], g[HN_MAX_ROWS];
  open_gap gap;
  view.contact = contact, view.ncontact = 1;
  list_single(m, &view);
  hn_system_block_jacobian(s, 0, &view);
  hn_problem_assemble(m->problem, s, &view, h);
  hn_system_load_impulses(s, &view, 1.0, p);
  const double target = hn_system_target(s, 0);
  hn_system_block_residual(s, 0, &view, g), gap.before = g[0];
  hn_system_block_velocity(s, 0, &view, v), gap.rate_before = v[0] + target;
  const bool bounces = target > 0.0 && gap.before + h * gap.rate_before <= 0.0;
  const bool may_close = gap.before > 0.0 && !bounces;
  hn_system_block_residual(s, 0, after, g), gap.after = g[0];
  view.twist = after->twist;
  hn_system_block_velocity(s, 0, &view, v), gap.rate_after = v[0] + target;
  note_residuals(m, may_close ? &gap : NULL, h, p, v);
  note_cone_excess(s->block, p, out);
  view.twist = m->twist;
  hn_system_block_apply(s, 0, p, &view);
}

/* Measures the law of all contacts, and sets m->twist to the velocities before the step plus the effect of
 * all impulses. MULTIPLIERS are those of joints, or NULL. */
static void read_contacts(hn_contact_meter *m, const hn_state *before, const hn_state *after, double h,
                          const double *multipliers, hn_contact_measure *out)
{
  hn_system *s = m->joint_system;
  hn_state view = *before;
  memset(m->largest, 0, sizeof m->largest);
  memcpy(m->twist, before->twist, sizeof *before->twist * (size_t)before->nbody);
  view.twist = m->twist;
  if (s->nrow > 0 && multipliers) {
    for (int i = 0; i < s->nrow; i++) m->p[i] = h * multipliers[i];
    hn_system_jacobian(s, before);
    hn_system_apply(s, m->p, 1.0, &view);
  }
  for (int i = 0; i < after->ncontact; i++) read_contact(m, &after->contact[i], before, after, h, out);
  out->residual = least_residual(&m->largest[COULOMB]);
  out->own_residual = m->laws == LAWS ? least_residual(&m->largest[OWN]) : out->residual;
  if (m->law[OWN].either) out->own_residual = fmin(out->own_residual, out->residual);
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

/* Returns the largest unbalanced impulse. */
static double largest_unbalanced(const hn_contact_meter *m, const hn_state *before, const hn_state *after,
                                 double h)
{
  double largest = 0.0;
  for (int i = 1; i < before->nbody; i++) {
    hn_twist change;
    for (int c = 0; c < 3; c++) {
      change.v[c] = after->twist[i].v[c] - m->twist[i].v[c] - h * m->acceleration[i].v[c];
      change.w[c] = after->twist[i].w[c] - m->twist[i].w[c] - h * m->acceleration[i].w[c];
    }
    const double rest = unbalanced(m->model, before, i, &change);
    if (exceeds(rest, largest)) largest = rest;
  }
  return largest;
}

static double read_balance(hn_contact_meter *m, const hn_state *before, const hn_state *after, double h)
{
  hn_system *s = m->joint_system;
  hn_system_free_acceleration(s, before, m->acceleration);
  const double with_initial_torques = largest_unbalanced(m, before, after, h);
  hn_system_rotate_asymmetric(s, before, h, m->flown, m->acceleration);
  return fmin(with_initial_torques, largest_unbalanced(m, before, after, h));
}

/* Returns the depth of the deepest of COUNT contacts at AFTER, or DEEPEST if that is more. */
static double find_deepest(hn_contact_meter *m, const hn_state *after, hn_contact *contact, int count,
                           double deepest)
{
  hn_state view = *after;
  view.ncontact = 1;
  for (int i = 0; i < count; i++) {
    double g[HN_MAX_ROWS];
    view.contact = &contact[i];
    list_single(m, &view);
    hn_system_block_residual(m->system, 0, &view, g);
    deepest = fmax(deepest, -g[0]);
  }
  return deepest;
}

static double read_overlap(hn_contact_meter *m, const hn_state *after)
{
  hn_work work = { 0 };
  double deepest = 0.0;
  if (!m->collision) return find_deepest(m, after, after->contact, after->ncontact, 0.0);
  if (hn_collision_detect(m->collision, after, &work) != HN_CONVERGED) return NAN;
  for (int i = 0, n; i < hn_collision_pairs(m->collision); i++) {
    hn_contact *contact = hn_collision_contacts(m->collision, after, i, &n);
    deepest = find_deepest(m, after, contact, n, deepest);
  }
  return deepest;
}

void hn_contact_meter_read(hn_contact_meter *m, const hn_state *before, const hn_state *after, double h,
                           const double *multipliers, hn_contact_measure *out)
{
  *out = (hn_contact_measure){ .contacts = after->ncontact };
  if (after->ncontact > m->model->max_contacts) return;
  read_contacts(m, before, after, h, multipliers, out);
  out->balance = multipliers || m->model->njoint == 0 ? read_balance(m, before, after, h) : (double)NAN;
  out->penetration = read_overlap(m, after);
}
