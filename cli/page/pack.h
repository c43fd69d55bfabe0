/* pack.h - arrays of numbers in few bytes: the page expands them again (web/src/pack.js). */
#ifndef HN_CLI_PACK_H
#define HN_CLI_PACK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Bytes, growing. */
typedef struct cli_pack {
  uint8_t *byte;
  size_t count, room;
} cli_pack;

/* Each adds COUNT numbers, byte by byte: all lowest bytes, then the next ones, and so on. */
void cli_pack_doubles(cli_pack *pack, const double *value, size_t count);
void cli_pack_floats(cli_pack *pack, const float *value, size_t count);
void cli_pack_words(cli_pack *pack, const uint32_t *value, size_t count);
/* COUNT numbers of a course, value[0], value[stride], ..., rounded to whole multiples of RESOLUTION, below 2^31 of
 * them: what is left of each when a straight line through the two before is taken away, into word[count]. */
void cli_pack_course(uint32_t *word, const double *value, size_t count, size_t stride, double resolution);
/* VALUE with the 12 leading bits of its mantissa, four digits. */
float cli_pack_rounded(float value);
/* Deflates all that was added and writes it as base64; frees it. False when it cannot be. */
bool cli_pack_write(cli_pack *pack, FILE *out);

#endif
