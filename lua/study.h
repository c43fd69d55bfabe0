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

/* Texts of a page about a study. */
typedef struct hn_study_page {
  char *title; /* NULL: the study has no page */
  char **text; /* [ntext] paragraphs */
  size_t ntext;
  char **asked; /* [nasked] public threads: "owner/name#number", or an address */
  size_t nasked;
} hn_study_page;

/* A loaded study. Read-only. */
typedef struct hn_study {
  char *path;
  char *written; /* scene, as the study names it; NULL: the study is a list of studies */
  char *scene;   /* scene, for hn_scene_load: a relative path starts from the study's directory */
  char **part;   /* [npart] names of the studies of a list, in its directory */
  size_t npart;
  /* [naxis] axes of scene parameters: those of `set`, then the samples; the last one varies fastest */
  hn_study_axis *axis;
  size_t naxis;
  char **solver; /* [nsolver] specs; none: the scene's default */
  size_t nsolver;
  char **engine; /* [nengine] specs of further solvers, which may be missing */
  size_t nengine;
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
  bool concludes; /* has a table of conclusions: hn_study_conclude */
  hn_study_page page;
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

/* ---- All runs, concluded ------------------------------------------------------------------------------- */

/* A table of texts; numbers with all digits. */
typedef struct hn_study_table {
  char **column; /* [ncolumn] names */
  size_t ncolumn;
  char **field; /* [nrow * ncolumn] "": no value */
  size_t nrow;
} hn_study_table;

/* Compute the conclusions of STUDY from NROW rows of NCOLUMN fields each, one row after the other. Free TABLE
 * with hn_study_table_free in either case. Returns -1 with file and line on error. */
int hn_study_conclude(const hn_study *study, const hn_study_field *field, size_t ncolumn, size_t nrow,
                      hn_study_table *table, hn_error *error);
void hn_study_table_free(hn_study_table *table);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
