/* options.h - the options of all commands, and what a command takes. */
#ifndef HN_CLI_OPTIONS_H
#define HN_CLI_OPTIONS_H

#include "holonom.h"
#include "scene.h"

/* Options, by number, and what else a command may take. */
typedef enum cli_option {
  CLI_NONE = 0, /* ends a list */
#define OPTION(id, name, argument, help) CLI_##id,
#include "cli/base/options.def"
#undef OPTION
  CLI_BACKENDS, /* --linear and --contact take lists */
  CLI_VARY      /* --KEY takes values to vary it over */
} cli_option;

/* What several commands take. */
#define CLI_LIMITS CLI_LIMIT_INSTRUCTIONS, CLI_LIMIT_MEMORY, CLI_LIMIT_TIME
#define CLI_RECORD                                                                                  \
  CLI_RECORD_RANK, CLI_RECORD_JOINTS, CLI_RECORD_FORCES, CLI_RECORD_CONTACTS, CLI_EVERY, CLI_TIMES, \
    CLI_RECORD_EVENTS, CLI_LIST_EVENTS
#define CLI_FIGURE CLI_NAME, CLI_X, CLI_Y, CLI_BY, CLI_WHERE, CLI_SLOPES, CLI_WIDTH, CLI_HEIGHT
#define CLI_SHOWN CLI_JSON, CLI_QUIET, CLI_WIDE
#define CLI_OF_SCENE CLI_SET, CLI_CONSISTENT, CLI_SOLVER, CLI_SHOWN, CLI_PLUGIN, CLI_LIMITS, CLI_HELP
#define CLI_OF_RUN CLI_OF_SCENE, CLI_STEP, CLI_DURATION
enum { CLI_MOST_TAKEN = CLI_VARY };

typedef struct cli_options {
  char *line;  /* the command as it was given, as a shell would read it */
  char **word; /* arguments that are not options */
  int nword;
  hn_setting *setting; /* --set */
  size_t nsetting;
  hn_scene_limits limits;                            /* 0 when not given */
  const char *solver, *solvers, *reference, *output; /* NULL when not given */
  double step, duration;                             /* s; 0 when not given */
  double at;                                         /* s; 0 when not given */
  double *steps;                                     /* s */
  size_t nsteps;
  char *parameters; /* --KEY VALUE of the solver, as "key=value,..."; already part of solver; NULL: none */
  char *joined;     /* owns solver when parameters were joined to it */
  const char
    *backends; /* --linear or --contact as a list, where the command takes one; NULL when not given */
  const char *backend_key; /* which of them */
  uint64_t budget;         /* joint operations; 0 when not given */
  hn_setting *varied;      /* [nvaried] --KEY VALUES, where the command varies them */
  size_t nvaried;
  int repeat;    /* 0 when not given */
  int jobs;      /* 0 when not given */
  double expect; /* order; 0: the declared one; NAN when not given */
  bool exactly;
  const char *norm;                /* of errors; NULL when not given */
  const char *x, *y, *by, *slopes; /* of a figure; NULL when not given */
  const char *view, *trajectory;   /* of a drawing; likewise */
  hn_setting *where;               /* [nwhere] */
  size_t nwhere;
  hn_setting *shown; /* [nshown] names of curves, and what stands for them in a figure */
  size_t nshown;
  const char *figure;             /* of a sweep; NULL when not given */
  double width, height;           /* mm; 0 when not given */
  long every;                     /* steps; 0 when not given */
  long checkpoint;                /* steps; 0 when not given */
  const char *resume_from, *save; /* files; NULL when not given */
  const char *model;              /* file; NULL when not given */
  const char *listen, *session;   /* of a view; NULL when not given */
  int port;                       /* with has_port */
  double speed;                   /* 0 when not given */
  const char *record_events;      /* likewise */
  bool list_events;
  bool has_port, paused, fast;
  bool json, quiet, help, all, record_rank, record_joints, record_forces, record_contacts, resume, times;
  const char **solver_files; /* [nsolver_files] files of solvers in Lua */
  size_t nsolver_files;
  bool contract;   /* joints are held against their contract */
  bool consistent; /* the start is projected onto the joints */
} cli_options;

typedef struct cli_command {
  const char *name, *arguments, *summary;
  const char *details;                  /* further lines of its help */
  const char *examples;                 /* lines: what may follow `holonom` */
  cli_option takes[CLI_MOST_TAKEN + 1]; /* ended by CLI_NONE */
  int least, most;                      /* arguments */
  int (*run)(const cli_options *options);
} cli_command;

/* Reads the arguments after the name of COMMAND; -1 with a text on misuse. Free with cli_options_free either way. */
int cli_options_read(cli_options *options, const cli_command *command, int argc, char **argv,
                     hn_error *error);
void cli_options_free(cli_options *options);
void cli_options_help(const cli_command *command);

bool cli_takes(const cli_command *command, cli_option id);
enum { CLI_MAX_OPTIONS = 200 };
/* The options that COMMAND has, parameters of solvers included; their number. */
size_t cli_option_names(const cli_command *command, const char *name[CLI_MAX_OPTIONS]);
bool cli_option_takes_value(const cli_command *command,
                            const char *name); /* false: there is no such option, too */

/* SCENE, loaded as the options say: it can be interrupted, and the program is watched while its Lua code runs. */
hn_scene *cli_scene_load(const char *scene, const cli_options *options, hn_error *error);

#endif
