/* point_model.c - the point-mass model of a model of rigid bodies [schmitt2005, sections 3 and 4].
 *
 * Every rigid body becomes point masses held together by rods (point_masses.c): four corners tied by six
 * rods, its centre and its joint points tied to three corners each. A ball joint is one point of both bodies,
 * a hinge two points on its axis. A joint point on a fixed body is fixed and gets no mass.
 *
 * Redundant rods are left out: one of every hinge, since both bodies fix the distance of its points, and
 * those that closed loops make redundant. They are found from the rank of all rods at the start (rank.c),
 * rods at joints before those inside bodies. The remaining rods have a regular K at the start. */
#include "pointmass/point_masses.h"
#include "base/array.h"
#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double merge_distance = 1e-9; /* distance, relative to the extent, at which two points are one */

static bool is_rigid(const hn_model *model, int body)
{
  return model->body[body].kind == HN_RIGID;
}

/* ---- Points and ties ---------------------------------------------------------------------------------- */

typedef struct point {
  char name[128];
  int same;   /* the point that represents this one: itself, or an earlier one */
  int anchor; /* fixed body that it belongs to, or -1 */
  int body;   /* index in the new model */
  double x[3], v[3];
  double mass;
  double weight[3]; /* mass times gravity, N */
} point;

/* A joint point of a body, in the order of joints. */
typedef struct tie {
  int body, point;
  int next; /* next tie of the same body, or -1 */
} tie;

typedef struct rod {
  int a, b;         /* points */
  const char *name; /* NULL: named after its points */
  double length;    /* m; 0: the distance at the start */
} rod;

typedef struct builder {
  const hn_model *model;
  point *point;
  int npoint; /* points 0 ... nbody - 1 have the names and positions of the bodies */
  tie *tie;
  int ntie;
  rod *rod;
  int nrod;
  int *corners;      /* [nbody] first corner of a body */
  int *first, *last; /* [nbody] first and last tie of a body, or -1 */
  double *Q;         /* scratch: movable joint points of a body, body axes, */
  int *Q_of;         /* and their indices */
  hn_arrays arrays;
} builder;

/* Allocates the maximum: four points for a body, two for each side of a joint; six rods among corners, three
 * for the centre and for every tie, one for a distance. */
static int allocate_builder(builder *b, const hn_model *model, hn_error *error)
{
  size_t bodies = (size_t)model->nbody, joints = (size_t)model->njoint;
  *b = (builder){ .model = model };
  if (hn_arrays_allocate(&b->arrays, error, HN_ARRAY(b->point, 5 * bodies + 4 * joints),
                         HN_ARRAY(b->tie, 4 * joints), HN_ARRAY(b->rod, 9 * bodies + 13 * joints),
                         HN_ARRAY(b->corners, bodies), HN_ARRAY(b->first, bodies), HN_ARRAY(b->last, bodies),
                         HN_ARRAY(b->Q, 12 * joints), HN_ARRAY(b->Q_of, 4 * joints)))
    return -1;
  for (size_t i = 0; i < bodies; i++) b->first[i] = b->last[i] = -1;
  return 0;
}

/* Returns the point that represents point i. */
static int representative(const builder *b, int i)
{
  while (b->point[i].same != i) i = b->point[i].same;
  return i;
}

/* Adds a point of BODY at X that moves with it. */
static int add_point(builder *b, int body, const double x[3], const char *name, const char *suffix)
{
  const hn_body *of = &b->model->body[body];
  int i = b->npoint++;
  point *p = &b->point[i];
  double arm[3], turn[3];
  snprintf(p->name, sizeof p->name, "%.100s%s", name, suffix);
  p->same = i, p->anchor = of->kind == HN_FIXED ? body : -1;
  vec_copy(p->x, x);
  vec_sub(arm, x, of->pose0.x);
  vec_cross(turn, of->twist0.w, arm);
  vec_add(p->v, of->twist0.v, turn);
  return i;
}

static void add_mass(builder *b, int i, double mass, const double gravity[3])
{
  point *p = &b->point[representative(b, i)];
  p->mass += mass;
  vec_add_scaled(p->weight, mass, gravity);
}

/* Returns the point of BODY at X: the particle itself, an existing point of a rigid body, or a new one. */
static int tie_point(builder *b, int body, const double x[3], double extent, const char *name,
                     const char *suffix)
{
  if (b->model->body[body].kind == HN_PARTICLE) return body;
  for (int k = b->first[body]; k >= 0; k = b->tie[k].next) {
    double d[3];
    vec_sub(d, b->point[b->tie[k].point].x, x);
    if (vec_norm(d) <= merge_distance * extent) return b->tie[k].point;
  }
  int i = add_point(b, body, x, name, suffix);
  int k = b->ntie++;
  b->tie[k] = (tie){ body, i, -1 };
  if (b->last[body] >= 0) b->tie[b->last[body]].next = k;
  else b->first[body] = k;
  b->last[body] = k;
  return i;
}

/* Merges two points. A particle keeps its name, so it can be merged with points of rigid bodies only. */
static int merge(builder *b, const hn_joint *joint, int i, int k, hn_error *error)
{
  int kept = representative(b, i), merged = representative(b, k);
  if (kept == merged) return 0;
  if (kept > merged) kept = representative(b, k), merged = representative(b, i);
  bool particle = kept < b->model->nbody;
  if (particle && (merged < b->model->nbody || b->point[merged].anchor >= 0))
    return hn_fail(
      error, "joint \"%s\" makes particle \"%s\" %s; declare one that is, and leave the joint out",
      joint->name, b->point[kept].name, merged < b->model->nbody ? "one with another" : "stand still");
  b->point[merged].same = kept;
  if (b->point[kept].anchor < 0) b->point[kept].anchor = b->point[merged].anchor;
  return 0;
}

/* ---- Joints ------------------------------------------------------------------------------------------- */

/* Computes the world position of the joint point on body a (side 0) or b. */
static void joint_place(const hn_model *model, const hn_joint *joint, int side, double x[3])
{
  const hn_pose *pose = &model->body[side ? joint->b : joint->a].pose0;
  quat_rotate(x, pose->q, side ? joint->point_b : joint->point_a);
  vec_add(x, x, pose->x);
}

/* Returns the size of a body: its radius of gyration, m; 0 for a particle. */
static double body_size(const hn_body *body)
{
  return body->kind == HN_RIGID ? sqrt(0.5 * (body->J[0] + body->J[1] + body->J[2]) / body->mass) : 0.0;
}

/* Returns half the distance of the two points of a hinge: half the size of the smaller body. */
static double hinge_arm(const hn_model *model, const hn_joint *joint)
{
  double a = body_size(&model->body[joint->a]), b = body_size(&model->body[joint->b]);
  return 0.5 * (a > 0 && b > 0 ? fmin(a, b) : fmax(a, b));
}

/* Makes one point of both bodies at X. */
static int share_point(builder *b, const hn_joint *joint, const double x[3], double extent,
                       const char *suffix, hn_error *error)
{
  int i = tie_point(b, joint->a, x, extent, joint->name, suffix);
  int k = tie_point(b, joint->b, x, extent, joint->name, suffix);
  return merge(b, joint, i, k, error);
}

static int share_axis(builder *b, const hn_joint *joint, const double x[3], double extent, hn_error *error)
{
  double axis[3], at[3], arm = hinge_arm(b->model, joint);
  quat_rotate(axis, b->model->body[joint->a].pose0.q, joint->axes->a);
  for (int side = -1; side <= 1; side += 2) {
    vec_copy(at, x);
    vec_add_scaled(at, side * arm, axis);
    if (share_point(b, joint, at, extent, side < 0 ? ".1" : ".2", error)) return -1;
  }
  return 0;
}

static void add_rod(builder *b, int i, int k, const char *name, double length)
{
  b->rod[b->nrod++] = (rod){ i, k, name, length };
}

static int add_joint(builder *b, const hn_joint *joint, hn_error *error)
{
  const hn_model *model = b->model;
  const char *type = joint->type->name;
  double x[3], other[3];
  joint_place(model, joint, 0, x);
  joint_place(model, joint, 1, other);
  double extent = fmax(vec_norm(x),
                       fmax(body_size(&model->body[joint->a]), body_size(&model->body[joint->b])));
  if (strcmp(type, "ball") == 0 || strcmp(type, "point_on_point") == 0)
    return share_point(b, joint, x, extent, "", error);
  if (strcmp(type, "hinge") == 0) return share_axis(b, joint, x, extent, error);
  if (strcmp(type, "distance") != 0)
    return hn_fail(error, "joint \"%s\" is a %s; point masses are joined by ball, hinge and distance alone",
                   joint->name, type);
  int i = tie_point(b, joint->a, x, extent, joint->name, ".a");
  int k = tie_point(b, joint->b, other, extent, joint->name, ".b");
  add_rod(b, i, k, joint->name, hn_joint_real(joint, "length"));
  return 0;
}

/* ---- Bodies ------------------------------------------------------------------------------------------- */

/* Adds the masses of a rigid body. */
static int fill_body(builder *b, int body, hn_error *error)
{
  const hn_body *of = &b->model->body[body];
  hn_point_masses masses;
  int count = 0;
  /* joint points that move, body axes */
  for (int k = b->first[body]; k >= 0; k = b->tie[k].next) {
    double arm[3];
    if (b->point[representative(b, b->tie[k].point)].anchor >= 0) continue;
    vec_sub(arm, b->point[b->tie[k].point].x, of->pose0.x);
    quat_unrotate(b->Q + 3 * count, of->pose0.q, arm);
    b->Q_of[count++] = b->tie[k].point;
  }
  /* masses of the centre, the joint points and the corners */
  if (hn_point_masses_of(of, count, b->Q, &masses, error)) return -1;
  add_mass(b, body, masses.centre, of->gravity);
  for (int k = 0; k < count; k++) add_mass(b, b->Q_of[k], masses.joint, of->gravity);
  b->corners[body] = b->npoint;
  for (int k = 0; k < 4; k++) {
    double x[3];
    static const char *const number[] = { ".1", ".2", ".3", ".4" };
    quat_rotate(x, of->pose0.q, masses.at[k]);
    vec_add(x, x, of->pose0.x);
    add_mass(b, add_point(b, body, x, of->name, number[k]), masses.corner, of->gravity);
  }
  return 0;
}

/* Adds three rods from point I to the corners of BODY. */
static void tie_to(builder *b, int body, int i)
{
  double at[4][3];
  int first = b->corners[body];
  for (int k = 0; k < 4; k++) vec_copy(at[k], b->point[first + k].x);
  int left = hn_point_masses_left_out((const double(*)[3])at, b->point[i].x);
  for (int k = 0; k < 4; k++)
    if (k != left) add_rod(b, first + k, i, NULL, 0.0);
}

/* Adds the rods inside each body, then those to its joints: if some are redundant, later rods are removed
 * first. */
static int fill_bodies(builder *b, hn_error *error)
{
  const hn_model *model = b->model;
  int status = 0;
  for (int i = 0; status == 0 && i < model->nbody; i++)
    if (is_rigid(model, i)) status = fill_body(b, i, error);
  for (int i = 0; status == 0 && i < model->nbody; i++) {
    if (!is_rigid(model, i)) continue;
    for (int k = 0; k < 4; k++)
      for (int l = k + 1; l < 4; l++) add_rod(b, b->corners[i] + k, b->corners[i] + l, NULL, 0.0);
    tie_to(b, i, i);
  }
  for (int k = 0; status == 0 && k < b->ntie; k++)
    if (is_rigid(model, b->tie[k].body)) tie_to(b, b->tie[k].body, b->tie[k].point);
  return status;
}

/* Replaces merged points in rods by those that represent them; removes rods between two fixed points. */
static void replace_merged(builder *b)
{
  int count = 0;
  for (int k = 0; k < b->nrod; k++) {
    rod r = b->rod[k];
    r.a = representative(b, r.a), r.b = representative(b, r.b);
    if (b->point[r.a].anchor < 0 || b->point[r.b].anchor < 0) b->rod[count++] = r;
  }
  b->nrod = count;
}

/* Collects points: first those with the names of the bodies in their order, then points of joints and
 * corners. */
static int collect(builder *b, hn_error *error)
{
  const hn_model *model = b->model;
  for (int i = 0; i < model->nbody; i++) {
    const hn_body *body = &model->body[i];
    add_point(b, i, body->pose0.x, body->name, "");
    if (body->kind == HN_PARTICLE) add_mass(b, i, body->mass, body->gravity);
  }
  for (int j = 0; j < model->njoint; j++)
    if (add_joint(b, &model->joint[j], error)) return -1;
  if (fill_bodies(b, error)) return -1;
  replace_merged(b);
  return 0;
}

/* ---- Point-mass model --------------------------------------------------------------------------------- */

static int make_point(hn_model *model, const builder *b, int i, hn_error *error)
{
  point *p = &b->point[i];
  hn_body_spec spec = {
    .name = p->name, .kind = HN_PARTICLE, .has_mass = true, .mass = p->mass, .has_gravity = true
  };
  if (p->same != i) return 0;
  p->body = p->anchor;
  /* the ground, or a point of a fixed body */
  if (i == 0 || (p->anchor >= 0 && i >= b->model->nbody)) return 0;
  if (p->anchor >= 0) spec.kind = HN_FIXED;
  vec_copy(spec.position, p->x);
  spec.orientation[0] = 1.0;
  if (p->anchor < 0) vec_copy(spec.velocity, p->v), vec_scale(spec.gravity, 1.0 / p->mass, p->weight);
  if (p->anchor >= 0) memcpy(spec.orientation, b->model->body[i].pose0.q, sizeof spec.orientation);
  p->body = hn_model_add_body(model, &spec, error);
  return p->body < 0 ? -1 : 0;
}

static int make_rod(hn_model *model, const builder *b, const rod *r, hn_error *error)
{
  const point *from = &b->point[r->a], *to = &b->point[r->b];
  char name[260], length[40];
  hn_joint_spec spec = { .type = "distance",
                         .name = r->name ? r->name : name,
                         .a = from->body,
                         .b = to->body,
                         .has_points = true,
                         .settings = r->length > 0 ? length : NULL };
  snprintf(length, sizeof length, "length=%s", hn_exact(r->length).text);
  snprintf(name, sizeof name, "%s-%s", from->name, to->name);
  vec_copy(spec.at_a, from->x), vec_copy(spec.at_b, to->x);
  return hn_model_add_joint(model, &spec, error) < 0 ? -1 : 0;
}

/* Creates a model of the points and of the rods with KEEP true; NULL on error. */
static hn_model *make_model(const builder *b, const bool *keep, hn_error *error)
{
  hn_model *model = hn_model_create(b->model->gravity);
  int status = model ? 0 : hn_fail(error, "out of memory");
  for (int i = 0; status == 0 && i < b->npoint; i++) status = make_point(model, b, i, error);
  for (int k = 0; status == 0 && k < b->nrod; k++)
    if (keep[k]) status = make_rod(model, b, &b->rod[k], error);
  if (status == 0) return model;
  hn_model_free(model);
  return NULL;
}

/* Sets KEEP to false for the redundant rods of MODEL, which has all rods; a rod is one row. */
static int drop_redundant(const hn_model *model, bool *keep, hn_error *error)
{
  hn_system *system = hn_system_create(model, error);
  hn_state *state = system ? hn_state_create(model) : NULL;
  hn_rank *rank = NULL;
  if (system && !state) hn_fail(error, "out of memory");
  if (state) hn_system_jacobian(system, state);
  if (state) rank = hn_rank_create(system, HN_RANK_AUTO, error);
  for (int i = 0; rank && i < rank->rows - rank->rank; i++) keep[rank->redundant[i]] = false;
  int status = rank ? 0 : -1;
  hn_rank_free(rank);
  hn_state_free(state);
  hn_system_free(system);
  return status;
}

static int check_model(const hn_model *model, hn_error *error)
{
  if (model->planar) return hn_fail(error, "a planar system has no point masses: rods act in space");
  if (model->loose || model->consistent)
    return hn_fail(error, "its joints may be violated at the start, and bodies that share points cannot be");
  if (model->nforce > 0)
    return hn_fail(error, "force \"%s\": point masses are moved by gravity and rods alone",
                   model->force[0].name);
  if (model->compliant) return hn_fail(error, "it has compliant contacts, and point masses have no shapes");
  return 0;
}

hn_model *hn_model_point_masses(const hn_model *model, hn_error *error)
{
  builder b = { .model = NULL };
  hn_model *all = NULL, *out = NULL;
  bool *keep = NULL;
  if (check_model(model, error) || allocate_builder(&b, model, error) || collect(&b, error)) goto end;
  keep = malloc(sizeof *keep * ((size_t)b.nrod + 1));
  if (!keep) hn_fail(error, "out of memory");
  for (int k = 0; keep && k < b.nrod; k++) keep[k] = true;
  if (keep) all = make_model(&b, keep, error);
  if (all && drop_redundant(all, keep, error) == 0) out = make_model(&b, keep, error);
end:
  hn_model_free(all);
  free(keep);
  hn_arrays_free(&b.arrays);
  return out;
}
