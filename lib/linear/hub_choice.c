/* hub_choice.c - creates K in its layout and chooses the hubs.
 *
 * Whether a body is better a hub or part of K is decided by counting: the multiplications of a factorisation
 * are computed from the pattern, for no hubs and for bodies with at least 128, 32 and 8 neighbours. A choice
 * with more hubs must halve the count. */
#include "linear/factor_pattern.h"
#include "linear/matrix.h"

#include <stdlib.h>

/* A body with as many neighbours is a hub without counting: K would take too long to analyse. */
enum { SURE_HUB = 512 };
/* Numbers of neighbours from which bodies may be hubs, and part of the work that may remain. */
static const int hub_neighbours[] = { 128, 32, 8 };
static const double hub_advantage = 0.5;

/* Creates the pattern with bodies of at least LEAST neighbours as hubs, and counts its work. */
static int create_with_hubs(hn_assembly *as, const hn_system *s, const int *neighbours, int least,
                            double *work, hn_error *error)
{
  *as = (hn_assembly){ .aligned = false };
  if (hn_hubs_create(&as->hubs, s, neighbours, least)) return hn_fail(error, "out of memory");
  if (hn_assembly_build(as, s, true, error)) return -1;
  *work = hn_factor_work(&as->K);
  return *work >= 0.0 ? 0 : hn_fail(error, "out of memory");
}

/* Chooses hubs by the number of neighbours that saves most work. */
static int choose_hubs(hn_assembly *as, const hn_system *s, const int *neighbours, hn_error *error)
{
  double least_work = 0.0, work = 0.0;
  int most = 0, status = create_with_hubs(as, s, neighbours, SURE_HUB, &least_work, error);
  for (int i = 0; i < s->model->nbody; i++)
    if (s->model->body[i].kind != HN_FIXED && neighbours[i] > most) most = neighbours[i];
  for (size_t k = 0; status == 0 && k < sizeof hub_neighbours / sizeof *hub_neighbours; k++) {
    if (most < hub_neighbours[k]) continue;
    hn_assembly other;
    status = create_with_hubs(&other, s, neighbours, hub_neighbours[k], &work, error);
    const bool better = status == 0 && work <= hub_advantage * least_work;
    if (better) least_work = work;
    hn_assembly_free(better ? as : &other);
    if (better) *as = other;
  }
  return status;
}

int hn_assembly_create(hn_assembly *as, const hn_system *s, hn_layout layout, hn_error *error)
{
  *as = (hn_assembly){ .aligned = false };
  if (layout != HN_WITH_HUBS) return hn_assembly_build(as, s, layout == HN_BY_CONSTRAINTS, error);
  int *neighbours = malloc(sizeof *neighbours * ((size_t)s->model->nbody + 1));
  int status = neighbours && hn_count_neighbours(s, neighbours) == 0 ? choose_hubs(as, s, neighbours, error)
                                                                     : hn_fail(error, "out of memory");
  free(neighbours);
  return status;
}
