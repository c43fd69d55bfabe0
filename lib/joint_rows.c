/* joint_rows.c - the rows that joints are made of, in closed form (see joint_rows.h).
 *
 * Derivatives: an axis e fixed to body i moves with w_i x e, a joint point with v + w x r. Hence
 *
 *   ALONG   G_b = (e, r_b x e),  G_a = -(e, (r_a + d) x e),  gamma = e . c + 2 (w_a x e) . d' + (w_a x (w_a x e)) . d
 *   DOT     G_b = (0, b x a),    G_a = (0, a x b),           gamma = a'' . b + 2 a' . b' + a . b''
 *   angle   G = (c G_s - s G_c) / (s^2 + c^2)
 *
 * where d' and c are velocity and centripetal acceleration of point b against point a. */
#include "joint_rows.h"
#include "vec.h"

/* Rows of AXES (body axes) turned into world axes. */
static void turn_axes(double world[9], const double q[4], const double axes[9])
{
  for (int i = 0; i < 3; i++) quat_rotate(world + 3 * i, q, axes + 3 * i);
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

void hn_place_at(hn_place *place, const hn_joint *joint, const hn_pose *a, const hn_twist *ua, const hn_pose *b,
                 const hn_twist *ub, bool moving)
{
  place->joint = joint, place->ua = ua, place->ub = ub, place->moving = moving;
  quat_rotate(place->arm_a, a->q, joint->point_a);
  quat_rotate(place->arm_b, b->q, joint->point_b);
  for (int i = 0; i < 3; i++) place->span[i] = (b->x[i] + place->arm_b[i]) - (a->x[i] + place->arm_a[i]);
  if (joint->axes) turn_axes(place->A, a->q, joint->axes->a);
  if (joint->axes) turn_axes(place->B, b->q, joint->axes->b);
  if (!moving) return;
  vec_set(place->velocity, 0, 0, 0), vec_set(place->centripetal, 0, 0, 0);
  add_motion(place, ub, place->arm_b, 1.0);
  add_motion(place, ua, place->arm_a, -1.0);
}

/* One side of a translation row: the force e at ARM. */
static void act_at(double G[6], double sign, const double e[3], const double arm[3])
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
  act_at(row->G_b, 1.0, e, place->arm_b);
  act_at(row->G_a, -1.0, e, place->arm_a);
  row->gamma = place->moving ? place->centripetal[i] : 0.0;
}

static void along_row(const hn_place *place, int i, hn_row *row)
{
  const double *e = place->A + 3 * i;
  double reach[3], turn[3], bend[3];
  vec_add(reach, place->arm_a, place->span);
  row->g = vec_dot(e, place->span);
  act_at(row->G_b, 1.0, e, place->arm_b);
  act_at(row->G_a, -1.0, e, reach);
  row->gamma = 0.0;
  if (!place->moving) return;
  vec_cross(turn, place->ua->w, e);
  vec_cross(bend, place->ua->w, turn);
  row->gamma = vec_dot(e, place->centripetal) + 2.0 * vec_dot(turn, place->velocity) + vec_dot(bend, place->span);
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

void hn_row_rescale(hn_row *row, double scale, double shift)
{
  row->g = scale * row->g + shift;
  row->gamma *= scale;
  for (int c = 0; c < 6; c++) row->G_a[c] *= scale, row->G_b[c] *= scale;
}

/* Derivative of ROW along the motion of PLACE. */
static double rate_of(const hn_place *place, const hn_row *row)
{
  return vec_dot(row->G_a, place->ua->v) + vec_dot(row->G_a + 3, place->ua->w) + vec_dot(row->G_b, place->ub->v) +
         vec_dot(row->G_b + 3, place->ub->w);
}

/* theta' N = c s' - s c' with N = s^2 + c^2, and once more for gamma: theta'' N = c s'' - s c'' - theta' N'. */
void hn_place_angle(const hn_place *place, const hn_row *s, const hn_row *c, hn_row *angle)
{
  double square = s->g * s->g + c->g * c->g;
  angle->g = atan2(s->g, c->g);
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
  double angle;
  switch (part->kind) {
  case HN_ROW_WORLD: world_row(place, part->i, row); break;
  case HN_ROW_ALONG: along_row(place, part->i, row); break;
  case HN_ROW_SPIN: spin_row(part->i, row); break;
  case HN_ROW_TURN: turn_row(place, hn_row_turn(part), row); break;
  case HN_ROW_TILT:
    angle = place->joint->axes->angle;
    dot_row(place, 0, 0, row);
    hn_row_rescale(row, -1.0 / sin(angle), cos(angle) / sin(angle));
    break;
  default: dot_row(place, part->i, part->j, row);
  }
}

void hn_row_store(const hn_row *row, int r, int n, const hn_rows *out)
{
  if (out->g) out->g[r] = row->g;
  for (int c = 0; c < 6 && out->G_a; c++) out->G_a[c * n + r] = row->G_a[c];
  for (int c = 0; c < 6 && out->G_b; c++) out->G_b[c * n + r] = row->G_b[c];
  if (out->bias) out->bias[r] = 0.0;
  if (out->gamma) out->gamma[r] = row->gamma;
}

void hn_rows_eval(const hn_joint *joint, double t, const hn_pose *a, const hn_twist *ua, const hn_pose *b,
                  const hn_twist *ub, const hn_rows *out)
{
  const hn_row_part *part = joint->type->detail;
  hn_place place;
  hn_row row;
  (void)t;
  hn_place_at(&place, joint, a, ua, b, ub, out->gamma != NULL);
  for (int r = 0; r < joint->type->rows; r++) {
    hn_place_row(&place, &part[r], &row);
    hn_row_store(&row, r, joint->type->rows, out);
  }
}

int hn_rows_setup_tilt(hn_joint *joint, const hn_joint_spec *spec, const hn_pose *a, const hn_pose *b,
                       hn_error *error)
{
  double cross[3];
  (void)a, (void)b;
  vec_cross(cross, spec->axis_a, spec->axis_b);
  joint->axes->angle = atan2(vec_norm(cross), vec_dot(spec->axis_a, spec->axis_b));
  if (vec_norm(cross) > 1e-6) return 0;
  return hn_fail(error, "joint \"%s\": its axes are parallel: the angle between them has no direction to act in",
                 joint->name);
}
