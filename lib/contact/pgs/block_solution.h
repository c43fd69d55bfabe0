/* block_solution.h - the solution of one block, all other impulses fixed. Internal.
 *
 *   any      solved whole, L D L' of its part of K; dependent rows get no impulse
 *   push, within   row by row, clamped to the bounds
 *   cone     local=cone     Coulomb's law exactly (local_coulomb.h; with moments: moment_block.h)
 *            local=disk     the normal first, then both tangents, cut to mu p_n of the new p_n
 *            local=box      the normal first, then each tangent separately, cut to +-mu p_n of the new p_n
 *            local=pyramid  each tangent first, cut to +-mu p_n of the previous sweep, then the normal
 *
 * Functions are inlined, with the number of rows as a constant. D is the diagonal block of K, V the
 * velocities at P. */
#ifndef HN_BLOCK_SOLUTION_H
#define HN_BLOCK_SOLUTION_H

#include "base/small.h"
#include "base/vec.h"
#include "contact/local_coulomb.h"
#include "contact/pgs/moment_block.h"

/* Solution of a contact with friction: exactly, or with separate normal and tangents. */
enum { HN_LOCAL_CONE, HN_LOCAL_DISK, HN_LOCAL_BOX, HN_LOCAL_PYRAMID };

typedef struct hn_block_law {
  hn_set_kind kind;
  double lower, upper; /* bounds of an impulse of kind push or within */
  hn_local local;      /* kind cone */
  const hn_set *set;   /* the problem's */
} hn_block_law;

/* Solves row R between two bounds; updates V by the change. */
static inline void hn_solve_row(int n, const double *D, int r, double lower, double upper, double *v,
                                double *p)
{
  const double pivot = D[r * n + r];
  if (!(pivot > 0.0)) return;
  const double old = p[r], unclamped = old - v[r] / pivot;
  p[r] = unclamped < lower ? lower : unclamped > upper ? upper : unclamped;
  for (int i = 0; i < n; i++) v[i] += D[r * n + i] * (p[r] - old);
}

/* Solves the friction of row R: within STICK without a cut, else cut to LIMIT. */
static inline void hn_solve_tangent(int n, const double *D, int r, double limit, double stick, double *v,
                                    double *p)
{
  const double wanted = D[r * n + r] > 0.0 ? fabs(p[r] - v[r] / D[r * n + r]) : 0.0;
  if (wanted <= stick) limit = stick;
  hn_solve_row(n, D, r, -limit, limit, v, p);
}

/* Solves both tangents together: within STICK without a cut, else shortened to LIMIT. */
static inline void hn_solve_disk(const double *D, double limit, double stick, double *v, double *p)
{
  const double pivot = fmax(D[4], D[8]), old[2] = { p[1], p[2] };
  if (pivot > 0.0) p[1] = old[0] - v[1] / pivot, p[2] = old[1] - v[2] / pivot;
  const double size = norm_of(p + 1, 2);
  if (size > stick) p[1] *= limit / size, p[2] *= limit / size;
  for (int i = 0; i < 3; i++) v[i] += D[3 + i] * (p[1] - old[0]) + D[6 + i] * (p[2] - old[1]);
}

/* Solves a cone with separate normal and tangents, as game engines do. */
static inline void hn_solve_split(const hn_local *contact, int local, int n, const double *D, double *v,
                                  double *p)
{
  if (local != HN_LOCAL_PYRAMID) hn_solve_row(n, D, 0, 0.0, HUGE_VAL, v, p);
  const double limit = contact->mu * fmax(p[0], 0.0), stick = contact->stick * fmax(p[0], 0.0);
  if (local == HN_LOCAL_DISK && n == 3) hn_solve_disk(D, limit, stick, v, p);
  else
    for (int r = 1; r < n; r++) hn_solve_tangent(n, D, r, limit, stick, v, p);
  if (local == HN_LOCAL_PYRAMID) hn_solve_row(n, D, 0, 0.0, HUGE_VAL, v, p);
}

/* Solves the rows of an equation; L is its L D L'. */
static inline void hn_solve_equations(int n, const double *L, double *v, double *p)
{
  ldl_solve_semidefinite(n, L, v);
  for (int r = 0; r < n; r++) p[r] -= v[r];
}

/* Replaces P by the solution of the block; V is overwritten. */
static inline __attribute__((always_inline)) void hn_solve_block(hn_block_law *law, int local, int n,
                                                                 const double *D, double *v, double *p)
{
  if (n > 3 && law->kind == HN_CONE) hn_moment_block_solve(law->set, n, D, v, p);
  else if (n > 1 && law->kind == HN_CONE && local == HN_LOCAL_CONE) hn_local_solve(&law->local, n, v, p);
  else if (law->kind == HN_CONE) hn_solve_split(&law->local, local, n, D, v, p);
  else if (law->kind == HN_ANY) hn_solve_equations(n, D, v, p);
  else
    for (int r = 0; r < n; r++) hn_solve_row(n, D, r, law->lower, law->upper, v, p);
}

#endif
