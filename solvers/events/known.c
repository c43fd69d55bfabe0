/* known.c - known forces along rows (known.h). */
#include "events/known.h"
#include "base/rates.h"
#include "base/vec.h"
#include "multiplier/multipliers.h"
#include "multiplier/normal_forces.h"

#include <stdlib.h>
#include <string.h>

struct hn_known {
  const hn_model *model;
  const hn_row_force *given; /* [nrow_force] */
  int nrow_force;
  hn_model equations;       /* the model without known forces */
  hn_system *system;        /* of `equations` */
  hn_normal_forces normals; /* normal forces of the rows with friction */
  hn_twist *acceleration;   /* [nbody] */
  double *wrench;           /* [6 nbody] of the friction of one row */
  double *lambda;           /* [nrow] multipliers */
};

static int set_up(hn_known *k, hn_error *error)
{
  const hn_linear_options linear = { .backend = "ldl", .petsc = "", .redundancy = HN_REMOVE };
  const size_t bodies = (size_t)k->model->nbody;
  k->equations = *k->model;
  k->equations.nforce = 0, k->equations.compliant = false, k->equations.more = NULL;
  k->acceleration = calloc(bodies, sizeof *k->acceleration);
  k->wrench = calloc(6 * bodies, sizeof *k->wrench);
  k->lambda = calloc((size_t)k->model->nrow + 1, sizeof *k->lambda);
  if (!k->acceleration || !k->wrench || !k->lambda) return hn_fail(error, "out of memory");
  if (hn_normal_forces_setup(&k->normals, k->model, k->given, k->nrow_force, error)) return -1;
  k->system = hn_system_create(&k->equations, error);
  return k->system ? hn_system_use_linear(k->system, &linear, error) : -1;
}

hn_known *hn_known_create(const hn_model *model, const hn_row_force *given, int count, hn_error *error)
{
  hn_known *k = calloc(1, sizeof *k);
  if (!k) hn_fail(error, "out of memory");
  else k->model = model, k->given = given, k->nrow_force = count;
  if (k && set_up(k, error) == 0) return k;
  hn_known_free(k);
  return NULL;
}

void hn_known_free(hn_known *k)
{
  if (!k) return;
  hn_system_free(k->system);
  hn_normal_forces_free(&k->normals);
  free(k->acceleration), free(k->wrench), free(k->lambda);
  free(k);
}

void hn_known_direction(const hn_row_force *given, int n, const double *v, double *d)
{
  /* m/s: at or below this slip, or this transverse slip, d is hn_row_force.along */
  const double least = 1e-12, least_across = hn_straight_slip;
  double size = norm_of(v, n), side = 0.0, across = 0.0;
  for (int r = 0; r < n; r++) side += v[r] * given->along[r];
  for (int r = 0; r < n; r++) across = fmax(across, fabs(v[r] - side * given->along[r]));
  const bool straight = size <= least || across <= least_across;
  /* The sign of d follows `along`: a solver that steps beyond the end of a slip sees a smooth function. The
   * motion behind the end, in which friction drives the slip, is discarded by the event. */
  for (int r = 0; r < n; r++) d[r] = straight ? given->along[r] : (side < 0.0 ? -v[r] : v[r]) / size;
}

void hn_known_plan_direction(const hn_row_force *given, double time, double d[2])
{
  const double x = (time - given->begin) / given->span, *along = given->along;
  double q = 0.0;
  for (int i = given->terms; i-- > 0;) q = q * x + given->plan[i];
  const double size = sqrt(1.0 + q * q);
  d[0] = (along[0] - q * along[1]) / size, d[1] = (along[1] + q * along[0]) / size;
}

void hn_known_rates(const hn_row_force *given, const hn_state *state, double *G_a, double *G_b, double *rate)
{
  const hn_joint *joint = given->joint;
  const hn_twist *ua = &state->twist[joint->a], *ub = &state->twist[joint->b];
  joint->type->eval(joint, state->time, &state->pose[joint->a], ua, &state->pose[joint->b], ub,
                    &(hn_rows){ .G_a = G_a, .G_b = G_b, .bias = rate });
  hn_add_rates(joint->type->rows, G_a, ua, G_b, ub, rate);
  if (joint->input >= 0) rate[0] -= state->input[joint->input];
}

/* Adds SCALE G' q of GIVEN at STATE to WRENCH. q is the given force, or the friction for a unit normal
 * force. */
static void add_rows(const hn_row_force *given, const hn_state *state, double scale, double *wrench)
{
  const hn_joint *joint = given->joint;
  const int n = joint->type->rows;
  double G_a[6 * HN_MAX_ROWS], G_b[6 * HN_MAX_ROWS], rate[HN_MAX_ROWS], q[HN_MAX_ROWS];
  hn_known_rates(given, state, G_a, G_b, rate);
  memcpy(q, given->force, sizeof *q * (size_t)n);
  if (given->normal >= 0) {
    if (given->terms > 0) hn_known_plan_direction(given, state->time, q);
    else hn_known_direction(given, n, rate, q);
    for (int r = 0; r < n; r++) q[r] *= -given->mu;
  }
  for (int c = 0; c < 6; c++)
    for (int r = 0; r < n; r++) {
      wrench[6 * joint->a + c] += scale * G_a[c * n + r] * q[r];
      wrench[6 * joint->b + c] += scale * G_b[c * n + r] * q[r];
    }
}

/* Computes the multipliers without friction, and their change per unit normal force of each row with
 * friction. */
static hn_reason find_responses(hn_known *k, const hn_state *state, const double *wrench)
{
  hn_system *s = k->system;
  const size_t bodies = (size_t)s->model->nbody, rows = (size_t)s->model->nrow;
  hn_system_jacobian(s, state);
  hn_reason reason = hn_system_factor(s);
  if (reason != HN_CONVERGED) return reason;
  hn_system_gamma(s, state);
  hn_system_free_acceleration(s, state, k->acceleration);
  hn_system_push(s, state, wrench, 1.0, k->acceleration);
  reason = hn_solve_multipliers(s, k->acceleration, s->gamma, k->lambda);
  for (int j = 0; j < k->normals.count && reason == HN_CONVERGED; j++) {
    memset(k->wrench, 0, 6 * bodies * sizeof *k->wrench);
    memset(k->acceleration, 0, bodies * sizeof *k->acceleration);
    add_rows(&k->given[k->normals.given[j]], state, 1.0, k->wrench);
    hn_system_push(s, state, k->wrench, 1.0, k->acceleration);
    reason = hn_solve_multipliers(s, k->acceleration, NULL, k->normals.response + rows * (size_t)j);
  }
  return reason;
}

void hn_known_add(void *known, const hn_state *state, double *wrench)
{
  hn_known *k = known;
  for (int i = 0; i < k->nrow_force; i++)
    if (k->given[i].normal < 0) add_rows(&k->given[i], state, 1.0, wrench);
  k->system->work.forces += (uint64_t)k->nrow_force;
  if (k->normals.count == 0) return;
  const bool found = find_responses(k, state, wrench) == HN_CONVERGED &&
                     hn_normal_forces_factor(&k->normals) && hn_normal_forces_solve(&k->normals, k->lambda);
  for (int j = 0; j < k->normals.count; j++)
    add_rows(&k->given[k->normals.given[j]], state,
             found ? gsl_vector_get(k->normals.normal, (size_t)j) : (double)NAN, wrench);
}

hn_work hn_known_work(hn_known *k)
{
  const hn_work work = k->system->work;
  k->system->work = (hn_work){ 0 };
  return work;
}

void hn_known_set_work(hn_known *k, hn_work work)
{
  k->system->work = work;
}
