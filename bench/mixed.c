/* mixed.c - joints of different sizes: the cost of K of a tree with mixed joints and of their rows, beside
 * balls.
 *
 * The trees have the bodies, joint points and pairs of scene `tree`; only the types of the joints change, in
 * turn along the list of joints. K is filled, factored and solved with once, without the probe for
 * singularity, which is another solution. */
#include "bench.h"
#include "base/vec.h"

#include <stdio.h>
#include <string.h>

enum { BODIES = 127, LARGEST = 4, REPETITIONS = 21, WORK = 100, MAX_JOBS = 12 };

typedef struct mix {
  const char *name, *types[LARGEST]; /* assigned cyclically to the joints */
} mix;

static const mix mixes[] = {
  { "balls", { "ball" } },
  { "hinges", { "hinge" } },
  { "hinges, balls", { "hinge", "ball" } },
  { "hinges, balls, sliders, distances", { "hinge", "ball", "slider", "distance" } },
  { "hinges, universals, cylindricals, distances", { "hinge", "universal", "cylindrical", "distance" } },
  { "balls, distances", { "ball", "distance" } },
};
enum { MIXES = sizeof mixes / sizeof *mixes, MIXED_FOUR = 3 };

/* A tree and a back end for its K. */
typedef struct tree {
  hn_model *model;
  hn_state *state;
  hn_system *system;
  double *x;
} tree;

static void add_body(hn_model *model, const hn_body *body)
{
  hn_error error;
  hn_body_spec spec = { .name = body->name, .kind = body->kind, .has_mass = true, .mass = body->mass };
  memcpy(spec.inertia, body->J, sizeof spec.inertia);
  memcpy(spec.position, body->pose0.x, sizeof spec.position);
  memcpy(spec.orientation, body->pose0.q, sizeof spec.orientation);
  if (hn_model_add_body(model, &spec, &error) < 0) bench_fail("%s", error.text);
}

/* Adds JOINT as one of TYPE. A distance goes from the joint point to the far end of b. */
static void add_joint(hn_model *model, const hn_joint *joint, const char *type)
{
  const hn_body *b = &model->body[joint->b];
  double arm[3], far = strcmp(type, "distance") == 0 ? -1.0 : 1.0;
  hn_error error;
  hn_joint_spec spec = { .type = type,
                         .a = joint->a,
                         .b = joint->b,
                         .has_points = true,
                         .axis_a = { 0, 0, 1 },
                         .axis_b = { 1, 0, 0 } };
  quat_rotate(arm, b->pose0.q, joint->point_b);
  for (int i = 0; i < 3; i++) {
    spec.at_a[i] = b->pose0.x[i] + arm[i];
    spec.at_b[i] = b->pose0.x[i] + far * arm[i];
  }
  if (hn_model_add_joint(model, &spec, &error) < 0) bench_fail("%s", error.text);
}

static tree open_tree(const hn_model *from, const mix *joints, const char *backend)
{
  hn_error error;
  const hn_linear_options options = { .backend = backend, .petsc = "" };
  tree t = { .model = hn_model_create(from->gravity) };
  if (!t.model) bench_fail("out of memory");
  for (int i = 1; i < from->nbody; i++) add_body(t.model, &from->body[i]);
  for (int j = 0, k = 0; j < from->njoint; j++, k++) {
    if (k == LARGEST || !joints->types[k]) k = 0;
    add_joint(t.model, &from->joint[j], joints->types[k]);
  }
  t.state = hn_state_create(t.model);
  t.system = hn_system_create(t.model, &error);
  if (!t.state || !t.system) bench_fail("out of memory");
  if (hn_system_use_linear(t.system, &options, &error)) bench_fail("%s", error.text);
  hn_system_jacobian(t.system, t.state);
  if (hn_system_factor(t.system)) bench_fail("K of %s is singular", joints->name);
  t.x = bench_alloc((size_t)t.model->nrow, sizeof *t.x);
  return t;
}

static void close_tree(tree *t)
{
  hn_system_free(t->system);
  hn_state_free(t->state);
  hn_model_free(t->model);
  free(t->x);
}

static void fill(tree *t)
{
  hn_assembly_fill(&t->system->parts->linear->assembly, t->system);
}

static void factor(tree *t)
{
  if (t->system->parts->linear->type->factor(t->system->parts->linear->self))
    bench_fail("the factorisation fails");
}

static void solve(tree *t)
{
  for (int i = 0; i < t->model->nrow; i++) t->x[i] = 1.0;
  if (hn_linear_solve(t->system, t->x, t->x)) bench_fail("the solution fails");
}

static void jacobian(tree *t)
{
  hn_system_jacobian(t->system, t->state);
}

static void residual(tree *t)
{
  hn_system_residual(t->system, t->state, NULL);
}

#define REPEATED(piece)                         \
  static void repeat_##piece(void *data)        \
  {                                             \
    for (int k = 0; k < WORK; k++) piece(data); \
  }
REPEATED(fill)
REPEATED(factor)
REPEATED(solve)
REPEATED(jacobian)
REPEATED(residual)

static void (*const pieces[])(void *) = { repeat_fill, repeat_factor, repeat_solve, repeat_jacobian,
                                          repeat_residual };
enum { PIECES = sizeof pieces / sizeof *pieces };

/* Times all pieces on COUNT trees in turn and prints ns a row, and ratios to the first tree. */
static void compare(tree *trees, const char *const *names, int count)
{
  bench_job jobs[PIECES * MAX_JOBS];
  double first = 0.0;
  for (int i = 0; i < count * PIECES; i++)
    jobs[i] = (bench_job){ .run = pieces[i % PIECES],
                           .data = &trees[i / PIECES],
                           .parts = 1,
                           .units = WORK * 1e-3 * trees[i / PIECES].model->nrow };
  bench_measure(jobs, count * PIECES, REPETITIONS);
  bench_table(
    "| joints | rows | block | fill | factor | solve | all | over balls | Jacobian, W G' | residual |");
  for (int i = 0; i < count; i++) {
    const bench_job *job = jobs + PIECES * i;
    double all = job[0].us.min + job[1].us.min + job[2].us.min;
    if (i == 0) first = all;
    printf("| %s | %d | %d | %.1f | %.1f | %.1f | %.1f | %.2f | %.1f | %.1f |\n", names[i],
           trees[i].model->nrow, trees[i].system->parts->linear->assembly.K.bs, job[0].us.min, job[1].us.min,
           job[2].us.min, all, all / first, job[3].us.min, job[4].us.min);
  }
}

static void compare_mixes(const hn_model *from)
{
  tree trees[MIXES];
  const char *names[MIXES];
  for (int i = 0; i < MIXES; i++) trees[i] = open_tree(from, &mixes[i], "petsc"), names[i] = mixes[i].name;
  compare(trees, names, MIXES);
  for (int i = 0; i < MIXES; i++) close_tree(&trees[i]);
}

static void compare_backends(const hn_model *from)
{
  size_t count;
  const hn_linear_info *backend = hn_linear_backends(&count);
  tree trees[MAX_JOBS];
  const char *names[MAX_JOBS] = { "balls, petsc" };
  int used = 1;
  trees[0] = open_tree(from, &mixes[0], "petsc");
  for (size_t i = 0; i < count && used < MAX_JOBS; i++) {
    if (strcmp(backend[i].name, "dense") == 0) continue;
    names[used] = backend[i].name;
    trees[used++] = open_tree(from, &mixes[MIXED_FOUR], backend[i].name);
  }
  printf("\n%s, by back end:\n\n", mixes[MIXED_FOUR].name);
  compare(trees, names, used);
  for (int i = 0; i < used; i++) close_tree(&trees[i]);
}

void bench_mixed(void)
{
  hn_scene *scene = bench_scene("tree", BODIES);
  printf("\n## Joints of different sizes: K of a tree with %d joints, ns a row (least)\n\n", BODIES);
  compare_mixes(scene->model);
  compare_backends(scene->model);
  hn_scene_free(scene);
}
