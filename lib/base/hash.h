/* hash.h - the hash function of states, models and files. Internal. */
#ifndef HN_HASH_H
#define HN_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Chains SIZE bytes of DATA, a multiple of 8, to HASH: FNV-1a over 64-bit words, with a rotation so that high
 * bits reach low ones. */
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
