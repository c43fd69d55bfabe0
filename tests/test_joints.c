/* test_joints.c - the contract of joint types, run over the registry: whatever type is listed must pass.
 *
 * Two bodies in general position and motion, an independent motion series built from their Taylor coefficients; the
 * closed form is held against finite motion and against the jet. Of types of velocities it is G u + bias, in place of
 * the residual, that is differentiated. */
#include "check.h"
#include "settings.h"
#include "base/params.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { ORDER = 3, STRIDE = ORDER + 1, WORK = 200 * STRIDE };

static const double TIME = 0.3; /* s, of prescribed motions */

/* Numbers in [-1, 1], the same everywhere. */
static double next_number(void)
{
  static uint32_t seed = 12345;
  seed = seed * 1664525u + 1013904223u;
  return (double)(int32_t)seed / 2147483648.0;
}

static void fill(double *a, int n)
{
  for (int i = 0; i < n; i++) a[i] = next_number();
}

typedef struct motion {
  hn_pose pose;
  hn_twist twist, acceleration;
} motion;

static motion random_motion(void)
{
  motion m;
  fill(m.pose.x, 3), fill(m.pose.q, 4), fill(m.twist.v, 3), fill(m.twist.w, 3);
  fill(m.acceleration.v, 3), fill(m.acceleration.w, 3);
  quat_normalise(m.pose.q);
  return m;
}

/* The rows of a random orientation: axes fixed to a body. */
static void random_axes(double axes[9])
{
  double q[4];
  fill(q, 4);
  quat_normalise(q);
  quat_matrix(axes, q);
}

static hn_joint make_joint(const hn_joint_type *type)
{
  static hn_axes axes; /* of the joint made last, and its parameters */
  static double data[32];
  hn_error error;
  const char *settings = settings_for(type, "length=0.7,pitch=0.6,teeth=3:5,lower=-0.1,upper=0.3,radius=0.4");
  hn_joint joint = { .type = type, .a = 0, .b = 1, .axes = &axes, .input = -1 };
  axes = (hn_axes){ .angle = 1.1, .motion = { { 0.2, -0.3, 0.4, 0.1 }, 0.3, 1.7, 0.4 } };
  assert_true(type->data_size <= sizeof data);
  memset(data, 0, sizeof data);
  if (type->data_size > 0) joint.data = data;
  if (hn_params_read(hn_joint_params(type), type->name, settings, data, NULL, &error)) fail_msg("%s", error.text);
  fill(joint.point_a, 3), fill(joint.point_b, 3);
  random_axes(axes.a), random_axes(axes.b);
  return joint;
}

/* q' = (0, w) q / 2 and its derivative. */
static void quaternion_series(const motion *m, double q[3][4])
{
  double w[4] = { 0 }, dw[4] = { 0 }, first[4], second[4];
  vec_copy(w + 1, m->twist.w), vec_copy(dw + 1, m->acceleration.w);
  memcpy(q[0], m->pose.q, sizeof q[0]);
  quat_mul(q[1], w, q[0]);
  for (int i = 0; i < 4; i++) q[1][i] *= 0.5;
  quat_mul(first, dw, q[0]);
  quat_mul(second, w, q[1]);
  for (int i = 0; i < 4; i++) q[2][i] = 0.25 * (first[i] + second[i]); /* half of the second derivative */
}

/* Row r, column c of a rotation matrix is a quadratic form in q; its series is that form's. */
static double matrix_coefficient(double q[3][4], int entry, int k)
{
  double sum = 0.0, R[9];
  for (int i = 0; i <= k; i++) { /* polarisation: B(p, q) = (R(p + q) - R(p - q)) / 4 without the unit part */
    double plus[4], minus[4], Rm[9];
    for (int c = 0; c < 4; c++) plus[c] = q[i][c] + q[k - i][c], minus[c] = q[i][c] - q[k - i][c];
    quat_matrix(R, plus);
    quat_matrix(Rm, minus);
    sum += 0.25 * (R[entry] - Rm[entry]);
  }
  return sum + (k == 0 && entry % 4 == 0 ? 1.0 : 0.0);
}

typedef struct jet_storage { double x[3 * STRIDE], q[4 * STRIDE], R[9 * STRIDE]; } jet_storage;

static hn_body_jet body_jet(const motion *m, jet_storage *s)
{
  double q[3][4];
  quaternion_series(m, q);
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 3; i++)
      s->x[i * STRIDE + k] = k == 0 ? m->pose.x[i] : k == 1 ? m->twist.v[i] : 0.5 * m->acceleration.v[i];
    for (int i = 0; i < 4; i++) s->q[i * STRIDE + k] = q[k][i];
    for (int i = 0; i < 9; i++) s->R[i * STRIDE + k] = matrix_coefficient(q, i, k);
  }
  return (hn_body_jet){ STRIDE, s->x, s->q, s->R };
}

typedef struct rows { double g[6], Ga[36], Gb[36], bias[6], gamma[6]; } rows;

static rows eval_at(double t, const hn_joint *joint, const motion *a, const motion *b)
{
  rows r = { { 0 }, { 0 }, { 0 }, { 0 }, { 0 } };
  hn_rows out = { r.g, r.Ga, r.Gb, r.bias, r.gamma };
  joint->type->eval(joint, t, &a->pose, &a->twist, &b->pose, &b->twist, &out);
  return r;
}

static rows eval(const hn_joint *joint, const motion *a, const motion *b)
{
  return eval_at(TIME, joint, a, b);
}

/* Row r of G u. */
static double map(const hn_joint *joint, const rows *at, int r, const hn_twist *ua, const hn_twist *ub)
{
  double sum = 0.0;
  int n = joint->type->rows;
  for (int c = 0; c < 3; c++)
    sum += at->Ga[c * n + r] * ua->v[c] + at->Ga[(3 + c) * n + r] * ua->w[c] + at->Gb[c * n + r] * ub->v[c] +
           at->Gb[(3 + c) * n + r] * ub->w[c];
  return sum;
}

static bool planar; /* the tests are of what the types are in the plane */

static int in_the_plane(void **state)
{
  (void)state;
  planar = true;
  return 0;
}

/* The registry and the coordinates of its types; or what its types are in the plane. */
static const hn_joint_type *const *each(size_t *count)
{
  static const hn_joint_type *all[64];
  size_t types;
  const hn_joint_type *const *type = hn_joint_types(&types);
  *count = 0;
  for (size_t i = 0; i < types && !planar; i++) all[(*count)++] = type[i];
  for (size_t i = 0; i < types; i++) {
    if (planar && type[i]->planar && type[i]->planar != type[i]) all[(*count)++] = type[i]->planar;
    const hn_joint_type *const *coordinate = planar ? NULL : type[i]->coordinates;
    for (; coordinate && *coordinate; coordinate++) {
      bool known = false;
      for (size_t k = 0; k < *count; k++) known |= all[k] == *coordinate;
      if (!known) all[(*count)++] = *coordinate;
    }
    assert_true(*count < 56);
  }
  return all;
}

/* Draws the joint and its bodies again until they are well away from the places where some row is undefined: points
 * that coincide, axis 0 of a along an axis of b or along the line of the points; and from the seams of a
 * gear or screw, where its residual jumps by a tooth or a pitch. */
static void draw_apart(hn_joint *joint, motion *a, motion *b)
{
  double span, lean[2], steep[2], off;
  do {
    *joint = make_joint(joint->type), *a = random_motion(), *b = random_motion();
    double pa[3], pb[3], axis_a[3], axis_b[3];
    quat_rotate(pa, a->pose.q, joint->point_a), quat_rotate(pb, b->pose.q, joint->point_b);
    for (int i = 0; i < 3; i++) pb[i] += b->pose.x[i] - a->pose.x[i] - pa[i];
    span = vec_norm(pb);
    quat_rotate(axis_a, a->pose.q, joint->axes->a);
    for (int i = 0; i < 2; i++) {
      quat_rotate(axis_b, b->pose.q, joint->axes->b + 3 * i);
      lean[i] = fabs(vec_dot(axis_a, axis_b));
    }
    steep[0] = fabs(vec_dot(axis_a, pb)) / span;
    quat_rotate(axis_b, b->pose.q, joint->axes->b);
    steep[1] = fabs(vec_dot(axis_b, pb)) / span;
    double pitch = hn_joint_real(joint, "pitch");
    off = isnan(pitch) ? 0.0 : fabs(eval(joint, a, b).g[4]) / pitch;
  } while (span < 0.5 || lean[0] > 0.9 || lean[1] > 0.9 || steep[0] > 0.9 || steep[1] > 0.9 || off > 0.4);
  if (strcmp(joint->type->name, "gear") == 0) joint->axes->angle += eval(joint, a, b).g[0];
}

/* Coefficient k of rows 0, 1, ... of G u + bias, from the Jacobian's series, that of the bias in g, and the twists and
 * accelerations of both bodies. */
static void rate_series(const hn_joint *joint, const motion *a, const motion *b, double g[3][6])
{
  jet_storage sa, sb;
  hn_body_jet ja = body_jet(a, &sa), jb = body_jet(b, &sb);
  double work[WORK];
  rows at[2];
  for (size_t k = 0; k < 2; k++) joint->type->jet(joint, TIME, &ja, &jb, k, work, g[k + 1], at[k].Ga, at[k].Gb);
  for (int i = 0; i < joint->type->rows; i++) {
    g[0][i] = 0.0;
    g[1][i] += map(joint, &at[0], i, &a->twist, &b->twist);
    g[2][i] += map(joint, &at[0], i, &a->acceleration, &b->acceleration) + map(joint, &at[1], i, &a->twist, &b->twist);
    g[2][i] *= 0.5;
  }
}

/* Coefficients 0, 1, 2 of the residual. */
static void residual_series(const hn_joint *joint, const motion *a, const motion *b, double g[3][6])
{
  jet_storage sa, sb;
  hn_body_jet ja = body_jet(a, &sa), jb = body_jet(b, &sb);
  double work[WORK];
  for (size_t k = 0; k < 3; k++) joint->type->jet(joint, TIME, &ja, &jb, k, work, g[k], NULL, NULL);
}

static void eval_agrees_with_jet(void **state)
{
  (void)state;
  size_t count;
  const hn_joint_type *const *types = each(&count);
  for (size_t t = 0; t < count; t++) {
    if (!types[t]->jet) continue;
    double worst[3] = { 0, 0, 0 };
    for (int trial = 0; trial < 50; trial++) {
      hn_joint joint = { .type = types[t] };
      motion a, b;
      double g[3][6];
      draw_apart(&joint, &a, &b);
      (types[t]->velocity ? rate_series : residual_series)(&joint, &a, &b, g);
      rows r = eval(&joint, &a, &b);
      for (int i = 0; i < types[t]->rows; i++) {
        worst[0] = fmax(worst[0], fabs(g[0][i] - r.g[i]));
        worst[1] = fmax(worst[1], fabs(g[1][i] - r.bias[i] - map(&joint, &r, i, &a.twist, &b.twist)));
        double second = r.gamma[i] + map(&joint, &r, i, &a.acceleration, &b.acceleration);
        worst[2] = fmax(worst[2], fabs(2 * g[2][i] - second));
      }
    }
    printf(" %s\n", types[t]->name);
    check_below("jet coefficient 0 against g", worst[0], 1e-12);
    check_below("jet coefficient 1 against G u + bias", worst[1], 1e-12);
    check_below("twice coefficient 2 against G a + gamma", worst[2], 1e-12);
  }
}

/* The pose after time e at the constant twist u. */
static hn_pose displaced(const hn_pose *pose, const hn_twist *u, double e)
{
  hn_pose moved = *pose;
  double half = 0.5 * e * vec_norm(u->w), scale = 0.5 * e * sin(half) / half, turn[4] = { cos(half) };
  vec_add_scaled(moved.x, e, u->v);
  vec_scale(turn + 1, scale, u->w);
  quat_mul(moved.q, turn, pose->q);
  return moved;
}

static rows rows_after(const hn_joint *joint, const motion *a, const motion *b, double e)
{
  motion moved_a = *a, moved_b = *b;
  moved_a.pose = displaced(&a->pose, &a->twist, e), moved_b.pose = displaced(&b->pose, &b->twist, e);
  rows r = eval_at(joint->type->velocity ? TIME + e : TIME, joint, &moved_a, &moved_b);
  for (int i = 0; i < joint->type->rows && joint->type->velocity; i++) { /* what is to be differentiated */
    assert_true(r.g[i] == 0.0);
    r.g[i] = r.bias[i] + map(joint, &r, i, &a->twist, &b->twist);
  }
  return r;
}

/* The rows at the times e, -e, 2 e, -2 e of constant twists (of a type of velocities with G u + bias in place of g),
 * and the derivative of one of their numbers: the error is e^4 / 30 of its fifth derivative. */
typedef struct stencil { rows at[4]; } stencil;

static const double E = 2e-4;

static stencil around(const hn_joint *joint, const motion *a, const motion *b)
{
  return (stencil){ { rows_after(joint, a, b, E), rows_after(joint, a, b, -E), rows_after(joint, a, b, 2 * E),
                      rows_after(joint, a, b, -2 * E) } };
}

static double derivative(double plus, double minus, double plus2, double minus2)
{
  return (8 * (plus - minus) - (plus2 - minus2)) / (12 * E);
}

static void jacobian_agrees_with_finite_motion(void **state)
{
  (void)state;
  size_t count;
  const hn_joint_type *const *types = each(&count);
  for (size_t t = 0; t < count; t++) {
    double worst = 0.0;
    for (int trial = 0; trial < 50; trial++) {
      hn_joint joint = { .type = types[t] };
      motion a, b;
      draw_apart(&joint, &a, &b);
      rows r = eval(&joint, &a, &b);
      stencil s = around(&joint, &a, &b);
      for (int i = 0; i < types[t]->rows; i++)
        worst = fmax(worst, fabs(derivative(s.at[0].g[i], s.at[1].g[i], s.at[2].g[i], s.at[3].g[i]) -
                                  (types[t]->velocity ? r.gamma[i] : map(&joint, &r, i, &a.twist, &b.twist))));
    }
    printf(" %s\n", types[t]->name);
    check_below(types[t]->velocity ? "difference of G u + bias against gamma" : "difference of g against G u", worst,
                1e-9);
  }
}

/* The Jacobian's series: coefficient 0 is G, coefficient 1 its derivative along the motion. */
static void jacobian_series_agrees_with_eval(void **state)
{
  (void)state;
  size_t count;
  const hn_joint_type *const *types = each(&count);
  for (size_t t = 0; t < count; t++) {
    if (!types[t]->jet) continue;
    double worst[2] = { 0, 0 };
    for (int trial = 0; trial < 50; trial++) {
      hn_joint joint = { .type = types[t] };
      motion a, b;
      jet_storage sa, sb;
      draw_apart(&joint, &a, &b);
      hn_body_jet ja = body_jet(&a, &sa), jb = body_jet(&b, &sb);
      double work[WORK], g[6], Ga[2][36], Gb[2][36];
      for (size_t k = 0; k < 2; k++) types[t]->jet(&joint, TIME, &ja, &jb, k, work, g, Ga[k], Gb[k]);
      rows r = eval(&joint, &a, &b);
      stencil s = around(&joint, &a, &b);
      for (int i = 0; i < 6 * types[t]->rows; i++) {
        double off_a = fabs(Ga[0][i] - r.Ga[i]) / (1 + fabs(r.Ga[i]));
        double off_b = fabs(Gb[0][i] - r.Gb[i]) / (1 + fabs(r.Gb[i]));
        worst[0] = fmax(worst[0], fmax(off_a, off_b));
        double da = derivative(s.at[0].Ga[i], s.at[1].Ga[i], s.at[2].Ga[i], s.at[3].Ga[i]);
        double db = derivative(s.at[0].Gb[i], s.at[1].Gb[i], s.at[2].Gb[i], s.at[3].Gb[i]);
        worst[1] = fmax(worst[1], fmax(fabs(Ga[1][i] - da), fabs(Gb[1][i] - db)));
      }
    }
    printf(" %s\n", types[t]->name);
    check_below("Jacobian coefficient 0 against G", worst[0], 1e-13);
    check_below("Jacobian coefficient 1 against a difference", worst[1], 1e-9);
  }
}

/* Changes coefficient k of a body by SCALE times numbers of CHANGE, of which it takes 16. */
static void change(const hn_body_jet *body, size_t k, double scale, const double *change)
{
  for (size_t i = 0; i < 3; i++) body->x[i * STRIDE + k] += scale * change[i];
  for (size_t i = 0; i < 4; i++) body->q[i * STRIDE + k] += scale * change[3 + i];
  for (size_t i = 0; i < 9; i++) body->R[i * STRIDE + k] += scale * change[7 + i];
}

/* Methods ask for residual 2 first and change coefficient 2 by what the multipliers add: then the Jacobian of 2, and
 * all of 3, must be as if it had been right at once. */
static void late_changes_reach_the_jet(void **state)
{
  (void)state;
  size_t count;
  const hn_joint_type *const *types = each(&count);
  for (size_t t = 0; t < count; t++) {
    double worst = 0.0;
    for (int trial = 0; trial < 20 && types[t]->jet; trial++) {
      hn_joint joint = { .type = types[t] };
      motion a, b;
      jet_storage sa = { { 0 }, { 0 }, { 0 } }, sb = sa;
      double work[2][WORK], g[2][6] = { { 0 } }, G[2][2][72] = { { { 0 } } }, late[32];
      draw_apart(&joint, &a, &b);
      hn_body_jet ja = body_jet(&a, &sa), jb = body_jet(&b, &sb);
      fill(late, 32);
      change(&ja, 3, 1.0, late + 16), change(&jb, 3, 1.0, late);
      for (int run = 0; run < 2; run++) {
        double sign = run == 0 ? 0.0 : 1.0, *own = work[run];
        memset(own, 0, sizeof work[run]);
        for (size_t k = 0; k < 2; k++) types[t]->jet(&joint, TIME, &ja, &jb, k, own, g[run], G[run][0], G[run][0] + 36);
        change(&ja, 2, sign, late), change(&jb, 2, sign, late + 16);
        types[t]->jet(&joint, TIME, &ja, &jb, 2, own, g[run], NULL, NULL);
        change(&ja, 2, -sign, late), change(&jb, 2, -sign, late + 16);
        types[t]->jet(&joint, TIME, &ja, &jb, 2, own, NULL, G[run][0], G[run][0] + 36);
        types[t]->jet(&joint, TIME, &ja, &jb, 3, own, g[run], G[run][1], G[run][1] + 36);
      }
      for (int i = 0; i < types[t]->rows; i++) worst = fmax(worst, fabs(g[1][i] - g[0][i]) / (1.0 + fabs(g[0][i])));
      for (int i = 0; i < 72; i++)
        for (int k = 0; k < 2; k++) worst = fmax(worst, fabs(G[1][k][i] - G[0][k][i]) / (1.0 + fabs(G[0][k][i])));
    }
    printf(" %s\n", types[t]->name);
    check_below("jets after a late change against jets without, relative", worst, 1e-11);
  }
}

/* Is it undefined where its points coincide? */
static bool needs_distance(const hn_joint_type *type)
{
  return strcmp(type->name, "distance") == 0 || strcmp(type->name, "gear") == 0;
}

/* Moves b until the joint points meet: the reaction lines of a ball do only there. */
static void bring_points_together(const hn_joint *joint, const motion *a, motion *b)
{
  double pa[3], pb[3];
  quat_rotate(pa, a->pose.q, joint->point_a);
  quat_rotate(pb, b->pose.q, joint->point_b);
  for (int i = 0; i < 3; i++) b->pose.x[i] = a->pose.x[i] + pa[i] - pb[i];
}

/* Internal impulses change neither the momentum nor the angular momentum about any point. */
static void impulses_act_and_react(void **state)
{
  (void)state;
  size_t count;
  const hn_joint_type *const *types = each(&count);
  for (size_t t = 0; t < count; t++) {
    double worst = 0.0;
    for (int trial = 0; trial < 20; trial++) {
      hn_joint joint = make_joint(types[t]);
      motion a = random_motion(), b = random_motion();
      if (!needs_distance(types[t])) bring_points_together(&joint, &a, &b);
      rows r = eval(&joint, &a, &b);
      int n = types[t]->rows;
      for (int i = 0; i < n; i++) {
        double fa[3], fb[3], moment_a[3], moment_b[3];
        for (int c = 0; c < 3; c++) fa[c] = r.Ga[c * n + i], fb[c] = r.Gb[c * n + i];
        vec_cross(moment_a, a.pose.x, fa);
        vec_cross(moment_b, b.pose.x, fb);
        for (int c = 0; c < 3; c++) {
          worst = fmax(worst, fabs(fa[c] + fb[c]));
          worst = fmax(worst, fabs(moment_a[c] + moment_b[c] + r.Ga[(3 + c) * n + i] + r.Gb[(3 + c) * n + i]));
        }
      }
    }
    printf(" %s\n", types[t]->name);
    check_below("sum of forces and of moments of a unit impulse", worst, 1e-13);
  }
}

/* ---- Types of velocities: what G u is ---------------------------------------------------------------------------- */

/* Where the point at WORLD of a body is, as if fixed to it, after e. */
static void carried(const motion *m, const double world[3], double e, double out[3])
{
  double own[3];
  hn_pose moved = displaced(&m->pose, &m->twist, e);
  vec_sub(own, world, m->pose.x);
  quat_unrotate(own, m->pose.q, own);
  quat_rotate(out, moved.q, own);
  vec_add(out, out, moved.x);
}

/* Velocity along DIRECTION of the point of b at WORLD against that of a there, by a difference. */
static double sliding(const motion *a, const motion *b, const double world[3], const double direction[3])
{
  double along[4], pa[3], pb[3];
  const double at[4] = { E, -E, 2 * E, -2 * E };
  for (int i = 0; i < 4; i++) {
    carried(a, world, at[i], pa), carried(b, world, at[i], pb);
    vec_sub(pb, pb, pa);
    along[i] = vec_dot(direction, pb);
  }
  return derivative(along[0], along[1], along[2], along[3]);
}

/* The point of the rim of a disc that lies lowest along N: the lowest of many, then the zero of the slope, halving. */
static void lowest_of_rim(const double centre[3], const double disc[9], double radius, const double n[3], double out[3])
{
  double c = vec_dot(n, disc + 3), s = vec_dot(n, disc + 6), best = 0.0;
  for (double angle = 0.0; angle < 6.28; angle += 0.02)
    if (c * cos(angle) + s * sin(angle) < c * cos(best) + s * sin(best)) best = angle;
  double low = best - 0.02, high = best + 0.02;
  for (int i = 0; i < 60; i++) {
    double middle = 0.5 * (low + high);
    if (s * cos(middle) - c * sin(middle) < 0) low = middle;
    else high = middle;
  }
  vec_copy(out, centre);
  vec_add_scaled(out, radius * cos(low), disc + 3);
  vec_add_scaled(out, radius * sin(low), disc + 6);
}

/* The joint's axes in the world, on a or on b. */
static void world_axes(const double axes[9], const motion *of, double out[9])
{
  for (int i = 0; i < 3; i++) quat_rotate(out + 3 * i, of->pose.q, axes + 3 * i);
}

/* Directions and point of contact of what rolls or cuts, found apart from its closed form. */
static void find_contact(const hn_joint *joint, const motion *a, const motion *b, double A[9], double point[3],
                         const double **direction)
{
  static double B[9];
  const char *name = joint->type->name;
  double centre[3], radius = hn_joint_real(joint, "radius");
  world_axes(joint->axes->a, a, A), world_axes(joint->axes->b, b, B);
  quat_rotate(centre, b->pose.q, joint->point_b);
  vec_add(centre, centre, b->pose.x);
  vec_copy(point, centre);
  *direction = strcmp(name, "knife_edge") == 0 ? B : strcmp(name, "disc_on_plane") == 0 ? A : A + 3;
  if (strcmp(name, "rolling") == 0) vec_add_scaled(point, -radius, A);
  else if (strcmp(name, "knife_edge") != 0) lowest_of_rim(centre, B, radius, A, point);
}

static void contacts_slide_as_their_rows_say(void **state)
{
  (void)state;
  static const char *const names[] = { "knife_edge", "rolling", "rolling_disc", "disc_on_plane" };
  for (int t = 0; t < 4; t++) {
    double worst = 0.0;
    const hn_joint_type *type = hn_joint_type_find(names[t], NULL);
    for (int trial = 0; trial < 50; trial++) {
      hn_joint joint = { .type = type };
      motion a, b;
      double A[9], point[3];
      const double *direction;
      draw_apart(&joint, &a, &b);
      rows r = eval(&joint, &a, &b);
      find_contact(&joint, &a, &b, A, point, &direction);
      for (int i = 0; i < type->rows; i++)
        worst = fmax(worst, fabs(sliding(&a, &b, point, direction + 3 * i) - map(&joint, &r, i, &a.twist, &b.twist)));
    }
    printf(" %s\n", type->name);
    check_below("sliding of material points against G u", worst, 1e-10);
  }
}

/* Motors and friction act on the rates of the coordinates that force laws measure. */
static void rates_are_those_of_coordinates(void **state)
{
  (void)state;
  static const char *const names[] = { "motor_angle", "motor_position", "friction_angle", "friction_position" };
  for (int t = 0; t < 4; t++) {
    double worst[2] = { 0, 0 };
    const hn_joint_type *type = hn_joint_type_find(names[t], NULL);
    const hn_joint_type *hinge = hn_joint_type_find(t % 2 ? "slider" : "hinge", NULL);
    for (int trial = 0; trial < 50; trial++) {
      hn_joint joint = { .type = type };
      motion a, b;
      draw_apart(&joint, &a, &b);
      rows r = eval(&joint, &a, &b);
      double f = t < 2 ? hn_motion_coefficient(&joint.axes->motion, TIME, 0) : 0.0;
      joint.type = hinge->coordinates[0];
      rows of = eval(&joint, &a, &b);
      for (int c = 0; c < 6; c++) worst[0] = fmax(worst[0], fmax(fabs(r.Ga[c] - of.Ga[c]), fabs(r.Gb[c] - of.Gb[c])));
      worst[1] = fmax(worst[1], fabs(r.bias[0] + f));
    }
    printf(" %s\n", type->name);
    check_below("Jacobian against that of the coordinate", worst[0], 0.0);
    check_below("bias against minus the speed that is asked for", worst[1], 0.0);
  }
}

/* Exchanging the bodies changes the sign of what is signed by direction, and nothing else. */
static void exchanging_bodies_mirrors_the_rows(void **state)
{
  (void)state;
  static const char *const mutual[] = { "ball", "point_on_point", "distance" }; /* the others have their axes on a */
  for (int t = 0; t < 3; t++) {
    double worst = 0.0;
    const hn_joint_type *type = hn_joint_type_find(mutual[t], NULL);
    hn_joint joint = make_joint(type), swapped = joint;
    vec_copy(swapped.point_a, joint.point_b), vec_copy(swapped.point_b, joint.point_a);
    motion a = random_motion(), b = random_motion();
    rows r = eval(&joint, &a, &b), s = eval(&swapped, &b, &a);
    double sign = type->rows == 1 ? 1.0 : -1.0; /* a length has no direction */
    for (int i = 0; i < 6 * type->rows; i++) worst = fmax(worst, fabs(r.Ga[i] - sign * s.Gb[i]));
    for (int i = 0; i < type->rows; i++) worst = fmax(worst, fabs(r.g[i] - sign * s.g[i]));
    printf(" %s\n", type->name);
    check_below("rows of (a, b) against mirrored rows of (b, a)", worst, 1e-15);
  }
}

/* A fixed body receives no impulse: its columns of W G' are zero. */
static void fixed_bodies_have_no_response(void **state)
{
  (void)state;
  const double gravity[3] = { 0, -9.81, 0 };
  hn_error error = { .text = "" };
  hn_model *model = hn_model_create(gravity);
  hn_body_spec ball = { .name = "ball", .kind = HN_RIGID, .shape = { HN_SPHERE, { 0.3 } }, .density = 100,
                        .position = { 1, 0, 0 }, .orientation = { 1, 0, 0, 0 } };
  assert_int_equal(hn_model_add_body(model, &ball, &error), 1);
  hn_joint_spec joint = { .type = "ball", .a = 0, .b = 1, .has_points = true };
  assert_int_equal(hn_model_add_joint(model, &joint, &error), 0);
  hn_system *system = hn_system_create(model, &error);
  hn_state *at = hn_state_create(model);
  double worst = 0.0, response = 0.0;
  hn_system_jacobian(system, at);
  for (int i = 0; i < 18; i++) {
    worst = fmax(worst, fabs(system->T[i]));
    response = fmax(response, fabs(system->T[18 + i]));
  }
  check_below("W G' on the ground", worst, 0.0);
  double mass = 100 * 4.0 / 3.0 * M_PI * 0.027;
  check_near("largest W G' on the ball: arm / moment of inertia", response, 1.0 / (0.4 * mass * 0.09), 1e-12);
  hn_state_free(at);
  hn_system_free(system);
  hn_model_free(model);
}

/* Joints have no place for them. */
static void no_joint_type_has_texts(void **state)
{
  (void)state;
  size_t count;
  const hn_joint_type *const *types = each(&count);
  for (size_t t = 0; t < count; t++)
    for (const hn_param *p = hn_joint_params(types[t]); p->key; p++) assert_int_not_equal(p->kind, HN_TEXT);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(eval_agrees_with_jet),
    cmocka_unit_test(jacobian_agrees_with_finite_motion),
    cmocka_unit_test(jacobian_series_agrees_with_eval),
    cmocka_unit_test(late_changes_reach_the_jet),
    cmocka_unit_test(impulses_act_and_react),
    cmocka_unit_test(contacts_slide_as_their_rows_say),
    cmocka_unit_test(rates_are_those_of_coordinates),
    cmocka_unit_test(no_joint_type_has_texts),
    cmocka_unit_test(exchanging_bodies_mirrors_the_rows),
    cmocka_unit_test(fixed_bodies_have_no_response),
    cmocka_unit_test_setup(eval_agrees_with_jet, in_the_plane),
    cmocka_unit_test_setup(jacobian_agrees_with_finite_motion, in_the_plane),
    cmocka_unit_test_setup(jacobian_series_agrees_with_eval, in_the_plane),
    cmocka_unit_test_setup(late_changes_reach_the_jet, in_the_plane),
    cmocka_unit_test_setup(impulses_act_and_react, in_the_plane),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
