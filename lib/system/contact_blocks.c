/* contact_blocks.c - the contacts of a state as blocks of the system, listed after the joints, with the joint
 * types of contact_types.c. Blocks are listed at the start of every step from the state alone. The pattern
 * version changes when a key appears or disappears, not when a point moves. */
#include "system/contact_blocks.h"
#include "base/vec.h"
#include "collide/contact_list.h"

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

int hn_contact_blocks_create(hn_system *s, hn_error *error)
{
  const size_t count = (size_t)s->model->max_contacts;
  s->parts->contact_joint = calloc(count, sizeof *s->parts->contact_joint);
  s->parts->own_set = calloc(count, sizeof *s->parts->own_set);
  return s->parts->contact_joint && s->parts->own_set ? 0 : hn_fail(error, "out of memory");
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
  const hn_joint_type *type = hn_contact_type_of(s->model, contact);
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

void hn_system_store_impulses(const hn_system *s, const double *p, double scale, hn_state *state)
{
  for (int i = 0; i < s->parts->ncontact; i++) {
    const hn_block *block = &s->block[s->model->njoint + i];
    hn_contact *contact = &state->contact[i];
    hn_contact_components(contact, block->n, p + block->row, contact->impulse);
    vec_scale(contact->impulse, scale, contact->impulse);
    for (int r = 3; r < block->n; r++)
      contact->moment[hn_contact_moment_axis(block->n, r)] = scale * p[block->row + r];
  }
}

void hn_system_load_impulses(const hn_system *s, const hn_state *state, double scale, double *p)
{
  for (int i = 0; i < s->parts->ncontact; i++) {
    const hn_block *block = &s->block[s->model->njoint + i];
    const hn_contact *contact = &state->contact[i];
    for (int r = 0; r < block->n; r++)
      p[block->row + r] = scale * (r < 3 ? contact->impulse[r]
                                         : contact->moment[hn_contact_moment_axis(block->n, r)]);
    if (contact->anisotropy > 0.0 && block->n > 2)
      p[block->row + 2] /= hn_contact_row_scale(contact->anisotropy, 2);
  }
}
