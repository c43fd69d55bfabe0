/* surfaces.h - materials of a model, and the contact properties of their pairs. Internal. */
#ifndef HN_SURFACES_H
#define HN_SURFACES_H

#include "model.h"

typedef struct hn_material_pair {
  int a, b;            /* materials */
  hn_surface surface;  /* NAN: the properties of the bodies apply */
  bool has_law;        /* `law` replaces the law of all pairs */
  hn_contact_law *law; /* NULL: rigid contact */
} hn_material_pair;

typedef struct hn_names {
  char **name;
  int count;
} hn_names;

struct hn_surfaces {
  hn_names group, material;
  hn_surface *surface; /* properties of colliders, each different from the one before */
  int nsurface;
  hn_material_pair *pair; /* [npair]; the last one that matches counts */
  int npair;
  hn_contact_law *law; /* law of compliant contact of all pairs; NULL: rigid contact */
};

static inline bool hn_material_pair_matches(const hn_material_pair *pair, int a, int b)
{
  return (pair->a == a && pair->b == b) || (pair->b == a && pair->a == b);
}

/* Returns the number of NAME, which is added if it is new; -1 if out of memory. */
int hn_names_find(hn_names *list, const char *name);
void hn_names_free(hn_names *list);
/* Checks a surface; a missing static friction becomes equal to the kinetic one. */
int hn_surface_check(hn_surface *surface, hn_error *error);
/* True if friction of some colliders depends on the direction of slip. */
bool hn_surfaces_anisotropic(const hn_model *model);
/* Returns -1 and an error if two materials have friction across an axis, and neither of two bodies has an
 * axis. */
int hn_surfaces_check_axes(const hn_model *model, hn_error *error);
/* Creates the surfaces of MODEL, if there are none. Returns -1 if out of memory. */
int hn_surfaces_create(hn_model *model, hn_error *error);
/* Appends a pair of materials without properties; NULL on error. */
hn_material_pair *hn_surfaces_add_pair(hn_model *model, const char *a, const char *b, hn_error *error);

#endif
