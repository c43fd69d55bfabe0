/* test_discrete_rows.c - discrete Jacobians of all joint types, against the defining equations: G Delta is
 * the change of the residual, impulses on both bodies are opposite and without moment at the mean positions,
 * and G tends to the Jacobian of the middle at order 2. */
#include "joint_trials.h"
#include "energy_momentum/discrete.h"

enum { TRIALS = 40, BODIES = 2 };

typedef struct pair {
  hn_pose pose[3][BODIES]; /* start, end, middle */
  hn_twist twist[3][BODIES];
  hn_state state[3];
  hn_step_motion step;
} pair;

/* Moves body I from M by SIZE times its velocities, by the Cayley transform. */
static void move(pair *p, int i, const motion *m, double size)
{
  double turn[4] = { 1.0 }, mean[3];
  hn_twist D;
  vec_scale(D.v, size, m->twist.v), vec_scale(D.w, size, m->twist.w);
  for (int k = 0; k < 3; k++) turn[1 + k] = 0.5 * D.w[k];
  p->pose[0][i] = m->pose, p->twist[0][i] = p->twist[1][i] = m->twist;
  vec_add(p->pose[1][i].x, m->pose.x, D.v);
  quat_mul(p->pose[1][i].q, turn, m->pose.q);
  quat_normalise(p->pose[1][i].q);
  vec_add(mean, m->pose.x, p->pose[1][i].x);
  vec_scale(p->pose[2][i].x, 0.5, mean);
  for (int k = 0; k < 4; k++) p->pose[2][i].q[k] = m->pose.q[k] + p->pose[1][i].q[k];
  quat_normalise(p->pose[2][i].q);
  p->twist[2][i] = D; /* the step is of 1 s */
}

static void make_pair(pair *p, const motion *a, const motion *b, double size)
{
  move(p, 0, a, size), move(p, 1, b, size);
  for (int k = 0; k < 3; k++)
    p->state[k] = (hn_state){ .time = TIME, .nbody = BODIES, .pose = p->pose[k], .twist = p->twist[k] };
  p->step = (hn_step_motion){ .h = 1.0, .start = &p->state[0], .end = &p->state[1], .middle = &p->state[2] };
}

/* Moves body b so that the joint points coincide at both ends. */
static void close_points(pair *p, const hn_joint *joint)
{
  for (int k = 0; k < 2; k++) {
    double at_a[3], at_b[3];
    quat_rotate(at_a, p->pose[k][0].q, joint->point_a), quat_rotate(at_b, p->pose[k][1].q, joint->point_b);
    for (int i = 0; i < 3; i++) p->pose[k][1].x[i] = p->pose[k][0].x[i] + at_a[i] - at_b[i];
  }
  for (int i = 0; i < 3; i++) {
    p->twist[2][1].v[i] = p->pose[1][1].x[i] - p->pose[0][1].x[i];
    p->pose[2][1].x[i] = 0.5 * (p->pose[0][1].x[i] + p->pose[1][1].x[i]);
  }
}

/* True if the rows of JOINT hold its points together along the world axes. Their forces act at the points, so
 * that they have no moment where these coincide. */
static bool holds_points(const hn_joint *joint)
{
  static const char *const names[] = { "point_on_point", "ball", "hinge", "universal", "fixed" };
  bool holds = false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) holds |= strcmp(joint->type->name, names[i]) == 0;
  return holds;
}

/* Computes the residuals at state K. */
static void residual(const hn_joint *joint, const pair *p, int k, double *g)
{
  joint->type->eval(joint, TIME, &p->pose[k][0], &p->twist[k][0], &p->pose[k][1], &p->twist[k][1],
                    &(hn_rows){ .g = g });
}

/* Largest errors over the trials of a type. */
typedef struct errors {
  double change, force, moment;
} errors;

static void measure(const hn_joint *joint, const pair *p, errors *e)
{
  const int n = joint->type->rows;
  double G_a[36], G_b[36], g0[6], g1[6], apart[3], D[BODIES][6];
  hn_discrete_jacobian(joint, &p->step, G_a, G_b);
  residual(joint, p, 0, g0), residual(joint, p, 1, g1);
  memcpy(D, p->twist[2], sizeof D);
  vec_sub(apart, p->pose[2][1].x, p->pose[2][0].x);
  for (int r = 0; r < n; r++) {
    double change = 0.0, force[3], f[3], moment[3], size = 1.0;
    for (int c = 0; c < 6; c++) {
      change += G_a[c * n + r] * D[0][c] + G_b[c * n + r] * D[1][c];
      size += fabs(G_a[c * n + r]) + fabs(G_b[c * n + r]);
    }
    for (int c = 0; c < 3; c++) f[c] = G_b[c * n + r], force[c] = f[c] + G_a[c * n + r];
    vec_cross(moment, apart, f);
    for (int c = 0; c < 3; c++) moment[c] += G_a[(3 + c) * n + r] + G_b[(3 + c) * n + r];
    if (!joint->type->velocity)
      e->change = larger(e->change, fabs(remainder(change - g1[r] + g0[r], 2.0 * M_PI)) / size);
    e->force = larger(e->force, vec_norm(force) / size);
    e->moment = larger(e->moment, vec_norm(moment) / size);
  }
}

/* True if the residual is reduced to a tooth or a pitch, and jumps in P. In a step of a solver it is near 0.
 * */
static bool jumps(const hn_joint *joint, const pair *p)
{
  double g0[6], g1[6];
  const bool reduced = strcmp(joint->type->name, "gear") == 0 || strcmp(joint->type->name, "screw") == 0;
  residual(joint, p, 0, g0), residual(joint, p, 1, g1);
  return reduced && fabs(g1[joint->type->rows - 1] - g0[joint->type->rows - 1]) > 0.2;
}

static void changes_are_exact_and_momentum_is_kept(void **state)
{
  (void)state;
  size_t count;
  const hn_joint_type *const *types = tested_types(&count);
  for (size_t i = 0; i < count; i++) {
    errors e = { 0.0, 0.0, 0.0 };
    char what[96];
    for (int trial = 0; trial < TRIALS; trial++) {
      hn_joint joint = { .type = types[i] };
      motion a, b;
      pair p;
      draw_regular(&joint, &a, &b);
      make_pair(&p, &a, &b, 0.2);
      if (holds_points(&joint)) close_points(&p, &joint);
      if (!jumps(&joint, &p)) measure(&joint, &p, &e);
    }
    snprintf(what, sizeof what, "%s: change of the residual", types[i]->name);
    check_below(what, e.change, 1e-14);
    check_below("  sum of forces", e.force, 1e-14);
    check_below("  moment at the mean positions", e.moment, 1e-14);
  }
}

/* Returns the largest difference from the Jacobian of the middle, for a displacement of SIZE. */
static double difference(const hn_joint *joint, const motion *a, const motion *b, double size)
{
  pair p;
  double G_a[36], G_b[36], largest = 0.0;
  make_pair(&p, a, b, size);
  hn_discrete_jacobian(joint, &p.step, G_a, G_b);
  const motion middle_a = { .pose = p.pose[2][0] }, middle_b = { .pose = p.pose[2][1] };
  const rows middle = eval(joint, &middle_a, &middle_b);
  for (int k = 0; k < 6 * joint->type->rows; k++)
    largest = larger(largest, larger(fabs(G_a[k] - middle.Ga[k]), fabs(G_b[k] - middle.Gb[k])));
  return largest;
}

static void jacobians_tend_to_those_of_the_middle(void **state)
{
  (void)state;
  size_t count;
  const hn_joint_type *const *types = tested_types(&count);
  for (size_t i = 0; i < count; i++) {
    hn_joint joint = { .type = types[i] };
    motion a, b;
    draw_regular(&joint, &a, &b);
    const double whole = difference(&joint, &a, &b, 1e-2), half = difference(&joint, &a, &b, 5e-3);
    if (whole < 1e-13) continue; /* rows of velocities, constant rows */
    check_near(types[i]->name, log2(whole / half), 2.0, 0.1);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(changes_are_exact_and_momentum_is_kept),
    cmocka_unit_test(jacobians_tend_to_those_of_the_middle),
    cmocka_unit_test_setup(changes_are_exact_and_momentum_is_kept, in_the_plane),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
