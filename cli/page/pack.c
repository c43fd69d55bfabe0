/* pack.c - compresses arrays of numbers.
 *
 * A smooth time series is close to its linear extrapolation: in multiples of the resolution the differences
 * are small, and with equal bytes side by side deflate finds the zeros. Differences are modulo 2^32, so
 * nothing is lost. */
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <zlib.h>
#include "cli/base/memory.h"
#include "cli/page/pack.h"

enum { COMPRESSION_LEVEL = 4 }; /* of zlib: higher levels take longer and hardly reduce the size */

static uint8_t *extend(cli_pack *pack, size_t count)
{
  if (pack->count + count > pack->room) {
    pack->room = 2 * (pack->count + count);
    pack->byte = cli_grow(pack->byte, pack->room, 1);
  }
  pack->count += count;
  return pack->byte + pack->count - count;
}

static void add(cli_pack *pack, const void *value, size_t count, size_t size)
{
  const uint8_t *from = value;
  uint8_t *to = extend(pack, count * size);
  for (size_t b = 0; b < size; b++)
    for (size_t i = 0; i < count; i++) *to++ = from[i * size + b];
}

void cli_pack_doubles(cli_pack *pack, const double *value, size_t count)
{
  add(pack, value, count, sizeof *value);
}

void cli_pack_floats(cli_pack *pack, const float *value, size_t count)
{
  add(pack, value, count, sizeof *value);
}

void cli_pack_words(cli_pack *pack, const uint32_t *value, size_t count)
{
  add(pack, value, count, sizeof *value);
}

void cli_pack_course(uint32_t *word, const double *value, size_t count, size_t stride, double resolution)
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

float cli_pack_rounded(float value)
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

bool cli_pack_write(cli_pack *pack, FILE *out)
{
  uLongf size = compressBound((uLong)pack->count);
  uint8_t *small = cli_alloc(size, 1);
  const bool done = compress2(small, &size, pack->byte, (uLong)pack->count, COMPRESSION_LEVEL) == Z_OK;
  if (done) write_base64(small, size, out);
  free(small);
  free(pack->byte);
  *pack = (cli_pack){ 0 };
  return done;
}
