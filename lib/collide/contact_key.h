/* contact_key.h - the key of a contact: its pair of colliders and its feature in 64 bits. Internal.
 *
 *   bits 44 to 63   first collider, the lower number
 *   bits 24 to 43   second collider
 *   bits  0 to 23   feature (collide.h)
 *
 * Keys in ascending order group the contacts of a pair. Keys of contacts that no collider made name colliders
 * beyond those of the model.
 *
 * A height field has more features than fit into 24 bits. In a model with height fields the feature has
 * hn_model.field_bits more, and each collider half as many fewer: WIDER below. */
#ifndef HN_CONTACT_KEY_H
#define HN_CONTACT_KEY_H

#include <stdint.h>

enum { HN_FEATURE_BITS = 24, HN_COLLIDER_BITS = 20 };
_Static_assert(HN_COLLIDER_BITS + HN_COLLIDER_BITS + HN_FEATURE_BITS <= 64, "a contact key has 64 bits");

typedef struct hn_pair {
  int a, b; /* colliders, a < b */
} hn_pair;

/* Returns the number of colliders that a key can name. WIDER is even. */
static inline int hn_contact_key_colliders_limit(int wider)
{
  return 1 << (HN_COLLIDER_BITS - wider / 2);
}

/* Returns the key of a feature of two colliders. */
static inline uint64_t hn_contact_key(int wider, hn_pair colliders, uint64_t feature)
{
  return (uint64_t)colliders.a << (HN_FEATURE_BITS + HN_COLLIDER_BITS + wider / 2) |
         (uint64_t)colliders.b << (HN_FEATURE_BITS + wider) | feature;
}

/* Returns the number of the pair of colliders: the same for all contacts between them. */
static inline uint64_t hn_contact_key_pair(int wider, uint64_t key)
{
  return key >> (HN_FEATURE_BITS + wider);
}

/* Returns the lowest possible key of a pair (hn_contact_key_pair): no key of the pair precedes it. */
static inline uint64_t hn_contact_key_first(int wider, uint64_t pair)
{
  return pair << (HN_FEATURE_BITS + wider);
}

/* Returns the two colliders of a key. */
static inline hn_pair hn_contact_key_colliders(int wider, uint64_t key)
{
  const int bits = HN_COLLIDER_BITS - wider / 2;
  const uint64_t mask = (UINT64_C(1) << bits) - 1, pair = hn_contact_key_pair(wider, key);
  return (hn_pair){ (int)(pair >> bits & mask), (int)(pair & mask) };
}

/* Returns the feature of a key (hn_contact_point.feature). */
static inline uint64_t hn_contact_key_feature(int wider, uint64_t key)
{
  return key & ((UINT64_C(1) << (HN_FEATURE_BITS + wider)) - 1);
}

#endif
