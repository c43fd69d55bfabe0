/* contact_blocks.c - the contacts of a state as blocks of the system, listed after the joints.
 *
 *   gap = n . (x_b + R_b p_b - x_a - R_a p_a) - skin_a - skin_b        row 0, along the normal, fixed to a
 *   slip_i = t_i . (velocity of b relative to a at the contact point)  rows 1 and 2, along the tangents
 *   spin_i = e_i . (angular velocity of b relative to a)               later rows, of rolling and torsional
 *                                                                      friction (hn_set_discs)
 *
 * Row 2 of anisotropic friction is along (mu_2 / mu_1) t_2 (hn_contact_row_scale): it is scaled where rows
 * are computed. The impulses in hn_contact are along the unit vectors t_i.
 *
 * The contact point is p_b, moved by skin_b towards a. Without radii the slip is the rate of t_i . (p_b -
 * p_a): all rows are then those of a joint, with its Jacobian, acceleration term and power series. Blocks are
 * listed at the start of every step from the state alone. The pattern version changes when a key appears or
 * disappears, not when a point moves. */
#include "system/contact_blocks.h"
#include "base/vec.h"
#include "collide/contact_list.h"
#include "joint/points.h"
#include "joint/joint_rows.h"
#include "joint/point_velocity.h"

#include <stdlib.h>
#include <string.h>

/* Geometry of a contact, and the block's joint. */
struct hn_contact_joint {
  hn_joint joint;       /* without axes: its frame is in its data */
  hn_contact_axes axes; /* data of the joint */
};

_Static_assert(offsetof(hn_contact, skin_a) == offsetof(hn_contact, frame) + sizeof(double[9]) &&
                 offsetof(hn_contact, skin_b) == offsetof(hn_contact, skin_a) + sizeof(double),
               "the axes of a contact are consecutive numbers");

static const double pi = 3.14159265358979323846;
static const hn_row_part normal = { HN_ROW_ALONG, 0, 0 };

/* A contact as a joint with axes. */
typedef struct framed_contact {
  hn_joint joint;
  hn_axes axes;
} framed_contact;

/* Rows of a contact with N rows that are no moments. */
static inline int force_rows(int n)
{
  return n < 3 ? n : 3;
}

/* Returns the axis of the frame for moment row R >= 3 of N: rolling about the tangents, torsion about the
 * normal, in the last row. */
static inline int moment_axis(int n, int r)
{
  return n % 2 == 0 && r == n - 1 ? 0 : r - 2;
}

static const hn_joint *with_axes(framed_contact *whole, const hn_joint *joint)
{
  whole->joint = *joint;
  whole->joint.axes = &whole->axes;
  memcpy(whole->axes.a, joint->data, sizeof whole->axes.a);
  memcpy(whole->axes.b, whole->axes.a, sizeof whole->axes.b);
  return &whole->joint;
}

/* v -= skin_b n: moves a point, or its velocity with the rate of n, to the contact point. */
static void to_surface(const hn_joint *joint, const double n[3], double v[3])
{
  for (int i = 0; i < 3; i++) v[i] -= hn_contact_skin_b(joint) * n[i];
}

/* Computes the acceleration terms. */
static void acceleration_terms(const hn_joint *joint, const hn_pose *a, const hn_twist *ua, const hn_pose *b,
                               const hn_twist *ub, double *gamma)
{
  double n_rate[3], arm_rate[3];
  framed_contact whole;
  hn_place place;
  hn_touch touch;
  hn_row row;
  hn_place_at(&place, with_axes(&whole, joint), a, ua, b, ub, true);
  hn_place_row(&place, &normal, &row);
  gamma[0] = row.gamma;
  vec_cross(arm_rate, ub->w, place.arm_b);
  vec_cross(n_rate, ua->w, place.A);
  to_surface(joint, place.A, place.arm_b);
  to_surface(joint, n_rate, arm_rate);
  hn_point_velocity_at(&touch, a, ua, b, ub, place.arm_b, arm_rate);
  const int n = joint->type->rows;
  for (int r = 1; r < n; r++) {
    const double *e = place.A + 3 * (r < 3 ? r : moment_axis(n, r));
    double e_rate[3], spin[3];
    vec_cross(e_rate, ua->w, e);
    vec_sub(spin, ub->w, ua->w);
    hn_point_velocity_row(&touch, e, e_rate, &row);
    gamma[r] = r < 3 ? row.gamma : vec_dot(e_rate, spin);
  }
}

/* Computes the contact axes in world axes, one after the other; both tangents in one pass. */
static void rotate_frame(const double q[4], const double frame[9], int rows, double axis[9])
{
  lane n[3], t[3], c[3], d[3];
  quat_rotate(axis, q, frame);
  if (rows == 1) return;
  for (int i = 0; i < 3; i++)
    n[i] = (lane){ q[1 + i], q[1 + i] }, t[i] = (lane){ frame[3 + i], frame[6 + i] };
  lane_cross(c, n, t);
  lane_cross(d, n, c);
  for (int i = 0; i < 3; i++) {
    t[i] += 2.0 * (q[0] * c[i] + d[i]);
    axis[3 + i] = t[i][0], axis[6 + i] = t[i][1];
  }
}

/* Computes the Jacobian of all rows for one body: SIGN e and its moment. ARM leads from the centre of mass to
 * the contact point. */
static inline void side_jacobian(int n, double sign, const double *axis, const double arm[3], double *G)
{
  for (int r = 0; r < force_rows(n); r++) {
    const double *e = axis + 3 * r;
    double moment[3];
    vec_cross(moment, arm, e);
    for (int i = 0; i < 3; i++) G[i * n + r] = sign * e[i], G[(3 + i) * n + r] = sign * moment[i];
  }
  for (int r = 3; r < n; r++) {
    const double *e = axis + 3 * moment_axis(n, r);
    for (int i = 0; i < 3; i++) G[i * n + r] = 0.0, G[(3 + i) * n + r] = sign * e[i];
  }
}

static inline void jacobian(int n, const double *axis, const double reach[3], const double arm[3],
                            const hn_rows *out)
{
  if (out->G_a) side_jacobian(n, -1.0, axis, reach, out->G_a);
  if (out->G_b) side_jacobian(n, 1.0, axis, arm, out->G_b);
}

/* Scales row R of N of the requested members of OUT. */
static void scale_row(int n, int r, double scale, const hn_rows *out)
{
  if (out->g) out->g[r] *= scale;
  if (out->gamma) out->gamma[r] *= scale;
  for (int c = 0; c < 6 && out->G_a; c++) out->G_a[c * n + r] *= scale;
  for (int c = 0; c < 6 && out->G_b; c++) out->G_b[c * n + r] *= scale;
}

static void eval(const hn_joint *joint, double t, const hn_pose *a, const hn_twist *ua, const hn_pose *b,
                 const hn_twist *ub, const hn_rows *out)
{
  const double *frame = joint->data, skin_a = frame[HN_SKIN_A], skin_b = frame[HN_SKIN_B];
  const int n = joint->type->rows;
  double axis[9], span[3], reach[3], arm_b[3];
  lane arm[3];
  (void)t;
  joint_arms(joint, a, b, arm);
  joint_span(a, b, arm, span);
  rotate_frame(a->q, frame, n, axis);
  /* gap, and positions along the tangents */
  for (int r = 0; r < n && out->g; r++) out->g[r] = r < 3 ? vec_dot(axis + 3 * r, span) : 0.0;
  if (out->g) out->g[0] -= skin_a + skin_b;
  for (int r = 0; r < n && out->bias; r++) out->bias[r] = 0.0;
  /* Jacobians at the contact point */
  for (int i = 0; i < 3; i++) {
    arm_b[i] = arm[i][1] - skin_b * axis[i];
    reach[i] = arm[i][0] + span[i] - skin_b * axis[i];
  }
  switch (n) { /* constants for the compiler */
  case 1: jacobian(1, axis, reach, arm_b, out); break;
  case 2: jacobian(2, axis, reach, arm_b, out); break;
  case 3: jacobian(3, axis, reach, arm_b, out); break;
  default: jacobian(n, axis, reach, arm_b, out);
  }
  if (out->gamma) acceleration_terms(joint, a, ua, b, ub, out->gamma);
  const double anisotropy = joint->set->anisotropy;
  if (anisotropy > 0.0 && n > 2) scale_row(n, 2, hn_contact_row_scale(anisotropy, 2), out);
}

static void jet(const hn_joint *joint, double t, const hn_body_jet *a, const hn_body_jet *b, size_t k,
                double *work, double *g, double *G_a, double *G_b)
{
  const size_t stride = a->count;
  const double *frame = joint->data, skin_a = frame[HN_SKIN_A], skin_b = frame[HN_SKIN_B];
  const double *axes = work + HN_AXES_A * stride;
  framed_contact whole;
  hn_row row;
  (void)t;
  hn_place_jet(with_axes(&whole, joint), a, b, k, work);
  for (size_t i = k; i < 3 * stride; i += stride) { /* the shift along the normal does not change row 0 */
    work[HN_ARM_B * stride + i] -= skin_b * axes[i];
    work[HN_REACH * stride + i] -= skin_b * axes[i];
  }
  for (int r = 0; r < joint->type->rows; r++) {
    hn_place_row_jet(joint, &(hn_row_part){ HN_ROW_ALONG, r, 0 }, k, stride, work, &row);
    if (r == 0 && k == 0) row.g -= skin_a + skin_b;
    hn_row_store(&row, r, joint->type->rows, &(hn_rows){ .g = g, .G_a = G_a, .G_b = G_b });
  }
}

#define CONTACT(number, of_set)                                                                   \
  {                                                                                               \
    .name = "contact", .summary = "two bodies touch", .unit = "m", .rows = number, .set = of_set, \
    .jet_series = HN_PLACE_SERIES, .eval = eval, .jet = jet                                       \
  }
static const hn_joint_type smooth = CONTACT(1, HN_PUSH), rough_plane = CONTACT(2, HN_CONE),
                           rough_space = CONTACT(3, HN_CONE);
/* With torsional, rolling, and both frictions; and with anisotropic friction. They have no power series. */
#define WITHOUT_SERIES(number)                                                                     \
  {                                                                                                \
    .name = "contact", .summary = "two bodies touch", .unit = "m", .rows = number, .set = HN_CONE, \
    .eval = eval                                                                                   \
  }
static const hn_joint_type with_moments[] = { WITHOUT_SERIES(4), WITHOUT_SERIES(5), WITHOUT_SERIES(6) },
                           anisotropic = WITHOUT_SERIES(3);

const hn_joint_type *hn_contact_joint_type(bool rough, bool planar)
{
  return !rough ? &smooth : planar ? &rough_plane : &rough_space;
}

int hn_contact_blocks_create(hn_system *s, hn_error *error)
{
  const size_t count = (size_t)s->model->max_contacts;
  s->parts->contact_joint = calloc(count, sizeof *s->parts->contact_joint);
  s->parts->own_set = calloc(count, sizeof *s->parts->own_set);
  return s->parts->contact_joint && s->parts->own_set ? 0 : hn_fail(error, "out of memory");
}

static bool is_rough(const hn_contact *contact)
{
  return contact->friction > 0 || contact->sticking > 0;
}

static const hn_joint_type *type_of(const hn_model *model, const hn_contact *contact)
{
  const bool rolls = contact->rolling > 0.0, spins = contact->torsion > 0.0;
  if (!model->planar && !(rolls || spins) && contact->anisotropy > 0.0) return &anisotropic;
  if (model->planar || !(rolls || spins)) return hn_contact_joint_type(is_rough(contact), model->planar);
  return &with_moments[!rolls ? 0 : spins ? 2 : 1];
}

static void use_sliding_friction(hn_contact *contact)
{
  if (contact->sticking > 0) contact->friction = contact->sliding;
}

void hn_contacts_use_sliding_friction(hn_state *state)
{
  for (int i = 0; i < state->ncontact; i++) use_sliding_friction(&state->contact[i]);
}

static bool is_same_set(const hn_set *a, const hn_set *b)
{
  return a->kind == b->kind && a->mu == b->mu && a->mu_rolling == b->mu_rolling &&
         a->mu_torsion == b->mu_torsion && a->restitution == b->restitution && a->anisotropy == b->anisotropy;
}

/* Returns SET, of contact I, among those that contacts share, or else in the contact's own place. */
static const hn_set *keep_set(hn_system_parts *parts, int i, const hn_set *set)
{
  for (int k = 0; k < parts->nshared_set; k++)
    if (is_same_set(&parts->shared_set[k], set)) return &parts->shared_set[k];
  hn_set *place = parts->nshared_set < HN_SHARED_SETS ? &parts->shared_set[parts->nshared_set++]
                                                      : &parts->own_set[i];
  *place = *set;
  return place;
}

/* Sets the geometry of contact I. */
static void set_geometry(hn_system *s, const hn_contact *contact, int i)
{
  struct hn_contact_joint *t = &s->parts->contact_joint[i];
  const hn_joint_type *type = type_of(s->model, contact);
  const hn_set set = { .kind = type->set,
                       .mu = contact->friction,
                       .mu_rolling = contact->rolling,
                       .mu_torsion = contact->torsion,
                       .restitution = contact->restitution,
                       .anisotropy = contact->anisotropy };
  memcpy(t->axes, contact->frame, sizeof contact->frame);
  t->axes[HN_SKIN_A] = contact->skin_a, t->axes[HN_SKIN_B] = contact->skin_b;
  t->joint = (hn_joint){ .name = (char *)"contact",
                         .type = type,
                         .a = contact->a,
                         .b = contact->b,
                         .set = keep_set(s->parts, i, &set),
                         .data = t->axes,
                         .input = -1 };
  memcpy(t->joint.point_a, contact->point_a, sizeof t->joint.point_a);
  memcpy(t->joint.point_b, contact->point_b, sizeof t->joint.point_b);
}

/* True if CONTACT has the geometry and the coefficients of T. */
static bool has_geometry(const struct hn_contact_joint *t, const hn_contact *contact)
{
  const hn_set *set = t->joint.set; /* NULL before the first contact */
  return set && t->joint.a == contact->a && t->joint.b == contact->b &&
         memcmp(t->joint.point_a, contact->point_a, sizeof contact->point_a) == 0 &&
         memcmp(t->joint.point_b, contact->point_b, sizeof contact->point_b) == 0 &&
         memcmp(t->axes, hn_contact_axes_of(contact), sizeof t->axes) == 0 && set->mu == contact->friction &&
         set->restitution == contact->restitution && set->mu_rolling == contact->rolling &&
         set->mu_torsion == contact->torsion && set->anisotropy == contact->anisotropy;
}

hn_contact hn_contact_of(const hn_block *block)
{
  const hn_joint *joint = block->joint;
  const hn_set *set = joint->set;
  const double *frame = joint->data;
  hn_contact contact = { .key = block->key,
                         .a = block->a,
                         .b = block->b,
                         .skin_a = frame[HN_SKIN_A],
                         .skin_b = frame[HN_SKIN_B],
                         .friction = set->mu,
                         .restitution = set->restitution,
                         .rolling = set->mu_rolling,
                         .torsion = set->mu_torsion,
                         .anisotropy = set->anisotropy };
  vec_copy(contact.point_a, joint->point_a), vec_copy(contact.point_b, joint->point_b);
  memcpy(contact.frame, frame, sizeof contact.frame);
  return contact;
}

/* Lists contact I as block K. True if the block is unchanged. */
static bool list_block(hn_system *s, int k, int i, uint64_t key)
{
  hn_joint *joint = &s->parts->contact_joint[i].joint;
  hn_block block = {
    .a = joint->a, .b = joint->b, .row = s->nrow, .n = joint->type->rows, .key = key, .joint = joint
  };
  const hn_block *old = &s->block[k];
  bool same = old->key == block.key && old->row == block.row && old->n == block.n && old->a == block.a &&
              old->b == block.b;
  joint->row = block.row;
  s->block[k] = block;
  s->nrow += block.n;
  return same;
}

/* Data of a list in the making. */
typedef struct listing {
  int count;  /* of contacts so far */
  bool same;  /* the blocks are those of the last list */
  bool moved; /* the geometry of a contact has changed */
} listing;

static listing begin_list(hn_system *s)
{
  s->nrow = s->model->nrow;
  return (listing){ .same = true };
}

/* Lists the COUNT contacts CONTACT: their geometry where it has changed, and their blocks. */
static void list_contacts(hn_system *s, const hn_contact *contact, int count, listing *list)
{
  for (const hn_contact *now = contact; now < contact + count; now++) {
    const int i = list->count++;
    const struct hn_contact_joint *old = &s->parts->contact_joint[i];
    if (s->block[s->model->njoint + i].key != now->key || !has_geometry(old, now)) {
      set_geometry(s, now, i);
      list->moved = true;
    }
    list->same &= list_block(s, s->model->njoint + i, i, now->key);
  }
}

static void end_list(hn_system *s, const listing *list)
{
  const hn_model *model = s->model;
  const bool same = list->same && list->count == s->parts->ncontact;
  s->parts->ncontact = list->count;
  s->nblock = model->njoint + s->parts->ncontact;
  if (same && !list->moved) return; /* all that was computed from the rows stays valid */
  s->parts->listing++;
  s->parts->factored = false;
  if (same) return;
  /* another pattern: rows of contacts are not held at first */
  s->pattern++;
  s->parts->nreleased = 0;
  for (int i = model->nrow; i < s->nrow; i++) s->parts->held[i] = false;
  for (int i = 0; i < s->nrow; i++) s->parts->nreleased += !s->parts->held[i];
}

hn_reason hn_contact_blocks_list(hn_system *s, const hn_state *state)
{
  if (state->ncontact > s->model->max_contacts) return HN_FULL;
  listing list = begin_list(s);
  list_contacts(s, state->contact, state->ncontact, &list);
  end_list(s, &list);
  return HN_CONVERGED;
}

void hn_contact_blocks_detected(hn_system *s, const hn_state *state)
{
  hn_collision *collision = s->parts->collision;
  listing list = begin_list(s);
  for (int i = 0, n; i < hn_collision_pairs(collision); i++) {
    hn_contact *contact = hn_collision_contacts(collision, state, i, &n);
    for (int k = 0; k < n && !s->parts->chooses_modes; k++) use_sliding_friction(&contact[k]);
    list_contacts(s, contact, n, &list);
  }
  end_list(s, &list);
}

/* Computes the position of b's point in the axes of a, and the orientation of b relative to a. */
static void relative_pose(const hn_joint *joint, const hn_state *state, double place[3], double turn[4])
{
  const hn_pose *a = &state->pose[joint->a], *b = &state->pose[joint->b];
  const double back[4] = { a->q[0], -a->q[1], -a->q[2], -a->q[3] };
  double arm[3];
  quat_rotate(arm, b->q, joint->point_b);
  for (int i = 0; i < 3; i++) arm[i] += b->x[i] - a->x[i];
  quat_unrotate(place, a->q, arm);
  quat_mul(turn, back, b->q);
}

/* Returns angle / t for a rotation by `angle` with t = tan(angle / 2): 2 atan(t) / t. The angle is halved
 * until a short power series suffices. Library functions are avoided: their last bits differ between
 * platforms. */
static double angle_over_tangent(double t)
{
  enum { HALVINGS = 3, POWERS = 9 };
  const double whole = t;
  double sum = 0.0;
  for (int i = 0; i < HALVINGS; i++) t /= 1.0 + sqrt(1.0 + t * t);
  for (int k = POWERS; k >= 0; k--) sum = 1.0 / (2 * k + 1) - t * t * sum;
  return whole > 0.0 ? 2.0 * (1 << HALVINGS) * sum * (t / whole) : 2.0;
}

/* Distance of a round feature from the centre of mass, in radii, up to which its body is round. */
static const double round_body = 1e-9;

bool hn_contact_turns(const hn_system *s, const hn_block *block)
{
  const hn_joint *joint = block->joint;
  return s->model->body[block->a].kind != HN_FIXED ||
         !(vec_norm(joint->point_b) < round_body * hn_contact_skin_b(joint));
}

double hn_contact_slip_turn(const hn_block *block, const hn_state *state)
{
  const hn_joint *joint = block->joint;
  const double skin = hn_contact_skin_b(joint);
  double spin[3], arm[3], across[3];
  vec_sub(spin, state->twist[block->b].w, state->twist[block->a].w);
  if (!(vec_norm(joint->point_b) >= round_body * skin && skin > 0.0)) return vec_norm(spin);
  quat_rotate(arm, state->pose[block->b].q, joint->point_b);
  vec_cross(across, spin, arm);
  return vec_norm(across) / vec_norm(arm);
}

/* Computes the whole turns that the rotation TURN of b relative to a, in the axes of a and at most half a
 * turn, lacks to be the one nearest to H times their mean angular velocity. They are about the direction of
 * this velocity, as that of TURN is not known near a whole turn. */
static void find_whole_turns(const hn_block *block, const hn_state *from, const hn_state *to, double h,
                             const double turn[3], double whole[3])
{
  const double full = 2.0 * pi;
  double spin[3], way[3];
  vec_set(whole, 0, 0, 0);
  for (int i = 0; i < 3; i++)
    spin[i] = 0.5 * h *
              (from->twist[block->b].w[i] - from->twist[block->a].w[i] + to->twist[block->b].w[i] -
               to->twist[block->a].w[i]);
  const double size = vec_norm(spin);
  if (!(size > 0.5 * pi)) return;
  quat_unrotate(way, from->pose[block->a].q, spin);
  const double turns = rint((size - vec_dot(turn, way) / size) / full);
  vec_add_scaled(whole, turns * full / size, way);
}

void hn_contact_slip(const hn_block *block, const hn_state *from, const hn_state *to, double h, double *slip)
{
  const hn_joint *joint = block->joint;
  const double *n = joint->data, skin = hn_contact_skin_b(joint);
  double x[3], q[4], x_before[3], q_before[4], d[4], turn[3], whole[3];
  relative_pose(joint, from, x_before, q_before);
  relative_pose(joint, to, x, q);
  for (int i = 1; i < 4; i++) q_before[i] = -q_before[i];
  quat_mul(d, q, q_before);
  const double angle_factor = angle_over_tangent(vec_norm(d + 1) / fabs(d[0])) / d[0];
  for (int i = 0; i < 3; i++) turn[i] = angle_factor * d[i + 1];
  find_whole_turns(block, from, to, h, turn, whole);
  for (int r = 1; r < force_rows(block->n); r++) {
    const double *t = n + 3 * r;
    double across[3];
    vec_cross(across, n, t);
    slip[r - 1] = vec_dot(t, x) - vec_dot(t, x_before) - skin * angle_factor * vec_dot(d + 1, across) -
                  skin * vec_dot(whole, across);
    if (joint->set->anisotropy > 0.0) slip[r - 1] *= hn_contact_row_scale(joint->set->anisotropy, r);
  }
}

void hn_system_store_impulses(const hn_system *s, const double *p, double scale, hn_state *state)
{
  for (int i = 0; i < s->parts->ncontact; i++) {
    const hn_block *block = &s->block[s->model->njoint + i];
    hn_contact *contact = &state->contact[i];
    hn_contact_components(contact, block->n, p + block->row, contact->impulse);
    vec_scale(contact->impulse, scale, contact->impulse);
    for (int r = 3; r < block->n; r++) contact->moment[moment_axis(block->n, r)] = scale * p[block->row + r];
  }
}

void hn_system_load_impulses(const hn_system *s, const hn_state *state, double scale, double *p)
{
  for (int i = 0; i < s->parts->ncontact; i++) {
    const hn_block *block = &s->block[s->model->njoint + i];
    const hn_contact *contact = &state->contact[i];
    for (int r = 0; r < block->n; r++)
      p[block->row + r] = scale * (r < 3 ? contact->impulse[r] : contact->moment[moment_axis(block->n, r)]);
    if (contact->anisotropy > 0.0 && block->n > 2)
      p[block->row + 2] /= hn_contact_row_scale(contact->anisotropy, 2);
  }
}
