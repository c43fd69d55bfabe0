/* contact_list.c - the contacts of a state from the manifolds of its pairs (see contact_list.h). */
#include "collide/contact_list.h"
#include "collide/friction_ellipse.h"
#include "base/lane.h"
#include "base/vec.h"
#include "collide/seams.h"

#include <stdlib.h>
#include <string.h>

struct hn_collision {
  const hn_model *model;
  hn_pairs *pairs;
  int count, npairs;       /* contacts and pairs of bounding boxes of the last detection */
  hn_touch *touch;         /* [ntouch] pairs in contact, room for max_contacts */
  hn_contact_point *point; /* [npoint] their points by ascending feature, room for max_contacts */
  int ntouch, npoint;
  hn_seams *seams;
  hn_pose *pose;                       /* [nbody] poses of the last detection */
  bool is_current;                     /* the last detection succeeded */
  hn_contact contact[HN_MAX_MANIFOLD]; /* of one pair */
  hn_contact *old;                     /* room for max_contacts, of a state whose contacts are replaced */
};

hn_collision *hn_collision_create(const hn_model *model, hn_error *error)
{
  hn_collision *collision = calloc(1, sizeof *collision);
  if (collision) {
    collision->model = model;
    collision->old = malloc(sizeof *collision->old * ((size_t)model->max_contacts + 1));
    collision->pose = malloc(sizeof *collision->pose * (size_t)model->nbody);
    collision->touch = malloc(sizeof *collision->touch * ((size_t)model->max_contacts + 1));
    collision->point = malloc(sizeof *collision->point * ((size_t)model->max_contacts + 1));
    collision->pairs = hn_pairs_create(model, error);
    if (collision->pairs) {
      collision->seams = hn_seams_create(model, collision->pairs, model->max_contacts);
      if (!collision->seams) hn_fail(error, "out of memory");
    }
  } else {
    hn_fail(error, "out of memory");
  }
  if (collision && collision->pairs && collision->seams && collision->old && collision->touch &&
      collision->point && collision->pose)
    return collision;
  hn_collision_free(collision);
  return NULL;
}

void hn_collision_free(hn_collision *collision)
{
  if (!collision) return;
  hn_pairs_free(collision->pairs), hn_seams_free(collision->seams);
  free(collision->old), free(collision->touch), free(collision->point), free(collision->pose);
  free(collision);
}

/* Completes a frame, whose first row is the normal, by two tangents: the first near the axis most normal to
 * it, the lowest axis if several are equal. */
static void complete_frame(double frame[9])
{
  const double *n = frame;
  int k = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(n[i]) < fabs(n[k])) k = i;
  double *t = frame + 3;
  for (int i = 0; i < 3; i++) t[i] = (i == k) - n[k] * n[i];
  vec_scale(t, 1.0 / vec_norm(t), t);
  vec_cross(frame + 6, n, t);
}

/* Completes a planar frame: the tangent is the normal turned by a right angle. */
static void complete_planar(double frame[9])
{
  vec_set(frame + 3, -frame[1], frame[0], 0.0);
  vec_set(frame + 6, 0.0, 0.0, 1.0);
}

/* Transforms point X into the axes of body A and Y into those of B, both at once. */
static void to_bodies(const hn_pose *a, const double x[3], const hn_pose *b, const double y[3],
                      double point_a[3], double point_b[3])
{
  lane n[3], arm[3], c[3], d[3], w = { a->q[0], b->q[0] };
  for (int i = 0; i < 3; i++) {
    n[i] = (lane){ -a->q[1 + i], -b->q[1 + i] };
    arm[i] = (lane){ x[i] - a->x[i], y[i] - b->x[i] };
  }
  lane_cross(c, n, arm);
  lane_cross(d, n, c);
  for (int i = 0; i < 3; i++) {
    arm[i] += 2.0 * (w * c[i] + d[i]);
    point_a[i] = arm[i][0], point_b[i] = arm[i][1];
  }
}

/* Fills contact C from a point of a pair, except its frame. Body a of the contact is the one that carries the
 * normal. */
static void place_contact(const hn_model *model, const hn_state *state, hn_pair pair,
                          const hn_surface *surface, const hn_contact_point *point, hn_contact *c)
{
  const int first = model->collider[pair.a].body, second = model->collider[pair.b].body;
  const bool swap = point->on_b, has_two_frictions = surface->static_friction > surface->friction;
  c->key = hn_contact_key(model->field_bits, pair, point->feature);
  c->a = swap ? second : first, c->b = swap ? first : second;
  c->skin_a = swap ? point->skin_b : point->skin_a, c->skin_b = swap ? point->skin_a : point->skin_b;
  to_bodies(&state->pose[c->a], swap ? point->b : point->a, &state->pose[c->b], swap ? point->a : point->b,
            c->point_a, c->point_b);
  c->friction = surface->static_friction, c->restitution = surface->restitution;
  c->sticking = has_two_frictions ? surface->static_friction : 0.0,
  c->sliding = has_two_frictions ? surface->friction : 0.0;
  c->rolling = surface->rolling_friction, c->torsion = surface->torsional_friction;
  vec_set(c->impulse, 0, 0, 0), vec_set(c->moment, 0, 0, 0);
  c->anisotropy = 0.0;
}

static void find_frame(const hn_model *model, const hn_pose *a, const hn_contact_point *point,
                       double frame[9])
{
  double normal[3];
  vec_scale(normal, point->on_b ? -1.0 : 1.0, point->normal);
  quat_unrotate(frame, a->q, normal);
  if (model->planar) complete_planar(frame);
  else complete_frame(frame);
}

/* Copies the impulse and the moment of OLD to NEW, a contact of the same two bodies. They are expressed in
 * the axes of NEW as those on its body b. */
static void carry_impulse(hn_contact *new, const hn_contact *old, const hn_state *state)
{
  const bool same = new->a == old->a;
  if (new->sticking > 0) /* the friction of the current mode */
    new->friction = old->friction == old->sliding ? new->sliding : new->sticking;
  for (int k = 0; k < 3; k++) {
    double axis[3], rotated[3];
    vec_copy(rotated, old->frame + 3 * k);
    if (!same) {
      quat_rotate(axis, state->pose[old->a].q, old->frame + 3 * k);
      quat_unrotate(rotated, state->pose[new->a].q, axis);
    }
    const double size = same ? old->impulse[k] : -old->impulse[k];
    const double moment = same ? old->moment[k] : -old->moment[k];
    for (int i = 0; i < 3; i++) {
      const double along = vec_dot(rotated, new->frame + 3 * i);
      new->impulse[i] += size *along, new->moment[i] += moment *along;
    }
  }
}

/* Copies the axes of FROM, and the coefficients of friction along them, to C of the same pair. */
static void copy_frame(hn_contact *c, const hn_contact *from)
{
  memcpy(c->frame, from->frame, sizeof c->frame);
  c->friction = from->friction, c->sticking = from->sticking, c->sliding = from->sliding;
  c->anisotropy = from->anisotropy;
}

static bool same_normal(const hn_contact_point *p, const hn_contact_point *q)
{
  return p->on_b == q->on_b && memcmp(p->normal, q->normal, sizeof p->normal) == 0;
}

static double gap_of(const hn_contact_point *point)
{
  double span[3];
  vec_sub(span, point->b, point->a);
  return vec_dot(span, point->normal) - point->skin_a - point->skin_b;
}

/* Appends the points of a manifold by ascending feature. Returns HN_FULL if there is no room. */
static hn_reason add_points(hn_collision *collision, const hn_manifold *manifold)
{
  hn_contact_point *list = collision->point + collision->npoint;
  if (collision->npoint + manifold->count > collision->model->max_contacts) return HN_FULL;
  for (int i = 0; i < manifold->count; i++) {
    int j = i;
    for (; j > 0 && list[j - 1].feature > manifold->point[i].feature; j--) list[j] = list[j - 1];
    list[j] = manifold->point[i];
  }
  collision->npoint += manifold->count;
  return HN_CONVERGED;
}

/* Appends a pair in contact. */
static hn_reason add_touch(hn_collision *collision, hn_pair pair, const hn_manifold *manifold)
{
  const int first = collision->npoint;
  if (manifold->count == 0) return HN_CONVERGED;
  if (add_points(collision, manifold) != HN_CONVERGED) return HN_FULL;
  hn_touch *touch = &collision->touch[collision->ntouch++];
  *touch = (hn_touch){ .pair = pair, .first = first, .count = manifold->count, .gap = HUGE_VAL };
  vec_copy(touch->normal, collision->point[first].normal);
  for (int i = first; i < collision->npoint; i++) touch->gap = fmin(touch->gap, gap_of(&collision->point[i]));
  return HN_CONVERGED;
}

/* Turns the points of TOUCH to NORMAL: those of the second shape, or the first if ON_B, before the plane
 * across it that the other supports. The skin of a cylinder is round its axis alone, and that of an ellipsoid
 * at one normal: their points go to the surface first. */
static void turn_points(hn_collision *collision, const hn_touch *touch, bool on_b, const double normal[3])
{
  double outward[3];
  vec_scale(outward, on_b ? -1.0 : 1.0, normal);
  const hn_placed_shape *shape = hn_pairs_placed(collision->pairs, on_b ? touch->pair.a : touch->pair.b);
  const double plane = hn_placed_support(
    hn_pairs_placed(collision->pairs, on_b ? touch->pair.b : touch->pair.a), outward);
  for (hn_contact_point *p = collision->point + touch->first;
       p < collision->point + touch->first + touch->count; p++) {
    double *at = on_b ? p->a : p->b, *skin = on_b ? &p->skin_a : &p->skin_b;
    if (shape->shape->kind == HN_CYLINDER || shape->shape->kind == HN_ELLIPSOID)
      vec_add_scaled(at, on_b ? *skin : -*skin, p->normal), *skin = 0.0;
    vec_along(on_b ? p->b : p->a, at, plane - vec_dot(outward, at), outward);
    vec_copy(p->normal, normal);
    *(on_b ? &p->skin_b : &p->skin_a) = 0.0, p->on_b = on_b;
  }
}

/* Gives TOUCH the normal of the touch that it takes instead. Its points are those along this normal; without
 * any, a shape that may move against its neighbour keeps its points before the plane of the face. Shapes
 * beside each other, such as the diagonal neighbours in a heap of boxes, have none: the face between their
 * neighbours holds them apart. */
static hn_reason take_normal(hn_collision *collision, hn_touch *touch)
{
  const hn_touch *instead = &collision->touch[touch->instead];
  const hn_pair pair = touch->pair, carrier = instead->pair;
  const bool on_b = pair.a == carrier.a || pair.a == carrier.b;
  const int shared = on_b ? pair.a : pair.b;
  hn_manifold manifold;
  if (touch->beside) {
    touch->count = 0;
    return HN_CONVERGED;
  }
  vec_scale(touch->normal, (carrier.b == shared) != on_b ? 1.0 : -1.0, instead->normal);
  hn_collide_along(hn_pairs_placed(collision->pairs, pair.a), hn_pairs_placed(collision->pairs, pair.b), on_b,
                   touch->normal, collision->model->margin, &manifold);
  if (manifold.count == 0 && !touch->rigid) {
    turn_points(collision, touch, on_b, touch->normal);
    return HN_CONVERGED;
  }
  hn_manifold_reduce(&manifold, collision->model->most_points, collision->model->margin);
  touch->first = collision->npoint, touch->count = manifold.count;
  return add_points(collision, &manifold);
}

hn_contact *hn_collision_contacts(hn_collision *collision, const hn_state *state, int index, int *count)
{
  const hn_model *model = collision->model;
  const hn_touch *touch = &collision->touch[index];
  const hn_contact_point *point = collision->point + touch->first;
  hn_contact *c = collision->contact;
  *count = touch->count;
  if (touch->count == 0) return c;
  const hn_surface surface = hn_model_surface(model, touch->pair.a, touch->pair.b);
  for (int i = 0; i < touch->count; i++, c++) {
    place_contact(model, state, touch->pair, &surface, &point[i], c);
    if (i > 0 && same_normal(&point[i - 1], &point[i])) {
      copy_frame(c, &c[-1]);
      continue;
    }
    find_frame(model, &state->pose[c->a], &point[i], c->frame);
    if (model->needs & HN_CAN_ANISOTROPIC)
      hn_friction_ellipse_set(model, state, touch->pair.a, touch->pair.b, c);
  }
  return collision->contact;
}

static uint64_t pair_number(const hn_collision *collision, const hn_contact *contact)
{
  return hn_contact_key_pair(collision->model->field_bits, contact->key);
}

/* Returns the contact with KEY, or NULL. */
static hn_contact *find_by_key(hn_contact *contact, int count, uint64_t key)
{
  for (int i = 0; i < count; i++)
    if (contact[i].key == key) return &contact[i];
  return NULL;
}

/* Returns the contact point on BODY, one of the two bodies. */
static const double *point_on(const hn_contact *contact, int body)
{
  return contact->b == body ? contact->point_b : contact->point_a;
}

/* Returns the contact nearest to OLD and nearer than DISTANCE (m), or NULL. */
static hn_contact *find_nearest(hn_contact *contact, int count, const hn_contact *old, double distance)
{
  hn_contact *best = NULL;
  for (int i = 0; i < count; i++) {
    double span[3];
    vec_sub(span, point_on(old, contact[i].b), contact[i].point_b);
    if (vec_norm(span) < distance) distance = vec_norm(span), best = &contact[i];
  }
  return best;
}

/* Copies the impulses of contacts of the same pair, from OLD to END, to the COUNT contacts FRESH with the
 * same key. If a key has vanished, its impulse goes to the nearest contact within the margin: for edges
 * that lie on each other, rounding decides which features touch. */
static void carry_impulses(const hn_collision *collision, const hn_state *state, hn_contact *fresh, int count,
                           const hn_contact *old, const hn_contact *end)
{
  for (; old < end; old++) {
    hn_contact *successor = find_by_key(fresh, count, old->key);
    if (!successor) successor = find_nearest(fresh, count, old, collision->model->margin);
    if (successor) carry_impulse(successor, old, state);
  }
}

/* Detects the points of contact at the poses of STATE: of each pair alone, then at seams. Reuses the last
 * result if the poses are equal. */
static hn_reason detect(hn_collision *collision, const hn_state *state)
{
  const hn_pairs *pairs = collision->pairs;
  const double margin = collision->model->margin;
  const size_t size = sizeof *state->pose * (size_t)state->nbody;
  if (collision->is_current && memcmp(collision->pose, state->pose, size) == 0) return HN_CONVERGED;
  collision->is_current = false, collision->count = collision->ntouch = collision->npoint = 0;
  const hn_pair *pair = hn_pairs_find(collision->pairs, state, &collision->npairs);
  if (collision->npairs < 0) return HN_NO_MEMORY;
  for (int i = 0; i < collision->npairs; i++) {
    hn_manifold manifold;
    hn_collide_pair(hn_pairs_placed(pairs, pair[i].a), hn_pairs_placed(pairs, pair[i].b), margin, &manifold);
    if (!hn_pairs_has_field(pairs, pair[i]))
      hn_manifold_reduce(&manifold, collision->model->most_points, margin);
    if (add_touch(collision, pair[i], &manifold) != HN_CONVERGED) return HN_FULL;
  }
  hn_seams_find(collision->seams, collision->touch, collision->ntouch);
  for (int i = 0; i < collision->ntouch; i++) {
    hn_touch *touch = &collision->touch[i];
    if (touch->instead >= 0 && take_normal(collision, touch) != HN_CONVERGED) return HN_FULL;
  }
  hn_seams_remove_inner_points(collision->seams, collision->point);
  for (int i = 0; i < collision->ntouch; i++) collision->count += collision->touch[i].count;
  memcpy(collision->pose, state->pose, size);
  collision->is_current = true;
  return HN_CONVERGED;
}

hn_reason hn_collision_detect(hn_collision *collision, const hn_state *state, hn_work *work)
{
  hn_reason reason = detect(collision, state);
  if (reason != HN_CONVERGED) return reason;
  work->pairs += (uint64_t)collision->npairs, work->manifolds += (uint64_t)collision->count;
  return HN_CONVERGED;
}

int hn_collision_pairs(const hn_collision *collision)
{
  return collision->ntouch;
}

/* Replaces the contacts of STATE by those detected, with the impulses of OLD[COUNT]. */
static void write_contacts(hn_collision *collision, const hn_contact *old, int count, hn_state *state)
{
  const hn_contact *const end = old + count;
  state->ncontact = 0;
  for (int i = 0, n; i < collision->ntouch; i++) {
    hn_contact *fresh = state->contact + state->ncontact;
    const hn_contact *contact = hn_collision_contacts(collision, state, i, &n);
    if (n == 0) continue;
    memcpy(fresh, contact, sizeof *fresh * (size_t)n);
    while (old < end && pair_number(collision, old) < pair_number(collision, fresh)) old++;
    const hn_contact *first = old;
    while (old < end && pair_number(collision, old) == pair_number(collision, fresh)) old++;
    carry_impulses(collision, state, fresh, n, first, old);
    state->ncontact += n;
  }
}

hn_reason hn_collide_from(hn_collision *collision, const hn_state *before, hn_state *state, hn_work *work)
{
  hn_reason reason = hn_collision_detect(collision, state, work);
  if (reason == HN_CONVERGED) write_contacts(collision, before->contact, before->ncontact, state);
  return reason;
}

hn_reason hn_collide(hn_collision *collision, hn_state *state, hn_work *work)
{
  hn_reason reason = hn_collision_detect(collision, state, work);
  if (reason != HN_CONVERGED) return reason;
  if (state->ncontact > 0)
    memcpy(collision->old, state->contact, sizeof *state->contact * (size_t)state->ncontact);
  write_contacts(collision, collision->old, state->ncontact, state);
  return HN_CONVERGED;
}
