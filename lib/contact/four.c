/* four.c - four contacts side by side (see four.h).
 *
 * Vectors of four numbers are computed with the IEEE operations of the scalar expression, so that each contact gets the
 * same bits wherever it stands, and whether the processor has registers for four or for two. */
#include "contact/four.h"
#include "base/vec.h"

#include <float.h>

#define unfolded static inline __attribute__((always_inline))

/* ---- What can be one of four ------------------------------------------------------------------------------------- */

/* Of one side: is its part of W G' the rows of G along the axes over a mass? Then *INV is one over it. */
static bool has_mass(const double *G, const double *T, double *inv)
{
  *inv = (G[0] * T[0] + G[3] * T[1] + G[6] * T[2]) / (G[0] * G[0] + G[3] * G[3] + G[6] * G[6]);
  double off = 0.0;
  for (int r = 0; r < 3; r++)
    for (int i = 0; i < 3; i++) off += fabs(T[6 * r + i] - *inv * G[3 * i + r]);
  return off <= 32.0 * DBL_EPSILON * *inv;
}

bool hn_four_takes(const hn_problem *problem, int k)
{
  const hn_problem_block *block = &problem->block[k];
  const double *G = problem->G + 12 * (size_t)block->row, *T = problem->T + 12 * (size_t)block->row;
  double inv;
  if (block->set.kind != HN_CONE || block->n != 3 || block->a == block->b) return false;
  for (int i = 0; i < 9; i++)
    if (G[i] != -G[18 + i]) return false;
  return has_mass(G, T, &inv) && has_mass(G + 18, T + 18, &inv);
}

/* ---- Preparation ------------------------------------------------------------------------------------------------- */

/* One side of a block into place I: rows of G about the axes and what is W times them. */
static void take_side(const double *G, const double *T, int i, hn_each *r, hn_each *t)
{
  for (int row = 0; row < 3; row++)
    for (int c = 0; c < 3; c++) r[3 * row + c][i] = G[9 + 3 * c + row], t[3 * row + c][i] = T[6 * row + 3 + c];
}

static void take_block(hn_four *four, const hn_problem *problem, int k, int i, const double *p)
{
  const hn_problem_block *block = &problem->block[k];
  const double *G = problem->G + 12 * (size_t)block->row, *T = problem->T + 12 * (size_t)block->row;
  four->a[i] = block->a, four->b[i] = block->b, four->block[i] = k;
  has_mass(G, T, &four->inv_a[i]), has_mass(G + 18, T + 18, &four->inv_b[i]);
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) four->e[3 * r + c][i] = G[18 + 3 * c + r];
    four->bias[r][i] = problem->b[block->row + r], four->p[r][i] = p[block->row + r];
  }
  take_side(G, T, i, four->r_a, four->t_a);
  take_side(G + 18, T + 18, i, four->r_b, four->t_b);
}

static double product(hn_each *x, hn_each *y, int i)
{
  return x[0][i] * y[0][i] + x[1][i] * y[1][i] + x[2][i] * y[2][i];
}

/* The block of K at place I, from one triangle. */
static void find_diagonal(hn_four *four, int i, double D[9])
{
  for (int r = 0; r < 3; r++)
    for (int c = 0; c <= r; c++)
      D[3 * r + c] = D[3 * c + r] = product(four->e + 3 * r, four->e + 3 * c, i) * (four->inv_a[i] + four->inv_b[i]) +
                                    product(four->r_a + 3 * r, four->t_a + 3 * c, i) +
                                    product(four->r_b + 3 * r, four->t_b + 3 * c, i);
}

static void put_local(hn_four *four, int i, const hn_local *local)
{
  four->mu[i] = local->mu, four->inv_normal[i] = local->inv_normal, four->s[i] = local->s;
  for (int k = 0; k < 2; k++)
    four->d[k][i] = local->d[k], four->l[k][i] = local->l[k], four->inv_l[k][i] = local->inv_l[k];
}

static hn_local local_of(const hn_four *four, int i)
{
  return (hn_local){ .mu = four->mu[i], .inv_normal = four->inv_normal[i], .d = { four->d[0][i], four->d[1][i] },
                     .l = { four->l[0][i], four->l[1][i] }, .inv_l = { four->inv_l[0][i], four->inv_l[1][i] },
                     .s = four->s[i] };
}

/* Rows 1 and 2 of X, of WIDTH numbers, into the tangents of the contacts. */
static void turn(const hn_four *four, int width, hn_each *x)
{
  for (int c = 0; c < width; c++)
    for (int i = 0; i < HN_FOUR; i++) {
      double one = x[width + c][i], two = x[2 * width + c][i];
      x[width + c][i] = four->turn[0][i] * one + four->turn[1][i] * two;
      x[2 * width + c][i] = four->turn[0][i] * two - four->turn[1][i] * one;
    }
}

/* u += W G' p at place I. */
static void push_one(const hn_four *four, int i, double *u)
{
  double *u_a = u + 6 * (size_t)four->a[i], *u_b = u + 6 * (size_t)four->b[i];
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) {
      const int k = 3 * r + c;
      u_a[c] -= four->inv_a[i] * four->e[k][i] * four->p[r][i], u_a[3 + c] += four->t_a[k][i] * four->p[r][i];
      u_b[c] += four->inv_b[i] * four->e[k][i] * four->p[r][i], u_b[3 + c] += four->t_b[k][i] * four->p[r][i];
    }
}

bool hn_four_prepare(hn_four *four, const hn_problem *problem, const int *block, int count, const double *p, double *u)
{
  bool finite = true;
  if (count < HN_FOUR) memset(four, 0, sizeof *four);
  for (int i = count; i < HN_FOUR; i++) four->a[i] = four->b[i] = problem->nbody, four->block[i] = -1;
  for (int i = 0; i < count; i++) {
    double D[9], angle[2];
    hn_local local;
    take_block(four, problem, block[i], i, p);
    find_diagonal(four, i, D);
    hn_local_prepare(&local, problem->block[block[i]].set.mu, 3, D, angle);
    put_local(four, i, &local);
    four->turn[0][i] = angle[0], four->turn[1][i] = angle[1];
    const double trace = D[0] + D[4] + D[8];
    four->scale[i] = trace == 0.0 ? 1.0 : trace / 3.0;
    finite = finite && isfinite(trace);
  }
  turn(four, 3, four->e), turn(four, 3, four->r_a), turn(four, 3, four->r_b);
  turn(four, 3, four->t_a), turn(four, 3, four->t_b);
  turn(four, 1, four->bias), turn(four, 1, four->p);
  for (int i = 0; i < count; i++) push_one(four, i, u);
  return finite;
}

/* ---- A visit ----------------------------------------------------------------------------------------------------- */

typedef double quad __attribute__((vector_size(HN_FOUR * sizeof(double)), aligned(sizeof(double)), may_alias));
typedef int64_t mask __attribute__((vector_size(HN_FOUR * sizeof(int64_t))));
#define Q(x) (*(quad *)(x))
#define WHERE(m, x) ((quad)((m) & (mask)(x))) /* 0 elsewhere */

/* Velocities of four bodies, linear and angular, and back. */
unfolded void gather(const double *u, const int *body, quad *v)
{
  const double *u0 = u + 6 * (size_t)body[0], *u1 = u + 6 * (size_t)body[1], *u2 = u + 6 * (size_t)body[2],
               *u3 = u + 6 * (size_t)body[3];
  for (int c = 0; c < 6; c++) v[c] = (quad){ u0[c], u1[c], u2[c], u3[c] };
}

unfolded void scatter(double *u, const int *body, const quad *v)
{
  for (int i = 0; i < HN_FOUR; i++)
    for (size_t c = 0; c < 6; c++) u[6 * (size_t)body[i] + c] = v[c][i];
}

/* Velocities of the rows. */
unfolded void find_rates(hn_four *four, const quad *u_a, const quad *u_b, quad *v)
{
  quad across[3];
  for (int c = 0; c < 3; c++) across[c] = u_b[c] - u_a[c];
  for (int r = 0; r < 3; r++) {
    hn_each *e = four->e + 3 * r, *r_a = four->r_a + 3 * r, *r_b = four->r_b + 3 * r;
    const quad along = Q(e[0]) * across[0] + Q(e[1]) * across[1] + Q(e[2]) * across[2];
    const quad about_a = Q(r_a[0]) * u_a[3] + Q(r_a[1]) * u_a[4] + Q(r_a[2]) * u_a[5];
    const quad about_b = Q(r_b[0]) * u_b[3] + Q(r_b[1]) * u_b[4] + Q(r_b[2]) * u_b[5];
    v[r] = (Q(four->bias[r]) + along) + (about_a + about_b);
  }
}

/* What sticks or is open gets its impulse at once (local.h), the others one by one. */
unfolded void solve(hn_four *four, const quad *v, const quad *old, quad *p)
{
  const quad d0 = Q(four->d[0]), d1 = Q(four->d[1]), c = old[0] - Q(four->inv_normal) * v[0] - d0 * old[1] - d1 * old[2];
  const quad t1 = (Q(four->l[0]) * old[1] - v[1] - d0 * v[0]) * Q(four->inv_l[0]);
  const quad t2 = (Q(four->l[1]) * old[2] - v[2] - d1 * v[0]) * Q(four->inv_l[1]);
  const quad n = c + d0 * t1 + d1 * t2, most = Q(four->mu) * n;
  const mask open = c <= 0.0, moves = Q(four->inv_normal) > 0.0;
  const mask sticks = ~open & (n > 0.0) & (t1 * t1 + t2 * t2 <= most * most), slides = moves & ~(open | sticks);
  p[0] = WHERE(moves & sticks, n) + WHERE(~moves, old[0]);
  p[1] = WHERE(moves & sticks, t1) + WHERE(~moves, old[1]);
  p[2] = WHERE(moves & sticks, t2) + WHERE(~moves, old[2]);
  if (!(slides[0] | slides[1] | slides[2] | slides[3])) return;
  for (int i = 0; i < HN_FOUR; i++) {
    if (!slides[i]) continue;
    hn_local local = local_of(four, i);
    double at[3] = { v[0][i], v[1][i], v[2][i] }, found[3] = { old[0][i], old[1][i], old[2][i] };
    hn_local_solve(&local, 3, at, found);
    four->s[i] = local.s;
    for (int r = 0; r < 3; r++) p[r][i] = found[r];
  }
}

unfolded double visit(hn_four *four, double relaxation, double *u)
{
  quad u_a[6], u_b[6], v[3], old[3], step[3], change;
  gather(u, four->a, u_a), gather(u, four->b, u_b);
  find_rates(four, u_a, u_b, v);
  for (int r = 0; r < 3; r++) old[r] = Q(four->p[r]);
  solve(four, v, old, step);
  for (int r = 0; r < 3; r++) {
    step[r] = relaxation * (step[r] - old[r]);
    Q(four->p[r]) = old[r] + step[r];
  }
  for (int c = 0; c < 3; c++) {
    const quad force = Q(four->e[c]) * step[0] + Q(four->e[3 + c]) * step[1] + Q(four->e[6 + c]) * step[2];
    u_a[c] -= Q(four->inv_a) * force, u_b[c] += Q(four->inv_b) * force;
    u_a[3 + c] += Q(four->t_a[c]) * step[0] + Q(four->t_a[3 + c]) * step[1] + Q(four->t_a[6 + c]) * step[2];
    u_b[3 + c] += Q(four->t_b[c]) * step[0] + Q(four->t_b[3 + c]) * step[1] + Q(four->t_b[6 + c]) * step[2];
  }
  scatter(u, four->a, u_a), scatter(u, four->b, u_b);
  change = (step[0] * step[0] + step[1] * step[1] + step[2] * step[2]) * (Q(four->scale) * Q(four->scale));
  double largest = change[0];
  for (int i = 1; i < HN_FOUR; i++)
    if (exceeds(change[i], largest)) largest = change[i];
  return largest;
}

static double visit_anywhere(hn_four *four, double relaxation, double *u)
{
  return visit(four, relaxation, u);
}

#if defined __x86_64__ && defined __GNUC__

/* Without the fused operations that later processors have as well, which round once less. */
__attribute__((target("avx2"))) static double visit_wide(hn_four *four, double relaxation, double *u)
{
  return visit(four, relaxation, u);
}

hn_four_visit *hn_four_visitor(void)
{
  return __builtin_cpu_supports("avx2") ? visit_wide : visit_anywhere;
}

#else

hn_four_visit *hn_four_visitor(void)
{
  return visit_anywhere;
}

#endif

void hn_four_impulses(const hn_four *four, const hn_problem *problem, double *p)
{
  for (int i = 0; i < HN_FOUR && four->block[i] >= 0; i++) {
    double *of = p + problem->block[four->block[i]].row, c = four->turn[0][i], s = four->turn[1][i];
    of[0] = four->p[0][i];
    of[1] = c * four->p[1][i] - s * four->p[2][i], of[2] = c * four->p[2][i] + s * four->p[1][i];
  }
}
