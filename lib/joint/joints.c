/* joints.c - the registry of joint types (joints.def). */
#include "model.h"

#include <string.h>

#define JOINT(name) extern const hn_joint_type hn_joint_##name;
#include "joint/joints.def"
#undef JOINT

#define JOINT(name) &hn_joint_##name,
static const hn_joint_type *const types[] = {
#include "joint/joints.def"
};
#undef JOINT

enum { NTYPES = sizeof types / sizeof types[0] };

const hn_joint_type *const *hn_joint_types(size_t *count)
{
  if (count) *count = NTYPES;
  return types;
}

const hn_joint_type *hn_joint_type_find(const char *name, hn_error *error)
{
  const char *names[NTYPES];
  for (size_t i = 0; i < NTYPES; i++) {
    names[i] = types[i]->name;
    if (strcmp(name, names[i]) == 0) return types[i];
  }
  const char *near = hn_nearest(name, names, NTYPES);
  hn_fail(error, near ? "no joint type \"%s\"; did you mean \"%s\"?" : "no joint type \"%s\"", name, near);
  return NULL;
}
