/* loops.c - redundancy=loop-split: the loops of the joint graph cut, and systems solved in a common iteration.
 *
 * Bodies are nodes, joints are edges, and all that is fixed is one node. Joints are taken in the order of the scene;
 * one that closes a loop with those before it is left for the second system. A forest of joints is never redundant:
 * take it apart from its leaves, and each joint is the last to hold a body. If the joints left over have loops among
 * themselves they are divided again in the same way, so that there are as many systems as it takes.
 *
 *   repeat   for each system:  r = b - G w on its rows,  K_own dp = r,  p += dp,  w += W G' dp
 *
 * This is Gauss-Seidel by blocks, and w, the change of velocities, converges whenever K p = b has a solution, at the
 * rate of the angles between the systems; p then is one of many. All systems are factored together: K without the
 * entries between them. The iteration ends when r is below 1e-12 of b, or when r no longer changes: then rows disagree
 * (a correction of positions that is not linear, or a conflict: see linear_redundant.c). It gives up as `stalled`.
 * [bender2006, section 4.6] The paper has two systems and corrects the joints by turns; here only the linear systems
 * are iterated, so that every solver that solves with K can have it. */
#include "redundant/policy.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_SWEEPS = 20000 };

static const double enough = 1e-12, standstill = 1e-15; /* of b */

/* ---- Forests ----------------------------------------------------------------------------------------------------- */

static int root_of(int *parent, int node)
{
  while (parent[node] != node) node = parent[node] = parent[parent[node]];
  return node;
}

static int node_of(const hn_system *s, int body)
{
  return s->model->body[body].kind == HN_FIXED ? 0 : body;
}

/* Takes into forest NUMBER those joints left that close no loop with it; how many. */
static int grow_forest(hn_redundant *d, const hn_system *s, int *parent, int number, int at)
{
  int taken = 0;
  for (int i = 0; i < s->model->nbody; i++) parent[i] = i;
  for (int j = 0; j < s->nblock; j++) {
    const hn_block *joint = &s->block[j];
    if (d->group[joint->row] >= 0) continue;
    int a = root_of(parent, node_of(s, joint->a)), b = root_of(parent, node_of(s, joint->b));
    if (a == b) continue;
    parent[a] = b;
    d->forest[at + taken++] = j;
    for (int r = 0; r < joint->n; r++) d->group[joint->row + r] = number;
  }
  return taken;
}

int hn_loops_cut(hn_redundant *d, const hn_system *s, hn_error *error)
{
  size_t joints = (size_t)s->nblock;
  int *parent = malloc(sizeof *parent * (size_t)s->model->nbody);
  free(d->forest), free(d->forest_start);
  d->ngroup = 0;
  d->forest = malloc(sizeof *d->forest * (joints + 1));
  d->forest_start = calloc(joints + 2, sizeof *d->forest_start);
  int status = parent && d->forest && d->forest_start ? 0 : hn_fail(error, "out of memory");
  for (int i = 0; i < s->nrow; i++) d->group[i] = -1;
  for (int at = 0; status == 0 && at < s->nblock;) {
    int taken = grow_forest(d, s, parent, d->ngroup, at);
    if (taken == 0)
      status = hn_fail(error, "redundancy=loop-split: a joint without a moving body is in no tree");
    at += taken;
    d->forest_start[++d->ngroup] = at;
  }
  free(parent);
  return status;
}

/* ---- Iteration --------------------------------------------------------------------------------------------------- */

/* The turn of one system; the largest scaled r that it found, and the largest change of r since its last turn. */
static hn_reason take_turn(hn_system *s, int group, const double *b, double *p, double *found, double *change)
{
  hn_redundant *d = s->redundant;
  const int *joints = d->forest + d->forest_start[group],
            count = d->forest_start[group + 1] - d->forest_start[group];
  const int rows = s->nrow;
  hn_redundant_rates(s, joints, count, d->twist, d->x);
  for (int i = 0; i < rows; i++) {
    bool own = d->group[i] == group && s->held[i];
    double r = own ? b[i] - d->x[i] : 0.0, size = fabs(r) / d->norm[i];
    d->x[i] = r;
    if (!own) continue;
    if (exceeds(size, *found)) *found = size;
    if (exceeds(fabs(r - d->r[i]) / d->norm[i], *change)) *change = fabs(r - d->r[i]) / d->norm[i];
    d->r[i] = r;
  }
  s->work.solves++;
  hn_reason reason = hn_linear_solve(s, d->x, d->x);
  for (int i = 0; i < rows; i++)
    if (d->group[i] == group) p[i] += d->turn[i] = d->x[i];
  hn_redundant_apply(s, joints, count, d->x, d->twist);
  s->work.impulses += (uint64_t)count;
  return reason;
}

hn_reason hn_loops_conflict(hn_system *s)
{
  hn_redundant *d = s->redundant;
  double largest = 0.0; /* what a sweep adds in the end moves nothing: a left null vector */
  for (int i = 0; i < s->nrow; i++) largest = fmax(largest, fabs(d->turn[i]) * d->norm[i]);
  for (int i = 0; i < s->nrow; i++) d->in_conflict[i] = fabs(d->turn[i]) * d->norm[i] > 1e-6 * largest;
  d->conflict = true;
  return HN_SINGULAR;
}

/* A row that is not held has no residual to be brought down; what it lacks is the solver's to see. */
static void clear_released(const hn_system *s, double *b)
{
  for (int i = 0; i < s->nrow; i++)
    if (!s->held[i]) b[i] = 0.0;
}

hn_reason hn_loops_solve(hn_system *s, const double *b, double *p)
{
  hn_redundant *d = s->redundant;
  const size_t rows = (size_t)s->nrow;
  if (d->ngroup <= 1) return hn_linear_solve(s, b, p);
  memcpy(d->b, b, sizeof *b * rows);
  clear_released(s, d->b);
  memset(p, 0, sizeof *p * rows);
  memset(d->r, 0, sizeof *d->r * rows);
  memset(d->twist, 0, sizeof *d->twist * 6 * (size_t)s->model->nbody);
  double size = hn_redundant_size(s, d->b, NULL);
  d->scale = fmax(d->scale, size);
  s->work.solves--; /* each turn counts its own */
  for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    double found = 0.0, change = 0.0;
    for (int group = 0; group < d->ngroup; group++) {
      hn_reason reason = take_turn(s, group, d->b, p, &found, &change);
      if (reason != HN_CONVERGED) return reason;
    }
    s->work.sweeps++;
    if (!isfinite(found)) return HN_NOT_FINITE;
    if (found <= enough * size && sweep > 0) return HN_CONVERGED;
    if (change > standstill * size) continue;
    return hn_redundant_contradicts(s, d->r, size) ? hn_loops_conflict(s) : HN_CONVERGED;
  }
  return HN_STALLED;
}
