/* law_residual.c - the law that a contact solver solves, and its residual (contact.h).
 *
 * A polygon in place of the disk of friction, with C(p_n) of corners at the distance reach mu p_n:
 *
 *   r_n = p_n - max(0, p_n - v_n / k),   r_t = p_t - P_C(p_t - v_t / k)
 *
 * A regularised law is that of v + R p, with R a multiple of k for normals, tangents, and joints.
 *
 * P_C is the projection onto the polygon. r is zero if and only if 0 <= v_n, 0 <= p_n, v_n p_n = 0, and p_t
 * is the impulse in C(p_n) that dissipates most. r k is a velocity, as in problem.c. */
#include "base/vec.h"
#include "contact.h"
#include "elementary.h"

#include <math.h>
#include <stdio.h>

/* Returns the first solver of the chain that solves another law than Coulomb's, or NULL. TEXT is that law. */
static const hn_contact_solver *find_other_law(const hn_contact_solver *solver, bool planar, char *text,
                                               size_t size)
{
  for (; solver; solver = solver->next) {
    *text = '\0';
    if (solver->type->law) solver->type->law(solver, planar, text, size);
    else if (solver->type->capabilities & HN_SOLVES_RELAXED)
      snprintf(text, size, "relaxed (sliding contacts lift off)");
    if (*text) return solver;
  }
  return NULL;
}

/* True if a solver of the chain solves Coulomb's law. */
static bool solves_coulomb(const hn_contact_solver *solver, bool planar)
{
  for (; solver; solver = solver->next) {
    char text[128] = "";
    if (solver->type->law) solver->type->law(solver, planar, text, sizeof text);
    if (!*text && !(solver->type->capabilities & HN_SOLVES_RELAXED)) return true;
  }
  return false;
}

bool hn_contact_solver_law(const hn_contact_solver *solver, bool planar, char *text, size_t size)
{
  if (find_other_law(solver, planar, text, size)) return false;
  snprintf(text, size, "Coulomb");
  return true;
}

hn_contact_law hn_contact_solver_law_of(const hn_contact_solver *solver, bool planar)
{
  char text[128];
  hn_contact_law law = { .corners = 0 };
  const hn_contact_solver *other = find_other_law(solver, planar, text, sizeof text);
  if (!other) return law;
  law.relaxed = other->type->capabilities & HN_SOLVES_RELAXED;
  if (other->type->polygon) other->type->polygon(other, &law);
  law.either = other != solver || solves_coulomb(other->next, planar);
  return law;
}

/* Replaces X by its projection onto the polygon of LAW for a friction bound of MOST. */
static void project_onto_polygon(const hn_contact_law *law, double most, double x[2])
{
  const double pi = 3.14159265358979323846, half = pi / law->corners, reach = law->reach * most;
  double normal[2] = { 1.0, 0.0 }, outside = -HUGE_VAL;
  for (int i = 0; i < law->corners; i++) {
    const double angle = law->angle + (2 * i + 1) * half, c = hn_cos(angle), s = hn_sin(angle);
    const double distance = c * x[0] + s * x[1];
    if (distance > outside) outside = distance, normal[0] = c, normal[1] = s;
  }
  const double apothem = reach * hn_cos(half), edge = reach * hn_sin(half);
  if (outside <= apothem) return;
  const double along = fmin(fmax(normal[0] * x[1] - normal[1] * x[0], -edge), edge);
  const double nearest[2] = { apothem * normal[0] - along * normal[1],
                              apothem * normal[1] + along * normal[0] };
  x[0] = nearest[0], x[1] = nearest[1];
}

/* Returns the error of a contact with friction MU in the polygon, m/s. */
static double polygon_error(const hn_contact_law *law, double mu, double scale, const double *p,
                            const double *v)
{
  double r[3] = { p[0] - fmax(p[0] - v[0] / scale, 0.0) },
         x[2] = { p[1] - v[1] / scale, p[2] - v[2] / scale };
  project_onto_polygon(law, mu * fmax(p[0], 0.0), x);
  r[1] = p[1] - x[0], r[2] = p[2] - x[1];
  return scale * norm_of(r, 3);
}

/* Returns the error of block K with v + R p in the place of v, m/s. */
static double regularised_error(const hn_contact_law *law, const hn_problem *problem, int k, const double *p,
                                const double *v)
{
  const hn_problem_block *block = &problem->block[k];
  const hn_set *set = &block->set;
  const double scale = hn_problem_scale(problem, k);
  double w[HN_MAX_ROWS];
  for (int r = 0; r < block->n; r++) {
    const bool tangent = set->kind == HN_CONE && r > 0;
    const double R = tangent                                        ? law->tangent
                     : set->kind == HN_CONE || set->kind == HN_PUSH ? law->normal
                                                                    : law->joint;
    w[r] = v[block->row + r] + R * scale * p[block->row + r];
  }
  if (!law->relaxed) hn_set_shift(set, block->n, w);
  for (int r = 0; r < block->n; r++) w[r] /= scale;
  return scale * hn_set_error(set, block->n, problem->h, p + block->row, w);
}

double hn_contact_law_block_error(const hn_contact_law *law, const hn_problem *problem, int k,
                                  const double *p, const double *v)
{
  const hn_problem_block *block = &problem->block[k];
  const hn_set *set = &block->set;
  if (law->normal > 0.0 || law->tangent > 0.0 || law->joint > 0.0)
    return regularised_error(law, problem, k, p, v);
  if (law->corners == 0 || set->kind != HN_CONE || block->n != 3)
    return hn_problem_block_error(problem, k, law->relaxed, p, v);
  const double *p_k = p + block->row, *v_k = v + block->row, scale = hn_problem_scale(problem, k);
  const double error = polygon_error(law, set->mu, scale, p_k, v_k);
  if (!(set->mu_static > set->mu)) return error;
  return fmin(error, fmax(polygon_error(law, set->mu_static, scale, p_k, v_k), norm_of(v_k + 1, 2)));
}

double hn_contact_law_error(const hn_contact_law *law, const hn_problem *problem, const double *p,
                            const double *v, int *worst)
{
  double largest = 0.0;
  int at;
  const double coulomb = law->either ? hn_problem_error(problem, false, p, v, &at) : HUGE_VAL;
  if (worst) *worst = -1;
  for (int k = 0; k < problem->nblock; k++) {
    const double error = hn_contact_law_block_error(law, problem, k, p, v);
    if (!exceeds(error, largest)) continue;
    largest = error;
    if (worst) *worst = k;
  }
  if (!(coulomb < largest)) return largest;
  if (worst) *worst = at;
  return coulomb;
}
