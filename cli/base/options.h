/* options.h - the options of all commands, and the description of a command. */
#ifndef HN_CLI_OPTIONS_H
#define HN_CLI_OPTIONS_H

#include "holonom.h"
#include "scene.h"

/* Options, by number, and two pseudo-options that describe a command. */
typedef enum cli_option {
  CLI_NONE = 0, /* ends a list */
#define OPTION(id, name, argument, help) CLI_##id,
#define FLAG(id, name, member, help) CLI_##id,
#define TEXT(id, name, argument, member, help) CLI_##id,
#include "cli/base/options.def"
#undef OPTION
#undef FLAG
#undef TEXT
  CLI_BACKENDS, /* --linear and --contact accept lists */
  CLI_VARY      /* --KEY accepts lists and ranges of values */
} cli_option;

/* Options that several commands accept. */
#define CLI_LIMIT_OPTIONS CLI_LIMIT_INSTRUCTIONS, CLI_LIMIT_MEMORY, CLI_LIMIT_TIME
#define CLI_RECORD_OPTIONS                                                                          \
  CLI_RECORD_RANK, CLI_RECORD_JOINTS, CLI_RECORD_FORCES, CLI_RECORD_CONTACTS, CLI_EVERY, CLI_TIMES, \
    CLI_RECORD_EVENTS, CLI_LIST_EVENTS
#define CLI_PLOT_OPTIONS CLI_NAME, CLI_X, CLI_Y, CLI_BY, CLI_WHERE, CLI_SLOPES, CLI_WIDTH, CLI_HEIGHT
#define CLI_PRINT_OPTIONS CLI_JSON, CLI_QUIET, CLI_WIDE
#define CLI_SCENE_OPTIONS \
  CLI_SET, CLI_CONSISTENT, CLI_SOLVER, CLI_PRINT_OPTIONS, CLI_PLUGIN, CLI_LIMIT_OPTIONS, CLI_HELP
#define CLI_RUN_OPTIONS CLI_SCENE_OPTIONS, CLI_STEP, CLI_DURATION
enum { CLI_MAX_ACCEPTED = CLI_VARY };

typedef struct cli_options {
  char *line;  /* the command line, as a shell would read it */
  char **word; /* arguments that are not options */
  int nword;
  hn_setting *setting; /* --set */
  size_t nsetting;
  hn_scene_limits limits;                                   /* 0 when not given */
  const char *solver, *solvers, *also, *reference, *output; /* NULL when not given */
  double step, duration;                                    /* s; 0 when not given */
  double at;                                                /* s; 0 when not given */
  const char *at_times;                                     /* list; NULL when not given */
  double *steps;                                            /* s */
  size_t nsteps;
  double *tolerance; /* [ntolerance] of contact solvers, m/s */
  size_t ntolerance;
  /* solver parameters given as --KEY VALUE, "key=value,..."; already part of solver; NULL: none */
  char *parameters;
  char *joined;            /* storage of `solver` when parameters were joined to it */
  const char *backends;    /* list of --linear or --contact; NULL when not given */
  const char *backend_key; /* "linear" or "contact" */
  uint64_t budget;         /* joint operations; 0 when not given */
  hn_setting *varied;      /* [nvaried] --KEY VALUES, where the command varies parameters */
  size_t nvaried;
  int repeat;    /* 0 when not given */
  int jobs;      /* 0 when not given */
  double expect; /* expected order; 0: the declared one; NAN when not given */
  bool exactly;
  const char *norm;                /* norm of errors; NULL when not given */
  const char *x, *y, *by, *slopes; /* of a figure; NULL when not given */
  const char *view, *trajectory;   /* of a drawing; NULL when not given */
  hn_setting *where;               /* [nwhere] */
  size_t nwhere;
  hn_setting *shown; /* [nshown] names of curves and their labels */
  size_t nshown;
  const char *figure;             /* figure of a sweep; NULL when not given */
  bool profile;                   /* a figure of performance profiles */
  double width, height;           /* mm; 0 when not given */
  long every;                     /* steps; 0 when not given */
  long checkpoint;                /* steps; 0 when not given */
  const char *resume_from, *save; /* files; NULL when not given */
  const char *model;              /* file; NULL when not given */
  const char *listen, *session;   /* of a view; NULL when not given */
  int port;                       /* with has_port */
  double speed;                   /* 0 when not given */
  const char *record_events;      /* file; NULL when not given */
  bool list_events;
  bool has_port, paused, fast;
  bool json, quiet, help, all, record_rank, record_joints, record_forces, record_contacts, resume, times;
  const char **solver_files; /* [nsolver_files] files of solvers in Lua */
  size_t nsolver_files;
  const char *derive_by; /* names of parameters; NULL when not given */
  bool equilibrium;
  int mode;        /* 0 when not given */
  bool contract;   /* check the contracts of joints */
  bool consistent; /* project the start onto the joints */
} cli_options;

typedef struct cli_command {
  const char *name, *summary;
  const char *arguments; /* separated by spaces; [X] is optional, ... repeats the one before */
  const char *details;   /* body of the help text */
  const char *examples;  /* command lines without `holonom`, one per line */
  cli_option options[CLI_MAX_ACCEPTED + 1];                /* accepted options, ended by CLI_NONE */
  int (*run)(const cli_options *options, hn_error *error); /* returns the exit status, or -1 with a message */
} cli_command;

/* Reads the arguments after the name of COMMAND. Returns -1 on misuse. Always free with cli_options_free. */
int cli_options_read(cli_options *options, const cli_command *command, int argc, char **argv,
                     hn_error *error);
void cli_options_free(cli_options *options);
void cli_options_help(const cli_command *command);

/* True if COMMAND accepts the option ID. */
bool cli_accepts(const cli_command *command, cli_option id);
enum { CLI_MAX_OPTIONS = 200 };
/* Stores the names of the options of COMMAND, solver parameters included. Returns their number. */
size_t cli_option_names(const cli_command *command, const char *name[CLI_MAX_OPTIONS]);
/* True if COMMAND has an option NAME that needs a value. */
bool cli_option_takes_value(const cli_command *command, const char *name);

/* Loads SCENE as the options require; interruptible, and guarded by the watchdog. */
hn_scene *cli_scene_load(const char *scene, const cli_options *options, hn_error *error);

#endif
