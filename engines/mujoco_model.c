/* mujoco_model.c - translates a model to MuJoCo's XML (mujoco_model.h).
 *
 * Trees grow from the ground over the joints that MuJoCo has: those that it cannot close loops with first. A
 * joint becomes elementary joints of the outer body,
 *
 *   ball, hinge, slider        ball, hinge, slide           universal      hinge, hinge
 *   cylindrical                slide, hinge                 planar         slide, slide, hinge
 *   fixed                      none                         point on line  slide, ball
 *   point on plane             slide, slide, ball
 *
 * in this order where the inner body is a, which has the slides, and in the opposite order where it is b.
 * Other joints close loops by equality constraints, which are soft in MuJoCo: `connect` for a ball joint, two
 * of them for a hinge, `weld` for a fixed joint, a tendon of constant length for a distance. MuJoCo's frames
 * of bodies are ours. Its parser limits the depth of elements, so that chains are given in files that include
 * each other. */
#include "engines/mujoco_model.h"
#include "engines/engine_tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 60 }; /* bodies of one file along a path */

/* Files of the model; file 0 is the first. */
typedef struct files {
  mjVFS *vfs;
  int count;
  bool failed;
} files;

/* ---- Trees --------------------------------------------------------------------------------------------- */

/* The rank of a joint in a tree: those that MuJoCo cannot close loops with come first. */
static int rank_of(const hn_model *model, const engine_joint *joint)
{
  (void)model;
  switch (joint->kind) {
  case ENGINE_DISTANCE: return -1;
  case ENGINE_BALL: return 3;
  case ENGINE_FIXED: return 2;
  case ENGINE_HINGE: return 1;
  default: return 0;
  }
}

/* Gives every moving body its parent. Returns -1 if memory runs out. */
static int plant(mujoco_trees *t)
{
  const engine_scene *scene = t->scene;
  engine_tree tree;
  const int status = engine_tree_grow(&tree, scene, 4, rank_of);
  for (int i = 0; i < scene->model->nbody; i++) t->node[i] = (mujoco_node){ .parent = -1 };
  for (int i = 0; i < tree.nlink; i++) {
    const engine_link *link = &tree.link[i];
    if (!link->joint) continue;
    const bool flipped = link->joint->a == link->body;
    t->node[link->body] = (mujoco_node){ flipped ? link->joint->b : link->joint->a, link->joint, flipped, 0 };
  }
  for (int i = 0; i < tree.nclosing; i++) t->closes[tree.closing[i] - scene->joint] = true;
  engine_tree_free(&tree);
  return status;
}

/* ---- Elements ------------------------------------------------------------------------------------------ */

static void put(FILE *out, const char *name, const double *value, int count)
{
  fprintf(out, " %s=\"", name);
  for (int i = 0; i < count; i++) fprintf(out, "%s%.17g", i > 0 ? " " : "", value[i]);
  fputs("\"", out);
}

/* Adds an elementary joint of BODY: TYPE, about or along AXIS, in world axes at the start, negated if the
 * body is the first one of its joint. */
static void put_joint(FILE *out, const mujoco_node *node, const hn_body *body, const char *type,
                      const double *axis)
{
  const hn_joint *joint = node->joint ? node->joint->joint : NULL;
  const double origin[3] = { 0.0, 0.0, 0.0 };
  double own[3];
  fprintf(out, "<joint type=\"%s\"", type);
  put(out, "pos", joint ? (node->flipped ? joint->point_a : joint->point_b) : origin, 3);
  if (axis) {
    engine_turn_back(body->pose0.q, axis, own);
    for (int i = 0; node->flipped && i < 3; i++) own[i] = -own[i];
    put(out, "axis", own, 3);
  }
  const engine_joint *e = node->joint;
  const bool has_parts = e && (e->kind == ENGINE_HINGE || e->kind == ENGINE_SLIDER);
  if (has_parts && e->has_limit) {
    const double range[2] = { fmax(e->lower, -1e9), fmin(e->upper, 1e9) };
    fputs(" limited=\"true\"", out), put(out, "range", range, 2);
  }
  if (has_parts && e->friction > 0.0) put(out, "frictionloss", &e->friction, 1);
  fputs("/>", out);
}

/* Two directions at right angles to AXIS and to each other. */
static void span_plane(const double axis[3], double one[3], double two[3])
{
  const int least = fabs(axis[0]) < fabs(axis[1]) ? (fabs(axis[0]) < fabs(axis[2]) ? 0 : 2)
                                                  : (fabs(axis[1]) < fabs(axis[2]) ? 1 : 2);
  double unit[3] = { 0.0, 0.0, 0.0 };
  unit[least] = 1.0;
  mju_cross(one, axis, unit), mju_normalize3(one), mju_cross(two, axis, one);
}

int mujoco_slides_of(const hn_model *model, const engine_joint *joint, double axis[2][3])
{
  const bool in_plane = joint->kind == ENGINE_PLANE || joint->kind == ENGINE_POINT_ON_PLANE;
  const bool along = joint->kind == ENGINE_SLIDER || joint->kind == ENGINE_CYLINDRICAL ||
                     joint->kind == ENGINE_POINT_ON_LINE;
  const double normal[3] = { 0.0, 0.0, 1.0 };
  memcpy(axis[0], joint->axis, sizeof axis[0]);
  if (along) return 1;
  if (in_plane && model->planar) mju_cross(axis[0], normal, joint->axis);
  else if (in_plane) span_plane(joint->axis, axis[0], axis[1]);
  return !in_plane ? 0 : model->planar ? 1 : 2;
}

/* The slides of the joint of NODE, whose axes belong to body a. */
static void put_slides(FILE *out, const hn_model *model, const mujoco_node *node, const hn_body *body)
{
  double axis[2][3];
  const int count = mujoco_slides_of(model, node->joint, axis);
  for (int i = 0; i < count; i++) put_joint(out, node, body, "slide", axis[i]);
}

mujoco_turning mujoco_turning_of(const hn_model *model, const mujoco_node *node, int child)
{
  switch (node->joint->kind) {
  case ENGINE_HINGE:
  case ENGINE_CYLINDRICAL:
  case ENGINE_PLANE: return MUJOCO_AXIS;
  case ENGINE_UNIVERSAL: return MUJOCO_CROSS;
  case ENGINE_BALL:
  case ENGINE_POINT_ON_LINE:
  case ENGINE_POINT_ON_PLANE:
    if (model->body[child].kind == HN_PARTICLE) return MUJOCO_NO_TURNING;
    return model->planar ? MUJOCO_AXIS : MUJOCO_SPHERE;
  default: return MUJOCO_NO_TURNING;
  }
}

const double *mujoco_axis_of(const hn_model *model, const engine_joint *joint)
{
  static const double normal[3] = { 0.0, 0.0, 1.0 };
  return model->planar ? normal : joint->axis;
}

static void put_turnings(FILE *out, const hn_model *model, const mujoco_node *node, int child)
{
  const hn_body *body = &model->body[child];
  const engine_joint *joint = node->joint;
  switch (mujoco_turning_of(model, node, child)) {
  case MUJOCO_SPHERE: put_joint(out, node, body, "ball", NULL); break;
  case MUJOCO_AXIS: put_joint(out, node, body, "hinge", mujoco_axis_of(model, joint)); break;
  case MUJOCO_CROSS:
    put_joint(out, node, body, "hinge", node->flipped ? joint->other : joint->axis);
    put_joint(out, node, body, "hinge", node->flipped ? joint->axis : joint->other);
    break;
  default: break;
  }
}

/* The freedoms of a body that floats. */
static void put_free(FILE *out, const mujoco_node *node, const hn_body *body, bool planar)
{
  static const double unit[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  if (!planar && body->kind == HN_RIGID) {
    fputs("<freejoint/>", out);
    return;
  }
  for (int i = 0; i < (planar ? 2 : 3); i++) put_joint(out, node, body, "slide", unit[i]);
  if (planar && body->kind == HN_RIGID) put_joint(out, node, body, "hinge", unit[2]);
}

static void put_joints(FILE *out, const mujoco_trees *t, int i)
{
  const hn_model *model = t->scene->model;
  const hn_body *body = &model->body[i];
  const mujoco_node *node = &t->node[i];
  if (body->kind == HN_FIXED) return;
  if (node->parent < 0) put_free(out, node, body, model->planar);
  else if (node->flipped) put_turnings(out, model, node, i), put_slides(out, model, node, body);
  else put_slides(out, model, node, body), put_turnings(out, model, node, i);
}

/* ---- Shapes -------------------------------------------------------------------------------------------- */

static void put_size(FILE *out, const hn_shape *shape)
{
  const double *s = shape->size, half[3] = { 0.5 * s[0], 0.5 * s[1], 0.5 * s[2] }, plane[3] = { 0, 0, 1 };
  const double round[2] = { s[0], half[1] };
  if (shape->kind == HN_BOX) put(out, "size", half, 3);
  else if (shape->kind == HN_PLANE) put(out, "size", plane, 3);
  else put(out, "size", round, shape->kind == HN_SPHERE ? 1 : 2);
}

/* MuJoCo's axis of planes, cylinders and capsules is z. */
static void put_shape(FILE *out, const hn_model *model, int c)
{
  static const char *const type[HN_SHAPE_KINDS] = { [HN_BOX] = "box",
                                                    [HN_SPHERE] = "sphere",
                                                    [HN_CYLINDER] = "cylinder",
                                                    [HN_CAPSULE] = "capsule",
                                                    [HN_PLANE] = "plane" };
  static const double z_to_y[4] = { M_SQRT1_2, -M_SQRT1_2, 0.0, 0.0 };
  const hn_collider *collider = &model->collider[c];
  const hn_shape_kind kind = collider->shape.kind;
  double q[4], to_normal[4];
  memcpy(q, collider->place.q, sizeof q);
  if (kind == HN_CYLINDER || kind == HN_CAPSULE) engine_product(collider->place.q, z_to_y, q);
  if (kind == HN_PLANE)
    mju_quatZ2Vec(to_normal, collider->shape.size), engine_product(collider->place.q, to_normal, q);
  fprintf(out, "<geom name=\"g%d\" type=\"%s\"", c, type[kind]);
  put_size(out, &collider->shape), put(out, "pos", collider->place.x, 3), put(out, "quat", q, 4);
  fputs("/>", out);
}

/* ---- Bodies -------------------------------------------------------------------------------------------- */

/* The moments of inertia: MuJoCo wants some of a particle, which does not turn, and three of a planar
 * body. */
static void put_mass(FILE *out, const hn_body *body)
{
  const double tiny[3] = { 1e-12, 1e-12, 1e-12 }, plane[3] = { body->J[2], body->J[2], body->J[2] };
  const bool full = body->J[0] > 0.0;
  if (body->kind == HN_FIXED) return;
  fputs("<inertial pos=\"0 0 0\"", out), put(out, "mass", &body->mass, 1);
  put(out, "diaginertia", full ? body->J : body->J[2] > 0.0 ? plane : tiny, 3), fputs("/>", out);
}

static void put_head(FILE *out, const mujoco_trees *t, int i)
{
  const hn_model *model = t->scene->model;
  const hn_pose *pose = &model->body[i].pose0, world = { .q = { 1.0 } };
  const hn_pose *base = t->node[i].parent >= 0 ? &model->body[t->node[i].parent].pose0 : &world;
  const double apart[3] = { pose->x[0] - base->x[0], pose->x[1] - base->x[1], pose->x[2] - base->x[2] };
  const double back[4] = { base->q[0], -base->q[1], -base->q[2], -base->q[3] };
  double at[3], turn[4];
  engine_turn_back(base->q, apart, at), engine_product(back, pose->q, turn);
  fprintf(out, "<body name=\"b%d\"", i);
  put(out, "pos", at, 3), put(out, "quat", turn, 4), fputs(">", out);
}

/* Adds TEXT of LENGTH as file NAME, and frees it. */
static void add_file(files *f, const char *name, char *text, size_t length)
{
  if (!text || mj_makeEmptyFileVFS(f->vfs, name, (int)length)) f->failed = true;
  else memcpy(f->vfs->filedata[mj_findFileVFS(f->vfs, name)], text, length);
  free(text);
}

/* Sites of body I, the ends of distances. */
static void put_sites(FILE *out, const engine_scene *scene, int i)
{
  for (int j = 0; j < scene->njoint; j++) {
    const engine_joint *joint = &scene->joint[j];
    if (joint->kind != ENGINE_DISTANCE || (joint->a != i && joint->b != i)) continue;
    fprintf(out, "<site name=\"s%d%c\"", j, joint->a == i ? 'a' : 'b');
    put(out, "pos", joint->a == i ? joint->joint->point_a : joint->joint->point_b, 3), fputs("/>", out);
  }
}

static void put_tree(FILE *out, files *f, const mujoco_trees *t, int i, int depth);

static void put_children(FILE *out, files *f, const mujoco_trees *t, int i, int depth)
{
  const hn_model *model = t->scene->model;
  for (int k = 0; k < model->nbody; k++)
    if (t->node[k].parent == i && t->node[k].joint) put_tree(out, f, t, k, depth);
}

/* Puts the bodies inside body I into a file of their own. */
static void put_include(FILE *out, files *f, const mujoco_trees *t, int i)
{
  char *text = NULL, name[32];
  size_t length = 0;
  FILE *inner = open_memstream(&text, &length);
  if (!inner) {
    f->failed = true;
    return;
  }
  snprintf(name, sizeof name, "%d.xml", ++f->count);
  fputs("<mujoco>", inner), put_children(inner, f, t, i, 1), fputs("</mujoco>", inner);
  if (fclose(inner)) f->failed = true;
  add_file(f, name, text, length);
  fprintf(out, "<include file=\"%s\"/>", name);
}

static void put_tree(FILE *out, files *f, const mujoco_trees *t, int i, int depth)
{
  const hn_model *model = t->scene->model;
  const hn_body *body = &model->body[i];
  put_head(out, t, i), put_mass(out, body), put_joints(out, t, i), put_sites(out, t->scene, i);
  for (int c = body->collider; model->margin > 0.0 && c < body->collider + body->ncollider; c++)
    if (model->collider[c].group != 0) put_shape(out, model, c);
  if (depth % DEPTH == 0) put_include(out, f, t, i);
  else put_children(out, f, t, i, depth + 1);
  fputs("</body>", out);
}

/* ---- Loops --------------------------------------------------------------------------------------------- */

static void put_connect(FILE *out, const engine_joint *joint, const double *along, double length)
{
  double point[3];
  for (int i = 0; i < 3; i++) point[i] = joint->joint->point_a[i] + (along ? length * along[i] : 0.0);
  fprintf(out, "<connect body1=\"b%d\" body2=\"b%d\"", joint->a, joint->b);
  put(out, "anchor", point, 3), fputs("/>", out);
}

/* The second point of a hinge is as far from the first as the centre of mass of a body. */
static void put_equality(FILE *out, const engine_scene *scene, int j)
{
  const engine_joint *joint = &scene->joint[j];
  const hn_joint *ours = joint->joint;
  const double reach = fmax(mju_norm3(ours->point_a), mju_norm3(ours->point_b));
  if (joint->kind == ENGINE_FIXED) fprintf(out, "<weld body1=\"b%d\" body2=\"b%d\"/>", joint->b, joint->a);
  else if (joint->kind == ENGINE_DISTANCE) fprintf(out, "<tendon tendon1=\"t%d\"/>", j);
  else put_connect(out, joint, NULL, 0.0);
  if (joint->kind == ENGINE_HINGE && !scene->model->planar)
    put_connect(out, joint, ours->axes->a, reach > 0.0 ? reach : 1.0);
}

/* Writes the loops, and returns -1 if MuJoCo has no equality constraint for one. */
static int put_loops(FILE *out, const mujoco_trees *t, char *why)
{
  const engine_scene *scene = t->scene;
  fputs("<equality>", out);
  for (int j = 0; j < scene->njoint; j++) {
    const engine_joint *joint = &scene->joint[j];
    if (!t->closes[j]) continue;
    if (rank_of(scene->model, joint) == 0)
      return engine_fail(why, "joint %s closes a loop, which is not translated for a %s", joint->joint->name,
                         joint->joint->type->name);
    if (joint->has_limit || joint->friction > 0.0)
      return engine_fail(why, "joint %s closes a loop, where limits and friction are not translated",
                         joint->joint->name);
    put_equality(out, scene, j);
  }
  fputs("</equality><tendon>", out);
  for (int j = 0; j < scene->njoint; j++)
    if (scene->joint[j].kind == ENGINE_DISTANCE)
      fprintf(out, "<spatial name=\"t%d\"><site site=\"s%da\"/><site site=\"s%db\"/></spatial>", j, j, j);
  fputs("</tendon>", out);
  return 0;
}

/* ---- Contacts ------------------------------------------------------------------------------------------ */

/* A pair of shapes with the friction of their materials. */
static void put_pair(FILE *out, const engine_scene *scene, int c, int d)
{
  const double mu = hn_model_surface(scene->model, c, d).friction, friction[5] = { mu, mu, 0, 0, 0 };
  fprintf(out, "<pair geom1=\"g%d\" geom2=\"g%d\" condim=\"%d\"", c, d, mu > 0.0 ? 3 : 1);
  if (mu > 0.0) put(out, "friction", friction, 5);
  fputs("/>", out);
}

/* The friction of all shapes, or NAN if pairs differ. */
static double common_friction(const hn_model *model)
{
  double mu = model->ncollider > 0 ? hn_model_surface(model, 0, 0).friction : 0.0;
  for (int c = 1; c < model->ncollider; c++)
    if (hn_model_surface(model, 0, c).friction != mu || hn_model_surface(model, c, c).friction != mu)
      mu = NAN;
  return mu;
}

/* MuJoCo takes the larger friction of two shapes. Where all have one, shapes have it, and a callback decides
 * which pairs collide (mujoco.c); else every pair is listed. */
static void put_contacts(FILE *out, const engine_scene *scene, bool listed)
{
  const hn_model *model = scene->model;
  fputs("<contact>", out);
  for (int c = 0; listed && c < model->ncollider; c++)
    for (int d = c + 1; d < model->ncollider; d++)
      if (engine_collides(scene, c, d)) put_pair(out, scene, c, d);
  fputs("</contact>", out);
}

/* ---- The model ----------------------------------------------------------------------------------------- */

/* Returns the number of rows of loops, limits and friction, at most. MuJoCo makes its stack by it, where the
 * integrator `implicit` needs room for a matrix. */
static int rows_of(const mujoco_trees *t)
{
  int rows = strstr(t->options, "implicit") ? 20 * t->scene->model->njoint + 100 : 500;
  for (int j = 0; j < t->scene->njoint; j++) {
    const engine_joint *joint = &t->scene->joint[j];
    rows += (t->closes[j] ? HN_MAX_ROWS : 0) + (joint->has_limit ? 2 : 0) + (joint->friction > 0.0);
  }
  return rows;
}

static int put_model(FILE *out, files *f, const mujoco_trees *t, char *why)
{
  const hn_model *model = t->scene->model;
  const double mu = common_friction(model), friction[3] = { mu, 0, 0 };
  const bool listed = isnan(mu);
  fputs("<mujoco><compiler angle=\"radian\" balanceinertia=\"false\"/>", out);
  fprintf(out, "<size nconmax=\"%d\" njmax=\"%d\"/>", t->room, 4 * t->room + rows_of(t));
  fprintf(out, "<option %s", t->options), put(out, "gravity", model->gravity, 3);
  fputs("><flag filterparent=\"disable\"/></option><default><geom", out);
  fprintf(out, " condim=\"%d\" contype=\"%d\" conaffinity=\"%d\"", !listed && mu > 0.0 ? 3 : 1, !listed,
          !listed);
  if (!listed) put(out, "friction", friction, 3);
  fputs("/></default><worldbody>", out);
  for (int i = 0; i < model->nbody; i++)
    if (t->node[i].parent < 0) put_tree(out, f, t, i, 1);
  fputs("</worldbody>", out);
  put_contacts(out, t->scene, listed);
  const int status = put_loops(out, t, why);
  fputs("</mujoco>", out);
  return status;
}

static mjModel *compile(files *f, const mujoco_trees *t, char *why)
{
  char *text = NULL, error[ENGINE_WHY] = "";
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  if (!out) return engine_fail(why, "out of memory"), NULL;
  int status = put_model(out, f, t, why);
  if (fclose(out)) status = engine_fail(why, "out of memory");
  add_file(f, "model.xml", text, length);
  if (status == 0 && f->failed) status = engine_fail(why, "the model is too large for its files");
  mjModel *model = status == 0 ? mj_loadXML("model.xml", f->vfs, error, (int)sizeof error) : NULL;
  if (status == 0 && !model) engine_fail(why, "%s", error);
  return model;
}

mjModel *mujoco_model_create(mujoco_trees *t, char *why)
{
  const size_t n = (size_t)t->scene->model->nbody;
  files f = { .vfs = malloc(sizeof *f.vfs) };
  mjModel *model = NULL;
  t->node = calloc(n, sizeof *t->node);
  t->closes = calloc((size_t)t->scene->njoint + 1, sizeof *t->closes);
  if (f.vfs && t->node && t->closes && plant(t) == 0) {
    mj_defaultVFS(f.vfs);
    model = compile(&f, t, why);
    mj_deleteVFS(f.vfs);
  } else engine_fail(why, "out of memory");
  free(f.vfs);
  return model;
}

void mujoco_trees_free(mujoco_trees *t)
{
  free(t->node), free(t->closes);
}
