/* four_prepare.c - contacts side by side from the rows of a problem, and their impulses back (see four.h). */
#include "contact/four.h"
#include "contact/four_side.h"

#include <string.h>

/* Row r of a block has the numbers 3 c + r: of its axis, and of its moments on either side, e x arm_a and arm_b x e. */
typedef struct rows {
  quad e[9], moment_a[9], moment_b[9];
} rows;

enum { SIDE = 18, MOMENT = 9 }; /* numbers of G of one side, and in it */

static void take_rows(const double *const G[HN_FOUR], rows *to)
{
  enum { FIRST = MOMENT - 1, COUNT = 2 * SIDE - FIRST }; /* four at a time */
  quad all[COUNT];
  for (int k = 0; k < COUNT; k += HN_FOUR)
    quad_transpose(G[0] + FIRST + k, G[1] + FIRST + k, G[2] + FIRST + k, G[3] + FIRST + k, all + k);
  memcpy(to->moment_a, all + MOMENT - FIRST, sizeof to->moment_a);
  memcpy(to->e, all + SIDE - FIRST, sizeof to->e);
  memcpy(to->moment_b, all + SIDE + MOMENT - FIRST, sizeof to->moment_b);
}

/* Half the sum of e x (arm x e) over three axes e: the arm. */
static void find_arm(const quad *e, const quad *moment, double scale, hn_each *arm)
{
  for (int c = 0; c < 3; c++) {
    const int i = 3 * ((c + 1) % 3), k = 3 * ((c + 2) % 3);
    quad sum = { 0 };
    for (int r = 0; r < 3; r++) sum += e[i + r] * moment[k + r] - e[k + r] * moment[i + r];
    Q(arm[c]) = scale * sum;
  }
}

/* D[r, c], c <= r, += moment_r . W moment_c */
static void add_moments(const hn_four_side *side, const quad *moment, quad D[3][3])
{
  const quad *w = side->W;
  for (int c = 0; c < 3; c++) {
    const quad x = moment[c], y = moment[3 + c], z = moment[6 + c];
    const quad turned[3] = { w[0] * x + w[1] * y + w[2] * z, w[1] * x + w[3] * y + w[4] * z,
                             w[2] * x + w[4] * y + w[5] * z };
    for (int r = c; r < 3; r++)
      D[r][c] += moment[r] * turned[0] + moment[3 + r] * turned[1] + moment[6 + r] * turned[2];
  }
}

/* hn_local_prepare from D, the lower triangle, of those that are THERE. */
static void find_local(quad D[3][3], mask there, hn_four_point *point, hn_four_rest *rest)
{
  const mask moves = there & (D[0][0] > 0.0);
  const quad none = { 0 }, one = none + 1.0, least = 1e-13 * D[0][0], inv = WHERE(moves, 1.0 / D[0][0]);
  const quad b1 = D[1][0] * inv, b2 = D[2][0] * inv, S12 = D[2][1] - b2 * D[1][0];
  quad S11 = D[1][1] - b1 * D[1][0], S22 = D[2][2] - b2 * D[2][0];
  const mask turns = moves & (S12 != 0.0); /* Jacobi's rotation */
  const quad theta = 0.5 * (S22 - S11) / S12, square = theta * theta + 1.0;
  const quad t = WHERE(turns, CHOOSE(theta < 0.0, -one, one) / (SIZE_OF(theta) + ROOT(square))), root = t * t + 1.0;
  const quad cosine = 1.0 / ROOT(root), sine = -t * cosine;
  S11 -= WHERE(turns, t * S12), S22 += WHERE(turns, t * S12);
  const quad l[2] = { CHOOSE(S11 > least, S11, least), CHOOSE(S22 > least, S22, least) };
  Q(point->inv_normal) = inv;
  Q(point->d[0]) = -(cosine * b1 + sine * b2), Q(point->d[1]) = -(cosine * b2 - sine * b1);
  for (int i = 0; i < 2; i++) {
    Q(rest->l[i]) = WHERE(moves, l[i]), Q(point->inv_l[i]) = WHERE(moves, 1.0 / l[i]);
    Q(rest->turn[i]) = i == 0 ? cosine : sine;
  }
  Q(rest->s) = none;
}

/* Numbers of rows 1 and 2 into the tangents of REST. */
static void turn(const hn_four_rest *rest, hn_each one, hn_each two)
{
  const quad x = Q(one), y = Q(two);
  Q(one) = Q(rest->turn[0]) * x + Q(rest->turn[1]) * y, Q(two) = Q(rest->turn[0]) * y - Q(rest->turn[1]) * x;
}

/* Contact K of each run; false: what should be numbers is none. */
static bool take_point(hn_four *four, int k, const hn_problem *problem, const double *p, const hn_four_side *a,
                       const hn_four_side *b)
{
  static const double none[2 * SIDE] = { 0 };
  hn_four_point *point = &four->point[k];
  const double *G[HN_FOUR];
  quad D[3][3] = { { { 0 } } }, inv = a->inv + b->inv;
  mask there;
  rows of;
  for (int i = 0; i < HN_FOUR; i++) {
    const hn_problem_block *block = k < four->count[i] ? &problem->block[four->first[i] + k] : NULL;
    G[i] = block ? problem->G + 12 * (size_t)block->row : none, there[i] = block ? -1 : 0;
    point->mu[i] = block ? block->set.mu : 0.0;
    for (int r = 0; r < 3; r++)
      point->bias[r][i] = block ? problem->b[block->row + r] : 0.0, point->p[r][i] = block ? p[block->row + r] : 0.0;
  }
  take_rows(G, &of);
  find_arm(of.e, of.moment_a, -0.5, point->arm_a), find_arm(of.e, of.moment_b, 0.5, point->arm_b);
  add_moments(a, of.moment_a, D), add_moments(b, of.moment_b, D);
  for (int r = 0; r < 3; r++) {
    D[r][r] += inv;
    for (int c = 0; c < 3; c++) Q(point->e[3 * r + c]) = of.e[3 * c + r];
  }
  const quad trace = D[0][0] + D[1][1] + D[2][2];
  Q(point->scale) = CHOOSE(trace == 0.0, inv * 0.0 + 1.0, trace / 3.0);
  find_local(D, there, point, &four->rest[k]);
  for (int c = 0; c < 3; c++) turn(&four->rest[k], point->e[3 + c], point->e[6 + c]);
  turn(&four->rest[k], point->bias[1], point->bias[2]), turn(&four->rest[k], point->p[1], point->p[2]);
  return isfinite(trace[0] + trace[1] + trace[2] + trace[3]);
}

static void take_runs(hn_four *four, const hn_problem *problem, const hn_run *run, int count)
{
  four->most = 0;
  for (int i = 0; i < HN_FOUR; i++) {
    const bool there = i < count;
    const hn_problem_block *block = there ? &problem->block[run[i].first] : NULL;
    four->first[i] = there ? run[i].first : 0, four->count[i] = there ? run[i].count : 0;
    four->a[i] = there ? block->a : problem->nbody, four->b[i] = there ? block->b : problem->nbody;
    four->inv_a[i] = there ? problem->inv_mass[block->a] : 0.0, four->inv_b[i] = there ? problem->inv_mass[block->b] : 0.0;
    if (four->count[i] > four->most) four->most = four->count[i];
  }
}

bool hn_four_prepare(hn_four *four, const hn_problem *problem, const hn_run *run, int count, const double *p, double *W,
                     double *u)
{
  hn_four_side a, b;
  bool finite = true;
  take_runs(four, problem, run, count);
  four_open(four, W, u, &a, &b);
  for (int k = 0; k < four->most; k++) {
    hn_four_point *point = &four->point[k];
    finite = take_point(four, k, problem, p, &a, &b) && finite;
    const quad impulse[3] = { Q(point->p[0]), Q(point->p[1]), Q(point->p[2]) };
    four_push(point, impulse, &a, &b);
  }
  four_close(four, u, &a, &b);
  return finite;
}

void hn_four_impulses(const hn_four *four, const hn_problem *problem, double *p)
{
  for (int i = 0; i < HN_FOUR; i++)
    for (int k = 0; k < four->count[i]; k++) {
      const hn_four_point *point = &four->point[k];
      const double c = four->rest[k].turn[0][i], s = four->rest[k].turn[1][i], x = point->p[1][i], y = point->p[2][i];
      double *of = p + problem->block[four->first[i] + k].row;
      of[0] = point->p[0][i], of[1] = c * x - s * y, of[2] = c * y + s * x;
    }
}
