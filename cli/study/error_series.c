/* error_series.c - errors over a run of any length, in a fixed number of samples.
 *
 * A sample covers `stride` steps and holds the maximum of each error over them. When all samples are in use,
 * neighbours are merged and the stride doubles. The result is deterministic and no peak is lost. */
#include <math.h>
#include <string.h>
#include "cli/study/error_series.h"

static void keep_larger(double to[CLI_SAMPLE_VALUES], const double from[CLI_SAMPLE_VALUES])
{
  for (int k = CLI_SAMPLE_TIME + 1; k < CLI_SAMPLE_VALUES; k++) to[k] = fmax(to[k], from[k]);
}

static void merge_neighbours(cli_series *series)
{
  for (size_t i = 0; i < CLI_SERIES_MAX / 2; i++) {
    memcpy(series->sample[i], series->sample[2 * i], sizeof *series->sample);
    keep_larger(series->sample[i], series->sample[2 * i + 1]);
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
  const hn_contact_measure none = { 0 }, *contact = frame->contact ? frame->contact : &none;
  const double sample[CLI_SAMPLE_VALUES] = { frame->state->time,        measure->position_error,
                                             measure->velocity_error,   fabs(energy - series->energy0),
                                             (double)contact->contacts, contact->penetration,
                                             contact->residual };
  /* Merge it into the last sample, or begin another */
  if (series->filled < series->stride && series->count > 0) {
    keep_larger(series->sample[series->count - 1], sample);
    series->filled++;
    return;
  }
  if (series->count == CLI_SERIES_MAX) merge_neighbours(series);
  memcpy(series->sample[series->count++], sample, sizeof sample);
  series->filled = 1;
}
