/* power_order.h - the order in which one power of a motion is worked out: bodies, joints and forces, each as soon as what it
 * needs is there, so that the whole system is gone through once a power, near to near. Internal. */
#ifndef HN_POWER_ORDER_H
#define HN_POWER_ORDER_H

#include "model.h"

/* What is done at a visit. A link is a joint, behind all joints a force, or behind these one of
 * model->more. */
typedef enum hn_visit_kind {
  HN_VISIT_PUSH,     /* a body takes the effect of the multipliers */
  HN_VISIT_LINK,     /* both bodies of a link have: its Jacobian, or a law, of a force or in model->more */
  HN_VISIT_ADVANCE,  /* all links of a body are done: the next power of its motion */
  HN_VISIT_RESIDUAL, /* both bodies of a joint have that: its residual */
} hn_visit_kind;

typedef struct hn_visit {
  hn_visit_kind kind;
  int slot; /* of a body or a link: its place in the order of first visits */
} hn_visit;

typedef struct hn_link_end {
  int link, side; /* slot of the link; side 0: body a, 1: body b */
} hn_link_end;

typedef struct hn_sweep {
  hn_visit *visit; /* [nvisit] */
  size_t nvisit;
  int *body;        /* [nbody] the body in each slot, neighbours near each other */
  int *link;        /* [nlink] the link in each slot: a joint; njoint and a force; or njoint, nforce and
                     * one of model->more */
  int (*bodies)[2]; /* [nlink] by slot, slots of its bodies */
  size_t *first;    /* [nbody + 1] by slot, of a body's ends: joints in their order, forces, the others */
  hn_link_end *end; /* none of bodies that are fixed */
} hn_sweep;

/* Joints, forces and what model->more is made of. */
int hn_sweep_links(const hn_model *model);
/* -1 and an error when memory is out; hn_sweep_free is due either way. */
int hn_sweep_init(hn_sweep *sweep, const hn_model *model, hn_error *error);
void hn_sweep_free(hn_sweep *sweep);

#endif
