/* planar_contact.h - contacts with friction between two bodies in the plane z = 0, solved exactly. Internal.
 *
 * Only x, y and the rotation about z of each body matter. The 24 numbers of a block are: the columns x, y and
 * rotation of G_a, then of G_b, both rows side by side; x, y of W G_a' and of W G_b' and both rotations for
 * the first row, then for the second. All data of a visit are contiguous: in a stack each contact waits for
 * the previous one, so latency dominates. The result has the bits of the general visit (single_block.c,
 * local_coulomb.h). */
#ifndef HN_PLANAR_CONTACT_H
#define HN_PLANAR_CONTACT_H

#include "base/lane.h"
#include "contact/block_rows.h"
#include "contact/local_coulomb.h"
#include "base/quad.h"

typedef struct hn_planar {
  double rows[24];
  double b[2], p[2];
  double inv_normal, d, l, inv_l, mu, square_stick; /* as in hn_local; stick^2 */
  double scale;                                     /* 1/kg, mean diagonal of the block of K */
  double *u_a, *u_b; /* velocities of the bodies; NULL: not a contact of this kind */
} hn_planar;

/* Packs the rows of a block and computes its diagonal block D of K. Returns false, packing nothing, if the
 * block is not of this kind. */
static inline bool hn_planar_pack(const hn_problem *problem, const hn_problem_block *block, double *rows,
                                  double *D)
{
  if (block->n != 2 || block->a == block->b) return false;
  double room[12 * HN_MAX_ROWS];
  const double *G = problem->G + 12 * (size_t)block->row, *T = hn_rows_responses(problem, block, room);
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

/* Returns v = G u + b. */
inlined lane hn_planar_velocities(const double *G, const double *a, const double *b, lane bias)
{
  lane of_a = lane_load(G + 2) * a[1] + lane_load(G + 4) * a[5],
       of_b = lane_load(G + 6) * b[0] + lane_load(G + 8) * b[1];
  lane one = (bias + lane_load(G) * a[0]) + of_a, two = of_b + lane_load(G + 10) * b[5];
  return one + two;
}

/* Adds T p to the velocities of both bodies. */
inlined void hn_planar_push(const double *T, double p0, double p1, double *a, double *b)
{
  const lane turns = { a[5], b[5] }, turned = turns + (lane_load(T + 4) * p0 + lane_load(T + 10) * p1);
  lane_store(a, lane_load(a) + (lane_load(T) * p0 + lane_load(T + 6) * p1));
  lane_store(b, lane_load(b) + (lane_load(T + 2) * p0 + lane_load(T + 8) * p1));
  a[5] = turned[0], b[5] = turned[1];
}

/* Computes the impulse of the contact; equivalent of hn_local_solve. */
inlined void hn_planar_solve(const hn_planar *planar, lane v, double *normal, double *tangential)
{
  const double c = planar->p[0] - planar->inv_normal * v[0] - planar->d * planar->p[1];
  const double z = planar->l * planar->p[1] - v[1] - planar->d * v[0];
  *normal = *tangential = 0.0;
  if (c <= 0.0) return;
  const double t = z * planar->inv_l, n = c + planar->d * t;
  if (n > 0.0 && t * t <= planar->square_stick * n * n) {
    *normal = n, *tangential = t;
  } else if (planar->mu == 0.0) {
    *normal = c;
  } else {
    const double side = z < 0.0 ? -planar->mu : planar->mu;
    *normal = c / (1.0 - planar->d * side), *tangential = side * *normal;
  }
}

/* Visits a contact; returns the square of the change of its impulse, as a velocity. */
inlined double hn_planar_visit(hn_planar *planar)
{
  double normal, tangential;
  hn_planar_solve(planar, hn_planar_velocities(planar->rows, planar->u_a, planar->u_b, lane_load(planar->b)),
                  &normal, &tangential);
  const double step[2] = { normal - planar->p[0], tangential - planar->p[1] };
  planar->p[0] += step[0], planar->p[1] += step[1];
  hn_planar_push(planar->rows + 12, step[0], step[1], planar->u_a, planar->u_b);
  return (step[0] * step[0] + step[1] * step[1]) * planar->scale * planar->scale;
}

#endif
