/* four_prepare.c - conversion of contacts to and from the layout of four_contacts.h. */
#include "contact/pgs/four_contacts.h"
#include "contact/pgs/four_side.h"

#include <string.h>

/* The rows of G, transposed. Row r of a block has the entries 3 c + r: its axis e, and its moments on either
 * side, e x arm_a and arm_b x e. */
typedef struct rows {
  quad e[9], moment_a[9], moment_b[9];
} rows;

enum { SIDE = 18, MOMENT = 9 }; /* entries of G of one side, and offset of the moments */

inlined void load_rows(const double *const G[HN_FOUR], rows *to)
{
  enum { FIRST = MOMENT - 1, COUNT = 2 * SIDE - FIRST }; /* read four at a time */
  quad all[COUNT];
  for (int k = 0; k < COUNT; k += HN_FOUR)
    quad_transpose(G[0] + FIRST + k, G[1] + FIRST + k, G[2] + FIRST + k, G[3] + FIRST + k, all + k);
  memcpy(to->moment_a, all + MOMENT - FIRST, sizeof to->moment_a);
  memcpy(to->e, all + SIDE - FIRST, sizeof to->e);
  memcpy(to->moment_b, all + SIDE + MOMENT - FIRST, sizeof to->moment_b);
}

/* Computes the arm: half the sum of e x (arm x e) over three orthonormal axes e. */
inlined void find_arm(const quad *e, const quad *moment, double scale, hn_double4 *arm)
{
  for (int c = 0; c < 3; c++) {
    const int i = 3 * ((c + 1) % 3), k = 3 * ((c + 2) % 3);
    quad sum = { 0 };
    for (int r = 0; r < 3; r++) sum += e[i + r] * moment[k + r] - e[k + r] * moment[i + r];
    Q(arm[c]) = scale * sum;
  }
}

/* Adds moment_r . W moment_c to the lower triangle of D. */
inlined void add_moments(const hn_four_side *side, const quad *moment, quad D[3][3])
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

/* Equivalent of hn_local_prepare from the lower triangle of D, for the runs that are PRESENT. */
inlined void find_local(quad D[3][3], const mask *present, hn_four_point *point, hn_four_sliding *rest)
{
  const mask movable = *present & (D[0][0] > 0.0);
  const quad zero = { 0 }, one = zero + 1.0, floor = hn_local_floor * D[0][0],
             inv = MASKED(movable, 1.0 / D[0][0]);
  const quad b1 = D[1][0] * inv, b2 = D[2][0] * inv, S12 = D[2][1] - b2 * D[1][0];
  quad S11 = D[1][1] - b1 * D[1][0], S22 = D[2][2] - b2 * D[2][0];
  const mask rotates = movable & (S12 != 0.0); /* Jacobi rotation */
  const quad theta = 0.5 * (S22 - S11) / S12, square = theta * theta + 1.0;
  const quad t = MASKED(rotates, SELECT(theta < 0.0, -one, one) / (ABSOLUTE(theta) + SQUARE_ROOT(square))),
             root = t * t + 1.0;
  const quad cosine = 1.0 / SQUARE_ROOT(root), sine = -t * cosine;
  S11 -= MASKED(rotates, t * S12), S22 += MASKED(rotates, t * S12);
  const quad l[2] = { SELECT(S11 > floor, S11, floor), SELECT(S22 > floor, S22, floor) };
  Q(point->inv_normal) = inv;
  Q(point->d[0]) = -(cosine * b1 + sine * b2), Q(point->d[1]) = -(cosine * b2 - sine * b1);
  for (int i = 0; i < 2; i++) {
    Q(rest->l[i]) = MASKED(movable, l[i]), Q(point->inv_l[i]) = MASKED(movable, 1.0 / l[i]);
    Q(rest->turn[i]) = i == 0 ? cosine : sine;
  }
  Q(point->d[2]) = Q(rest->s) = zero;
}

/* Prepares the rules that solve normal and tangents apart, in the tangents of the problem. */
inlined void find_split(quad D[3][3], int local, const mask *present, hn_four_point *point,
                        hn_four_sliding *rest)
{
  const quad zero = { 0 }, larger = SELECT(D[2][2] > D[1][1], D[2][2], D[1][1]);
  const quad pivot[3] = { D[0][0], local == HN_LOCAL_DISK ? larger : D[1][1],
                          local == HN_LOCAL_DISK ? larger : D[2][2] };
  Q(point->inv_normal) = MASKED(*present & (pivot[0] > 0.0), 1.0 / pivot[0]);
  for (int i = 0; i < 2; i++) {
    Q(point->inv_l[i]) = MASKED(*present & (pivot[1 + i] > 0.0), 1.0 / pivot[1 + i]);
    Q(rest->l[i]) = zero, Q(rest->turn[i]) = zero + (i == 0 ? 1.0 : 0.0);
  }
  Q(point->d[0]) = D[1][0], Q(point->d[1]) = D[2][0], Q(point->d[2]) = D[2][1];
  Q(rest->s) = zero;
}

/* Rotates the entries ONE and TWO of rows 1 and 2 to the tangents of REST: X and Y. */
inlined void rotate(const hn_four_sliding *rest, const quad *one, const quad *two, hn_double4 x, hn_double4 y)
{
  Q(x) = Q(rest->turn[0]) * *one + Q(rest->turn[1]) * *two,
  Q(y) = Q(rest->turn[0]) * *two - Q(rest->turn[1]) * *one;
}

/* Gathers three consecutive numbers of each run and rotates them to the tangents. */
inlined void load_rotated(const double *const x[HN_FOUR], const hn_four_sliding *rest, hn_double4 to[3])
{
  const quad one = { x[0][1], x[1][1], x[2][1], x[3][1] }, two = { x[0][2], x[1][2], x[2][2], x[3][2] };
  Q(to[0]) = (quad){ x[0][0], x[1][0], x[2][0], x[3][0] };
  rotate(rest, &one, &two, to[1], to[2]);
}

/* Pointers to the data of contact K of each run; to zeros for runs that have ended. */
typedef struct sources {
  const double *G[HN_FOUR], *b[HN_FOUR], *p[HN_FOUR];
  quad mu;
  mask present;
} sources;

static void find_sources(const hn_four *four, int k, const hn_problem *problem, const double *p, sources *at)
{
  static const double zero[2 * SIDE] = { 0 };
  double mu[HN_FOUR];
  for (int i = 0; i < HN_FOUR; i++) {
    const hn_problem_block *block = &problem->block[four->first[i] + k];
    const bool present = k < four->count[i];
    at->G[i] = present ? problem->G + 12 * (size_t)block->row : zero;
    at->b[i] = present ? problem->b + block->row : zero, at->p[i] = present ? p + block->row : zero;
    mu[i] = present ? block->set.mu : 0.0;
  }
  at->mu = (quad){ mu[0], mu[1], mu[2], mu[3] };
  at->present = (mask){ -(k < four->count[0]), -(k < four->count[1]), -(k < four->count[2]),
                        -(k < four->count[3]) };
}

/* Prepares contact K of each run; returns false if data are not finite. */
inlined bool prepare_contacts(hn_four *four, int k, const hn_problem *problem, int local, const double *p,
                              const hn_four_side *a, const hn_four_side *b)
{
  hn_four_point *point = &four->point[k];
  hn_four_sliding *rest = &four->rest[k];
  quad D[3][3] = { { { 0 } } };
  const quad inv = a->inv + b->inv;
  sources at;
  rows G;
  find_sources(four, k, problem, p, &at);
  load_rows(at.G, &G);
  find_arm(G.e, G.moment_a, -0.5, point->arm_a), find_arm(G.e, G.moment_b, 0.5, point->arm_b);
  add_moments(a, G.moment_a, D), add_moments(b, G.moment_b, D);
  for (int r = 0; r < 3; r++) D[r][r] += inv;
  const quad trace = D[0][0] + D[1][1] + D[2][2];
  Q(point->mu) = at.mu, Q(point->scale) = SELECT(trace == 0.0, inv * 0.0 + 1.0, trace / 3.0);
  if (local == HN_LOCAL_CONE) find_local(D, &at.present, point, rest);
  else find_split(D, local, &at.present, point, rest);
  for (int c = 0; c < 3; c++) {
    Q(point->e[c]) = G.e[3 * c];
    rotate(rest, &G.e[3 * c + 1], &G.e[3 * c + 2], point->e[3 + c], point->e[6 + c]);
  }
  load_rotated(at.b, rest, point->bias), load_rotated(at.p, rest, point->p);
  return isfinite(trace[0] + trace[1] + trace[2] + trace[3]);
}

static void set_runs(hn_four *four, const hn_problem *problem, const hn_run *run, int count)
{
  four->longest = 0;
  for (int i = 0; i < HN_FOUR; i++) {
    const bool present = i < count;
    const hn_problem_block *block = present ? &problem->block[run[i].first] : NULL;
    four->first[i] = present ? run[i].first : 0, four->count[i] = present ? run[i].count : 0;
    four->a[i] = present ? block->a : problem->nbody, four->b[i] = present ? block->b : problem->nbody;
    four->inv_a[i] = present ? problem->inv_mass[block->a] : 0.0,
    four->inv_b[i] = present ? problem->inv_mass[block->b] : 0.0;
    if (four->count[i] > four->longest) four->longest = four->count[i];
  }
}

inlined bool prepare_all(hn_four *four, const hn_problem *problem, int local, const double *p, double *W,
                         double *u)
{
  hn_four_side a, b;
  bool finite = true;
  load_sides(four, W, u, &a, &b);
  for (int k = 0; k < four->longest; k++) {
    hn_four_point *point = &four->point[k];
    finite = prepare_contacts(four, k, problem, local, p, &a, &b) && finite;
    const quad impulse[3] = { Q(point->p[0]), Q(point->p[1]), Q(point->p[2]) };
    apply_impulse(point, impulse, &a, &b);
  }
  store_sides(four, u, &a, &b);
  return finite;
}

static bool prepare_portable(hn_four *four, const hn_problem *problem, int local, const double *p, double *W,
                             double *u)
{
  return prepare_all(four, problem, local, p, W, u);
}

AVX2_FUNCTION static bool prepare_avx2(hn_four *four, const hn_problem *problem, int local, const double *p,
                                       double *W, double *u)
{
  return prepare_all(four, problem, local, p, W, u);
}

bool hn_four_prepare(hn_four *four, const hn_problem *problem, int local, const hn_run *run, int count,
                     const double *p, double *W, double *u)
{
  set_runs(four, problem, run, count);
  return (HAS_AVX2() ? prepare_avx2 : prepare_portable)(four, problem, local, p, W, u);
}

void hn_four_set(hn_four *four, const hn_problem *problem, const double *p, double *W, double *u)
{
  hn_four_side a, b;
  load_sides(four, W, u, &a, &b);
  for (int k = 0; k < four->longest; k++) {
    hn_four_point *point = &four->point[k];
    sources at;
    find_sources(four, k, problem, p, &at);
    load_rotated(at.p, &four->rest[k], point->p);
    const quad impulse[3] = { Q(point->p[0]), Q(point->p[1]), Q(point->p[2]) };
    apply_impulse(point, impulse, &a, &b);
  }
  store_sides(four, u, &a, &b);
}

void hn_four_impulses(const hn_four *four, const hn_problem *problem, double *p)
{
  for (int i = 0; i < HN_FOUR; i++)
    for (int k = 0; k < four->count[i]; k++) {
      const hn_four_point *point = &four->point[k];
      const double c = four->rest[k].turn[0][i], s = four->rest[k].turn[1][i], x = point->p[1][i],
                   y = point->p[2][i];
      double *impulse = p + problem->block[four->first[i] + k].row;
      impulse[0] = point->p[0][i], impulse[1] = c * x - s * y, impulse[2] = c * y + s * x;
    }
}
