/* saddle_assembly.c - assembly of the matrices of Newton's equations, which are in saddle.h
 * (saddle_assembly.h). */
#include "implicit/saddle_assembly.h"
#include "base/vec.h"

#include <stdlib.h>

void hn_assembly_add(hn_assembly *a, int row, int column, double re, double im)
{
  if (a->place) {
    int *place = a->place[a->count];
    place[0] = a->row + row, place[1] = a->column + column, place[2] = a->count;
  }
  if (a->value) {
    double *value = a->value + a->stride * a->slot[a->count];
    value[0] += re;
    if (a->stride == 2) value[1] += im;
  }
  a->count++;
}

/* ---- Rows of bodies ------------------------------------------------------------------------------------ */

/* Computes W of body I, 6 x 6 but for two blocks: the inverse mass, and the inverse inertia in world axes. */
static void inverse_inertia(const hn_assembly *a, int i, double J[9])
{
  double R[9];
  quat_matrix(R, a->state->pose[i].q);
  mat_congruence(J, R, a->system->model->body[i].inv_J);
}

/* Returns row C of W D, a column of it at a time: W of body I, D 6 x 6, column B. */
static double weighted(const hn_assembly *a, int i, const double J[9], const double *D, int c, int b)
{
  if (c < 3) return a->system->model->body[i].inv_mass * D[6 * c + b];
  double sum = 0.0;
  for (int k = 0; k < 3; k++) sum += J[3 * (c - 3) + k] * D[6 * (3 + k) + b];
  return sum;
}

/* Adds the derivatives of the accelerations of body I by the motion of body k of PAIR, in row C. */
static void add_pair(hn_assembly *a, int i, const double J[9], int pair, int c)
{
  const hn_tangent *t = a->tangent;
  const int k = t->other[pair], row = a->pattern->unknown[6 * i + c] + 1;
  for (int b = 0; b < 6; b++) {
    const int column = a->pattern->unknown[6 * k + b];
    if (column < 0) continue;
    double q = 0.0, u = 0.0;
    if (a->value) {
      q = weighted(a, i, J, t->Dq + 36 * pair, c, b), u = weighted(a, i, J, t->Du + 36 * pair, c, b);
      if (i == k && c >= 3 && b >= 3)
        q += t->Aq[9 * i + 3 * (c - 3) + b - 3], u += t->Au[9 * i + 3 * (c - 3) + b - 3];
    }
    hn_assembly_add(a, row, column, -q, 0.0);
    hn_assembly_add(a, row, column + 1, -u, 0.0);
  }
}

/* Adds the entries of row C of the displacement of body I: c dq - du, and the derivative of the rotation. */
static void add_displacement(hn_assembly *a, int i, int c)
{
  const int row = a->pattern->unknown[6 * i + c];
  const double *w = a->state->twist[i].w, half[9] = { 0.0,         -0.5 * w[2], 0.5 * w[1], 0.5 * w[2], 0.0,
                                                      -0.5 * w[0], -0.5 * w[1], 0.5 * w[0], 0.0 };
  for (int b = c < 3 ? c : 3; b < (c < 3 ? c + 1 : 6); b++) {
    const int column = a->pattern->unknown[6 * i + b], at = 3 * (c - 3) + b - 3;
    if (column < 0) continue;
    const double E = a->E && c >= 3 ? a->E[9 * i + at]
                     : b == c       ? 1.0
                                    : 0.0,
                 H = c < 3  ? 0.0
                     : a->H ? a->H[9 * i + at]
                            : half[at];
    hn_assembly_add(a, row, column, a->re * E - H, a->im * E);
    if (a->E || b == c) hn_assembly_add(a, row, column + 1, -E, 0.0);
  }
}

static void add_body(hn_assembly *a, int i)
{
  double J[9] = { 0 };
  if (a->value) inverse_inertia(a, i, J);
  for (int c = 0; c < 6; c++) {
    const int row = a->pattern->unknown[6 * i + c];
    if (row < 0) continue;
    add_displacement(a, i, c);
    hn_assembly_add(a, row + 1, row + 1, a->re, a->im);
    for (int pair = a->tangent->first[i]; pair < a->tangent->first[i + 1]; pair++) add_pair(a, i, J, pair, c);
  }
}

/* ---- Rows of joints ------------------------------------------------------------------------------------ */

/* Returns component C of the rate of the displacement of body I for the twist T[6]. */
static double flow_of(const hn_assembly *a, int i, const double *T, int c)
{
  if (!a->E || c < 3) return T[c];
  const double *E = a->E + 9 * i + 3 * (c - 3);
  return E[0] * T[3] + E[1] * T[4] + E[2] * T[5];
}

/* Adds the entries of row R of BLOCK with component C of its body SIDE. */
static void add_component(hn_assembly *a, const hn_block *block, int r, int side, int c)
{
  const hn_system *s = a->system;
  const int n = block->n, body = side ? block->b : block->a, column = a->pattern->unknown[6 * body + c],
            row = a->pattern->rows[block->row + r], at = 12 * block->row + (6 * side + c) * n + r;
  if (column < 0) return;
  const double G = a->value ? s->G[at] : 0.0, V = a->value ? a->tangent->V[at] : 0.0,
               *T = s->T + 12 * block->row + 6 * (side * n + r);
  const bool has_position = !block->joint->type->velocity;
  hn_assembly_add(a, row, column + 1, G, 0.0);
  hn_assembly_add(a, row, column, V, 0.0);
  hn_assembly_add(a, column + 1, row, -T[c], 0.0);
  if (has_position) hn_assembly_add(a, row + 1, column, G, 0.0);
  hn_assembly_add(a, column, row + 1, -flow_of(a, body, T, c), 0.0);
}

/* Returns the diagonal of K = G W G' for row R of BLOCK. */
static double diagonal(const hn_system *s, const hn_block *block, int r)
{
  double sum = 0.0;
  for (int i = 0; i < 12; i++)
    sum += s->G[12 * block->row + i * block->n + r] *
           s->T[12 * block->row + 6 * ((i / 6) * block->n + r) + i % 6];
  return sum;
}

static void add_row(hn_assembly *a, const hn_block *block, int r)
{
  const int row = a->pattern->rows[block->row + r];
  double re = 0.0, im = 0.0;
  for (int side = 0; side < 2; side++)
    for (int c = 0; c < 6; c++) add_component(a, block, r, side, c);
  if (a->value && a->proximal > 0.0) {
    const double e = a->proximal * diagonal(a->system, block, r), square = a->re * a->re + a->im * a->im;
    re = e * a->re / square, im = -e * a->im / square;
  }
  hn_assembly_add(a, row, row, re, im);
  if (block->joint->type->velocity) hn_assembly_add(a, row + 1, row + 1, 1.0, 0.0);
  else hn_assembly_add(a, row + 1, row + 1, re, im);
}

void hn_assembly_visit(hn_assembly *a)
{
  for (int i = 0; i < a->system->model->nbody; i++) add_body(a, i);
  for (int k = 0; k < a->system->nblock; k++)
    for (int r = 0; r < a->system->block[k].n; r++) add_row(a, &a->system->block[k], r);
}

static int compare_places(const void *x, const void *y)
{
  const int *a = x, *b = y;
  if (a[1] != b[1]) return (a[1] > b[1]) - (a[1] < b[1]);
  return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[2] > b[2]) - (a[2] < b[2]);
}

void hn_assembly_sort(hn_assembly *a, int n, int *start, int *row, int *slot)
{
  int last = -1;
  qsort(a->place, (size_t)a->count, sizeof *a->place, compare_places);
  for (int e = 0; e < a->count; e++) {
    const int *place = a->place[e], *before = e > 0 ? a->place[e - 1] : NULL;
    if (!before || place[0] != before[0] || place[1] != before[1])
      row[++last] = place[0], start[place[1] + 1]++;
    slot[place[2]] = last;
  }
  for (int j = 0; j < n; j++) start[j + 1] += start[j];
}
