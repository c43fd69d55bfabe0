/* test_freedoms.c - explicit kinematics of joints against the rows of the same joints, which are written
 * independently: poses satisfy g = 0, the motion subspace is the null space of G, its derivative agrees with
 * gamma, coordinates and rates are recovered, and agree with the coordinates that outputs show. */
#include "models.h"
#include "base/random.h"
#include "joint/freedoms.h"

static const double rounding = 1e-12;

/* Returns the next pseudo-random number in [-1, 1]. */
static double next_number(void)
{
  static uint32_t seed = 271828;
  return random_signed(&seed);
}

static void fill_random(double *a, int n)
{
  for (int i = 0; i < n; i++) a[i] = next_number();
}

/* A joint between two bodies in general position, in space or in the plane. */
static hn_model *one_joint(const hn_joint_type *type, bool planar)
{
  static const double still[3] = { 0 };
  hn_error error;
  hn_model *model = hn_model_create(still);
  assert_non_null(model);
  if (planar && hn_model_set_planar(model, &error)) fail_msg("%s", error.text);
  for (int i = 0; i < 2; i++) {
    hn_body_spec body = rigid_body(i ? "b" : "a", 1.0, planar ? 0 : 1.0, planar ? 0 : 1.2, 1.5);
    fill_random(body.position, 3), fill_random(body.orientation, 4);
    if (planar) body.position[2] = body.orientation[1] = body.orientation[2] = 0.0;
    must_add(model, &body);
  }
  hn_joint_spec spec = { .type = type->name, .a = 1, .b = 2, .has_points = true, .settings = "" };
  if (strcmp(type->name, "screw") == 0) spec.settings = "pitch=0.6";
  fill_random(spec.at_a, 3), fill_random(spec.axis_a, 3), fill_random(spec.axis_b, 3);
  const bool normal = strcmp(type->name, "hinge") == 0;
  if (planar) spec.at_a[2] = spec.axis_a[2] = spec.axis_b[2] = 0.0;
  if (planar && normal) vec_set(spec.axis_a, 0, 0, 1);
  vec_copy(spec.at_b, spec.at_a);
  if (hn_model_add_joint(model, &spec, &error) < 0) fail_msg("%s: %s", type->name, error.text);
  return model;
}

typedef struct pair {
  hn_tree_joint edge;
  hn_tree_motion motion;
  hn_pose pose[2]; /* of a and b */
  hn_twist twist[2];
  double q[HN_MAX_COORDINATES], u[HN_MAX_FREEDOMS];
} pair;

static hn_pose *parent_of(pair *p)
{
  return &p->pose[p->edge.reversed];
}

static hn_pose *child_of(pair *p)
{
  return &p->pose[!p->edge.reversed];
}

/* Sets a random motion of the pair; coordinates of angles within a turn. */
static pair random_pair(const hn_model *model, bool reversed)
{
  pair p = { .motion = { { 0 }, { 0 }, { { 0 } } } };
  if (!hn_tree_joint_set(&p.edge, model, &model->joint[0], reversed)) fail_msg("the type has no coordinates");
  hn_pose *parent = parent_of(&p);
  hn_twist *twist = &p.twist[reversed];
  fill_random(parent->x, 3), fill_random(parent->q, 4), fill_random((double *)twist, 6);
  if (model->planar) parent->x[2] = parent->q[1] = parent->q[2] = 0.0;
  if (model->planar) twist->v[2] = twist->w[0] = twist->w[1] = 0.0;
  quat_normalise(parent->q);
  fill_random(p.q, p.edge.ncoordinate), fill_random(p.u, p.edge.nfree);
  if (p.edge.turning == HN_TURNS_SPHERE) quat_normalise(p.q + p.edge.nslide);
  else
    for (int i = p.edge.nslide; i < p.edge.ncoordinate; i++) p.q[i] *= 3.0;
  hn_tree_joint_place(&p.edge, p.q, parent, child_of(&p), &p.motion);
  hn_tree_joint_move(&p.edge, &p.motion, p.u, twist, &p.twist[!reversed]);
  return p;
}

typedef struct rows {
  double g[6], G[2][36], gamma[6];
} rows;

static rows rows_of(const hn_joint *joint, const pair *p)
{
  rows r = { .g = { 0 } };
  joint->type->eval(joint, 0.0, &p->pose[0], &p->twist[0], &p->pose[1], &p->twist[1],
                    &(hn_rows){ .g = r.g, .G_a = r.G[0], .G_b = r.G[1], .gamma = r.gamma });
  return r;
}

/* Returns the largest |G_a a + G_b b + SHIFT|. */
static double largest_rate(const hn_joint *joint, const rows *r, const hn_twist twist[2], const double *shift)
{
  const int n = joint->type->rows;
  double most = 0.0;
  for (int i = 0; i < n; i++) {
    double sum = shift ? shift[i] : 0.0;
    for (int side = 0; side < 2; side++)
      for (int c = 0; c < 6; c++) sum += r->G[side][c * n + i] * ((const double *)&twist[side])[c];
    most = larger(most, fabs(sum));
  }
  return most;
}

/* Largest errors over the types. */
typedef struct errors {
  double residual, rate, subspace, acceleration, coordinates, rates, outputs, flow;
} errors;

static double off_turn(double x, double y)
{
  return fabs(remainder(x - y, 2.0 * M_PI));
}

/* Returns the distance of coordinates: angles modulo a turn, quaternions to their sign. */
static double distance(const hn_tree_joint *edge, const double *x, const double *y)
{
  double most = 0.0, plus = 0.0, minus = 0.0;
  for (int i = 0; i < edge->ncoordinate; i++) {
    const bool angle = i >= edge->nslide;
    if (edge->turning == HN_TURNS_SPHERE && angle)
      plus = larger(plus, fabs(x[i] - y[i])), minus = larger(minus, fabs(x[i] + y[i]));
    else most = larger(most, angle ? off_turn(x[i], y[i]) : fabs(x[i] - y[i]));
  }
  return larger(most, plus < minus ? plus : minus);
}

static void check_motion(const hn_joint *joint, pair *p, errors *e)
{
  const rows r = rows_of(joint, p);
  hn_twist bias, acceleration[2] = { { { 0 }, { 0 } }, { { 0 }, { 0 } } };
  double turn[3];
  for (int i = 0; i < joint->type->rows; i++) e->residual = larger(e->residual, fabs(r.g[i]));
  e->rate = larger(e->rate, largest_rate(joint, &r, p->twist, NULL));
  for (int k = 0; k < p->edge.nfree; k++) {
    hn_twist only[2] = { { { 0 }, { 0 } }, { { 0 }, { 0 } } };
    double unit[HN_MAX_FREEDOMS] = { 0 };
    unit[k] = 1.0;
    hn_tree_joint_move(&p->edge, &p->motion, unit, &only[p->edge.reversed], &only[!p->edge.reversed]);
    e->subspace = larger(e->subspace, largest_rate(joint, &r, only, NULL));
  }
  hn_tree_joint_bias(&p->edge, &p->motion, p->u, &p->twist[p->edge.reversed], &p->twist[!p->edge.reversed],
                     &bias);
  hn_twist *of_child = &acceleration[!p->edge.reversed];
  vec_cross(turn, bias.w, p->motion.lever_child);
  vec_sub(of_child->v, bias.v, turn);
  vec_copy(of_child->w, bias.w);
  e->acceleration = larger(e->acceleration, largest_rate(joint, &r, acceleration, r.gamma));
}

static void check_recovery(const hn_joint *joint, pair *p, errors *e)
{
  double q[HN_MAX_COORDINATES], u[HN_MAX_FREEDOMS];
  hn_tree_joint_coordinates(&p->edge, parent_of(p), child_of(p), q);
  hn_tree_joint_rates(&p->edge, &p->motion, &p->twist[p->edge.reversed], &p->twist[!p->edge.reversed], u);
  e->coordinates = larger(e->coordinates, distance(&p->edge, q, p->q));
  for (int i = 0; i < p->edge.nfree; i++) e->rates = larger(e->rates, fabs(u[i] - p->u[i]));
  hn_pose pose[3] = { { { 0 }, { 0 } } };
  hn_twist twist[3] = { { { 0 }, { 0 } } };
  memcpy(pose + 1, p->pose, sizeof p->pose), memcpy(twist + 1, p->twist, sizeof p->twist);
  const hn_state state = { .nbody = 3, .pose = pose, .twist = twist };
  if (hn_joint_coordinates(joint) != p->edge.nfree) return;
  for (int i = 0; i < p->edge.nfree; i++) {
    double value, rate;
    hn_joint_coordinate(joint, i, &state, &value, &rate);
    e->outputs = larger(e->outputs, i < p->edge.nslide ? fabs(value - q[i]) : off_turn(value, q[i]));
    e->outputs = larger(e->outputs, fabs(rate - p->u[i]));
  }
}

/* The pose moves with the twist: differences along the flow of the coordinates. */
static void check_flow(pair *p, errors *e)
{
  const double step = 1e-5;
  double dq[HN_MAX_COORDINATES], moved[HN_MAX_COORDINATES];
  hn_pose at[2];
  hn_tree_joint_flow(&p->edge, p->q, p->u, dq);
  hn_tree_motion motion;
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < p->edge.ncoordinate; i++) moved[i] = p->q[i] + (side ? step : -step) * dq[i];
    hn_tree_joint_place(&p->edge, moved, parent_of(p), &at[side], &motion);
  }
  hn_twist still = { { 0 }, { 0 } }, twist;
  hn_tree_joint_move(&p->edge, &p->motion, p->u, &still, &twist);
  const double half[4] = { 0, 0.5 * twist.w[0], 0.5 * twist.w[1], 0.5 * twist.w[2] };
  double spin[4];
  quat_mul(spin, half, child_of(p)->q);
  for (int i = 0; i < 3; i++)
    e->flow = larger(e->flow, fabs((at[1].x[i] - at[0].x[i]) / (2 * step) - twist.v[i]));
  for (int i = 0; i < 4; i++)
    e->flow = larger(e->flow, fabs((at[1].q[i] - at[0].q[i]) / (2 * step) - spin[i]));
}

static void check_type(const hn_joint_type *type, bool planar, errors *e)
{
  for (int trial = 0; trial < 8; trial++) {
    hn_model *model = one_joint(type, planar);
    pair p = random_pair(model, trial % 2);
    if (p.edge.nfree + model->joint[0].type->rows != (planar ? 3 : 6))
      fail_msg("%s: %d freedoms beside %d rows", type->name, p.edge.nfree, model->joint[0].type->rows);
    check_motion(&model->joint[0], &p, e);
    check_recovery(&model->joint[0], &p, e);
    check_flow(&p, e);
    hn_model_free(model);
  }
}

static void check_types(bool planar, int expected)
{
  size_t count;
  const hn_joint_type *const *type = hn_joint_types(&count);
  int tested = 0;
  errors e = { 0 };
  for (size_t i = 0; i < count; i++) {
    const hn_joint_type *of = planar ? type[i]->planar : type[i];
    if (!of || !of->freedoms) continue;
    check_type(type[i], planar, &e);
    tested++;
  }
  ASSERT_COUNT("joint types with coordinates", tested, expected);
  check_below("residual at the closed-form pose, m or rad", e.residual, rounding);
  check_below("rate of the rows, m/s or rad/s", e.rate, rounding);
  check_below("G S", e.subspace, rounding);
  check_below("acceleration of the rows, m/s^2 or rad/s^2", e.acceleration, rounding);
  check_below("coordinates recovered from poses, m or rad", e.coordinates, rounding);
  check_below("rates recovered from twists, m/s or rad/s", e.rates, rounding);
  check_below("against the coordinates of outputs", e.outputs, rounding);
  check_below("twist against differences of poses", e.flow, 1e-8);
}

static void kinematics_satisfy_the_rows_in_space(void **state)
{
  (void)state;
  check_types(false, 17);
}

static void kinematics_satisfy_the_rows_in_the_plane(void **state)
{
  (void)state;
  check_types(true, 11);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(kinematics_satisfy_the_rows_in_space),
    cmocka_unit_test(kinematics_satisfy_the_rows_in_the_plane),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
