/* joint_types.c - the registry of joint types (joints.def), and their parameters */
#include "base/params.h"
#include "base/type_registry.h"
#include "joint/geometry.h"
#include "joint/residual.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define JOINT(name) extern const hn_joint_type hn_joint_##name;
#include "joint/joints.def"
#undef JOINT

#define JOINT(name) &hn_joint_##name,
static const hn_joint_type *types[] = {
#include "joint/joints.def"
  NULL
};
#undef JOINT

enum { TYPES = sizeof types / sizeof *types - 1 };

static hn_type_registry registry = {
  .kind = "joint type",
  .listing = "joints",
  .name = offsetof(hn_joint_type, name),
  .types = types,
  .room = TYPES,
  .built_in = TYPES,
  .count = TYPES,
};

const hn_joint_type *const *hn_joint_types(size_t *count)
{
  if (count) *count = TYPES;
  return types;
}

const hn_joint_type *hn_joint_type_find(const char *name, hn_error *error)
{
  return hn_type_find(&registry, name, NULL, error);
}

const hn_param *hn_joint_params(const hn_joint_type *type)
{
  static const hn_param none[] = { { .key = NULL } };
  return type->params ? type->params : none;
}

int hn_joint_set_data(hn_joint *joint, const char *settings, hn_error *error)
{
  const hn_joint_type *type = joint->type;
  if (type->data_size > 0 && !(joint->data = calloc(1, type->data_size)))
    return hn_fail(error, "out of memory");
  return hn_params_read(hn_joint_params(type), type->name, settings, joint->data, NULL, error);
}

double hn_joint_real(const hn_joint *joint, const char *key)
{
  for (const hn_param *p = hn_joint_params(joint->type); p->key; p++)
    if (p->kind == HN_REAL && strcmp(p->key, key) == 0)
      return *(const double *)(const void *)((const char *)joint->data + p->offset);
  return NAN;
}

void hn_joint_free(hn_joint *joint)
{
  free(joint->data);
  free(joint->axes);
  free(joint->name);
  if (joint->more) hn_residual_free(joint->more->own);
  free(joint->more);
}
