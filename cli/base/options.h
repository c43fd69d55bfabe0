/* options.h - the options of all commands, and what a command takes. */
#ifndef HN_CLI_OPTIONS_H
#define HN_CLI_OPTIONS_H

#include "holonom.h"
#include "scene.h"

/* Options, as bits of what a command takes. */
#define CLI_BIT(n) (UINT64_C(1) << (n))
#define CLI_SET CLI_BIT(0)
#define CLI_SOLVER CLI_BIT(1)
#define CLI_SOLVERS CLI_BIT(2)
#define CLI_STEP CLI_BIT(3)
#define CLI_STEPS CLI_BIT(4)
#define CLI_DURATION CLI_BIT(5)
#define CLI_REFERENCE CLI_BIT(6)
#define CLI_JSON CLI_BIT(7)
#define CLI_OUTPUT CLI_BIT(8)
#define CLI_QUIET CLI_BIT(9)
#define CLI_HELP CLI_BIT(10)
#define CLI_ALL CLI_BIT(11)
#define CLI_BUDGET CLI_BIT(12)
#define CLI_PLUGIN CLI_BIT(13)
#define CLI_BACKENDS CLI_BIT(14) /* not an option: --linear and --contact take lists */
#define CLI_VARY CLI_BIT(15)     /* not an option: --KEY takes values to vary it over */
#define CLI_AT CLI_BIT(16)
#define CLI_CONSISTENT CLI_BIT(17)
#define CLI_RECORD_RANK CLI_BIT(18)
#define CLI_RECORD_JOINTS CLI_BIT(19)
#define CLI_LIMIT_INSTRUCTIONS CLI_BIT(20)
#define CLI_LIMIT_MEMORY CLI_BIT(21)
#define CLI_LIMIT_TIME CLI_BIT(22)
#define CLI_LIMITS (CLI_LIMIT_INSTRUCTIONS | CLI_LIMIT_MEMORY | CLI_LIMIT_TIME)
#define CLI_JOBS CLI_BIT(23)
#define CLI_RESUME CLI_BIT(24)
#define CLI_TIMES CLI_BIT(25)
#define CLI_X CLI_BIT(26)
#define CLI_Y CLI_BIT(27)
#define CLI_BY CLI_BIT(28)
#define CLI_WHERE CLI_BIT(29)
#define CLI_SLOPES CLI_BIT(30)
#define CLI_WIDTH CLI_BIT(31)
#define CLI_HEIGHT CLI_BIT(32)
#define CLI_EXPECT CLI_BIT(33)
#define CLI_EXACTLY CLI_BIT(34)
#define CLI_WIDE CLI_BIT(36)
#define CLI_RECORD_CONTACTS CLI_BIT(35)
#define CLI_RECORD_FORCES CLI_BIT(37)
#define CLI_EVERY CLI_BIT(38)
#define CLI_MODEL CLI_BIT(39)
#define CLI_CONTRACT CLI_BIT(40)
#define CLI_METHOD CLI_BIT(41)
#define CLI_NORM CLI_BIT(42)
#define CLI_VIEW CLI_BIT(43)
#define CLI_TRAJECTORY CLI_BIT(44)
#define CLI_NAME CLI_BIT(45)
#define CLI_DRAWN CLI_BIT(46)
#define CLI_REPEAT CLI_BIT(47)
#define CLI_RECORD                                                                                                     \
  (CLI_RECORD_RANK | CLI_RECORD_JOINTS | CLI_RECORD_FORCES | CLI_RECORD_CONTACTS | CLI_EVERY | CLI_TIMES)
#define CLI_SHOWN (CLI_JSON | CLI_QUIET | CLI_WIDE)
#define CLI_OF_SCENE (CLI_SET | CLI_CONSISTENT | CLI_SOLVER | CLI_SHOWN | CLI_PLUGIN | CLI_LIMITS | CLI_HELP)
#define CLI_OF_RUN (CLI_OF_SCENE | CLI_STEP | CLI_DURATION)
#define CLI_FIGURE (CLI_NAME | CLI_X | CLI_Y | CLI_BY | CLI_WHERE | CLI_SLOPES | CLI_WIDTH | CLI_HEIGHT)

typedef struct cli_options {
  char *line;                 /* the command as it was given, as a shell would read it */
  char **word;                /* arguments that are not options */
  int nword;
  hn_setting *setting;        /* --set */
  size_t nsetting;
  hn_scene_limits limits;     /* 0 when not given */
  const char *solver, *solvers, *reference, *output; /* NULL when not given */
  double step, duration;      /* s; 0 when not given */
  double at;                  /* s; 0 when not given */
  double *steps;              /* s */
  size_t nsteps;
  char *parameters;           /* --KEY VALUE of the method, as "key=value,..."; already part of solver; NULL: none */
  char *joined;               /* owns solver when parameters were joined to it */
  const char *backends;       /* --linear or --contact as a list, where the command takes one; NULL when not given */
  const char *backend_key;    /* which of them */
  uint64_t budget;            /* joint operations; 0 when not given */
  hn_setting *varied;         /* [nvaried] --KEY VALUES, where the command varies them */
  size_t nvaried;
  int repeat;                 /* 0 when not given */
  int jobs;                   /* 0 when not given */
  double expect;              /* order; 0: the declared one; NAN when not given */
  bool exactly;
  const char *norm;           /* of errors; NULL when not given */
  const char *x, *y, *by, *slopes; /* of a figure; NULL when not given */
  const char *view, *trajectory; /* of a drawing; likewise */
  hn_setting *where;          /* [nwhere] */
  size_t nwhere;
  hn_setting *shown;          /* [nshown] names of curves, and what stands for them in a figure */
  size_t nshown;
  const char *figure;         /* of a sweep; NULL when not given */
  double width, height;       /* mm; 0 when not given */
  long every;                 /* steps; 0 when not given */
  const char *model;          /* file; NULL when not given */
  bool json, quiet, help, all, record_rank, record_joints, record_forces, record_contacts, resume, times;
  const char **method;        /* [nmethod] files of methods in Lua */
  size_t nmethod;
  bool contract;              /* joints are held against their contract */
  bool consistent;            /* the start is projected onto the joints */
} cli_options;

typedef struct cli_command {
  const char *name, *arguments, *summary;
  const char *details;        /* further lines of its help */
  const char *examples;       /* lines: what may follow `holonom` */
  uint64_t takes;             /* options */
  int least, most;            /* arguments */
  int (*run)(const cli_options *options);
} cli_command;

/* Reads the arguments after the name of COMMAND; -1 with a text on misuse. Free with cli_options_free either way. */
int cli_options_read(cli_options *options, const cli_command *command, int argc, char **argv, hn_error *error);
void cli_options_free(cli_options *options);
void cli_options_help(uint64_t takes);

enum { CLI_MAX_OPTIONS = 200 };
/* The options that a command which TAKES these has, parameters of methods included; their number. */
size_t cli_option_names(uint64_t takes, const char *name[CLI_MAX_OPTIONS]);
bool cli_option_takes_value(uint64_t takes, const char *name); /* false: there is no such option, too */

/* SCENE, loaded as the options say: it can be interrupted, and the program is watched while its Lua code runs. */
hn_scene *cli_scene_load(const char *scene, const cli_options *options, hn_error *error);

#endif
