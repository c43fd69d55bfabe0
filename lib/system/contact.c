/* contact.c - the contacts of a state as blocks of the system, behind the joints.
 *
 *   gap = n . (x_b + R_b p_b - x_a - R_a p_a) - skin,   tangents beside it:   rows ALONG the axes of a frame on a
 *
 * which are rows as joints have them, so that a contact has their Jacobian, its acceleration term and its power series.
 * Blocks are listed anew at the start of every step, from the state alone. Their pattern is another one when a key has
 * come or gone, not when a point has moved. */
#include "system/contact.h"
#include "joint/rows.h"

#include <stdlib.h>
#include <string.h>

struct hn_touching {
  hn_contact known; /* what the rest was made of; its impulse does not count */
  hn_joint joint;
  hn_axes axes;
  hn_set set;
  double skin;
};

static void eval(const hn_joint *joint, double t, const hn_pose *a, const hn_twist *ua, const hn_pose *b,
                 const hn_twist *ub, const hn_rows *out)
{
  hn_rows_eval(joint, t, a, ua, b, ub, out);
  if (out->g) out->g[0] -= *(const double *)joint->data;
}

static void jet(const hn_joint *joint, double t, const hn_body_jet *a, const hn_body_jet *b, size_t k, double *work,
                double *g, double *G_a, double *G_b)
{
  hn_rows_jet(joint, t, a, b, k, work, g, G_a, G_b);
  if (g && k == 0) g[0] -= *(const double *)joint->data;
}

static const hn_row_part normal[] = { { HN_ROW_ALONG, 0, 0 }, { HN_ROW_END, 0, 0 } };
static const hn_row_part in_plane[] = { { HN_ROW_ALONG, 0, 0 }, { HN_ROW_ALONG, 1, 0 }, { HN_ROW_END, 0, 0 } };
static const hn_row_part in_space[] = { { HN_ROW_ALONG, 0, 0 }, { HN_ROW_ALONG, 1, 0 }, { HN_ROW_ALONG, 2, 0 },
                                        { HN_ROW_END, 0, 0 } };

#define CONTACT(number, list, of_set)                                                                                  \
  { .name = "contact", .summary = "two bodies touch", .unit = "m", .rows = number, .set = of_set, .detail = list,      \
    .jet_series = HN_PLACE_SERIES, .eval = eval, .jet = jet }
static const hn_joint_type smooth = CONTACT(1, normal, HN_PUSH), rough_plane = CONTACT(2, in_plane, HN_CONE),
                           rough_space = CONTACT(3, in_space, HN_CONE);

int hn_touching_create(hn_system *s, hn_error *error)
{
  s->touching = calloc((size_t)s->model->most_contacts, sizeof *s->touching);
  return s->touching ? 0 : hn_fail(error, "out of memory");
}

/* The geometry of CONTACT into its place among those of the system. */
static void take_geometry(const hn_model *model, const hn_contact *contact, struct hn_touching *t)
{
  t->known = *contact;
  const hn_joint_type *rough = model->planar ? &rough_plane : &rough_space;
  t->joint = (hn_joint){ .name = (char *)"contact", .type = contact->friction > 0 ? rough : &smooth, .a = contact->a,
                         .b = contact->b, .axes = &t->axes, .set = &t->set, .data = &t->skin, .input = -1 };
  memcpy(t->joint.point_a, contact->point_a, sizeof t->joint.point_a);
  memcpy(t->joint.point_b, contact->point_b, sizeof t->joint.point_b);
  memcpy(t->axes.a, contact->frame, sizeof t->axes.a);
  t->set = (hn_set){ .kind = t->joint.type->set, .mu = contact->friction, .restitution = contact->restitution };
  t->skin = contact->skin;
}

/* Block K of contact I, whose geometry is in place; was it there before? */
static bool list_block(hn_system *s, int k, int i, uint64_t key)
{
  hn_joint *joint = &s->touching[i].joint;
  hn_block block = { .a = joint->a, .b = joint->b, .row = s->nrow, .n = joint->type->rows, .key = key, .joint = joint };
  const hn_block *old = &s->block[k];
  bool same = old->key == block.key && old->row == block.row && old->n == block.n && old->a == block.a &&
              old->b == block.b;
  joint->row = block.row;
  s->block[k] = block;
  s->nrow += block.n;
  return same;
}

hn_reason hn_touching_list(hn_system *s, const hn_state *state)
{
  const hn_model *model = s->model;
  bool same = state->ncontact == s->ncontact, moved = false;
  if (state->ncontact > model->most_contacts) return HN_FULL;
  s->nrow = model->nrow;
  for (int i = 0; i < state->ncontact; i++) {
    if (memcmp(&s->touching[i].known, &state->contact[i], offsetof(hn_contact, impulse)) != 0) {
      take_geometry(model, &state->contact[i], &s->touching[i]);
      moved = true;
    }
    same &= list_block(s, model->njoint + i, i, state->contact[i].key);
  }
  s->ncontact = state->ncontact;
  s->nblock = model->njoint + s->ncontact;
  if (same && !moved) return HN_CONVERGED; /* what was made of the rows stays good */
  s->listing++;
  s->factored = false;
  if (same) return HN_CONVERGED;
  s->pattern++;
  s->released = 0;
  for (int i = model->nrow; i < s->nrow; i++) s->held[i] = false;
  for (int i = 0; i < s->nrow; i++) s->released += !s->held[i];
  return HN_CONVERGED;
}

void hn_system_keep(const hn_system *s, const double *p, double scale, hn_state *state)
{
  for (int i = 0; i < s->ncontact; i++) {
    const hn_block *block = &s->block[s->model->njoint + i];
    for (int r = 0; r < 3; r++) state->contact[i].impulse[r] = r < block->n ? scale * p[block->row + r] : 0.0;
  }
}

void hn_system_warm(const hn_system *s, const hn_state *state, double scale, double *p)
{
  for (int i = 0; i < s->ncontact; i++) {
    const hn_block *block = &s->block[s->model->njoint + i];
    for (int r = 0; r < block->n; r++) p[block->row + r] = scale * state->contact[i].impulse[r];
  }
}
