/* bench.h - what the benchmarks share: a clock, repetitions beside a floor, rides on scenes, and how figures print.
 *
 * Machines differ and are noisy. So everything that is compared runs in turn, many times over; every piece is timed
 * beside two units of work (units.c); and figures are printed as measured, and scaled by each unit to the machine the
 * bounds were set on. */
#ifndef HN_BENCH_H
#define HN_BENCH_H

#include "holonom.h"
#include "linear/linear.h"
#include "scene.h"

/* Times of the units of work, us: here and now, and on the machine of the bounds. */
typedef struct bench_units {
  double floor, petsc;
} bench_units;
#define BENCH_FLOOR_US 8.6
#define BENCH_PETSC_US 12.0

/* ---- What all stand on (clock.c) --------------------------------------------------------------------------------- */

/* Prints one line to stderr and ends the program with status 2. */
_Noreturn void bench_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
void *bench_alloc(size_t count, size_t size);
double bench_seconds(void);

/* ---- Repetitions (timing.c) -------------------------------------------------------------------------------------- */

typedef struct bench_stat {
  double min, median;
} bench_stat;

/* Sorts VALUES. */
bench_stat bench_statistics(double *values, int count);

/* Something to time, in parts that are timed apart, so that a disturbance spoils one part of one repetition. */
typedef struct bench_job {
  void (*run)(void *data);     /* does the next part */
  void (*restart)(void *data); /* before each repetition; may be NULL */
  void *data;
  int parts;          /* of a repetition */
  double units;       /* steps, or what else is counted, of one part */
  bench_stat us;      /* result: us a unit, least and median over the repetitions, mean over the parts */
  bench_units scaled; /* result: the medians scaled by either unit, us of the machine of the bounds */
} bench_job;

/* Times COUNT jobs in turn, REPETITIONS times. */
void bench_measure(bench_job *jobs, int count, int repetitions);

/* Prints the head of a table, "| a | b |", and the line below it. */
void bench_table(const char *head);
/* A table of figures beside their bounds (NAN: it has none); SCALED may be NAN. */
void bench_figure_head(const char *title);
void bench_figure(const char *what, const char *unit, bench_stat measured, bench_units scaled, double bound);

/* ---- The floor (floor.c) ----------------------------------------------------------------------------------------- */

typedef struct bench_floor bench_floor;

/* Plans the factorisation of K, which must have 3 x 3 blocks and no fill-in. */
bench_floor *bench_floor_create(const hn_block_matrix *K);
void bench_floor_free(bench_floor *floor);
/* Copies the values of K, factors, and solves K x = x. */
void bench_floor_run(bench_floor *floor, double *x);

/* ---- The units (units.c) ----------------------------------------------------------------------------------------- */

bench_units bench_units_now(void);

/* ---- Rides: a solver on a scene (ride.c) ------------------------------------------------------------------------- */

typedef struct bench_ride {
  hn_scene *scene;
  hn_solver *solver;
  hn_state *start, *state;
  hn_control *control;   /* of this repetition; NULL: the scene has none */
  double step, duration; /* s */
  int steps;             /* of a part */
  long index;            /* steps taken of this repetition */
} bench_ride;

/* The installed scene NAME, or "name:parameter=value", with n = N (0: its own); ends the program when there is none. */
hn_scene *bench_scene(const char *name, int n);
/* SPEC on SCENE with the scene's step, DURATION in PARTS equal parts. */
bench_ride bench_ride_open(const char *scene, int n, const char *spec, double duration, int parts);
void bench_ride_close(bench_ride *ride);
/* One whole run by hn_run, without a stopwatch: reason, counts, errors. */
hn_summary bench_ride_summary(bench_ride *ride);
/* The ride as a job; RIDE must stay. */
bench_job bench_ride_job(bench_ride *ride);
double bench_per_step(const hn_summary *summary, uint64_t count);

/* ---- Every solver ------------------------------------------------------------------------------------------------ */

enum { BENCH_SPEC = 96, BENCH_SPECS = 128 };
/* All solvers of the registry in all their variants, as specs; their number, at most LIMIT. (floors.c) */
int bench_specs(char (*specs)[BENCH_SPEC], int limit);

/* ---- The benchmarks ---------------------------------------------------------------------------------------------- */

void bench_calibration(void);
void bench_speed(void);
void bench_linearity(void);
void bench_corrections(void);
void bench_memory(void);
void bench_start(void);
void bench_phases(void);
void bench_mixed(void);
void bench_rank(void);
void bench_taylor(void);
void bench_floors(void);
void bench_precision(void);
void bench_pairs(void);
void bench_contact(void);
void bench_record(void);
void bench_paper(void);

#endif
