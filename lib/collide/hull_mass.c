/* hull_mass.c - mass, centre of mass and moments of hulls.
 *
 * Applies the divergence theorem twice: volume integrals become integrals over faces, these become integrals
 * over the projection of the face on the coordinate plane where it is largest, and those become sums over
 * edges. [Mirtich, Fast and accurate computation of polyhedral mass properties, J. Graphics Tools 1 (1996)
 * 31] Coordinates are relative to the mean of the vertices, so that a distant origin of the shape causes no
 * cancellation. */
#include "collide/hull.h"
#include "base/vec.h"

#include <string.h>

/* Integrals over the projection of a face on the plane (a, b): of 1, a, a^2, a^3, b, ..., and of products. */
typedef struct projection {
  double one, a, aa, aaa, b, bb, bbb, ab, aab, abb;
} projection;

/* Integrals over the volume: of 1, x, x^2, and of x y, y z, z x. */
typedef struct volume {
  double one, x[3], xx[3], xy[3];
} volume;

/* Adds the edge from (a0, b0) to (a1, b1). [Mirtich, eqs. 24-31] */
static void add_edge(projection *P, double a0, double b0, double a1, double b1)
{
  double da = a1 - a0, db = b1 - b0;
  double a02 = a0 * a0, a03 = a02 * a0, a04 = a03 * a0, b02 = b0 * b0, b03 = b02 * b0, b04 = b03 * b0;
  double a12 = a1 * a1, a13 = a12 * a1, b12 = b1 * b1, b13 = b12 * b1;
  double C1 = a1 + a0, Ca = a1 * C1 + a02, Caa = a1 * Ca + a03, Caaa = a1 * Caa + a04;
  double Cb = b1 * (b1 + b0) + b02, Cbb = b1 * Cb + b03, Cbbb = b1 * Cbb + b04;
  double Cab = 3 * a12 + 2 * a1 * a0 + a02, Kab = a12 + 2 * a1 * a0 + 3 * a02;
  double Caab = a0 * Cab + 4 * a13, Kaab = a1 * Kab + 4 * a03;
  double Cabb = 4 * b13 + 3 * b12 * b0 + 2 * b1 * b02 + b03,
         Kabb = b13 + 2 * b12 * b0 + 3 * b1 * b02 + 4 * b03;
  P->one += db * C1 / 2;
  P->a += db * Ca / 6, P->aa += db * Caa / 12, P->aaa += db * Caaa / 20;
  P->b -= da * Cb / 6, P->bb -= da * Cbb / 12, P->bbb -= da * Cbbb / 20;
  P->ab += db * (b1 * Cab + b0 * Kab) / 24;
  P->aab += db * (b1 * Caab + b0 * Kaab) / 60;
  P->abb -= da * (a1 * Cabb + a0 * Kabb) / 60;
}

/* Adds face F; on it coordinate c is (-na a - nb b - w)/nc. [Mirtich, eqs. 14-22 and 9-11] */
static void add_face(const hn_hull *hull, int f, volume *V)
{
  const double *n = hull->normal + 3 * f;
  int c = fabs(n[0]) > fabs(n[1]) && fabs(n[0]) > fabs(n[2]) ? 0 : fabs(n[1]) > fabs(n[2]) ? 1 : 2;
  int a = (c + 1) % 3, b = (a + 1) % 3, start = hull->face_start[f], end = hull->face_start[f + 1];
  projection P = { 0 };
  for (int i = start; i < end; i++) {
    double p[3], q[3];
    vec_sub(p, hull->vertex + 3 * hull->face_vertex[i], hull->centre);
    vec_sub(q, hull->vertex + 3 * hull->face_vertex[i + 1 < end ? i + 1 : start], hull->centre);
    add_edge(&P, p[a], p[b], q[a], q[b]);
  }
  double w = vec_dot(n, hull->centre) - hull->offset[f], na = n[a], nb = n[b];
  double k1 = 1 / n[c], k2 = k1 * k1, k3 = k2 * k1, k4 = k3 * k1;
  double Fa = k1 * P.a, Fb = k1 * P.b, Fc = -k2 * (na * P.a + nb * P.b + w * P.one);
  double Faa = k1 * P.aa, Fbb = k1 * P.bb;
  double Fcc = k3 * (na * na * P.aa + 2 * na * nb * P.ab + nb * nb * P.bb +
                     w * (2 * (na * P.a + nb * P.b) + w * P.one));
  double Faaa = k1 * P.aaa, Fbbb = k1 * P.bbb;
  double Fccc = -k4 * (na * na * na * P.aaa + 3 * na * na * nb * P.aab + 3 * na * nb * nb * P.abb +
                       nb * nb * nb * P.bbb + 3 * w * (na * na * P.aa + 2 * na * nb * P.ab + nb * nb * P.bb) +
                       w * w * (3 * (na * P.a + nb * P.b) + w * P.one));
  double Faab = k1 * P.aab, Fbbc = -k2 * (na * P.abb + nb * P.bbb + w * P.bb);
  double Fcca = k3 * (na * na * P.aaa + 2 * na * nb * P.aab + nb * nb * P.abb +
                      w * (2 * (na * P.aa + nb * P.ab) + w * P.a));
  V->one += n[0] * (a == 0 ? Fa : b == 0 ? Fb : Fc);
  V->x[a] += na * Faa / 2, V->x[b] += nb * Fbb / 2, V->x[c] += n[c] * Fcc / 2;
  V->xx[a] += na * Faaa / 3, V->xx[b] += nb * Fbbb / 3, V->xx[c] += n[c] * Fccc / 3;
  V->xy[a] += na * Faab / 2, V->xy[b] += nb * Fbbc / 2, V->xy[c] += n[c] * Fcca / 2;
}

/* Adds one side of a polygon: area, first and second moments of its triangle with the centre. */
static void add_side(const hn_hull *hull, int f, volume *V)
{
  double p[3], q[3];
  vec_sub(p, hull->vertex + 3 * hull->face_vertex[2 * f], hull->centre);
  vec_sub(q, hull->vertex + 3 * hull->face_vertex[2 * f + 1], hull->centre);
  double area = (p[0] * q[1] - p[1] * q[0]) / 2;
  V->one += area;
  for (int i = 0; i < 2; i++) {
    V->x[i] += area * (p[i] + q[i]) / 3;
    V->xx[i] += area * (p[i] * p[i] + p[i] * q[i] + q[i] * q[i]) / 6;
  }
}

void hn_hull_mass(const hn_hull *hull, double density, double *mass, double centre[3], double J[6])
{
  volume V = { 0 };
  bool polygon = hull->nedge == 0;
  double r[3];
  for (int f = 0; f < hull->nface; f++)
    if (polygon) add_side(hull, f, &V);
    else add_face(hull, f, &V);
  *mass = density * V.one;
  vec_scale(r, 1 / V.one, V.x);
  vec_add(centre, hull->centre, r);
  for (int i = 0; i < 6; i++) J[i] = 0;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    if (polygon && i < 2) continue;
    J[i] = density * (V.xx[j] + V.xx[k] - V.one * (r[j] * r[j] + r[k] * r[k]));
  }
  if (polygon) return;
  J[3] = density * (V.xy[0] - V.one * r[0] * r[1]); /* x y, from face integrals of a^2 b with a = x */
  J[4] = density * (V.xy[2] - V.one * r[2] * r[0]);
  J[5] = density * (V.xy[1] - V.one * r[1] * r[2]);
}
