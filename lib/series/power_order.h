/* power_order.h - the order in which one power of a motion is computed: each body, joint and force as soon as
 * its inputs are known, neighbours close together in time. Internal. */
#ifndef HN_POWER_ORDER_H
#define HN_POWER_ORDER_H

#include "base/array.h"
#include "model.h"

/* Kinds of visits. A link is a joint, a force of the model, or a row force of model->more. */
typedef enum hn_visit_kind {
  HN_VISIT_PUSH,     /* add the effect of the multipliers to a body */
  HN_VISIT_LINK,     /* after both bodies of a link: Jacobian of a joint, law of a force or row force */
  HN_VISIT_ADVANCE,  /* after all links of a body: next power of its motion */
  HN_VISIT_RESIDUAL, /* after both bodies of a joint have advanced: its residual */
} hn_visit_kind;

typedef struct hn_visit {
  hn_visit_kind kind;
  int slot; /* of a body or a link: its rank in the order of first visits */
} hn_visit;

typedef struct hn_link_end {
  int link, side; /* slot of the link; side 0: body a, 1: body b */
} hn_link_end;

typedef struct hn_power_order {
  hn_visit *visit; /* [nvisit] */
  size_t nvisit;
  int *body; /* [nbody] body in each slot, neighbours close together */
  /* [nlink] link in each slot: joint index, njoint + force index, or njoint + nforce + row force index */
  int *link;
  int (*bodies)[2]; /* [nlink] by slot: slots of its bodies */
  /* [nbody + 1] by slot: first end of a body; joints in their order, then forces, then row forces */
  size_t *first;
  hn_link_end *end; /* link ends at bodies that are not fixed */
} hn_power_order;

/* Returns the number of joints, forces and row forces. */
int hn_power_order_links(const hn_model *model);
/* Computes the order; its arrays belong to ARRAYS. Returns -1 if out of memory. */
int hn_power_order_init(hn_power_order *order, const hn_model *model, hn_arrays *arrays, hn_error *error);

#endif
