/* bench.h - common parts of the benchmarks: clock, repetitions, a floor, trials on scenes, and tables.
 *
 * Machines differ and are noisy. So everything that is compared is timed in turn, many times; each part is
 * timed beside two units of work (units.c); and results are printed as measured, and scaled by each unit to
 * the machine on which the bounds were set. */
#ifndef HN_BENCH_H
#define HN_BENCH_H

#include "holonom.h"
#include "linear/linear.h"
#include "scene.h"

/* Times of the two units of work, us; below, those on the machine of the bounds. */
typedef struct bench_units {
  double floor, petsc;
} bench_units;
#define BENCH_FLOOR_US 8.6
#define BENCH_PETSC_US 12.0

/* ---- Basics (clock.c) -------------------------------------------------------------------------------- */

/* Prints one line to stderr and ends the program with status 2. */
_Noreturn void bench_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
void *bench_alloc(size_t count, size_t size);
double bench_seconds(void);

/* ---- Repetitions (timing.c) -------------------------------------------------------------------------- */

typedef struct bench_stat {
  double min, median;
} bench_stat;

/* Returns minimum and median of VALUES, which it sorts. */
bench_stat bench_statistics(double *values, int count);

/* Work to time, in parts that are timed separately, so that a disturbance affects one part only. */
typedef struct bench_job {
  void (*run)(void *data);     /* runs the next part */
  void (*restart)(void *data); /* called before each repetition; may be NULL */
  void *data;
  int parts;          /* of a repetition */
  double units;       /* steps, or other units counted, of one part */
  bench_stat us;      /* result: us a unit, minimum and median over the repetitions, mean over the parts */
  bench_units scaled; /* result: medians scaled by each unit of work to the machine of the bounds, us */
} bench_job;

/* Times COUNT jobs in turn, REPETITIONS times. */
void bench_measure(bench_job *jobs, int count, int repetitions);

/* Prints the head of a table, "| a | b |", and the line below it. */
void bench_table(const char *head);
/* Print a table of results beside their bounds (NAN: none); SCALED may be NAN. */
void bench_figure_head(const char *title);
void bench_figure(const char *what, const char *unit, bench_stat measured, bench_units scaled, double bound);

/* ---- The floor (floor.c) ----------------------------------------------------------------------------- */

typedef struct bench_floor bench_floor;

/* Plans the factorisation of K, which must have 3 x 3 blocks and cause no fill-in. */
bench_floor *bench_floor_create(const hn_block_matrix *K);
void bench_floor_free(bench_floor *floor);
/* Copies the values of K, factors, and solves K x = x. */
void bench_floor_run(bench_floor *floor, double *x);

/* ---- The units (units.c) ----------------------------------------------------------------------------- */

bench_units bench_units_now(void);

/* ---- Trials: a solver on a scene (trial.c) ----------------------------------------------------------- */

typedef struct bench_trial {
  hn_scene *scene;
  hn_solver *solver;
  hn_state *start, *state;
  hn_control *control;   /* of this repetition, or NULL */
  double step, duration; /* s */
  int steps;             /* of a part */
  long index;            /* steps taken in this repetition */
} bench_trial;

/* Loads the installed scene NAME, or "name:parameter=value", with n = N (0: its own). Exits on error. */
hn_scene *bench_scene(const char *name, int n);
/* Opens a trial of SPEC on SCENE with the scene's step; DURATION is divided into PARTS equal parts. */
bench_trial bench_trial_open(const char *scene, int n, const char *spec, double duration, int parts);
void bench_trial_close(bench_trial *trial);
/* Runs the trial once by hn_run and returns reason, counts and errors. */
hn_summary bench_trial_summary(bench_trial *trial);
/* Returns the trial as a job that refers to TRIAL. */
bench_job bench_trial_job(bench_trial *trial);
double bench_per_step(const hn_summary *summary, uint64_t count);

/* ---- Every solver ------------------------------------------------------------------------------------ */

enum { BENCH_SPEC = 96, BENCH_SPECS = 128 };
/* Lists all solvers in all variants as specs. Returns their number, at most LIMIT. (floors.c) */
int bench_specs(char (*specs)[BENCH_SPEC], int limit);

/* ---- The benchmarks ---------------------------------------------------------------------------------- */

void bench_calibration(void);
void bench_speed(void);
void bench_linearity(void);
void bench_corrections(void);
void bench_memory(void);
void bench_start(void);
void bench_phases(void);
void bench_mixed(void);
void bench_rank(void);
void bench_hubs(void);
void bench_taylor(void);
void bench_floors(void);
void bench_precision(void);
void bench_pairs(void);
void bench_contact(void);
void bench_record(void);
void bench_engines(void);
void bench_paper(void);

#endif
