/* provenance.c - the program and machine that produced a page, without date, host name or path. */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/page/built.h"
#include "cli/page/provenance.h"
#include "holonom.h"

/* Returns the name of the first processor, to be freed; NULL if unknown. */
static char *processor_name(void)
{
  FILE *file = fopen("/proc/cpuinfo", "r");
  char *line = NULL, *name = NULL;
  size_t room = 0;
  while (file && !name && getline(&line, &room, file) > 0) {
    const char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) == 0 && colon && colon[1])
      name = cli_text("%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
  }
  free(line);
  if (file) fclose(file);
  return name;
}

static json_t *machine(void)
{
  struct utsname system;
  json_t *root = json_object();
  char *name = processor_name();
  if (name) json_object_set_new(root, "processor", cli_json_string(name));
  json_object_set_new(root, "cores", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
  if (uname(&system) == 0) {
    char *text = cli_text("%s %s, %s", system.sysname, system.release, system.machine);
    json_object_set_new(root, "system", cli_json_string(text));
    free(text);
  }
  free(name);
  return root;
}

/* Returns the libraries that configure has found: "GSL=2.7.1 Lua=5.4.4 ...". */
static json_t *libraries(void)
{
  json_t *root = json_object();
  char *copy = cli_text("%s zlib=%s", HN_LIBRARIES, zlibVersion()), *rest = copy;
  for (char *word; (word = strsep(&rest, " "));) {
    char *equals = strchr(word, '=');
    if (!equals) continue;
    *equals = '\0';
    json_object_set_new(root, word, cli_json_string(equals + 1));
  }
  free(copy);
  return root;
}

json_t *cli_page_made(const char *command)
{
  json_t *root = json_pack("{s:o, s:s, s:s, s:o, s:o}", "command", cli_json_string(command), "version",
                           hn_version(), "compiler", "", "libraries", libraries(), "machine", machine());
#ifdef __VERSION__
  json_object_set_new(root, "compiler", cli_json_string(__VERSION__));
#endif
  if (*HN_COMMIT) json_object_set_new(root, "commit", cli_json_string(HN_COMMIT));
  return root;
}
