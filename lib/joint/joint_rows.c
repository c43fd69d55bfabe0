/* joint_rows.c - the rows that joints are composed of, in closed form (see joint_rows.h)
 *
 * An axis e fixed to body i has the derivative w_i x e, a joint point v + w x r. Hence
 *
 *   ALONG   G_b = (e, r_b x e),  G_a = -(e, (r_a + d) x e),
 *           gamma = e . c + 2 (w_a x e) . d' + (w_a x (w_a x e)) . d
 *   DOT     G_b = (0, b x a),    G_a = (0, a x b),           gamma = a'' . b + 2 a' . b' + a . b''
 *   angle   G = (c G_s - s G_c) / (s^2 + c^2)
 *
 * where d' and c are velocity and centripetal acceleration of point b against point a. */
#include "elementary.h"
#include "joint/points.h"
#include "joint/joint_rows.h"
#include "base/vec.h"

static const double parallel = 1e-6; /* sine of an angle below which a TILT row is ill-conditioned */

enum { AXES_A = 7, AXES_B = 56 }; /* axis i of a: bit i; of b: bit 3 + i */

/* Rotates the axes of a joint into world axes. */
static void turn_axes(hn_place *place, unsigned wanted, const hn_pose *a, const hn_pose *b)
{
  const hn_axes *axes = place->joint->axes;
  for (int i = 0; i < 3; i++) {
    if (wanted >> i & 1u) quat_rotate(place->A + 3 * i, a->q, axes->a + 3 * i);
    if (wanted >> (3 + i) & 1u) quat_rotate(place->B + 3 * i, b->q, axes->b + 3 * i);
  }
}

static void add_motion(hn_place *place, const hn_twist *u, const double arm[3], double sign)
{
  double turn[3], bend[3];
  vec_cross(turn, u->w, arm);
  vec_cross(bend, u->w, turn);
  vec_add_scaled(place->velocity, sign, u->v);
  vec_add_scaled(place->velocity, sign, turn);
  vec_add_scaled(place->centripetal, sign, bend);
}

/* Computes the points and the WANTED axes. */
static inline void place_at(hn_place *place, const hn_joint *joint, const hn_pose *a, const hn_twist *ua,
                            const hn_pose *b, const hn_twist *ub, bool moving, unsigned wanted)
{
  lane arm[3];
  place->joint = joint, place->ua = ua, place->ub = ub, place->moving = moving;
  joint_arms(joint, a, b, arm);
  joint_arm(arm, 0, place->arm_a);
  joint_arm(arm, 1, place->arm_b);
  joint_span(a, b, arm, place->span);
  if (joint->axes) turn_axes(place, wanted, a, b);
  if (!moving) return;
  vec_set(place->velocity, 0, 0, 0), vec_set(place->centripetal, 0, 0, 0);
  add_motion(place, ub, place->arm_b, 1.0);
  add_motion(place, ua, place->arm_a, -1.0);
}

void hn_place_at(hn_place *place, const hn_joint *joint, const hn_pose *a, const hn_twist *ua,
                 const hn_pose *b, const hn_twist *ub, bool moving)
{
  place_at(place, joint, a, ua, b, ub, moving, AXES_A | AXES_B);
}

void hn_row_act(double G[6], double sign, const double e[3], const double arm[3])
{
  double moment[3];
  vec_cross(moment, arm, e);
  for (int i = 0; i < 3; i++) G[i] = sign * e[i], G[3 + i] = sign * moment[i];
}

static void world_row(const hn_place *place, int i, hn_row *row)
{
  double e[3] = { 0, 0, 0 };
  e[i] = 1.0;
  row->g = place->span[i];
  hn_row_act(row->G_b, 1.0, e, place->arm_b);
  hn_row_act(row->G_a, -1.0, e, place->arm_a);
  row->gamma = place->moving ? place->centripetal[i] : 0.0;
}

static void along_row(const hn_place *place, int i, hn_row *row)
{
  const double *e = place->A + 3 * i;
  double reach[3], turn[3], bend[3];
  vec_add(reach, place->arm_a, place->span);
  row->g = vec_dot(e, place->span);
  hn_row_act(row->G_b, 1.0, e, place->arm_b);
  hn_row_act(row->G_a, -1.0, e, reach);
  row->gamma = 0.0;
  if (!place->moving) return;
  vec_cross(turn, place->ua->w, e);
  vec_cross(bend, place->ua->w, turn);
  row->gamma = vec_dot(e, place->centripetal) + 2.0 * vec_dot(turn, place->velocity) +
               vec_dot(bend, place->span);
}

static void dot_row(const hn_place *place, int i, int j, hn_row *row)
{
  const double *a = place->A + 3 * i, *b = place->B + 3 * j;
  double turn_a[3], turn_b[3], bend_a[3], bend_b[3];
  *row = (hn_row){ .g = vec_dot(a, b) };
  vec_cross(row->G_a + 3, a, b);
  vec_cross(row->G_b + 3, b, a);
  if (!place->moving) return;
  vec_cross(turn_a, place->ua->w, a);
  vec_cross(bend_a, place->ua->w, turn_a);
  vec_cross(turn_b, place->ub->w, b);
  vec_cross(bend_b, place->ub->w, turn_b);
  row->gamma = vec_dot(bend_a, b) + 2.0 * vec_dot(turn_a, turn_b) + vec_dot(a, bend_b);
}

static void spin_row(int i, hn_row *row)
{
  *row = (hn_row){ 0 };
  row->G_a[3 + i] = -1.0, row->G_b[3 + i] = 1.0;
}

/* Computes the row of the angular velocity of b relative to a along E, which is fixed to the body rotating
 * with W. It has no residual. */
static void about_row(const hn_place *place, const double *e, const double *w, hn_row *row)
{
  double turn[3], against[3];
  *row = (hn_row){ 0 };
  vec_copy(row->G_b + 3, e);
  vec_scale(row->G_a + 3, -1.0, e);
  if (!place->moving) return;
  vec_cross(turn, w, e);
  vec_sub(against, place->ub->w, place->ua->w);
  row->gamma = vec_dot(turn, against);
}

/* Computes the row of the velocity of point b relative to a along E, an axis of b. Its derivative is (w_b x
 * e) . (d' - w_a x d) + e . (c - w_a x d'), d from the centre of a to point b. */
static void body_velocity_row(const hn_place *place, const double *e, hn_row *row)
{
  double reach[3], turn[3], carried[3], seen[3], rate[3];
  vec_add(reach, place->arm_a, place->span);
  *row = (hn_row){ 0 };
  hn_row_act(row->G_b, 1.0, e, place->arm_b);
  hn_row_act(row->G_a, -1.0, e, reach);
  if (!place->moving) return;
  vec_cross(rate, place->ub->w, place->arm_b);
  vec_add(rate, rate, place->ub->v);
  vec_sub(rate, rate, place->ua->v);
  vec_cross(carried, place->ua->w, reach);
  vec_sub(seen, rate, carried);
  vec_cross(turn, place->ub->w, e);
  row->gamma = vec_dot(turn, seen);
  vec_cross(turn, place->ub->w, place->arm_b);
  vec_cross(carried, place->ub->w, turn);
  row->gamma += vec_dot(e, carried);
  vec_cross(carried, place->ua->w, rate);
  row->gamma -= vec_dot(e, carried);
}

void hn_row_rescale(hn_row *row, double scale, double shift)
{
  row->g = scale * row->g + shift;
  row->gamma *= scale;
  for (int c = 0; c < 6; c++) row->G_a[c] *= scale, row->G_b[c] *= scale;
}

/* Returns the derivative of ROW along the motion of PLACE. */
static double rate_of(const hn_place *place, const hn_row *row)
{
  return vec_dot(row->G_a, place->ua->v) + vec_dot(row->G_a + 3, place->ua->w) +
         vec_dot(row->G_b, place->ub->v) + vec_dot(row->G_b + 3, place->ub->w);
}

/* theta' N = c s' - s c' with N = s^2 + c^2; differentiated for gamma: theta'' N = c s'' - s c'' - theta'
 * N'. */
void hn_place_angle(const hn_place *place, const hn_row *s, const hn_row *c, hn_row *angle)
{
  double square = s->g * s->g + c->g * c->g;
  angle->g = hn_atan2(s->g, c->g);
  for (int k = 0; k < 6; k++) {
    angle->G_a[k] = (c->g * s->G_a[k] - s->g * c->G_a[k]) / square;
    angle->G_b[k] = (c->g * s->G_b[k] - s->g * c->G_b[k]) / square;
  }
  angle->gamma = 0.0;
  if (!place->moving) return;
  double ds = rate_of(place, s), dc = rate_of(place, c), rate = (c->g * ds - s->g * dc) / square;
  angle->gamma = (c->g * s->gamma - s->g * c->gamma - 2.0 * rate * (s->g * ds + c->g * dc)) / square;
}

const hn_turn *hn_row_turn(const hn_row_part *part)
{
  static const hn_turn turns[] = {
    { { HN_ROW_DOT, 2, 1 }, { HN_ROW_DOT, 1, 1 }, 1.0 },
    { { HN_ROW_DOT, 2, 0 }, { HN_ROW_DOT, 1, 0 }, 1.0 },
    { { HN_ROW_DOT, 0, 2 }, { HN_ROW_DOT, 0, 1 }, -1.0 },
  };
  return &turns[part->i];
}

static void turn_row(const hn_place *place, const hn_turn *turn, hn_row *row)
{
  hn_row s, c;
  dot_row(place, turn->sine.i, turn->sine.j, &s);
  dot_row(place, turn->cosine.i, turn->cosine.j, &c);
  hn_row_rescale(&s, turn->sign, 0.0);
  hn_place_angle(place, &s, &c, row);
}

void hn_place_row(const hn_place *place, const hn_row_part *part, hn_row *row)
{
  double sine, cosine;
  switch (part->kind) {
  case HN_ROW_WORLD: world_row(place, part->i, row); break;
  case HN_ROW_ALONG: along_row(place, part->i, row); break;
  case HN_ROW_SPIN: spin_row(part->i, row); break;
  case HN_ROW_ABOUT: about_row(place, place->A + 3 * part->i, place->ua->w, row); break;
  case HN_ROW_BODY_SPIN: about_row(place, place->B + 3 * part->i, place->ub->w, row); break;
  case HN_ROW_BODY_VELOCITY: body_velocity_row(place, place->B + 3 * part->i, row); break;
  case HN_ROW_TURN: turn_row(place, hn_row_turn(part), row); break;
  case HN_ROW_TILT:
    hn_sincos(place->joint->axes->angle, &sine, &cosine);
    dot_row(place, 0, 0, row);
    hn_row_rescale(row, -1.0 / sine, cosine / sine);
    break;
  default: dot_row(place, part->i, part->j, row);
  }
}

/* Stores row R of N of one body. */
static inline void store_side(const double G[6], int r, int n, double *out)
{
  for (int c = 0; c < 6; c++) out[c * n + r] = G[c];
}

void hn_row_store(const hn_row *row, int r, int n, const hn_rows *out)
{
  if (out->g) out->g[r] = row->g;
  if (out->G_a) store_side(row->G_a, r, n, out->G_a);
  if (out->G_b) store_side(row->G_b, r, n, out->G_b);
  if (out->bias) out->bias[r] = 0.0;
  if (out->gamma) out->gamma[r] = row->gamma;
}

/* Returns the axes that a row uses. */
static unsigned axes_of(const hn_row_part *part)
{
  switch (part->kind) {
  case HN_ROW_WORLD:
  case HN_ROW_SPIN: return 0;
  case HN_ROW_ALONG:
  case HN_ROW_ABOUT: return 1u << part->i;
  case HN_ROW_BODY_SPIN:
  case HN_ROW_BODY_VELOCITY: return 8u << part->i;
  case HN_ROW_TILT: return 1u | 8u;
  case HN_ROW_DOT: return 1u << part->i | 8u << part->j;
  default: return AXES_A | AXES_B;
  }
}

/* Returns the residual only, with the same bits as hn_place_row. */
static double residual_of(const hn_place *place, const hn_row_part *part)
{
  hn_row row;
  switch (part->kind) {
  case HN_ROW_WORLD: return place->span[part->i];
  case HN_ROW_ALONG: return vec_dot(place->A + 3 * part->i, place->span);
  case HN_ROW_DOT: return vec_dot(place->A + 3 * part->i, place->B + 3 * part->j);
  default: hn_place_row(place, part, &row); return row.g;
  }
}

void hn_rows_eval(const hn_joint *joint, double t, const hn_pose *a, const hn_twist *ua, const hn_pose *b,
                  const hn_twist *ub, const hn_rows *out)
{
  const hn_row_part *part = joint->type->detail;
  const int rows = joint->type->rows;
  /* Short way for the residual alone. */
  bool whole = out->G_a || out->G_b || out->gamma;
  unsigned wanted = 0;
  hn_place place;
  hn_row row;
  (void)t;
  for (int r = 0; r < rows; r++) wanted |= axes_of(&part[r]);
  place_at(&place, joint, a, ua, b, ub, out->gamma != NULL, wanted);
  for (int r = 0; r < rows && !whole && out->g; r++) out->g[r] = residual_of(&place, &part[r]);
  for (int r = 0; r < rows && !whole && out->bias; r++) out->bias[r] = 0.0;
  for (int r = 0; r < rows && whole; r++) {
    hn_place_row(&place, &part[r], &row);
    hn_row_store(&row, r, rows, out);
  }
}

int hn_rows_setup_tilt(hn_joint *joint, const hn_joint_spec *spec, const hn_pose *a, const hn_pose *b,
                       hn_error *error)
{
  double cross[3];
  (void)a, (void)b;
  vec_cross(cross, spec->axis_a, spec->axis_b);
  joint->axes->angle = hn_atan2(vec_norm(cross), vec_dot(spec->axis_a, spec->axis_b));
  if (vec_norm(cross) > parallel) return 0;
  return hn_fail(error,
                 "joint \"%s\": its axes are parallel: the angle between them has no direction to act in",
                 joint->name);
}
