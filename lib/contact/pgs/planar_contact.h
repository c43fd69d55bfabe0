/* planar_contact.h - contacts with friction of two bodies in the plane z = 0, where three numbers of
 * each body matter. Internal.
 *
 * Rows of G are packed as x, y and the turn of G_a, then of G_b, both rows side by side; behind them x, y of
 * W G_a' and of W G_b', and both turns, of the first row, then of the second. What is solved exactly
 * (contact/local_coulomb.h) has all that a visit needs in one place, with the bits of the general way: contacts of a stack
 * wait for each other, and every operation on the way from one to the next is waited for. */
#ifndef HN_PLANAR_CONTACT_H
#define HN_PLANAR_CONTACT_H

#include "base/lane.h"
#include "contact/local_coulomb.h"
#include "contact/pgs/quad.h"

typedef struct hn_flat {
  double rows[24];
  double b[2], p[2];
  double inv_normal, d, l, inv_l, mu, square_stick; /* as in hn_local; stick^2 */
  double scale;                                     /* m/s an N s */
  double *u_a, *u_b;                                /* NULL: the block is not of this kind */
} hn_flat;

/* The rows of a block of PROBLEM and its part D of K, of 2 rows; false where it is not of this kind. */
static inline bool hn_flat_pack(const hn_problem *problem, const hn_problem_block *block, double *rows,
                                double *D)
{
  const double *G = problem->G + 12 * (size_t)block->row, *T = problem->T + 12 * (size_t)block->row;
  if (block->n != 2 || block->a == block->b) return false;
  for (int side = 0; side < 24; side += 12)
    for (int i = 2; i < 5; i++)
      if (G[side + 2 * i] != 0.0 || G[side + 2 * i + 1] != 0.0 || T[side + i] != 0.0 ||
          T[side + 6 + i] != 0.0)
        return false;
  for (int side = 0; side < 2; side++, G += 12, T += 12) {
    double *g = rows + 6 * side;
    lane_store(g, lane_load(G)), lane_store(g + 2, lane_load(G + 2)), lane_store(g + 4, lane_load(G + 10));
    for (int r = 0; r < 2; r++) {
      double *t = rows + 12 + 6 * r;
      lane_store(t + 2 * side, lane_load(T + 6 * r)), t[4 + side] = T[6 * r + 5];
    }
  }
  for (int r = 0; r < 2; r++)
    for (int c = 0; c <= r; c++) {
      const double *g = rows + r, *t = rows + 12 + 6 * c;
      const double x = g[0] * t[0] + g[6] * t[2];
      const double y = g[2] * t[1] + (g[4] * t[4] + g[8] * t[3]) + g[10] * t[5];
      D[2 * r + c] = D[2 * c + r] = x + y;
    }
  return true;
}

/* v = G u + b. */
unfolded lane hn_flat_rates(const double *G, const double *a, const double *b, lane bias)
{
  lane of_a = lane_load(G + 2) * a[1] + lane_load(G + 4) * a[5],
       of_b = lane_load(G + 6) * b[0] + lane_load(G + 8) * b[1];
  lane one = (bias + lane_load(G) * a[0]) + of_a, two = of_b + lane_load(G + 10) * b[5];
  return one + two;
}

/* u += T p. */
unfolded void hn_flat_push(const double *T, double p0, double p1, double *a, double *b)
{
  const lane turns = { a[5], b[5] }, turned = turns + (lane_load(T + 4) * p0 + lane_load(T + 10) * p1);
  lane_store(a, lane_load(a) + (lane_load(T) * p0 + lane_load(T + 6) * p1));
  lane_store(b, lane_load(b) + (lane_load(T + 2) * p0 + lane_load(T + 8) * p1));
  a[5] = turned[0], b[5] = turned[1];
}

/* The impulse that solves: hn_local_solve with these numbers. */
unfolded void hn_flat_solve(const hn_flat *flat, lane v, double *normal, double *along)
{
  const double c = flat->p[0] - flat->inv_normal * v[0] - flat->d * flat->p[1];
  const double z = flat->l * flat->p[1] - v[1] - flat->d * v[0];
  *normal = *along = 0.0;
  if (c <= 0.0) return;
  const double t = z * flat->inv_l, n = c + flat->d * t;
  if (n > 0.0 && t * t <= flat->square_stick * n * n) {
    *normal = n, *along = t;
  } else if (flat->mu == 0.0) {
    *normal = c;
  } else {
    const double side = z < 0.0 ? -flat->mu : flat->mu;
    *normal = c / (1.0 - flat->d * side), *along = side * *normal;
  }
}

/* One visit: the size of the change of the impulse as a velocity, squared. */
unfolded double hn_flat_visit(hn_flat *flat)
{
  double normal, along;
  hn_flat_solve(flat, hn_flat_rates(flat->rows, flat->u_a, flat->u_b, lane_load(flat->b)), &normal, &along);
  const double step[2] = { normal - flat->p[0], along - flat->p[1] };
  flat->p[0] += step[0], flat->p[1] += step[1];
  hn_flat_push(flat->rows + 12, step[0], step[1], flat->u_a, flat->u_b);
  return (step[0] * step[0] + step[1] * step[1]) * flat->scale * flat->scale;
}

#endif
