/* contact_key.h - keys of contacts: the pair of colliders in the high bits, the pair of features in the
 * low ones. Internal. */
#ifndef HN_CONTACT_KEY_H
#define HN_CONTACT_KEY_H

#include <stdint.h>

enum { HN_FEATURE_BITS = 24, HN_COLLIDER_BITS = 20 };

/* Key of the contact of FEATURE of colliders A < B. Keys are ascending by pair, then by feature. */
static inline uint64_t hn_contact_key(int a, int b, unsigned feature)
{
  return (uint64_t)a << (HN_FEATURE_BITS + HN_COLLIDER_BITS) | (uint64_t)b << HN_FEATURE_BITS | feature;
}

/* Number of the pair of colliders of KEY: the same for all contacts of the pair. */
static inline uint64_t hn_contact_pair_number(uint64_t key)
{
  return key >> HN_FEATURE_BITS;
}

/* Lowest key that a contact of the pair of KEY can have. */
static inline uint64_t hn_contact_pair_first(uint64_t key)
{
  return key >> HN_FEATURE_BITS << HN_FEATURE_BITS;
}

#endif
