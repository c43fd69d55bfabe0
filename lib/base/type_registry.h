/* type_registry.h - a list of named types: built-in tables, then those of plugins. Internal. */
#ifndef HN_TYPE_REGISTRY_H
#define HN_TYPE_REGISTRY_H

#include "base.h"

/* Lists of types are arrays of pointers to tables, ended by NULL. The built-in tables come first. */
typedef struct hn_type_registry {
  const char *kind;    /* of the types, for messages: "contact solver" */
  const char *listing; /* WORD of the command "holonom list WORD" */
  size_t name;         /* offset of the name, const char *, in a table */
  void *types;         /* [room + 1] */
  size_t room;
  size_t built_in, count; /* built-in tables; with those of plugins */
  /* built-in tables that are left out without a library: name and library, ended by NULL; or NULL */
  const char *const (*optional)[2];
  const char *symbol; /* that plugins export: a list of tables; NULL: there are no plugins */
  /* checks what follows `abi` and `name` in a table of the plugin PATH */
  int (*check)(const char *path, const void *type, hn_error *error);
} hn_type_registry;

/* A member of a table, which is required. */
typedef struct hn_type_member {
  const char *name;
  bool given;
} hn_type_member;
/* Fails and names the first of COUNT members that the table NAME lacks, or the first of PARAMS with a missing
 * text. */
int hn_type_check(const hn_type_registry *registry, const char *path, const char *name,
                  const hn_type_member *member, size_t count, const hn_param *params, hn_error *error);
/* True if NAME can name a solver: it is not empty and has no character that separates the parts of a spec. */
bool hn_type_name_valid(const char *name);

/* Returns the table NAME: a built-in one, then one of OWN (a list, or NULL), then one of a plugin, then that of
 * the engine NAME, whose module is loaded. Returns NULL on error, with the most similar name in the message. */
const void *hn_type_find(hn_type_registry *registry, const char *name, const void *own, hn_error *error);
/* Returns the library without which the built-in table NAME was left out; NULL if it was not. */
const char *hn_type_missing_library(const hn_type_registry *registry, const char *name);
/* Checks whether the list TYPES of the plugin PATH can be registered: valid tables, distinct, unused names and
 * enough room. Tables that are registered already are accepted. Returns -1 if not. */
int hn_types_check_plugin(const hn_type_registry *registry, const char *path, const void *types,
                          hn_error *error);
/* Registers the checked list TYPES, except tables that are registered already. */
void hn_types_register(hn_type_registry *registry, const void *types);

#endif
