/* solver_settings_table.h - parameters of solvers and joint types, for tests that go over the registries. */
#ifndef TESTS_SOLVER_SETTINGS_TABLE_H
#define TESTS_SOLVER_SETTINGS_TABLE_H

#include "holonom.h"

#include <stdio.h>
#include <string.h>

static inline bool has_param(const hn_solver_type *type, const char *key)
{
  for (const hn_param *p = type->params; p->key; p++)
    if (strcmp(p->key, key) == 0) return true;
  return false;
}

/* Returns the settings of ALL, "key=value,...", for which TYPE has a parameter; valid until the next call. */
static inline const char *settings_for(const hn_joint_type *type, const char *all)
{
  static char text[256];
  size_t used = 0;
  text[0] = '\0';
  for (const char *at = all; *at; at += strcspn(at, ","), at += *at == ',') {
    size_t key = strcspn(at, "="), length = strcspn(at, ",");
    for (const hn_param *p = hn_joint_params(type); p->key; p++)
      if (strlen(p->key) == key && strncmp(p->key, at, key) == 0)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.*s", used ? "," : "", (int)length, at);
  }
  return text;
}

/* Returns "key=VALUE"; valid until the next call. */
static inline const char *setting(const char *key, double value)
{
  static char text[64];
  snprintf(text, sizeof text, "%s=%.17g", key, value);
  return text;
}

#endif
