/* contact_key.h - the key of a contact: its pair of colliders and its feature in 64 bits. Internal.
 *
 *   bits 44 to 63   first collider, the lower number
 *   bits 24 to 43   second collider
 *   bits  0 to 23   feature (collide.h)
 *
 * Keys in ascending order group the contacts of a pair. Keys of contacts that no collider made name colliders
 * beyond those of the model. */
#ifndef HN_CONTACT_KEY_H
#define HN_CONTACT_KEY_H

#include <stdint.h>

enum { HN_FEATURE_BITS = 24, HN_COLLIDER_BITS = 20 };
_Static_assert(HN_COLLIDER_BITS + HN_COLLIDER_BITS + HN_FEATURE_BITS <= 64, "a contact key has 64 bits");

typedef struct hn_pair {
  int a, b; /* colliders, a < b */
} hn_pair;

/* Returns the key of a feature of two colliders. */
static inline uint64_t hn_contact_key(hn_pair colliders, unsigned feature)
{
  return (uint64_t)colliders.a << (HN_FEATURE_BITS + HN_COLLIDER_BITS) |
         (uint64_t)colliders.b << HN_FEATURE_BITS | feature;
}

/* Returns the number of the pair of colliders: the same for all contacts between them. */
static inline uint64_t hn_contact_key_pair(uint64_t key)
{
  return key >> HN_FEATURE_BITS;
}

/* Returns the lowest possible key of a pair (hn_contact_key_pair): no key of the pair precedes it. */
static inline uint64_t hn_contact_key_first(uint64_t pair)
{
  return pair << HN_FEATURE_BITS;
}

/* Returns the two colliders of a key. */
static inline hn_pair hn_contact_key_colliders(uint64_t key)
{
  const uint64_t mask = (UINT64_C(1) << HN_COLLIDER_BITS) - 1;
  return (hn_pair){ (int)(key >> (HN_FEATURE_BITS + HN_COLLIDER_BITS) & mask),
                    (int)(key >> HN_FEATURE_BITS & mask) };
}

/* Returns the feature of a key (hn_contact_point.feature). */
static inline unsigned hn_contact_key_feature(uint64_t key)
{
  return (unsigned)key & ((1u << HN_FEATURE_BITS) - 1);
}

#endif
