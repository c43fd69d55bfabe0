/* state.c - the state of a run: poses and twists of all bodies in one block, which is copied and hashed as a
 * whole */
#include "force/force.h"
#include "base/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t block_size(int nbody)
{
  return (size_t)nbody * (sizeof(hn_pose) + sizeof(hn_twist));
}

/* Returns a state of zeros. Memory that is not written to takes no room in large states. */
static hn_state *allocate(int nbody, int ninput, int max_contacts)
{
  hn_state *state = calloc(1, sizeof *state);
  if (!state) return NULL;
  state->ninput = ninput, state->nbody = nbody, state->max_contacts = max_contacts;
  state->pose = calloc(1, block_size(nbody));
  state->input = calloc((size_t)ninput + 1, sizeof *state->input);
  state->contact = max_contacts > 0 ? calloc((size_t)max_contacts, sizeof *state->contact) : NULL;
  if (!state->pose || !state->input || (max_contacts > 0 && !state->contact)) {
    hn_state_free(state);
    return NULL;
  }
  state->twist = (hn_twist *)(state->pose + nbody);
  return state;
}

hn_state *hn_state_create_empty(const hn_model *model)
{
  return allocate(model->nbody, model->ninput, model->max_contacts);
}

hn_state *hn_state_create(const hn_model *model)
{
  hn_state *state = hn_state_create_empty(model);
  if (!state) return NULL;
  for (int i = 0; i < model->nbody; i++) {
    state->pose[i] = model->body[i].pose0;
    state->twist[i] = model->body[i].twist0;
  }
  hn_forces_start(model, state);
  return state;
}

void hn_state_free(hn_state *state)
{
  if (!state) return;
  free(state->pose);
  free(state->input);
  free(state->contact);
  free(state);
}

hn_state *hn_state_duplicate(const hn_state *state)
{
  hn_state *copy = allocate(state->nbody, state->ninput, state->max_contacts);
  if (copy) hn_state_copy(copy, state);
  return copy;
}

void hn_state_copy(hn_state *to, const hn_state *from)
{
  to->time = from->time;
  memcpy(to->pose, from->pose, block_size(from->nbody));
  memcpy(to->input, from->input, (size_t)from->ninput * sizeof *to->input);
  to->ncontact = from->ncontact;
  if (from->ncontact > 0) memcpy(to->contact, from->contact, (size_t)from->ncontact * sizeof *to->contact);
}

void hn_state_copy_motion(hn_state *to, const hn_state *from)
{
  to->time = from->time;
  memcpy(to->pose, from->pose, block_size(from->nbody));
}

/* ---- Contacts ------------------------------------------------------------------------------------------ */

/* Returns the index of the contact of KEY, or the index where it would be inserted. */
static int place_of(const hn_state *state, uint64_t key)
{
  int low = 0, high = state->ncontact;
  while (low < high) {
    int middle = (low + high) / 2;
    if (state->contact[middle].key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

hn_reason hn_state_add_contact(hn_state *state, const hn_contact *contact)
{
  int at = place_of(state, contact->key);
  hn_contact *place = state->contact + at;
  if (at < state->ncontact && place->key == contact->key) {
    const hn_contact old = *place;
    *place = *contact;
    memcpy(place->impulse, old.impulse, sizeof old.impulse);
    memcpy(place->moment, old.moment, sizeof old.moment);
    return HN_CONVERGED;
  }
  if (state->ncontact == state->max_contacts) return HN_FULL;
  memmove(place + 1, place, sizeof *place * (size_t)(state->ncontact - at));
  *place = *contact;
  state->ncontact++;
  return HN_CONVERGED;
}

void hn_state_remove_contact(hn_state *state, uint64_t key)
{
  int at = place_of(state, key);
  if (at == state->ncontact || state->contact[at].key != key) return;
  state->ncontact--;
  memmove(state->contact + at, state->contact + at + 1,
          sizeof *state->contact * (size_t)(state->ncontact - at));
}

/* ---- Bits ---------------------------------------------------------------------------------------------- */

bool hn_state_finite(const hn_state *state)
{
  enum { LANES = 8 }; /* independent sums, so that the additions overlap */
  const double *value = (const double *)state->pose;
  size_t count = block_size(state->nbody) / sizeof *value, i = 0;
  double sum[LANES] = { 0.0 }; /* x - x is 0 for finite x, NaN otherwise */
  for (; i + LANES <= count; i += LANES)
    for (size_t k = 0; k < LANES; k++) sum[k] += value[i + k] - value[i + k];
  for (; i < count; i++) sum[0] += value[i] - value[i];
  for (size_t k = 1; k < LANES; k++) sum[0] += sum[k];
  return sum[0] == 0.0;
}

_Static_assert(offsetof(hn_contact, sticking) == 8 + 2 * sizeof(int) + 22 * 8,
               "a contact is words without holes");

uint64_t hn_state_hash(const hn_state *state, uint64_t hash)
{
  hash = hn_hash_words(hash, state->pose, block_size(state->nbody));
  for (int i = 0; i < state->ncontact; i++) {
    const hn_contact *contact = &state->contact[i];
    hash = hn_hash_words(hash, contact, offsetof(hn_contact, sticking));
    if (contact->rolling > 0.0 || contact->torsion > 0.0)
      hash = hn_hash_words(hash, contact->moment, sizeof contact->moment);
  }
  return hash;
}
