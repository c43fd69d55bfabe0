/* discrete_forces.c - mean forces over a step.
 *
 *   wrench = sum of G' Q                  G: discrete Jacobian of the coordinates g of a force
 *   Q = (law(g0, r) + law(g1, r)) / 2     of a force with an energy E;  r = G Delta / h, the mean rate
 *   Q -= (E1 - E0 + Q Dg) Dg / |Dg|^2     of a conservative one [gonzalez1996]: 0 for linear springs
 *   Q = law(g, r) at the middle           of all others
 *
 * The work of Q is Q' G Delta = Q' Dg: the loss of energy, and for a damper -c |Dg|^2 / h, which is never
 * positive. Compliant contacts, and forces that depend on the whole state, are evaluated at the middle. */
#include "compliant/compliant.h"
#include "energy_momentum/discrete.h"
#include "force/force_law.h"
#include "base/rates.h"

#include <math.h>
#include <string.h>

/* Largest defect of an energy that is rounding, relative to the energies and to force times coordinate: it is
 * not corrected, as Dg may be small. */
static const double rounding = 4e-15;
/* Relative difference of two values of one coordinate that is rounding. */
static const double same_value = 1e-9;

typedef struct coordinates {
  double start[HN_FORCE_ROWS], end[HN_FORCE_ROWS], middle[HN_FORCE_ROWS];
} coordinates;

static void measure(const hn_joint *rows, const hn_state *at, double *g)
{
  rows->type->eval(rows, at->time, &at->pose[rows->a], &at->twist[rows->a], &at->pose[rows->b],
                   &at->twist[rows->b], &(hn_rows){ .g = g });
}

/* Replaces coordinates at the end by those at the start plus their change, which have less rounding: stiff
 * springs would amplify it. Angles that jump by a turn stay as measured. */
static void refine(int n, double h, const double *rate, coordinates *x)
{
  for (int r = 0; r < n; r++) {
    const double end = x->start[r] + h * rate[r];
    if (fabs(end - x->end[r]) <= same_value * (1.0 + fabs(end))) x->end[r] = end;
  }
}

/* Corrects Q so that its work is the loss of energy. */
static void conserve(const hn_force *force, const coordinates *x, double h, const double *rate, double *Q)
{
  const int n = force->rows.type->rows;
  const double E0 = force->type->energy(force, x->start), E1 = force->type->energy(force, x->end);
  double defect = E1 - E0, square = 0.0, size = fabs(E0) + fabs(E1);
  for (int r = 0; r < n; r++) {
    defect += Q[r] * h * rate[r], square += h * h * rate[r] * rate[r];
    size += fabs(Q[r]) * (fabs(x->start[r]) + fabs(x->end[r]));
  }
  if (fabs(defect) <= rounding * size || square == 0.0) return;
  for (int r = 0; r < n; r++) Q[r] -= defect * h * rate[r] / square;
}

/* Computes the mean of the law over the step, whose coordinates change at RATE. */
static void mean_law(const hn_force *force, const hn_step_motion *step, const double *rate, double *Q)
{
  const hn_state *m = step->middle;
  const int n = force->rows.type->rows;
  const double *input = m->input + force->input;
  coordinates x;
  double more[HN_FORCE_ROWS];
  measure(&force->rows, m, x.middle);
  if (!force->type->energy) {
    hn_force_law(force, m->time, input, x.middle, rate, Q);
    return;
  }
  measure(&force->rows, step->start, x.start);
  measure(&force->rows, step->end, x.end);
  refine(n, step->h, rate, &x);
  hn_force_law(force, m->time, input, x.start, rate, Q);
  hn_force_law(force, m->time, input, x.end, rate, more);
  for (int r = 0; r < n; r++) Q[r] = 0.5 * (Q[r] + more[r]);
  if (force->conservative) conserve(force, &x, step->h, rate, Q);
}

static void add_force(const hn_force *force, const hn_step_motion *step, double *wrench)
{
  const hn_joint *rows = &force->rows;
  const int n = rows->type->rows;
  double G_a[6 * HN_FORCE_ROWS], G_b[6 * HN_FORCE_ROWS], rate[HN_FORCE_ROWS] = { 0 }, Q[HN_FORCE_ROWS];
  hn_discrete_jacobian(rows, step, G_a, G_b);
  hn_add_rates(n, G_a, &step->middle->twist[rows->a], G_b, &step->middle->twist[rows->b], rate);
  mean_law(force, step, rate, Q);
  for (int c = 0; c < 6; c++)
    for (int r = 0; r < n; r++) {
      wrench[6 * rows->a + c] += G_a[c * n + r] * Q[r];
      wrench[6 * rows->b + c] += G_b[c * n + r] * Q[r];
    }
}

void hn_discrete_forces(const hn_model *model, const hn_step_motion *step, double *wrench, hn_work *work)
{
  memset(wrench, 0, sizeof *wrench * 6 * (size_t)model->nbody);
  for (int i = 0; i < model->nforce; i++) add_force(&model->force[i], step, wrench);
  if (model->compliant) hn_compliant_forces(model, step->middle, wrench, work);
  if (model->more) model->more->add(model->more->user, step->middle, wrench);
  work->forces += (uint64_t)model->nforce;
}
