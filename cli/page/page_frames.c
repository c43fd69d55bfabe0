/* page_frames.c - the motion of a run for the page, one array after the other:
 *
 *   times             [frames] double, s
 *   positions         [bodies][3][frames] differences, in multiples of a resolution, m
 *   orientations      [bodies][4][frames] differences of w, x, y, z, in multiples of a resolution
 *   joint forces      [frames][joints][3] float of four digits, N; none if the solver does not compute them
 *   ends of contacts  [frames] words: number of contacts up to the end of each frame
 *   contacts          [contacts][6] float: point, m, and impulse on the second body, of four digits, N s
 *
 * A smooth time series is close to its linear extrapolation: in multiples of the resolution the differences
 * are small, and with equal bytes side by side deflate finds the zeros. Differences are modulo 2^32, so
 * nothing is lost. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/page/page_frames.h"

/* ---- Compressed arrays of numbers; the page expands them (web/src/pack.js) ------------------------- */

enum { COMPRESSION_LEVEL = 4 }; /* of zlib: higher levels take longer and hardly reduce the size */

/* Writes COUNT numbers of SIZE bytes by significance: all lowest bytes first, then the next ones, and so
 * on. */
static void add(FILE *pack, const void *value, size_t count, size_t size)
{
  const uint8_t *from = value;
  for (size_t b = 0; b < size; b++)
    for (size_t i = 0; i < count; i++) putc_unlocked(from[i * size + b], pack);
}

/* Encodes a time series value[0], value[stride], ..., rounded to multiples of RESOLUTION, which must be below
 * 2^31. Stores the differences from linear extrapolation in word[count]. */
static void encode_course(uint32_t *word, const double *value, size_t count, size_t stride, double resolution)
{
  uint32_t last = 0, slope = 0;
  for (size_t i = 0; i < count; i++) {
    const uint32_t now = (uint32_t)(int32_t)lrint(value[i * stride] / resolution);
    const uint32_t left = now - last - slope;
    slope = i > 0 ? now - last : 0;
    last = now;
    word[i] = left << 1 ^
              (left >> 31 ? UINT32_MAX : 0); /* sign in the lowest bit: small numbers stay small */
  }
}

/* Returns VALUE rounded to 12 bits of its mantissa, about four digits. */
static float rounded_to_four_digits(float value)
{
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  bits = (bits + 0x400) & ~UINT32_C(0x7ff);
  memcpy(&value, &bits, sizeof value);
  return value;
}

static void write_base64(const uint8_t *byte, size_t count, FILE *out)
{
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char text[4];
  for (size_t i = 0; i < count; i += 3) {
    const size_t left = count - i;
    const uint32_t bits = (uint32_t)byte[i] << 16 | (left > 1 ? (uint32_t)byte[i + 1] << 8 : 0) |
                          (left > 2 ? (uint32_t)byte[i + 2] : 0);
    for (int k = 0; k < 4; k++) text[k] = digit[bits >> (18 - 6 * k) & 63];
    if (left < 3) text[3] = '=';
    if (left < 2) text[2] = '=';
    fwrite(text, 1, sizeof text, out);
  }
}

/* Deflates COUNT bytes and writes them as base64. Returns false on error. */
static bool write_compressed(const uint8_t *byte, size_t count, FILE *out)
{
  uLongf size = compressBound((uLong)count);
  uint8_t *small = cli_alloc(size, 1);
  const bool done = compress2(small, &size, byte, (uLong)count, COMPRESSION_LEVEL) == Z_OK;
  if (done) write_base64(small, size, out);
  free(small);
  return done;
}

/* ---- The motion ------------------------------------------------------------------------------------ */

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

static void pack_courses(FILE *pack, const cli_track *t, int first, int count, double resolution)
{
  const size_t channels = (size_t)t->nbody * (size_t)count;
  uint32_t *word = cli_alloc(channels * t->count, sizeof *word);
  for (size_t c = 0; c < channels; c++) {
    const size_t body = c / (size_t)count, k = c % (size_t)count + (size_t)first;
    encode_course(word + c * t->count, t->pose + body * CLI_POSE + k, t->count, (size_t)t->nbody * CLI_POSE,
                  resolution);
  }
  add(pack, word, channels * t->count, sizeof *word);
  free(word);
}

static void pack_forces(FILE *pack, const cli_track *t)
{
  const size_t count = t->forces ? t->count * (size_t)t->njoint * 3 : 0;
  float *rounded = cli_alloc(count, sizeof *rounded);
  for (size_t i = 0; i < count; i++) rounded[i] = rounded_to_four_digits(t->force[i]);
  add(pack, rounded, count, sizeof *rounded);
  free(rounded);
}

static void pack_contacts(FILE *pack, const cli_track *t)
{
  const size_t contacts = t->touch_end[t->count - 1];
  uint32_t *end = cli_alloc(t->count, sizeof *end);
  float *touch = cli_alloc(contacts * CLI_TOUCH, sizeof *touch);
  for (size_t i = 0; i < t->count; i++) end[i] = (uint32_t)t->touch_end[i];
  for (size_t i = 0; i < contacts * CLI_TOUCH; i++)
    touch[i] = i % CLI_TOUCH < 3 ? t->touch[i] : rounded_to_four_digits(t->touch[i]);
  add(pack, end, t->count, sizeof *end);
  add(pack, touch, contacts * CLI_TOUCH, sizeof *touch);
  free(end);
  free(touch);
}

json_t *cli_frames_write(const cli_track *t, FILE *out)
{
  const double resolution = resolution_of(t);
  char *byte = NULL;
  size_t count = 0;
  FILE *pack = open_memstream(&byte, &count);
  if (!pack) return NULL;
  add(pack, t->time, t->count, sizeof *t->time);
  pack_courses(pack, t, 0, 3, resolution);
  pack_courses(pack, t, 3, 4, orientation_resolution);
  pack_forces(pack, t);
  pack_contacts(pack, t);
  const bool done = fclose(pack) == 0 && write_compressed((const uint8_t *)byte, count, out);
  free(byte);
  if (!done) return NULL;
  return json_pack("{s:I, s:I, s:i, s:i, s:I, s:o, s:o}", "frames", (json_int_t)t->count, "stride",
                   (json_int_t)t->stride, "bodies", t->nbody, "joints", t->forces ? t->njoint : 0, "contacts",
                   (json_int_t)t->touch_end[t->count - 1], "resolution", cli_json_real(resolution), "turning",
                   cli_json_real(orientation_resolution));
}
