/* paths.c - directories of scenes, Lua modules, the report page, loadable modules and engines
 *
 * The library finds its own file (dladdr). In the build tree, which may also contain tests and benchmarks
 * linked with it, it uses source and build directories. Otherwise it relocates the configured directories
 * from the configured prefix to its own, so that an installation can be moved as a whole. The directories are
 * determined once. */
#include "base.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t found_dirs = PTHREAD_ONCE_INIT;
static struct {
  char scenes[2 * PATH_MAX], studies[2 * PATH_MAX], lua[2 * PATH_MAX], web[2 * PATH_MAX],
    modules[2 * PATH_MAX], engines[2 * PATH_MAX];
} dirs;

/* Finds the directory of the file of this library, with symbolic links resolved. */
static bool own_directory(char *dir)
{
  Dl_info info;
  if (!dladdr((void *)(uintptr_t)&hn_version, &info) || !realpath(info.dli_fname, dir)) return false;
  char *slash = strrchr(dir, '/');
  if (slash) *slash = '\0';
  return slash != NULL;
}

/* Turns DIR, the directory of the library, into its installation prefix by removing the part of libdir below
 * the configured prefix. False if DIR or the configuration has another form: then the configured directories
 * apply. */
static bool own_prefix(char *dir)
{
  size_t n = strlen(HN_PREFIX), length = strlen(dir);
  if (strncmp(HN_LIBDIR, HN_PREFIX, n) != 0 || strncmp(HN_PKGDATADIR, HN_PREFIX, n) != 0) return false;
  const char *tail = &HN_LIBDIR[n];
  if (length < strlen(tail) || strcmp(dir + length - strlen(tail), tail) != 0) return false;
  dir[length - strlen(tail)] = '\0';
  return true;
}

static void set_dirs(const char *scenes, const char *studies, const char *lua, const char *web,
                     const char *modules, const char *engines)
{
  snprintf(dirs.scenes, sizeof dirs.scenes, "%s", scenes);
  snprintf(dirs.studies, sizeof dirs.studies, "%s", studies);
  snprintf(dirs.lua, sizeof dirs.lua, "%s", lua);
  snprintf(dirs.web, sizeof dirs.web, "%s", web);
  snprintf(dirs.modules, sizeof dirs.modules, "%s", modules);
  snprintf(dirs.engines, sizeof dirs.engines, "%s", engines);
}

/* True for directories of the build tree that contain the library, tests or benchmarks. */
static bool is_in_build(const char *dir)
{
  static const char tests[] = HN_BUILD_DIR "/tests/";
  return strcmp(dir, HN_BUILD_DIR "/.libs") == 0 || strcmp(dir, HN_BUILD_DIR "/bench") == 0 ||
         strncmp(dir, tests, sizeof tests - 1) == 0;
}

static void find_dirs(void)
{
  char dir[PATH_MAX] = "";
  bool found = own_directory(dir);
  if (found && is_in_build(dir)) {
    set_dirs(HN_SOURCE_DIR "/scenes", HN_SOURCE_DIR "/studies", HN_SOURCE_DIR "/lua",
             HN_SOURCE_DIR "/web/dist", HN_BUILD_DIR "/.libs", HN_BUILD_DIR "/engines/.libs");
  } else if (found && own_prefix(dir)) {
    size_t n = strlen(HN_PREFIX);
    snprintf(dirs.scenes, sizeof dirs.scenes, "%s%s", dir, &(HN_PKGDATADIR "/scenes")[n]);
    snprintf(dirs.studies, sizeof dirs.studies, "%s%s", dir, &(HN_PKGDATADIR "/studies")[n]);
    snprintf(dirs.lua, sizeof dirs.lua, "%s%s", dir, &(HN_PKGDATADIR "/lua")[n]);
    snprintf(dirs.web, sizeof dirs.web, "%s%s", dir, &(HN_PKGDATADIR "/web")[n]);
    snprintf(dirs.modules, sizeof dirs.modules, "%s%s", dir, &(HN_LIBDIR "/holonom")[n]);
    snprintf(dirs.engines, sizeof dirs.engines, "%s%s", dir, &(HN_LIBDIR "/holonom/engines")[n]);
  } else {
    set_dirs(HN_PKGDATADIR "/scenes", HN_PKGDATADIR "/studies", HN_PKGDATADIR "/lua", HN_PKGDATADIR "/web",
             HN_LIBDIR "/holonom", HN_LIBDIR "/holonom/engines");
  }
}

const char *hn_data_dir(const char *what)
{
  pthread_once(&found_dirs, find_dirs);
  if (strcmp(what, "lua") == 0) return dirs.lua;
  if (strcmp(what, "web") == 0) return dirs.web;
  return strcmp(what, "studies") == 0 ? dirs.studies : dirs.scenes;
}

const char *hn_module_dir(void)
{
  pthread_once(&found_dirs, find_dirs);
  return dirs.modules;
}

const char *hn_engine_dir(void)
{
  pthread_once(&found_dirs, find_dirs);
  return dirs.engines;
}

const char *hn_version(void)
{
  return HN_VERSION;
}
