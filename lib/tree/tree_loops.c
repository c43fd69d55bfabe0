/* tree_loops.c - the equations of the cut joints on the reduced coordinates
 *
 *   K = G H^-1 G'                G: Jacobian of the cut rows, times the kinematics of the tree
 *   K_rs = sum y_r' D^-1 y_s     over the nodes that move both rows (articulated_inertia.c)
 *
 * Rows on different branches at the root share no node and are independent: K is stored by its envelope and
 * factored as L D L' within it. Particles on rods, each of them free, have a K like that of maximal
 * coordinates.
 *
 * Dependent rows. A row whose pivot is lost by rounding makes K singular. With `drops`, it is left out
 * instead; the accelerations do not depend on this choice if the rows agree. Rows dropped once stay so until
 * their pivot is above 1e-4 of the diagonal: stages that satisfy the joints only approximately must not lock
 * a closed mechanism (redundant.c has the same bound). */
#include "tree/tree_loops.h"
#include "base/small.h"
#include "base/vec.h"

#include <string.h>

static const double rounding = 1e-13;   /* relative pivot of a singular K */
static const double dependent = 1e-9;   /* relative pivot up to which a row is dropped */
static const double independent = 1e-4; /* relative pivot from which a dropped row counts again */

/* ---- Paths --------------------------------------------------------------------------------------------- */

/* Marks the nodes that move a body of JOINT: from those of its bodies inwards. */
static void mark_path(const hn_tree *tree, const hn_joint *joint, int *mark)
{
  memset(mark, 0, sizeof *mark * (size_t)tree->nnode);
  for (int side = 0; side < 2; side++)
    for (int k = tree->node_of[side ? joint->b : joint->a]; k >= 0; k = tree->node[k].parent) mark[k] = 1;
}

/* Counts or, if loops->node has been allocated, lists the nodes of the paths. */
static size_t list_nodes(hn_tree_loops *loops, int *mark)
{
  const hn_tree *tree = loops->tree;
  int count = 0;
  size_t numbers = 0;
  for (int i = 0; i < loops->npath; i++) {
    hn_tree_path *path = &loops->path[i];
    const hn_joint *joint = tree->system->block[path->block].joint;
    mark_path(tree, joint, mark);
    path->first = count, path->y = numbers;
    for (int k = tree->nnode - 1; k >= 0; k--) {
      if (!mark[k]) continue;
      if (loops->node) loops->node[count] = k;
      count++, numbers += (size_t)(path->n * tree->edge[k].nfree);
    }
    path->count = count - path->first;
  }
  return numbers;
}

/* Sets the envelope: a row begins at the first path that shares a node with its own. */
static void set_envelope(hn_tree_loops *loops, int *owner)
{
  size_t at = 0;
  memset(owner, -1, sizeof *owner * (size_t)loops->tree->nnode);
  for (int i = 0; i < loops->npath; i++) {
    const hn_tree_path *path = &loops->path[i];
    int first = path->row;
    for (int m = path->first; m < path->first + path->count; m++) {
      int *of = &owner[loops->node[m]];
      if (*of < 0) *of = path->row;
      if (*of < first) first = *of;
    }
    for (int r = path->row; r < path->row + path->n; r++) {
      loops->first[r] = first, loops->start[r] = at;
      at += (size_t)(r - first + 1);
    }
  }
  loops->start[loops->nrow] = at;
}

int hn_tree_loops_create(hn_tree_loops *loops, hn_tree *tree, bool passive, hn_error *error)
{
  int *mark;
  loops->tree = tree;
  if (hn_arrays_allocate(&loops->arrays, error, HN_ARRAY(loops->path, tree->ncut),
                         HN_ARRAY(mark, tree->nnode), HN_ARRAY(loops->p, 6 * tree->nnode),
                         HN_ARRAY(loops->wrench, 6 * tree->system->model->nbody)))
    return -1;
  for (int i = 0; i < tree->ncut; i++) {
    const hn_block *block = &tree->system->block[tree->cut[i]];
    if (passive && block->joint->type->keys & HN_KEY_MOTION) continue;
    loops->path[loops->npath++] = (hn_tree_path){ .block = tree->cut[i], .row = loops->nrow, .n = block->n };
    loops->nrow += block->n;
  }
  const size_t rows = (size_t)loops->nrow, numbers = list_nodes(loops, mark);
  size_t count = 0;
  for (int i = 0; i < loops->npath; i++) count += (size_t)loops->path[i].count;
  if (hn_arrays_allocate(&loops->arrays, error, HN_ARRAY(loops->node, count), HN_ARRAY(loops->y, numbers),
                         HN_ARRAY(loops->first, rows), HN_ARRAY(loops->start, rows + 1),
                         HN_ARRAY(loops->diagonal, rows), HN_ARRAY(loops->right, rows),
                         HN_ARRAY(loops->dropped, rows + 1)))
    return -1;
  list_nodes(loops, mark);
  set_envelope(loops, mark);
  return hn_arrays_allocate(&loops->arrays, error, HN_ARRAY(loops->K, loops->start[rows]));
}

void hn_tree_loops_free(hn_tree_loops *loops)
{
  hn_arrays_free(&loops->arrays);
}

/* ---- Innovations --------------------------------------------------------------------------------------- */

/* Returns the columns of block PATH in the Jacobian of the body on SIDE; NULL for a fixed body. */
static const double *columns_of(const hn_tree_loops *loops, const hn_tree_path *path, int side, int *body)
{
  const hn_system *s = loops->tree->system;
  const hn_block *block = &s->block[path->block];
  *body = side ? block->b : block->a;
  return loops->tree->node_of[*body] < 0 ? NULL : s->G + 12 * block->row + 6 * path->n * side;
}

/* Returns the number of columns that act on BODY: a particle has no angular ones. */
static int columns_on(const hn_tree_loops *loops, int body)
{
  return loops->tree->system->model->body[body].kind == HN_RIGID ? 6 : 3;
}

/* Sets p of the nodes to the wrenches -G' of row R, which act at the centres of mass. */
static void begin_row(hn_tree_loops *loops, const hn_tree_path *path, int r)
{
  const hn_tree *tree = loops->tree;
  for (int m = path->first; m < path->first + path->count; m++) {
    memset(loops->p + 6 * loops->node[m], 0, 6 * sizeof *loops->p);
    if (tree->node[loops->node[m]].parent >= 0)
      memset(loops->p + 6 * tree->node[loops->node[m]].parent, 0, 6 * sizeof *loops->p);
  }
  for (int side = 0; side < 2; side++) {
    int body;
    const double *G = columns_of(loops, path, side, &body);
    for (int c = 0; G && c < columns_on(loops, body); c++)
      loops->p[6 * tree->node_of[body] + c] = -G[c * path->n + r];
  }
}

/* Computes the innovations of row R along its path. */
static void innovate(hn_tree_loops *loops, const hn_tree_path *path, int r)
{
  hn_tree *tree = loops->tree;
  double *y = loops->y + path->y;
  begin_row(loops, path, r);
  for (int m = path->first; m < path->first + path->count; m++) {
    const int k = loops->node[m], n = tree->edge[k].nfree;
    double *p = loops->p + 6 * k;
    hn_tree_pass_wrench(tree, k, p, y + r * n);
    if (tree->node[k].parent >= 0)
      for (int c = 0; c < 6; c++) loops->p[6 * tree->node[k].parent + c] += p[c];
    y += path->n * n;
  }
}

/* Adds the products of the innovations of paths I and J at a common node of N rates to K. */
static void add_products(hn_tree_loops *loops, const hn_tree_path *i, const hn_tree_path *j, const double *yi,
                         const double *yj, int n, const double *D)
{
  for (int r = 0; r < i->n; r++) {
    double z[HN_MAX_FREEDOMS];
    for (int c = 0; c < n; c++) z[c] = long_dot(D + c * n, yi + r * n, n);
    const int row = i->row + r;
    for (int s = 0; s < j->n && j->row + s <= row; s++)
      loops->K[loops->start[row] + (size_t)(j->row + s - loops->first[row])] += long_dot(z, yj + s * n, n);
  }
}

/* Adds the products of two paths over their common nodes, in descending order. */
static void couple(hn_tree_loops *loops, const hn_tree_path *i, const hn_tree_path *j)
{
  const hn_tree *tree = loops->tree;
  const double *yi = loops->y + i->y, *yj = loops->y + j->y;
  int a = i->first, b = j->first;
  while (a < i->first + i->count && b < j->first + j->count) {
    const int ka = loops->node[a], kb = loops->node[b];
    if (ka == kb) add_products(loops, i, j, yi, yj, tree->edge[ka].nfree, tree->node[ka].D);
    if (ka >= kb) yi += i->n * tree->edge[ka].nfree, a++;
    if (kb >= ka) yj += j->n * tree->edge[kb].nfree, b++;
  }
}

/* ---- Factor -------------------------------------------------------------------------------------------- */

/* Factors row R; returns its pivot. */
static double factor_row(hn_tree_loops *loops, int r)
{
  double *L = loops->K + loops->start[r] - loops->first[r];
  for (int c = loops->first[r]; c < r; c++) {
    const double *of = loops->K + loops->start[c] - loops->first[c];
    const int from = loops->first[c] > loops->first[r] ? loops->first[c] : loops->first[r];
    for (int k = from; k < c; k++) L[c] -= L[k] * of[k];
  }
  for (int c = loops->first[r]; c < r; c++) { /* L D so far */
    const double *of = loops->K + loops->start[c] - loops->first[c], scaled = L[c];
    L[c] = loops->dropped[1 + c] ? 0.0 : scaled / of[c];
    L[r] -= L[c] * (loops->dropped[1 + c] ? 0.0 : scaled);
  }
  return L[r];
}

/* Factors K. DETECT: drops the dependent rows; else keeps the choice of rows and returns HN_SINGULAR if it
 * does not fit any more. */
static hn_reason factor(hn_tree_loops *loops, bool detect)
{
  if (detect) memset(loops->dropped, 0, sizeof *loops->dropped * (size_t)(loops->nrow + 1));
  for (int r = 0; r < loops->nrow; r++) {
    const double pivot = factor_row(loops, r), relative = pivot / loops->diagonal[r];
    int *dropped = &loops->dropped[1 + r];
    if (!isfinite(pivot)) return HN_NOT_FINITE;
    if (detect && !(relative > dependent)) *dropped = 1, loops->dropped[0]++;
    if (*dropped ? relative > independent && !detect : !(relative > rounding)) return HN_SINGULAR;
  }
  return HN_CONVERGED;
}

static void assemble(hn_tree_loops *loops)
{
  memset(loops->K, 0, sizeof *loops->K * loops->start[loops->nrow]);
  for (int i = 0; i < loops->npath; i++)
    for (int j = 0; j <= i; j++)
      if (loops->first[loops->path[i].row] < loops->path[j].row + loops->path[j].n)
        couple(loops, &loops->path[i], &loops->path[j]);
}

/* Computes the diagonal of G W G' for the rows of PATH: that of bodies without joints, the measure of
 * pivots. */
static void measure_rows(hn_tree_loops *loops, const hn_tree_path *path)
{
  double K[HN_MAX_ROWS * HN_MAX_ROWS];
  hn_system_block_diagonal(loops->tree->system, path->block, K);
  for (int r = 0; r < path->n; r++) loops->diagonal[path->row + r] = K[r * path->n + r];
}

hn_reason hn_tree_loops_factor(hn_tree_loops *loops, const hn_state *state)
{
  hn_system *s = loops->tree->system;
  for (int i = 0; i < loops->npath; i++) {
    hn_system_block_jacobian(s, loops->path[i].block, state);
    measure_rows(loops, &loops->path[i]);
    for (int r = 0; r < loops->path[i].n; r++) innovate(loops, &loops->path[i], r);
  }
  assemble(loops);
  s->work.factorisations++, s->work.eliminated += (uint64_t)loops->npath;
  hn_reason reason = factor(loops, false);
  if (reason != HN_SINGULAR || !loops->drops) return reason;
  assemble(loops);
  s->work.detections++;
  return factor(loops, true);
}

void hn_tree_loops_solve(const hn_tree_loops *loops, double *x)
{
  loops->tree->system->work.solves++;
  for (int r = 0; r < loops->nrow; r++) {
    const double *L = loops->K + loops->start[r] - loops->first[r];
    for (int c = loops->first[r]; c < r; c++) x[r] -= L[c] * x[c];
    if (loops->dropped[1 + r]) x[r] = 0.0;
  }
  for (int r = 0; r < loops->nrow; r++)
    x[r] = loops->dropped[1 + r] ? 0.0 : x[r] / loops->K[loops->start[r + 1] - 1];
  for (int r = loops->nrow - 1; r >= 0; r--) {
    const double *L = loops->K + loops->start[r] - loops->first[r];
    for (int c = loops->first[r]; c < r && !loops->dropped[1 + r]; c++)
      x[c] -= loops->dropped[1 + c] ? 0.0 : L[c] * x[r];
  }
}

/* ---- Rows ---------------------------------------------------------------------------------------------- */

void hn_tree_loops_rates(const hn_tree_loops *loops, double *out)
{
  for (int i = 0; i < loops->npath; i++) {
    const hn_tree_path *path = &loops->path[i];
    memset(out + path->row, 0, sizeof *out * (size_t)path->n);
    for (int side = 0; side < 2; side++) {
      int body;
      const double *G = columns_of(loops, path, side, &body);
      if (!G) continue;
      const double *a = (const double *)&loops->tree->node[loops->tree->node_of[body]].acceleration;
      for (int c = 0; c < columns_on(loops, body); c++)
        for (int r = 0; r < path->n; r++) out[path->row + r] += G[c * path->n + r] * a[c];
    }
  }
}

void hn_tree_loops_add(const hn_tree_loops *loops, const double *lambda, double *wrench)
{
  for (int i = 0; i < loops->npath; i++) {
    const hn_tree_path *path = &loops->path[i];
    for (int side = 0; side < 2; side++) {
      int body;
      const double *G = columns_of(loops, path, side, &body);
      for (int c = 0; G && c < columns_on(loops, body); c++)
        for (int r = 0; r < path->n; r++) wrench[6 * body + c] += G[c * path->n + r] * lambda[path->row + r];
    }
  }
}
