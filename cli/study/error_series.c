/* error_series.c - errors over a run of any length, in a fixed number of samples.
 *
 * A sample covers `stride` steps and holds the maximum of each error over them. When all samples are in use,
 * neighbours are merged and the stride doubles. The result is deterministic and no peak is lost. */
#include <math.h>
#include "cli/study/error_series.h"

static void keep_larger(cli_sample *to, const cli_sample *from)
{
  to->drift = fmax(to->drift, from->drift);
  to->velocity = fmax(to->velocity, from->velocity);
  to->energy = fmax(to->energy, from->energy);
  to->contacts = fmax(to->contacts, from->contacts);
  to->penetration = fmax(to->penetration, from->penetration);
  to->law = fmax(to->law, from->law);
}

static void merge_neighbours(cli_series *series)
{
  for (size_t i = 0; i < CLI_SERIES_MAX / 2; i++) {
    series->sample[i] = series->sample[2 * i];
    keep_larger(&series->sample[i], &series->sample[2 * i + 1]);
  }
  series->count = CLI_SERIES_MAX / 2;
  series->stride *= 2;
}

/* Adds a frame. The initial state only sets the energy that later frames are compared with. */
void cli_series_add(cli_series *series, const hn_frame *frame)
{
  const hn_measure *measure = frame->measure;
  double energy = measure->kinetic + measure->potential;
  if (frame->index == 0) {
    series->energy0 = energy;
    series->stride = 1;
    return;
  }
  cli_sample sample = { .time = frame->state->time,
                        .drift = measure->position_error,
                        .velocity = measure->velocity_error,
                        .energy = fabs(energy - series->energy0) };
  if (frame->contact)
    sample.contacts = frame->contact->contacts, sample.penetration = frame->contact->penetration,
    sample.law = frame->contact->residual;
  /* Merge it into the last sample, or begin another */
  if (series->filled < series->stride && series->count > 0) {
    keep_larger(&series->sample[series->count - 1], &sample);
    series->filled++;
    return;
  }
  if (series->count == CLI_SERIES_MAX) merge_neighbours(series);
  series->sample[series->count++] = sample;
  series->filled = 1;
}
