/* contact_monitor.c - limits and contacts across a part of a step (contact_monitor.h). With the gap g, g0
 * and its rate r0 at the start, the touching tolerance tol and the velocity eps of rest, the event
 * functions are
 *
 *   open at the start, g0 > tol            g
 *   g0 <= tol, separating, r0 > eps        (g - min(g0, 0)) / s     it has come back
 *   g0 <= tol, at rest, but open           g - min(g0, 0) + tol
 *   not listed at the start                g + tol where it continues a closed contact; else g
 *   sliding                                velocity along the first direction - eps / 2, while it touches
 *
 * Closed contacts have no gap function: the motion holds them. Where edges lie over each other, rounding
 * decides which of their features touch, and at a seam a corner passes from one shape to the next: new
 * contacts that continue closed ones have the tolerance. */
#include "system/contact_blocks.h"
#include "event/contact_monitor.h"
#include "base/vec.h"
#include "collide/contact_key.h"

#include <stdlib.h>

int hn_monitor_setup(hn_contact_monitor *m, const hn_system *s, hn_error *error)
{
  m->start = calloc((size_t)s->max_blocks + 1, sizeof *m->start);
  m->rate = calloc((size_t)s->max_rows + 1, sizeof *m->rate);
  m->njoint = s->model->njoint;
  return m->start && m->rate ? 0 : hn_fail(error, "out of memory");
}

void hn_monitor_free(hn_contact_monitor *m)
{
  free(m->start), free(m->rate);
}

/* Notes the speed and the direction of sliding, in the axes of body a. */
static void note_slip(const hn_block *block, const double *rate, hn_monitored *one)
{
  const double *frame = hn_contact_frame(block);
  one->slip = norm_of(rate + 1, block->n - 1);
  for (int r = 1; one->slip > 0.0 && r < block->n; r++)
    vec_add_scaled(one->along, rate[r] / one->slip, frame + 3 * r);
}

void hn_monitor_start(hn_contact_monitor *m, hn_system *s, const hn_contact_mode *mode, const hn_state *state)
{
  hn_system_velocity_residual(s, state, m->rate, NULL);
  m->count = s->nblock;
  for (int k = 0; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    m->start[k] = (hn_monitored){
      .key = block->key, .mode = mode[k], .a = block->a, .gap = s->g[block->row], .rate = m->rate[block->row]
    };
    if (mode[k] == HN_MODE_SLIDING && k >= m->njoint) note_slip(block, m->rate + block->row, &m->start[k]);
  }
}

/* Place of the first contact whose key is not below KEY. */
static int place_of(const hn_contact_monitor *m, uint64_t key)
{
  int low = m->njoint, high = m->count;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (m->start[middle].key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

int hn_monitor_find(const hn_contact_monitor *m, uint64_t key)
{
  if (key < (uint64_t)m->njoint) return (int)key;
  const int i = place_of(m, key);
  return i < m->count && m->start[i].key == key ? i : -1;
}

int hn_monitor_block(const hn_system *s, uint64_t key)
{
  int low = s->model->njoint, high = s->nblock;
  if (key < (uint64_t)s->model->njoint) return (int)key;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (s->block[middle].key < key) low = middle + 1;
    else high = middle;
  }
  return low < s->nblock && s->block[low].key == key ? low : -1;
}

/* True if a contact of the pair of shapes of KEY was closed at the start. */
static bool is_pair_closed(const hn_contact_monitor *m, int wider, uint64_t key)
{
  const uint64_t pair = hn_contact_key_pair(wider, key);
  for (int i = place_of(m, hn_contact_key_first(wider, pair));
       i < m->count && hn_contact_key_pair(wider, m->start[i].key) == pair; i++)
    if (m->start[i].mode != HN_MODE_OPEN) return true;
  return false;
}

/* True if colliders A and B are of one body, or of fixed bodies. */
static bool are_rigid(const hn_model *model, int a, int b)
{
  const int p = model->collider[a].body, q = model->collider[b].body;
  return p == q || (model->body[p].kind == HN_FIXED && model->body[q].kind == HN_FIXED);
}

/* True if both pairs share a shape, and their others are rigidly connected. */
static bool are_neighbours(const hn_model *model, hn_pair p, hn_pair q)
{
  return (p.a == q.a && are_rigid(model, p.b, q.b)) || (p.b == q.b && are_rigid(model, p.a, q.a)) ||
         (p.a == q.b && are_rigid(model, p.b, q.a)) || (p.b == q.a && are_rigid(model, p.a, q.b));
}

bool hn_monitor_continues(const hn_contact_monitor *m, const hn_system *sys, uint64_t key)
{
  const int wider = sys->model->field_bits;
  const hn_pair pair = hn_contact_key_colliders(wider, key);
  if (hn_monitor_find(m, key) >= 0) return false;
  if (is_pair_closed(m, wider, key)) return true;
  for (int i = m->njoint; i < m->count; i++) {
    const hn_monitored *one = &m->start[i];
    if (one->mode != HN_MODE_OPEN && hn_monitor_block(sys, one->key) < 0 &&
        are_neighbours(sys->model, pair, hn_contact_key_colliders(wider, one->key)))
      return true;
  }
  return false;
}

/* The gap function of block K, which was ONE at the start; NULL: it was not there. */
static void list_gap(const hn_contact_monitor *m, const hn_system *sys, int k, const hn_monitored *one,
                     double s, bool rates, hn_event_list *list)
{
  const hn_block *block = &sys->block[k];
  const double gap = sys->g[block->row];
  hn_event_function *f = hn_event_list_add(list, HN_FUNCTION_GAP, block->key, gap);
  if (!one) {
    f->value += hn_monitor_continues(m, sys, block->key) ? m->touching : 0.0;
  } else if (one->gap > m->touching) {
    f->first = one->gap, f->first_rate = one->rate;
    if (rates) f->rate = m->rate[block->row];
  } else if (one->rate > m->moving) {
    f->value = (gap - fmin(one->gap, 0.0)) / s;
    f->first = one->rate;
  } else {
    f->value = gap - fmin(one->gap, 0.0) + m->touching;
    f->first = one->gap - fmin(one->gap, 0.0) + m->touching;
  }
}

/* The slip function of block K, a contact that slid at the start as ONE, while it touches. */
static void list_slip(const hn_contact_monitor *m, const hn_system *sys, int k, const hn_monitored *one,
                      hn_event_list *list)
{
  const hn_block *block = &sys->block[k];
  const double *frame = hn_contact_frame(block);
  double speed = 0.0;
  if (one->a != block->a || sys->g[block->row] > m->touching) return;
  for (int r = 1; r < block->n; r++) speed += m->rate[block->row + r] * vec_dot(frame + 3 * r, one->along);
  hn_event_list_add(list, HN_FUNCTION_SLIP, block->key, speed - 0.5 * m->moving)->first = one->slip -
                                                                                          0.5 * m->moving;
}

void hn_monitor_list(hn_contact_monitor *m, hn_system *sys, const hn_state *state, double s, bool rates,
                     hn_event_list *list)
{
  bool sliding = false;
  for (int i = 0; i < m->count; i++) sliding |= m->start[i].slip > 0.0;
  if (rates || sliding) hn_system_velocity_residual(sys, state, m->rate, NULL);
  for (int k = 0; k < sys->nblock; k++) {
    if (!hn_is_one_sided(&sys->block[k])) continue;
    const int i = hn_monitor_find(m, sys->block[k].key);
    const hn_monitored *one = i < 0 ? NULL : &m->start[i];
    if (!one || one->mode == HN_MODE_OPEN) list_gap(m, sys, k, one, s, rates, list);
    else if (one->slip > 0.0) list_slip(m, sys, k, one, list);
  }
}
