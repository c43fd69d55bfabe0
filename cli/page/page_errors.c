/* page_errors.c - the position error of a run over time, for the page.
 *
 * Run and reference have frames of their own; distances are computed at the times that both have. */
#include <math.h>
#include "base/vec.h"
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/page/page_errors.h"
#include "cli/study/error_series.h"

enum { MIN_TIMES = 3 };                    /* times of a curve */
static const double time_tolerance = 1e-9; /* tolerance of equal times, relative to the last one */

typedef struct distances {
  size_t count;
  double *time, *distance; /* s; m */
} distances;

/* Returns the largest distance, in frame J, of a body from its position in frame I of the reference, over the
 * bodies that the reference knows. NAN if a position is not finite. */
static double largest_distance(const cli_reference *r, size_t i, const cli_track *run, size_t j)
{
  const size_t poses = (size_t)run->nbody * CLI_POSE;
  double most = 0.0, d[3];
  for (size_t b = 0; b < (size_t)run->nbody; b++) {
    if (r->known && r->known[b] == '-') continue;
    vec_sub(d, r->track->pose + i * poses + b * CLI_POSE, run->pose + j * poses + b * CLI_POSE);
    const double distance = vec_norm(d);
    if (!isfinite(distance)) return NAN;
    most = fmax(most, distance);
  }
  return most;
}

/* Computes the distances at common times; both lists of times ascend. */
static distances compute_distances(const cli_reference *r, const cli_track *run)
{
  const cli_track *a = r->track;
  const double tolerance = time_tolerance * a->time[a->count - 1];
  distances p = { 0, cli_alloc(run->count, sizeof *p.time), cli_alloc(run->count, sizeof *p.distance) };
  for (size_t i = 0, j = 0; i < a->count && j < run->count;) {
    if (a->time[i] < run->time[j] - tolerance) {
      i++;
    } else if (a->time[i] > run->time[j] + tolerance) {
      j++;
    } else {
      if (run->time[j] > tolerance)
        p.time[p.count] = run->time[j], p.distance[p.count++] = largest_distance(r, i, run, j);
      i++, j++;
    }
  }
  return p;
}

static json_t *distances_json(const distances *p)
{
  const size_t stride = (p->count + CLI_SERIES_MAX - 1) / CLI_SERIES_MAX;
  json_t *time = json_array(), *position = json_array();
  for (size_t i = 0; i < p->count; i += stride) {
    double most = p->distance[i];
    for (size_t k = i; k < p->count && k < i + stride; k++) most = fmax(most, p->distance[k]);
    json_array_append_new(time, cli_json_real(p->time[i]));
    json_array_append_new(position, cli_json_real(most));
  }
  return json_pack("{s:o, s:o, s:I}", "time", time, "position", position, "stride", (json_int_t)stride);
}

json_t *cli_page_errors(const cli_reference *r, const cli_track *run)
{
  if (!r->track || r->track->count == 0 || !run || run->count == 0) return NULL;
  distances p = compute_distances(r, run);
  json_t *root = p.count < MIN_TIMES ? NULL : distances_json(&p);
  free(p.time);
  free(p.distance);
  return root;
}
