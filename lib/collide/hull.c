/* placeholder until the hull lands */
#include "collide/hull.h"
hn_hull *hn_hull_copy(const hn_hull *hull) { (void)hull; return NULL; }
void hn_hull_free(hn_hull *hull) { (void)hull; }
void hn_hull_mass(const hn_hull *hull, double density, double *mass, double centre[3], double J[6]) { (void)hull, (void)density, (void)centre, (void)J; *mass = 0; }
hn_hull *hn_hull_create(const double *points, int count, bool polygon, hn_error *error) { (void)points, (void)count, (void)polygon; hn_fail(error, "not yet"); return NULL; }
size_t hn_hull_memory(const hn_hull *hull) { (void)hull; return 0; }
