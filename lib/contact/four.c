/* four.c - four contacts side by side (see four.h).
 *
 * Vectors of four numbers are computed with the IEEE operations of the scalar expression, so that each contact gets the
 * same bits wherever it stands, and whether the processor has registers for four or for two. */
#include "contact/four.h"
#include "base/vec.h"

#define unfolded static inline __attribute__((always_inline))

/* ---- Preparation ------------------------------------------------------------------------------------------------- */

bool hn_four_takes(const hn_problem *problem, int k)
{
  const hn_problem_block *block = &problem->block[k];
  const hn_set *set = &block->set;
  return problem->W && set->kind == HN_CONE && !(set->mu_static > set->mu) && block->n == 3 && block->a != block->b;
}

/* Half the sum of e x (arm x e) over three axes e, from the rows (e, arm x e) of G: the arm. */
static void find_arm(const double *G, int i, hn_each *arm)
{
  for (int c = 0; c < 3; c++) {
    const double *e = G + 3 * ((c + 1) % 3), *f = G + 3 * ((c + 2) % 3), *r = e + 9, *s = f + 9;
    double sum = 0.0;
    for (int row = 0; row < 3; row++) sum += e[row] * s[row] - f[row] * r[row];
    arm[c][i] = 0.5 * sum;
  }
}

/* Of one side: the sum of its rows of G about the axes times those of T', for two rows. */
static double about(const double *G, const double *T, int r, int c)
{
  return G[9 + r] * T[6 * c + 3] + G[12 + r] * T[6 * c + 4] + G[15 + r] * T[6 * c + 5];
}

/* The block of K, whose axes are orthonormal. */
static void find_diagonal(const double *G, const double *T, double inv, double D[9])
{
  for (int r = 0; r < 3; r++)
    for (int c = 0; c <= r; c++)
      D[3 * r + c] = D[3 * c + r] = (r == c ? inv : 0.0) + (about(G, T, r, c) + about(G + 18, T + 18, r, c));
}

/* Numbers of rows 1 and 2 into the tangents ANGLE. */
static void turn(const double angle[2], double *one, double *two)
{
  const double x = *one, y = *two;
  *one = angle[0] * x + angle[1] * y, *two = angle[0] * y - angle[1] * x;
}

/* Block K into place I; false: what should be numbers is none. */
static bool take_block(hn_four *four, hn_four_rest *rest, const hn_problem *problem, int k, int i, const double *p)
{
  const hn_problem_block *block = &problem->block[k];
  const double *G = problem->G + 12 * (size_t)block->row, *T = problem->T + 12 * (size_t)block->row;
  double D[9], angle[2];
  hn_local local;
  four->a[i] = block->a, four->b[i] = block->b, rest->block[i] = k;
  four->inv_a[i] = -(G[18] * T[0] + G[21] * T[1] + G[24] * T[2]);
  four->inv_b[i] = G[18] * T[18] + G[21] * T[19] + G[24] * T[20];
  find_arm(G, i, four->arm_a), find_arm(G + 18, i, four->arm_b);
  find_diagonal(G, T, four->inv_a[i] + four->inv_b[i], D);
  hn_local_prepare(&local, &block->set, 3, D, angle);
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) four->e[3 * r + c][i] = G[18 + 3 * c + r];
    four->bias[r][i] = problem->b[block->row + r], four->p[r][i] = p[block->row + r];
  }
  for (int c = 0; c < 3; c++) turn(angle, &four->e[3 + c][i], &four->e[6 + c][i]);
  turn(angle, &four->bias[1][i], &four->bias[2][i]), turn(angle, &four->p[1][i], &four->p[2][i]);
  four->mu[i] = local.mu, four->inv_normal[i] = local.inv_normal, rest->s[i] = local.s;
  for (int j = 0; j < 2; j++) {
    four->d[j][i] = local.d[j], four->inv_l[j][i] = local.inv_l[j];
    rest->l[j][i] = local.l[j], rest->turn[j][i] = angle[j];
  }
  const double trace = D[0] + D[4] + D[8];
  four->scale[i] = trace == 0.0 ? 1.0 : trace / 3.0;
  return isfinite(trace);
}

/* ---- Vectors ----------------------------------------------------------------------------------------------------- */

typedef double quad __attribute__((vector_size(HN_FOUR * sizeof(double)), aligned(sizeof(double)), may_alias));
typedef int64_t mask __attribute__((vector_size(HN_FOUR * sizeof(int64_t))));
typedef double half __attribute__((vector_size(HN_FOUR / 2 * sizeof(double)), aligned(sizeof(double)), may_alias));
#define Q(x) (*(quad *)(x))
#define P(x) (*(half *)(x))
#define WHERE(m, x) ((quad)((m) & (mask)(x))) /* 0 elsewhere */

/* X and Y by turns: their first and third numbers, or their second and fourth; and their halves, lower or upper. */
#define EVEN(x, y) __builtin_shufflevector(x, y, 0, 4, 2, 6)
#define ODD(x, y) __builtin_shufflevector(x, y, 1, 5, 3, 7)
#define LOWER(x, y) __builtin_shufflevector(x, y, 0, 1, 4, 5)
#define UPPER(x, y) __builtin_shufflevector(x, y, 2, 3, 6, 7)

/* The six numbers that U has for each of four bodies, and back: a transposition. */
unfolded void gather(double *u, const int *body, quad *v)
{
  double *u0 = u + 6 * (size_t)body[0], *u1 = u + 6 * (size_t)body[1], *u2 = u + 6 * (size_t)body[2],
         *u3 = u + 6 * (size_t)body[3];
  const quad x = EVEN(Q(u0), Q(u1)), y = ODD(Q(u0), Q(u1)), z = EVEN(Q(u2), Q(u3)), w = ODD(Q(u2), Q(u3));
  const quad s = __builtin_shufflevector(P(u0 + 4), P(u2 + 4), 0, 1, 2, 3);
  const quad t = __builtin_shufflevector(P(u1 + 4), P(u3 + 4), 0, 1, 2, 3);
  v[0] = LOWER(x, z), v[1] = LOWER(y, w), v[2] = UPPER(x, z), v[3] = UPPER(y, w), v[4] = EVEN(s, t), v[5] = ODD(s, t);
}

unfolded void scatter(double *u, const int *body, const quad *v)
{
  double *u0 = u + 6 * (size_t)body[0], *u1 = u + 6 * (size_t)body[1], *u2 = u + 6 * (size_t)body[2],
         *u3 = u + 6 * (size_t)body[3];
  const quad x = EVEN(v[0], v[1]), y = ODD(v[0], v[1]), z = EVEN(v[2], v[3]), w = ODD(v[2], v[3]);
  const quad s = EVEN(v[4], v[5]), t = ODD(v[4], v[5]);
  Q(u0) = LOWER(x, z), P(u0 + 4) = __builtin_shufflevector(s, s, 0, 1);
  Q(u1) = LOWER(y, w), P(u1 + 4) = __builtin_shufflevector(t, t, 0, 1);
  Q(u2) = UPPER(x, z), P(u2 + 4) = __builtin_shufflevector(s, s, 2, 3);
  Q(u3) = UPPER(y, w), P(u3 + 4) = __builtin_shufflevector(t, t, 2, 3);
}

unfolded void cross(const quad *x, hn_each *y, quad *out)
{
  out[0] = x[1] * Q(y[2]) - x[2] * Q(y[1]);
  out[1] = x[2] * Q(y[0]) - x[0] * Q(y[2]);
  out[2] = x[0] * Q(y[1]) - x[1] * Q(y[0]);
}

/* ---- A visit ----------------------------------------------------------------------------------------------------- */

/* Velocities of the rows at U_A and U_B of the bodies. */
unfolded void find_rates(hn_four *four, const quad *u_a, const quad *u_b, quad *v)
{
  quad at_a[3], at_b[3], across[3];
  cross(u_a + 3, four->arm_a, at_a), cross(u_b + 3, four->arm_b, at_b);
  for (int c = 0; c < 3; c++) across[c] = (u_b[c] + at_b[c]) - (u_a[c] + at_a[c]);
  for (int r = 0; r < 3; r++) {
    hn_each *e = four->e + 3 * r;
    v[r] = Q(four->bias[r]) + (Q(e[0]) * across[0] + Q(e[1]) * across[1] + Q(e[2]) * across[2]);
  }
}

/* What FORCE, an impulse, does on one side: u_c +-= ... */
unfolded void push_side(const quad *force, double sign, hn_each inv, hn_each *arm, const int *body, double *W,
                        quad *u)
{
  quad moment[3], w[6];
  gather(W, body, w);
  cross(force, arm, moment); /* less the moment */
  for (int c = 0; c < 3; c++) u[c] += sign * Q(inv) * force[c];
  u[3] -= sign * (w[0] * moment[0] + w[1] * moment[1] + w[2] * moment[2]);
  u[4] -= sign * (w[1] * moment[0] + w[3] * moment[1] + w[4] * moment[2]);
  u[5] -= sign * (w[2] * moment[0] + w[4] * moment[1] + w[5] * moment[2]);
}

/* u += W G' p at the velocities U_A and U_B of the bodies. */
unfolded void push(hn_four *four, const quad *p, double *W, quad *u_a, quad *u_b)
{
  quad force[3];
  for (int c = 0; c < 3; c++)
    force[c] = Q(four->e[c]) * p[0] + Q(four->e[3 + c]) * p[1] + Q(four->e[6 + c]) * p[2];
  push_side(force, -1.0, four->inv_a, four->arm_a, four->a, W, u_a);
  push_side(force, 1.0, four->inv_b, four->arm_b, four->b, W, u_b);
}

/* One contact that slides, by itself (local.h). */
static void slide(const hn_four *four, hn_four_rest *rest, int i, const double v[3], double p[3])
{
  hn_local local = { .mu = four->mu[i], .inv_normal = four->inv_normal[i], .d = { four->d[0][i], four->d[1][i] },
                     .l = { rest->l[0][i], rest->l[1][i] }, .inv_l = { four->inv_l[0][i], four->inv_l[1][i] },
                     .s = rest->s[i] };
  hn_local_solve(&local, 3, v, p);
  rest->s[i] = local.s;
}

/* P from the velocities V at OLD: of what sticks or is open at once, as in local.h. */
unfolded void solve(hn_four *four, hn_four_rest *rest, const quad *v, const quad *old, quad *p)
{
  const quad d0 = Q(four->d[0]), d1 = Q(four->d[1]), c = old[0] - Q(four->inv_normal) * v[0] - d0 * old[1] - d1 * old[2];
  const quad t1 = old[1] - (v[1] + d0 * v[0]) * Q(four->inv_l[0]), t2 = old[2] - (v[2] + d1 * v[0]) * Q(four->inv_l[1]);
  const quad n = c + d0 * t1 + d1 * t2, most = Q(four->mu) * n;
  const mask moves = Q(four->inv_normal) > 0.0, open = c <= 0.0;
  const mask sticks = moves & ~open & (n > 0.0) & (t1 * t1 + t2 * t2 <= most * most), slides = moves & ~(open | sticks);
  p[0] = WHERE(sticks, n) + WHERE(~moves, old[0]);
  p[1] = WHERE(sticks, t1) + WHERE(~moves, old[1]);
  p[2] = WHERE(sticks, t2) + WHERE(~moves, old[2]);
  if (!(slides[0] | slides[1] | slides[2] | slides[3])) return;
  for (int i = 0; i < HN_FOUR; i++) {
    const double at[3] = { v[0][i], v[1][i], v[2][i] };
    double found[3] = { old[0][i], old[1][i], old[2][i] };
    if (!slides[i]) continue;
    slide(four, rest, i, at, found);
    for (int r = 0; r < 3; r++) p[r][i] = found[r];
  }
}

unfolded double visit(hn_four *four, hn_four_rest *rest, double relaxation, double *W, double *u)
{
  quad u_a[6], u_b[6], v[3], old[3], step[3], change;
  gather(u, four->a, u_a), gather(u, four->b, u_b);
  find_rates(four, u_a, u_b, v);
  for (int r = 0; r < 3; r++) old[r] = Q(four->p[r]);
  solve(four, rest, v, old, step);
  for (int r = 0; r < 3; r++) {
    step[r] = relaxation * (step[r] - old[r]);
    Q(four->p[r]) = old[r] + step[r];
  }
  push(four, step, W, u_a, u_b);
  scatter(u, four->a, u_a), scatter(u, four->b, u_b);
  change = (step[0] * step[0] + step[1] * step[1] + step[2] * step[2]) * (Q(four->scale) * Q(four->scale));
  double largest = change[0];
  for (int i = 1; i < HN_FOUR; i++)
    if (exceeds(change[i], largest)) largest = change[i];
  return largest;
}

double hn_four_visit_anywhere(hn_four *four, hn_four_rest *rest, double relaxation, double *W, double *u)
{
  return visit(four, rest, relaxation, W, u);
}

#if defined __x86_64__ && defined __GNUC__

/* Without the fused operations that later processors have as well, which round once less. */
__attribute__((target("avx2"))) static double visit_wide(hn_four *four, hn_four_rest *rest, double relaxation,
                                                         double *W, double *u)
{
  return visit(four, rest, relaxation, W, u);
}

hn_four_visit *hn_four_visitor(void)
{
  return __builtin_cpu_supports("avx2") ? visit_wide : hn_four_visit_anywhere;
}

#else

hn_four_visit *hn_four_visitor(void)
{
  return hn_four_visit_anywhere;
}

#endif

/* ---- In and out -------------------------------------------------------------------------------------------------- */

bool hn_four_prepare(hn_four *four, hn_four_rest *rest, const hn_problem *problem, const int *block, int count,
                     const double *p, double *W, double *u)
{
  quad u_a[6], u_b[6], impulse[3];
  bool finite = true;
  if (count < HN_FOUR) memset(four, 0, sizeof *four), memset(rest, 0, sizeof *rest);
  for (int i = count; i < HN_FOUR; i++) four->a[i] = four->b[i] = problem->nbody, rest->block[i] = -1;
  for (int i = 0; i < count; i++) finite = take_block(four, rest, problem, block[i], i, p) && finite;
  gather(u, four->a, u_a), gather(u, four->b, u_b);
  for (int r = 0; r < 3; r++) impulse[r] = Q(four->p[r]);
  push(four, impulse, W, u_a, u_b);
  scatter(u, four->a, u_a), scatter(u, four->b, u_b);
  return finite;
}

void hn_four_impulses(const hn_four *four, const hn_four_rest *rest, const hn_problem *problem, double *p)
{
  for (int i = 0; i < HN_FOUR && rest->block[i] >= 0; i++) {
    double *of = p + problem->block[rest->block[i]].row;
    const double back[2] = { rest->turn[0][i], -rest->turn[1][i] };
    for (int r = 0; r < 3; r++) of[r] = four->p[r][i];
    turn(back, &of[1], &of[2]);
  }
}
