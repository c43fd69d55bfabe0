/* paths.c - where scenes, Lua modules, the page of reports and loadable modules are.
 *
 * The library finds itself (dladdr). Inside the build tree, where tests and benchmarks may have it in them, it uses
 * source and build directories; else it moves the configured directories by as much as its own place differs from the
 * configured libdir, so that an installation can be relocated as a whole. They are found once. */
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
    modules[2 * PATH_MAX];
} dirs;

/* Directory of the file that holds this library, without links. */
static bool own_directory(char *dir)
{
  Dl_info info;
  if (!dladdr((void *)(uintptr_t)&hn_version, &info) || !realpath(info.dli_fname, dir)) return false;
  char *slash = strrchr(dir, '/');
  if (slash) *slash = '\0';
  return slash != NULL;
}

/* The prefix under which the library in DIR was installed: DIR less the part of libdir below the configured prefix.
 * False when DIR or the configuration has another shape; then the configured directories hold. */
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
                     const char *modules)
{
  snprintf(dirs.scenes, sizeof dirs.scenes, "%s", scenes);
  snprintf(dirs.studies, sizeof dirs.studies, "%s", studies);
  snprintf(dirs.lua, sizeof dirs.lua, "%s", lua);
  snprintf(dirs.web, sizeof dirs.web, "%s", web);
  snprintf(dirs.modules, sizeof dirs.modules, "%s", modules);
}

/* True for the directories of the build tree in which the library, tests and benchmarks are. */
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
             HN_SOURCE_DIR "/web/dist", HN_BUILD_DIR "/.libs");
  } else if (found && own_prefix(dir)) {
    size_t n = strlen(HN_PREFIX);
    snprintf(dirs.scenes, sizeof dirs.scenes, "%s%s", dir, &(HN_PKGDATADIR "/scenes")[n]);
    snprintf(dirs.studies, sizeof dirs.studies, "%s%s", dir, &(HN_PKGDATADIR "/studies")[n]);
    snprintf(dirs.lua, sizeof dirs.lua, "%s%s", dir, &(HN_PKGDATADIR "/lua")[n]);
    snprintf(dirs.web, sizeof dirs.web, "%s%s", dir, &(HN_PKGDATADIR "/web")[n]);
    snprintf(dirs.modules, sizeof dirs.modules, "%s%s", dir, &(HN_LIBDIR "/holonom")[n]);
  } else {
    set_dirs(HN_PKGDATADIR "/scenes", HN_PKGDATADIR "/studies", HN_PKGDATADIR "/lua", HN_PKGDATADIR "/web",
             HN_LIBDIR "/holonom");
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

const char *hn_version(void)
{
  return HN_VERSION;
}
