/* mass.c - mass, centre of mass and inertia of homogeneous shapes and of their sums, and principal axes */
#include "base/quiet.h"
#include "base/vec.h"
#include "collide/field/height_field.h"
#include "collide/hull.h"
#include "bodies.h"

#include <gsl/gsl_eigen.h>
#include <string.h>

static const double negligible = 1e-14; /* products of inertia below this part of the trace are rounding */

/* ---- One shape ----------------------------------------------------------------------------------------- */

static void box_mass(const double l[3], double density, hn_mass *out)
{
  out->mass = density * l[0] * l[1] * l[2];
  for (int i = 0; i < 3; i++) {
    double a = l[(i + 1) % 3], b = l[(i + 2) % 3];
    out->J[i] = out->mass * (a * a + b * b) / 12.0;
  }
}

static void sphere_mass(double r, double density, hn_mass *out)
{
  out->mass = density * 4.0 / 3.0 * M_PI * r * r * r;
  for (int i = 0; i < 3; i++) out->J[i] = 0.4 * out->mass * r * r;
}

static void cylinder_mass(double r, double height, double density, hn_mass *out)
{
  out->mass = density * M_PI * r * r * height;
  out->J[1] = 0.5 * out->mass * r * r;
  out->J[0] = out->J[2] = out->mass * (3.0 * r * r + height * height) / 12.0;
}

/* A cylinder and two half spheres. The centre of a half sphere lies 3r/8 from its flat face; its moment about
 * a transverse axis through that centre is (2/5 - 9/64) m r^2. */
static void capsule_mass(double r, double height, double density, hn_mass *out)
{
  hn_mass side, caps;
  cylinder_mass(r, height, density, &side);
  sphere_mass(r, density, &caps);
  double away = 0.5 * height + 0.375 * r;
  out->mass = side.mass + caps.mass;
  out->J[1] = side.J[1] + caps.J[1];
  out->J[0] = out->J[2] = side.J[0] + caps.mass * ((0.4 - 9.0 / 64.0) * r * r + away * away);
}

static void ellipsoid_mass(const double half[3], double density, hn_mass *out)
{
  out->mass = density * 4.0 / 3.0 * M_PI * half[0] * half[1] * half[2];
  for (int i = 0; i < 3; i++) {
    double a = half[(i + 1) % 3], b = half[(i + 2) % 3];
    out->J[i] = 0.2 * out->mass * (a * a + b * b);
  }
}

static void circle_mass(double r, double density, hn_mass *out)
{
  out->mass = density * M_PI * r * r;
  out->J[2] = 0.5 * out->mass * r * r;
}

typedef struct shape_kind {
  const char *name;
  int sizes;
} shape_kind;

static const shape_kind kinds[HN_SHAPE_KINDS] = {
  [HN_NO_SHAPE] = { "no shape", 0 },
  [HN_BOX] = { "box", 3 },
  [HN_SPHERE] = { "sphere", 1 },
  [HN_CYLINDER] = { "cylinder", 2 },
  [HN_CAPSULE] = { "capsule", 2 },
  [HN_PLANE] = { "plane", 0 },
  [HN_CONVEX] = { "convex", 0 },
  [HN_CIRCLE] = { "circle", 1 },
  [HN_POLYGON] = { "polygon", 0 },
  [HN_ELLIPSOID] = { "ellipsoid", 3 },
  [HN_HEIGHT_FIELD] = { "height_field", 0 },
};

const char *hn_shape_name(hn_shape_kind kind)
{
  return kinds[kind].name;
}

int hn_shape_check(const hn_shape *shape, hn_error *error)
{
  const shape_kind *kind = &kinds[shape->kind];
  for (int i = 0; i < kind->sizes; i++)
    if (!(isfinite(shape->size[i]) && shape->size[i] > 0))
      return hn_fail(error, "sizes of %s %s must be positive, not %g",
                     shape->kind == HN_ELLIPSOID ? "an" : "a", kind->name, shape->size[i]);
  if (shape->kind == HN_PLANE && !(fabs(vec_norm(shape->size) - 1.0) < 1e-12))
    return hn_fail(error, "the normal of a plane must have the length 1, not %g", vec_norm(shape->size));
  if ((shape->kind == HN_CONVEX || shape->kind == HN_POLYGON) && !shape->hull)
    return hn_fail(error, "a %s needs its corners", kind->name);
  if (shape->kind == HN_HEIGHT_FIELD && !shape->field)
    return hn_fail(error, "a height field needs its heights");
  return 0;
}

int hn_shape_hull(hn_shape *shape, hn_shape_kind kind, const double *point, int count, hn_error *error)
{
  *shape = (hn_shape){ .kind = kind, .hull = hn_hull_create(point, count, kind == HN_POLYGON, error) };
  return shape->hull ? 0 : -1;
}

int hn_shape_height_field(hn_shape *shape, const double size[2], int nx, int nz, const double *height,
                          hn_error *error)
{
  *shape = (hn_shape){ .kind = HN_HEIGHT_FIELD };
  shape->field = hn_height_field_create(size, nx, nz, height, error);
  return shape->field ? 0 : -1;
}

bool hn_shape_triangle(const hn_shape *shape, int k, double corner[3][3])
{
  static const int at[2][3][2] = { { { 0, 0 }, { 0, 1 }, { 1, 0 } }, { { 1, 1 }, { 1, 0 }, { 0, 1 } } };
  const hn_height_field *f = shape->field;
  const int row = f->nx - 1;
  if (k < 0 || k >= 2 * row * (f->nz - 1)) return false;
  for (int c = 0; c < 3; c++)
    hn_field_point(f, k / 2 % row + at[k % 2][c][0], k / 2 / row + at[k % 2][c][1], corner[c]);
  return true;
}

const double *hn_shape_corners(const hn_shape *shape, int *count)
{
  const bool has = shape->kind == HN_CONVEX || shape->kind == HN_POLYGON;
  *count = has ? shape->hull->nvertex : 0;
  return has ? shape->hull->vertex : NULL;
}

void hn_shape_free(hn_shape *shape)
{
  if (shape->kind == HN_HEIGHT_FIELD) hn_height_field_free((hn_height_field *)shape->field);
  else hn_hull_free((hn_hull *)shape->hull);
  shape->hull = NULL;
}

int hn_shape_mass(const hn_shape *shape, double density, hn_mass *out, hn_error *error)
{
  if (!(isfinite(density) && density > 0)) return hn_fail(error, "density must be positive, not %g", density);
  if (hn_shape_check(shape, error)) return -1;
  *out = (hn_mass){ 0 };
  switch (shape->kind) {
  case HN_BOX: box_mass(shape->size, density, out); return 0;
  case HN_SPHERE: sphere_mass(shape->size[0], density, out); return 0;
  case HN_CYLINDER: cylinder_mass(shape->size[0], shape->size[1], density, out); return 0;
  case HN_CAPSULE: capsule_mass(shape->size[0], shape->size[1], density, out); return 0;
  case HN_ELLIPSOID: ellipsoid_mass(shape->size, density, out); return 0;
  case HN_CIRCLE: circle_mass(shape->size[0], density, out); return 0;
  case HN_CONVEX:
  case HN_POLYGON:
    hn_hull_mass(shape->hull, density, &out->mass, out->centre, out->J);
    /* from integrals of x y, ... to entries of the tensor */
    for (int i = 3; i < 6; i++) out->J[i] = -out->J[i];
    return 0;
  case HN_PLANE: return hn_fail(error, "a plane has no mass: it belongs on the ground or on a fixed body");
  case HN_HEIGHT_FIELD:
    return hn_fail(error, "a height field has no mass: it belongs on the ground or on a fixed body");
  case HN_NO_SHAPE:
  case HN_SHAPE_KINDS: break;
  }
  return hn_fail(error, "a density needs a shape");
}

/* ---- Sums ---------------------------------------------------------------------------------------------- */

/* Returns the index of entry (i, j) of a symmetric tensor. */
static int entry(int i, int j)
{
  return i == j ? i : i + j + 2;
}

/* J += the inertia of a point mass at ARM. */
static void add_steiner(double J[6], double mass, const double arm[3])
{
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++)
      J[entry(i, j)] += mass * ((i == j ? vec_dot(arm, arm) : 0.0) - arm[i] * arm[j]);
}

/* out = R J R' */
static void turn_tensor(double out[6], const double R[9], const double J[6])
{
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++) {
      double sum = 0.0;
      for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++)
          sum += R[3 * i + k] * J[entry(k < l ? k : l, k < l ? l : k)] * R[3 * j + l];
      out[entry(i, j)] = sum;
    }
}

void hn_mass_add(hn_mass *sum, const hn_mass *part, const hn_pose *place)
{
  double R[9], centre[3], J[6], common[3], arm[3];
  quat_matrix(R, place->q);
  mat_vec(centre, R, part->centre);
  vec_add(centre, centre, place->x);
  turn_tensor(J, R, part->J);
  const double mass = sum->mass + part->mass;
  for (int i = 0; i < 3; i++) common[i] = (sum->mass * sum->centre[i] + part->mass * centre[i]) / mass;
  vec_sub(arm, sum->centre, common);
  add_steiner(sum->J, sum->mass, arm);
  vec_sub(arm, centre, common);
  add_steiner(J, part->mass, arm);
  for (int i = 0; i < 6; i++) sum->J[i] += J[i];
  vec_copy(sum->centre, common);
  sum->mass = mass;
}

/* ---- Principal axes ------------------------------------------------------------------------------------ */

/* Computes the unit quaternion of the rotation R, whose trace is not negative. */
static void to_quaternion(double q[4], const double R[9])
{
  q[0] = 0.5 * sqrt(1.0 + R[0] + R[4] + R[8]);
  q[1] = (R[7] - R[5]) / (4.0 * q[0]);
  q[2] = (R[2] - R[6]) / (4.0 * q[0]);
  q[3] = (R[3] - R[1]) / (4.0 * q[0]);
  quat_normalise(q);
}

/* Chooses order and signs of the columns of V so that they are nearest to the current axes. One of the
 * right-handed choices has a trace of at least 1, a rotation by at most 90 degrees. */
static void nearest_axes(double R[9], double J[3], const double V[9], const double moment[3])
{
  static const int order[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
                                   { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
  double best = -HUGE_VAL;
  for (int k = 0; k < 24; k++) {
    const int *column = order[k / 4];
    double sign[3] = { k & 1 ? -1.0 : 1.0, k & 2 ? -1.0 : 1.0, 1.0 }, e[3][3], third[3];
    for (int c = 0; c < 3; c++)
      for (int i = 0; i < 3; i++) e[c][i] = sign[c] * V[3 * i + column[c]];
    vec_cross(third, e[0], e[1]);
    double trace = e[0][0] + e[1][1] + third[2];
    if (!(trace > best)) continue;
    best = trace;
    vec_copy(e[2], third);
    for (int c = 0; c < 3; c++) {
      for (int i = 0; i < 3; i++) R[3 * i + c] = e[c][i];
      J[c] = moment[column[c]];
    }
  }
}

int hn_mass_principal(const hn_mass *mass, double q[4], double J[3], hn_error *error)
{
  const double *I = mass->J, trace = I[0] + I[1] + I[2];
  double A[9] = { I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2] }, V[9], moment[3], R[9] = { 0 };
  memcpy(q, (double[4]){ 1, 0, 0, 0 }, sizeof(double[4]));
  vec_copy(J, I);
  if (fmax(fabs(I[3]), fmax(fabs(I[4]), fabs(I[5]))) <= negligible * trace) return 0;
  if (!all_finite(I, 6)) return hn_fail(error, "mass and inertia must be finite");
  hn_quiet_gsl();
  gsl_eigen_symmv_workspace *work = gsl_eigen_symmv_alloc(3);
  if (!work) return hn_fail(error, "out of memory");
  gsl_matrix_view a = gsl_matrix_view_array(A, 3, 3), v = gsl_matrix_view_array(V, 3, 3);
  gsl_vector_view m = gsl_vector_view_array(moment, 3);
  gsl_eigen_symmv(&a.matrix, &m.vector, &v.matrix, work);
  gsl_eigen_symmv_free(work);
  nearest_axes(R, J, V, moment);
  to_quaternion(q, R);
  return 0;
}

/* ---- Scene axes ---------------------------------------------------------------------------------------- */

/* Computes pose and twist of the frame PLACE, in body axes, of a body at POSE with TWIST. */
static void carry(const hn_pose *place, const hn_pose *pose, const hn_twist *twist, hn_pose *to,
                  hn_twist *to_twist)
{
  double arm[3], turn[3], q[4];
  quat_rotate(arm, pose->q, place->x);
  vec_cross(turn, twist->w, arm);
  quat_mul(q, pose->q, place->q);
  vec_add(to->x, pose->x, arm);
  memcpy(to->q, q, sizeof q);
  vec_add(to_twist->v, twist->v, turn);
  vec_copy(to_twist->w, twist->w);
}

void hn_body_to_scene(const hn_body *body, const hn_pose *pose, const hn_twist *twist, hn_pose *to,
                      hn_twist *to_twist)
{
  if (body->frame) carry(body->frame, pose, twist, to, to_twist);
  else *to = *pose, *to_twist = *twist;
}

void hn_body_from_scene(const hn_body *body, const hn_pose *pose, const hn_twist *twist, hn_pose *to,
                        hn_twist *to_twist)
{
  hn_pose back;
  *to = *pose, *to_twist = *twist;
  if (!body->frame) return;
  quat_conj(back.q, body->frame->q);
  quat_rotate(back.x, back.q, body->frame->x);
  vec_scale(back.x, -1.0, back.x);
  carry(&back, pose, twist, to, to_twist);
}
