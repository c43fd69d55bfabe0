/* moving_contact.c - contacts whose contact point moves over both bodies, as joints (see moving_contact.h).
 *
 * Everything is written once, as power series (nearest_points.h). Closed forms use coefficients 0 and, for
 * acceleration terms, 1 of a motion with constant twists. */
#include "system/moving_contact.h"
#include "base/vec.h"
#include "joint/point_velocity.h"

#include <string.h>

/* ---- The joints --------------------------------------------------------------------------------------- */

static void jet(const hn_joint *joint, double t, const hn_body_jet *a, const hn_body_jet *b, size_t k,
                double *work, double *g, double *G_a, double *G_b)
{
  const hn_nearest_points p = { joint->data, { a, b }, a->count, work };
  const size_t first = (size_t) * (const int *)joint->type->detail;
  const double gap = hn_nearest_set(&p, k);
  hn_row row;
  (void)t;
  for (int r = 0; r < joint->type->rows; r++) {
    hn_point_velocity_jet(work + (HN_NEAREST_NORMAL + 3 * (first + (size_t)r)) * p.n,
                          work + HN_NEAREST_ARM * p.n, work + HN_NEAREST_REACH * p.n, k, p.n, &row);
    if (!joint->type->velocity) row.g = gap;
    hn_row_store(&row, r, joint->type->rows, &(hn_rows){ .g = g, .G_a = G_a, .G_b = G_b });
  }
}

enum { POWERS = 2 };

/* Motion of two bodies with constant twists, and their nearest points. */
typedef struct motion {
  hn_body_power power[2][POWERS];
  hn_body_jet body[2];
  double work[HN_NEAREST_SERIES * POWERS];
  hn_nearest_points at;
} motion;

static void set_powers(const hn_pose *pose, const hn_twist *u, hn_body_power power[POWERS])
{
  vec_copy(power[0].x, pose->x), vec_copy(power[1].x, u->v);
  quat_matrix(power[0].R, pose->q);
  for (int c = 0; c < 3; c++) {
    const double column[3] = { power[0].R[c], power[0].R[3 + c], power[0].R[6 + c] };
    double turned[3];
    vec_cross(turned, u->w, column);
    for (int i = 0; i < 3; i++) power[1].R[3 * i + c] = turned[i];
  }
}

/* Evaluates coefficient 0 of all series, and coefficient 1 if WITH_RATES. Returns the gap, m. */
static double evaluate(motion *m, const hn_moving_contact *moving, const hn_pose *a, const hn_twist *ua,
                       const hn_pose *b, const hn_twist *ub, bool with_rates)
{
  memset(m->work, 0, sizeof m->work);
  set_powers(a, ua, m->power[0]), set_powers(b, ub, m->power[1]);
  for (int side = 0; side < 2; side++) m->body[side] = (hn_body_jet){ POWERS, m->power[side] };
  m->at = (hn_nearest_points){ moving, { &m->body[0], &m->body[1] }, POWERS, m->work };
  const double gap = hn_nearest_set(&m->at, 0);
  if (with_rates) hn_nearest_set(&m->at, 1);
  return gap;
}

/* Evaluates COUNT rows from FIRST on into OUT; a joint of velocities has no residual. */
static void rows_at(const hn_moving_contact *moving, const hn_pose *a, const hn_twist *ua, const hn_pose *b,
                    const hn_twist *ub, int first, int count, bool velocity, const hn_rows *out)
{
  double arm[3], arm_rate[3], e[3], e_rate[3];
  motion m;
  hn_touch touch;
  hn_row row;
  const double gap = evaluate(&m, moving, a, ua, b, ub, out->gamma != NULL);
  hn_nearest_vector(&m.at, HN_NEAREST_ARM, 0, arm), hn_nearest_vector(&m.at, HN_NEAREST_ARM, 1, arm_rate);
  hn_point_velocity_at(&touch, a, ua, b, ub, arm, arm_rate);
  for (int r = 0; r < count; r++) {
    const int axis = HN_NEAREST_NORMAL + 3 * (first + r);
    hn_nearest_vector(&m.at, axis, 0, e), hn_nearest_vector(&m.at, axis, 1, e_rate);
    hn_point_velocity_row(&touch, e, e_rate, &row);
    if (!velocity) row.g = gap;
    hn_row_store(&row, r, count, out);
  }
}

static void eval(const hn_joint *joint, double t, const hn_pose *a, const hn_twist *ua, const hn_pose *b,
                 const hn_twist *ub, const hn_rows *out)
{
  const hn_joint_type *type = joint->type;
  (void)t;
  rows_at(joint->data, a, ua, b, ub, *(const int *)type->detail, type->rows, type->velocity, out);
}

#define MOVING(text, number, from, is_velocity)                                              \
  {                                                                                          \
    .name = is_velocity ? "stick" : "contact", .summary = text, .unit = "m", .rows = number, \
    .velocity = is_velocity, .jet_series = HN_NEAREST_SERIES, .eval = eval, .jet = jet,      \
    .detail = &(const int)                                                                   \
    {                                                                                        \
      from                                                                                   \
    }                                                                                        \
  }

static const hn_joint_type gap_type = MOVING("two bodies touch, wherever they do", 1, 0, false),
                           stick_space = MOVING("a contact rolls", 2, 1, true),
                           stick_one[2] = { MOVING("a contact rolls along a direction", 1, 1, true),
                                            MOVING("a contact rolls along a direction", 1, 2, true) };
static const hn_set equation = { .kind = HN_ANY };

hn_joint hn_moving_contact_gap_joint(const hn_moving_contact *moving, const hn_contact *contact)
{
  return (hn_joint){ .name = (char *)"contact",
                     .type = &gap_type,
                     .a = contact->a,
                     .b = contact->b,
                     .set = &equation,
                     .data = (void *)moving,
                     .input = -1 };
}

hn_joint hn_moving_contact_stick_joint(const hn_moving_contact *moving, const hn_contact *contact,
                                       bool planar, unsigned tangents)
{
  hn_joint joint = hn_moving_contact_gap_joint(moving, contact);
  joint.type = planar ? &stick_one[0] : tangents == 3 ? &stick_space : &stick_one[tangents - 1];
  return joint;
}

void hn_moving_contact_gamma(const hn_moving_contact *moving, const hn_contact *contact,
                             const hn_state *state, int rows, double *gamma)
{
  const int a = contact->a, b = contact->b;
  rows_at(moving, &state->pose[a], &state->twist[a], &state->pose[b], &state->twist[b], 0, rows, true,
          &(hn_rows){ .gamma = gamma });
}

/* ---- Contacts ----------------------------------------------------------------------------------------- */

static double evaluate_contact(motion *m, const hn_moving_contact *moving, const hn_contact *contact,
                               const hn_state *state, bool with_rates)
{
  const int a = contact->a, b = contact->b;
  return evaluate(m, moving, &state->pose[a], &state->twist[a], &state->pose[b], &state->twist[b],
                  with_rates);
}

/* Returns the largest norm of coefficient k of the normal and, for circles, of the directions from their
 * centres to the nearest points. With OLD, the values stored there are subtracted first. */
static double max_direction(const hn_nearest_points *p, size_t k, const hn_moving_contact *old)
{
  double direction[3], largest;
  hn_nearest_vector(p, HN_NEAREST_NORMAL, k, direction);
  if (old) vec_sub(direction, direction, old->normal);
  largest = vec_norm(direction);
  for (int side = 0; side < 2; side++) {
    if (p->moving->core[side].kind != HN_CORE_CIRCLE) continue;
    hn_nearest_direction(p, side, k, direction);
    if (old) vec_sub(direction, direction, old->near[side]);
    largest = exceeds(vec_norm(direction), largest) ? vec_norm(direction) : largest;
  }
  return largest;
}

double hn_moving_contact_rotation(const hn_moving_contact *moving, const hn_contact *contact,
                                  const hn_state *state)
{
  motion m;
  evaluate_contact(&m, moving, contact, state, false);
  return max_direction(&m.at, 0, moving);
}

double hn_moving_contact_rotation_rate(const hn_moving_contact *moving, const hn_contact *contact,
                                       const hn_state *state)
{
  motion m;
  evaluate_contact(&m, moving, contact, state, true);
  return max_direction(&m.at, 1, NULL);
}

/* Computes the vector from the centre of a circle CORE to the point at distance SKIN along the world normal N
 * from POINT, which is in body axes like the core, in world axes; zero for other cores. */
static void radial_vector(const hn_core *core, const double point[3], double skin, const double n[3],
                          const hn_pose *pose, double near[3])
{
  double out[3];
  vec_set(near, 0, 0, 0);
  if (core->kind != HN_CORE_CIRCLE) return;
  vec_sub(out, point, core->at);
  quat_rotate(near, pose->q, out);
  vec_add_scaled(near, skin, n);
}

bool hn_moving_contact_set(hn_moving_contact *moving, const hn_model *model, const hn_contact *contact,
                           const hn_state *state)
{
  const hn_pose *a = &state->pose[contact->a];
  double normal[3];
  motion m;
  hn_contact_cores(model, contact, state, moving->core);
  quat_rotate(normal, a->q, contact->frame);
  radial_vector(&moving->core[0], contact->point_a, contact->skin_a, normal, a, moving->near[0]);
  radial_vector(&moving->core[1], contact->point_b, -contact->skin_b, normal, &state->pose[contact->b],
                moving->near[1]);
  vec_copy(moving->tangent, contact->frame + 3);
  moving->sign = 1.0;
  evaluate_contact(&m, moving, contact, state, false);
  hn_nearest_vector(&m.at, HN_NEAREST_NORMAL, 0, moving->normal);
  for (int side = 0; side < 2; side++)
    if (moving->core[side].kind == HN_CORE_CIRCLE) hn_nearest_direction(&m.at, side, 0, moving->near[side]);
  if (vec_dot(normal, moving->normal) < 0.0) moving->sign = -1.0;
  vec_scale(moving->normal, moving->sign, moving->normal);
  return hn_nearest_is_smooth(&m.at);
}
