/* load.c - loads scenes: finds the file, runs it in the sandbox, checks its result. */
#include "declare.h"
#include "scene.h"
#include "study.h"
#include "base/quiet.h"
#include "elementary.h"
#include "fields.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Defaults of scenes that do not call sys:defaults. */
static const double default_step = 0.01, default_duration = 10.0;
static const char default_solver[] = "impulse-sle";

/* ---- Finding scenes ------------------------------------------------------------------------------------ */

static bool ends_in_lua(const char *name)
{
  size_t length = strlen(name);
  return length > 4 && strcmp(name + length - 4, ".lua") == 0;
}

void hn_scene_names_free(char **names)
{
  for (size_t i = 0; names && names[i]; i++) free(names[i]);
  free(names);
}

static int is_listed(const struct dirent *entry)
{
  return entry->d_name[0] != '.' && ends_in_lua(entry->d_name);
}

static int compare_entries(const struct dirent **a, const struct dirent **b)
{
  return strcmp((*a)->d_name, (*b)->d_name);
}

/* Returns the sorted names of installed scenes or studies, as WHAT says. */
static char **names_in(const char *what, hn_error *error)
{
  const char *path = hn_data_dir(what);
  struct dirent **entry;
  const int count = scandir(path, &entry, is_listed, compare_entries);
  if (count < 0) {
    hn_fail(error, "cannot list %s in %.400s: %s", what, path, strerror(errno));
    return NULL;
  }
  char **names = calloc((size_t)count + 1, sizeof *names);
  bool good = names;
  for (int i = 0; i < count; i++) {
    if (good) names[i] = strndup(entry[i]->d_name, strlen(entry[i]->d_name) - 4), good = names[i];
    free(entry[i]);
  }
  free(entry);
  if (good) return names;
  hn_fail(error, "out of memory");
  hn_scene_names_free(names);
  return NULL;
}

char **hn_scene_names(hn_error *error)
{
  return names_in("scenes", error);
}

char **hn_study_names(hn_error *error)
{
  return names_in("studies", error);
}

static int unknown_scene(const char *scene, hn_error *error)
{
  char **names = hn_scene_names(error);
  if (!names) return -1;
  size_t count = 0;
  while (names[count]) count++;
  const char *near = hn_nearest(scene, (const char *const *)names, count);
  if (near) hn_fail(error, "no scene \"%.100s\"; did you mean \"%s\"?", scene, near);
  else hn_fail(error, "no scene \"%.100s\" is installed; a path has a slash or ends in .lua", scene);
  hn_scene_names_free(names);
  return -1;
}

/* Set scene->path and scene->name. */
static int find_scene(hn_scene *scene, const char *what, hn_error *error)
{
  bool is_path = strchr(what, '/') || ends_in_lua(what);
  const char *dir = hn_data_dir("scenes"), *slash = strrchr(what, '/'), *base = slash ? slash + 1 : what;
  scene->name = strndup(base, strlen(base) - (ends_in_lua(base) ? 4 : 0));
  if ((is_path ? asprintf(&scene->path, "%s", what) : asprintf(&scene->path, "%s/%s.lua", dir, what)) < 0)
    scene->path = NULL;
  if (!scene->path || !scene->name) return hn_fail(error, "out of memory");
  return is_path || access(scene->path, R_OK) == 0 ? 0 : unknown_scene(what, error);
}

/* Read the summary from the first line, `-- name.lua: summary`, with or without directories; "" if it is
 * missing. */
static int read_summary(hn_scene *scene, hn_error *error)
{
  char line[400] = "";
  FILE *file = fopen(scene->path, "r");
  if (file && !fgets(line, sizeof line, file)) line[0] = '\0';
  if (file) fclose(file);
  line[strcspn(line, "\r\n")] = '\0';
  const char *colon = strstr(line, ".lua:");
  bool comment = strncmp(line, "--", 2) == 0 && colon;
  const char *text = comment ? colon + 5 + strspn(colon + 5, " ") : "";
  scene->summary = strdup(text);
  return scene->summary ? 0 : hn_fail(error, "out of memory");
}

/* ---- Running a scene ----------------------------------------------------------------------------------- */

/* File of solvers number `file`. It sees the globals of the scene; its own variables stay local to it. */
typedef struct solver_file {
  hn_scene *scene;
  int file;
} solver_file;

static int run_solver_file(lua_State *L)
{
  const solver_file *of = lua_touserdata(L, 1);
  const char name[] = { '=', HN_SCENE_MARK, (char)(HN_FILE_FIRST + of->file), '\0' };
  const size_t before = of->scene->nown_solvers;
  hn_sandbox_load_file(L, of->scene->lua->box.file[of->file], name);
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushglobaltable(L);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  lua_setupvalue(L, -2, 1);
  lua_call(L, 0, 0);
  const char *problem = of->scene->model ? "a file of solvers makes no system" : "it declares no solver";
  if (!of->scene->model && of->scene->nown_solvers > before) return 0;
  lua_pushfstring(L, "%s: %s: it calls scene.solver { ... }", name + 1, problem);
  return lua_error(L);
}

/* Run the files of solvers, before the scene, so that the scene can name their solvers. */
static int run_solver_files(hn_scene *scene, hn_error *error)
{
  const hn_scene_options *options = &scene->lua->options;
  if (options->nsolver_files > HN_MAX_FILES)
    return hn_fail(error, "more than %d files of solvers", HN_MAX_FILES);
  for (size_t i = 0; i < options->nsolver_files; i++) {
    solver_file of = { scene, (int)i };
    scene->lua->box.file[i] = options->solver_files[i];
    if (hn_sandbox_call(&scene->lua->box, run_solver_file, &of, error)) return -1;
  }
  return 0;
}

static int use_first_solver(hn_scene *scene, hn_error *error)
{
  if (scene->lua->options.nsolver_files == 0) return 0;
  free(scene->solver);
  scene->solver = strdup(scene->own_solvers[0]->name);
  return scene->solver ? 0 : hn_fail(error, "out of memory");
}

/* Run the whole scene, inside the sandbox. */
static int run_scene(lua_State *L)
{
  hn_scene *scene = lua_touserdata(L, 1);
  hn_sandbox_load_file(L, scene->path, HN_SCENE_CHUNK);
  lua_call(L, 0, 1);
  if (lua_isnil(L, -1))
    hn_sandbox_fail(L, "the scene returns nothing: it must end with \"return\" and its system");
  if (!luaL_testudata(L, -1, HN_SYSTEM_HANDLE))
    hn_sandbox_fail(L, "the scene returns a %s: it must return the system made by scene.system",
                    luaL_typename(L, -1));
  if (scene->model->nbody < 2)
    hn_sandbox_fail(L, "the system has no bodies: add some with sys:body or sys:particle");
  scene->lua->complete = true;
  scene->model->own_solvers = scene->own_solvers;
  scene->model->contact_solver = scene->contact_solver;
  return 0;
}

static int check_settings(const hn_setting *settings, size_t count, hn_error *error)
{
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < i; j++)
      if (strcmp(settings[i].name, settings[j].name) == 0)
        return hn_fail(error, "--set %.60s is given twice", settings[i].name);
  return 0;
}

/* Refuse settings of parameters that the scene has not declared. */
static int check_used(const hn_scene *scene, hn_error *error)
{
  const hn_scene_lua *lua = scene->lua;
  for (size_t i = 0; i < lua->options.nsetting; i++) {
    const char *near = NULL, *name = lua->options.setting[i].name;
    if (lua->used[i]) continue;
    if (scene->nparam == 0)
      return hn_fail(error, "%s: --set %.60s: the scene has no parameters", scene->path, name);
    const char **names = malloc(scene->nparam * sizeof *names);
    if (!names) return hn_fail(error, "out of memory");
    for (size_t k = 0; k < scene->nparam; k++) names[k] = scene->param[k].name;
    near = hn_nearest(name, names, scene->nparam);
    hn_fail(error, "%s: unknown parameter \"%.60s\"; %s \"%s\"%s", scene->path, name,
            near ? "did you mean" : "the first there is", near ? near : names[0], near ? "?" : "");
    free(names);
    return -1;
  }
  return 0;
}

/* Set up collision detection, once all shapes are known. */
static int set_up_collision(const hn_scene *scene, hn_error *error)
{
  hn_error why;
  if (!scene->lua->collides || hn_model_collide(scene->model, &scene->lua->contact, &why) == 0) return 0;
  return hn_fail(error, "%s: contact: %.400s", scene->path, why.text);
}

/* Find overlaps at the start; refuse those deeper than the margin if the scene says so. */
static int check_overlap(const hn_scene *scene, hn_error *error)
{
  hn_error why;
  hn_model *model = scene->model;
  const hn_overlap *overlap = &model->overlap;
  if (!scene->lua->collides || scene->lua->again) return 0;
  if (scene->lua->refuses_overlap && model->max_contacts == 0)
    return hn_fail(error, "%s: contact: overlap is a setting of rigid contacts, and all pairs are compliant",
                   scene->path);
  if (hn_model_find_overlap(model, &why)) return hn_fail(error, "%s: contact: %.400s", scene->path, why.text);
  if (!scene->lua->refuses_overlap || !(overlap->depth > model->margin)) return 0;
  return hn_fail(error, "%s: contact: bodies \"%s\" and \"%s\" overlap by %.3g m at the start", scene->path,
                 model->body[overlap->a].name, model->body[overlap->b].name, overlap->depth);
}

/* Project the initial state onto the joints if the scene or the caller requests it. */
static int project(const hn_scene *scene, hn_error *error)
{
  hn_error why;
  if (!scene->model->consistent || scene->lua->again || hn_model_project(scene->model, &why) == 0) return 0;
  return hn_fail(error, "%s: %.400s", scene->path, why.text);
}

/* Complete expectations with the defaults of the scene. */
static int complete(hn_scene *scene, hn_error *error)
{
  for (size_t i = 0; i < scene->nexpectation; i++) {
    hn_expectation *e = &scene->expectation[i];
    if (isnan(e->step)) e->step = scene->step;
    if (isnan(e->duration)) e->duration = scene->duration;
    if (!isnan(e->error) && !scene->has_reference)
      return hn_fail(error, "%s:%d: expect: a bound on the error needs a reference", scene->path, e->line);
    if (!isnan(e->penetration) && scene->model->max_contacts == 0)
      return hn_fail(error, "%s:%d: expect: a bound on the penetration needs sys:contact", scene->path,
                     e->line);
  }
  return 0;
}

/* Tolerances of the reference at t = 0: relative to the largest distance from the origin, and absolute (m).
 * Published references have six digits or more. */
static const double start_tolerance = 1e-6, start_tolerance_absolute = 1e-9;

/* Check that the reference at t = 0 agrees with the initial state. */
static int compare_start(const hn_scene *scene, const bool *has, const double *position, hn_error *error)
{
  double size = 0.0, largest = 0.0;
  int worst = 0;
  hn_state *start = hn_state_create(scene->model);
  if (!start) return hn_fail(error, "out of memory");
  for (int i = 0; i < scene->model->nbody; i++) {
    const double *x = start->pose[i].x, *y = position + 3 * i;
    size = fmax(size, hn_hypot(hn_hypot(x[0], x[1]), x[2]));
    const double apart = has[i] ? hn_hypot(hn_hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]) : 0.0;
    if (apart > largest) largest = apart, worst = i;
  }
  hn_state_free(start);
  if (largest <= start_tolerance * size + start_tolerance_absolute) return 0;
  return hn_fail(error,
                 "%s:%d: reference: at t = 0 body \"%.60s\" is %g m from where it starts: the reference "
                 "is of another motion",
                 scene->path, scene->lua->reference_line, scene->model->body[worst].name, largest);
}

/* Evaluate the reference at t = 0, so that a wrong one is found before any run. */
static int check_reference(hn_scene *scene, hn_error *error)
{
  if (!scene->has_reference || scene->lua->again) return 0;
  size_t n = (size_t)scene->model->nbody;
  bool *has = malloc(n * sizeof *has);
  double *position = malloc(3 * n * sizeof *position);
  int answer = has && position ? hn_scene_reference(scene, 0.0, has, position, error)
                               : hn_fail(error, "out of memory");
  if (answer == 1) answer = compare_start(scene, has, position, error);
  free(has);
  free(position);
  return answer < 0 ? -1 : 0;
}

static int load(hn_scene *scene, const char *what, hn_error *error)
{
  hn_scene_lua *lua = scene->lua;
  scene->solver = strdup(default_solver);
  if (!scene->solver) return hn_fail(error, "out of memory");
  if (check_settings(lua->options.setting, lua->options.nsetting, error)) return -1;
  if (find_scene(scene, what, error)) return -1;
  if (hn_sandbox_open(&lua->box, "scene", scene->path, &lua->options.limits, lua->options.stop, hn_open_core,
                      lua, error))
    return -1;
  if (hn_sandbox_call(&lua->box, hn_safelib_open, NULL, error)) return -1;
  if (run_solver_files(scene, error)) return -1;
  if (hn_sandbox_call(&lua->box, run_scene, scene, error) || use_first_solver(scene, error)) return -1;
  if (check_used(scene, error) || set_up_collision(scene, error) || project(scene, error)) return -1;
  if (check_overlap(scene, error)) return -1;
  if (read_summary(scene, error) || complete(scene, error)) return -1;
  if (!scene->has_reference && !lua->solvers && !lua->contact_solvers && !lua->again)
    hn_sandbox_close(&lua->box);
  return check_reference(scene, error);
}

/* Load a scene; AGAIN: for its control functions alone. */
static hn_scene *load_scene(const char *what, const hn_scene_options *options, bool again, hn_error *error)
{
  hn_quiet_gsl();
  hn_scene *scene = calloc(1, sizeof *scene);
  hn_scene_lua *lua = calloc(1, sizeof *lua);
  bool *used = calloc(options->nsetting + 1, sizeof *used);
  if (!scene || !lua || !used) {
    hn_fail(error, "out of memory");
    free(scene), free(lua), free(used);
    return NULL;
  }
  *lua = (hn_scene_lua){ .scene = scene,
                         .options = *options,
                         .used = used,
                         .reference = LUA_NOREF,
                         .control = LUA_NOREF,
                         .again = again };
  scene->lua = lua;
  scene->step = default_step, scene->duration = default_duration;
  int result = load(scene, what, error);
  lua->options.setting = NULL, lua->options.nsetting = 0, lua->used = NULL; /* they belong to this call */
  free(used);
  if (result == 0) return scene;
  hn_scene_free(scene);
  return NULL;
}

hn_scene *hn_scene_load_with(const char *what, const hn_scene_options *options, hn_error *error)
{
  return load_scene(what, options, false, error);
}

hn_scene *hn_scene_load(const char *what, const hn_setting *settings, size_t count, hn_error *error)
{
  return hn_scene_load_with(what, &(hn_scene_options){ .setting = settings, .nsetting = count }, error);
}

hn_scene *hn_scene_load_again(const hn_scene *scene, hn_error *error)
{
  size_t count = 0;
  hn_setting *setting = calloc(scene->nparam + 1, sizeof *setting);
  if (!setting) {
    hn_fail(error, "out of memory");
    return NULL;
  }
  for (const hn_scene_param *p = scene->param; p < scene->param + scene->nparam; p++)
    if (strcmp(p->value, p->initial) != 0)
      setting[count++] = (hn_setting){ .name = p->name, .value = p->value };
  hn_scene_options options = scene->lua->options;
  options.setting = setting, options.nsetting = count;
  hn_scene *again = load_scene(scene->path, &options, true, error);
  free(setting);
  return again;
}

void hn_scene_free(hn_scene *scene)
{
  if (!scene) return;
  hn_lua_solvers_free(scene->lua);
  hn_contact_solvers_free(scene->lua);
  hn_sandbox_close(&scene->lua->box);
  free(scene->lua->on);
  free(scene->lua);
  for (size_t i = 0; i < scene->nparam; i++) {
    hn_scene_param *p = &scene->param[i];
    free(p->name), free(p->initial), free(p->value), free(p->help);
  }
  for (size_t i = 0; i < scene->nexpectation; i++)
    free(scene->expectation[i].solver), free(scene->expectation[i].reason);
  free(scene->param);
  free(scene->expectation);
  hn_model_free(scene->model);
  free(scene->name), free(scene->path), free(scene->summary), free(scene->solver);
  free(scene);
}
