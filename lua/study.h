/* study.h - studies written in Lua: what is to be varied, and measures of one's own. Beside scene.h.
 *
 *   hn_study *study;
 *   if (hn_study_load(&study, "friction.lua", &options, &error) == 1)
 *     for (each point of the axes, each solver, each step) {
 *       hn_scene *scene = hn_scene_load(study->scene, ...);
 *       hn_study_run *own = hn_study_run_create(study, scene, &error);
 *       ... hn_study_run_measure(own, state, &error) for the initial state and after every step ...
 *     }
 *
 * A study is data once it is loaded: threads may share it. What measures a run belongs to one thread at a time.
 *
 * Copyright (C) 2026 the Holonom authors. Licence: GPL-3.0-or-later. */
#ifndef HN_STUDY_H
#define HN_STUDY_H

#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* exported */

/* Parameters that are set together, several times; values as texts. */
typedef struct hn_study_axis {
  char **name; /* [nname] */
  size_t nname;
  char **value; /* [nvalue] one for each of them, then the next ones for each, and so on */
  size_t nvalue;
} hn_study_axis;

/* A study as it was loaded; read it, and leave it as it is. */
typedef struct hn_study {
  char *path;
  char *written; /* its scene, as the study says it, */
  char *scene;   /* and as hn_scene_load takes it: a path in the study is from the study's directory */
  hn_study_axis
    *axis; /* [naxis] of the scene: those of `set`, then the samples; the last goes round fastest */
  size_t naxis;
  char **solver; /* [nsolver] specs; none: the scene's own */
  size_t nsolver;
  hn_study_axis *varied; /* [nvaried] of the solvers, one parameter each */
  size_t nvaried;
  double *step; /* [nstep] s; none: the scene's own */
  size_t nstep;
  double duration; /* s; 0: the scene's own */
  char *reference; /* NULL: not said */
  char *norm;      /* likewise */
  bool consistent; /* starts are projected onto the joints */
  char **measure;  /* [nmeasure] names, of columns */
  size_t nmeasure;
  char **result; /* [nresult] names, of columns */
  size_t nresult;
  char **show; /* [nshow] the columns that are for people; none: all are for programs */
  size_t nshow;
  int times;     /* measurements of the time of every run; 0: there are no columns of times */
  char *summary; /* what follows its name in the first line of the file, which says that: -- NAME: WHAT */
  int line;      /* where the file declares it */
  char *text;    /* the whole file, */
  size_t length; /* so many bytes */
  hn_scene_limits limits; /* of each call into it */
  const volatile sig_atomic_t *stop;
} hn_study;

/* Names of installed studies, as hn_scene_names has those of scenes. */
char **hn_study_names(hn_error *error);
/* Loads the study in the file PATH, with limits and stop of OPTIONS. 1, or 0 when the file is a scene (it requires the
 * module of scenes), or -1 with file and line of what is wrong. */
int hn_study_load(hn_study **study, const char *path, const hn_scene_options *options, hn_error *error);
void hn_study_free(hn_study *study); /* which may be NULL */

/* ---- One run, measured ------------------------------------------------------------------------------------------- */

/* The measures and results of one run. */
typedef struct hn_study_run hn_study_run;

/* For a run of SCENE, which must stay, as STUDY must: its Lua code starts anew, so that no run depends on another. NULL
 * on error. */
hn_study_run *hn_study_run_create(const hn_study *study, hn_scene *scene, hn_error *error);
void hn_study_run_free(hn_study_run *run); /* which may be NULL */

/* Calls all measures with STATE, that of the start or after a step. -1 with file and line where one fails or returns
 * anything but a finite number. */
int hn_study_run_measure(hn_study_run *run, const hn_state *state, hn_error *error);
/* The last value of measure I; NAN when there is none. */
double hn_study_run_value(const hn_study_run *run, size_t i);

/* A column of a row, as results see it. */
typedef struct hn_study_field {
  const char *name;
  const char *text; /* NULL: it is a number, */
  double number;    /* NAN: it has no value */
} hn_study_field;

/* Calls all results with a row of COUNT columns, into RESULT[nresult]. -1 as above. */
int hn_study_run_results(hn_study_run *run, const hn_study_field *field, size_t count, double *result,
                         hn_error *error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
