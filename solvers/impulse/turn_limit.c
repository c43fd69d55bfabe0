/* turn_limit.c - steps in which bodies in contact turn far are divided (turn_limit.h). */
#include "impulse/turn_limit.h"
#include "base/vec.h"
#include "system/contact_blocks.h"
#include "system/contact_slip.h"

/* rad: friction that follows the direction of the mean slip then errs by 1 %, max_turn^2 / 8 */
static const double max_turn = 0.3;
enum { MAX_PARTS = 100000 }; /* more would not end within reason: the step has a wrong unit */

int hn_turn_parts(const hn_system *s, const hn_state *state, double h)
{
  double fastest = 0.0;
  for (int k = s->model->njoint; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    double spin[3];
    if (block->joint->set->kind != HN_CONE || !hn_contact_turns(s, block)) continue;
    vec_sub(spin, state->twist[block->b].w, state->twist[block->a].w);
    fastest = fmax(fastest, vec_norm(spin));
  }
  const double parts = ceil(fastest * h / max_turn);
  return parts > 1.0 ? (int)fmin(parts, MAX_PARTS) : 1;
}
