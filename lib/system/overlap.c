/* overlap.c - the deepest overlap of shapes at the start. */
#include "system.h"

int hn_model_find_overlap(hn_model *model, hn_error *error)
{
  hn_system *s = hn_system_create(model, error);
  hn_state *state = hn_state_create(model);
  int status = s && state ? 0 : -1;
  model->overlap = (hn_overlap){ 0.0, -1, -1 };
  if (s && !state) hn_fail(error, "out of memory");
  if (status == 0 && hn_system_begin(s, state) == HN_CONVERGED) {
    hn_system_residual(s, state, NULL);
    for (const hn_block *block = s->block + model->njoint; block < s->block + s->nblock; block++)
      if (-s->g[block->row] > model->overlap.depth)
        model->overlap = (hn_overlap){ -s->g[block->row], block->a, block->b };
  }
  hn_state_free(state);
  hn_system_free(s);
  return status;
}
