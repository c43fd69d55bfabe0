/* ode.c - Open Dynamics Engine 0.16 (double precision) as a solver.
 *
 * Steps of order 1: constraints of velocities with feedback of position errors (ERP), solved as a linear
 * complementarity problem by Dantzig's method (dWorldStep) or by successive over-relaxation
 * (dWorldQuickStep). Friction is that of a pyramid whose sides are the normal force times the coefficient,
 * along two tangents; with pyramid=false the coefficient is the largest force in N, as ODE has it where
 * nothing is set. Nothing is damped, no body sleeps. The body that moves is the first one of a joint, so that
 * ODE's reversal of joints to the ground is not met. */
#include "engines/engine.h"

#include <math.h>
#include <ode/ode.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEP, QUICK, MOST_POINTS = 16 };

typedef struct ode_options {
  engine_data engine;
  int stepper, iterations, pyramid, errors;
  double relaxation, erp, cfm;
} ode_options;

typedef struct geom {
  dGeomID id;
  int body;
  dReal place[3], turn[4]; /* in body axes */
} geom;

typedef struct motor {
  dJointID id;
  const engine_joint *joint;
  double sign;
} motor;

enum { STOP, IGNORE };

typedef struct ode_world {
  const engine_scene *scene;
  const ode_options *options;
  dWorldID world;
  dSpaceID space;
  dJointGroupID contacts;
  dBodyID *body; /* [nbody] NULL: fixed */
  geom *geom;    /* [ncollider] */
  motor *motor;
  int ngeom, nmotor;
  double *wrench;
} ode_world;

static _Thread_local char message[ENGINE_WHY]; /* the last one of ODE in a step */

static void on_message(int number, const char *format, va_list values)
{
  (void)number;
  vsnprintf(message, sizeof message, format, values);
}

/* ---- Bodies and shapes --------------------------------------------------------------------------------- */

static void place_body(dBodyID body, const hn_pose *pose, const hn_twist *twist)
{
  dBodySetPosition(body, pose->x[0], pose->x[1], pose->x[2]);
  dBodySetQuaternion(body, pose->q);
  dBodySetLinearVel(body, twist->v[0], twist->v[1], twist->v[2]);
  dBodySetAngularVel(body, twist->w[0], twist->w[1], twist->w[2]);
}

/* The moments of inertia: of a particle 1 m^2 times its mass, which no joint at its centre feels; and the
 * same about the axes about which a planar body cannot turn. */
static void add_body(ode_world *w, int i)
{
  const hn_body *body = &w->scene->model->body[i];
  double J[3];
  dMass mass;
  if (body->kind == HN_FIXED) return;
  for (int k = 0; k < 3; k++)
    J[k] = body->J[k] > 0.0 ? body->J[k] : body->kind == HN_PARTICLE ? body->mass : body->J[2];
  dMassSetParameters(&mass, body->mass, 0, 0, 0, J[0], J[1], J[2], 0, 0, 0);
  w->body[i] = dBodyCreate(w->world);
  dBodySetMass(w->body[i], &mass);
  place_body(w->body[i], &body->pose0, &body->twist0);
  if (!w->scene->model->planar) return;
  dJointAttach(dJointCreatePlane2D(w->world, NULL), w->body[i], NULL);
}

static dGeomID plane_of(dSpaceID space, const hn_collider *c, const hn_pose *pose)
{
  double normal[3], point[3];
  engine_turn(c->place.q, c->shape.size, normal), engine_turn(pose->q, normal, normal);
  engine_turn(pose->q, c->place.x, point);
  for (int i = 0; i < 3; i++) point[i] += pose->x[i];
  return dCreatePlane(space, normal[0], normal[1], normal[2],
                      normal[0] * point[0] + normal[1] * point[1] + normal[2] * point[2]);
}

/* Places the geom on its body, or in the world where its body is fixed. ODE's axis of cylinders is z. */
static void place_geom(const ode_world *w, geom *g, const hn_collider *c)
{
  static const double z_to_y[4] = { M_SQRT1_2, -M_SQRT1_2, 0.0, 0.0 };
  const hn_pose *pose = &w->scene->model->body[c->body].pose0;
  const bool upright = c->shape.kind == HN_CYLINDER || c->shape.kind == HN_CAPSULE;
  double q[4], x[3];
  memcpy(q, c->place.q, sizeof q);
  if (upright) engine_product(c->place.q, z_to_y, q);
  if (w->body[c->body]) {
    dGeomSetBody(g->id, w->body[c->body]);
    dGeomSetOffsetPosition(g->id, c->place.x[0], c->place.x[1], c->place.x[2]);
    dGeomSetOffsetQuaternion(g->id, q);
    return;
  }
  engine_turn(pose->q, c->place.x, x), engine_product(pose->q, q, q);
  dGeomSetPosition(g->id, x[0] + pose->x[0], x[1] + pose->x[1], x[2] + pose->x[2]);
  dGeomSetQuaternion(g->id, q);
}

static void add_geom(ode_world *w, int i)
{
  const hn_collider *c = &w->scene->model->collider[i];
  const double *size = c->shape.size;
  geom *g = &w->geom[w->ngeom];
  switch (c->shape.kind) {
  case HN_BOX: g->id = dCreateBox(w->space, size[0], size[1], size[2]); break;
  case HN_SPHERE: g->id = dCreateSphere(w->space, size[0]); break;
  case HN_CYLINDER: g->id = dCreateCylinder(w->space, size[0], size[1]); break;
  case HN_CAPSULE: g->id = dCreateCapsule(w->space, size[0], size[1]); break;
  default: g->id = plane_of(w->space, c, &w->scene->model->body[c->body].pose0);
  }
  if (c->shape.kind != HN_PLANE) place_geom(w, g, c);
  dGeomSetData(g->id, (void *)(uintptr_t)i);
  w->ngeom++;
}

/* ---- Joints -------------------------------------------------------------------------------------------- */

/* Sets parameter `what` of a hinge or a slider. */
static void set(dJointID id, int what, double value)
{
  if (dJointGetType(id) == dJointTypeHinge) dJointSetHingeParam(id, what, value);
  else dJointSetSliderParam(id, what, value);
}

/* Sets limit, motor and friction; SIGN is that of ODE's coordinate against ours. */
static void set_parts(ode_world *w, dJointID id, const engine_joint *joint, double sign)
{
  if (joint->has_limit) {
    set(id, dParamLoStop, sign > 0.0 ? joint->lower : -joint->upper);
    set(id, dParamHiStop, sign > 0.0 ? joint->upper : -joint->lower);
    set(id, dParamLoStop,
        sign > 0.0 ? joint->lower : -joint->upper); /* refused while it is above the other */
    set(id, dParamBounce, joint->restitution);
  }
  if (joint->friction > 0.0) set(id, dParamVel, 0.0), set(id, dParamFMax, joint->friction);
  if (!joint->motor) return;
  set(id, dParamFMax, joint->motor_limit);
  w->motor[w->nmotor++] = (motor){ id, joint, sign };
}

static dJointID create_joint(dWorldID world, engine_joint_kind kind)
{
  switch (kind) {
  case ENGINE_BALL: return dJointCreateBall(world, NULL);
  case ENGINE_HINGE: return dJointCreateHinge(world, NULL);
  case ENGINE_UNIVERSAL: return dJointCreateUniversal(world, NULL);
  case ENGINE_SLIDER: return dJointCreateSlider(world, NULL);
  case ENGINE_CYLINDRICAL: return dJointCreatePiston(world, NULL);
  case ENGINE_DISTANCE: return dJointCreateDBall(world, NULL);
  default: return dJointCreateFixed(world, NULL);
  }
}

/* Sets points and axes; SWAPPED: body a is ODE's first one. */
static void set_geometry(dJointID id, const engine_joint *joint, bool swapped)
{
  const double *p = joint->at_b, *n = joint->axis, *m = joint->other;
  const double *first = swapped ? joint->at_a : joint->at_b, *second = swapped ? joint->at_b : joint->at_a;
  switch (joint->kind) {
  case ENGINE_BALL: dJointSetBallAnchor(id, p[0], p[1], p[2]); break;
  case ENGINE_HINGE:
    dJointSetHingeAnchor(id, p[0], p[1], p[2]);
    dJointSetHingeAxis(id, n[0], n[1], n[2]);
    break;
  case ENGINE_UNIVERSAL:
    dJointSetUniversalAnchor(id, p[0], p[1], p[2]);
    if (swapped) dJointSetUniversalAxis1(id, n[0], n[1], n[2]), dJointSetUniversalAxis2(id, m[0], m[1], m[2]);
    else dJointSetUniversalAxis1(id, m[0], m[1], m[2]), dJointSetUniversalAxis2(id, n[0], n[1], n[2]);
    break;
  case ENGINE_SLIDER: dJointSetSliderAxis(id, n[0], n[1], n[2]); break;
  case ENGINE_CYLINDRICAL:
    dJointSetPistonAnchor(id, p[0], p[1], p[2]);
    dJointSetPistonAxis(id, n[0], n[1], n[2]);
    break;
  case ENGINE_DISTANCE:
    dJointSetDBallAnchor1(id, first[0], first[1], first[2]);
    dJointSetDBallAnchor2(id, second[0], second[1], second[2]);
    dJointSetDBallDistance(id, joint->length);
    break;
  default: dJointSetFixed(id);
  }
}

static void add_joint(ode_world *w, const engine_joint *joint)
{
  dBodyID a = w->body[joint->a], b = w->body[joint->b];
  const bool swapped = !b;
  if (!a && !b) return;
  dJointID id = create_joint(w->world, joint->kind);
  dJointAttach(id, swapped ? a : b, swapped ? b : a);
  set_geometry(id, joint, swapped);
  if (joint->kind == ENGINE_HINGE || joint->kind == ENGINE_SLIDER)
    set_parts(w, id, joint, swapped ? -1.0 : 1.0);
}

/* ---- The world ----------------------------------------------------------------------------------------- */

static void free_world(void *world)
{
  ode_world *w = world;
  if (w->contacts) dJointGroupDestroy(w->contacts);
  if (w->space) dSpaceDestroy(w->space);
  if (w->world) dWorldDestroy(w->world);
  free(w->body), free(w->geom), free(w->motor), free(w->wrench);
  free(w);
}

static void set_options(ode_world *w)
{
  const double *g = w->scene->model->gravity;
  dWorldSetGravity(w->world, g[0], g[1], g[2]);
  dWorldSetERP(w->world, w->options->erp);
  dWorldSetCFM(w->world, w->options->cfm);
  dWorldSetQuickStepNumIterations(w->world, w->options->iterations);
  dWorldSetQuickStepW(w->world, w->options->relaxation);
  dRandSetSeed(0); /* dWorldQuickStep shuffles its rows */
}

static void *create(const engine_scene *scene, char *why)
{
  static bool ready;
  const hn_model *model = scene->model;
  ode_world *w = calloc(1, sizeof *w);
  if (!ready) dInitODE2(0), ready = true;
  dAllocateODEDataForThread((unsigned)dAllocateMaskAll);
  if (!w) return engine_fail(why, "out of memory"), NULL;
  w->scene = scene, w->options = scene->options;
  w->world = dWorldCreate(), w->contacts = dJointGroupCreate(0);
  w->space = model->ncollider > 64 ? dHashSpaceCreate(NULL) : dSimpleSpaceCreate(NULL);
  w->body = calloc((size_t)model->nbody, sizeof *w->body);
  w->geom = calloc((size_t)model->ncollider + 1, sizeof *w->geom);
  w->motor = calloc((size_t)scene->njoint + 1, sizeof *w->motor);
  w->wrench = calloc(6 * (size_t)model->nbody, sizeof *w->wrench);
  if (!w->body || !w->geom || !w->motor || !w->wrench) {
    engine_fail(why, "out of memory");
    free_world(w);
    return NULL;
  }
  set_options(w);
  for (int i = 0; i < model->nbody; i++) add_body(w, i);
  for (int i = 0; i < model->ncollider && model->margin > 0.0; i++)
    if (model->collider[i].group != 0) add_geom(w, i);
  for (int i = 0; i < scene->njoint; i++) add_joint(w, &scene->joint[i]);
  return w;
}

static void set_state(void *world, const hn_state *state)
{
  ode_world *w = world;
  for (int i = 0; i < state->nbody; i++)
    if (w->body[i]) place_body(w->body[i], &state->pose[i], &state->twist[i]);
}

/* ---- The step ------------------------------------------------------------------------------------------ */

/* Makes the contacts of two geoms into joints. */
static void near(void *world, dGeomID one, dGeomID two)
{
  ode_world *w = world;
  dContact contact[MOST_POINTS];
  const int c = (int)(uintptr_t)dGeomGetData(one), d = (int)(uintptr_t)dGeomGetData(two);
  if (!engine_collides(w->scene, c, d)) return;
  const int count = dCollide(one, two, MOST_POINTS, &contact[0].geom, sizeof *contact);
  const hn_surface surface = hn_model_surface(w->scene->model, c, d);
  for (int i = 0; i < count; i++) {
    dSurfaceParameters *s = &contact[i].surface;
    memset(s, 0, sizeof *s);
    s->mode = (w->options->pyramid ? dContactApprox1 : 0) | (surface.restitution > 0.0 ? dContactBounce : 0);
    s->mu = surface.friction, s->bounce = surface.restitution, s->bounce_vel = w->scene->model->threshold;
    dJointAttach(dJointCreateContact(w->world, w->contacts, &contact[i]), dGeomGetBody(one),
                 dGeomGetBody(two));
  }
}

static void apply_forces(ode_world *w, const hn_state *state)
{
  engine_forces(w->scene, state, w->wrench);
  for (int i = 0; i < state->nbody; i++) {
    const double *f = w->wrench + 6 * i;
    if (!w->body[i]) continue;
    dBodyAddForce(w->body[i], f[0], f[1], f[2]);
    dBodyAddTorque(w->body[i], f[3], f[4], f[5]);
  }
}

static void read_state(const ode_world *w, hn_state *state)
{
  for (int i = 0; i < state->nbody; i++) {
    if (!w->body[i]) continue;
    memcpy(state->pose[i].x, dBodyGetPosition(w->body[i]), sizeof state->pose[i].x);
    memcpy(state->pose[i].q, dBodyGetQuaternion(w->body[i]), sizeof state->pose[i].q);
    memcpy(state->twist[i].v, dBodyGetLinearVel(w->body[i]), sizeof state->twist[i].v);
    memcpy(state->twist[i].w, dBodyGetAngularVel(w->body[i]), sizeof state->twist[i].w);
  }
}

static int step(void *world, double h, hn_state *state, int *iterations, char *why)
{
  ode_world *w = world;
  const bool quick = w->options->stepper == QUICK;
  if (engine_has_forces(w->scene)) apply_forces(w, state);
  for (int i = 0; i < w->nmotor; i++)
    set(w->motor[i].id, dParamVel,
        w->motor[i].sign * engine_motor_rate(w->motor[i].joint, state->time + h, state->input));
  *message = '\0';
  dSetMessageHandler(on_message);
  dSpaceCollide(w->space, w, near);
  if (!(quick ? dWorldQuickStep(w->world, h) : dWorldStep(w->world, h)))
    return engine_fail(why, "out of memory");
  dJointGroupEmpty(w->contacts);
  if (*message && w->options->errors == STOP) return engine_fail(why, "%s", message);
  *iterations = quick ? w->options->iterations : 0;
  read_state(w, state);
  return 0;
}

/* ---- The solver ---------------------------------------------------------------------------------------- */

static const engine_kind kind = {
  .has = ENGINE_HAS(ENGINE_BALL) | ENGINE_HAS(ENGINE_HINGE) | ENGINE_HAS(ENGINE_UNIVERSAL) |
         ENGINE_HAS(ENGINE_FIXED) | ENGINE_HAS(ENGINE_SLIDER) | ENGINE_HAS(ENGINE_CYLINDRICAL) |
         ENGINE_HAS(ENGINE_DISTANCE) | ENGINE_HAS(ENGINE_LIMIT) | ENGINE_HAS(ENGINE_MOTOR) |
         ENGINE_HAS(ENGINE_DRY_FRICTION),
  .shapes = 1u << HN_BOX | 1u << HN_SPHERE | 1u << HN_CYLINDER | 1u << HN_CAPSULE | 1u << HN_PLANE,
  .planar = true,
  .spatial = true,
  .bounces = true,
  .create = create,
  .set = set_state,
  .step = step,
  .free = free_world,
};

static const hn_param params[] = {
  { "stepper", HN_CHOICE, offsetof(ode_options, stepper), "step", 0, 0, "", "step,quick",
    "dWorldStep (Dantzig's method) or dWorldQuickStep (over-relaxation)" },
  { "iterations", HN_INTEGER, offsetof(ode_options, iterations), "20", 1, 1e6, "", NULL, "of quick" },
  { "relaxation", HN_REAL, offsetof(ode_options, relaxation), "1.3", 0.01, 2, "", NULL, "of quick" },
  { "erp", HN_REAL, offsetof(ode_options, erp), "0.2", 0, 1, "", NULL,
    "part of a position error that a step reduces" },
  { "cfm", HN_REAL, offsetof(ode_options, cfm), "1e-10", 0, 1, "", NULL, "softness of constraints" },
  { "pyramid", HN_FLAG, offsetof(ode_options, pyramid), "true", 0, 0, "", NULL,
    "friction in proportion to the normal force; false: up to the coefficient in N" },
  { "errors", HN_CHOICE, offsetof(ode_options, errors), "stop", 0, 0, "", "stop,ignore",
    "a step whose solution ODE calls wrong ends the run; or not" },
  ENGINE_PARAMS,
  { .key = NULL },
};

static const char *const variants[] = { "", "stepper=quick", NULL };

static const hn_preset presets[] = {
  { "as-shipped", "pyramid=false,errors=ignore", "ODE's values where a program sets nothing" },
  { NULL, NULL, NULL },
};

static const hn_solver_type type = {
  .abi = HN_ABI,
  .name = "ode",
  .summary = "Open Dynamics Engine: impulses as a complementarity problem, order 1",
  .citation = "Smith, Open Dynamics Engine, ode.org",
  .capabilities = ENGINE_CAPABILITIES | HN_CAN_BOUNCE,
  .order = 1,
  .data_size = sizeof(ode_options),
  .params = params,
  .setup = engine_setup,
  .step = engine_step,
  .reset = engine_reset,
  .free = engine_free,
  .variants = variants,
  .user = (void *)(uintptr_t)&kind,
  .presets = presets,
  .engine = "ODE " dODE_VERSION,
};

const hn_solver_type *const hn_plugin_solvers[] = { &type, NULL };
