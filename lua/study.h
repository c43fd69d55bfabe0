/* study.h - studies written in Lua: the axes of a sweep and user-defined measures. Beside scene.h.
 *
 *   hn_study *study;
 *   if (hn_study_load(&study, "friction.lua", &options, &error) == 1)
 *     for (each point of the axes, each solver, each step) {
 *       hn_scene *scene = hn_scene_load(study->scene, ...);
 *       hn_study_run *own = hn_study_run_create(study, scene, &error);
 *       ... hn_study_run_measure(own, state, &error) for the initial state and after every step ...
 *     }
 *
 * A loaded study is constant data that threads may share. An hn_study_run belongs to one thread at a time.
 *
 * Copyright (C) 2026 the Holonom authors. Licence: GPL-3.0-or-later. */
#ifndef HN_STUDY_H
#define HN_STUDY_H

#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* exported */

/* Parameters that are varied together; values as text. */
typedef struct hn_study_axis {
  char **name; /* [nname] */
  size_t nname;
  char **value; /* [nvalue] one value for each name, then the next value for each name, and so on */
  size_t nvalue;
} hn_study_axis;

/* A loaded study. Read-only. */
typedef struct hn_study {
  char *path;
  char *written; /* scene, as the study names it */
  char *scene;   /* scene, for hn_scene_load: a relative path starts from the study's directory */
  /* [naxis] axes of scene parameters: those of `set`, then the samples; the last one varies fastest */
  hn_study_axis *axis;
  size_t naxis;
  char **solver; /* [nsolver] specs; none: the scene's default */
  size_t nsolver;
  hn_study_axis *varied; /* [nvaried] axes of solver parameters, one parameter each */
  size_t nvaried;
  double *step; /* [nstep] s; none: the scene's default */
  size_t nstep;
  double duration; /* s; 0: the scene's default */
  char *reference; /* NULL: not given */
  char *norm;      /* NULL: not given */
  bool consistent; /* project initial states onto the joints */
  char **measure;  /* [nmeasure] names of columns */
  size_t nmeasure;
  char **result; /* [nresult] names of columns */
  size_t nresult;
  char **show; /* [nshow] columns of the table for readers; none: no such table */
  size_t nshow;
  char *beside;           /* path of a CSV file whose rows a figure has too; NULL: none */
  int times;              /* timings of every run; 0: no columns of times */
  char *summary;          /* from the first line of the file, -- NAME: SUMMARY; NULL if none */
  int line;               /* of the declaration */
  char *text;             /* content of the file */
  size_t length;          /* of text, bytes */
  hn_scene_limits limits; /* of each call into the study */
  const volatile sig_atomic_t *stop;
} hn_study;

/* Returns the sorted names of installed studies, ended by NULL; free them with hn_scene_names_free. NULL on
 * error. */
char **hn_study_names(hn_error *error);
/* Load the study in the file PATH, with limits and stop of OPTIONS. Returns 1, or 0 if the file is a scene
 * (it requires holonom.scene), or -1 with file and line of the error. */
int hn_study_load(hn_study **study, const char *path, const hn_scene_options *options, hn_error *error);
void hn_study_free(hn_study *study); /* NULL is allowed */

/* ---- One run, measured --------------------------------------------------------------------------------- */

/* Measures and results of one run. */
typedef struct hn_study_run hn_study_run;

/* Create the measures for a run of SCENE. STUDY and SCENE must outlive them. The study's Lua code is loaded
 * anew, so that runs are independent. Returns NULL on error. */
hn_study_run *hn_study_run_create(const hn_study *study, hn_scene *scene, hn_error *error);
void hn_study_run_free(hn_study_run *run); /* NULL is allowed */

/* Evaluate all measures at STATE: the initial state, and each state after a step. Returns -1 with file and
 * line if a measure fails or does not return a finite number. */
int hn_study_run_measure(hn_study_run *run, const hn_state *state, hn_error *error);
/* Returns the last value of measure I, NAN if there is none. */
double hn_study_run_value(const hn_study_run *run, size_t i);

/* A column of a row of results. */
typedef struct hn_study_field {
  const char *name;
  const char *text; /* NULL: a number */
  double number;    /* NAN: no value */
} hn_study_field;

/* Evaluate all results for a row of COUNT columns, into RESULT[nresult]. Returns -1 as hn_study_run_measure
 * does. */
int hn_study_run_results(hn_study_run *run, const hn_study_field *field, size_t count, double *result,
                         hn_error *error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
