/* page_frames.c - the motion of a run for the page, one array after the other:
 *
 *   times             [frames] double, s
 *   positions         [bodies][3][frames] differences (pack.h), in multiples of a resolution, m
 *   orientations      [bodies][4][frames] differences of w, x, y, z, in multiples of a resolution
 *   joint forces      [frames][joints][3] float of four digits, N; none if the solver does not compute them
 *   ends of contacts  [frames] words: number of contacts up to the end of each frame
 *   contacts          [contacts][6] float: point, m, and impulse on the second body, of four digits, N s */
#include <math.h>
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/page/page_frames.h"

static const double position_resolution =
  0x1p-27; /* resolution of positions, relative to the largest coordinate */
static const double orientation_resolution = 0x1p-24; /* resolution of orientations */

/* Returns the resolution of positions: a power of two with all finite coordinates below 2^31 multiples. */
static double resolution_of(const cli_track *t)
{
  double largest = 1e-9;
  int exponent;
  for (size_t i = 0; i < t->count * (size_t)t->nbody; i++)
    for (int k = 0; k < 3; k++)
      if (isfinite(t->pose[i * CLI_POSE + (size_t)k]))
        largest = fmax(largest, fabs(t->pose[i * CLI_POSE + (size_t)k]));
  frexp(largest, &exponent);
  return ldexp(position_resolution, exponent);
}

static void pack_courses(cli_pack *pack, const cli_track *t, int first, int count, double resolution)
{
  const size_t channels = (size_t)t->nbody * (size_t)count;
  uint32_t *word = cli_alloc(channels * t->count, sizeof *word);
  for (size_t c = 0; c < channels; c++) {
    const size_t body = c / (size_t)count, k = c % (size_t)count + (size_t)first;
    cli_pack_course(word + c * t->count, t->pose + body * CLI_POSE + k, t->count, (size_t)t->nbody * CLI_POSE,
                    resolution);
  }
  cli_pack_words(pack, word, channels * t->count);
  free(word);
}

static void pack_forces(cli_pack *pack, const cli_track *t)
{
  const size_t count = t->forces ? t->count * (size_t)t->njoint * 3 : 0;
  float *rounded = cli_alloc(count, sizeof *rounded);
  for (size_t i = 0; i < count; i++) rounded[i] = cli_pack_rounded(t->force[i]);
  cli_pack_floats(pack, rounded, count);
  free(rounded);
}

static void pack_contacts(cli_pack *pack, const cli_track *t)
{
  const size_t contacts = t->touch_end[t->count - 1];
  uint32_t *end = cli_alloc(t->count, sizeof *end);
  float *touch = cli_alloc(contacts * CLI_TOUCH, sizeof *touch);
  for (size_t i = 0; i < t->count; i++) end[i] = (uint32_t)t->touch_end[i];
  for (size_t i = 0; i < contacts * CLI_TOUCH; i++)
    touch[i] = i % CLI_TOUCH < 3 ? t->touch[i] : cli_pack_rounded(t->touch[i]);
  cli_pack_words(pack, end, t->count);
  cli_pack_floats(pack, touch, contacts * CLI_TOUCH);
  free(end);
  free(touch);
}

json_t *cli_frames_pack(const cli_track *t, cli_pack *pack)
{
  const double resolution = resolution_of(t);
  cli_pack_doubles(pack, t->time, t->count);
  pack_courses(pack, t, 0, 3, resolution);
  pack_courses(pack, t, 3, 4, orientation_resolution);
  pack_forces(pack, t);
  pack_contacts(pack, t);
  return json_pack("{s:I, s:I, s:i, s:i, s:I, s:o, s:o}", "frames", (json_int_t)t->count, "stride",
                   (json_int_t)t->stride, "bodies", t->nbody, "joints", t->forces ? t->njoint : 0, "contacts",
                   (json_int_t)t->touch_end[t->count - 1], "resolution", cli_json_real(resolution), "turning",
                   cli_json_real(orientation_resolution));
}
