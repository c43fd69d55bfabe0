/* hash.h - the hash that all are. Internal. */
#ifndef HN_HASH_H
#define HN_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Chains SIZE bytes of DATA, whole words of 64 bits, to HASH: FNV-1a over words, with a rotation so that
 * high bits reach low ones. */
static inline uint64_t hn_hash_words(uint64_t hash, const void *data, size_t size)
{
  const char *bytes = data;
  for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
    uint64_t word;
    memcpy(&word, bytes + i, sizeof word);
    hash = (hash ^ word) * UINT64_C(0x100000001b3);
    hash = hash << 29 | hash >> 35;
  }
  return hash;
}

#endif
