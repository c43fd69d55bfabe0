/* admm.c - the alternating direction method of multipliers: one factorisation for many iterations.
 *
 *   p = (K + R)^-1 (R z + w - b - s),   z = P_C(p - R^-1 w),   w := w - R (p - z),   s = mu |w_t| e_n
 *
 * without over-relaxation, with which the shift converges worse. w is what the velocities with De Saxce's
 * shift s will be, in the polar cone of C from the first iteration on; p are impulses with K
 * p + b + s = w + R (z - p) exactly, so that velocities cost no product. R = rho k on each block, k the mean
 * of its diagonal of K: with it a problem of unequal masses is as one of equal ones as a diagonal can make
 * it. Equations need no splitting: rho is `proximal` there, and keeps K + R regular where joints repeat each
 * other. rho follows the balance of |p - z| / |p| and |R (z - z of before)| / |b| (impulses no smaller than
 * b / k), with a factorisation each time, after 10 iterations, 20, 40 and then every 40, by less where it
 * goes up and down in turn; so K may be singular and impulses not unique. z - w / R says all of an iteration:
 * what needs more than 100 of them is slow because of a few directions of it, as contacts along a stack are,
 * and is accelerated (anderson.h). Where contacts contradict each other its steps become all the same, and
 * the end can be foreseen (steady_direction.h): it goes there at once, however many steps away a contact opens or slides;
 * where none ever does it is stalled, with the best impulses there were. Coulomb's law is no convex problem:
 * there is no proof for large mu, and the measure decides.
 *
 * [Boyd and others, Found. Trends Mach. Learn. 3 (2011) 1; of contact: Acary, Bremond, Koziara and Perignon 2018;
 * Carpentier, Le Lidec and Montaut, RSS 2024; Tasora, Mangoni, Benatti and Garziera 2021] */
#include "base/vec.h"
#include "contact/anderson.h"
#include "contact/admm/steady_direction.h"
#include "contact/matrix/contact_matrix.h"

#include <limits.h>
#include <string.h>

static const double proximal = 1e-7; /* rho of equations */
static const double least_rho = 1e-8, most_rho = 1e6;
static const double unbalanced = 2.0;   /* ratio of residuals from which rho is another one */
static const double most_change = 10.0; /* of rho */
enum { FIRST_REVIEW = 10 }; /* iterations to the first look at rho; then twice as many each time */
enum { LONGEST_REVIEW = 40 };
enum { SLOW = 100 };       /* iterations after which acceleration pays */
enum { LOOK = SLOW - 10 }; /* iterations after which it looks where it goes */
enum {
  PAUSE = 200
};                        /* iterations in which the error is to halve, or it goes on as many without
                                           * acceleration, which leads nowhere on a ray, and hides it */
enum { LONG = 50 };       /* iterations the same way, from which it goes there at once */
enum { HOPELESS = 3000 }; /* iterations in which the error is to halve */
enum {
  PATIENCE = 20
}; /* iterations within the tolerance after which they are good enough: where
                                           * contacts contradict each other by rounding they get no nearer */

typedef struct admm {
  double rho0;
  hn_sparse K;
  double *scale, *R;             /* [most.blocks] */
  double *z, *w, *p, *v, *shift; /* [most.rows] */
  double *u;                     /* [6 most.bodies] */
  double *best;                  /* [most.rows] p when the error last halved */
  double *x, *tx, *weight;       /* [most.rows] z - w / R, which says all, before an iteration and after; k */
  hn_anderson fast;
  hn_ray ray;
} admm;

static int setup(hn_contact_solver *solver, hn_error *error)
{
  admm *s = solver->data;
  const size_t rows = (size_t)solver->most.rows + 1, blocks = (size_t)solver->most.blocks + 1;
  s->scale = malloc(sizeof(double) * blocks), s->R = malloc(sizeof(double) * blocks);
  s->z = malloc(sizeof(double) * rows), s->w = malloc(sizeof(double) * rows),
  s->p = malloc(sizeof(double) * rows);
  s->v = malloc(sizeof(double) * rows), s->shift = malloc(sizeof(double) * blocks);
  s->u = malloc(sizeof(double) * 6 * ((size_t)solver->most.bodies + 1));
  s->x = malloc(sizeof(double) * rows), s->tx = malloc(sizeof(double) * rows);
  s->weight = malloc(sizeof(double) * rows), s->best = malloc(sizeof(double) * rows);
  bool made = hn_anderson_create(&s->fast, rows) && hn_ray_create(&s->ray, rows);
  made = made && s->best && s->x && s->tx && s->weight;
  if (made && s->scale && s->R && s->z && s->w && s->p && s->v && s->shift && s->u) return 0;
  return hn_fail(error, "no memory for contact problems of %zu rows", rows);
}

static void destroy(hn_contact_solver *solver)
{
  admm *s = solver->data;
  hn_sparse_free(&s->K);
  free(s->scale), free(s->R), free(s->z), free(s->w), free(s->p), free(s->v), free(s->shift), free(s->u);
  free(s->x), free(s->tx), free(s->weight), free(s->best);
  hn_anderson_free(&s->fast), hn_ray_free(&s->ray);
}

/* ---- One iteration ----------------------------------------------------------------------------------------------- */

static hn_reason factor(hn_contact_solver *solver, const hn_problem *problem, double rho)
{
  admm *s = solver->data;
  for (int k = 0; k < problem->nblock; k++)
    s->R[k] = s->scale[k] * (problem->block[k].set.kind == HN_ANY ? proximal : rho);
  solver->factorisations++;
  return hn_sparse_factor(&s->K, s->R);
}

/* p, and v = K p + b. */
static void solve_p(admm *s, const hn_problem *problem)
{
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    const int first = block->row;
    s->shift[k] = block->set.kind == HN_CONE ? block->set.mu * norm_of(s->w + first + 1, block->n - 1) : 0.0;
    for (int i = first; i < first + block->n; i++) s->v[i] = s->w[i] + s->R[k] * s->z[i];
    s->v[first] -= s->shift[k];
    for (int i = first; i < first + block->n; i++) s->p[i] = s->v[i] - problem->b[i];
  }
  hn_sparse_solve(&s->K, s->p);
  for (int k = 0; k < problem->nblock; k++)
    for (int i = problem->block[k].row; i < problem->block[k].row + problem->block[k].n; i++)
      s->v[i] -= s->R[k] * s->p[i];
}

/* Residuals, of the sizes of what should be equal there. */
typedef struct balance {
  double primal, impulse; /* k |p - z|, k |p| */
  double dual, velocity;  /* R |z - z before|, |b| */
} balance;

static balance project(admm *s, const hn_problem *problem)
{
  balance most = { 0 };
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    const int n = block->n;
    const double *p = s->p + block->row;
    double *z = s->z + block->row, *w = s->w + block->row, apart[HN_MAX_ROWS], step[HN_MAX_ROWS];
    for (int i = 0; i < n; i++) step[i] = -z[i], z[i] = p[i] - w[i] / s->R[k];
    hn_set_project(&block->set, n, problem->h, z);
    for (int i = 0; i < n; i++) {
      step[i] += z[i], apart[i] = p[i] - z[i];
      w[i] -= s->R[k] * apart[i];
    }
    most.primal = fmax(most.primal, s->scale[k] * norm_of(apart, n));
    most.impulse = fmax(most.impulse, s->scale[k] * norm_of(p, n));
    most.dual = fmax(most.dual, s->R[k] * norm_of(step, n));
    most.velocity = fmax(most.velocity, norm_of(problem->b + block->row, n));
  }
  return most;
}

/* ---- The solver -------------------------------------------------------------------------------------------------- */

/* z - w / R into X. */
static void join(const admm *s, const hn_problem *problem, double *x)
{
  for (int k = 0; k < problem->nblock; k++)
    for (int i = problem->block[k].row; i < problem->block[k].row + problem->block[k].n; i++)
      x[i] = s->z[i] - s->w[i] / s->R[k];
}

/* z and w from x. */
static void part(admm *s, const hn_problem *problem)
{
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    const double *x = s->x + block->row;
    double *z = s->z + block->row, *w = s->w + block->row;
    memcpy(z, x, sizeof *z * (size_t)block->n);
    hn_set_project(&block->set, block->n, problem->h, z);
    for (int i = 0; i < block->n; i++) w[i] = s->R[k] * (z[i] - x[i]);
  }
}

/* Where iterations go the same way for long, as many of the LEFT ones as it takes, to where that ends. */
static bool follow_ray(admm *s, const hn_problem *problem, int left)
{
  const double change = hn_ray_change(&s->ray);
  if (!(LONG * change <= 1.0)) return false;
  const double steps = hn_ray_reach(&s->ray, problem, s->weight, s->tx);
  if (!(steps >= LONG && fmin(steps, left) * change <= 1.0 && isfinite(steps))) return false;
  for (int i = 0; i < problem->nrow; i++) s->x[i] = s->tx[i] + steps * s->ray.f[i];
  part(s, problem);
  hn_anderson_forget(&s->fast), hn_ray_forget(&s->ray);
  return true;
}

/* What follows from the last iterations, beside what the last one has made of x; SLOW: in which the error has
 * not halved. False: nothing in the LEFT ones. */
static bool leap(admm *s, const hn_problem *problem, bool plain, bool slow, int left)
{
  join(s, problem, s->tx);
  hn_ray_note(&s->ray, problem->nrow, s->weight, s->tx, s->x);
  const bool lasts = hn_ray_lasts(&s->ray, problem, s->weight, s->tx, left);
  if ((slow || lasts) && follow_ray(s, problem, left)) return true;
  if (lasts) return false;
  if (plain) {
    memcpy(s->x, s->tx, sizeof *s->x * (size_t)problem->nrow);
    hn_anderson_forget(&s->fast);
    return true;
  }
  hn_anderson_leap(&s->fast, problem->nrow, s->weight, s->tx, s->x);
  part(s, problem);
  return true;
}

/* The nearest impulses of the sets into P: their error. */
static double finish(admm *s, const hn_problem *problem, double *p)
{
  memcpy(p, s->p, sizeof *p * (size_t)problem->nrow);
  return hn_rows_confine(problem, s->scale, s->u, s->v, p);
}

/* The best there was, which P meets the sets with. */
static hn_reason give_up(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  admm *s = solver->data;
  memcpy(s->p, s->best, sizeof *p * (size_t)problem->nrow);
  solver->error = finish(s, problem, p);
  return HN_STALLED;
}

/* rho and what is known of its changes. */
typedef struct course {
  double rho, change, last; /* the largest change, for now; the last that was wanted, 0: none */
  int due, wait;            /* the iteration of the next review; from there to the one after */
} course;

/* rho for what is out of balance; is it another one? Impulses count as no smaller than velocities: of a contact that is
 * about to open they are next to nothing, and relative to that no error would be small, though the law is all but
 * met. */
static bool review(course *c, int iteration, balance now)
{
  const double ratio = sqrt(now.primal / fmax(now.impulse, now.velocity) * (now.velocity / now.dual)),
               old = c->rho;
  if (iteration < c->due) return false;
  c->wait = c->wait < LONGEST_REVIEW ? 2 * c->wait : c->wait, c->due = iteration + c->wait;
  if (!(ratio > sqrt(unbalanced) || ratio < 1 / sqrt(unbalanced))) return false;
  const bool back = (ratio > 1.0) != (c->last > 1.0);
  if (c->last > 0.0) c->change = back ? sqrt(c->change) : fmin(c->change * c->change, most_change);
  c->last = ratio;
  c->rho = fmin(fmax(c->rho * fmin(fmax(ratio, 1.0 / c->change), c->change), least_rho), most_rho);
  return c->rho != old;
}

/* Is the error about to be one that P, the nearest impulses of the sets, meets? */
static bool is_done(hn_contact_solver *solver, const hn_problem *problem, double error, int *near, double *p)
{
  const double tolerance = solver->options.tolerance;
  *near = error <= tolerance ? *near + 1 : 0;
  return (error <= 0.5 * tolerance || *near > PATIENCE) && finish(solver->data, problem, p) <= tolerance;
}

static hn_reason start(hn_contact_solver *solver, const hn_problem *problem, const double *p, double rho)
{
  admm *s = solver->data;
  if (!hn_rows_scales(problem, s->scale)) return HN_NOT_FINITE;
  hn_reason reason = hn_sparse_load(&s->K, problem, true);
  if (reason == HN_CONVERGED) reason = factor(solver, problem, rho);
  memcpy(s->z, p, sizeof *p * (size_t)problem->nrow);
  hn_problem_velocities(problem, p, s->u, s->w); /* those that the start has, of the polar cone */
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    double *w = s->w + block->row, *z = s->z + block->row, q[HN_MAX_ROWS];
    hn_set_project(&block->set, block->n, problem->h, z);
    hn_set_shift(&block->set, block->n, w);
    for (int i = 0; i < block->n; i++) q[i] = w[i] = z[i] - w[i] / s->scale[k];
    hn_set_project(&block->set, block->n, problem->h, q);
    for (int i = 0; i < block->n; i++)
      w[i] = s->scale[k] * (q[i] - w[i]), s->weight[block->row + i] = s->scale[k];
  }
  hn_anderson_start(&s->fast), hn_ray_forget(&s->ray);
  return reason;
}

static hn_reason solve(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  admm *s = solver->data;
  course rho = { .rho = s->rho0, .change = most_change, .due = FIRST_REVIEW, .wait = FIRST_REVIEW };
  double best = HUGE_VAL; /* error, which is to halve */
  int halved = 0, near = 0;
  hn_reason reason = start(solver, problem, p, rho.rho);
  for (int k = 1; k <= solver->options.iterations && reason == HN_CONVERGED; k++) {
    solve_p(s, problem);
    solver->solves++;
    double error = hn_rows_error(problem, s->scale, false, s->p, s->v);
    if (!isfinite(error)) return HN_NOT_FINITE;
    hn_contact_note(solver, error);
    if (error <= 0.5 * best) {
      best = error, halved = k;
      memcpy(s->best, s->p, sizeof *p * (size_t)problem->nrow);
    }
    if (is_done(solver, problem, error, &near, p)) return HN_CONVERGED;
    if (k - halved >= HOPELESS && solver->options.tolerance > 0.0) return give_up(solver, problem, p);
    balance now = project(s, problem);
    const bool aims = solver->options.tolerance > 0.0,
               plain = k <= SLOW || (aims && (k - halved) / PAUSE % 2);
    const bool slow = k - halved >= PAUSE;
    const int left = slow ? solver->options.iterations - k : INT_MAX; /* leaps may shorten the way */
    if (k > LOOK && !leap(s, problem, plain, slow && aims, left) && aims) return give_up(solver, problem, p);
    const bool other = (k <= SLOW || !plain) && review(&rho, k, now);
    if (other)
      reason = factor(solver, problem, rho.rho), hn_anderson_forget(&s->fast), hn_ray_forget(&s->ray);
    if (k == LOOK || other) join(s, problem, s->x);
  }
  if (reason == HN_CONVERGED) finish(s, problem, p);
  return reason == HN_CONVERGED ? HN_BUDGET : reason;
}

static const hn_param params[] = {
  { "rho", HN_REAL, offsetof(admm, rho0), "0.1", 1e-6, 1e4, "", NULL,
    "weight of the splitting at the start, of the mean of the diagonal of K" },
  { .key = NULL },
};

const hn_contact_type hn_contact_admm = {
  .abi = HN_ABI,
  .name = "admm",
  .summary = "splitting: one factorisation for many iterations; redundant contacts and unequal masses",
  .citation = "Carpentier, Le Lidec and Montaut 2024",
  .capabilities = HN_CAN_PUSH | HN_CAN_WITHIN | HN_CAN_CONE | HN_SOLVES_MATRIX,
  .data_size = sizeof(admm),
  .params = params,
  .setup = setup,
  .solve = solve,
  .free = destroy,
};
