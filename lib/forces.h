/* forces.h - forces: laws along what a joint type measures */
#ifndef HOLONOM_FORCES_H
#define HOLONOM_FORCES_H

#include "joints.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* exported */

/* ---- Forces: laws along coordinates ------------------------------------------------------------------------------ */

typedef struct hn_force hn_force;

/* A force type: n rows of a joint type measure the bodies, its law says the forces Q along them, G' Q is what acts on
 * the bodies (Q acts on b, -Q on a). */
typedef struct hn_force_type {
  const char *name, *summary;
  const char *citation;
  const hn_joint_type *rows; /* what it measures: values g, rates G u */
  unsigned keys;             /* HN_KEY_... of the geometry */
  const char *vector;        /* key of a vector that the scene gives, "force"; NULL: none */
  bool uses_rates;           /* the law depends on velocities */
  int inputs;                /* numbers in hn_state.input; control sets the first one, 0 at the start */
  enum {
    HN_NO_LAW,
    HN_LAW,
    HN_RATE_LAW
  } own_law;                /* can the scene give its law? HN_RATE_LAW: it has a rate alone */
  const char *const *modes; /* words for its first input, which is -1, 0 or 1 then; NULL: any number */
  size_t data_size;
  const hn_param *params; /* ends with a key of NULL */
  /* Checks the data, and completes it; g are the values at the start. May be NULL. */
  int (*setup)(hn_force *force, const double *g, hn_error *error);
  void (*law)(const hn_force *force, double t, const double *input, const double *g, const double *rate,
              double *Q);
  /* Coefficient k of the power series of Q about t, from coefficients 0..k of g and rate: row r, power i at
   * [r * stride + i]; Q has the lower coefficients already. WORK keeps jet_series series from call to call. NULL: not
   * for Taylor methods. */
  int jet_series;
  void (*jet)(const hn_force *force, double t, const double *input, const double *g, const double *rate,
              size_t stride, size_t k, double *work, double *Q);
  /* Energy stored, J. NULL: none. */
  double (*energy)(const hn_force *force, const double *g);
  /* The inputs after a step of h that ended with g and rate at time t: memory of controllers. NULL: they stay. */
  void (*update)(const hn_force *force, double t, double h, const double *g, const double *rate,
                 double *input);
  /* Those at the start of the model, where g are the values; they are 0. NULL: they stay so. */
  void (*start)(const hn_force *force, const double *g, double *input);
} hn_force_type;

struct hn_force {
  char *name;
  const hn_force_type *type;
  hn_joint rows;     /* bodies, points and axes; its type is type->rows */
  double vector[3];  /* N or N m */
  hn_motion motion;  /* of time: factor of a vector, or target */
  int input;         /* its first one in hn_state.input */
  bool conservative; /* what it stores is all it takes; set by the type's setup */
  void *data;        /* parameters */
  struct hn_text *texts;
  struct hn_law *own; /* what has its type, where the scene has given its law */
};

/* The force types known, in the order of lib/force/forces.def; COUNT may be NULL. */
const hn_force_type *const *hn_force_types(size_t *count);
const hn_force_type *hn_force_type_find(const char *name, hn_error *error);

/* What a scene says of a force. */
typedef struct hn_force_spec {
  hn_joint_spec geometry; /* type and name are the force's; it has no settings */
  double vector[3];
  bool has_motion;              /* else the constant 1 for a vector, 0 for a target */
  const char *settings;         /* parameters, "key=value,..."; NULL: the defaults */
  struct hn_tape *law, *energy; /* of one's own, in place of the type's; the model frees them. NULL: none */
} hn_force_spec;

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
