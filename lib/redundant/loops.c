/* loops.c - redundancy=loop-split: cuts the loops of the joint graph and iterates between systems without
 * loops.
 *
 * Bodies are nodes, joints are edges, and all fixed bodies are one node. Joints are taken in scene order; a
 * joint that would close a loop is left for the next system, until none is left. Each system is a forest. The
 * joints of a forest are never redundant: removed from the leaves on, each joint is the last one that holds a
 * body.
 *
 *   repeat   for each system:  r = b - G w on its rows,  K_own dp = r,  p += dp,  w += W G' dp
 *
 * This is block Gauss-Seidel. w, the change of velocities, converges whenever K p = b has a solution, at a
 * rate given by the angles between the systems; p is then one of many solutions. All systems are factored
 * together as K without the entries between them. The iteration ends when r is below 1e-12 of b, or when r no
 * longer changes. Then rows contradict each other: a position correction that is not linear, or a conflict
 * (see redundant.c). It gives up with HN_STALLED. [bender2006, section 4.6] The paper has two systems and
 * alternates between corrections of the joints. Here only the linear systems are iterated, so that every
 * solver that solves with K can use this policy. */
#include "redundant/policy.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_SWEEPS = 20000 };

/* Part of the largest entry of a null vector from which a row is in conflict. */
static const double conflict_entry = 1e-6;
/* Relative to b: residual of a solution, and change per sweep of a stationary iteration (rounding). */
static const double tolerance = 1e-12, stationary = 1e-15;

/* ---- Forests ------------------------------------------------------------------------------------------ */

static int root_of(int *parent, int node)
{
  while (parent[node] != node) node = parent[node] = parent[parent[node]];
  return node;
}

static int node_of(const hn_system *s, int body)
{
  return s->model->body[body].kind == HN_FIXED ? 0 : body;
}

/* Adds to forest NUMBER all remaining joints that do not close a loop; returns their count. Their blocks are
 * stored from AT on. */
static int grow_forest(hn_redundant *d, const hn_system *s, int *parent, int number, int at)
{
  int count = 0;
  for (int i = 0; i < s->model->nbody; i++) parent[i] = i;
  for (int j = 0; j < s->nblock; j++) {
    const hn_block *joint = &s->block[j];
    if (d->group[joint->row] >= 0) continue;
    int a = root_of(parent, node_of(s, joint->a)), b = root_of(parent, node_of(s, joint->b));
    if (a == b) continue;
    parent[a] = b;
    d->forest[at + count++] = j;
    for (int r = 0; r < joint->n; r++) d->group[joint->row + r] = number;
  }
  return count;
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
    int count = grow_forest(d, s, parent, d->ngroup, at);
    if (count == 0)
      status = hn_fail(error, "redundancy=loop-split: a joint without a moving body is in no tree");
    at += count;
    d->forest_start[++d->ngroup] = at;
  }
  free(parent);
  return status;
}

/* ---- Iteration ---------------------------------------------------------------------------------------- */

/* One turn of a system. Updates the largest scaled r FOUND, and the largest CHANGE of r since its last
 * turn. */
static hn_reason solve_system(hn_system *s, int group, const double *b, double *p, double *residual,
                              double *change)
{
  hn_redundant *d = s->parts->redundant;
  const int *joints = d->forest + d->forest_start[group],
            count = d->forest_start[group + 1] - d->forest_start[group];
  const int rows = s->nrow;
  /* residual r = b - G w of the system's rows, 0 on the others */
  hn_redundant_rates(s, joints, count, d->twist, d->x);
  for (int i = 0; i < rows; i++) {
    bool own = d->group[i] == group && s->parts->held[i];
    double r = own ? b[i] - d->x[i] : 0.0, size = fabs(r) / d->norm[i];
    d->x[i] = r;
    if (!own) continue;
    if (exceeds(size, *residual)) *residual = size;
    if (exceeds(fabs(r - d->r[i]) / d->norm[i], *change)) *change = fabs(r - d->r[i]) / d->norm[i];
    d->r[i] = r;
  }
  /* K_own dp = r, p += dp, w += W G' dp */
  s->work.solves++;
  hn_reason reason = hn_linear_solve(s, d->x, d->x);
  for (int i = 0; i < rows; i++)
    if (d->group[i] == group) p[i] += d->dp[i] = d->x[i];
  hn_redundant_apply(s, joints, count, d->x, d->twist);
  s->work.impulses += (uint64_t)count;
  return reason;
}

hn_reason hn_loops_conflict(hn_system *s)
{
  /* A stationary sweep does not move bodies: its change of p is a left null vector. */
  return hn_redundant_mark_conflict(s, s->parts->redundant->dp, conflict_entry);
}

/* Clears rows that are not held: they have no residual to reduce. */
static void clear_released(const hn_system *s, double *b)
{
  for (int i = 0; i < s->nrow; i++)
    if (!s->parts->held[i]) b[i] = 0.0;
}

hn_reason hn_loops_solve(hn_system *s, const double *b, double *p)
{
  hn_redundant *d = s->parts->redundant;
  const size_t rows = (size_t)s->nrow;
  if (d->ngroup <= 1) return hn_linear_solve(s, b, p);
  /* p = 0, w = 0 */
  memcpy(d->b, b, sizeof *b * rows);
  clear_released(s, d->b);
  memset(p, 0, sizeof *p * rows);
  memset(d->r, 0, sizeof *d->r * rows);
  memset(d->twist, 0, sizeof *d->twist * 6 * (size_t)s->model->nbody);
  double size = hn_redundant_size(s, d->b, NULL);
  d->scale = fmax(d->scale, size);
  s->work.solves--; /* each turn counts its own */
  /* sweeps, until r is small or no longer changes */
  for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    double residual = 0.0, change = 0.0;
    for (int group = 0; group < d->ngroup; group++) {
      hn_reason reason = solve_system(s, group, d->b, p, &residual, &change);
      if (reason != HN_CONVERGED) return reason;
    }
    s->work.sweeps++;
    if (!isfinite(residual)) return HN_NOT_FINITE;
    if (residual <= tolerance * size && sweep > 0) return HN_CONVERGED;
    if (change > stationary * size) continue;
    return hn_redundant_contradicts(s, d->r, size) ? hn_loops_conflict(s) : HN_CONVERGED;
  }
  return HN_STALLED;
}
