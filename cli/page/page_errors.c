/* page_errors.c - how far the motion of a run is from that of its reference, over time.
 *
 * Both were kept to be shown, each at frames of its own: distances are taken at the times that are in both. */
#include <math.h>
#include "base/vec.h"
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/page/page_errors.h"
#include "cli/study/error_series.h"

enum { FEWEST = 3 };             /* times that make a curve */
static const double same = 1e-9; /* times are, that are so near, over the last one */

typedef struct points {
  size_t count;
  double *time, *apart; /* s; m */
} points;

/* The largest distance of a body that is known in frame I of the reference from where it is in frame J; NAN when a run
 * has lost one. */
static double largest(const cli_reference *r, size_t i, const cli_track *run, size_t j)
{
  const size_t poses = (size_t)run->nbody * CLI_POSE;
  double most = 0.0, d[3];
  for (size_t b = 0; b < (size_t)run->nbody; b++) {
    if (r->known && r->known[b] == '-') continue;
    vec_sub(d, r->track->pose + i * poses + b * CLI_POSE, run->pose + j * poses + b * CLI_POSE);
    const double apart = vec_norm(d);
    if (!isfinite(apart)) return NAN;
    most = fmax(most, apart);
  }
  return most;
}

/* The times come in ascending order in both. */
static points apart_at_common_times(const cli_reference *r, const cli_track *run)
{
  const cli_track *a = r->track;
  const double near = same * a->time[a->count - 1];
  points p = { 0, cli_alloc(run->count, sizeof *p.time), cli_alloc(run->count, sizeof *p.apart) };
  for (size_t i = 0, j = 0; i < a->count && j < run->count;) {
    if (a->time[i] < run->time[j] - near) {
      i++;
    } else if (a->time[i] > run->time[j] + near) {
      j++;
    } else {
      if (run->time[j] > near) p.time[p.count] = run->time[j], p.apart[p.count++] = largest(r, i, run, j);
      i++, j++;
    }
  }
  return p;
}

static json_t *points_json(const points *p)
{
  const size_t stride = (p->count + CLI_SERIES_MAX - 1) / CLI_SERIES_MAX;
  json_t *time = json_array(), *position = json_array();
  for (size_t i = 0; i < p->count; i += stride) {
    double most = p->apart[i];
    for (size_t k = i; k < p->count && k < i + stride; k++) most = fmax(most, p->apart[k]);
    json_array_append_new(time, cli_json_real(p->time[i]));
    json_array_append_new(position, cli_json_real(most));
  }
  return json_pack("{s:o, s:o, s:I}", "time", time, "position", position, "stride", (json_int_t)stride);
}

json_t *cli_page_errors(const cli_reference *r, const cli_track *run)
{
  if (!r->track || r->track->count == 0 || !run || run->count == 0) return NULL;
  points p = apart_at_common_times(r, run);
  json_t *root = p.count < FEWEST ? NULL : points_json(&p);
  free(p.time);
  free(p.apart);
  return root;
}
