/* compliant.c - forces of compliant contacts.
 *
 * Every point of the manifold of two shapes that overlap, with compression d = -gap and normal n from a to b,
 * has
 *
 *   N = max(0, law(d, d')),   d' = -n . u,   u = velocity of b relative to a at the point, t = u - (n . u) n
 *   force on b = N n - N F(|t|) t,  the opposite on a         F: smooth_friction.c
 *
 * The point is midway between the two surfaces. d' is exact there, also for curved shapes: the gap is
 * stationary in the nearest points. So without dissipation the work of N is the change of the stored energy.
 *
 * The contacts of a state are a function of its poses and velocities, without memory, so every stage of a
 * solver evaluates them anew. Manifolds of flat faces have a point for each corner of their common polygon,
 * and each has the whole law. A point that appears or disappears with an overlap above 0, when corners pass
 * edges, makes the force jump. Seams of neighbouring shapes are not removed.
 *
 * Cost: a test of bounding spheres for each pair of shapes, quadratic in their number; detection for those
 * that pass it. Nothing is allocated. */
#include "compliant/compliant.h"
#include "base/vec.h"
#include "collide/collide.h"
#include "compliant/contact_law.h"
#include "compliant/pair_laws.h"
#include "compliant/smooth_friction.h"

/* A pair of colliders a < b; both are 0 before the first one. */
typedef struct pair {
  int a, b;
  const hn_contact_law *law;
  double radius; /* m, effective radius of spheres; NAN: other shapes */
  hn_surface surface;
  hn_manifold manifold; /* points with an overlap */
} pair;

/* True if the bounding spheres of two colliders about the centres of their bodies overlap. */
static bool is_near(const hn_model *model, const hn_state *state, const pair *p)
{
  const hn_collider *a = &model->collider[p->a], *b = &model->collider[p->b];
  const double reach = a->reach + vec_norm(a->place.x) + b->reach + vec_norm(b->place.x);
  double span[3];
  vec_sub(span, state->pose[b->body].x, state->pose[a->body].x);
  return vec_dot(span, span) < reach * reach;
}

/* Detects the points of a pair with an overlap. */
static void detect(const hn_model *model, const hn_state *state, pair *p)
{
  const hn_collider *a = &model->collider[p->a], *b = &model->collider[p->b];
  hn_placed_shape first, second;
  hn_placed_shape_at(&first, &a->shape, &a->place, &state->pose[a->body]);
  hn_placed_shape_at(&second, &b->shape, &b->place, &state->pose[b->body]);
  hn_collide_pair(&first, &second, 0.0, &p->manifold);
}

/* Advances P to the next pair with a law and an overlap; false if there is none. Counts detections in
 * *DETECTED, which may be NULL. */
static bool next_pair(const hn_model *model, const hn_state *state, pair *p, uint64_t *detected)
{
  for (;;) {
    if (++p->b >= model->ncollider) p->b = ++p->a + 1;
    if (p->b >= model->ncollider) return false;
    if (!is_near(model, state, p) || !hn_colliders_may_touch(model, p->a, p->b)) continue;
    p->law = hn_model_contact_law(model, p->a, p->b);
    if (!p->law) continue;
    if (detected) ++*detected;
    detect(model, state, p);
    if (p->manifold.count == 0) continue;
    p->radius = hn_effective_radius(&model->collider[p->a].shape, &model->collider[p->b].shape);
    p->surface = hn_model_surface(model, p->a, p->b);
    return true;
  }
}

/* Returns the compression, m, of a contact point and its place X midway between the surfaces. */
static double locate(const hn_contact_point *point, double x[3])
{
  double span[3];
  vec_sub(span, point->b, point->a);
  const double depth = point->skin_a + point->skin_b - vec_dot(span, point->normal);
  vec_along(x, point->b, 0.5 * depth - point->skin_b, point->normal);
  return depth;
}

/* Computes the velocity of BODY at ARM from its centre of mass. */
static void velocity_at(const hn_state *state, int body, const double arm[3], double v[3])
{
  vec_cross(v, state->twist[body].w, arm);
  vec_add(v, v, state->twist[body].v);
}

/* Adds SCALE times FORCE at ARM to the wrench of a body. */
static void add_force(double wrench[6], double scale, const double force[3], const double arm[3])
{
  double moment[3];
  vec_cross(moment, arm, force);
  vec_add_scaled(wrench, scale, force);
  vec_add_scaled(wrench + 3, scale, moment);
}

/* Adds the forces of one contact point. */
static void add_point(const hn_model *model, const hn_state *state, const pair *p,
                      const hn_contact_point *point, double *wrench)
{
  const int a = model->collider[p->a].body, b = model->collider[p->b].body;
  double x[3], arm_a[3], arm_b[3], v[3], slip[3], force[3];
  const double depth = locate(point, x);
  if (!(depth > 0.0)) return;
  vec_sub(arm_a, x, state->pose[a].x);
  vec_sub(arm_b, x, state->pose[b].x);
  velocity_at(state, a, arm_a, v);
  velocity_at(state, b, arm_b, slip);
  vec_sub(slip, slip, v);
  const double rate = -vec_dot(slip, point->normal);
  vec_add_scaled(slip, rate, point->normal);
  double normal = p->law->type->force(p->law->data, p->radius, depth, rate);
  if (normal < 0.0) normal = 0.0; /* not a number remains */
  vec_scale(force, normal, point->normal);
  if (p->surface.static_friction > 0.0)
    vec_add_scaled(force,
                   -normal * hn_smooth_friction_factor(p->law->data, p->surface.friction,
                                                       p->surface.static_friction, vec_norm(slip)),
                   slip);
  add_force(wrench + 6 * a, -1.0, force, arm_a);
  add_force(wrench + 6 * b, 1.0, force, arm_b);
}

void hn_compliant_forces(const hn_model *model, const hn_state *state, double *wrench, hn_work *work)
{
  pair p = { .a = 0, .b = 0 };
  while (next_pair(model, state, &p, &work->pairs)) {
    for (int i = 0; i < p.manifold.count; i++) add_point(model, state, &p, &p.manifold.point[i], wrench);
    work->manifolds += (uint64_t)p.manifold.count, work->forces += (uint64_t)p.manifold.count;
  }
}

double hn_compliant_energy(const hn_model *model, const hn_state *state)
{
  pair p = { .a = 0, .b = 0 };
  double energy = 0.0, x[3];
  while (next_pair(model, state, &p, NULL))
    for (int i = 0; i < p.manifold.count; i++) {
      const double depth = locate(&p.manifold.point[i], x);
      if (depth > 0.0) energy += p.law->type->energy(p.law->data, p.radius, depth);
    }
  return energy;
}
