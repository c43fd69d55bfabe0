/* state.c - the state of a run: poses and twists of all bodies in one block, copied and hashed as such. */
#include "system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t block_size(int nbody)
{
  return (size_t)nbody * (sizeof(hn_pose) + sizeof(hn_twist));
}

hn_state *hn_state_create(const hn_model *model)
{
  hn_state *state = calloc(1, sizeof *state);
  void *block = malloc(block_size(model->nbody));
  double *input = calloc((size_t)model->ninput + 1, sizeof *input);
  if (!state || !block || !input) {
    free(state);
    free(block);
    free(input);
    return NULL;
  }
  state->ninput = model->ninput;
  state->input = input;
  state->nbody = model->nbody;
  state->pose = block;
  state->twist = (hn_twist *)(state->pose + model->nbody);
  for (int i = 0; i < model->nbody; i++) {
    state->pose[i] = model->body[i].pose0;
    state->twist[i] = model->body[i].twist0;
  }
  return state;
}

void hn_state_free(hn_state *state)
{
  if (!state) return;
  free(state->pose);
  free(state->input);
  free(state);
}

void hn_state_copy(hn_state *to, const hn_state *from)
{
  to->time = from->time;
  memcpy(to->pose, from->pose, block_size(from->nbody));
  memcpy(to->input, from->input, (size_t)from->ninput * sizeof *to->input);
}

bool hn_state_finite(const hn_state *state)
{
  enum { LANES = 8 }; /* independent sums, so that the additions overlap */
  const double *value = (const double *)state->pose;
  size_t count = block_size(state->nbody) / sizeof *value, i = 0;
  double sum[LANES] = { 0.0 }; /* x - x is 0 for finite x and NaN otherwise */
  for (; i + LANES <= count; i += LANES)
    for (size_t k = 0; k < LANES; k++) sum[k] += value[i + k] - value[i + k];
  for (; i < count; i++) sum[0] += value[i] - value[i];
  for (size_t k = 1; k < LANES; k++) sum[0] += sum[k];
  return sum[0] == 0.0;
}

/* FNV-1a over 64-bit words, with a rotation so that high bits reach low ones. */
uint64_t hn_state_hash(const hn_state *state, uint64_t hash)
{
  const char *bytes = (const char *)state->pose;
  size_t size = block_size(state->nbody);
  for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
    uint64_t word;
    memcpy(&word, bytes + i, sizeof word);
    hash = (hash ^ word) * UINT64_C(0x100000001b3);
    hash = hash << 29 | hash >> 35;
  }
  return hash;
}
