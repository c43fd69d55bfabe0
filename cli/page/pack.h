/* pack.h - compresses arrays of numbers; the page expands them (web/src/pack.js). */
#ifndef HN_CLI_PACK_H
#define HN_CLI_PACK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* A growing array of bytes. */
typedef struct cli_pack {
  uint8_t *byte;
  size_t count, room;
} cli_pack;

/* Add COUNT numbers, stored by significance: all lowest bytes first, then the next ones, and so on. */
void cli_pack_doubles(cli_pack *pack, const double *value, size_t count);
void cli_pack_floats(cli_pack *pack, const float *value, size_t count);
void cli_pack_words(cli_pack *pack, const uint32_t *value, size_t count);
/* Encodes a time series value[0], value[stride], ..., rounded to multiples of RESOLUTION, which must be below
 * 2^31. Stores the differences from linear extrapolation in word[count]. */
void cli_pack_course(uint32_t *word, const double *value, size_t count, size_t stride, double resolution);
/* Returns VALUE rounded to 12 bits of its mantissa, about four digits. */
float cli_pack_rounded(float value);
/* Deflates the bytes, writes them as base64 and frees them. Returns false on error. */
bool cli_pack_write(cli_pack *pack, FILE *out);

#endif
