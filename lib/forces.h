/* forces.h - forces: laws along coordinates that a joint type measures */
#ifndef HOLONOM_FORCES_H
#define HOLONOM_FORCES_H

#include "joints.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* exported */

/* ---- Forces: laws along coordinates -------------------------------------------------------------------- */

typedef struct hn_force hn_force;

/* A force type. The n rows of a joint type measure the bodies (values g, rates G u); the law returns
 * generalised forces Q along them. The wrenches G' Q act on the bodies: Q on b, -Q on a. */
typedef struct hn_force_type {
  const char *name, *summary;
  const char *citation;
  const hn_joint_type *rows; /* joint type that measures g and G u */
  unsigned keys;             /* HN_KEY_...: geometry that a specification must give */
  const char *vector;        /* key of the vector in a scene, for example "force"; NULL: none */
  bool uses_rates;           /* the law depends on velocities */
  int inputs; /* number of inputs in hn_state.input; control sets the first one; 0 at the start */
  enum {
    HN_NO_LAW,
    HN_LAW,
    HN_RATE_LAW
  } own_law; /* kind of custom law that a scene may give; HN_RATE_LAW: as a function of the rates alone */
  const char *const *modes; /* words for the values -1, 0, 1 of its first input; NULL: any number */
  size_t data_size;
  const hn_param *params; /* ended by a NULL key */
  /* Checks and completes the data; G are the values at the start. May be NULL. */
  int (*setup)(hn_force *force, const double *g, hn_error *error);
  /* Computes Q at time t; NULL: coefficient 0 of jet. */
  void (*law)(const hn_force *force, double t, const double *input, const double *g, const double *rate,
              double *Q);
  /* Computes coefficient k of the power series of Q about t, from coefficients 0..k of g and rate. Row r,
   * power i is stored at [r * stride + i]; Q contains the lower coefficients. `work` keeps jet_series series
   * between calls. NULL: Taylor solvers cannot be used. */
  int jet_series;
  void (*jet)(const hn_force *force, double t, const double *input, const double *g, const double *rate,
              size_t stride, size_t k, double *work, double *Q);
  /* Returns the stored energy, J. NULL: none. */
  double (*energy)(const hn_force *force, const double *g);
  /* Updates the inputs after a step of h that ended at time t with g and rate, for controllers with a memory.
   * NULL: the inputs are constant. */
  void (*update)(const hn_force *force, double t, double h, const double *g, const double *rate,
                 double *input);
  /* Sets the inputs, 0 on entry, at the start of the model; G are the values there. NULL: they remain 0. */
  void (*start)(const hn_force *force, const double *g, double *input);
} hn_force_type;

struct hn_force {
  char *name;
  const hn_force_type *type;
  hn_joint rows;     /* bodies, points and axes; rows.type equals type->rows */
  double vector[3];  /* N or N m */
  hn_motion motion;  /* prescribed function of time: factor of the vector, or target */
  int input;         /* index of its first input in hn_state.input */
  bool conservative; /* all work done on it is stored energy; set by the type's setup */
  void *data;        /* parameters */
  struct hn_text *texts;
  struct hn_law *own; /* owns the type if the scene has given the law; else NULL */
};

/* Returns the registered force types in the order of lib/force/forces.def; COUNT may be NULL. */
const hn_force_type *const *hn_force_types(size_t *count);
const hn_force_type *hn_force_type_find(const char *name, hn_error *error);
/* Computes Q at time t by the law of the type of FORCE, or coefficient 0 of its jet. */
void hn_force_law(const hn_force *force, double t, const double *input, const double *g, const double *rate,
                  double *Q);

/* Specification of a force. */
typedef struct hn_force_spec {
  hn_joint_spec geometry; /* contains type and name of the force; its settings are ignored */
  double vector[3];
  bool has_motion;      /* false: the constant 1 for a vector, 0 for a target */
  const char *settings; /* parameters "key=value,..."; NULL: defaults */
  /* custom law and energy in place of the type's, or NULL; the model takes ownership */
  struct hn_tape *law, *energy;
} hn_force_spec;

/* ---- Compliant contact --------------------------------------------------------------------------------- */

typedef struct hn_contact_law hn_contact_law;

/* A law of compliant contact: the normal force of two shapes that overlap by DEPTH, m, which grows at RATE,
 * m/s. The data begin with the parameters of friction. RADIUS, m, is the effective radius of two spheres,
 * 1/R = 1/R_1 + 1/R_2, of a law that needs it. */
typedef struct hn_contact_law_type {
  const char *name, *summary;
  const char *citation;
  const hn_param *params; /* ended by a NULL key */
  size_t data_size;
  /* Checks and completes the data. */
  int (*setup)(void *data, hn_error *error);
  bool (*needs_radius)(const void *data); /* NULL: never */
  bool (*dissipates)(const void *data);   /* the force is more than the derivative of the energy */
  bool can_drive;                         /* a force that dissipates may also supply energy */
  /* Returns the force, N. A negative one counts as 0: contacts do not pull. */
  double (*force)(const void *data, double radius, double depth, double rate);
  /* Returns the stored energy, J. */
  double (*energy)(const void *data, double radius, double depth);
  void (*free)(void *data); /* releases what the data own; NULL: nothing */
} hn_contact_law_type;

/* Returns the laws in the order of lib/compliant/laws.def; COUNT may be NULL. */
const hn_contact_law_type *const *hn_contact_law_types(size_t *count);
const hn_contact_law_type *hn_contact_law_type_find(const char *name, hn_error *error);
/* Returns the type of laws that a scene gives as functions (hn_model_own_law). */
const hn_contact_law_type *hn_contact_law_own(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
