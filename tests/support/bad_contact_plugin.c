/* bad_contact_plugin.c - plugins with contact solvers that must be refused; FAULT selects the fault.
 * BAD_SOLVER adds a faulty solver beside a good contact solver. */
#include "holonom.h"

#define OTHER_ABI 1
#define BUILT_IN 2
#define NO_SOLVE 3
#define EMPTY 4
#define TWICE 5
#define BAD_SOLVER 6

static const hn_param params[] = { { .key = NULL } };

static hn_reason solve(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  (void)solver, (void)problem, (void)p;
  return HN_STALLED;
}

#define TABLE(called)                                                                               \
  {                                                                                                 \
    .abi = HN_ABI, .name = called, .summary = "does nothing", .citation = "none", .params = params, \
    .solve = solve                                                                                  \
  }

static const hn_contact_type good = TABLE("good-one");
static hn_contact_type bad = TABLE("bad-one");

#if FAULT == EMPTY
const hn_contact_type *const hn_plugin_contact_solvers[] = { NULL };
extern const void *const used[];
const void *const used[] = { &good, &bad };
#else
const hn_contact_type *const hn_plugin_contact_solvers[] = { &good, &bad, NULL };
#endif

#if FAULT == BAD_SOLVER
static const hn_solver_type solver_spec = { .abi = HN_ABI,
                                            .name = "moreau",
                                            .summary = "of that name there is one already",
                                            .citation = "none",
                                            .params = params };
const hn_solver_type *const hn_plugin_solvers[] = { &solver_spec, NULL };
#endif

/* Makes the second table faulty. */
__attribute__((constructor)) static void spoil(void)
{
  if (FAULT == OTHER_ABI) bad.abi = HN_ABI + 1;
  if (FAULT == BUILT_IN) bad.name = "pgs";
  if (FAULT == NO_SOLVE) bad.solve = NULL;
  if (FAULT == TWICE) bad.name = good.name;
}
