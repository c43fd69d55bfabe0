/* bad_plugin.c - shared objects that must be refused as plugins; FAULT selects the fault. */
#include "holonom.h"

#define OTHER_ABI 1
#define DUPLICATE 2
#define NO_SYMBOL 3
#define NO_STEP 4
#define EMPTY 5
#define SECOND_BAD 6
#define NO_CITATION 7
#define NO_UNIT 8

#if FAULT == NO_UNIT
static const hn_param params[] = {
  { .key = "gain", .kind = HN_REAL, .initial = "1", .max = 1.0, .help = "a parameter without a unit" },
  { .key = NULL },
};
#else
static const hn_param params[] = { { .key = NULL } };
#endif

static int setup(hn_solver *solver, hn_error *error)
{
  (void)solver, (void)error;
  return 0;
}

static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  (void)solver, (void)state, (void)h;
  return HN_CONVERGED;
}

#define TABLE(called)                                                                               \
  {                                                                                                 \
    .abi = HN_ABI, .name = called, .summary = "does nothing", .citation = "none", .params = params, \
    .setup = setup, .step = step                                                                    \
  }

static const hn_solver_type good = TABLE("good-one");
static hn_solver_type bad = TABLE("bad-one");

#if FAULT == NO_SYMBOL
extern const hn_solver_type *const my_solvers[];
const hn_solver_type *const my_solvers[] = { &good, &bad, NULL };
#elif FAULT == EMPTY
const hn_solver_type *const hn_plugin_solvers[] = { NULL };
extern const void *const used[];
const void *const used[] = { &good, &bad };
#else
const hn_solver_type *const hn_plugin_solvers[] = { &good, &bad, NULL };
#endif

/* Makes the second table faulty. */
__attribute__((constructor)) static void spoil(void)
{
  if (FAULT == OTHER_ABI) bad.abi = HN_ABI + 1;
  if (FAULT == DUPLICATE) bad.name = "lagrange";
  if (FAULT == NO_STEP) bad.step = NULL;
  if (FAULT == NO_CITATION) bad.citation = NULL;
  if (FAULT == SECOND_BAD) bad.name = good.name;
}
