/* four_prepare.c - contacts side by side from the rows of a problem, and their impulses back (see four_contacts.h). */
#include "contact/pgs/four_contacts.h"
#include "contact/pgs/four_side.h"

#include <string.h>

/* Row r of a block has the numbers 3 c + r: of its axis, and of its moments on either side, e x arm_a and arm_b x e. */
typedef struct rows {
  quad e[9], moment_a[9], moment_b[9];
} rows;

enum { SIDE = 18, MOMENT = 9 }; /* numbers of G of one side, and in it */

unfolded void take_rows(const double *const G[HN_FOUR], rows *to)
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
unfolded void find_arm(const quad *e, const quad *moment, double scale, hn_each *arm)
{
  for (int c = 0; c < 3; c++) {
    const int i = 3 * ((c + 1) % 3), k = 3 * ((c + 2) % 3);
    quad sum = { 0 };
    for (int r = 0; r < 3; r++) sum += e[i + r] * moment[k + r] - e[k + r] * moment[i + r];
    Q(arm[c]) = scale * sum;
  }
}

/* D[r, c], c <= r, += moment_r . W moment_c */
unfolded void add_moments(const hn_four_side *side, const quad *moment, quad D[3][3])
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
unfolded void find_local(quad D[3][3], const mask *there, hn_four_point *point, hn_four_rest *rest)
{
  const mask moves = *there & (D[0][0] > 0.0);
  const quad none = { 0 }, one = none + 1.0, least = 1e-13 * D[0][0], inv = WHERE(moves, 1.0 / D[0][0]);
  const quad b1 = D[1][0] * inv, b2 = D[2][0] * inv, S12 = D[2][1] - b2 * D[1][0];
  quad S11 = D[1][1] - b1 * D[1][0], S22 = D[2][2] - b2 * D[2][0];
  const mask turns = moves & (S12 != 0.0); /* Jacobi's rotation */
  const quad theta = 0.5 * (S22 - S11) / S12, square = theta * theta + 1.0;
  const quad t = WHERE(turns, CHOOSE(theta < 0.0, -one, one) / (SIZE_OF(theta) + ROOT(square))),
             root = t * t + 1.0;
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

/* Numbers ONE and TWO of rows 1 and 2 into the tangents of REST: to X and Y. */
unfolded void turn(const hn_four_rest *rest, const quad *one, const quad *two, hn_each x, hn_each y)
{
  Q(x) = Q(rest->turn[0]) * *one + Q(rest->turn[1]) * *two,
  Q(y) = Q(rest->turn[0]) * *two - Q(rest->turn[1]) * *one;
}

/* Three numbers of each of four, which are three that follow each other and begin there. */
unfolded void take_rates(const double *const x[HN_FOUR], const hn_four_rest *rest, hn_each to[3])
{
  const quad one = { x[0][1], x[1][1], x[2][1], x[3][1] }, two = { x[0][2], x[1][2], x[2][2], x[3][2] };
  Q(to[0]) = (quad){ x[0][0], x[1][0], x[2][0], x[3][0] };
  turn(rest, &one, &two, to[1], to[2]);
}

/* Where the numbers of contact K of each run begin; of those that have none they are 0. */
typedef struct places {
  const double *G[HN_FOUR], *b[HN_FOUR], *p[HN_FOUR];
  quad mu;
  mask there;
} places;

static void find_places(const hn_four *four, int k, const hn_problem *problem, const double *p, places *at)
{
  static const double none[2 * SIDE] = { 0 };
  double mu[HN_FOUR];
  for (int i = 0; i < HN_FOUR; i++) {
    const hn_problem_block *block = &problem->block[four->first[i] + k];
    const bool there = k < four->count[i];
    at->G[i] = there ? problem->G + 12 * (size_t)block->row : none;
    at->b[i] = there ? problem->b + block->row : none, at->p[i] = there ? p + block->row : none;
    mu[i] = there ? block->set.mu : 0.0;
  }
  at->mu = (quad){ mu[0], mu[1], mu[2], mu[3] };
  at->there = (mask){ -(k < four->count[0]), -(k < four->count[1]), -(k < four->count[2]),
                      -(k < four->count[3]) };
}

/* Contact K of each run; false: what should be numbers is none. */
unfolded bool take_point(hn_four *four, int k, const hn_problem *problem, const double *p,
                         const hn_four_side *a, const hn_four_side *b)
{
  hn_four_point *point = &four->point[k];
  hn_four_rest *rest = &four->rest[k];
  quad D[3][3] = { { { 0 } } };
  const quad inv = a->inv + b->inv;
  places at;
  rows of;
  find_places(four, k, problem, p, &at);
  take_rows(at.G, &of);
  find_arm(of.e, of.moment_a, -0.5, point->arm_a), find_arm(of.e, of.moment_b, 0.5, point->arm_b);
  add_moments(a, of.moment_a, D), add_moments(b, of.moment_b, D);
  for (int r = 0; r < 3; r++) D[r][r] += inv;
  const quad trace = D[0][0] + D[1][1] + D[2][2];
  Q(point->mu) = at.mu, Q(point->scale) = CHOOSE(trace == 0.0, inv * 0.0 + 1.0, trace / 3.0);
  find_local(D, &at.there, point, rest);
  for (int c = 0; c < 3; c++) {
    Q(point->e[c]) = of.e[3 * c];
    turn(rest, &of.e[3 * c + 1], &of.e[3 * c + 2], point->e[3 + c], point->e[6 + c]);
  }
  take_rates(at.b, rest, point->bias), take_rates(at.p, rest, point->p);
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
    four->inv_a[i] = there ? problem->inv_mass[block->a] : 0.0,
    four->inv_b[i] = there ? problem->inv_mass[block->b] : 0.0;
    if (four->count[i] > four->most) four->most = four->count[i];
  }
}

unfolded bool take_points(hn_four *four, const hn_problem *problem, const double *p, double *W, double *u)
{
  hn_four_side a, b;
  bool finite = true;
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

static bool take_anywhere(hn_four *four, const hn_problem *problem, const double *p, double *W, double *u)
{
  return take_points(four, problem, p, W, u);
}

WIDE static bool take_wide(hn_four *four, const hn_problem *problem, const double *p, double *W, double *u)
{
  return take_points(four, problem, p, W, u);
}

bool hn_four_prepare(hn_four *four, const hn_problem *problem, const hn_run *run, int count, const double *p,
                     double *W, double *u)
{
  take_runs(four, problem, run, count);
  return (IS_WIDE() ? take_wide : take_anywhere)(four, problem, p, W, u);
}

void hn_four_impulses(const hn_four *four, const hn_problem *problem, double *p)
{
  for (int i = 0; i < HN_FOUR; i++)
    for (int k = 0; k < four->count[i]; k++) {
      const hn_four_point *point = &four->point[k];
      const double c = four->rest[k].turn[0][i], s = four->rest[k].turn[1][i], x = point->p[1][i],
                   y = point->p[2][i];
      double *of = p + problem->block[four->first[i] + k].row;
      of[0] = point->p[0][i], of[1] = c * x - s * y, of[2] = c * y + s * x;
    }
}
